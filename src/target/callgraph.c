// SPDX-License-Identifier: GPL-2.0
#include "target/callgraph.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "symbolize/place.h"
#include "cfg/returns.h"

/** struct callgraph - @nodes: tsearch() tree by address, as of @version of the symbols */
struct callgraph {
	const struct text_source *text;
	struct symbols *symbols;
	uint64_t version;
	void *nodes;
};

static int by_address(const void *a, const void *b)
{
	const struct callgraph_node *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void node_free(void *memory)
{
	struct callgraph_node *node = memory;

	free(node->calls);
	free(node->errnos);
	free(node);
}

int callgraph_create(const struct text_source *text, struct symbols *symbols,
		     struct callgraph **ret_graph)
{
	struct callgraph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return -ENOMEM;
	graph->text = text;
	graph->symbols = symbols;
	graph->version = symbols_version(symbols);
	*ret_graph = graph;
	return 0;
}

void callgraph_destroy(struct callgraph *graph)
{
	if (!graph)
		return;
	tdestroy(graph->nodes, node_free);
	free(graph);
}

static int keep_exits(struct callgraph_node *node, const struct function_exits *exits)
{
	node->indirect = exits->indirect_calls + exits->indirect_jumps;
	node->calls = calloc(exits->call_count + exits->tail_call_count + 1, sizeof(*node->calls));
	node->errnos = calloc(exits->errno_count + 1, sizeof(*node->errnos));
	if (!node->calls || !node->errnos)
		return -ENOMEM;
	for (size_t i = 0; i < exits->call_count; i++)
		node->calls[node->call_count++] = exits->calls[i];
	for (size_t i = 0; i < exits->tail_call_count; i++)
		node->calls[node->call_count++] = exits->tail_calls[i].target;
	for (size_t i = 0; i < exits->errno_count; i++)
		if (!exits->errnos[i].uncertain)
			node->errnos[node->errno_count++] = exits->errnos[i].err;
	return 0;
}

static int node_read(struct callgraph *graph, const struct symbol *sym, struct callgraph_node *node)
{
	struct code_context context = {
		.place = place_by_symbols,
		.place_ctx = graph->symbols,
		.symbols = graph->symbols,
	};
	struct function_exits *exits;
	int err;

	node->err = function_exits_find(graph->text, sym->addr, sym->size, &context, &exits);
	if (node->err)
		return node->err == -ENOMEM ? -ENOMEM : 0;
	err = keep_exits(node, exits);
	function_exits_free(exits);
	return err;
}

int callgraph_node(struct callgraph *graph, const struct symbol *sym,
		   const struct callgraph_node **ret_node)
{
	struct callgraph_node wanted = {.addr = sym->addr}, *node, **place;
	uint64_t version = symbols_version(graph->symbols);
	int err;

	if (version != graph->version) {
		tdestroy(graph->nodes, node_free);
		graph->nodes = NULL;
		graph->version = version;
	}
	place = tfind(&wanted, &graph->nodes, by_address);
	if (place) {
		*ret_node = *place;
		return 0;
	}
	node = calloc(1, sizeof(*node));
	if (!node)
		return -ENOMEM;
	node->addr = sym->addr;
	err = node_read(graph, sym, node);
	if (!err && !tsearch(node, &graph->nodes, by_address))
		err = -ENOMEM;
	if (err) {
		node_free(node);
		return err;
	}
	*ret_node = node;
	return 0;
}
