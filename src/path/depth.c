// SPDX-License-Identifier: GPL-2.0
/* depth.c - calls go in, returns come out */
#include "path/depth.h"
#include "util/address.h"

#include <limits.h>
#include <string.h>

/* A call or interrupt that has not returned yet. */
struct frame {
	uint64_t ret; /* where it will come back to; 0: the kernel was entered from user space */
	int depth;    /* of the caller */
	bool interrupt;
};

/* Deeper than a kernel's stack of 16 KiB can be: a frame has 16 bytes at least. */
#define FRAMES_MAX 1024

struct stack {
	struct frame frames[FRAMES_MAX];
	uint32_t count;
	int depth;
};

/* @level: the caller's code and the called code are a level apart */
static void push(struct stack *st, uint64_t ret, bool interrupt, bool level)
{
	/* The outermost is the one whose return is the furthest off. */
	if (st->count == FRAMES_MAX)
		memmove(st->frames, st->frames + 1, --st->count * sizeof(st->frames[0]));
	st->frames[st->count++] = (struct frame){ret, st->depth, interrupt};
	st->depth += level;
}

/* Out of everything that is known, to a caller from before the oldest branch. */
static void pop_below(struct stack *st)
{
	st->depth = (st->count ? st->frames[0].depth : st->depth) - 1;
	st->count = 0;
}

static bool pop_to(struct stack *st, uint64_t addr, bool interrupt)
{
	for (uint32_t i = st->count; i > 0; i--) {
		const struct frame *f = &st->frames[i - 1];

		if (f->ret != addr || f->interrupt != interrupt)
			continue;
		st->depth = f->depth;
		st->count = i - 1;
		return true;
	}
	return false;
}

/*
 * Was the newest call a retpoline's own, whose return address it replaces? Its return may stand
 * in a return thunk, elsewhere.
 */
static bool in_retpoline(const struct stack *st, const struct path_options *opts)
{
	return opts->place && st->frames[st->count - 1].ret &&
	       opts->place(opts->place_ctx, st->frames[st->count - 1].ret) == PLACE_INDIRECT_THUNK;
}

/* A return whose address no known call left. */
static void stray_return(struct stack *st, const struct path_options *opts, const struct branch *br)
{
	enum place from = PLACE_ORDINARY, to = PLACE_ORDINARY;

	if (opts->place) {
		from = opts->place(opts->place_ctx, br->from);
		to = opts->place(opts->place_ctx, br->to);
	}
	if (to == PLACE_RETURN_HOOK || br->tracing)
		return; /* stands in for the caller: the true return comes after it */
	if (st->count && (from == PLACE_INDIRECT_THUNK || in_retpoline(st, opts))) {
		st->depth = st->frames[--st->count].depth;
		return;
	}
	pop_below(st);
}

/* Interrupts of the kernel that have not returned. */
static int open_interrupts(const struct stack *st)
{
	int n = 0;

	for (uint32_t i = 0; i < st->count; i++)
		n += st->frames[i].interrupt && st->frames[i].ret;
	return n;
}

/*
 * An instruction interrupted by a fault is repeated or, after a trap or WARN, stepped over.
 * Return: false if the interrupt came before the oldest branch.
 */
static bool interrupt_return(struct stack *st, const struct branch *br)
{
	if (pop_to(st, br->to, true))
		return true;
	for (uint32_t i = st->count; i > 0; i--) {
		const struct frame *f = &st->frames[i - 1];

		if (!f->interrupt || br->to - f->ret > INSN_LEN_MAX)
			continue;
		st->depth = f->depth;
		st->count = i - 1;
		return true;
	}
	pop_below(st);
	return false;
}

/*
 * @user: the path is a program's
 * Return: false if it was an interrupt's until now, since before the oldest branch.
 */
static bool follow(struct stack *st, const struct path_block *block, const struct branch *br,
		   const struct path_options *opts, bool user)
{
	bool from_user = !address_is_kernel(br->from), to_user = !address_is_kernel(br->to);
	bool level = block->tracing == br->tracing;

	/* The kernel's own depth is not known where a program is told, and does not matter. */
	if (block->ends == PATH_END_KERNEL || (user && from_user != to_user))
		return true;
	if (from_user && to_user && !user)
		return true;
	if (from_user && !user) {
		push(st, 0, true, true);
		return true;
	}
	if (to_user && !user) {
		if (!pop_to(st, 0, true))
			pop_below(st);
		return true;
	}
	if (block->ends == PATH_END_INTERRUPT) {
		push(st, br->from, true, level);
		return true;
	}
	switch (block->end_class) {
	case INSN_INT:
		push(st, br->from, true, level);
		break;
	case INSN_CALL:
	case INSN_ICALL:
		push(st, block->end, false, level);
		break;
	case INSN_RET:
		if (!pop_to(st, br->to, false))
			stray_return(st, opts, br);
		break;
	case INSN_IRET:
		/* To the next instruction: sync_core(), which serializes with it. */
		return br->to == block->end || interrupt_return(st, br);
	default:
		break;
	}
	return true;
}

int path_set_depths(struct path *path, const struct branch *branches, bool user,
		    const struct path_options *opts)
{
	struct stack st = {.depth = 0};
	int min = INT_MAX, before = 0; /* interrupts from before the oldest branch that returned */

	for (uint32_t i = 0; i < path->block_count; i++) {
		struct path_block *block = &path->blocks[i];

		block->depth = st.depth;
		block->interrupt = open_interrupts(&st) - before;
		if (st.depth < min)
			min = st.depth;
		if (block->branch != PATH_NONE &&
		    !follow(&st, block, &branches[block->branch], opts, user))
			before++;
	}
	for (uint32_t i = 0; i < path->block_count; i++) {
		path->blocks[i].depth -= min;
		/* Those that returned at this block or behind it. */
		path->blocks[i].interrupt += before;
	}
	return 0;
}
