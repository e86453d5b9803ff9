// SPDX-License-Identifier: GPL-2.0
#include "cfg/kept.h"

#include <errno.h>

#include "cfg/errno_must_return.h"
#include "cfg/rejoin.h"
#include "cfg/walk.h"
#include "disasm/dataflow.h"
#include "disasm/insn.h"
#include "disasm/regs.h"

/* A longer way is not looked at: then nothing is said. */
#define STEPS_MAX 256

#define RAX 0

static enum kept_effect call_effect(uint8_t reg)
{
	if (INSN_CALLEE_SAVED >> reg & 1)
		return KEPT_AS_IS;
	return INSN_CALL_ARGUMENTS >> reg & 1 ? KEPT_READ : KEPT_WRITTEN;
}

enum kept_effect kept_effect(const struct code *code, const struct insn *in, uint8_t reg)
{
	const uint8_t *bytes = code_bytes(code, in);
	uint64_t value;
	uint8_t from;

	if (in->class == INSN_CALL || in->class == INSN_ICALL)
		return call_effect(reg);
	if (insn_register_read(bytes, in->len, reg))
		return KEPT_READ;
	return insn_register_write(bytes, in->len, reg, &value, &from) == INSN_KEEPS ? KEPT_AS_IS
										     : KEPT_WRITTEN;
}

/* What sets the flags of @branch, if nothing leads in between, nor loads @reg there. */
static const struct insn *setter_of(const struct code *code, const struct insn *branch, uint8_t reg)
{
	const struct insn *in = branch;

	while (!code_jump_to(code, in->addr, NULL)) {
		in = code_above(code, in->addr);
		if (!in || in->flags_written & branch->flags_read)
			return in;
		if (kept_effect(code, in, reg) != KEPT_AS_IS)
			return NULL;
	}
	return NULL;
}

int kept_way(const struct code *code, const struct insn *branch, uint8_t reg, uint16_t err)
{
	const struct insn *setter = setter_of(code, branch, reg);
	struct insn_dataflow flow;

	if (!setter || insn_dataflow(code_bytes(code, setter), setter->len, &flow) ||
	    flow.compare == INSN_COMPARE_NONE || flow.compared != reg || flow.compare_bits != 32)
		return -1;
	return insn_branch_taken(code_bytes(code, branch), branch->len,
				 insn_compare_flags(&flow, (uint32_t)-err));
}

/** struct question - is @err in @reg lost on @any way? Else: on all of them? */
struct question {
	const struct code *code;
	uint16_t err;
	uint8_t reg;
	bool any;
};

static unsigned int answer(const struct question *question, bool lost)
{
	return lost == question->any ? WALK_STOP : 0;
}

/* What a branch asks of it behind a comparison, kept_way() knows. */
static enum kept_effect effect_on_way(const struct question *question, const struct insn *in)
{
	enum kept_effect effect = kept_effect(question->code, in, question->reg);

	if (effect == KEPT_READ &&
	    insn_register_tested(code_bytes(question->code, in), in->len, question->reg))
		return KEPT_AS_IS;
	return effect;
}

static unsigned int step(void *ctx, const struct insn *in, const uint8_t *bytes, void *state)
{
	const struct question *question = ctx;
	enum kept_effect effect;
	int taken;

	if (in->class == INSN_COND) {
		taken = kept_way(question->code, in, question->reg, question->err);
		return taken < 0 ? WALK_ALL : taken ? WALK_TARGET : WALK_NEXT;
	}
	if (!insn_goes_on(in->class))
		return answer(question, false);
	effect = effect_on_way(question, in);
	return effect == KEPT_AS_IS ? WALK_NEXT : answer(question, effect == KEPT_WRITTEN);
}

static unsigned int leave(void *ctx, enum leave how, const void *state)
{
	const struct question *question = ctx;

	return answer(question, how == LEAVE_RETURN && question->reg != RAX);
}

/* The register is written before anything reads it. */
static bool loses(const struct question *question, uint64_t addr, bool any)
{
	struct question from_here = *question;
	const struct walk walk = {
		.text = walk_text_of(question->code),
		.step = step,
		.leave = leave,
		/* A loop may never end: on all ways from there nothing is certain. */
		.each_way = !any,
		.ctx = &from_here,
		.steps_max = STEPS_MAX,
	};

	from_here.any = any;
	return walk_from(&walk, addr, NULL) == (any ? WALKED_STOPPED : WALKED_ALL);
}

bool kept_ends(const struct code *code, uint64_t addr)
{
	for (int i = 0; i < STEPS_MAX; i++) {
		const struct insn *in = code_find(code, addr);

		if (!in || in->class == INSN_COND || in->class == INSN_RET)
			return false;
		if (code_never_returns(code, in))
			return true;
		addr = in->class == INSN_JMP ? in->target : in->addr + in->len;
	}
	return false;
}

/* Does a branch ask for the value itself? Then it decides nothing. */
static bool asks_for(const struct code *code, const struct insn *branch, uint8_t reg)
{
	const struct insn *in = branch;

	do {
		in = code_above(code, in->addr);
		if (!in || insn_register_tested(code_bytes(code, in), in->len, reg))
			return true;
	} while (!(in->flags_written & branch->flags_read));
	return false;
}

/** enum keeps - which way of a branch keeps the value */
enum keeps { KEEPS_BOTH, KEEPS_TAKEN, KEEPS_NOT_TAKEN };

static enum keeps keeps(const struct question *question, const struct insn *in, bool *ret_decides)
{
	uint64_t next = in->addr + in->len;
	bool lost_taken = loses(question, in->target, false), lost = loses(question, next, false);

	*ret_decides = true;
	if (lost != lost_taken)
		return lost ? KEEPS_TAKEN : KEEPS_NOT_TAKEN;
	*ret_decides = false;
	if (kept_ends(question->code, in->target))
		return KEEPS_NOT_TAKEN;
	return kept_ends(question->code, next) ? KEEPS_TAKEN : KEEPS_BOTH;
}

static bool loads(const struct insn *in, uint16_t err)
{
	return in->err == err && insn_loads_errno(in);
}

/*
 * "return ERR_PTR(err)" has the errno in two registers: what one side of a branch loses in one of
 * them, it returns from the other. Then the branches behind it decide nothing.
 */
static bool is_returned_of_two(const struct code *code, const struct insn *site)
{
	const struct insn *above = code_above(code, site->addr);
	const struct insn *below = code_find(code, site->addr + site->len);
	const struct insn *first = site, *second = below;

	if (above && loads(above, site->err)) {
		first = above;
		second = site;
	}
	return second && loads(second, site->err) && first->err_reg != second->err_reg &&
	       !code_jump_to(code, second->addr, NULL) &&
	       errno_pair_must_return(code, second->addr + second->len, first->err_reg,
				      second->err_reg, site->err);
}

/*
 * A call takes the register, so "dput(dentry); return -EMLINK" loads the errno once more on one
 * side of a branch: straight on from @other, whence it is returned, or where all ways from @kept
 * come to as well. Had the branch gone there, the function had failed with the same.
 */
static bool fails_alike(const struct code *code, const struct insn *site, uint64_t kept,
			uint64_t other)
{
	bool loaded = false;

	for (int i = 0; i < REJOIN_STEPS_MAX; i++) {
		const struct insn *in = code_find(code, other);

		if (!in || (in->class != INSN_JMP && !insn_goes_on(in->class)) ||
		    in->class == INSN_COND || code_never_returns(code, in))
			return false;
		if (loaded && code_jump_to(code, other, NULL) && rejoin_all_ways(code, kept, other))
			return true;
		other = in->class == INSN_JMP ? in->target : in->addr + in->len;
		if (loads(in, site->err)) {
			if (errno_must_return_from(code, other, in->err_reg, site->err))
				return true;
			loaded |= in->err_reg == site->err_reg;
		} else if (loaded && in->class != INSN_JMP &&
			   kept_effect(code, in, site->err_reg) != KEPT_AS_IS) {
			return false;
		}
	}
	return false;
}

/* @alike: branches whose other side fails alike count, too. */
static int find_kept(const struct code *code, const struct insn *site, bool alike,
		     struct kept_branch *ret, size_t max)
{
	const struct question question = {.code = code, .err = site->err, .reg = site->err_reg};
	uint64_t row = site->addr, addr = site->addr + site->len;
	size_t count = 0;

	if (!insn_loads_errno(site) || is_returned_of_two(code, site) ||
	    (!alike && errno_must_return_from(code, addr, site->err_reg, site->err)))
		return 0;
	for (int steps = 0; steps < STEPS_MAX; steps++) {
		const struct insn *in = code_find(code, addr);
		uint64_t next;
		bool decides;
		enum keeps way;
		int known;

		if (!in)
			break;
		if (in->class == INSN_JMP) {
			row = addr = in->target;
			continue;
		}
		if (in->class != INSN_COND) {
			if (!insn_goes_on(in->class) || effect_on_way(&question, in) != KEPT_AS_IS)
				break;
			addr += in->len;
			continue;
		}
		known = kept_way(code, in, question.reg, question.err);
		if (known >= 0) {
			addr = known ? in->target : in->addr + in->len;
			row = known ? addr : row;
			continue;
		}
		way = keeps(&question, in, &decides);
		if (way == KEEPS_BOTH || asks_for(code, in, question.reg))
			break;
		next = in->addr + in->len;
		if (decides && !alike)
			decides = way == KEEPS_TAKEN ? !fails_alike(code, site, in->target, next)
						     : !fails_alike(code, site, next, in->target);
		if (decides && count < max)
			ret[count] = (struct kept_branch){
				.addr = in->addr, .row = row, .taken = way == KEEPS_TAKEN};
		count += decides;
		if (way == KEEPS_TAKEN)
			row = in->target;
		addr = way == KEEPS_TAKEN ? in->target : next;
	}
	if (count > max || loses(&question, addr, true))
		return -ENOENT;
	return (int)count;
}

int kept_branches(const struct code *code, const struct insn *site, struct kept_branch *ret,
		  size_t max)
{
	return find_kept(code, site, false, ret, max);
}

int kept_branches_alike(const struct code *code, const struct insn *site, struct kept_branch *ret,
			size_t max)
{
	return find_kept(code, site, true, ret, max);
}
