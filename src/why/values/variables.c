// SPDX-License-Identifier: GPL-2.0
#include "why/values/variables.h"

#include <stdio.h>
#include <string.h>

#include "symbolize/variable/variable_list.h"
#include "syscall/print.h"
#include "util/cleanup.h"
#include "why/values/backward.h"
#include "why/values/value_text.h"

/* Strings of one struct. */
#define MEMBER_STRINGS 2

/** struct collection - what is found so far */
struct collection {
	const struct why_state *state;
	struct variable_seen *ret;
	size_t count;
	size_t max;
};

/**
 * struct pointed - a struct that a pointer leads to
 * @from: struct why_read's of what lies in it
 * @strings: found in it
 */
struct pointed {
	struct collection *all;
	const struct variable_place *place;
	uint8_t from;
	int64_t offset;
	unsigned int strings;
};

static struct variable_seen *add(struct collection *all, const char *name, const struct ctype *type,
				 bool parameter)
{
	struct variable_seen *seen = &all->ret[all->count];

	if (all->count == all->max)
		return NULL;
	*seen = (struct variable_seen){.parameter = parameter};
	snprintf(seen->name, sizeof(seen->name), "%s", name);
	variable_type_text(type, seen->type, sizeof(seen->type));
	all->count++;
	return seen;
}

/* Printable, or of another language: what is no text is no string. */
static bool is_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	return true;
}

/* An array may be full: then no NUL ends it. Of "name[]", and "name[1]" for that, nobody knows. */
static size_t text_length(const char *text, const struct ctype *type)
{
	size_t len = strlen(text);

	return type->class != CTYPE_POINTER && type->bytes > 1 && type->bytes < len ? type->bytes
										    : len;
}

/* What was read at @from, as a string; or it is to be read. */
static bool take_string(struct collection *all, const char *name, const struct ctype *type,
			enum variable_string kind, bool parameter, struct why_read read)
{
	struct variable_seen *seen;
	char text[WHY_STRING_MAX + 1];
	size_t len;
	bool known;

	read.string = 1;
	read.bytes = 0;
	known = state_string(all->state, &read, text);
	len = known ? text_length(text, type) : 0;
	if (!known || !is_text(text, len) ||
	    (kind == VARIABLE_BYTES_STRING && (!len || len >= WHY_STRING_MAX - 1)))
		return false;
	seen = add(all, name, type, parameter);
	if (seen) {
		struct printer p = {.buf = seen->value, .size = sizeof(seen->value)};

		print_quoted(&p, text, len);
		print_text(&p, "%s", len >= WHY_STRING_MAX - 1 ? "..." : "");
	}
	return seen;
}

static bool on_member(void *ctx, const char *text, uint64_t offset, const struct ctype *type)
{
	struct pointed *pointed = ctx;
	struct collection *all = pointed->all;
	bool array, known;
	enum variable_string kind = variable_string(type, &array);
	char name[CEXPR_MAX];
	struct why_read read = {
		.from = pointed->from, .offset = pointed->offset + (int64_t)offset, .bytes = 8};
	uint64_t value;
	int index;

	if (kind == VARIABLE_NO_STRING ||
	    (size_t)snprintf(name, sizeof(name), "%s->%s", pointed->place->name.text, text) >=
		    sizeof(name))
		return true;
	if (!array) {
		index = state_read(all->state, &read, &value, &known);
		if (index < 0)
			return false;
		read = (struct why_read){.from = (uint8_t)(WHY_FROM_READ + index)};
	}
	pointed->strings += take_string(all, name, type, kind, pointed->place->parameter, read) ||
			    all->state->wanted;
	return pointed->strings < MEMBER_STRINGS;
}

/* What the pointer leads to: @from, as of struct why_read. */
static void take_pointer(struct collection *all, const struct variable_place *place, uint8_t from)
{
	struct pointed pointed = {.all = all, .place = place, .from = from};
	bool array;
	enum variable_string kind = variable_string(&place->name.type, &array);

	if (kind != VARIABLE_NO_STRING)
		take_string(all, place->name.text, &place->name.type, kind, place->parameter,
			    (struct why_read){.from = from});
	else
		variable_members(&place->name.type, on_member, &pointed);
}

static void take_value(struct collection *all, const struct variable_place *place, uint64_t value)
{
	const struct ctype *type = &place->name.type;
	int bits = (int)(type->bytes * 8);
	struct variable_seen *seen;

	if (bits < 64)
		value &= (1ull << bits) - 1;
	seen = add(all, place->name.text, type, place->parameter);
	if (seen)
		value_text(seen->value, sizeof(seen->value), place->name.text, value, bits, type);
}

static bool is_scalar(const struct ctype *type)
{
	return (type->class == CTYPE_POINTER || type->class == CTYPE_BOOL ||
		type->class == CTYPE_SIGNED || type->class == CTYPE_UNSIGNED ||
		type->class == CTYPE_ENUM) &&
	       (type->bytes == 1 || type->bytes == 2 || type->bytes == 4 || type->bytes == 8);
}

/* @from: where a pointer that has this value leads to, as of struct why_read */
static void take_scalar(struct collection *all, const struct variable_place *place, bool known,
			uint64_t value, uint8_t from)
{
	const struct ctype *type = &place->name.type;
	bool special = known && (!value || value >= (uint64_t)-4095);

	if (type->class == CTYPE_POINTER && (!known || !special))
		take_pointer(all, place, from);
	else if (known)
		take_value(all, place, value);
}

static bool on_place(void *ctx, const struct variable_place *place)
{
	struct collection *all = ctx;
	const struct why_state *state = all->state;
	const struct ctype *type = &place->name.type;
	struct why_read read = {.offset = place->offset, .bytes = (uint8_t)type->bytes};
	struct variable_seen *seen;
	uint64_t value = 0;
	bool array, known;
	int index;

	read.from = (uint8_t)register_of_cpu(place->reg);
	switch (place->where) {
	case VARIABLE_NOWHERE:
		seen = place->parameter && is_scalar(type) ? add(all, place->name.text, type, true)
							   : NULL;
		if (seen)
			seen->optimized_out = true;
		break;
	case VARIABLE_CONSTANT:
		if (is_scalar(type) && type->class != CTYPE_POINTER)
			take_value(all, place, (uint64_t)place->value);
		break;
	case VARIABLE_REGISTER:
		if (is_scalar(type))
			take_scalar(all, place, state->regs,
				    state->regs ? state->regs[read.from] : 0, read.from);
		break;
	case VARIABLE_MEMORY:
		if (!is_scalar(type)) {
			enum variable_string kind = variable_string(type, &array);

			if (kind != VARIABLE_NO_STRING && array)
				take_string(all, place->name.text, type, kind, place->parameter,
					    read);
			break;
		}
		index = state_read(state, &read, &value, &known);
		if (index >= 0)
			take_scalar(all, place, known, value, (uint8_t)(WHY_FROM_READ + index));
		break;
	}
	return all->count < all->max;
}

size_t variables_find(const struct decision_code *where, const char *module, uint64_t addr,
		      const struct why_state *state, struct variable_seen *ret, size_t max)
{
	const struct variable_code code = {.lines = where->lines, .module = module, .addr = addr};
	struct collection all = {.state = state, .ret = ret, .max = max};

	if (!where->lines || !state || where->no_values)
		return 0;
	variable_places(&code, on_place, &all);
	return all.count;
}
