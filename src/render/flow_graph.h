/* SPDX-License-Identifier: GPL-2.0 */
/* flow_graph.h - basic blocks of a function, and which of them ran; internal to render/graph.c */
#ifndef LBRSNOOP_RENDER_FLOW_GRAPH_H
#define LBRSNOOP_RENDER_FLOW_GRAPH_H

#include "path/path.h"
#include "snapshot/snapshot.h"

#define FLOW_BYTES_MAX (256u << 10)
#define FLOW_PARTS_MAX 2

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
 * @last: address of its last instruction
 * @leaves: another function's address that its end jumps to; 0 if it does not
 * @ran: how often the path came into it
 * @reached: there is a way into it
 */
struct flow_block {
	uint64_t start;
	uint64_t end;
	uint64_t last;
	uint64_t leaves;
	uint32_t ran;
	bool reached;
	uint32_t edge_count;
	struct flow_edge *edges;
};

/** struct flow_part - a stretch of the function's text */
struct flow_part {
	uint64_t addr;
	uint64_t size;
	uint8_t *bytes;
	uint8_t *marks;
};

/** struct flow - @second_part: index of the first block that is not of the first part */
struct flow {
	struct flow_part parts[FLOW_PARTS_MAX];
	uint32_t part_count;
	struct flow_block *blocks;
	uint32_t block_count;
	uint32_t second_part;
};

/**
 * flow_add_part() - read a stretch of text
 * Return: 0; -EFAULT; -EINVAL if it is too long; -ENOMEM.
 */
int flow_add_part(struct flow *flow, const struct text_source *text, uint64_t addr, uint64_t size);

/**
 * flow_build() - find the blocks, and walk the path through them
 * Return: 0; -ENOMEM.
 */
int flow_build(struct flow *flow, const struct path *path);

/**
 * flow_walk() - walk another path through the blocks of flow_build(), and count on
 * Return: 0; -ENOMEM.
 */
int flow_walk(struct flow *flow, const struct path *path);

/** flow_forget() - no path has come through it */
void flow_forget(struct flow *flow);

/** flow_find() - index of the block that holds an address; PATH_NONE if none does */
uint32_t flow_find(const struct flow *flow, uint64_t addr);

/** flow_insn() - decode an instruction of the function; 0, or negative errno */
int flow_insn(const struct flow *flow, uint64_t addr, struct insn *ret, const uint8_t **ret_bytes);

/** flow_deinit() - free what @flow holds */
void flow_deinit(struct flow *flow);

#endif
