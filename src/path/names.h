/* SPDX-License-Identifier: GPL-2.0 */
/* names.h - the decisions of a path in the names of the source */
#ifndef LBRSNOOP_PATH_NAMES_H
#define LBRSNOOP_PATH_NAMES_H

#include "operand/operand.h"
#include "path/path.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"

/**
 * path_source_condition() - what a decision found: "!inode"
 * The path tells what was executed before: nothing is left to guess where ways meet.
 * @symbols, @lines: or NULL: there are no names
 * Return: 0; -ENOENT if an operand has no name, or there are no words for it; -ENOMEM.
 */
int path_source_condition(const struct path *path, const struct path_decision *decision,
			  struct symbols *symbols, struct lines *lines,
			  struct operand_condition *ret);

struct path_names;

/**
 * path_names_create() - what path_source_condition() found, for the next path that ran the same way
 *
 * To follow values back and to ask DWARF takes a third of a millisecond for each decision; the
 * calls that a trace captures run the same code over and over. Return: NULL without memory.
 */
struct path_names *path_names_create(void);

/** path_names_forget() - a module was loaded, or debug information is other than it was */
void path_names_forget(struct path_names *names);

/** path_names_destroy() - NULL is fine */
void path_names_destroy(struct path_names *names);

/**
 * path_names_find() - as path_source_condition(), out of @names if the same instructions of the
 * function were executed before a decision of the same branch
 * @names: or NULL: it is found anew
 * @ret: @names of it are not set
 */
int path_names_find(struct path_names *names, const struct path *path,
		    const struct path_decision *decision, struct symbols *symbols,
		    struct lines *lines, struct operand_condition *ret);

#endif
