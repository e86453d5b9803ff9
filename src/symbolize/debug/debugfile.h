/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debugfile.h - which file has the DWARF of a kernel or module
 *
 * Internal to symbolize/. Found where distributions put them: below /usr/lib/debug by release or
 * build ID, beside the modules, or at a debuginfod server.
 */
#ifndef LBRSNOOP_SYMBOLIZE_DEBUG_DEBUGFILE_H
#define LBRSNOOP_SYMBOLIZE_DEBUG_DEBUGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/build_id.h"

/**
 * debugfile_check() - has a file DWARF of this build?
 * @want: empty for any
 * Return: 0; -ENOENT if it cannot be read, is no ELF file, or has no DWARF; -ESTALE if its build
 * ID is another one.
 */
int debugfile_check(const char *path, const struct build_id *want);

/**
 * debugfile_find_kernel() - path of the kernel's DWARF
 * @debug_dir: searched first, or NULL
 * @release: as of uname -r
 * @id: not empty if anything is to be found by it
 * @ret_path: set on success; free()
 * Return: 0; -ENOENT; -ENOMEM.
 */
int debugfile_find_kernel(const char *debug_dir, const char *release, const struct build_id *id,
			  char **ret_path);

/**
 * debugfile_find_module() - path of a module's DWARF
 * @module: with '_' or '-', as /proc/modules or the file has it
 * Otherwise as debugfile_find_kernel().
 */
int debugfile_find_module(const char *debug_dir, const char *release, const char *module,
			  const struct build_id *id, char **ret_path);

/**
 * debugfile_find_loaded() - path of the file that modprobe loads a module from, of which nothing is
 * read
 * @ret_path: set on success; free()
 * Return: 0; -ENOENT; -ENOMEM.
 */
int debugfile_find_loaded(const char *release, const char *module, char **ret_path);

/**
 * struct debuglink - what .gnu_debuglink of a stripped file says; @name: borrowed, NULL: nothing
 * @crc: of the file meant
 */
struct debuglink {
	const char *name;
	uint32_t crc;
};

/**
 * debugfile_find_user() - path of the DWARF of a program or shared library without its own
 * @dir: where the file is; searched, too
 * @id: of the file; without one only @link finds anything
 * Return: as debugfile_find_kernel().
 */
int debugfile_find_user(const char *debug_dir, const char *dir, const struct build_id *id,
			const struct debuglink *link, char **ret_path);

struct utsname;

/** lines_hint_for() - lines_hint() from the text of an os-release file, for a kernel */
const char *lines_hint_for(const char *os_release, const struct utsname *kernel, char *buf,
			   size_t len);

#endif
