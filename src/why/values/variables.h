/* SPDX-License-Identifier: GPL-2.0 */
/* variables.h - what the arguments and variables held where an error was made */
#ifndef LBRSNOOP_WHY_VALUES_VARIABLES_H
#define LBRSNOOP_WHY_VALUES_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "why/decision/decision.h"

/* Of a function's; more are not read. */
#define VARIABLES_MAX 12

/**
 * struct variable_seen - a variable
 * @name: "param->key"
 * @type: "char *"; "" if it has no name
 * @value: "9", "\"hidepid\"": strings as strace writes them
 * @optimized_out: it is nowhere, @value is ""
 * @parameter: it is, or belongs to, a parameter
 */
struct variable_seen {
	char name[CEXPR_MAX];
	char type[CTYPE_TEXT_MAX];
	char value[4 * WHY_STRING_MAX + 8];
	bool optimized_out;
	bool parameter;
};

/**
 * variables_find() - those in scope at an instruction, of the innermost function first
 *
 * Numbers, enumerators, strings, pointers that are NULL or an error, and the strings in the structs
 * that pointers lead to; of the other pointers nothing, since an address says nothing. What another
 * variable of its name hides is not told, even if that one is optimized out. Where
 * @state has @wanted, the reads that it takes are added there.
 * @module, @addr: of the instruction
 * @ret: @max of them
 * Return: how many; 0 without debug information.
 */
size_t variables_find(const struct decision_code *where, const char *module, uint64_t addr,
		      const struct why_state *state, struct variable_seen *ret, size_t max);

#endif
