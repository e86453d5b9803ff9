// SPDX-License-Identifier: GPL-2.0
#include "render/why/deep_functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "path/names.h"
#include "path/path.h"
#include "symbolize/cold_part.h"
#include "symbolize/place.h"
#include "util/cleanup.h"

/* Deeper than any call of a kernel: its stack has 16 KiB. */
#define FRAMES_MAX 128

/* Of each function: conditions are looked for in its newest blocks. */
#define BLOCKS_MAX 24

/**
 * struct frame - a function that has not returned
 * @blocks: branches that led into it or on in it, by their number; of @block_count the newest, each
 *          at its number modulo BLOCKS_MAX
 */
struct frame {
	struct deep_function function;
	size_t blocks[BLOCKS_MAX];
	size_t block_count;
};

struct frames {
	struct frame items[FRAMES_MAX];
	size_t count;
};

static bool is_thunk(const struct symbol *sym)
{
	return place_is_thunk(place_of_symbol(sym->name, 0));
}

static void enter(struct frames *frames, const struct symbol *sym)
{
	if (frames->count < FRAMES_MAX)
		frames->items[frames->count++] = (struct frame){.function.sym = *sym};
}

/* Back in a function that is on the way: what it had called is done. */
static bool go_back(struct frames *frames, const struct symbol *sym)
{
	for (size_t i = frames->count; i-- > 0;) {
		if (!cold_part_same(&frames->items[i].function.sym, sym))
			continue;
		if (i + 1 < frames->count)
			frames->items[i].function.returned++;
		frames->count = i + 1;
		return true;
	}
	return false;
}

static void note_block(struct frames *frames, size_t number)
{
	struct frame *top = frames->count ? &frames->items[frames->count - 1] : NULL;

	if (top)
		top->blocks[top->block_count++ % BLOCKS_MAX] = number;
}

static void follow(struct frames *frames, struct symbols *symbols, const struct why_branch *branch,
		   size_t number)
{
	struct frame *top = frames->count ? &frames->items[frames->count - 1] : NULL;
	struct symbol sym;

	/* A thunk's own branch is one with that which led to it. */
	if (!symbols_find(symbols, branch->from, &sym) && !is_thunk(&sym)) {
		if (!top || !cold_part_same(&top->function.sym, &sym)) {
			frames->count = 0;
			enter(frames, &sym);
			top = &frames->items[0];
		}
		top->function.branches++;
		top->function.at = branch->from;
	}
	if (symbols_find(symbols, branch->to, &sym) || is_thunk(&sym))
		return;
	/* A cold part is jumped to. */
	if (branch->to == sym.addr && !cold_part_prefix(sym.name)) {
		enter(frames, &sym);
	} else if (!go_back(frames, &sym)) {
		/* A caller from before the first branch. */
		frames->count = 0;
		enter(frames, &sym);
	}
	note_block(frames, number);
}

/* The branches up to the one behind number @number, as many as a path is built of. */
static void make_window(const struct deep_path *deep, size_t number, struct snapshot *snap)
{
	size_t end = number + 2, first = end > BRANCHES_MAX ? end - BRANCHES_MAX : 0;

	snap->path_ok = true;
	snap->count = 0;
	for (size_t i = first; i < end; i++)
		snap->branches[snap->count++] = (struct branch){.from = deep->branches[i].from,
								.to = deep->branches[i].to,
								.cycles = CYCLES_NOT_REPORTED};
}

static void describe(const struct path *path, const struct path_decision *decision,
		     const struct why_view *view, struct deep_condition *ret)
{
	struct operand_condition named;

	*ret = (struct deep_condition){.addr = decision->addr, .taken = decision->taken};
	if (!path_source_condition(path, decision, view->symbols, view->lines, &named))
		snprintf(ret->text, sizeof(ret->text), "%s", named.text);
	else if (path_condition(path, decision, ret->text, sizeof(ret->text)))
		ret->text[0] = '\0';
}

static bool is_known(const struct deep_function *function, uint64_t addr)
{
	for (int i = 0; i < function->condition_count; i++)
		if (function->conditions[i].addr == addr)
			return true;
	return false;
}

/* Of one block, the newest first. */
static int add_block(const struct deep_path *deep, size_t number, const struct why_view *view,
		     struct deep_function *function)
{
	const struct path_options opts = {.place = place_by_symbols, .place_ctx = view->symbols};
	_cleanup_free_ struct snapshot *snap = calloc(1, sizeof(*snap));
	struct path *path = NULL;
	uint32_t entry;
	int err;

	if (!snap)
		return -ENOMEM;
	/* The last one leads to the error: the answer tells of that. */
	if (number + 1 >= deep->count)
		return 0;
	make_window(deep, number, snap);
	entry = snap->count - 2;
	err = path_build(snap, view->kernel_text, &opts, &path);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (uint32_t i = path->decision_count;
	     i-- > 0 && function->condition_count < DEEP_CONDITIONS_MAX;) {
		const struct path_decision *decision = &path->decisions[i];

		if (path->blocks[decision->block].entry == entry &&
		    !is_known(function, decision->addr))
			describe(path, decision, view,
				 &function->conditions[function->condition_count++]);
	}
	path_free(path);
	return 0;
}

static int add_conditions(const struct deep_path *deep, const struct why_view *view,
			  struct frame *frame)
{
	size_t oldest = frame->block_count > BLOCKS_MAX ? frame->block_count - BLOCKS_MAX : 0;
	int err = 0;

	for (size_t i = frame->block_count;
	     !err && i-- > oldest && frame->function.condition_count < DEEP_CONDITIONS_MAX;)
		err = add_block(deep, frame->blocks[i % BLOCKS_MAX], view, &frame->function);
	return err;
}

int deep_functions(const struct deep_path *deep, const struct why_view *view,
		   struct deep_function **ret, size_t *ret_count)
{
	_cleanup_free_ struct frames *frames = calloc(1, sizeof(*frames));
	struct deep_function *functions;
	int err = 0;

	if (!frames)
		return -ENOMEM;
	for (size_t i = 0; i < deep->count; i++)
		follow(frames, view->symbols, &deep->branches[i], i);
	if (frames->count)
		frames->items[frames->count - 1].function.at = deep->end;
	functions = calloc(frames->count + 1, sizeof(*functions));
	for (size_t i = 0; functions && i < frames->count && !err; i++) {
		if (view->kernel_text && view->kernel_text->read)
			err = add_conditions(deep, view, &frames->items[i]);
		functions[i] = frames->items[i].function;
	}
	if (err || !functions) {
		free(functions);
		return -ENOMEM;
	}
	*ret = functions;
	*ret_count = frames->count;
	return 0;
}
