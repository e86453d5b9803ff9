// SPDX-License-Identifier: GPL-2.0
#include "path/constant_flow.h"

#include "cfg/walk.h"
#include "disasm/fetch.h"
#include "disasm/regs.h"

/* Instructions looked at on the side of a decision that was not taken. */
#define SIDE_INSNS_MAX 96

#define RAX 0

static bool is_call_clobbered(uint8_t reg)
{
	return INSN_CALL_CLOBBERED >> reg & 1;
}

static bool is_argument(uint8_t reg)
{
	return INSN_CALL_ARGUMENTS >> reg & 1;
}

/* A constant, and where it is. */
struct constant {
	uint8_t reg; /* INSN_NO_REG: in memory */
	int32_t value;
};

static struct constant constant_loaded(const struct path_insn *pi)
{
	struct constant c = {INSN_NO_REG, -pi->err};
	struct insn in;

	if (!insn_decode(pi->bytes, pi->len, pi->addr, &in) && !(in.flags & INSN_F_ERR_MEM))
		c.reg = in.err_reg;
	return c;
}

static struct constant constant_of(const struct path *path, uint32_t insn)
{
	return constant_loaded(&path->insns[insn]);
}

/* Is @block of the very call that @of is of? All between them is known to be no shallower. */
static bool same_frame(const struct path_block *block, const struct path_block *of)
{
	return !block->gap && !block->tracing && block->depth == of->depth &&
	       block->interrupt == of->interrupt;
}

static bool is_call(const struct path_block *block)
{
	return block->ends == PATH_END_BRANCH &&
	       (block->end_class == INSN_CALL || block->end_class == INSN_ICALL);
}

/* What an instruction does to the constant. */
enum effect {
	EFFECT_NONE,
	EFFECT_READ, /* it may be elsewhere, too, from now on */
	EFFECT_SAME, /* loads the same */
	EFFECT_LOST,
};

static enum effect effect_of(const void *bytes, size_t len, const struct constant *c)
{
	uint64_t value;
	uint8_t from;

	if (c->reg == INSN_NO_REG)
		return EFFECT_NONE;
	if (insn_register_read(bytes, len, c->reg))
		return EFFECT_READ;
	switch (insn_register_write(bytes, len, c->reg, &value, &from)) {
	case INSN_KEEPS:
		return EFFECT_NONE;
	case INSN_SETS:
		return (int32_t)value == c->value ? EFFECT_SAME : EFFECT_LOST;
	default:
		return EFFECT_LOST;
	}
}

/*
 * The way that ran
 */

/* How far the constant is sure to be in its register: an end of the instructions after @insn. */
struct stay {
	uint32_t end; /* index into path->insns of the first after that */
	bool lost;    /* and there it is nowhere any more */
};

static bool stay_ends(const struct path *path, uint32_t i, const struct constant *c,
		      struct stay *stay)
{
	enum effect effect = effect_of(path->insns[i].bytes, path->insns[i].len, c);

	stay->end = i;
	stay->lost = effect == EFFECT_LOST;
	return effect != EFFECT_NONE;
}

static bool block_ends_stay(const struct path_block *block, const struct constant *c,
			    struct stay *stay)
{
	stay->end = block->first_insn + block->insn_count;
	stay->lost = false;
	if (block->ends == PATH_END_UNKNOWN || block->ends == PATH_END_LBR_OFF)
		return true;
	/* Functions in assembly have rules of their own, about %rax, too. */
	if (is_call(block) && c->reg != INSN_NO_REG && is_call_clobbered(c->reg))
		return true;
	if (block->ends == PATH_END_BRANCH && block->end_class == INSN_RET) {
		stay->lost = c->reg != RAX && c->reg != INSN_NO_REG;
		return true;
	}
	return false;
}

static struct stay stay_of(const struct path *path, uint32_t insn, uint32_t block,
			   const struct constant *c)
{
	struct stay stay = {.end = path->insn_count};

	for (uint32_t b = block; b < path->block_count; b++) {
		const struct path_block *pb = &path->blocks[b];
		uint32_t i = b == block ? insn + 1 : pb->first_insn;

		if (pb->tracing || pb->interrupt > path->blocks[block].interrupt)
			continue;
		if (pb->gap || pb->depth < path->blocks[block].depth) {
			stay.end = pb->first_insn;
			break;
		}
		if (!same_frame(pb, &path->blocks[block]))
			continue;
		for (; i < pb->first_insn + pb->insn_count; i++)
			if (stay_ends(path, i, c, &stay))
				return stay;
		if (block_ends_stay(pb, c, &stay))
			return stay;
		stay = (struct stay){.end = path->insn_count};
	}
	return stay;
}

bool path_constant_lost(const struct path *path, uint32_t insn, uint32_t block)
{
	struct constant c = constant_of(path, insn);

	return c.reg != INSN_NO_REG && stay_of(path, insn, block, &c).lost;
}

/*
 * The way that did not run
 */

enum side {
	SIDE_SAME,    /* all ways come to what ran after the decision */
	SIDE_WRITES,  /* one way writes the register first */
	SIDE_UNKNOWN, /* neither is certain */
};

/**
 * struct explorer - what is asked of the way that did not run
 * @decision: whose other side it is; NULL: what comes after the trigger's instruction
 * @bytes: of the instruction looked at
 * @writes: the register is written on some way
 * @unknown: what becomes of it on some way is not certain
 */
struct explorer {
	const struct path *path;
	const struct path_decision *decision;
	const struct constant *constant;
	uint8_t bytes[INSN_LEN_MAX];
	bool writes;
	bool unknown;
};

static bool ran_after(const struct explorer *e, uint64_t addr)
{
	const struct path *path = e->path;
	const struct path_block *of;

	if (!e->decision)
		return false;
	of = &path->blocks[e->decision->block];
	for (uint32_t b = e->decision->block; b < path->block_count; b++) {
		const struct path_block *block = &path->blocks[b];

		if (!same_frame(block, of) || addr < block->start || addr >= block->end)
			continue;
		for (uint32_t i = 0; i < block->insn_count; i++)
			if (block->first_insn + i > e->decision->insn &&
			    path->insns[block->first_insn + i].addr == addr)
				return true;
	}
	return false;
}

/* What becomes of a register in another function, behind a tail call, is not looked at. */
static bool inside(void *ctx, uint64_t addr)
{
	const struct explorer *e = ctx;
	const struct path_options *opts = &e->path->opts;
	uint64_t home = e->decision ? e->decision->addr : e->path->trigger_insn.addr;

	if (opts->place && opts->place(opts->place_ctx, addr) == PLACE_RETURN_THUNK)
		return false;
	return !opts->same_function || opts->same_function(opts->place_ctx, home, addr);
}

static int fetch(void *ctx, uint64_t addr, struct insn *ret, const uint8_t **ret_bytes)
{
	struct explorer *e = ctx;

	*ret_bytes = e->bytes;
	return insn_fetch(e->path->text, addr, e->bytes, ret);
}

/* Does a call at the end of a function never come back? What stands behind it is no code of it. */
static bool returns_never(struct explorer *e, const struct insn *call)
{
	uint64_t after = call->addr + call->len;
	uint8_t bytes[INSN_LEN_MAX];
	struct insn in;

	if (!inside(e, after) || insn_fetch(e->path->text, after, bytes, &in))
		return true;
	return (in.flags & (INSN_F_NOP | INSN_F_INT3 | INSN_F_ENDBR)) || in.class == INSN_UD ||
	       (in.class == INSN_CALL && !(after % 16));
}

/* Past a call: what becomes of a register there. */
static enum effect call_effect(struct explorer *e, const struct insn *call)
{
	uint8_t reg = e->constant->reg;

	if (returns_never(e, call) || (reg != INSN_NO_REG && is_argument(reg)))
		return EFFECT_READ;
	if (reg == INSN_NO_REG || !is_call_clobbered(reg))
		return EFFECT_NONE;
	/* Who calls a function in assembly may count on its sparing %rax: see block_ends_stay(). */
	return e->decision ? EFFECT_LOST : EFFECT_READ;
}

static unsigned int step(void *ctx, const struct insn *in, const uint8_t *bytes, void *state)
{
	struct explorer *e = ctx;
	enum effect effect = EFFECT_READ;

	if (ran_after(e, in->addr))
		return 0;
	if (in->class == INSN_COND)
		return WALK_ALL;
	if (in->class == INSN_CALL || in->class == INSN_ICALL) {
		effect = call_effect(e, in);
	} else if (in->class == INSN_OTHER) {
		effect = effect_of(bytes, in->len, e->constant);
		/* What a function preserves it takes back at its end. */
		if (effect == EFFECT_LOST && insn_is_pop(bytes, in->len))
			effect = EFFECT_READ;
	}
	e->unknown |= effect == EFFECT_READ;
	e->writes |= effect == EFFECT_LOST;
	if (effect == EFFECT_LOST)
		return WALK_STOP;
	return effect == EFFECT_NONE ? WALK_NEXT : 0;
}

static unsigned int leave(void *ctx, enum leave how, const void *state)
{
	struct explorer *e = ctx;

	e->unknown |= how != LEAVE_RETURN || e->constant->reg != RAX;
	return 0;
}

static enum side explore(struct explorer *e, uint64_t from)
{
	const struct path_options *opts = &e->path->opts;
	const struct walk walk = {
		.text = {.fetch = fetch,
			 .inside = inside,
			 .ctx = e,
			 .place = opts->place,
			 .place_ctx = opts->place_ctx},
		.step = step,
		.leave = leave,
		.ctx = e,
		.steps_max = SIDE_INSNS_MAX,
	};

	if (walk_from(&walk, from, NULL) == WALKED_IN_PART)
		return SIDE_UNKNOWN;
	if (e->writes)
		return SIDE_WRITES;
	return e->unknown ? SIDE_UNKNOWN : SIDE_SAME;
}

static enum side other_side(const struct path *path, uint32_t decision, const struct constant *c)
{
	const struct path_decision *d = &path->decisions[decision];
	struct explorer e = {.path = path, .decision = d, .constant = c};

	return explore(&e, d->taken ? d->addr + path->insns[d->insn].len : d->target);
}

bool path_trigger_in_case(const struct path *path)
{
	const struct path_insn *in = &path->trigger_insn;
	struct constant c;
	struct explorer e = {.path = path, .constant = &c};

	if (!path->has_trigger_insn || !path->text || !path->text->read)
		return false;
	c = constant_loaded(in);
	return c.reg != INSN_NO_REG && explore(&e, in->addr + in->len) == SIDE_WRITES;
}

/* "if (err) return err;": while the register holds the constant, that it does decides nothing. */
static bool asks_for_constant(const struct path *path, const struct path_decision *d, uint32_t insn,
			      const struct constant *c)
{
	const struct path_insn *setter;

	if (d->setter == PATH_NONE || d->setter <= insn)
		return false;
	setter = &path->insns[d->setter];
	return insn_register_tested(setter->bytes, setter->len, c->reg);
}

uint32_t path_decided_after(const struct path *path, uint32_t insn, uint32_t block)
{
	struct constant c = constant_of(path, insn);
	struct stay stay;

	if (c.reg == INSN_NO_REG || !path->text || !path->text->read)
		return PATH_NONE;
	stay = stay_of(path, insn, block, &c);
	for (uint32_t i = path->decision_count; i > 0; i--) {
		const struct path_decision *d = &path->decisions[i - 1];

		if (d->insn <= insn)
			break;
		if (d->insn < stay.end && !asks_for_constant(path, d, insn, &c) &&
		    same_frame(&path->blocks[d->block], &path->blocks[block]) &&
		    other_side(path, i - 1, &c) == SIDE_WRITES)
			return i - 1;
	}
	return PATH_NONE;
}

bool path_decision_idle(const struct path *path, uint32_t decision, uint32_t insn)
{
	struct constant c = constant_of(path, insn);

	return path->text && path->text->read && other_side(path, decision, &c) == SIDE_SAME;
}
