// SPDX-License-Identifier: GPL-2.0
#include "cfg/errno_must_return.h"

#include "cfg/kept.h"
#include "cfg/walk.h"
#include "disasm/insn.h"
#include "disasm/regs.h"

#define STEPS_MAX 20000

/**
 * struct holders - registers that hold the constant
 * @low: bit n: the lower half of register n
 * @whole: bit n: all 64 bits; a subset of @low
 */
struct holders {
	uint16_t low;
	uint16_t whole;
};

/**
 * struct question - does the constant reach the function's result?
 * @err: the errno, positive
 * @again: instructions that load it once more count
 */
struct question {
	const struct code *code;
	uint16_t err;
	bool wide;
	bool again;
};

static bool returns_it(const struct question *question, struct holders held)
{
	return (question->wide ? held.whole : held.low) & 1u << INSN_REG_RAX;
}

static void hold(struct holders *held, unsigned int reg, bool whole)
{
	held->low |= 1u << reg;
	if (whole)
		held->whole |= 1u << reg;
}

/* What an instruction that is no branch leaves of the constant. */
static void apply(const struct question *question, const struct insn *in,
		  const struct insn_regs *regs, struct holders *held)
{
	bool low = false, whole = false;

	if (regs->move) {
		low = held->low & 1u << regs->src;
		whole = regs->to_bits == 64 &&
			(regs->from_bits == 32 ? low : (held->whole & 1u << regs->src) != 0);
	}
	held->low &= ~regs->written;
	held->whole &= ~regs->written;
	if (low)
		hold(held, regs->dst, whole);
	if (question->again && in->err == question->err && insn_loads_errno(in))
		hold(held, in->err_reg, regs->dst_bits == 64);
}

/* A branch that asks for the constant itself goes one way only. */
static unsigned int ways_of(const struct question *question, const struct insn *branch,
			    const struct holders *held)
{
	for (uint8_t reg = 0; reg < 16; reg++) {
		int taken = held->low >> reg & 1
				    ? kept_way(question->code, branch, reg, question->err)
				    : -1;

		if (taken >= 0)
			return taken ? WALK_TARGET : WALK_NEXT;
	}
	return WALK_ALL;
}

static unsigned int step(void *ctx, const struct insn *in, const uint8_t *bytes, void *state)
{
	const struct question *question = ctx;
	struct holders *held = state;
	struct insn_regs regs;

	switch (in->class) {
	case INSN_COND:
		return ways_of(question, in, held);
	case INSN_CALL:
	case INSN_ICALL:
		held->low &= INSN_CALLEE_SAVED;
		held->whole &= INSN_CALLEE_SAVED;
		break;
	case INSN_OTHER:
	case INSN_UD: /* WARN: the handler goes on behind it */
		if (insn_regs_decode(bytes, in->len, &regs))
			return WALK_STOP;
		apply(question, in, &regs, held);
		break;
	default:
		return WALK_STOP;
	}
	return held->low ? WALK_ALL : WALK_STOP;
}

static unsigned int leave(void *ctx, enum leave how, const void *state)
{
	switch (how) {
	case LEAVE_RETURN:
		return returns_it(ctx, *(const struct holders *)state) ? 0 : WALK_STOP;
	case LEAVE_NO_RETURN: /* The stack protector's check: nothing is returned there. */
		return 0;
	default:
		return WALK_STOP;
	}
}

/* What holds it on both ways. */
static bool join(void *known, const void *state)
{
	const struct holders *more = state;
	struct holders *held = known, before = *held;

	held->low &= more->low;
	held->whole &= more->whole;
	return held->low != before.low || held->whole != before.whole;
}

static bool all_return(const struct question *question, uint64_t addr, struct holders held)
{
	const struct walk walk = {
		.text = walk_text_of(question->code),
		.state_size = sizeof(struct holders),
		.join = join,
		.step = step,
		.leave = leave,
		.ctx = (void *)question,
		.steps_max = STEPS_MAX,
	};

	return !question->code->truncated && !question->code->breakpoint &&
	       walk_from(&walk, addr, &held) == WALKED_ALL;
}

bool errno_site_certain(const struct code *code, const struct errno_site *site, bool wide)
{
	const struct question question = {
		.code = code, .err = site->err, .wide = wide, .again = true};

	/* The site's own instruction is executed as any other: nothing holds before it. */
	return !site->uncertain && site->reg <= 15 &&
	       all_return(&question, site->addr, (struct holders){});
}

bool errno_must_return_from(const struct code *code, uint64_t addr, uint8_t reg, uint16_t err)
{
	const struct question question = {.code = code, .err = err, .again = true};
	struct holders held = {};

	hold(&held, reg & 15, false);
	return all_return(&question, addr, held);
}

bool errno_pair_must_return(const struct code *code, uint64_t addr, uint8_t one, uint8_t other,
			    uint16_t err)
{
	const struct question question = {.code = code, .err = err};
	struct holders held = {};

	hold(&held, one & 15, false);
	hold(&held, other & 15, false);
	return all_return(&question, addr, held);
}
