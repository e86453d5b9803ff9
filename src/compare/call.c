// SPDX-License-Identifier: GPL-2.0
#include "compare/call.h"

#include <errno.h>
#include <stdlib.h>

#include "path/story.h"
#include "util/cleanup.h"

/* A function's first instructions: ENDBR64 and the tracer's call stand before what is jumped to. */
#define ENTRY_BYTES 16

static struct ranking_place place_of(struct symbols *symbols, uint64_t addr, struct symbol *sym)
{
	if (symbols_find(symbols, addr, sym))
		return (struct ranking_place){};
	return (struct ranking_place){
		.function = sym->name, .module = sym->module ?: "", .off = addr - sym->addr};
}

/*
 * Index of the call's first decision, if the record goes back to the function's entry; of several
 * the newest entry is that of the call. PATH_NONE: it does not.
 */
static uint32_t first_of_call(const struct snapshot *snap, const struct path *path)
{
	uint64_t entry = snap->trigger ? snap->trigger->func_addr : 0;
	uint32_t block = PATH_NONE, first = 0;

	if (!entry || path->gap_count)
		return PATH_NONE;
	for (uint32_t i = 0; i < path->block_count; i++)
		if (path->blocks[i].start >= entry && path->blocks[i].start < entry + ENTRY_BYTES)
			block = i;
	if (block == PATH_NONE)
		return PATH_NONE;
	while (first < path->decision_count && path->decisions[first].block < block)
		first++;
	return first;
}

/*
 * Which blocks are of functions that have not returned by the block @last? Behind a gap nobody
 * knows.
 * @ret_open: one for each block; the others stay as they are
 */
static void find_open(const struct path *path, uint32_t last, bool *ret_open)
{
	int shallowest = path->blocks[last].depth, interrupt = path->blocks[last].interrupt;

	for (uint32_t b = last + 1; b > 0; b--) {
		const struct path_block *block = &path->blocks[b - 1];

		if (block->tracing || block->interrupt > interrupt)
			continue;
		if (block->gap)
			return;
		ret_open[b - 1] = block->depth <= shallowest;
		if (ret_open[b - 1])
			shallowest = block->depth;
	}
}

/* In which the error was made, or the decision to make it came, whichever is later; else the last.
 */
static uint32_t error_block(const struct path *path, uint32_t insn, uint32_t key)
{
	uint32_t last = path->block_count - 1;

	for (uint32_t b = 0; insn < path->insn_count && b < path->block_count; b++)
		if (insn - path->blocks[b].first_insn < path->blocks[b].insn_count)
			last = b;
	if (insn < path->insn_count && key != PATH_NONE && path->decisions[key].block > last)
		last = path->decisions[key].block;
	return last;
}

/* Functions of one name are told apart by where they lie; modules lie elsewhere on each host. */
static uint64_t rel_of(const struct ranking_place *place, uint64_t addr,
		       const struct call_taker *to)
{
	return place->function && !*place->module ? addr - to->base : 0;
}

static int hand_decisions(const struct path *path, struct symbols *symbols, uint32_t first,
			  uint32_t end, const bool *open, const struct call_taker *to)
{
	const struct conditions_call call = {
		.path = path, .symbols = symbols, .lines = to->lines, .lines_ctx = to->ctx};

	for (uint32_t i = 0; i < end; i++) {
		const struct path_decision *decision = &path->decisions[i];
		const struct path_block *block = &path->blocks[decision->block];
		struct symbol sym;
		struct ranking_decision item = {
			.place = place_of(symbols, decision->addr, &sym),
			.addr = decision->addr,
			.taken = decision->taken,
			.before_entry = first != PATH_NONE && i < first,
			.open = open[decision->block],
			.distance = end - 1 - i,
		};
		int err;

		/* An interrupt came by chance, and a tracer is ours. */
		if (!item.place.function || block->tracing || block->interrupt)
			continue;
		item.rel = rel_of(&item.place, item.addr, to);
		err = conditions_find(to->conditions, &call, decision, &item)
			      ?: to->decision(to->ctx, &item);
		if (err)
			return err;
	}
	return 0;
}

const char *call_function(const struct snapshot *snap)
{
	if (!snap->trigger)
		return "?";
	return snap->trigger->function ?: snap->trigger->target;
}

struct path *call_path(const struct snapshot *snap, struct symbols *symbols,
		       const struct text_source *text, int *ret_err)
{
	struct path_options opts = {.place = place_by_symbols,
				    .same_function = same_function_by_symbols,
				    .place_ctx = symbols};
	struct path *path = NULL;
	int err = 0;

	/* What the LBR holds may be true, but it is no path of this call. */
	if (text->read && snap->stale != TRI_SET)
		err = path_build(snap, text, &opts, &path);
	*ret_err = err == -ENOMEM ? err : 0;
	if (!path || !path_is_blank(path))
		return path;
	path_free(path);
	return NULL;
}

/* What does not take a path to know. */
static struct ranking_call values_of(const struct snapshot *snap, bool failing)
{
	return (struct ranking_call){
		.failing = failing,
		.function = call_function(snap),
		.err = snap->err,
		.has_value = snap->has_retval && !snap->err,
		.value = snap->retval,
		.arguments = snap->arguments,
		.argument_count = snap->argument_count,
	};
}

int call_without_path(const struct snapshot *snap, bool failing, const struct call_taker *to)
{
	const struct ranking_call call = values_of(snap, failing);
	int err;

	if (!snap->argument_count)
		return -ENODATA;
	err = to->call(to->ctx, &call);
	if (!err && to->end)
		to->end(to->ctx);
	return err == -ENOENT ? 0 : err;
}

int call_of_snapshot(const struct snapshot *snap, const struct path *path, struct symbols *symbols,
		     bool failing, const struct call_taker *to)
{
	uint32_t insn = PATH_NONE, key = PATH_NONE, end = path->decision_count;
	uint32_t first = first_of_call(snap, path);
	_cleanup_free_ bool *open = calloc(path->block_count, sizeof(*open));
	struct symbol made = {}, decided = {};
	struct ranking_call call = values_of(snap, failing);
	int err;

	call.complete = first != PATH_NONE;
	if (failing && snap->err)
		path_find_error(path, snap->err, &insn, &key);
	if (insn != PATH_NONE) {
		call.made_at = place_of(symbols, path_insn_addr(path, insn), &made);
		/* What follows the error is its consequence. */
		if (key != PATH_NONE) {
			end = key + 1;
			call.made_behind = path->decisions[key].insn < insn;
			call.decided = (struct ranking_decision){
				.place = place_of(symbols, path->decisions[key].addr, &decided),
				.addr = path->decisions[key].addr,
				.taken = path->decisions[key].taken,
				.condition = "",
				.source = "",
			};
			call.decided.rel = rel_of(&call.decided.place, call.decided.addr, to);
		}
		for (uint32_t i = 0; key == PATH_NONE && i < path->decision_count; i++)
			if (path->decisions[i].insn > insn) {
				end = i;
				break;
			}
	}
	if (!open)
		return -ENOMEM;
	find_open(path, error_block(path, insn, key), open);
	err = to->call(to->ctx, &call);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = hand_decisions(path, symbols, first, end, open, to);
	if (to->end)
		to->end(to->ctx);
	return err;
}
