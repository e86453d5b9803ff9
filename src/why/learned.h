/* SPDX-License-Identifier: GPL-2.0 */
/*
 * learned.h - in which functions an error of a system call can be made, kept from run to run
 *
 * One file a kernel build, a line for each function: "CALL ERRNO MODULE FUNCTION", the system call
 * and the errno by their numbers, "-" for the kernel itself. What is learned saves an occurrence:
 * the functions' instructions are watched before the call fails for the first time.
 */
#ifndef LBRSNOOP_WHY_LEARNED_H
#define LBRSNOOP_WHY_LEARNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why/sites.h"

/** struct learned_function - strings are its own; @module is "" for the kernel */
struct learned_function {
	uint32_t nr;
	uint16_t err;
	char *module;
	char *function;
};

/** struct learned - the oldest first; @changed: since it was read */
struct learned {
	struct learned_function *items;
	size_t count;
	size_t room;
	bool changed;
};

/** learned_path() - the file for the running kernel: in /var/cache/lbrsnoop, or $LBRSNOOP_LEARNED
 */
void learned_path(char *buf, size_t size);

/**
 * learned_read() - read a file
 * @ret: set in any case; free with learned_deinit()
 * Return: 0, also where there is no file; -EPERM if others than its owner, who is root or the
 * caller, may write to it: then nothing is taken from it; -ENOMEM. Malformed lines are skipped.
 */
int learned_read(const char *path, struct learned *ret);

/** learned_add() - the functions that @sites are in can make @err in call @nr; 0 or -ENOMEM */
int learned_add(struct learned *learned, uint32_t nr, uint16_t err, const struct sites *sites);

/** learned_write() - if it has changed; makes the folder. Return: 0; negative errno. */
int learned_write(struct learned *learned, const char *path);

/** learned_open() - read the file of the running kernel; 0 or -ENOMEM. One that others may write to
 * is not used, which is said */
int learned_open(struct learned *ret);

/** learned_close() - keep what has been learned, if that can be; free */
void learned_close(struct learned *learned);

/** learned_deinit() - free */
void learned_deinit(struct learned *learned);

#endif
