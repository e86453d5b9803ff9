// SPDX-License-Identifier: GPL-2.0
#include "path/names.h"

#include <errno.h>
#include <string.h>

/** struct way - the path, as operand/ follows it back: an instruction's place is its index */
struct way {
	const struct path *path;
	struct symbols *symbols;
};

static uint32_t block_of(const struct path *path, uint32_t insn)
{
	for (uint32_t i = 0; i < path->block_count; i++)
		if (insn - path->blocks[i].first_insn < path->blocks[i].insn_count)
			return i;
	return PATH_NONE;
}

static bool same_function(const struct way *way, uint64_t a, uint64_t b)
{
	struct symbol sa, sb;

	return !symbols_find(way->symbols, a, &sa) && !symbols_find(way->symbols, b, &sb) &&
	       sa.addr == sb.addr;
}

static void to_insn(const struct path *path, uint32_t index, struct operand_insn *ret)
{
	const struct path_insn *in = &path->insns[index];

	*ret = (struct operand_insn){.pos = index, .addr = in->addr, .len = in->len};
	memcpy(ret->bytes, in->bytes, in->len);
}

/* The call that came back to @block, and interrupts that came in between, are passed over. */
static bool before_block(const struct way *way, uint32_t block, struct operand_insn *ret)
{
	const struct path *path = way->path;
	const struct path_block *at = &path->blocks[block];
	bool called = false;
	struct insn call;

	for (uint32_t i = block; i-- > 0;) {
		const struct path_block *pb = &path->blocks[i];
		uint32_t last = pb->first_insn + pb->insn_count - 1;

		/* Of a tracer: it leaves all as it was, and counts for no depth. */
		if (pb->tracing || pb->interrupt > at->interrupt)
			continue;
		if (pb->gap || pb->interrupt < at->interrupt || pb->depth < at->depth)
			return false;
		if (pb->depth > at->depth) {
			called = true;
			continue;
		}
		if (!pb->insn_count)
			return false;
		to_insn(path, last, ret);
		if (!called)
			return (pb->ends == PATH_END_BRANCH || pb->end == at->start) &&
			       same_function(way, pb->start, at->start);
		if (pb->end != at->start || insn_decode(ret->bytes, ret->len, ret->addr, &call) ||
		    (call.class != INSN_CALL && call.class != INSN_ICALL))
			return false;
		ret->call = true;
		ret->callee = call.has_target ? call.target : 0;
		return true;
	}
	return false;
}

static size_t insn_before(void *ctx, const struct operand_insn *at, struct operand_insn *ret)
{
	const struct way *way = ctx;
	uint32_t index = (uint32_t)at->pos, block = block_of(way->path, index);

	if (block == PATH_NONE)
		return 0;
	if (index == way->path->blocks[block].first_insn)
		return before_block(way, block, ret);
	to_insn(way->path, index - 1, ret);
	return 1;
}

int path_source_condition(const struct path *path, const struct path_decision *decision,
			  struct symbols *symbols, struct lines *lines,
			  struct operand_condition *ret)
{
	struct way back = {.path = path, .symbols = symbols};
	const struct operand_way way = {
		.lines = lines, .symbols = symbols, .before = insn_before, .ctx = &back};
	struct operand_insn setter, branch;

	if (!symbols || !lines || decision->setter == PATH_NONE)
		return -ENOENT;
	to_insn(path, decision->setter, &setter);
	to_insn(path, decision->insn, &branch);
	return operand_condition(&way, &setter, &branch, decision->taken, ret);
}
