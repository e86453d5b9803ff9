// SPDX-License-Identifier: GPL-2.0
#include "render/flow_graph.h"

#include <errno.h>
#include <stdlib.h>

#include "util/vector.h"

#define BYTES_MAX (256u << 10)

/* Marks of an instruction. */
#define STARTS_BLOCK 1 /* a basic block starts here */
#define COMES_THERE  2 /* control does, by a jump */

void flow_deinit(struct flow *flow)
{
	code_free(flow->code);
	for (uint32_t i = 0; i < flow->block_count; i++)
		free(flow->blocks[i].edges);
	free(flow->blocks);
}

static void mark(const struct code *code, uint8_t *marks, uint64_t addr)
{
	const struct insn *in = code_find(code, addr);

	if (in)
		marks[in - code->insns] |= STARTS_BLOCK | COMES_THERE;
}

static bool ends_block(const struct insn *in)
{
	return in->class == INSN_COND || !insn_goes_on(in->class);
}

static void mark_branches(const struct code *code, uint8_t *marks)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct insn *in = &code->insns[i];

		if ((in->class == INSN_COND || in->class == INSN_JMP) && in->has_target)
			mark(code, marks, in->target);
		if (!i || ends_block(in - 1) || in[-1].addr + in[-1].len != in->addr)
			marks[i] |= STARTS_BLOCK;
	}
	mark(code, marks, code->parts[0].addr);
}

/* Where the path jumped to: indirect jumps are only known from there. */
static void mark_path(const struct code *code, uint8_t *marks, const struct path *path)
{
	for (uint32_t i = 1; i < path->block_count; i++) {
		const struct path_block *block = &path->blocks[i];

		if (!block->gap && !block[-1].gap && block[-1].end_class == INSN_IJMP)
			mark(code, marks, block->start);
	}
}

static int cut_blocks(struct flow *flow, const uint8_t *marks)
{
	for (size_t i = 0; i < flow->code->count; i++) {
		const struct insn *in = &flow->code->insns[i];
		struct flow_block *block;

		if (marks[i] & STARTS_BLOCK) {
			if (vector_grow(&flow->blocks, flow->block_count, sizeof(*flow->blocks)))
				return -ENOMEM;
			flow->blocks[flow->block_count++] = (struct flow_block){
				.start = in->addr,
				.first = (uint32_t)i,
				.reached = marks[i] & COMES_THERE,
			};
		}
		block = &flow->blocks[flow->block_count - 1];
		block->end = in->addr + in->len;
		block->count++;
	}
	return 0;
}

const struct insn *flow_last(const struct flow *flow, const struct flow_block *block)
{
	return &flow->code->insns[block->first + block->count - 1];
}

uint32_t flow_find(const struct flow *flow, uint64_t addr)
{
	uint32_t first = 0, end = flow->block_count;

	while (first < end) {
		uint32_t middle = first + (end - first) / 2;
		const struct flow_block *block = &flow->blocks[middle];

		if (addr < block->start)
			end = middle;
		else if (addr >= block->end)
			first = middle + 1;
		else
			return middle;
	}
	return PATH_NONE;
}

static int add_edge(struct flow *flow, uint32_t from, uint32_t to, enum flow_kind kind)
{
	struct flow_block *block = &flow->blocks[from];

	if (to == PATH_NONE)
		return 0;
	if (vector_grow(&block->edges, block->edge_count, sizeof(*block->edges)))
		return -ENOMEM;
	block->edges[block->edge_count++] = (struct flow_edge){.kind = kind, .to = to};
	return 0;
}

static int link_block(struct flow *flow, uint32_t index)
{
	struct flow_block *block = &flow->blocks[index];
	const struct insn *in = flow_last(flow, block);
	bool cond = in->class == INSN_COND;
	int err = 0;

	if ((cond || in->class == INSN_JMP) && in->has_target) {
		uint32_t to = flow_find(flow, in->target);

		if (to == PATH_NONE)
			block->leaves = in->target;
		err = add_edge(flow, index, to, cond ? FLOW_TAKEN : FLOW_NEXT);
	}
	if (!err && insn_goes_on(in->class))
		err = add_edge(flow, index, flow_find(flow, block->end),
			       cond ? FLOW_NOT_TAKEN : FLOW_NEXT);
	return err;
}

/* The path went from one block to another; indirect jumps have no edge before they ran. */
static int run_edge(struct flow *flow, uint32_t from, uint32_t to, bool indirect)
{
	struct flow_block *block = &flow->blocks[from];

	for (uint32_t i = 0; i < block->edge_count; i++)
		if (block->edges[i].to == to) {
			block->edges[i].ran++;
			return 0;
		}
	if (!indirect)
		return 0;
	if (add_edge(flow, from, to, FLOW_NEXT))
		return -ENOMEM;
	flow->blocks[from].edges[block->edge_count - 1].ran = 1;
	return 0;
}

void flow_forget(struct flow *flow)
{
	for (uint32_t i = 0; i < flow->block_count; i++) {
		flow->blocks[i].ran = 0;
		for (uint32_t e = 0; e < flow->blocks[i].edge_count; e++)
			flow->blocks[i].edges[e].ran = 0;
	}
}

/** struct walker - @at: block of the function that ran last, in a call at @depth */
struct walker {
	uint32_t at;
	int depth;
};

static int step(struct flow *flow, struct walker *walk, uint64_t addr, int depth, bool indirect)
{
	uint32_t found = flow_find(flow, addr);
	int err = 0;

	if (found == PATH_NONE)
		return 0;
	if (addr == flow->blocks[found].start) {
		flow->blocks[found].ran++;
		if (walk->at != PATH_NONE && walk->depth == depth)
			err = run_edge(flow, walk->at, found, indirect);
	} else if (!flow->blocks[found].ran) {
		flow->blocks[found].ran = 1;
	}
	*walk = (struct walker){found, depth};
	return err;
}

int flow_walk(struct flow *flow, const struct path *path)
{
	struct walker walk = {PATH_NONE, 0};
	int err = 0;

	for (uint32_t b = 0; b < path->block_count && !err; b++) {
		const struct path_block *block = &path->blocks[b];
		bool indirect = b && block[-1].end_class == INSN_IJMP;

		if (block->gap)
			walk.at = PATH_NONE;
		for (uint32_t i = 0; i < block->insn_count && !err; i++)
			err = step(flow, &walk, path->insns[block->first_insn + i].addr,
				   block->depth, indirect && !i);
	}
	/* The trigger stopped before its instruction: control came there all the same. */
	if (!err && path->has_trigger_insn && path->block_count &&
	    !path->blocks[path->block_count - 1].gap)
		err = step(flow, &walk, path->trigger_insn.addr,
			   path->blocks[path->block_count - 1].depth, false);
	return err;
}

static void spread_reached(struct flow *flow)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < flow->block_count; i++) {
			struct flow_block *block = &flow->blocks[i];

			if (!block->reached && !block->ran)
				continue;
			for (uint32_t e = 0; e < block->edge_count; e++) {
				struct flow_block *to = &flow->blocks[block->edges[e].to];

				more |= !to->reached;
				to->reached = true;
			}
		}
	}
}

static int cut(struct flow *flow, const struct path *path)
{
	uint8_t *marks = calloc(1, flow->code->count + 1);
	int err;

	if (!marks)
		return -ENOMEM;
	mark_branches(flow->code, marks);
	mark_path(flow->code, marks, path);
	err = cut_blocks(flow, marks);
	free(marks);
	return err;
}

int flow_build(struct flow *flow, const struct text_source *text, struct symbols *symbols,
	       const struct symbol *function, const struct path *path)
{
	const struct code_context context = {.symbols = symbols};
	int err = function->size > BYTES_MAX ? -EINVAL : 0;

	if (!err)
		err = code_load(text, function->addr, function->size, &context, &flow->code);
	if (!err && flow->code->parts[0].readable < function->size)
		err = -EFAULT;
	if (!err)
		err = cut(flow, path);
	for (uint32_t i = 0; i < flow->block_count && !err; i++)
		err = link_block(flow, i);
	if (!err)
		err = flow_walk(flow, path);
	spread_reached(flow);
	return err;
}
