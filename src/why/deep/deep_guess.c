// SPDX-License-Identifier: GPL-2.0
/*
 * deep_guess.c - points that a run is likely to execute shortly before the path begins
 *
 * If a run hits a second point before its target, and the target's record goes back to it, both
 * records are one: the run goes as far back as two runs would.
 */
#include "why/deep/deep_search.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/capture.h"
#include "cfg/dominators.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/vector.h"
#include "why/deep/deep_stack.h"

/* Branches that a call is assumed to add to those of the caller itself. */
#define CALL_BRANCHES 5
/* Callers that are searched, at most. */
#define FRAMES_MAX 6
/* Branches between two points, for so many entries of a record: loops and calls add to them. */
#define SHARE(depth) ((depth) / 2)

/**
 * struct search - a search for such points
 * @text: borrowed
 * @points: found so far, with the branches from each to where the path begins, at least
 * @max: the most branches of a point
 */
struct search {
	const struct deep *deep;
	const struct text_source *text;
	struct dominator *points;
	size_t count;
	unsigned int max;
};

static int add_point(struct search *search, uint64_t addr, unsigned int branches)
{
	if (vector_grow(&search->points, search->count, sizeof(*search->points)))
		return -ENOMEM;
	search->points[search->count++] = (struct dominator){.addr = addr, .branches = branches};
	return 0;
}

/*
 * Add the points of one function up to @addr, or up to where it returns if that is 0.
 * @branches: from there to where the path begins. Gets those from the function's entry, or more
 *            than @search->max if they are not known.
 */
static int add_function(struct search *search, uint64_t func, uint64_t addr, unsigned int *branches)
{
	struct symbols *symbols = search->deep->probes->opts->symbols;
	_cleanup_free_ struct dominator *found = NULL;
	unsigned int before = *branches;
	struct code *code;
	struct symbol sym;
	size_t count;
	int err;

	*branches = search->max + 1;
	if (symbols_find(symbols, func, &sym) ||
	    code_load_symbol(search->text, symbols, &sym, &code))
		return 0;
	err = dominators_find(code, addr, CALL_BRANCHES, search->max - before, &found, &count);
	for (size_t i = 0; !err && i < count; i++) {
		err = add_point(search, found[i].addr, before + found[i].branches);
		if (found[i].addr == code->parts[0].addr)
			*branches = before + found[i].branches;
	}
	code_free(code);
	return err;
}

/* Add the function whose return the path begins with, if the path only has its return thunk. */
static int add_callee(struct search *search, uint64_t call, unsigned int *branches)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	*branches = 1;
	if (call && !insn_fetch(search->text, call, bytes, &insn) && insn.class == INSN_CALL &&
	    !deep_in_thunk(search->deep, insn.target))
		return add_function(search, insn.target, 0, branches);
	*branches = CALL_BRANCHES;
	return 0;
}

/* Index of the frame on the stack of the error whose function has @addr; the frame count: none. */
static size_t find_frame(const struct search *search, uint64_t addr)
{
	const struct why_hit *hit = search->deep->answer->hit;
	struct symbols *symbols = search->deep->probes->opts->symbols;
	struct symbol sym;
	size_t frames = hit ? hit->frames : 0, i = 0;

	if (symbols_find(symbols, addr, &sym))
		return frames;
	while (i < frames && (hit->stack[i] < sym.addr || hit->stack[i] >= sym.addr + sym.size))
		i++;
	return i;
}

/* The call instruction that entered the function of @addr; 0: not known. */
static uint64_t find_live_call(const struct search *search, uint64_t addr)
{
	const struct why_hit *hit = search->deep->answer->hit;
	size_t frame = find_frame(search, addr);

	if (!hit || frame + 1 >= hit->frames)
		return 0;
	return deep_call_of(search->text, hit->stack[frame + 1]);
}

static int search_frames(struct search *search)
{
	const struct deep_path *path = search->deep->path;
	_cleanup_free_ uint64_t *returns = NULL;
	uint64_t addr = path->branches[0].from;
	unsigned int branches = 0;
	size_t count, used = 0;
	int err = deep_find_returns(search->text, path, &returns, &count);

	if (!err && deep_in_thunk(search->deep, addr)) {
		if (!count || returns[0] != path->branches[0].to)
			return 0;
		addr = deep_call_of(search->text, returns[used++]);
		err = add_callee(search, addr, &branches);
		branches++;
		err = err ?: addr ? add_point(search, addr, branches) : 0;
	}
	for (int i = 0; !err && addr && branches <= search->max && i < FRAMES_MAX; i++) {
		err = add_function(search, addr, addr, &branches);
		addr = used < count ? deep_call_of(search->text, returns[used++])
				    : find_live_call(search, addr);
		branches++;
		if (!err && addr && branches <= search->max)
			err = add_point(search, addr, branches);
	}
	return err;
}

static bool is_possible(const struct search *search, const struct deep_target *target,
			uint64_t addr)
{
	struct deep_known path = deep_known_of(search->deep->path);

	return addr != path.end && addr != target->addr && !deep_refuses(search->deep, addr) &&
	       !deep_in_handler(search->deep, addr) &&
	       !deep_runs_between(&path, DEEP_BEFORE, target->at, addr);
}

/* The point with the most branches from @least to @most; without any, the next one above @most. */
static const struct dominator *choose(const struct search *search, const struct deep_target *target,
				      unsigned int least, unsigned int most)
{
	const struct dominator *best = NULL;

	for (size_t i = 0; i < search->count; i++) {
		const struct dominator *point = &search->points[i];

		if (point->branches < least || !is_possible(search, target, point->addr))
			continue;
		if (!best || (point->branches <= most && point->branches > best->branches) ||
		    (best->branches > most && point->branches < best->branches))
			best = point;
	}
	return best;
}

int deep_guess(const struct deep *deep, const struct deep_target *target, uint64_t *points,
	       size_t max, size_t *ret_count)
{
	unsigned int depth = (unsigned int)lbr_depth(), at = 0;
	struct search search = {
		.deep = deep, .text = &deep->probes->text, .max = SHARE(depth) * (unsigned int)max};
	int err = deep->path->count ? search_frames(&search) : 0;

	*ret_count = 0;
	while (!err && *ret_count < max) {
		const struct dominator *point =
			choose(&search, target, at + DEEP_OVERLAP_MIN, at + SHARE(depth));

		if (!point)
			break;
		log_verbose("0x%llx is likely to be executed %u branches or more before the path",
			    (unsigned long long)point->addr, point->branches);
		points[(*ret_count)++] = point->addr;
		at = point->branches;
	}
	free(search.points);
	return err;
}
