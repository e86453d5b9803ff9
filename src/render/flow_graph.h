/* SPDX-License-Identifier: GPL-2.0 */
/* flow_graph.h - basic blocks of a function, and which of them ran; internal to render/graph.c */
#ifndef LBRSNOOP_RENDER_FLOW_GRAPH_H
#define LBRSNOOP_RENDER_FLOW_GRAPH_H

#include "cfg/code.h"
#include "path/path.h"
#include "snapshot/snapshot.h"

/** enum flow_kind - what an edge is */
enum flow_kind {
	FLOW_NEXT = 0, /* straight on, or an unconditional jump */
	FLOW_TAKEN,
	FLOW_NOT_TAKEN,
};

/**
 * struct flow_edge
 * @to: index of a block
 * @ran: how often the path went along it
 */
struct flow_edge {
	enum flow_kind kind;
	uint32_t to;
	uint32_t ran;
};

/**
 * struct flow_block - one basic block; calls do not end it
 * @first: index of its first instruction in struct code, @count of them
 * @leaves: another function's address that its end jumps to; 0 if it does not
 * @ran: how often the path came into it
 * @reached: there is a way into it
 */
struct flow_block {
	uint64_t start;
	uint64_t end;
	uint64_t leaves;
	uint32_t first;
	uint32_t count;
	uint32_t ran;
	bool reached;
	uint32_t edge_count;
	struct flow_edge *edges;
};

/** struct flow - @blocks: by address */
struct flow {
	struct code *code;
	struct flow_block *blocks;
	uint32_t block_count;
};

/**
 * flow_build() - find the blocks of a function, and walk the path through them
 * @flow: all zero; flow_deinit() even on failure
 * @path: rebuilt with @text
 * Return: 0; -EFAULT if the text cannot be read; -EINVAL if it is too long; -ENOMEM.
 */
int flow_build(struct flow *flow, const struct text_source *text, struct symbols *symbols,
	       const struct symbol *function, const struct path *path);

/**
 * flow_walk() - walk another path through the blocks of flow_build(), and count on
 * Return: 0; -ENOMEM.
 */
int flow_walk(struct flow *flow, const struct path *path);

/** flow_forget() - no path has come through it */
void flow_forget(struct flow *flow);

/** flow_find() - index of the block that holds an address; PATH_NONE if none does */
uint32_t flow_find(const struct flow *flow, uint64_t addr);

/** flow_last() - the last instruction of a block */
const struct insn *flow_last(const struct flow *flow, const struct flow_block *block);

/** flow_deinit() - free what @flow holds */
void flow_deinit(struct flow *flow);

#endif
