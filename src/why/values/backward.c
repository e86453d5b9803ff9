// SPDX-License-Identifier: GPL-2.0
#include "why/values/backward.h"

#include <errno.h>
#include <string.h>

#include "disasm/dataflow.h"
#include "disasm/operand.h"
#include "disasm/regs.h"
#include "snapshot/snapshot.h"
#include "util/cleanup.h"

/* Instructions between a load and what is asked of the value. */
#define LOAD_STEPS_MAX 64
/* Pointers that are followed: "a->b->c->d". */
#define POINTERS_MAX 3

unsigned int register_of_cpu(unsigned int reg)
{
	static const uint8_t of[] = {
		PTREG_AX,  PTREG_CX,  PTREG_DX,	 PTREG_BX,  PTREG_SP,  PTREG_BP,
		PTREG_SI,  PTREG_DI,  PTREG_R8,	 PTREG_R9,  PTREG_R10, PTREG_R11,
		PTREG_R12, PTREG_R13, PTREG_R14, PTREG_R15,
	};

	_Static_assert(ARRAY_SIZE(of) == 16, "one each");
	return of[reg & 15];
}

uint8_t register_number(unsigned int index)
{
	uint8_t reg = 0;

	while (reg < 15 && register_of_cpu(reg) != index)
		reg++;
	return reg;
}

const struct insn *backward_only(const struct code *code, uint64_t addr, bool *ret_taken)
{
	const struct insn *above = code_above(code, addr);
	const struct insn *jump = code_jump_to(code, addr, NULL);

	*ret_taken = jump != NULL;
	if ((jump && (above || code_jump_to(code, addr, jump))) || code_is_fixup(code, addr))
		return NULL;
	return jump ?: above;
}

/* A function called keeps the registers that the ABI has it keep: psABI, figure 3.4. */
void backward_note(struct backward *back, const struct insn *in)
{
	const uint8_t *bytes = code_bytes(back->code, in);
	struct insn_dataflow flow;
	uint64_t value;
	uint8_t from;

	if (in->class == INSN_CALL || in->class == INSN_ICALL) {
		back->written |= INSN_CALL_CLOBBERED | BACKWARD_MEMORY;
		return;
	}
	for (uint8_t reg = 0; reg < 16; reg++)
		if (insn_register_write(bytes, in->len, reg, &value, &from) != INSN_KEEPS)
			back->written |= 1u << reg;
	if (insn_dataflow(bytes, in->len, &flow) || flow.writes_memory)
		back->written |= BACKWARD_MEMORY;
}

bool backward_in_row(const struct backward *back, uint64_t addr)
{
	return back->from && back->from < addr && addr <= back->until;
}

const struct insn *backward_executed(const struct backward *back, uint64_t addr)
{
	bool taken;

	return backward_in_row(back, addr) ? code_above(back->code, addr)
					   : backward_only(back->code, addr, &taken);
}

void backward_operand(const struct backward *back, const struct insn *in, struct operand_insn *ret)
{
	*ret = (struct operand_insn){
		.pos = in->addr,
		.addr = in->addr,
		.callee = in->class == INSN_CALL ? in->target : 0,
		.call = in->class == INSN_CALL || in->class == INSN_ICALL,
	};
	ret->len = in->len;
	memcpy(ret->bytes, code_bytes(back->code, in), in->len);
}

/**
 * struct held - where a value is, seen from where the way back began
 * @read: number of the read that gives it; -1: register @reg holds it
 * @add: to be added to that
 */
struct held {
	int read;
	uint8_t reg;
	int64_t add;
	struct value_then then;
};

static int find_memory(struct backward back, const struct insn *at,
		       const struct insn_operand *memory, int depth, struct held *ret);

/* The value of the lowest @bits of @reg before @at, which has been noted. */
static int find_register(struct backward back, const struct insn *at, uint8_t reg,
			 unsigned int bits, int depth, struct held *ret)
{
	struct held held = {.read = -1, .then.bits = (uint8_t)bits};

	for (int step = 0; back.written >> reg & 1; step++) {
		struct insn_operand from;
		struct operand_insn in;
		int err;

		at = step < LOAD_STEPS_MAX ? backward_executed(&back, at->addr) : NULL;
		if (!at)
			return -ENOENT;
		backward_operand(&back, at, &in);
		backward_note(&back, at);
		if (in.call && INSN_CALL_CLOBBERED >> reg & 1)
			return -ENOENT;
		switch (insn_define(in.bytes, in.len, in.addr, reg, held.then.bits, &from)) {
		case INSN_DEFINES_NOT:
			continue;
		case INSN_DEFINES_COPY:
			/* Whether the sign is extended is of interest only below zero. */
			if (from.bits < held.then.bits && !held.add)
				held.then.bits = from.bits;
			else if (from.bits < held.then.bits)
				return -ENOENT;
			if (from.kind == INSN_OPERAND_MEM) {
				from.bits = held.then.bits;
				err = find_memory(back, at, &from, depth, ret);
				ret->add = held.add;
				return err;
			}
			if (from.kind != INSN_OPERAND_REG)
				return -ENOENT;
			reg = from.reg;
			continue;
		case INSN_DEFINES_ADDRESS:
			if (held.then.bits != 64 || from.base == INSN_NO_REG ||
			    from.index != INSN_NO_REG || from.absolute || from.percpu)
				return -ENOENT;
			held.add += from.displacement;
			reg = from.base;
			continue;
		default:
			return -ENOENT;
		}
	}
	held.reg = reg;
	*ret = held;
	return 0;
}

static int find_memory(struct backward back, const struct insn *at,
		       const struct insn_operand *memory, int depth, struct held *ret)
{
	struct why_read read = {.bytes = memory->bits / 8, .offset = memory->displacement};
	struct held pointer = {};
	bool known;
	int err;

	if (depth > POINTERS_MAX || memory->index != INSN_NO_REG || memory->percpu || !read.bytes ||
	    read.bytes > 8)
		return -ENOENT;
	if (memory->absolute) {
		read.from = WHY_FROM_NOWHERE;
	} else if (memory->base == INSN_NO_REG) {
		return -ENOENT;
	} else {
		err = find_register(back, at, memory->base, 64, depth + 1, &pointer);
		if (err)
			return err;
		/* A part of a register, extended to an address: the rest of it is not. */
		if (pointer.then.bits < 64)
			return -ENOENT;
		read.offset += pointer.add;
		read.from = pointer.read < 0 ? (uint8_t)register_of_cpu(pointer.reg)
					     : (uint8_t)(WHY_FROM_READ + pointer.read);
	}
	*ret = (struct held){.then = {.bits = memory->bits,
				      .later = pointer.then.later || back.written & BACKWARD_MEMORY,
				      .shared = read.from != PTREG_SP}};
	ret->read = state_read(back.state, &read, &ret->then.value, &known);
	return ret->read < 0 ? ret->read : 0;
}

int backward_value(const struct backward *back, const struct insn *at,
		   const struct insn_operand *operand, struct value_then *ret)
{
	const struct why_state *state = back->state;
	struct held held;
	int err = -ENOENT;

	if (!state)
		return -ENOENT;
	if (operand->kind == INSN_OPERAND_REG)
		err = find_register(*back, at, operand->reg, operand->bits, 0, &held);
	else if (operand->kind == INSN_OPERAND_MEM)
		err = find_memory(*back, at, operand, 0, &held);
	if (err)
		return err;
	if (held.read < 0 && !state->regs)
		return -ENOENT;
	if (held.read < 0)
		held.then.value = state->regs[register_of_cpu(held.reg)];
	else if (state->wanted || !(state->hit->read >> held.read & 1))
		return -ENOENT;
	held.then.value += (uint64_t)held.add;
	if (held.then.bits < 64)
		held.then.value &= (1ull << held.then.bits) - 1;
	*ret = held.then;
	return 0;
}
