/* SPDX-License-Identifier: GPL-2.0 */
/* source_file.h - the text of source lines, where the sources are at hand */
#ifndef LBRSNOOP_SYMBOLIZE_DEBUG_SOURCE_FILE_H
#define LBRSNOOP_SYMBOLIZE_DEBUG_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "symbolize/debug/sourcetree.h"
#include "util/errmsg.h"

struct sources;

/**
 * sources_create() - prepare; reads nothing yet
 * @dir: root of the source tree, or NULL: only absolute paths are looked for
 * Return: NULL if out of memory. Free with sources_destroy().
 */
struct sources *sources_create(const char *dir);

/**
 * sources_check_kernel() - is it the root of a kernel's sources?
 * Return: 0; negative errno of the directory; -ENOENT, with *@ret_missing, if it has not the files
 * that every kernel has: headers alone are no sources.
 */
int sources_check_kernel(const char *dir, const char **ret_missing);

/**
 * sources_set_archive() - files that are nowhere else are in a packed tree
 * Nothing is read of it before sources_fetch().
 * @tree: with an archive; copied
 * @version: that its Makefile has to have
 * Return: 0; -ENOMEM.
 */
int sources_set_archive(struct sources *sources, const struct source_tree *tree,
			const struct source_version *version);

/** sources_archive() - one that was not read yet, or NULL; borrowed */
const char *sources_archive(const struct sources *sources);

/** sources_waiting() - was a line asked for that only the archive may have? */
bool sources_waiting(const struct sources *sources);

/**
 * sources_fetch() - read all files out of the archive that were asked for; it is not read again
 * Return: 0; negative errno with @msg: it cannot be read, or is of another version.
 */
int sources_fetch(struct sources *sources, struct errmsg *msg);

/** sources_destroy() - free; NULL is fine */
void sources_destroy(struct sources *sources);

/**
 * sources_line() - text of one line
 * @sources: NULL: there are none
 * @file: as DWARF names it: relative to the root of the tree, or absolute. An absolute one that
 *        is not there is looked for below the root, too, the leading folders left out one by one.
 * @line: from 1
 * @ret_len: bytes of the line, without its end
 * Return: the line, not NUL-terminated, valid until sources_destroy(); NULL if it is not there.
 */
const char *sources_line(struct sources *sources, const char *file, int line, size_t *ret_len);

#endif
