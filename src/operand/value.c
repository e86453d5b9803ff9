// SPDX-License-Identifier: GPL-2.0
#include "operand/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dataflow.h"
#include "disasm/regs.h"
#include "operand/alternatives.h"
#include "operand/arithmetic.h"
#include "util/cleanup.h"

#define STEPS_MAX 256
/* In all, for one condition. */
#define SEARCH_STEPS_MAX 1024
/* Places that are still to be followed back from, where ways meet. */
#define PENDING_MAX 24
#define DEPTH_MAX   12

#define RAX 0
#define RCX 1
#define RDX 2
#define RSP 4

/**
 * struct wanted - what is looked for: the lowest @bits of @reg
 * @decides: it is what the decision compares, and no part of it
 * @any_wider: something larger whose lowest bits they are will do, too
 * @slot: not the register, but @bytes of the stack frame, @offset from RSP
 * @pointee: not the register, but the member @offset from where it points to, @bytes of it
 */
struct wanted {
	uint8_t reg;
	unsigned int bits;
	int depth;
	bool decides;
	bool any_wider;
	bool slot;
	bool pointee;
	int64_t offset;
	uint32_t bytes;
};

static int find_register(struct search *search, const struct operand_insn *at,
			 const struct wanted *wanted, struct cexpr *ret);

bool value_code_at(const struct search *search, uint64_t addr, struct variable_code *ret)
{
	struct symbol sym;

	if (symbols_find(search->way->symbols, addr, &sym))
		return false;
	*ret = (struct variable_code){
		.lines = search->way->lines, .module = sym.module, .addr = addr};
	return true;
}

void value_fact(const struct search *search, struct operand_fact fact, const struct cexpr *e)
{
	fact.at = e->at;
	fact.text = e->text;
	if (search->way->fact && e->at)
		search->way->fact(search->way->fact_ctx, &fact);
}

int value_narrow(struct cexpr *e, unsigned int bits)
{
	char plain[CEXPR_MAX], cast[8];

	if (e->constant || !e->type.bytes || e->type.bytes * 8 <= bits)
		return 0;
	memcpy(plain, e->text, sizeof(plain));
	snprintf(cast, sizeof(cast), bits == 32 ? "int" : "u%u", bits);
	if ((size_t)snprintf(e->text, sizeof(e->text), e->compound ? "(%s)(%s)" : "(%s)%s", cast,
			     plain) >= sizeof(e->text))
		return -ENOENT;
	e->compound = true;
	e->type = (struct ctype){.class = bits == 32 ? CTYPE_SIGNED : CTYPE_UNSIGNED,
				 .bytes = bits / 8};
	return 0;
}

static int pointed_to(struct search *search, const struct operand_insn *at,
		      const struct insn_operand *memory, int depth, struct cexpr *ret)
{
	const struct wanted wanted = {.reg = memory->base, .bits = 64, .depth = depth + 1};

	if (memory->base == INSN_NO_REG || memory->index != INSN_NO_REG || memory->percpu)
		return -ENOENT;
	return find_register(search, at, &wanted, ret);
}

/* The same base, further back: a pointer may be that base plus a constant. */
static int behind_base(struct search *search, const struct operand_insn *at,
		       const struct insn_operand *memory, uint32_t bytes, int depth,
		       struct cexpr *ret)
{
	const struct wanted wanted = {
		.reg = memory->base,
		.bits = 64,
		.depth = depth + 1,
		.pointee = true,
		.offset = memory->displacement,
		.bytes = bytes,
	};

	return memory->base == INSN_NO_REG ? -ENOENT : find_register(search, at, &wanted, ret);
}

/* A register that was put aside in the stack frame. */
static int spilled(struct search *search, const struct operand_insn *at,
		   const struct insn_operand *memory, uint32_t bytes, int depth, struct cexpr *ret)
{
	const struct operand_way *way = search->way;
	const struct wanted wanted = {
		.reg = RSP,
		.bits = bytes * 8,
		.depth = depth + 1,
		.slot = true,
		.offset = memory->displacement,
		.bytes = bytes,
	};

	if ((bytes != 4 && bytes != 8) || !way->keeps_slot ||
	    !way->keeps_slot(way->ctx, memory->displacement))
		return -ENOENT;
	return find_register(search, at, &wanted, ret);
}

/*
 * @base, @index: the registers are so; the fact is of the first element. Both are named at one
 * address: an index may be known by the variable of an inlined function that has ended since.
 */
static int element_of(struct search *search, const struct operand_insn *at,
		      const struct insn_operand *memory, uint8_t base, uint8_t index,
		      uint32_t bytes, int depth, struct cexpr *ret)
{
	const struct wanted at_base = {.reg = base, .bits = 64, .depth = depth + 1};
	const struct wanted at_index = {.reg = index, .bits = 64, .depth = depth + 1};
	struct operand_fact fact = {.offset = memory->displacement, .bytes = bytes};
	struct variable_code code;
	struct cexpr pointer, number, first;
	int err = find_register(search, at, &at_index, &number);

	if (err || number.constant || number.type.class == CTYPE_POINTER || !number.type.bytes ||
	    !value_code_at(search, at->addr, &code))
		return err ?: -ENOENT;
	if (memory->absolute) {
		fact.kind = OPERAND_FACT_GLOBAL;
		err = variable_global_element(&code, (uint64_t)memory->displacement, "0",
					      memory->scale, bytes, &first)
			      ?: variable_global_element(&code, (uint64_t)memory->displacement,
							 number.text, memory->scale, bytes, ret);
		if (!err)
			ret->at = number.at;
	} else {
		err = find_register(search, at, &at_base, &pointer);
		if (!err && pointer.at != number.at)
			err = -ENOENT;
		err = err
			      ?: variable_element(&pointer, memory->displacement, "0",
						  memory->scale, bytes, &first)
			      ?: variable_element(&pointer, memory->displacement, number.text,
						  memory->scale, bytes, ret);
		fact.kind = OPERAND_FACT_MEMBER;
		fact.pointer = pointer.text;
	}
	if (!err)
		value_fact(search, fact, &first);
	return err;
}

/* "p->slots[i]"; where elements are bytes, either register may be the pointer. */
static int element(struct search *search, const struct operand_insn *at,
		   const struct insn_operand *memory, uint32_t bytes, int depth, struct cexpr *ret)
{
	int err;

	if (memory->percpu || !bytes)
		return -ENOENT;
	err = element_of(search, at, memory, memory->base, memory->index, bytes, depth, ret);
	if (err != -ENOENT || memory->absolute || memory->scale != 1)
		return err;
	return element_of(search, at, memory, memory->index, memory->base, bytes, depth, ret);
}

/* @bytes: 0: the address alone is of interest. @ret_part: as of variable_member() */
static int find_memory(struct search *search, const struct operand_insn *at,
		       const struct insn_operand *memory, uint32_t bytes, int depth,
		       struct cexpr *ret, uint32_t *ret_part)
{
	struct operand_fact fact = {.offset = memory->displacement, .bytes = bytes};
	struct variable_code code;
	struct cexpr pointer;
	bool known = false;
	int err;

	if (ret_part)
		*ret_part = 0;
	if (depth > DEPTH_MAX || !value_code_at(search, at->addr, &code))
		return -ENOENT;
	if (memory->index != INSN_NO_REG)
		return element(search, at, memory, bytes, depth, ret);
	if (memory->absolute) {
		err = variable_global(&code, (uint64_t)memory->displacement, bytes, memory->percpu,
				      ret, ret_part);
		fact.part = ret_part ? *ret_part : 0;
		fact.kind = memory->percpu ? OPERAND_FACT_PERCPU : OPERAND_FACT_GLOBAL;
	} else if (memory->percpu) {
		err = -ENOENT;
	} else if (!variable_in_memory(&code, memory->base, memory->displacement, bytes, ret)) {
		err = 0;
		fact.kind = OPERAND_FACT_STACK;
		fact.reg = memory->base;
	} else if (memory->base == RSP) {
		err = spilled(search, at, memory, bytes, depth, ret);
		if (err != -ENOENT)
			return err;
		err = variable_bytes_in_memory(&code, RSP, memory->displacement, bytes, ret);
		fact.kind = OPERAND_FACT_STACK;
		fact.reg = RSP;
	} else {
		err = pointed_to(search, at, memory, depth, &pointer);
		known = !err;
		err = err ?: variable_member(&pointer, memory->displacement, bytes, ret, ret_part);
		if (err == -ENOENT) {
			err = behind_base(search, at, memory, bytes, depth, ret);
			if (err != -ENOENT || !known)
				return err;
			err = variable_bytes(&pointer, memory->displacement, bytes, ret);
		}
		fact.kind = OPERAND_FACT_MEMBER;
		fact.pointer = pointer.text;
		fact.part = ret_part ? *ret_part : 0;
	}
	if (!err)
		value_fact(search, fact, ret);
	return err;
}

/*
 * Instructions that compute
 */

static void set_constant(struct cexpr *e, int64_t value)
{
	*e = (struct cexpr){.value = value, .constant = true};
	snprintf(e->text, sizeof(e->text), "%" PRId64, value);
}

static int operand_value(struct search *search, const struct operand_insn *at,
			 const struct insn_operand *operand, unsigned int bits, int depth,
			 struct cexpr *ret)
{
	const struct wanted wanted = {.reg = operand->reg, .bits = bits, .depth = depth + 1};

	switch (operand->kind) {
	case INSN_OPERAND_IMM:
		set_constant(ret, operand->value);
		return 0;
	case INSN_OPERAND_REG:
		return find_register(search, at, &wanted, ret);
	case INSN_OPERAND_MEM:
		return find_memory(search, at, operand, operand->bits / 8, depth + 1, ret, NULL);
	default:
		return -ENOENT;
	}
}

static int arithmetic(struct search *search, const struct operand_insn *at,
		      const struct wanted *before, const struct insn_operand *operand,
		      struct cexpr *ret)
{
	bool shifts = operand->arithmetic == '<' || operand->arithmetic == '>';
	unsigned int bits = shifts && operand->kind == INSN_OPERAND_REG ? 8 : before->bits;
	struct cexpr right;
	int err = find_register(search, at, before, ret) ?: arithmetic_fit(ret, before->bits);

	if (err)
		return err;
	err = operand_value(search, at, operand, bits, before->depth, &right)
		      ?: arithmetic_fit(&right, bits);
	return err ?: arithmetic_combine(ret, operand->arithmetic, &right, before->bits);
}

/* What a register plus a constant is, DWARF says before it is computed: i of "i++". */
static int computed(struct search *search, const struct operand_insn *at, uint8_t reg,
		    int64_t addend, unsigned int bits, struct cexpr *ret)
{
	struct variable_code code;
	int err;

	if (!value_code_at(search, at->addr, &code))
		return -ENOENT;
	err = variable_computed(&code, reg, addend, ret);
	if (err || !arithmetic_is_number(ret) || !ret->type.bytes || ret->type.bytes * 8 > bits)
		return err ?: -ENOENT;
	value_fact(
		search,
		(struct operand_fact){.kind = OPERAND_FACT_REGISTER, .reg = reg, .offset = addend},
		ret);
	return 0;
}

/* LEA: an address, or a sum. */
static int address(struct search *search, const struct operand_insn *at,
		   const struct insn_operand *memory, const struct wanted *wanted,
		   struct cexpr *ret)
{
	const struct insn_operand constant = {
		.kind = INSN_OPERAND_IMM, .arithmetic = '+', .value = memory->displacement};
	const struct wanted base = {
		.reg = memory->base, .bits = memory->bits, .depth = wanted->depth + 1};

	if (memory->bits == 64 && !find_memory(search, at, memory, 0, wanted->depth, ret, NULL))
		return 0;
	if (memory->base == INSN_NO_REG || memory->index != INSN_NO_REG || memory->absolute ||
	    memory->bits < 32)
		return -ENOENT;
	if (!computed(search, at, memory->base, memory->displacement, memory->bits, ret))
		return 0;
	return arithmetic(search, at, &base, &constant, ret);
}

/* The base of memory is another register, or that plus a constant. */
static int base_from(struct search *search, const struct operand_insn *before,
		     const struct wanted *wanted, const struct insn_operand *from,
		     struct cexpr *ret)
{
	bool lea = from->kind == INSN_OPERAND_MEM && from->base != INSN_NO_REG &&
		   from->index == INSN_NO_REG && !from->absolute && !from->percpu;
	struct wanted source = *wanted;

	source.depth++;
	source.reg = lea ? from->base : from->reg;
	if (from->bits != 64 || (!lea && from->kind != INSN_OPERAND_REG) ||
	    (lea && __builtin_add_overflow(wanted->offset, from->displacement, &source.offset)))
		return -ENOENT;
	return find_register(search, before, &source, ret);
}

/* DIV of %rax, where %rdx is zero. C divides without a sign only where an operand has none. */
static int quotient(struct search *search, const struct operand_insn *at,
		    const struct insn_operand *divisor, int depth, struct cexpr *ret)
{
	const struct wanted upper = {.reg = RDX, .bits = divisor->bits, .depth = depth + 1};
	const struct wanted lower = {.reg = RAX, .bits = divisor->bits, .depth = depth + 1};
	struct cexpr zero, right;
	int err = find_register(search, at, &upper, &zero);

	if (err || !zero.constant || zero.value)
		return err ?: -ENOENT;
	err = find_register(search, at, &lower, ret) ?: arithmetic_fit(ret, divisor->bits);
	err = err ?: operand_value(search, at, divisor, divisor->bits, depth, &right);
	if (err || right.constant ||
	    (right.type.class != CTYPE_UNSIGNED && ret->type.class != CTYPE_UNSIGNED) ||
	    ret->type.bytes * 8 != divisor->bits)
		return err ?: -ENOENT;
	/* What has no sign is as large in more bits. */
	if (right.type.bytes * 8 != divisor->bits &&
	    (right.type.class != CTYPE_UNSIGNED || right.type.bytes * 8 > divisor->bits))
		return -ENOENT;
	return arithmetic_combine(ret, divisor->arithmetic, &right, divisor->bits);
}

/*
 * "mov 0x10(%rbx),%rsi; add $0x10,%rbx": the element that a loop has come to, which is behind what
 * the pointer points to when it is loaded, and what it points to after the step.
 */
static int stepped_to(struct search *search, const struct insn_operand *memory,
		      const struct operand_insn *after, struct cexpr *ret)
{
	struct operand_fact fact = {.kind = OPERAND_FACT_MEMBER, .bytes = memory->bits / 8};
	struct insn_operand step;
	struct variable_code code;
	struct cexpr pointer;

	if (memory->kind != INSN_OPERAND_MEM || memory->base == INSN_NO_REG ||
	    memory->index != INSN_NO_REG || memory->absolute || memory->percpu || after->call ||
	    insn_define(after->bytes, after->len, after->addr, memory->base, 64, &step) !=
		    INSN_DEFINES_ARITHMETIC ||
	    step.arithmetic != '+' || step.kind != INSN_OPERAND_IMM ||
	    __builtin_sub_overflow(memory->displacement, step.value, &fact.offset) ||
	    !value_code_at(search, after->addr + after->len, &code) ||
	    variable_in_register(&code, memory->base, &pointer) ||
	    variable_member(&pointer, fact.offset, fact.bytes, ret, NULL))
		return -ENOENT;
	fact.pointer = pointer.text;
	value_fact(search, fact, ret);
	return 0;
}

static int choice(struct search *search, const struct operand_insn *before,
		  const struct wanted *wanted, const struct insn_operand *from, struct cexpr *ret);

/* The instruction @before defines the register, or it does not: -EAGAIN. @after: executed next */
static int defined_by(struct search *search, const struct operand_insn *before,
		      const struct operand_insn *after, const struct wanted *wanted,
		      struct cexpr *ret)
{
	struct wanted source = {.depth = wanted->depth + 1};
	struct insn_operand from;
	int err;

	switch (insn_define(before->bytes, before->len, before->addr, wanted->reg, wanted->bits,
			    &from)) {
	case INSN_DEFINES_NOT:
		return -EAGAIN;
	case INSN_DEFINES_COPY:
		if (wanted->pointee)
			return base_from(search, before, wanted, &from, ret);
		if (from.kind == INSN_OPERAND_REG) {
			source.reg = from.reg;
			source.bits = from.bits;
			source.decides = wanted->decides && from.bits >= wanted->bits;
			source.any_wider = wanted->any_wider && from.bits >= wanted->bits;
			return find_register(search, before, &source, ret);
		}
		err = operand_value(search, before, &from, from.bits, wanted->depth, ret);
		if (err == -ENOENT)
			err = stepped_to(search, &from, after, ret);
		if (err || (wanted->any_wider && from.bits >= wanted->bits))
			return err;
		return value_narrow(ret, wanted->bits);
	case INSN_DEFINES_ADDRESS:
		if (wanted->pointee)
			return base_from(search, before, wanted, &from, ret);
		return address(search, before, &from, wanted, ret);
	case INSN_DEFINES_ARITHMETIC:
		if (wanted->pointee)
			return -ENOENT;
		if (strchr("/%", from.arithmetic))
			return quotient(search, before, &from, wanted->depth, ret);
		source.reg = wanted->reg;
		source.bits = from.bits > wanted->bits ? from.bits : wanted->bits;
		if (from.arithmetic == '+' && from.kind == INSN_OPERAND_IMM &&
		    !computed(search, before, source.reg, from.value, source.bits, ret))
			return 0;
		return arithmetic(search, before, &source, &from, ret);
	case INSN_DEFINES_CHOICE:
		return wanted->pointee ? -ENOENT : choice(search, before, wanted, &from, ret);
	default:
		return -ENOENT;
	}
}

/*
 * Calls
 */

/* arch/x86/lib/retpoline.S: a call through the register of that name */
static bool is_thunk(const char *name, struct insn_operand *ret)
{
	static const char prefix[] = "__x86_indirect_thunk_";

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	*ret = (struct insn_operand){.kind = INSN_OPERAND_REG, .bits = 64};
	name += sizeof(prefix) - 1;
	/* The array of them begins with that of %rax. */
	while (strcmp(name, "array") != 0 && ret->reg < 16 &&
	       strcmp(name, insn_reg_name(ret->reg) + 1) != 0)
		ret->reg++;
	return ret->reg < 16;
}

static int result_through_pointer(struct search *search, const struct operand_insn *call,
				  const struct insn_operand *through, int depth, struct cexpr *ret)
{
	struct cexpr pointer;

	return operand_value(search, call, through, 64, depth, &pointer)
		       ?: variable_call_through(&pointer, ret);
}

static int result_of_call(struct search *search, const struct operand_insn *call, int depth,
			  struct cexpr *ret)
{
	struct insn_operand through;
	struct variable_code code;
	struct symbol callee;

	if (!call->callee)
		return insn_call_operand(call->bytes, call->len, call->addr, &through)
			       ? result_through_pointer(search, call, &through, depth, ret)
			       : -ENOENT;
	if (!value_code_at(search, call->addr, &code) ||
	    symbols_find(search->way->symbols, call->callee, &callee) ||
	    callee.addr != call->callee)
		return -ENOENT;
	if (is_thunk(callee.name, &through))
		return result_through_pointer(search, call, &through, depth, ret);
	return strstr(callee.name, "thunk") ? -ENOENT : variable_call(&code, callee.name, ret);
}

/* arch/x86/lib/putuser.S: "%ecx is error value" */
static bool is_put_user(struct search *search, const struct operand_insn *call)
{
	struct symbol callee;

	return call->callee && !symbols_find(search->way->symbols, call->callee, &callee) &&
	       callee.addr == call->callee && !strncmp(callee.name, "__put_user_", 11);
}

/*
 * ftrace's call at the start of a function leaves the arguments as they are: Linux,
 * Documentation/trace/ftrace-design.rst, and arch/x86/kernel/ftrace_64.S.
 */
static bool is_fentry(struct search *search, const struct operand_insn *call)
{
	static const char *const names[] = {"__fentry__", "ftrace_caller", "ftrace_regs_caller",
					    "ftrace_trampoline", "bpf_trampoline_"};
	struct symbol callee;

	if (!call->callee || symbols_find(search->way->symbols, call->callee, &callee))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(callee.name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* A store to the slot says what it holds; while RSP moves, nobody follows it. */
static int stored_by(struct search *search, const struct operand_insn *before,
		     const struct wanted *wanted, struct cexpr *ret)
{
	struct insn_dataflow flow;
	struct wanted source = {.bits = wanted->bits, .depth = wanted->depth + 1};

	if (before->call)
		return -EAGAIN;
	if (insn_dataflow(before->bytes, before->len, &flow) || flow.writes & INSN_REG_BIT(RSP) ||
	    (flow.writes_memory && !flow.stored_bytes))
		return -ENOENT;
	if (!flow.writes_memory || flow.stored.base != RSP)
		return -EAGAIN;
	if (!flow.stored.index &&
	    (flow.stored.displacement + (int64_t)flow.stored_bytes <= wanted->offset ||
	     wanted->offset + (int64_t)wanted->bytes <= flow.stored.displacement))
		return -EAGAIN;
	if (flow.stored.index || flow.stored.displacement != wanted->offset ||
	    flow.move != INSN_MOVE_COPY || flow.src == INSN_NO_REG ||
	    flow.stored_bytes != wanted->bytes)
		return -ENOENT;
	source.reg = flow.src;
	return find_register(search, before, &source, ret);
}

/* The value after @before, of which one instruction alone is looked at: -EAGAIN, it is as before.
 */
static int value_after(struct search *search, const struct operand_insn *before,
		       const struct operand_insn *after, const struct wanted *wanted,
		       struct cexpr *ret)
{
	if (wanted->slot)
		return stored_by(search, before, wanted, ret);
	if (!before->call)
		return defined_by(search, before, after, wanted, ret);
	if (is_fentry(search, before))
		return -EAGAIN;
	if (wanted->reg == RAX && !wanted->pointee)
		return result_of_call(search, before, wanted->depth, ret);
	if (wanted->reg == RCX && !wanted->pointee && is_put_user(search, before)) {
		*ret = (struct cexpr){.text = "put_user()",
				      .type = {.class = CTYPE_SIGNED, .bytes = 4}};
		return 0;
	}
	return INSN_CALL_CLOBBERED >> wanted->reg & 1 ? -ENOENT : -EAGAIN;
}

/*
 * Ways
 */

/**
 * struct ways - all ways that lead to a place
 * @pending: where they are followed back from
 * @seen: where they have been
 * @value: what those say that came to an end, @known
 */
struct ways {
	struct operand_insn pending[PENDING_MAX];
	size_t pending_count;
	uint64_t seen[STEPS_MAX];
	size_t seen_count;
	struct cexpr value;
	bool known;
};

static bool was_seen(const struct ways *ways, uint64_t pos)
{
	for (size_t i = 0; i < ways->seen_count; i++)
		if (ways->seen[i] == pos)
			return true;
	return false;
}

/* With this value the decision had gone the other way: the way that leads to it was not taken. */
static bool is_excluded(const struct search *search, const struct wanted *wanted,
			const struct cexpr *value)
{
	struct insn_dataflow flow;
	int taken;

	if (!value->constant || !wanted->decides ||
	    insn_dataflow(search->setter->bytes, search->setter->len, &flow) ||
	    flow.compare == INSN_COMPARE_NONE)
		return false;
	taken = insn_branch_taken(search->branch->bytes, search->branch->len,
				  insn_compare_flags(&flow, (uint64_t)value->value));
	return taken >= 0 && taken != search->taken;
}

/* One name, or both: whichever way was taken, it is true. */
static int join(const struct search *search, struct ways *ways, const struct wanted *wanted,
		const struct cexpr *value)
{
	if (is_excluded(search, wanted, value))
		return 0;
	if (ways->known)
		return alternatives_join(search->way->symbols, &ways->value, value);
	ways->value = *value;
	ways->known = true;
	return 0;
}

/* CMOV: what the register was, or the operand. */
static int choice(struct search *search, const struct operand_insn *before,
		  const struct wanted *wanted, const struct insn_operand *from, struct cexpr *ret)
{
	_cleanup_free_ struct ways *ways = calloc(1, sizeof(*ways));
	struct wanted kept = {.reg = wanted->reg, .bits = from->bits, .depth = wanted->depth + 1};
	struct cexpr value;
	int err;

	if (!ways)
		return -ENOMEM;
	if (from->bits < wanted->bits)
		return -ENOENT;
	err = find_register(search, before, &kept, &value) ?: join(search, ways, wanted, &value);
	err = err ?: operand_value(search, before, from, from->bits, wanted->depth, &value);
	err = err ?: join(search, ways, wanted, &value);
	if (err || !ways->known)
		return err ?: -ENOENT;
	*ret = ways->value;
	return value_narrow(ret, wanted->bits);
}

/* What DWARF says that the register holds before the instruction at @at is executed. */
static int named_register(struct search *search, const struct operand_insn *at,
			  const struct wanted *wanted, struct cexpr *ret)
{
	uint8_t reg = wanted->reg;
	struct variable_code code;
	int err;

	if (!value_code_at(search, at->addr, &code))
		return -ENOENT;
	if (wanted->slot) {
		err = variable_in_memory(&code, RSP, wanted->offset, wanted->bytes, ret);
		if (!err)
			value_fact(search,
				   (struct operand_fact){.kind = OPERAND_FACT_STACK,
							 .reg = RSP,
							 .offset = wanted->offset,
							 .bytes = wanted->bytes},
				   ret);
		return err;
	}
	if (wanted->pointee) {
		err = variable_behind_register(&code, reg, wanted->offset, wanted->bytes, ret);
		if (!err)
			value_fact(search,
				   (struct operand_fact){.kind = OPERAND_FACT_STACK,
							 .reg = reg,
							 .offset = wanted->offset,
							 .bytes = wanted->bytes},
				   ret);
		return err;
	}
	err = variable_in_register(&code, reg, ret);
	if (!err)
		value_fact(search, (struct operand_fact){.kind = OPERAND_FACT_REGISTER, .reg = reg},
			   ret);
	return err;
}

static int follow_one(struct search *search, struct ways *ways, const struct operand_insn *before,
		      const struct operand_insn *after, const struct wanted *wanted)
{
	struct cexpr value;
	int err;

	if (was_seen(ways, before->pos))
		return 0;
	if (search->steps++ >= SEARCH_STEPS_MAX || ways->seen_count == STEPS_MAX)
		return -ENOENT;
	ways->seen[ways->seen_count++] = before->pos;
	err = value_after(search, before, after, wanted, &value);
	if (err == -EAGAIN)
		err = named_register(search, before, wanted, &value) == 0 ? 0 : -EAGAIN;
	if (err == -EAGAIN) {
		if (ways->pending_count == PENDING_MAX)
			return -ENOENT;
		ways->pending[ways->pending_count++] = *before;
		return 0;
	}
	return err ?: join(search, ways, wanted, &value);
}

static int follow_ways(struct search *search, struct ways *ways, const struct wanted *wanted)
{
	while (ways->pending_count) {
		struct operand_insn at = ways->pending[--ways->pending_count];
		struct operand_insn before[OPERAND_WAYS_MAX];
		size_t count = search->way->before(search->way->ctx, &at, before);
		int err = count ? 0 : -ENOENT;

		for (size_t i = 0; !err && i < count; i++)
			err = follow_one(search, ways, &before[i], &at, wanted);
		if (err)
			return err;
	}
	return ways->known ? 0 : -ENOENT;
}

static int find_register(struct search *search, const struct operand_insn *at,
			 const struct wanted *wanted, struct cexpr *ret)
{
	_cleanup_free_ struct ways *ways = NULL;
	int err;

	if (wanted->depth > DEPTH_MAX)
		return -ENOENT;
	err = named_register(search, at, wanted, ret);
	if (err != -ENOENT)
		return err;
	ways = calloc(1, sizeof(*ways));
	if (!ways)
		return -ENOMEM;
	ways->pending[ways->pending_count++] = *at;
	err = follow_ways(search, ways, wanted);
	if (!err)
		*ret = ways->value;
	return err;
}

int value_of_register(struct search *search, const struct operand_insn *at, uint8_t reg,
		      unsigned int bits, bool any_wider, struct cexpr *ret)
{
	const struct wanted wanted = {
		.reg = reg,
		.bits = bits,
		.decides = at->pos == search->setter->pos,
		.any_wider = any_wider,
	};

	return find_register(search, at, &wanted, ret);
}

int value_of_memory(struct search *search, const struct operand_insn *at,
		    const struct insn_operand *memory, uint32_t bytes, struct cexpr *ret,
		    uint32_t *ret_part)
{
	return find_memory(search, at, memory, bytes, 0, ret, ret_part);
}
