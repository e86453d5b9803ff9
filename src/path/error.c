// SPDX-License-Identifier: GPL-2.0
/* error.c - the instruction that made the error, and the decision that led to it */
#include "path/story.h"

/* Is this what the code at @than did, not an interrupt that came in between, nor a tracer? */
static bool is_program(const struct path_block *block, const struct path_block *than)
{
	return !block->tracing && block->interrupt <= than->interrupt;
}

/*
 * Can a decision of @block have led straight to @than? One of a function that was called in
 * between, and has returned, at most by what it returned: then its caller asks for that.
 */
static bool can_decide(const struct path_block *block, const struct path_block *than)
{
	return is_program(block, than) && block->depth <= than->depth;
}

static uint32_t newest_errno_insn(const struct path *path, int err)
{
	const struct path_block *last = &path->blocks[path->block_count - 1];

	if (path->has_trigger_insn && path->trigger_insn.err == err)
		return path->insn_count;
	for (uint32_t b = path->block_count; b > 0; b--) {
		const struct path_block *block = &path->blocks[b - 1];

		for (uint32_t i = is_program(block, last) ? block->insn_count : 0; i > 0; i--) {
			if (path->insns[block->first_insn + i - 1].err == err)
				return block->first_insn + i - 1;
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

/* Newest decision before @insn in its function or a caller; there must be no gap in between. */
static uint32_t decision_before(const struct path *path, uint32_t insn, uint32_t block)
{
	for (uint32_t i = path->decision_count; i > 0; i--) {
		const struct path_decision *d = &path->decisions[i - 1];

		if (d->insn >= insn || !can_decide(&path->blocks[d->block], &path->blocks[block]))
			continue;
		for (uint32_t b = d->block; b < block; b++) {
			if (path->blocks[b].gap && !path->blocks[b].tracing)
				return PATH_NONE;
		}
		return i - 1;
	}
	return PATH_NONE;
}

/* First decision after @insn in the same block. */
static uint32_t decision_after(const struct path *path, uint32_t insn, uint32_t block)
{
	const struct path_block *b = &path->blocks[block];

	for (uint32_t i = 0; i < b->decision_count; i++) {
		if (path->decisions[b->first_decision + i].insn > insn)
			return b->first_decision + i;
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

void path_find_error(const struct path *path, int err, uint32_t *ret_insn, uint32_t *ret_decision)
{
	uint32_t insn = err && path->block_count ? newest_errno_insn(path, err) : PATH_NONE;
	uint32_t block, before, after;

	*ret_insn = insn;
	*ret_decision = PATH_NONE;
	if (insn == PATH_NONE)
		return;
	block = block_of_insn(path, insn);
	if (block == PATH_NONE)
		return;
	before = decision_before(path, insn, block);
	after = insn == path->insn_count ? PATH_NONE : decision_after(path, insn, block);
	if (after != PATH_NONE && !chosen_by(path, before, insn, block))
		*ret_decision = after;
	else
		*ret_decision = before;
}
