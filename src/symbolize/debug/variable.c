// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/variable.h"

#include <dwarf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/debug/debugimage.h"
#include "symbolize/debug/typedie.h"
#include "symbolize/debug/variable_op.h"

#define SCOPE_DEPTH_MAX	 32
#define MEMBER_DEPTH_MAX 12

/** struct query - what is looked for at @pc, an address of the file */
struct query {
	struct debugimage *image;
	uint64_t pc;
	bool in_register;
	bool pointer_only;
	uint8_t reg;
	int64_t offset;
	uint32_t bytes;
	Dwarf_Die function; /* that has the frame base; none: @in_function is false */
	bool in_function;
	struct cexpr *ret;
};

static bool append(struct cexpr *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* False: it does not fit. */
static bool append(struct cexpr *e, const char *format, ...)
{
	size_t len = strlen(e->text);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(e->text + len, sizeof(e->text) - len, format, args);
	va_end(args);
	return n >= 0 && (size_t)n < sizeof(e->text) - len;
}

static bool prefix(struct cexpr *e, char operator)
{
	size_t len = strlen(e->text);

	if (len + 2 > sizeof(e->text))
		return false;
	memmove(e->text + 1, e->text, len + 1);
	e->text[0] = operator;
	e->compound = true;
	return true;
}

/* DWARF has no type for the address of a member. */
static bool make_address(struct cexpr *e)
{
	if (!prefix(e, '&'))
		return false;
	e->type = (struct ctype){.class = CTYPE_POINTER, .bytes = 8};
	return true;
}

/*
 * Members
 */

/** struct access - @offset, @bytes within the type that is looked at; @part: bytes in front */
struct access {
	struct debugimage *image;
	uint64_t offset;
	uint32_t bytes;
	uint32_t part;
	bool part_ok;
};

static int descend(Dwarf_Die *type, struct access access, struct cexpr *e, int depth,
		   uint32_t *ret_part);

static int in_array(Dwarf_Die *array, struct access access, struct cexpr *e, int depth,
		    uint32_t *ret_part)
{
	Dwarf_Die element, child;
	unsigned int dimensions = 0;
	uint32_t bytes;

	if (!typedie_of(array, &element) || dwarf_child(array, &child))
		return -ENOENT;
	do {
		dimensions += dwarf_tag(&child) == DW_TAG_subrange_type;
	} while (!dwarf_siblingof(&child, &child));
	bytes = typedie_bytes(&element);
	if (dimensions != 1 || !bytes ||
	    !append(e, "[%llu]", (unsigned long long)(access.offset / bytes)))
		return -ENOENT;
	access.offset %= bytes;
	return descend(&element, access, e, depth + 1, ret_part);
}

static bool is_open_array(Dwarf_Die *type)
{
	Dwarf_Die bare;

	return typedie_peel(type, &bare) && dwarf_tag(&bare) == DW_TAG_array_type &&
	       !typedie_bytes(&bare);
}

/* Is the access to this member? Then into @e, which is that of the struct before. */
static int try_member(Dwarf_Die *member, struct access access, struct cexpr *e, int depth,
		      uint32_t *ret_part)
{
	const char *name = dwarf_diename(member);
	Dwarf_Word at = 0, bits;
	Dwarf_Die type;
	uint32_t bytes;

	if (dwarf_tag(member) != DW_TAG_member || typedie_udata(member, DW_AT_bit_size, &bits) ||
	    !typedie_of(member, &type))
		return -ENOENT;
	typedie_udata(member, DW_AT_data_member_location, &at);
	bytes = typedie_bytes(&type);
	if (access.offset < at ||
	    (access.offset - at >= bytes && !(is_open_array(&type) && depth < 2)))
		return -ENOENT;
	access.offset -= at;
	if (name && !append(e, "%s%s", e->text[strlen(e->text) - 1] == '>' ? "" : ".", name))
		return -ENOENT;
	/* An address is that of the outermost member that begins there. */
	if (!access.bytes && !access.offset && name) {
		typedie_set(&e->type, access.image, &type);
		return 0;
	}
	return descend(&type, access, e, depth + 1, ret_part);
}

/*
 * Several members of a union may be meant: then all of them are named, "p->(a|b)", if they differ
 * in the last name only; the type is nobody's.
 */
static bool join_alternatives(struct cexpr *e, const struct cexpr *other)
{
	size_t same = 0, len = strlen(e->text);
	bool joined = len && e->text[len - 1] == ')' && strchr(e->text, '|');

	if (strcmp(e->text, other->text) == 0)
		return true;
	while (e->text[same] && e->text[same] == other->text[same])
		same++;
	while (same && e->text[same - 1] != '.' && e->text[same - 1] != '>')
		same--;
	/* Alternatives within one are more than a reader wants to know. */
	if (strchr(other->text + same, '(') || strchr(e->text + same + joined, '('))
		return false;
	e->type.class = CTYPE_UNKNOWN;
	e->type.image = NULL;
	if (joined) {
		e->text[len - 1] = '\0';
		return append(e, "|%s)", other->text + same);
	}
	if (len + 3 >= sizeof(e->text))
		return false;
	memmove(e->text + same + 1, e->text + same, len - same + 1);
	e->text[same] = '(';
	return append(e, "|%s)", other->text + same);
}

static int in_struct(Dwarf_Die *type, struct access access, struct cexpr *e, int depth,
		     uint32_t *ret_part)
{
	const struct cexpr before = *e;
	bool found = false;
	Dwarf_Die member;

	if (dwarf_child(type, &member))
		return -ENOENT;
	do {
		struct cexpr one = before;
		uint32_t part = 0;

		if (try_member(&member, access, &one, depth, &part))
			continue;
		if (found && (part || *ret_part || !join_alternatives(e, &one)))
			return -ENOENT;
		if (!found)
			*e = one;
		*ret_part = part;
		found = true;
	} while (!dwarf_siblingof(&member, &member));
	return found ? 0 : -ENOENT;
}

static int descend(Dwarf_Die *type, struct access access, struct cexpr *e, int depth,
		   uint32_t *ret_part)
{
	Dwarf_Die bare;
	uint32_t bytes;

	if (depth > MEMBER_DEPTH_MAX || !typedie_peel(type, &bare))
		return -ENOENT;
	switch (dwarf_tag(&bare)) {
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return in_struct(&bare, access, e, depth, ret_part);
	case DW_TAG_array_type:
		return in_array(&bare, access, e, depth, ret_part);
	default:
		break;
	}
	bytes = typedie_bytes(&bare);
	if (!bytes || !access.bytes || access.offset + access.bytes > bytes)
		return -ENOENT;
	if (bytes != access.bytes && !access.part_ok)
		return -ENOENT;
	*ret_part = (uint32_t)access.offset;
	typedie_set(&e->type, access.image, &bare);
	return 0;
}

/* "*p" and "p[2]" of what is no struct. */
static int in_scalars(const struct cexpr *pointer, Dwarf_Die *type, struct access access,
		      struct cexpr *e, uint32_t *ret_part)
{
	uint32_t bytes = typedie_bytes(type);

	if (!bytes || access.offset >= 64u * bytes)
		return -ENOENT;
	if (access.offset < bytes) {
		if (!prefix(e, '*'))
			return -ENOENT;
	} else if (pointer->compound ||
		   !append(e, "[%llu]", (unsigned long long)(access.offset / bytes))) {
		return -ENOENT;
	}
	access.offset %= bytes;
	return descend(type, access, e, 0, ret_part);
}

/* A pointer to an incomplete struct: its unit need not know more. */
static bool is_declared_only(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	bool is = false;

	return dwarf_attr(type, DW_AT_declaration, &attr) && !dwarf_formflag(&attr, &is) && is;
}

int variable_member(const struct cexpr *pointer, int64_t offset, uint32_t bytes, struct cexpr *ret,
		    uint32_t *ret_part)
{
	struct access access = {
		.image = pointer->type.image,
		.offset = (uint64_t)offset,
		.bytes = bytes,
		.part_ok = ret_part != NULL,
	};
	struct cexpr e = *pointer;
	uint32_t part = 0;
	Dwarf_Die type;
	int err;

	if (offset < 0 || !typedie_pointed(&pointer->type, &type) || is_declared_only(&type))
		return -ENOENT;
	if (!typedie_is_record(&type)) {
		if (!bytes)
			return -ENOENT;
		err = in_scalars(pointer, &type, access, &e, &part);
	} else {
		/* An array of structs starts where a struct does: behind its end nobody knows. */
		snprintf(e.text, sizeof(e.text), pointer->compound ? "(%s)->" : "%s->",
			 pointer->text);
		if (strlen(e.text) + 8 >= sizeof(e.text))
			return -ENOENT;
		e.compound = false;
		err = descend(&type, access, &e, 0, &part);
	}
	if (err)
		return err;
	if (!bytes && !make_address(&e))
		return -ENOENT;
	if (ret_part)
		*ret_part = part;
	*ret = e;
	return 0;
}

static int find_bits(Dwarf_Die *type, uint64_t first, uint64_t count, struct debugimage *image,
		     struct cexpr *e, int depth)
{
	Dwarf_Die member;

	if (depth > MEMBER_DEPTH_MAX || dwarf_child(type, &member))
		return -ENOENT;
	do {
		const char *name = dwarf_diename(&member);
		Dwarf_Word at = 0, bits = 0, bit = 0, storage = 0;
		struct cexpr one = *e;
		Dwarf_Die inner, bare;

		if (dwarf_tag(&member) != DW_TAG_member || !typedie_of(&member, &inner) ||
		    !typedie_peel(&inner, &bare))
			continue;
		typedie_udata(&member, DW_AT_data_member_location, &at);
		if (name &&
		    !append(&one, "%s%s", one.text[strlen(one.text) - 1] == '>' ? "" : ".", name))
			continue;
		if (typedie_udata(&member, DW_AT_bit_size, &bits)) {
			/* DWARF 4 and 5 count from the struct's start, 2 and 3 from the storage's
			 * other end. */
			if (!typedie_udata(&member, DW_AT_data_bit_offset, &bit)) {
				if (!typedie_udata(&member, DW_AT_byte_size, &storage) ||
				    !typedie_udata(&member, DW_AT_bit_offset, &bit))
					continue;
				bit = at * 8 + storage * 8 - bit - bits;
			}
			if (bit != first || bits != count)
				continue;
			typedie_set(&one.type, image, &bare);
			*e = one;
			return 0;
		}
		if (typedie_is_record(&bare) && first >= at * 8 &&
		    !find_bits(&bare, first - at * 8, count, image, &one, depth + 1)) {
			*e = one;
			return 0;
		}
	} while (!dwarf_siblingof(&member, &member));
	return -ENOENT;
}

int variable_bitfield(const struct cexpr *pointer, int64_t offset, uint64_t mask, struct cexpr *ret)
{
	struct cexpr e = *pointer;
	uint64_t first, count;
	Dwarf_Die type;

	if (offset < 0 || !mask || !typedie_pointed(&pointer->type, &type) ||
	    !typedie_is_record(&type))
		return -ENOENT;
	first = (uint64_t)offset * 8 + (uint64_t)__builtin_ctzll(mask);
	count = (uint64_t)__builtin_popcountll(mask);
	if (mask >> __builtin_ctzll(mask) != (count == 64 ? UINT64_MAX : (1ull << count) - 1))
		return -ENOENT;
	snprintf(e.text, sizeof(e.text), pointer->compound ? "(%s)->" : "%s->", pointer->text);
	if (strlen(e.text) + 8 >= sizeof(e.text) ||
	    find_bits(&type, first, count, pointer->type.image, &e, 0))
		return -ENOENT;
	e.compound = false;
	*ret = e;
	return 0;
}

int variable_constant(const struct ctype *type, int64_t value, char *buf, size_t size)
{
	const char *found = NULL;
	Dwarf_Die die, child;

	if (type->class != CTYPE_ENUM || !typedie_get(type, &die) || dwarf_child(&die, &child))
		return -ENOENT;
	do {
		Dwarf_Attribute attr;
		Dwarf_Sword is;

		if (dwarf_tag(&child) != DW_TAG_enumerator ||
		    !dwarf_attr(&child, DW_AT_const_value, &attr) || dwarf_formsdata(&attr, &is) ||
		    is != value)
			continue;
		if (found)
			return -ENOENT;
		found = dwarf_diename(&child);
	} while (!dwarf_siblingof(&child, &child));
	if (!found)
		return -ENOENT;
	snprintf(buf, size, "%s", found);
	return 0;
}

/*
 * Variables
 */

/* Memory that begins at a register plus an offset. */
static bool memory_place(struct query *q, const Dwarf_Op *op, int64_t *ret_offset)
{
	uint8_t reg;
	int64_t offset;

	if (!variable_op_memory(q->image, q->pc, q->in_function ? &q->function : NULL, op, &reg,
				&offset))
		return false;
	*ret_offset = offset;
	return reg == variable_dwarf_number[q->reg];
}

static bool holds_register(const struct query *q, const Dwarf_Op *ops, size_t count)
{
	uint8_t reg;

	return variable_op_register(ops, count, &reg) && reg == variable_dwarf_number[q->reg];
}

/* Of a struct in a register the one member that it is: "uid.val". */
static int take_register(struct query *q, Dwarf_Die *type, struct cexpr e)
{
	struct access access = {.image = q->image, .bytes = typedie_bytes(type)};
	uint32_t part = 0;
	Dwarf_Die bare;

	if (access.bytes > 8 || !typedie_peel(type, &bare))
		return -ENOENT;
	typedie_set(&e.type, q->image, &bare);
	if (typedie_is_record(&bare) && (!access.bytes || descend(&bare, access, &e, 0, &part)))
		return -ENOENT;
	*q->ret = e;
	return 0;
}

static int take_variable(struct query *q, Dwarf_Die *die, const Dwarf_Op *ops, size_t count)
{
	const char *name = dwarf_diename(die);
	struct cexpr e = {};
	struct access access = {.image = q->image, .bytes = q->bytes};
	uint32_t part = 0;
	int64_t offset, within;
	Dwarf_Die type;

	if (!name || !typedie_of(die, &type) || !append(&e, "%s", name))
		return -ENOENT;
	if (q->in_register) {
		if (!holds_register(q, ops, count))
			return -ENOENT;
		return take_register(q, &type, e);
	}
	if (count == 2 && ops[1].atom == DW_OP_stack_value && memory_place(q, &ops[0], &offset)) {
		/* A pointer that the register plus a constant is. */
		if (__builtin_sub_overflow(q->offset, offset, &within))
			return -ENOENT;
		typedie_set(&e.type, q->image, &type);
		return variable_member(&e, within, q->bytes, q->ret, NULL);
	}
	if (q->pointer_only || count != 1 || !memory_place(q, &ops[0], &offset) ||
	    __builtin_sub_overflow(q->offset, offset, &within) || within < 0 ||
	    within >= typedie_bytes(&type))
		return -ENOENT;
	access.offset = (uint64_t)within;
	if (!access.bytes) {
		if (access.offset || !make_address(&e))
			return -ENOENT;
	} else if (descend(&type, access, &e, 0, &part)) {
		return -ENOENT;
	}
	*q->ret = e;
	return 0;
}

static int try_variable(struct query *q, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr(die, DW_AT_location, &attr) ||
	    dwarf_getlocation_addr(&attr, q->pc, &ops, &count, 1) != 1)
		return -ENOENT;
	return take_variable(q, die, ops, count);
}

/* Scopes within this one first: what is inlined, then what it is inlined into. */
static int search_scope(struct query *q, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;
	int err = -ENOENT;

	if (depth > SCOPE_DEPTH_MAX || dwarf_child(scope, &child))
		return -ENOENT;
	do {
		int tag = dwarf_tag(&child);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine &&
		    tag != DW_TAG_lexical_block)
			continue;
		if (dwarf_haspc(&child, q->pc) != 1)
			continue;
		/* A function is in no other: what is behind it has no frame base to ask for. */
		if (tag == DW_TAG_subprogram) {
			q->function = child;
			q->in_function = true;
		}
		err = search_scope(q, &child, depth + 1);
		if (!err || tag == DW_TAG_subprogram)
			return err;
	} while (!dwarf_siblingof(&child, &child));
	if (!depth || dwarf_child(scope, &child))
		return err;
	do {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
		    !try_variable(q, &child))
			return 0;
	} while (!dwarf_siblingof(&child, &child));
	return -ENOENT;
}

static int search(const struct variable_code *code, struct query *q)
{
	Dwarf_Die unit;
	int err;

	q->image = lines_image(code->lines, code->module);
	if (!q->image || debugimage_relative(q->image, code->addr, &q->pc) ||
	    debugimage_unit_die(q->image, q->pc, &unit))
		return -ENOENT;
	err = search_scope(q, &unit, 0);
	if (!err)
		q->ret->at = code->addr;
	return err;
}

int variable_in_register(const struct variable_code *code, uint8_t reg, struct cexpr *ret)
{
	struct query q = {.in_register = true, .reg = reg & 15, .ret = ret};

	return search(code, &q);
}

int variable_in_memory(const struct variable_code *code, uint8_t base, int64_t offset,
		       uint32_t bytes, struct cexpr *ret)
{
	struct query q = {.reg = base & 15, .offset = offset, .bytes = bytes, .ret = ret};

	return search(code, &q);
}

int variable_behind_register(const struct variable_code *code, uint8_t reg, int64_t offset,
			     uint32_t bytes, struct cexpr *ret)
{
	struct query q = {
		.pointer_only = true,
		.reg = reg & 15,
		.offset = offset,
		.bytes = bytes,
		.ret = ret,
	};

	return search(code, &q);
}

/*
 * What has a name in its unit
 */

/* A function or variable of the unit that the code is of, declared or defined there. */
static int named_in_unit(const struct variable_code *code, const char *name, int tag,
			 struct debugimage **ret_image, Dwarf_Die *ret)
{
	struct debugimage *image = lines_image(code->lines, code->module);
	Dwarf_Die unit;
	uint64_t pc;

	if (!image || debugimage_relative(image, code->addr, &pc) ||
	    debugimage_unit_die(image, pc, &unit) || dwarf_child(&unit, ret))
		return -ENOENT;
	do {
		const char *has = dwarf_tag(ret) == tag ? dwarf_diename(ret) : NULL;

		if (has && strcmp(has, name) == 0) {
			*ret_image = image;
			return 0;
		}
	} while (!dwarf_siblingof(ret, ret));
	return -ENOENT;
}

int variable_call(const struct variable_code *code, const char *name, struct cexpr *ret)
{
	struct cexpr e = {};
	struct debugimage *image;
	Dwarf_Die die, type;

	if (!append(&e, "%s()", name))
		return -ENOENT;
	if (!named_in_unit(code, name, DW_TAG_subprogram, &image, &die) && typedie_of(&die, &type))
		typedie_set(&e.type, image, &type);
	*ret = e;
	return 0;
}

int variable_call_through(const struct cexpr *pointer, struct cexpr *ret)
{
	struct cexpr e = {};
	Dwarf_Die function, type;

	if (!typedie_pointed(&pointer->type, &function) ||
	    dwarf_tag(&function) != DW_TAG_subroutine_type ||
	    !append(&e, pointer->compound ? "(%s)()" : "%s()", pointer->text))
		return -ENOENT;
	if (typedie_of(&function, &type))
		typedie_set(&e.type, pointer->type.image, &type);
	*ret = e;
	return 0;
}

/* "current" is what the kernel keeps in a per-CPU variable: arch/x86/include/asm/current.h. */
static int current_task(const struct variable_code *code, const char *variable, uint64_t offset,
			uint32_t bytes, struct cexpr *ret)
{
	struct debugimage *image;
	Dwarf_Die die, type;

	if (bytes != 8 || offset ||
	    (strcmp(variable, "current_task") != 0 && strcmp(variable, "const_current_task") != 0 &&
	     strcmp(variable, "pcpu_hot") != 0))
		return -ENOENT;
	*ret = (struct cexpr){.text = "current", .at = code->addr};
	if (named_in_unit(code, variable, DW_TAG_variable, &image, &die) ||
	    !typedie_of(&die, &type))
		return 0;
	if (strcmp(variable, "pcpu_hot") == 0) {
		struct access access = {.image = image, .bytes = 8};
		struct cexpr member = {.text = "."};
		uint32_t part = 0;

		if (descend(&type, access, &member, 0, &part))
			return 0;
		ret->type = member.type;
	} else {
		typedie_set(&ret->type, image, &type);
	}
	return 0;
}

int variable_global(const struct variable_code *code, uint64_t addr, uint32_t bytes, bool percpu,
		    struct cexpr *ret)
{
	struct debugimage *kernel = lines_image(code->lines, ""), *image;
	struct access access = {.bytes = bytes};
	struct cexpr e = {.at = code->addr};
	uint32_t part = 0;
	Dwarf_Die die, type;
	const char *name = kernel ? debugimage_object(kernel, addr, percpu, &access.offset) : NULL;

	if (!name)
		return -ENOENT;
	if (percpu && !current_task(code, name, access.offset, bytes, ret))
		return 0;
	if (named_in_unit(code, name, DW_TAG_variable, &image, &die) || !typedie_of(&die, &type))
		return -ENOENT;
	access.image = image;
	if (!append(&e, "%s%s", percpu ? "this_cpu " : "", name))
		return -ENOENT;
	if (!bytes) {
		if (access.offset || percpu || !make_address(&e))
			return -ENOENT;
	} else if (descend(&type, access, &e, 0, &part)) {
		return -ENOENT;
	}
	*ret = e;
	return 0;
}
