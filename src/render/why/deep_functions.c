// SPDX-License-Identifier: GPL-2.0
#include "render/why/deep_functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "disasm/fetch.h"
#include "path/names.h"
#include "path/on_way.h"
#include "path/path.h"
#include "symbolize/place.h"
#include "util/cleanup.h"
#include "util/vector.h"

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

/** struct frames - @items: one for each of the functions of @way */
struct frames {
	struct on_way way;
	struct frame *items;
};

static void frames_deinit(struct frames *frames)
{
	free(frames->way.functions);
	free(frames->items);
}

/* Of the newest function, as @step has left the way. */
static int update_newest(struct frames *frames, enum on_way_step step, struct frame **ret)
{
	const struct on_way *way = &frames->way;
	size_t newest = way->count - 1;

	if (step == ON_WAY_ENTERS || step == ON_WAY_BEGINS) {
		if (vector_grow(&frames->items, newest, sizeof(*frames->items)))
			return -ENOMEM;
		frames->items[newest] = (struct frame){.function.sym = way->functions[newest]};
	}
	*ret = &frames->items[newest];
	return 0;
}

/* The class of a branch; INSN_OTHER: its code cannot be read. */
static enum insn_class class_at(const struct text_source *text, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	return text && !insn_fetch(text, addr, bytes, &insn) ? insn.class : INSN_OTHER;
}

static int follow(struct frames *frames, const struct why_view *view,
		  const struct why_branch *branch, size_t number)
{
	enum on_way_step step;
	struct frame *newest;

	/* A thunk's own branch is one with that which led to it. */
	if (on_way_leave(&frames->way, view->symbols, branch->from, &step))
		return -ENOMEM;
	if (step != ON_WAY_NOWHERE) {
		if (update_newest(frames, step, &newest))
			return -ENOMEM;
		newest->function.branches++;
		newest->function.at = branch->from;
	}
	if (on_way_arrive(&frames->way, view->symbols, branch->to,
			  class_at(view->kernel_text, branch->from), &step))
		return -ENOMEM;
	if (step == ON_WAY_NOWHERE)
		return 0;
	if (update_newest(frames, step, &newest))
		return -ENOMEM;
	if (step == ON_WAY_RETURNS)
		newest->function.returned++;
	newest->blocks[newest->block_count++ % BLOCKS_MAX] = number;
	return 0;
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
	struct frames frames = {};
	struct deep_function *functions = NULL;
	size_t count;
	int err = 0;

	for (size_t i = 0; !err && i < deep->count; i++)
		err = follow(&frames, view, &deep->branches[i], i);
	count = frames.way.count;
	if (!err)
		functions = calloc(count + 1, sizeof(*functions));
	if (!functions) {
		frames_deinit(&frames);
		return -ENOMEM;
	}
	if (count)
		frames.items[count - 1].function.at = deep->end;
	for (size_t i = 0; !err && i < count; i++) {
		if (view->kernel_text && view->kernel_text->read)
			err = add_conditions(deep, view, &frames.items[i]);
		functions[i] = frames.items[i].function;
	}
	frames_deinit(&frames);
	if (err) {
		free(functions);
		return err;
	}
	*ret = functions;
	*ret_count = count;
	return 0;
}
