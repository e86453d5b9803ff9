/* SPDX-License-Identifier: GPL-2.0 */
/*
 * member.h - which member of a type is at an offset, as DWARF describes it
 *
 * Internal to symbolize/.
 */
#ifndef LBRSNOOP_SYMBOLIZE_VARIABLE_MEMBER_H
#define LBRSNOOP_SYMBOLIZE_VARIABLE_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/debug/debugimage.h"
#include "symbolize/variable/variable.h"

/**
 * struct member_access - @offset, @bytes within the type that is looked at; @part: bytes in front
 * @as_bytes: several elements of an array of bytes will do
 * @index: of an element in C, counted from @offset, where elements of @scale bytes begin; or NULL
 * @left: types that may be looked into yet; set by member_at()
 * @open: an array without an end at the end of a struct, which anything behind it is in
 */
struct member_access {
	struct debugimage *image;
	uint64_t offset;
	uint32_t bytes;
	uint32_t part;
	bool part_ok;
	bool as_bytes;
	bool open;
	const char *index;
	uint32_t scale;
	unsigned int *left;
};

/**
 * member_at() - the member of a type, or a member of that, that an access is to
 * @e: an expression of that type: the member is added to it, and its type is set
 * @ret_part: bytes of it in front of the access, with @part_ok; else 0
 * Return: 0; -ENOENT if it is to no member alone; @e is undefined then.
 */
int member_at(Dwarf_Die *type, const struct member_access *access, struct cexpr *e,
	      uint32_t *ret_part);

/** cexpr_append() - false: it does not fit */
bool cexpr_append(struct cexpr *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** cexpr_address() - "&e", whose type DWARF does not have; false: it does not fit */
bool cexpr_address(struct cexpr *e);

#endif
