/* SPDX-License-Identifier: GPL-2.0 */
/*
 * userspace.h - which files' code is where in which process
 *
 * As the kernel told when it was mapped (capture/maps.c), so that it is known of processes that
 * have ended, too; of those that were there before, from /proc/PID/maps. Files are opened in the
 * process's own mount namespace.
 */
#ifndef LBRSNOOP_SYMBOLIZE_USER_USERSPACE_H
#define LBRSNOOP_SYMBOLIZE_USER_USERSPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

struct lines;
struct userspace;

/** struct user_mapping - executable memory; @path: "" for what is of no file, [vdso], [uprobes] */
struct user_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	const char *path;
};

/**
 * userspace_create() - nothing is known yet
 * @proc: "/proc", or a directory like it
 * @debug_dir: see userfile_open(); both borrowed
 * Return: 0; -ENOMEM. Free with userspace_destroy(), after all that borrows names from it.
 */
int userspace_create(const char *proc, const char *debug_dir, struct userspace **ret_user);
void userspace_destroy(struct userspace *user);

/**
 * userspace_keep() - open a file now, for processes that will have ended when they are asked about
 * @path: as for userspace_bias()
 * Return: 0; negative errno.
 */
int userspace_keep(struct userspace *user, const char *path);

/** userspace_mapped() - a process has mapped code; 0 or -ENOMEM */
int userspace_mapped(struct userspace *user, uint32_t pid, const struct user_mapping *map);

/** userspace_forked() - a process begins with the code of another */
int userspace_forked(struct userspace *user, uint32_t pid, uint32_t parent);

/** userspace_executed() - a process begins anew */
void userspace_executed(struct userspace *user, uint32_t pid);

/** userspace_exited() - a process has ended; what is known stays for a while */
void userspace_exited(struct userspace *user, uint32_t pid);

/** userspace_forget() - an event was lost: all is looked up again */
void userspace_forget(struct userspace *user);

/**
 * userspace_select() - of which process addresses are from now on; 0: of none
 * Return: true if anything is known of it.
 */
bool userspace_select(struct userspace *user, uint32_t pid);

/**
 * userspace_find() - function at an address of the process selected
 * Return: 0; -ENOENT if no code of a file is mapped there.
 */
int userspace_find(struct userspace *user, uint64_t addr, struct symbol *ret_sym);

/**
 * userspace_open_file() - opens the file whose code is at an address of the process selected
 * For a source to call while the process is there: look-ups later may find it gone.
 */
void userspace_open_file(struct userspace *user, uint64_t addr);

/** userspace_text() - text of the process selected: that of the files, without breakpoints */
struct text_source userspace_text(struct userspace *user);

/** userspace_version() - of the process selected, a greater number when its code was mapped anew */
uint64_t userspace_version(const struct userspace *user);

/** userspace_is_mapped() - has the process selected executable memory there? */
bool userspace_is_mapped(const struct userspace *user, uint64_t addr);

/**
 * userspace_bias() - where the process selected has a file's code, above where it was linked
 * @path: as a target names the file
 * Return: 0; -ENOENT if it has not mapped it.
 */
int userspace_bias(struct userspace *user, const char *path, uint64_t *ret_bias);

/** userspace_set_lines() - tell @lines the files of the process selected, and where they are */
int userspace_set_lines(struct userspace *user, struct lines *lines);

/* Name of the memory where uprobes execute the instructions that they replaced. */
#define USERSPACE_UPROBES "[uprobes]"

#endif
