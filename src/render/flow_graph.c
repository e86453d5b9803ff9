// SPDX-License-Identifier: GPL-2.0
#include "render/flow_graph.h"

#include <errno.h>
#include <stdlib.h>

#include "util/vector.h"

/* Marks of a byte of text. */
#define STARTS_INSN  1 /* an instruction starts here */
#define STARTS_BLOCK 2 /* a basic block does */
#define COMES_THERE  4 /* by a jump */

int flow_add_part(struct flow *flow, const struct text_source *text, uint64_t addr, uint64_t size)
{
	struct flow_part *part = &flow->parts[flow->part_count];

	if (!size || size > FLOW_BYTES_MAX || flow->part_count == FLOW_PARTS_MAX)
		return -EINVAL;
	*part = (struct flow_part){
		.addr = addr, .size = size, .bytes = malloc(size), .marks = calloc(1, size)};
	flow->part_count++;
	if (!part->bytes || !part->marks)
		return -ENOMEM;
	return text->read(text->ctx, addr, part->bytes, size);
}

void flow_deinit(struct flow *flow)
{
	for (uint32_t i = 0; i < flow->part_count; i++) {
		free(flow->parts[i].bytes);
		free(flow->parts[i].marks);
	}
	for (uint32_t i = 0; i < flow->block_count; i++)
		free(flow->blocks[i].edges);
	free(flow->blocks);
}

static const struct flow_part *part_of(const struct flow *flow, uint64_t addr)
{
	for (uint32_t i = 0; i < flow->part_count; i++)
		if (addr - flow->parts[i].addr < flow->parts[i].size)
			return &flow->parts[i];
	return NULL;
}

int flow_insn(const struct flow *flow, uint64_t addr, struct insn *ret, const uint8_t **ret_bytes)
{
	const struct flow_part *part = part_of(flow, addr);

	if (!part)
		return -EFAULT;
	*ret_bytes = part->bytes + (addr - part->addr);
	return insn_decode(*ret_bytes, part->size - (addr - part->addr), addr, ret);
}

static void mark(const struct flow *flow, uint64_t addr, uint8_t bits)
{
	const struct flow_part *part = part_of(flow, addr);

	if (part)
		part->marks[addr - part->addr] |= bits;
}

/* Calls come back. */
static bool goes_on(enum insn_class class)
{
	return class == INSN_CALL || class == INSN_ICALL || insn_falls_through(class);
}

static bool ends_block(const struct insn *in)
{
	return in->class == INSN_COND || !goes_on(in->class);
}

static void mark_part(const struct flow *flow, const struct flow_part *part)
{
	uint64_t off = 0;

	while (off < part->size) {
		struct insn in;

		if (insn_decode(part->bytes + off, part->size - off, part->addr + off, &in)) {
			off++;
			continue;
		}
		part->marks[off] |= STARTS_INSN;
		if ((in.class == INSN_COND || in.class == INSN_JMP) && in.has_target)
			mark(flow, in.target, STARTS_BLOCK | COMES_THERE);
		off += in.len;
		if (ends_block(&in) && off < part->size)
			part->marks[off] |= STARTS_BLOCK;
	}
}

/* Where the path jumped to: indirect jumps are only known from there. */
static void mark_path(const struct flow *flow, const struct path *path)
{
	for (uint32_t i = 1; i < path->block_count; i++) {
		const struct path_block *block = &path->blocks[i];

		if (!block->gap && !block[-1].gap && block[-1].end_class == INSN_IJMP)
			mark(flow, block->start, STARTS_BLOCK | COMES_THERE);
	}
}

static int add_block(struct flow *flow, uint64_t start)
{
	if (vector_grow(&flow->blocks, flow->block_count, sizeof(*flow->blocks)))
		return -ENOMEM;
	flow->blocks[flow->block_count++] = (struct flow_block){.start = start, .last = start};
	return 0;
}

static int cut_part(struct flow *flow, const struct flow_part *part)
{
	bool open = false;

	for (uint64_t off = 0; off < part->size; off++) {
		struct insn in;

		if (!(part->marks[off] & STARTS_INSN))
			continue;
		if (!open || part->marks[off] & STARTS_BLOCK) {
			if (add_block(flow, part->addr + off))
				return -ENOMEM;
			flow->blocks[flow->block_count - 1].reached =
				part->marks[off] & COMES_THERE || (!off && part == &flow->parts[0]);
			open = true;
		}
		if (insn_decode(part->bytes + off, part->size - off, part->addr + off, &in))
			continue;
		flow->blocks[flow->block_count - 1].last = part->addr + off;
		flow->blocks[flow->block_count - 1].end = part->addr + off + in.len;
	}
	return 0;
}

/* The blocks of one part ascend, and the parts stand one after the other. */
static uint32_t find_among(const struct flow *flow, uint32_t first, uint32_t end, uint64_t addr)
{
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

uint32_t flow_find(const struct flow *flow, uint64_t addr)
{
	uint32_t found = find_among(flow, 0, flow->second_part, addr);

	return found != PATH_NONE ? found
				  : find_among(flow, flow->second_part, flow->block_count, addr);
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
	const uint8_t *bytes;
	struct insn in;
	bool cond;
	int err = 0;

	if (flow_insn(flow, block->last, &in, &bytes))
		return 0;
	cond = in.class == INSN_COND;
	if ((cond || in.class == INSN_JMP) && in.has_target) {
		uint32_t to = flow_find(flow, in.target);

		if (to == PATH_NONE)
			block->leaves = in.target;
		err = add_edge(flow, index, to, cond ? FLOW_TAKEN : FLOW_NEXT);
	}
	if (!err && goes_on(in.class))
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

int flow_walk(struct flow *flow, const struct path *path)
{
	uint32_t at = PATH_NONE;
	int depth = 0, err = 0;

	for (uint32_t b = 0; b < path->block_count && !err; b++) {
		const struct path_block *block = &path->blocks[b];
		bool indirect = b && block[-1].end_class == INSN_IJMP;

		if (block->gap)
			at = PATH_NONE;
		for (uint32_t i = 0; i < block->insn_count && !err; i++) {
			uint64_t addr = path->insns[block->first_insn + i].addr;
			uint32_t found = flow_find(flow, addr);

			if (found == PATH_NONE)
				continue;
			if (addr == flow->blocks[found].start) {
				flow->blocks[found].ran++;
				if (at != PATH_NONE && depth == block->depth)
					err = run_edge(flow, at, found, indirect && !i);
			} else if (!flow->blocks[found].ran) {
				flow->blocks[found].ran = 1;
			}
			at = found;
			depth = block->depth;
		}
	}
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

int flow_build(struct flow *flow, const struct path *path)
{
	int err = 0;

	for (uint32_t i = 0; i < flow->part_count; i++)
		mark_part(flow, &flow->parts[i]);
	mark_path(flow, path);
	for (uint32_t i = 0; i < flow->part_count && !err; i++) {
		err = cut_part(flow, &flow->parts[i]);
		if (!i)
			flow->second_part = flow->block_count;
	}
	for (uint32_t i = 0; i < flow->block_count && !err; i++)
		err = link_block(flow, i);
	if (!err)
		err = flow_walk(flow, path);
	spread_reached(flow);
	return err;
}
