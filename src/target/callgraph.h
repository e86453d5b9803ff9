/* SPDX-License-Identifier: GPL-2.0 */
/* callgraph.h - which functions a function calls, and the errnos it makes, read once each */
#ifndef LBRSNOOP_TARGET_CALLGRAPH_H
#define LBRSNOOP_TARGET_CALLGRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

struct callgraph;

/**
 * struct callgraph_node - one function
 * @addr: its entry
 * @calls: entries of the functions that it calls by name, then those that it jumps to
 * @errnos: positive errno of each instruction that makes one for certain
 * @indirect: calls and jumps through pointers
 * @err: negative errno if the text cannot be read; then all else is empty
 */
struct callgraph_node {
	uint64_t addr;
	uint64_t *calls;
	size_t call_count;
	uint16_t *errnos;
	size_t errno_count;
	size_t indirect;
	int err;
};

/**
 * callgraph_create() - nothing is read yet
 * @text, @symbols: borrowed, must outlive the graph
 * Return: 0; -ENOMEM.
 */
int callgraph_create(const struct text_source *text, struct symbols *symbols,
		     struct callgraph **ret_graph);

/** callgraph_destroy() - free; NULL is fine */
void callgraph_destroy(struct callgraph *graph);

/**
 * callgraph_node() - what is known of a function; its text is decoded the first time
 * All is read again when the symbols have changed: a module may be where another one was.
 * @ret_node: valid until the symbols change; set on success only
 * Return: 0; -ENOMEM.
 */
int callgraph_node(struct callgraph *graph, const struct symbol *sym,
		   const struct callgraph_node **ret_node);

#endif
