// SPDX-License-Identifier: GPL-2.0
#include "target/errno_must_return.h"

#include <string.h>

#include "disasm/insn.h"
#include "disasm/regs.h"
#include "util/cleanup.h"

#define STEPS_MAX  20000
#define POINTS_MAX 512 /* branch targets reached */

/**
 * struct holders - registers that hold the constant
 * @low: bit n: the lower half of register n
 * @whole: bit n: all 64 bits; a subset of @low
 */
struct holders {
	uint16_t low;
	uint16_t whole;
};

/* A place that is reached, and what held the constant on every way there so far. */
struct point {
	uint64_t addr;
	struct holders held;
	bool todo;
};

struct walk {
	const struct text_source *text;
	const struct function_exits *exits;
	const struct exits_options *opts;
	uint16_t err;
	bool wide;
	struct point points[POINTS_MAX];
	size_t point_count;
	size_t steps;
};

static bool inside(const struct walk *walk, uint64_t addr)
{
	for (size_t i = 0; i < walk->exits->part_count; i++)
		if (addr - walk->exits->parts[i].addr < walk->exits->parts[i].size)
			return true;
	return false;
}

static enum place place_at(const struct walk *walk, uint64_t addr)
{
	return walk->opts && walk->opts->place ? walk->opts->place(walk->opts->place_ctx, addr)
					       : PLACE_ORDINARY;
}

/* false if there are too many. A point seen before is walked again only if less holds there. */
static bool add_point(struct walk *walk, uint64_t addr, struct holders held)
{
	struct point *point;

	for (size_t i = 0; i < walk->point_count; i++) {
		struct holders both;

		point = &walk->points[i];
		if (point->addr != addr)
			continue;
		both.low = point->held.low & held.low;
		both.whole = point->held.whole & held.whole;
		if (both.low != point->held.low || both.whole != point->held.whole) {
			point->held = both;
			point->todo = true;
		}
		return true;
	}
	if (walk->point_count == POINTS_MAX)
		return false;
	walk->points[walk->point_count++] =
		(struct point){.addr = addr, .held = held, .todo = true};
	return true;
}

static bool returns_it(const struct walk *walk, struct holders held)
{
	return (walk->wide ? held.whole : held.low) & 1u << INSN_REG_RAX;
}

static void hold(struct holders *held, unsigned int reg, bool whole)
{
	held->low |= 1u << reg;
	if (whole)
		held->whole |= 1u << reg;
}

/* What an instruction that is no branch leaves of the constant. */
static void apply(const struct walk *walk, const struct insn *in, const struct insn_regs *regs,
		  struct holders *held)
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
	if (in->err == walk->err && in->err_reg < 16 &&
	    !(in->flags & (INSN_F_ERR_MAYBE | INSN_F_ERR_MASK | INSN_F_ERR_MEM)))
		hold(held, in->err_reg, regs->dst_bits == 64);
}

enum verdict { GO_ON, WAY_ENDS, UNCERTAIN };

static enum verdict step(struct walk *walk, uint64_t *addr, struct holders *held)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn_regs regs;
	struct insn in;
	size_t len = sizeof(bytes);

	while (len && walk->text->read(walk->text->ctx, *addr, bytes, len))
		len--; /* the end of the text may be nearer than the longest instruction */
	if (!len || insn_decode(bytes, len, *addr, &in) || insn_regs_decode(bytes, len, &regs))
		return UNCERTAIN;
	*addr += in.len;
	switch (in.class) {
	case INSN_RET:
		return returns_it(walk, *held) ? WAY_ENDS : UNCERTAIN;
	case INSN_JMP:
		if (place_at(walk, in.target) == PLACE_RETURN_THUNK)
			return returns_it(walk, *held) ? WAY_ENDS : UNCERTAIN;
		if (place_at(walk, in.target) == PLACE_NO_RETURN)
			return WAY_ENDS;
		if (!inside(walk, in.target) || !add_point(walk, in.target, *held))
			return UNCERTAIN;
		return WAY_ENDS;
	case INSN_COND:
		if (!inside(walk, in.target) || !add_point(walk, in.target, *held))
			return UNCERTAIN;
		break;
	case INSN_CALL:
		/* The stack protector's check: nothing is returned there. */
		if (place_at(walk, in.target) == PLACE_NO_RETURN)
			return WAY_ENDS;
		/* fall through */
	case INSN_ICALL:
		held->low &= INSN_CALLEE_SAVED;
		held->whole &= INSN_CALLEE_SAVED;
		break;
	case INSN_OTHER:
	case INSN_UD: /* WARN: the handler goes on behind it */
		apply(walk, &in, &regs, held);
		break;
	default:
		return UNCERTAIN;
	}
	return held->low ? GO_ON : UNCERTAIN;
}

static bool walk_from(struct walk *walk, uint64_t addr, struct holders held)
{
	enum verdict verdict = GO_ON;

	while (verdict == GO_ON) {
		if (++walk->steps > STEPS_MAX || !inside(walk, addr))
			return false;
		verdict = step(walk, &addr, &held);
	}
	return verdict == WAY_ENDS;
}

bool errno_site_certain(const struct text_source *text, const struct function_exits *exits,
			const struct errno_site *site, const struct exits_options *opts, bool wide)
{
	_cleanup_free_ struct walk *walk = calloc(1, sizeof(*walk));

	if (!walk || site->uncertain || site->reg > 15 || exits->truncated || exits->breakpoint)
		return false;
	walk->text = text;
	walk->exits = exits;
	walk->opts = opts;
	walk->err = site->err;
	walk->wide = wide;
	if (!add_point(walk, site->addr, (struct holders){}))
		return false;
	/* The site's own instruction is applied as any other: nothing holds before it. */
	for (size_t i = 0; i < walk->point_count; i++) {
		if (!walk->points[i].todo)
			continue;
		walk->points[i].todo = false;
		if (!walk_from(walk, walk->points[i].addr, walk->points[i].held))
			return false;
		i = (size_t)-1; /* a way may have weakened an earlier point */
	}
	return true;
}
