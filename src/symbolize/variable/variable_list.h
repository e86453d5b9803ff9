/* SPDX-License-Identifier: GPL-2.0 */
/* variable_list.h - all variables that an instruction can see, and where they are, by DWARF */
#ifndef LBRSNOOP_SYMBOLIZE_VARIABLE_VARIABLE_LIST_H
#define LBRSNOOP_SYMBOLIZE_VARIABLE_VARIABLE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/variable/variable.h"

/** enum variable_where - where a variable is */
enum variable_where {
	VARIABLE_NOWHERE = 0, /* optimized out */
	VARIABLE_REGISTER,
	VARIABLE_MEMORY,   /* at a register plus an offset */
	VARIABLE_CONSTANT, /* nowhere: it is always this value */
};

/**
 * struct variable_place - a variable before the instruction at @name.at is executed
 * @reg: by the CPU's number, 0 (rax) to 15 (r15)
 * @offset: of VARIABLE_MEMORY
 * @value: of VARIABLE_CONSTANT
 * @parameter: of a function
 */
struct variable_place {
	struct cexpr name;
	enum variable_where where;
	uint8_t reg;
	int64_t offset;
	int64_t value;
	bool parameter;
};

/** typedef variable_place_fn - false: no more */
typedef bool variable_place_fn(void *ctx, const struct variable_place *place);

/**
 * variable_places() - the variables and parameters in scope, those of the innermost function first
 * What is in pieces, or in a place that takes computing, is left out, and what another variable of
 * its name hides. Return: 0; -ENOENT if DWARF has nothing there.
 */
int variable_places(const struct variable_code *code, variable_place_fn *fn, void *ctx);

/** enum variable_string - does it point to a string? */
enum variable_string {
	VARIABLE_NO_STRING = 0,
	VARIABLE_STRING,       /* char *, char [] */
	VARIABLE_BYTES_STRING, /* unsigned char *, unsigned char []: bytes, or a string */
};

/** variable_string() - @ret_array: of an array, it is a string itself */
enum variable_string variable_string(const struct ctype *type, bool *ret_array);

/** typedef variable_member_fn - @offset: of the member; @text: "d_name.name"; false: no more */
typedef bool variable_member_fn(void *ctx, const char *text, uint64_t offset,
				const struct ctype *type);

/**
 * variable_members() - members of the struct that a pointer points to, and of structs in it
 * Members of unions are left out: which of them holds is not known.
 */
void variable_members(const struct ctype *pointer, variable_member_fn *fn, void *ctx);

#endif
