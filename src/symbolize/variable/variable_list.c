// SPDX-License-Identifier: GPL-2.0
#include "symbolize/variable/variable_list.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbolize/debug/debugimage.h"
#include "symbolize/variable/scope.h"
#include "symbolize/variable/typedie.h"
#include "symbolize/variable/variable_op.h"

#define SCOPES_MAX	 32
#define MEMBER_LEVEL_MAX 2
#define MEMBER_TEXT_MAX	 96

/**
 * struct listing - what is listed at @pc, an address of the file
 * @scopes: at @pc, from the function to the innermost one; @count of them
 */
struct listing {
	struct debugimage *image;
	uint64_t pc;
	uint64_t at;
	Dwarf_Die scopes[SCOPES_MAX];
	unsigned int count;
	variable_place_fn *fn;
	void *ctx;
};

static uint8_t number_by_cpu(uint8_t dwarf_reg)
{
	uint8_t reg = 0;

	while (reg < 15 && variable_dwarf_number[reg] != dwarf_reg)
		reg++;
	return reg;
}

static bool constant_op(const Dwarf_Op *op, int64_t *ret)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		*ret = op->atom - DW_OP_lit0;
		return true;
	}
	*ret = (int64_t)op->number;
	return op->atom == DW_OP_const1u || op->atom == DW_OP_const1s ||
	       op->atom == DW_OP_const2u || op->atom == DW_OP_const2s ||
	       op->atom == DW_OP_const4u || op->atom == DW_OP_const4s ||
	       op->atom == DW_OP_const8u || op->atom == DW_OP_const8s || op->atom == DW_OP_constu ||
	       op->atom == DW_OP_consts;
}

/* What it was at the function's entry only the caller's frame may tell. */
static bool is_entry_value(const Dwarf_Op *op)
{
	return op->atom == DW_OP_entry_value || op->atom == DW_OP_GNU_entry_value;
}

/* False: somewhere else, or in pieces. */
static bool locate(const struct listing *l, const Dwarf_Op *ops, size_t count,
		   struct variable_place *place)
{
	uint8_t reg;

	if (count && is_entry_value(&ops[0])) {
		place->where = VARIABLE_NOWHERE;
	} else if (count == 2 && ops[1].atom == DW_OP_stack_value &&
		   constant_op(&ops[0], &place->value)) {
		place->where = VARIABLE_CONSTANT;
	} else if (variable_op_register(ops, count, &reg)) {
		place->where = VARIABLE_REGISTER;
		place->reg = number_by_cpu(reg);
	} else if (count == 1 && variable_op_memory(l->image, l->pc, (Dwarf_Die *)&l->scopes[0],
						    &ops[0], &reg, &place->offset)) {
		place->where = VARIABLE_MEMORY;
		place->reg = number_by_cpu(reg);
	} else {
		return false;
	}
	return true;
}

static bool take(const struct listing *l, Dwarf_Die *die, struct variable_place *place)
{
	const char *name = dwarf_diename(die);
	Dwarf_Attribute attr;
	Dwarf_Die type;
	Dwarf_Op *ops;
	size_t count;
	int found;

	if (!name || !typedie_of(die, &type) ||
	    (size_t)snprintf(place->name.text, sizeof(place->name.text), "%s", name) >=
		    sizeof(place->name.text))
		return false;
	typedie_set(&place->name.type, l->image, &type);
	place->name.at = l->at;
	if (dwarf_attr_integrate(die, DW_AT_const_value, &attr)) {
		place->where = VARIABLE_CONSTANT;
		return typedie_constant(&attr, &place->value);
	}
	if (!dwarf_attr(die, DW_AT_location, &attr))
		return true;
	found = dwarf_getlocation_addr(&attr, l->pc, &ops, &count, 1);
	return !found || (found == 1 && locate(l, ops, count, place));
}

/* By one of the same name in a scope further in, wherever that is: it may have another value. */
static bool is_hidden(const struct listing *l, unsigned int scope, const char *name)
{
	for (unsigned int i = scope + 1; i < l->count; i++)
		if (scope_has_variable((Dwarf_Die *)&l->scopes[i], name))
			return true;
	return false;
}

/* @scope: its number. False: the caller wants no more. */
static bool list_scope(const struct listing *l, unsigned int scope)
{
	Dwarf_Die child;

	if (dwarf_child((Dwarf_Die *)&l->scopes[scope], &child))
		return true;
	do {
		struct variable_place place = {
			.parameter = dwarf_tag(&child) == DW_TAG_formal_parameter,
		};

		if (!scope_is_variable(&child) || !take(l, &child, &place) ||
		    is_hidden(l, scope, place.name.text))
			continue;
		if (!l->fn(l->ctx, &place))
			return false;
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

int variable_places(const struct variable_code *code, variable_place_fn *fn, void *ctx)
{
	struct listing l = {.at = code->addr, .fn = fn, .ctx = ctx};
	Dwarf_Die unit;

	l.image = lines_image(code->lines, code->module);
	if (!l.image || debugimage_relative(l.image, code->addr, &l.pc) ||
	    debugimage_unit_die(l.image, l.pc, &unit))
		return -ENOENT;
	while (l.count < SCOPES_MAX &&
	       scope_within(l.count ? &l.scopes[l.count - 1] : &unit, l.pc, &l.scopes[l.count]))
		l.count++;
	if (!l.count || dwarf_tag(&l.scopes[0]) != DW_TAG_subprogram)
		return -ENOENT;
	for (unsigned int i = l.count; i-- > 0;)
		if (!list_scope(&l, i))
			break;
	return 0;
}

static enum variable_string string_of(Dwarf_Die *element)
{
	Dwarf_Word encoding;

	if (dwarf_tag(element) != DW_TAG_base_type || typedie_bytes(element) != 1 ||
	    !typedie_udata(element, DW_AT_encoding, &encoding))
		return VARIABLE_NO_STRING;
	return encoding == DW_ATE_signed_char	  ? VARIABLE_STRING
	       : encoding == DW_ATE_unsigned_char ? VARIABLE_BYTES_STRING
						  : VARIABLE_NO_STRING;
}

enum variable_string variable_string(const struct ctype *type, bool *ret_array)
{
	Dwarf_Die die, element, bare;

	*ret_array = false;
	if (typedie_pointed(type, &bare))
		return string_of(&bare);
	if (!typedie_get(type, &die) || dwarf_tag(&die) != DW_TAG_array_type ||
	    !typedie_of(&die, &element) || !typedie_peel(&element, &bare))
		return VARIABLE_NO_STRING;
	*ret_array = true;
	return string_of(&bare);
}

/** struct members - @image: that the types are of */
struct members {
	struct debugimage *image;
	variable_member_fn *fn;
	void *ctx;
};

static bool list_members(const struct members *m, Dwarf_Die *record, const char *before,
			 uint64_t offset, unsigned int level)
{
	Dwarf_Die member;

	if (dwarf_child(record, &member))
		return true;
	do {
		const char *name = dwarf_diename(&member);
		char text[MEMBER_TEXT_MAX];
		Dwarf_Die type, bare;
		struct ctype found;
		Dwarf_Word at = 0, bits;

		if (dwarf_tag(&member) != DW_TAG_member || !typedie_of(&member, &type) ||
		    !typedie_peel(&type, &bare) || typedie_udata(&member, DW_AT_bit_size, &bits))
			continue;
		typedie_udata(&member, DW_AT_data_member_location, &at);
		if ((size_t)snprintf(text, sizeof(text), "%s%s%s", before,
				     *before && name ? "." : "", name ?: "") >= sizeof(text))
			continue;
		if (dwarf_tag(&bare) == DW_TAG_structure_type) {
			if (level < MEMBER_LEVEL_MAX &&
			    !list_members(m, &bare, text, offset + at, level + 1))
				return false;
			continue;
		}
		typedie_set(&found, m->image, &bare);
		if (name && !m->fn(m->ctx, text, offset + at, &found))
			return false;
	} while (!dwarf_siblingof(&member, &member));
	return true;
}

void variable_members(const struct ctype *pointer, variable_member_fn *fn, void *ctx)
{
	const struct members members = {.image = pointer->image, .fn = fn, .ctx = ctx};
	Dwarf_Die record;

	if (typedie_pointed(pointer, &record) && dwarf_tag(&record) == DW_TAG_structure_type)
		list_members(&members, &record, "", 0, 0);
}
