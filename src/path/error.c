// SPDX-License-Identifier: GPL-2.0
/* error.c - the instruction that made the error, and the decision that led to it */
#include "path/constant_flow.h"
#include "path/story.h"

/* Is this what the code at @than did, not an interrupt that came in between, nor a tracer? */
static bool is_program(const struct path_block *block, const struct path_block *than)
{
	return !block->tracing && block->interrupt <= than->interrupt;
}

static uint32_t newest_errno_insn(const struct path *path, int err)
{
	const struct path_block *last = &path->blocks[path->block_count - 1];

	if (path->has_trigger_insn && path->trigger_insn.err == err)
		return path->insn_count;
	for (uint32_t b = path->block_count; b > 0; b--) {
		const struct path_block *block = &path->blocks[b - 1];

		for (uint32_t i = is_program(block, last) ? block->insn_count : 0; i > 0; i--) {
			uint32_t insn = block->first_insn + i - 1;

			if (path->insns[insn].err == err && !path_constant_lost(path, insn, b - 1))
				return insn;
		}
	}
	return PATH_NONE;
}

static uint32_t block_of_insn(const struct path *path, uint32_t insn)
{
	for (uint32_t i = path->block_count; i > 0; i--) {
		const struct path_block *b = &path->blocks[i - 1];

		if (!b->gap && insn >= b->first_insn &&
		    (insn < b->first_insn + b->insn_count ||
		     (insn == path->insn_count && b->ends == PATH_END_TRIGGER)))
			return i - 1;
	}
	return PATH_NONE;
}

/*
 * Newest decision before @insn in its function or a caller of it; there must be no gap in between.
 * One of a function that was called in between, and has returned, can have led there at most by
 * what it returned: then its caller asks for that.
 */
static uint32_t decision_before(const struct path *path, uint32_t insn, uint32_t block)
{
	const struct path_block *than = &path->blocks[block];
	int shallowest = than->depth;

	for (uint32_t b = block + 1; b > 0; b--) {
		const struct path_block *pb = &path->blocks[b - 1];

		if (pb->gap && !pb->tracing)
			return PATH_NONE;
		if (pb->gap || !is_program(pb, than) || pb->depth > shallowest)
			continue;
		shallowest = pb->depth;
		for (uint32_t i = pb->decision_count; i > 0; i--)
			if (path->decisions[pb->first_decision + i - 1].insn < insn)
				return pb->first_decision + i - 1;
	}
	return PATH_NONE;
}

/* First decision after @insn in the same block of which it is not sure that it changes nothing. */
static uint32_t decision_after(const struct path *path, uint32_t insn, uint32_t block)
{
	const struct path_block *b = &path->blocks[block];

	for (uint32_t i = b->first_decision; i < b->first_decision + b->decision_count; i++) {
		if (path->decisions[i].insn > insn && !path_decision_idle(path, i, insn))
			return i;
	}
	return PATH_NONE;
}

/*
 * Was @insn what the decision @before chose: the very first thing on its way? Then nothing that
 * comes later chose it.
 */
static bool chosen_by(const struct path *path, uint32_t before, uint32_t insn, uint32_t block)
{
	const struct path_decision *d;

	if (before == PATH_NONE)
		return false;
	d = &path->decisions[before];
	if (d->insn + 1 == insn)
		return true;
	return d->taken && d->block + 1 == block && path->blocks[block].first_insn == insn;
}

/* @insn is no trigger's. */
static uint32_t key_decision(const struct path *path, uint32_t insn, uint32_t block)
{
	uint32_t before = decision_before(path, insn, block), after;

	after = path_decided_after(path, insn, block);
	if (after != PATH_NONE)
		return after;
	if (chosen_by(path, before, insn, block))
		return before;
	after = decision_after(path, insn, block);
	return after != PATH_NONE ? after : before;
}

void path_find_error(const struct path *path, int err, uint32_t *ret_insn, uint32_t *ret_decision)
{
	uint32_t insn, block;

	if (err && err == path->err) {
		*ret_insn = path->error_insn;
		*ret_decision = path->error_decision;
		return;
	}
	insn = err && path->block_count ? newest_errno_insn(path, err) : PATH_NONE;
	*ret_insn = insn;
	*ret_decision = PATH_NONE;
	block = insn == PATH_NONE ? PATH_NONE : block_of_insn(path, insn);
	if (block == PATH_NONE)
		return;
	if (insn == path->insn_count)
		*ret_decision =
			path_trigger_in_case(path) ? PATH_NONE : decision_before(path, insn, block);
	else
		*ret_decision = key_decision(path, insn, block);
}
