/* SPDX-License-Identifier: GPL-2.0 */
/* cold_part.h - "foo.cold" is a part of foo */
#ifndef LBRSNOOP_SYMBOLIZE_COLD_PART_H
#define LBRSNOOP_SYMBOLIZE_COLD_PART_H

/*
 * GCC and Clang move what seldom runs of "foo" to a symbol "foo.cold" (GCC 8 and Clang:
 * "foo.cold.1") in another section. Only the names tell that the two are one function;
 * symbols_cold_part() has those of a function.
 */
#include <stdbool.h>
#include <stddef.h>

#include "symbolize/symbolize.h"

/** cold_part_prefix() - of "foo.cold", the length of "foo"; 0 where @name is no cold part's */
size_t cold_part_prefix(const char *name);

/** cold_part_is_of() - is @cold a cold part of the function @func? Modules are compared, too. */
bool cold_part_is_of(const struct symbol *cold, const struct symbol *func);

/** cold_part_same() - are both of one function: the same symbol, or one a cold part of the other?
 */
bool cold_part_same(const struct symbol *a, const struct symbol *b);

/**
 * cold_part_whole() - the function that the part was split off
 * @which: 0 for the first function of that name, 1 for the next one: names of static functions are
 * not unique, and nothing tells which of them the part is of
 *
 * Return: 0; -ENOENT where there is none, or @part is no cold part.
 */
int cold_part_whole(struct symbols *symbols, const struct symbol *part, size_t which,
		    struct symbol *ret_func);

#endif
