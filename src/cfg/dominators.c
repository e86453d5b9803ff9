// SPDX-License-Identifier: GPL-2.0
#include "cfg/dominators.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cfg/walk.h"
#include "util/cleanup.h"

/* No way leads to the goal. */
#define NO_WAY UINT_MAX
#define NONE   SIZE_MAX

/**
 * struct node - an instruction
 * @next: number of the one that is executed behind it, with @next_branches between; NONE: not there
 * @target: of the one that it branches to, or NONE
 * @branches: from it to the goal
 * @on_way: on one of the shortest ways from the entry to the goal
 * @begins: a basic block begins with it, or it is behind a call
 */
struct node {
	size_t next;
	unsigned int next_branches;
	size_t target;
	unsigned int branches;
	bool goal;
	bool on_way;
	bool begins;
};

static bool is_return(const struct code *code, const struct insn *in)
{
	const struct code_context *context = &code->context;

	if (in->class == INSN_RET)
		return true;
	return in->class == INSN_JMP && !code_has(code, in->target) && context->place &&
	       leave_by_jump(context->place(context->place_ctx, in->target)) == LEAVE_RETURN;
}

static size_t number_of(const struct code *code, uint64_t addr)
{
	const struct insn *in = code_find(code, addr);

	return in ? (size_t)(in - code->insns) : NONE;
}

static void begins_at(struct node *nodes, size_t number)
{
	if (number != NONE)
		nodes[number].begins = true;
}

static struct node *make_nodes(const struct code *code, uint64_t goal, unsigned int call_branches)
{
	struct node *nodes = calloc(code->count + 1, sizeof(*nodes));

	for (size_t i = 0; nodes && i < code->count; i++) {
		const struct insn *in = &code->insns[i];
		bool call = in->class == INSN_CALL || in->class == INSN_ICALL;
		bool goes_on = insn_goes_on(in->class) && !code_never_returns(code, in);
		bool branches = in->class == INSN_COND || in->class == INSN_JMP;

		nodes[i].next = goes_on ? number_of(code, in->addr + in->len) : NONE;
		nodes[i].next_branches = call ? call_branches : 0;
		nodes[i].target = branches ? number_of(code, in->target) : NONE;
		nodes[i].goal = goal ? in->addr == goal : is_return(code, in);
		begins_at(nodes, nodes[i].target);
		if (in->class != INSN_OTHER)
			begins_at(nodes, nodes[i].next);
	}
	return nodes;
}

static unsigned int by_way(const struct node *nodes, size_t next, unsigned int more)
{
	if (next == NONE || nodes[next].branches == NO_WAY)
		return NO_WAY;
	return nodes[next].branches + more;
}

/*
 * Sets the branches of all, with no way through the instruction @without. Most ways lead to higher
 * addresses: from the end on, few rounds are needed.
 */
static void measure(struct node *nodes, size_t count, size_t without)
{
	bool changed = true;

	for (size_t i = 0; i < count; i++)
		nodes[i].branches = nodes[i].goal && i != without ? 0 : NO_WAY;
	while (changed) {
		changed = false;
		for (size_t i = count; i-- > 0;) {
			struct node *node = &nodes[i];
			unsigned int next = by_way(nodes, node->next, node->next_branches);
			unsigned int target = by_way(nodes, node->target, 1);
			unsigned int branches = next < target ? next : target;

			if (i == without || branches >= node->branches)
				continue;
			node->branches = branches;
			changed = true;
		}
	}
}

/* What dominates is on each way from the entry: those on one of them are marked. */
static void mark_one_way(struct node *nodes, size_t entry, size_t count)
{
	size_t at = entry;

	for (size_t i = 0; i < count && !nodes[at].goal; i++) {
		struct node *node = &nodes[at];

		node->on_way = true;
		at = by_way(nodes, node->next, node->next_branches) == node->branches
			     ? node->next
			     : node->target;
	}
	nodes[at].on_way = true;
}

static int nearest_first(const void *a, const void *b)
{
	const struct dominator *one = a, *other = b;

	if (one->branches != other->branches)
		return one->branches < other->branches ? -1 : 1;
	return one->addr < other->addr ? 1 : -1;
}

int dominators_find(const struct code *code, uint64_t addr, unsigned int call_branches,
		    unsigned int max, struct dominator **ret, size_t *ret_count)
{
	_cleanup_free_ struct node *nodes = make_nodes(code, addr, call_branches);
	struct dominator *found = calloc(code->count + 1, sizeof(*found));
	size_t entry = number_of(code, code->parts[0].addr), count = 0, kept = 0;

	*ret = NULL;
	*ret_count = 0;
	if (!nodes || !found) {
		free(found);
		return -ENOMEM;
	}
	measure(nodes, code->count, NONE);
	begins_at(nodes, entry);
	if (entry != NONE && nodes[entry].branches != NO_WAY)
		mark_one_way(nodes, entry, code->count);
	for (size_t i = 0; i < code->count; i++)
		if (nodes[i].on_way && nodes[i].branches <= max && nodes[i].begins &&
		    code->insns[i].addr != addr)
			found[count++] = (struct dominator){.addr = code->insns[i].addr,
							    .branches = nodes[i].branches};
	for (size_t i = 0; i < count; i++) {
		measure(nodes, code->count, number_of(code, found[i].addr));
		if (nodes[entry].branches == NO_WAY)
			found[kept++] = found[i];
	}
	qsort(found, kept, sizeof(*found), nearest_first);
	*ret = found;
	*ret_count = kept;
	return 0;
}
