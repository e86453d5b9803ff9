// SPDX-License-Identifier: GPL-2.0
#include "operand/operand.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "disasm/operand.h"
#include "util/errno_name.h"

#define STEPS_MAX 48
#define DEPTH_MAX 8

#define RAX 0

/* x86-64 psABI, figure 3.4: rax, rcx, rdx, rsi, rdi, r8 to r11 do not survive a call. */
#define CALL_CLOBBERS 0x0fc7u

/* What is followed back; bounds the work. */
struct search {
	const struct operand_way *way;
	unsigned int steps;
};

static int value_of_register(struct search *search, const struct operand_insn *at, uint8_t reg,
			     unsigned int bits, int depth, struct cexpr *ret);

static bool code_at(const struct search *search, uint64_t addr, struct variable_code *ret)
{
	struct symbol sym;

	if (symbols_find(search->way->symbols, addr, &sym))
		return false;
	*ret = (struct variable_code){
		.lines = search->way->lines, .module = sym.module, .addr = addr};
	return true;
}

static void tell(const struct search *search, struct operand_fact fact, const struct cexpr *e)
{
	fact.at = e->at;
	fact.text = e->text;
	if (search->way->fact && e->at)
		search->way->fact(search->way->fact_ctx, &fact);
}

/* The lowest bits alone of something larger. */
static int narrow(struct cexpr *e, unsigned int bits)
{
	char plain[CEXPR_MAX];

	if (!e->type.bytes || e->type.bytes * 8 <= bits)
		return 0;
	memcpy(plain, e->text, sizeof(plain));
	if ((size_t)snprintf(e->text, sizeof(e->text), "(u%u)%s", bits, plain) >= sizeof(e->text))
		return -ENOENT;
	e->compound = true;
	e->type = (struct ctype){.class = CTYPE_UNSIGNED, .bytes = bits / 8};
	return 0;
}

static int pointed_to(struct search *search, const struct operand_insn *at,
		      const struct insn_operand *memory, int depth, struct cexpr *ret)
{
	if (memory->base == INSN_NO_REG || memory->index != INSN_NO_REG || memory->percpu)
		return -ENOENT;
	return value_of_register(search, at, memory->base, 64, depth + 1, ret);
}

/* @bytes: 0: the address alone is of interest. @ret_part: as of variable_member() */
static int value_of_memory(struct search *search, const struct operand_insn *at,
			   const struct insn_operand *memory, uint32_t bytes, int depth,
			   struct cexpr *ret, uint32_t *ret_part)
{
	struct operand_fact fact = {.offset = memory->displacement, .bytes = bytes};
	struct variable_code code;
	struct cexpr pointer;
	int err;

	if (ret_part)
		*ret_part = 0;
	if (depth > DEPTH_MAX || memory->index != INSN_NO_REG || !code_at(search, at->addr, &code))
		return -ENOENT;
	if (memory->absolute) {
		err = variable_global(&code, (uint64_t)memory->displacement, bytes, memory->percpu,
				      ret);
		fact.kind = memory->percpu ? OPERAND_FACT_PERCPU : OPERAND_FACT_GLOBAL;
	} else if (memory->percpu) {
		err = -ENOENT;
	} else if (!variable_in_memory(&code, memory->base, memory->displacement, bytes, ret)) {
		err = 0;
		fact.kind = OPERAND_FACT_STACK;
		fact.reg = memory->base;
	} else {
		err = pointed_to(search, at, memory, depth, &pointer)
			      ?: variable_member(&pointer, memory->displacement, bytes, ret,
						 ret_part);
		fact.kind = OPERAND_FACT_MEMBER;
		fact.pointer = pointer.text;
		fact.part = ret_part ? *ret_part : 0;
	}
	if (!err)
		tell(search, fact, ret);
	return err;
}

static int masked(struct cexpr *e, uint64_t mask)
{
	char plain[CEXPR_MAX];
	int len;

	memcpy(plain, e->text, sizeof(plain));
	len = snprintf(e->text, sizeof(e->text), "(%s & 0x%" PRIx64 ")", plain, mask);
	e->compound = false;
	e->type.class = CTYPE_UNSIGNED;
	return len < 0 || (size_t)len >= sizeof(e->text) ? -ENOENT : 0;
}

/* The instruction just before @at defines the register, or it does not: -EAGAIN. */
static int defined_by(struct search *search, const struct operand_insn *before, uint8_t reg,
		      unsigned int bits, int depth, struct cexpr *ret)
{
	struct insn_operand from;
	uint64_t mask;
	int err;

	switch (insn_define(before->bytes, before->len, before->addr, reg, bits, &from)) {
	case INSN_DEFINES_NOT:
		return -EAGAIN;
	case INSN_DEFINES_COPY:
		if (from.kind == INSN_OPERAND_REG)
			return value_of_register(search, before, from.reg, from.bits, depth + 1,
						 ret);
		if (from.kind != INSN_OPERAND_MEM)
			return -ENOENT;
		err = value_of_memory(search, before, &from, from.bits / 8, depth, ret, NULL);
		return err ?: narrow(ret, bits);
	case INSN_DEFINES_ADDRESS:
		return value_of_memory(search, before, &from, 0, depth, ret, NULL);
	case INSN_DEFINES_AND:
		mask = (uint64_t)from.value & (bits == 64 ? UINT64_MAX : (1ull << bits) - 1);
		err = value_of_register(search, before, reg, bits, depth + 1, ret);
		return err ?: masked(ret, mask);
	default:
		return -ENOENT;
	}
}

static int result_of_call(struct search *search, const struct operand_insn *call, struct cexpr *ret)
{
	struct variable_code code;
	struct symbol callee;

	/* An indirect call goes through a thunk, which is not who returned the value. */
	if (!call->callee || !code_at(search, call->addr, &code) ||
	    symbols_find(search->way->symbols, call->callee, &callee) ||
	    callee.addr != call->callee || strstr(callee.name, "thunk"))
		return -ENOENT;
	return variable_call(&code, callee.name, ret);
}

static int value_of_register(struct search *search, const struct operand_insn *at, uint8_t reg,
			     unsigned int bits, int depth, struct cexpr *ret)
{
	struct operand_insn here = *at, before;
	struct variable_code code;
	int err;

	if (depth > DEPTH_MAX)
		return -ENOENT;
	for (;;) {
		if (!code_at(search, here.addr, &code))
			return -ENOENT;
		err = variable_in_register(&code, reg, ret);
		if (!err)
			tell(search,
			     (struct operand_fact){.kind = OPERAND_FACT_REGISTER, .reg = reg}, ret);
		if (err != -ENOENT)
			return err;
		if (search->steps++ >= STEPS_MAX ||
		    !search->way->before(search->way->ctx, &here, &before))
			return -ENOENT;
		if (before.call) {
			if (reg == RAX)
				return result_of_call(search, &before, ret);
			if (CALL_CLOBBERS >> reg & 1)
				return -ENOENT;
		}
		err = before.call ? -EAGAIN : defined_by(search, &before, reg, bits, depth, ret);
		if (err != -EAGAIN)
			return err;
		here = before;
	}
}

/*
 * The text of a condition
 */

/**
 * struct naming - @left: type of the first operand
 * @shift: bits of the first operand's expression in front of those that are asked for
 */
struct naming {
	struct search search;
	const struct operand_insn *setter;
	struct operand_condition *ret;
	struct ctype left;
	unsigned int shift;
};

/* Where some bits alone decide, the access may be to a part of what has a name. */
static int name_memory(struct naming *naming, const struct insn_operand *operand, enum insn_use use,
		       uint64_t bits, struct cexpr *ret, bool *ret_whole)
{
	struct cexpr pointer;
	uint32_t part = 0;
	int err;

	err = value_of_memory(&naming->search, naming->setter, operand, operand->bits / 8, 0, ret,
			      use == INSN_USE_VALUE ? NULL : &part);
	naming->shift = part * 8;
	if (err != -ENOENT || use == INSN_USE_VALUE)
		return err;
	err = pointed_to(&naming->search, naming->setter, operand, 0, &pointer)
		      ?: variable_bitfield(&pointer, operand->displacement, bits, ret);
	*ret_whole = !err;
	if (!err)
		tell(&naming->search,
		     (struct operand_fact){.kind = OPERAND_FACT_BITS,
					   .pointer = pointer.text,
					   .offset = operand->displacement,
					   .mask = bits},
		     ret);
	return err;
}

static int name_register(struct naming *naming, const struct insn_operand *operand,
			 enum insn_use use, struct cexpr *ret)
{
	struct operand_condition *condition = naming->ret;
	struct operand_name *name;
	int err = value_of_register(&naming->search, naming->setter, operand->reg, operand->bits, 0,
				    ret);

	if (!err && use == INSN_USE_VALUE)
		err = narrow(ret, operand->bits);
	if (err || condition->count == OPERAND_NAMES_MAX)
		return err;
	name = &condition->registers[condition->count++];
	memcpy(name->name, ret->text, sizeof(name->name));
	name->reg = operand->reg;
	name->bits = operand->bits;
	return 0;
}

static void constant_text(const struct naming *naming, const struct insn_operand *operand,
			  uint64_t mask, char *buf, size_t size)
{
	const struct ctype *type = &naming->left;
	uint64_t bits = (uint64_t)operand->value & mask;
	int64_t value = operand->value;
	const char *name;

	if (type->class == CTYPE_POINTER && !value) {
		snprintf(buf, size, "NULL");
		return;
	}
	if (!variable_constant(type, value, buf, size))
		return;
	name = value < -1 && value > -4096 && type->class != CTYPE_UNSIGNED
		       ? errno_name((int)-value)
		       : NULL;
	if (name)
		snprintf(buf, size, "-%s", name);
	else if (value >= 0 || type->class == CTYPE_SIGNED)
		snprintf(buf, size, value > 4096 ? "0x%" PRIx64 : "%" PRId64, value);
	else
		snprintf(buf, size, "0x%" PRIx64, bits);
}

static void name_constant(const struct naming *naming, const struct insn_operand *operand,
			  enum insn_use use, uint64_t mask, struct insn_operand_text *ret)
{
	uint64_t value = (uint64_t)operand->value;

	switch (use) {
	case INSN_USE_BIT:
		snprintf(ret->text, sizeof(ret->text), "%" PRIu64, value + naming->shift);
		break;
	case INSN_USE_MASK:
		value = (value & mask) << naming->shift;
		snprintf(ret->text, sizeof(ret->text), value < 10 ? "%" PRIu64 : "0x%" PRIx64,
			 value);
		break;
	default:
		constant_text(naming, operand, mask, ret->text, sizeof(ret->text));
	}
}

static bool name_operand(void *ctx, int index, const struct insn_operand *operand,
			 enum insn_use use, uint64_t bits, struct insn_operand_text *ret)
{
	struct naming *naming = ctx;
	struct cexpr e;
	int err;

	if (operand->kind == INSN_OPERAND_IMM) {
		name_constant(naming, operand, use, bits, ret);
		return true;
	}
	if (operand->kind == INSN_OPERAND_REG)
		err = name_register(naming, operand, use, &e);
	else
		err = name_memory(naming, operand, use, bits, &e, &ret->whole);
	if (err)
		return false;
	if (!index) {
		naming->left = e.type;
		if (e.type.class == CTYPE_POINTER)
			ret->zero = "NULL";
	}
	return (size_t)snprintf(ret->text, sizeof(ret->text), "%s", e.text) < sizeof(ret->text);
}

int operand_condition(const struct operand_way *way, const struct operand_insn *setter,
		      const struct operand_insn *branch, bool taken, struct operand_condition *ret)
{
	struct naming naming = {.search.way = way, .setter = setter, .ret = ret};

	*ret = (struct operand_condition){};
	return insn_condition_named(setter->bytes, setter->len, setter->addr, branch->bytes,
				    branch->len, taken, name_operand, &naming, ret->text,
				    sizeof(ret->text));
}
