/* SPDX-License-Identifier: GPL-2.0 */
/* graph.h - control flow of the failing function, the path drawn through it, for Graphviz */
#ifndef LBRSNOOP_RENDER_GRAPH_H
#define LBRSNOOP_RENDER_GRAPH_H

#include <stdio.h>

#include "path/path.h"
#include "render/story/story.h"
#include "snapshot/snapshot.h"

struct flow;
struct flow_block;

/** typedef graph_row_fn - takes a row of a block's text, with control characters made visible */
typedef void graph_row_fn(void *ctx, const char *text);

/**
 * graph_block_rows() - what a block is, its source lines and calls, the branch at its end
 * @view: symbols, lines and sources are used
 */
void graph_block_rows(struct flow *flow, const struct flow_block *block,
		      const struct symbol *function, const struct story_view *view,
		      graph_row_fn *row, void *ctx);

/**
 * render_graph() - write the graph of one snapshot in the DOT language
 * The function is the trigger's, where it has none the one that the path ends in; the part that
 * compilers move out (.cold) belongs to it. Arms of jump tables are only known where they ran.
 * @path: rebuilt from @snap
 * @text: the same that @path was built with
 * @view: symbols, lines and sources are used
 * Return: 0; -ENOENT if there is no such function; -EFAULT if its text cannot be read; -ENOMEM.
 */
int render_graph(FILE *out, const struct snapshot *snap, const struct path *path,
		 const struct text_source *text, const struct story_view *view);

/**
 * render_graph_way() - the same, and before it what ran of each function that had called it and not
 * returned by then
 * @path: of path_build_way()
 */
int render_graph_way(FILE *out, const struct snapshot *snap, const struct path *path,
		     const struct text_source *text, const struct story_view *view);

#endif
