// SPDX-License-Identifier: GPL-2.0
#include "why/kept.h"

#include <errno.h>

#include "disasm/insn.h"
#include "disasm/regs.h"

/* A longer way is not looked at: then nothing is said. */
#define STEPS_MAX 256
#define DEPTH_MAX 12

#define RAX 0

/** enum effect - what an instruction does to the register */
enum effect {
	EFFECT_NONE,	/* it still holds the value */
	EFFECT_WRITTEN, /* it is written and not read */
	EFFECT_READ,	/* it is read, or nothing is known */
};

static enum effect call_effect(uint8_t reg)
{
	if (INSN_CALLEE_SAVED >> reg & 1)
		return EFFECT_NONE;
	return INSN_CALL_ARGUMENTS >> reg & 1 ? EFFECT_READ : EFFECT_WRITTEN;
}

static enum effect effect_of(const struct code *code, const struct insn *in, uint8_t reg)
{
	uint8_t bytes[INSN_LEN_MAX], from;
	size_t len = code_read(code, in, bytes);
	uint64_t value;

	if (!len)
		return EFFECT_READ;
	if (in->class == INSN_CALL || in->class == INSN_ICALL)
		return call_effect(reg);
	if (insn_register_read(bytes, len, reg))
		return EFFECT_READ;
	return insn_register_write(bytes, len, reg, &value, &from) == INSN_KEEPS ? EFFECT_NONE
										 : EFFECT_WRITTEN;
}

/**
 * struct walk - @steps, @depth bound it
 * @any: is it lost on any way? Else: on all of them?
 */
struct walk {
	const struct code *code;
	uint8_t reg;
	bool any;
	unsigned int steps;
	unsigned int depth;
};

static bool is_lost(struct walk *walk, uint64_t addr);

static bool is_lost_behind(struct walk *walk, const struct insn *branch)
{
	bool lost;

	if (walk->depth == DEPTH_MAX)
		return false;
	walk->depth++;
	lost = is_lost(walk, branch->target);
	if (lost != walk->any)
		lost = is_lost(walk, branch->addr + branch->len);
	walk->depth--;
	return lost;
}

/* The register is written before anything reads it. */
static bool is_lost(struct walk *walk, uint64_t addr)
{
	while (walk->steps++ < STEPS_MAX) {
		const struct insn *in = code_find(walk->code, addr);
		enum effect effect;

		if (!in)
			return false;
		if (code_never_returns(walk->code, in))
			return false;
		switch (in->class) {
		case INSN_COND:
			return is_lost_behind(walk, in);
		case INSN_JMP:
			addr = in->target;
			continue;
		case INSN_RET:
			return walk->reg != RAX;
		case INSN_OTHER:
		case INSN_CALL:
		case INSN_ICALL:
			effect = effect_of(walk->code, in, walk->reg);
			if (effect != EFFECT_NONE)
				return effect == EFFECT_WRITTEN;
			addr += in->len;
			continue;
		default:
			return false;
		}
	}
	return false;
}

static bool loses(const struct walk *walk, uint64_t addr, bool any)
{
	struct walk from_here = {.code = walk->code, .reg = walk->reg, .any = any};

	return is_lost(&from_here, addr);
}

/* Straight on to a function that does not return: the stack protector's. */
static bool ends(const struct walk *walk, uint64_t addr)
{
	for (int i = 0; i < STEPS_MAX; i++) {
		const struct insn *in = code_find(walk->code, addr);

		if (!in || in->class == INSN_COND || in->class == INSN_RET)
			return false;
		if (code_never_returns(walk->code, in))
			return true;
		addr = in->class == INSN_JMP ? in->target : in->addr + in->len;
	}
	return false;
}

/* Does a branch ask for the value itself? Then it decides nothing. */
static bool asks_for(const struct code *code, const struct insn *branch, uint8_t reg)
{
	const struct insn *in = branch;
	uint8_t bytes[INSN_LEN_MAX];
	size_t len;

	do {
		in = code_above(code, in->addr);
		len = in ? code_read(code, in, bytes) : 0;
		if (!len || insn_register_tested(bytes, len, reg))
			return true;
	} while (!(in->flags_written & branch->flags_read));
	return false;
}

/** enum keeps - which way of a branch keeps the value */
enum keeps { KEEPS_BOTH, KEEPS_TAKEN, KEEPS_NOT_TAKEN };

static enum keeps keeps(const struct walk *walk, const struct insn *in, bool *ret_decides)
{
	uint64_t next = in->addr + in->len;
	bool lost_taken = loses(walk, in->target, false), lost = loses(walk, next, false);

	*ret_decides = true;
	if (lost != lost_taken)
		return lost ? KEEPS_TAKEN : KEEPS_NOT_TAKEN;
	*ret_decides = false;
	if (ends(walk, in->target))
		return KEEPS_NOT_TAKEN;
	return ends(walk, next) ? KEEPS_TAKEN : KEEPS_BOTH;
}

int kept_branches(const struct code *code, const struct insn *site, struct kept_branch *ret,
		  size_t max)
{
	struct walk walk = {.code = code, .reg = site->err_reg};
	uint64_t row = site->addr, addr = site->addr + site->len;
	size_t count = 0;

	if (!site->err || site->err_reg > 15 ||
	    site->flags & (INSN_F_ERR_MAYBE | INSN_F_ERR_MASK | INSN_F_ERR_MEM))
		return 0;
	while (walk.steps++ < STEPS_MAX) {
		const struct insn *in = code_find(code, addr);
		bool decides;
		enum keeps way;

		if (!in)
			break;
		if (in->class == INSN_JMP) {
			row = addr = in->target;
			continue;
		}
		if (in->class != INSN_COND) {
			if (!code_goes_on(in) || effect_of(code, in, walk.reg) != EFFECT_NONE)
				break;
			addr += in->len;
			continue;
		}
		way = keeps(&walk, in, &decides);
		if (way == KEEPS_BOTH || asks_for(code, in, walk.reg))
			break;
		if (decides && count < max)
			ret[count] = (struct kept_branch){
				.addr = in->addr, .row = row, .taken = way == KEEPS_TAKEN};
		count += decides;
		if (way == KEEPS_TAKEN)
			row = in->target;
		addr = way == KEEPS_TAKEN ? in->target : in->addr + in->len;
	}
	if (count > max || loses(&walk, addr, true))
		return -ENOENT;
	return (int)count;
}
