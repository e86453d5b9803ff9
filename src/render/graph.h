/* SPDX-License-Identifier: GPL-2.0 */
/* graph.h - control flow of the failing function, the path drawn through it, for Graphviz */
#ifndef LBRSNOOP_RENDER_GRAPH_H
#define LBRSNOOP_RENDER_GRAPH_H

#include <stdio.h>

#include "path/path.h"
#include "render/story.h"
#include "snapshot/snapshot.h"

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

#endif
