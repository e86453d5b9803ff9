// SPDX-License-Identifier: GPL-2.0
#include "path/constant_flow.h"

#include <string.h>

#include "disasm/regs.h"
#include "util/cleanup.h"

/* Instructions looked at on the side of a decision that was not taken, and ways that fork there. */
#define SIDE_INSNS_MAX 96
#define SIDE_FORKS_MAX 16

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

/* @decision: whose other side it is; NULL: what comes after the trigger's instruction. */
struct explorer {
	const struct path *path;
	const struct path_decision *decision;
	const struct constant *constant;
	uint64_t seen[SIDE_INSNS_MAX];
	uint32_t seen_count;
	uint64_t todo[SIDE_FORKS_MAX];
	uint32_t todo_count;
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

/* A call at its end: what becomes of a register in another function is not looked at. */
static bool leaves(const struct explorer *e, uint64_t addr)
{
	const struct path_options *opts = &e->path->opts;
	uint64_t home = e->decision ? e->decision->addr : e->path->trigger_insn.addr;

	return opts->same_function && !opts->same_function(opts->place_ctx, home, addr);
}

static bool is_return_thunk(const struct path *path, uint64_t addr)
{
	const struct path_options *opts = &path->opts;

	return opts->place && opts->place(opts->place_ctx, addr) == PLACE_RETURN_THUNK;
}

static bool fetch(const struct path *path, uint64_t addr, uint8_t buf[INSN_LEN_MAX],
		  struct insn *ret)
{
	for (size_t len = INSN_LEN_MAX; len; len--)
		if (!path->text->read(path->text->ctx, addr, buf, len))
			return !insn_decode(buf, len, addr, ret);
	return false;
}

/* Does a call at the end of a function, or one that is known, never come back? */
static bool returns_never(const struct explorer *e, const struct insn *call)
{
	const struct path_options *opts = &e->path->opts;
	uint64_t after = call->addr + call->len;
	uint8_t bytes[INSN_LEN_MAX];
	struct insn in;

	if (call->has_target && opts->place &&
	    opts->place(opts->place_ctx, call->target) == PLACE_NO_RETURN)
		return true;
	if (leaves(e, after) || !fetch(e->path, after, bytes, &in))
		return true;
	return (in.flags & (INSN_F_NOP | INSN_F_INT3 | INSN_F_ENDBR)) || in.class == INSN_UD ||
	       (in.class == INSN_CALL && !(after % 16));
}

static void also_from(struct explorer *e, uint64_t addr)
{
	if (e->todo_count < SIDE_FORKS_MAX)
		e->todo[e->todo_count++] = addr;
	else
		e->unknown = true;
}

/* Past a call: what becomes of a register there. */
static enum effect call_effect(const struct explorer *e, const struct insn *call)
{
	uint8_t reg = e->constant->reg;

	if (returns_never(e, call) || (reg != INSN_NO_REG && is_argument(reg)))
		return EFFECT_READ;
	if (reg == INSN_NO_REG || !is_call_clobbered(reg))
		return EFFECT_NONE;
	/* Who calls a function in assembly may count on its sparing %rax: see block_ends_stay(). */
	return e->decision ? EFFECT_LOST : EFFECT_READ;
}

/* Look at one instruction. Return: it writes the register; @ret_next is where it goes on, or 0. */
static bool look_at(struct explorer *e, uint64_t addr, uint64_t *ret_next)
{
	enum effect effect = EFFECT_NONE;
	uint8_t bytes[INSN_LEN_MAX];
	struct insn in;

	*ret_next = 0;
	if (is_return_thunk(e->path, addr)) {
		e->unknown |= e->constant->reg != RAX;
		return false;
	}
	if (leaves(e, addr) || !fetch(e->path, addr, bytes, &in)) {
		e->unknown = true;
		return false;
	}
	switch (in.class) {
	case INSN_COND:
		also_from(e, in.target);
		break;
	case INSN_JMP:
		*ret_next = in.target;
		return false;
	case INSN_CALL:
	case INSN_ICALL:
		effect = call_effect(e, &in);
		break;
	case INSN_RET:
		e->unknown |= e->constant->reg != RAX;
		return false;
	case INSN_OTHER:
		effect = effect_of(bytes, in.len, e->constant);
		/* What a function preserves it takes back at its end. */
		if (effect == EFFECT_LOST && insn_is_pop(bytes, in.len))
			effect = EFFECT_READ;
		break;
	default:
		effect = EFFECT_READ;
		break;
	}
	e->unknown |= effect == EFFECT_READ;
	if (effect == EFFECT_NONE)
		*ret_next = addr + in.len;
	return effect == EFFECT_LOST;
}

static bool was_seen(struct explorer *e, uint64_t addr)
{
	for (uint32_t i = 0; i < e->seen_count; i++)
		if (e->seen[i] == addr)
			return true;
	return false;
}

static enum side explore(struct explorer *e, uint64_t from)
{
	also_from(e, from);
	while (e->todo_count) {
		uint64_t addr = e->todo[--e->todo_count];

		while (addr && !was_seen(e, addr) && !ran_after(e, addr)) {
			if (e->seen_count == SIDE_INSNS_MAX)
				return SIDE_UNKNOWN;
			e->seen[e->seen_count++] = addr;
			if (look_at(e, addr, &addr))
				return SIDE_WRITES;
		}
	}
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
