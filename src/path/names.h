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

#endif
