// SPDX-License-Identifier: GPL-2.0
#include "symbolize/variable/variable.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbolize/debug/debugimage.h"
#include "symbolize/variable/member.h"
#include "symbolize/variable/scope.h"
#include "symbolize/variable/typedie.h"
#include "symbolize/variable/variable_op.h"

#define SCOPE_DEPTH_MAX 32

/**
 * struct query - what is looked for at @pc, an address of the file
 * @computed: a number that is @reg plus @offset
 * @scopes: those that @pc is in, by depth; @deepest is the innermost one's
 */
struct query {
	struct debugimage *image;
	uint64_t pc;
	bool in_register;
	bool pointer_only;
	bool as_bytes;
	bool computed;
	uint8_t reg;
	int64_t offset;
	uint32_t bytes;
	Dwarf_Die function; /* that has the frame base; none: @in_function is false */
	bool in_function;
	Dwarf_Die scopes[SCOPE_DEPTH_MAX + 2];
	int deepest;
	struct cexpr *ret;
};

int variable_constant(const struct ctype *type, int64_t value, char *buf, size_t size)
{
	const char *found = NULL;
	uint64_t bits = type->bytes && type->bytes < 8 ? (1ull << 8 * type->bytes) - 1 : UINT64_MAX;
	Dwarf_Die die, child;

	if (type->class != CTYPE_ENUM || !typedie_get(type, &die) || dwarf_child(&die, &child))
		return -ENOENT;
	do {
		Dwarf_Attribute attr;
		int64_t is;

		if (dwarf_tag(&child) != DW_TAG_enumerator ||
		    !dwarf_attr(&child, DW_AT_const_value, &attr) ||
		    !typedie_constant(&attr, &is) || (uint64_t)(is ^ value) & bits)
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
	struct member_access access = {.image = q->image, .bytes = typedie_bytes(type)};
	uint32_t part = 0;
	Dwarf_Die bare;

	if (access.bytes > 8 || !typedie_peel(type, &bare))
		return -ENOENT;
	typedie_set(&e.type, q->image, &bare);
	if (typedie_is_record(&bare) && (!access.bytes || member_at(&bare, &access, &e, &part)))
		return -ENOENT;
	*q->ret = e;
	return 0;
}

static int take_variable(struct query *q, Dwarf_Die *die, const Dwarf_Op *ops, size_t count)
{
	const char *name = dwarf_diename(die);
	struct cexpr e = {};
	struct member_access access = {
		.image = q->image, .bytes = q->bytes, .as_bytes = q->as_bytes};
	uint32_t part = 0;
	int64_t offset, within;
	Dwarf_Die type;

	if (!name || !typedie_of(die, &type) || !cexpr_append(&e, "%s", name))
		return -ENOENT;
	if (q->in_register) {
		if (!holds_register(q, ops, count))
			return -ENOENT;
		return take_register(q, &type, e);
	}
	if (q->computed)
		return count == 2 && ops[1].atom == DW_OP_stack_value &&
				       memory_place(q, &ops[0], &offset) && offset == q->offset
			       ? take_register(q, &type, e)
			       : -ENOENT;
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
		if (access.offset || !cexpr_address(&e))
			return -ENOENT;
	} else if (member_at(&type, &access, &e, &part)) {
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

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

/*
 * Has it a value at @pc? An empty range at @pc counts too. DWARF gives it no effect, but GCC writes
 * it for a variable whose value the instruction at @pc overwrites.
 */
static bool is_anywhere(const struct query *q, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	ptrdiff_t offset = 0;
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_attr(die, DW_AT_const_value, &attr))
		return true;
	if (!dwarf_attr(die, DW_AT_location, &attr))
		return false;
	while ((offset = dwarf_getlocations(&attr, offset, &base, &start, &end, &ops, &count)) > 0)
		if (count && q->pc >= start && (q->pc < end || (start == end && q->pc == start)))
			return true;
	return false;
}

/*
 * The name means the variable of a scope further in. That of an inlined function's argument which
 * is optimized out hides nothing: it is mostly the caller's variable of the same name.
 */
static bool is_hidden(struct query *q, int depth, const char *name)
{
	for (int i = depth + 1; i <= q->deepest; i++) {
		Dwarf_Die child;

		if (dwarf_child(&q->scopes[i], &child))
			continue;
		do {
			const char *has = is_variable(&child) ? dwarf_diename(&child) : NULL;

			if (has && !strcmp(has, name) && is_anywhere(q, &child))
				return true;
		} while (!dwarf_siblingof(&child, &child));
	}
	return false;
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
		q->deepest = depth + 1;
		q->scopes[q->deepest] = child;
		err = search_scope(q, &child, depth + 1);
		if (!err || tag == DW_TAG_subprogram)
			return err;
	} while (!dwarf_siblingof(&child, &child));
	if (!depth || dwarf_child(scope, &child))
		return err;
	do {
		if (is_variable(&child) && !try_variable(q, &child) &&
		    !is_hidden(q, depth, dwarf_diename(&child)))
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

int variable_computed(const struct variable_code *code, uint8_t reg, int64_t addend,
		      struct cexpr *ret)
{
	struct query q = {.computed = true, .reg = reg & 15, .offset = addend, .ret = ret};

	return search(code, &q);
}

int variable_bytes_in_memory(const struct variable_code *code, uint8_t base, int64_t offset,
			     uint32_t bytes, struct cexpr *ret)
{
	struct query q = {
		.as_bytes = true,
		.reg = base & 15,
		.offset = offset,
		.bytes = bytes,
		.ret = ret,
	};

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

	if (!cexpr_append(&e, "%s()", name))
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
	    !cexpr_append(&e, pointer->compound ? "(%s)()" : "%s()", pointer->text))
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
		struct member_access access = {.image = image, .bytes = 8};
		struct cexpr member = {.text = "."};
		uint32_t part = 0;

		if (member_at(&type, &access, &member, &part))
			return 0;
		ret->type = member.type;
	} else {
		typedie_set(&ret->type, image, &type);
	}
	return 0;
}

/* Has a function or block there a variable of that name? In C nothing then names the global one. */
static bool is_local(const struct variable_code *code, const char *name)
{
	struct debugimage *image = lines_image(code->lines, code->module);
	Dwarf_Die unit;
	uint64_t pc;

	return image && !debugimage_relative(image, code->addr, &pc) &&
	       !debugimage_unit_die(image, pc, &unit) && scope_hides(&unit, pc, name);
}

static int global(const struct variable_code *code, uint64_t addr, bool percpu,
		  struct member_access access, struct cexpr *ret, uint32_t *ret_part)
{
	struct debugimage *kernel = lines_image(code->lines, "");
	struct cexpr e = {.at = code->addr};
	uint32_t part = 0;
	Dwarf_Die die, type;
	const char *name = kernel ? debugimage_object(kernel, addr, percpu, &access.offset) : NULL;

	if (!name)
		return -ENOENT;
	if (percpu && !current_task(code, name, access.offset, access.bytes, ret))
		return 0;
	if (is_local(code, name) ||
	    named_in_unit(code, name, DW_TAG_variable, &access.image, &die) ||
	    !typedie_of(&die, &type) || !cexpr_append(&e, "%s%s", percpu ? "this_cpu " : "", name))
		return -ENOENT;
	if (!access.bytes) {
		if (access.offset || percpu || !cexpr_address(&e))
			return -ENOENT;
	} else if (member_at(&type, &access, &e, &part)) {
		return -ENOENT;
	}
	*ret = e;
	if (ret_part)
		*ret_part = part;
	return 0;
}

int variable_global(const struct variable_code *code, uint64_t addr, uint32_t bytes, bool percpu,
		    struct cexpr *ret, uint32_t *ret_part)
{
	const struct member_access access = {.bytes = bytes, .part_ok = ret_part != NULL};

	return global(code, addr, percpu, access, ret, ret_part);
}

int variable_global_element(const struct variable_code *code, uint64_t addr, const char *index,
			    uint32_t scale, uint32_t bytes, struct cexpr *ret)
{
	const struct member_access access = {.bytes = bytes, .index = index, .scale = scale};

	return bytes ? global(code, addr, false, access, ret, NULL) : -ENOENT;
}
