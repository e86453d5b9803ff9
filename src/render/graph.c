// SPDX-License-Identifier: GPL-2.0
#include "render/graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "path/on_way.h"
#include "path/story.h"
#include "render/escape.h"
#include "render/flow_graph.h"
#include "render/branch_list.h"
#include "util/errno_name.h"
#include "util/vector.h"

/* Rows of a node; what is beyond is told by its address range. */
#define ROWS_MAX    8
#define ROW_COLUMNS 70

/* Deeper than any call of a kernel: its stack has 16 KiB. */
#define CALLERS_MAX 128

struct drawing {
	FILE *out;
	const struct path *path;
	const struct story_view *view;
	struct symbol function;
	struct flow *flow;
	graph_row_fn *row;
	void *row_ctx;
	uint32_t key;	/* block with the decision that led to the error */
	uint32_t error; /* block that made the error */
};

/* One row of a label. */
static void put_row(const struct drawing *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void put_row(const struct drawing *d, const char *fmt, ...)
{
	char raw[400], text[4 * sizeof(raw)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(raw, sizeof(raw), fmt, args);
	va_end(args);
	d->row(d->row_ctx, escape_text(raw, text, sizeof(text)));
}

/* Quoted for DOT, left-adjusted. */
static void put_dot_row(void *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			fputc('\\', out);
		fputc(*p, out);
	}
	fputs("\\l", out);
}

static bool find_line(const struct drawing *d, uint64_t addr, struct srcline *ret)
{
	struct srcline chain[INLINE_DEPTH_MAX];

	if (!d->view->lines || lines_find(d->view->lines, d->function.module, addr, false, chain,
					  INLINE_DEPTH_MAX) <= 0)
		return false;
	*ret = chain[0];
	return ret->line > 0;
}

static void put_source(const struct drawing *d, const struct srcline *line)
{
	const char *text;
	size_t len;

	text = sources_line(d->view->sources, line->file, line->line, &len);
	while (text && len && (*text == ' ' || *text == '\t')) {
		text++;
		len--;
	}
	if (text)
		put_row(d, "%d  %.*s%s", line->line, (int)(len < ROW_COLUMNS ? len : ROW_COLUMNS),
			text, len > ROW_COLUMNS ? "..." : "");
	else
		put_row(d, "%s:%d", basename(line->file), line->line);
}

static bool name_target(void *ctx, uint64_t addr, char *buf, size_t len)
{
	const struct drawing *d = ctx;
	struct symbol sym;

	if (!d->view->symbols || symbols_find(d->view->symbols, addr, &sym))
		return false;
	render_symbol(&sym, sym.addr == d->function.addr, addr, buf, len);
	return true;
}

/* Source lines and calls of a block; without lines calls alone. */
static void put_contents(struct drawing *d, const struct flow_block *block)
{
	struct srcline line, last = {0};
	const struct code *code = d->flow->code;
	uint32_t i;
	int rows = 0;

	for (i = 0; i < block->count && rows < ROWS_MAX; i++) {
		const struct insn *in = &code->insns[block->first + i];

		if (find_line(d, in->addr, &line) &&
		    (line.line != last.line || strcmp(line.file, last.file))) {
			put_source(d, &line);
			last = line;
			rows++;
		}
		if (in->class == INSN_CALL || in->class == INSN_ICALL) {
			char text[INSN_TEXT_MAX];

			insn_format(code_bytes(code, in), in->len, in->addr, INSN_ATT, name_target,
				    d, text, sizeof(text));
			put_row(d, "      %s", text);
			rows++;
		}
	}
	if (i < block->count)
		put_row(d, "...");
}

/* The conditional branch that ends a block; where it ran, in the words of the newest time. */
static void put_decision(struct drawing *d, const struct flow_block *block)
{
	char text[2 * INSN_TEXT_MAX];
	const struct insn *in = flow_last(d->flow, block);

	if (in->class != INSN_COND)
		return;
	for (uint32_t i = d->path && block->ran ? d->path->decision_count : 0; i > 0; i--) {
		const struct path_decision *decision = &d->path->decisions[i - 1];

		if (decision->addr != in->addr)
			continue;
		path_decision_text(d->path, decision, name_target, d, text, sizeof(text));
		put_row(d, "%s", text);
		if (!path_condition(d->path, decision, text, sizeof(text)))
			put_row(d, "%s, as %s", decision->taken ? "taken" : "not taken", text);
		return;
	}
	insn_format(code_bytes(d->flow->code, in), in->len, in->addr, INSN_ATT, name_target, d,
		    text, sizeof(text));
	put_row(d, "%s", text);
}

/* What a block is, does, and where it ends. */
static void put_block(struct drawing *d, const struct flow_block *block)
{
	char name[200];

	if (!name_target(d, block->start, name, sizeof(name)))
		snprintf(name, sizeof(name), "%#" PRIx64, block->start);
	put_row(d, "%s", name);
	put_contents(d, block);
	put_decision(d, block);
	if (block->leaves && name_target(d, block->leaves, name, sizeof(name)))
		put_row(d, "leaves to %s", name);
}

void graph_block_rows(struct flow *flow, const struct flow_block *block,
		      const struct symbol *function, const struct story_view *view,
		      graph_row_fn *row, void *ctx)
{
	struct drawing d = {
		.view = view, .function = *function, .flow = flow, .row = row, .row_ctx = ctx};

	put_block(&d, block);
}

static void put_node(struct drawing *d, uint32_t index)
{
	const struct flow_block *block = &d->flow->blocks[index];

	fprintf(d->out, "  n%" PRIx64 " [label=\"", block->start);
	put_block(d, block);
	if (index == d->error)
		put_row(d, "THE ERROR IS MADE HERE");
	fputs("\"", d->out);
	if (index == d->error || index == d->key)
		fprintf(d->out, ", style=filled, fillcolor=\"%s\", color=\"#b00020\", penwidth=3",
			index == d->error ? "#ffc9c9" : "#ffe3c9");
	else if (block->ran)
		fputs(", style=filled, fillcolor=\"#e3efff\", penwidth=2", d->out);
	else
		fputs(", color=\"#a0a0a0\", fontcolor=\"#808080\"", d->out);
	fputs("];\n", d->out);
}

/* @ran: those alone that the path went along */
static void put_edges(struct drawing *d, uint32_t index, bool ran)
{
	static const char *const names[] = {
		[FLOW_NEXT] = "", [FLOW_TAKEN] = "taken", [FLOW_NOT_TAKEN] = "not taken"};
	const struct flow_block *block = &d->flow->blocks[index];

	for (uint32_t i = 0; i < block->edge_count; i++) {
		const struct flow_edge *edge = &block->edges[i];

		if (ran && !edge->ran)
			continue;
		fprintf(d->out, "  n%" PRIx64 " -> n%" PRIx64 " [label=\"%s", block->start,
			d->flow->blocks[edge->to].start, names[edge->kind]);
		if (edge->ran > 1)
			fprintf(d->out, " × %u", edge->ran);
		fprintf(d->out, "\", %s];\n",
			edge->ran ? "color=\"#b00020\", penwidth=3"
				  : "color=\"#a0a0a0\", fontcolor=\"#808080\"");
	}
}

static int find_function(struct drawing *d, const struct snapshot *snap)
{
	if (!d->view->symbols)
		return -ENOENT;
	if (snap->trigger && snap->trigger->func_addr)
		return symbols_find(d->view->symbols, snap->trigger->func_addr, &d->function);
	for (uint32_t i = d->path->block_count; i > 0; i--)
		if (!d->path->blocks[i - 1].gap)
			return symbols_find(d->view->symbols, d->path->blocks[i - 1].start,
					    &d->function);
	return -ENOENT;
}

static void find_error(struct drawing *d, int err)
{
	uint32_t insn, decision;

	path_find_error(d->path, err, &insn, &decision);
	d->key = d->error = PATH_NONE;
	if (decision != PATH_NONE)
		d->key = flow_find(d->flow, d->path->decisions[decision].addr);
	if (insn != PATH_NONE)
		d->error = flow_find(d->flow, path_insn_addr(d->path, insn));
}

static void put_header(struct drawing *d, const struct snapshot *snap)
{
	fputs("digraph path {\n  label=\"", d->out);
	if (snap->err)
		put_row(d, "%s() = -%s: what ran is drawn bold", d->function.name,
			errno_name(snap->err) ?: "errno");
	else
		put_row(d, "%s(): what ran is drawn bold", d->function.name);
	fputs("\";\n  labelloc=t;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
	      "  edge [fontname=\"monospace\", fontsize=9];\n",
	      d->out);
}

static void put_flow(struct drawing *d)
{
	for (uint32_t i = 0; i < d->flow->block_count; i++)
		if (d->flow->blocks[i].reached || d->flow->blocks[i].ran) {
			put_node(d, i);
			put_edges(d, i, false);
		}
}

/**
 * struct callers - the functions that had not returned at the end of a path, the outermost first
 * @left: of each, block of the path that went on to the next one
 */
struct callers {
	struct on_way way;
	uint32_t *left;
};

static void callers_deinit(struct callers *callers)
{
	free(callers->way.functions);
	free(callers->left);
}

static int callers_find(const struct drawing *d, struct callers *callers)
{
	struct on_way *way = &callers->way;

	for (uint32_t b = 0; b < d->path->block_count; b++) {
		const struct path_block *block = &d->path->blocks[b];
		enum on_way_step step;

		if (block->gap || block->tracing)
			continue;
		if (on_way_arrive(way, d->view->symbols, block->start,
				  b ? block[-1].end_class : INSN_OTHER, &step))
			return -ENOMEM;
		if (step == ON_WAY_NOWHERE)
			continue;
		if (vector_grow(&callers->left, way->count - 1, sizeof(*callers->left)))
			return -ENOMEM;
		callers->left[way->count - 1] = b;
	}
	return 0;
}

/* Of a function that the error was not made in, what ran alone: all of it is no picture. */
static void put_cluster(struct drawing *d)
{
	fprintf(d->out, "  subgraph cluster_%" PRIx64 " {\n  label=\"", d->function.addr);
	put_row(d, "%s(): what ran of it", d->function.name);
	fputs("\";\n", d->out);
	for (uint32_t i = 0; i < d->flow->block_count; i++)
		if (d->flow->blocks[i].ran)
			put_node(d, i);
	fputs("  }\n", d->out);
	for (uint32_t i = 0; i < d->flow->block_count; i++)
		if (d->flow->blocks[i].ran)
			put_edges(d, i, true);
}

/* From the block that left the function, 0: there is none, to the next one's first. */
static void put_call(const struct drawing *d, uint64_t from)
{
	if (from)
		fprintf(d->out,
			"  n%" PRIx64 " -> n%" PRIx64 " [style=dashed, color=\"#b00020\", "
			"penwidth=3];\n",
			from, d->function.addr);
}

/* A function that came back to itself is drawn once. */
static bool is_repeated(const struct on_way *way, size_t first, size_t index)
{
	for (size_t i = first; i < index; i++)
		if (way->functions[i].addr == way->functions[index].addr)
			return true;
	return false;
}

/*
 * Those that led to the function of @d, the outermost first; one without text is left out, as are
 * more than a kernel's stack has room for.
 */
static int put_callers(const struct drawing *d, const struct text_source *text, uint64_t *ret_from)
{
	struct callers callers = {};
	const struct on_way *way = &callers.way;
	int err = callers_find(d, &callers);
	size_t count = 0, first;

	while (count < way->count && way->functions[count].addr != d->function.addr)
		count++;
	first = count > CALLERS_MAX ? count - CALLERS_MAX : 0;
	for (size_t i = first; i < count && err != -ENOMEM; i++) {
		struct flow flow = {};
		struct drawing caller = *d;
		uint32_t left;

		if (is_repeated(way, first, i))
			continue;
		caller.function = way->functions[i];
		caller.flow = &flow;
		caller.key = caller.error = PATH_NONE;
		err = flow_build(&flow, text, d->view->symbols, &caller.function, d->path);
		if (!err) {
			put_cluster(&caller);
			put_call(&caller, *ret_from);
			left = flow_find(&flow, d->path->blocks[callers.left[i]].end - 1);
			*ret_from = left == PATH_NONE ? 0 : flow.blocks[left].start;
		} else {
			*ret_from = 0;
		}
		flow_deinit(&flow);
	}
	callers_deinit(&callers);
	return err == -ENOMEM ? err : 0;
}

static int draw(FILE *out, const struct snapshot *snap, const struct path *path,
		const struct text_source *text, const struct story_view *view, bool callers)
{
	struct flow flow = {};
	struct drawing d = {.out = out,
			    .path = path,
			    .view = view,
			    .flow = &flow,
			    .row = put_dot_row,
			    .row_ctx = out};
	int err = find_function(&d, snap);
	uint64_t from = 0;

	if (err)
		return err;
	err = flow_build(&flow, text, view->symbols, &d.function, path);
	if (err) {
		flow_deinit(&flow);
		return err;
	}
	find_error(&d, snap->err);
	put_header(&d, snap);
	if (callers)
		err = put_callers(&d, text, &from);
	put_flow(&d);
	put_call(&d, from);
	fputs("}\n", out);
	flow_deinit(&flow);
	return err ?: ferror(out) ? -EIO : 0;
}

int render_graph(FILE *out, const struct snapshot *snap, const struct path *path,
		 const struct text_source *text, const struct story_view *view)
{
	return draw(out, snap, path, text, view, false);
}

int render_graph_way(FILE *out, const struct snapshot *snap, const struct path *path,
		     const struct text_source *text, const struct story_view *view)
{
	return draw(out, snap, path, text, view, true);
}
