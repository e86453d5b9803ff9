// SPDX-License-Identifier: GPL-2.0
/* html_function.c - the functions that paths decide in: blocks and lines once, what ran each time
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "path/names.h"
#include "path/story.h"
#include "render/graph.h"
#include "render/html/html_store.h"
#include "symbolize/cold_part.h"
#include "symbolize/debug/source_file.h"
#include "util/vector.h"

/* Further functions of a path, and those of more blocks, have no picture. */
#define PATH_FUNCTIONS_MAX 6
#define FUNCTIONS_MAX	   2048u
#define BLOCKS_MAX	   2000u
/* Longest text of a function that is shown in full; of a longer one the lines that have code. */
#define FUNCTION_LINES_MAX 1500
#define LINE_BYTES	   1000

void html_function_deinit(struct html_function *function)
{
	flow_deinit(&function->flow);
	free(function->rows);
	free(function->row_counts);
	free(function->lines);
	free(function->insns);
	free(function->insn_lines);
}

void html_runs_deinit(struct html_path *path)
{
	for (uint32_t i = 0; i < path->run_count; i++) {
		free(path->runs[i].blocks);
		free(path->runs[i].edges);
		free(path->runs[i].lines);
	}
	free(path->runs);
}

/** struct adding - what is under way; @function: that is being read; @err: 0, or -ENOMEM */
struct adding {
	struct html_report *report;
	const struct story_view *view;
	struct html_function *function;
	int err;
};

static void add_block_row(void *ctx, const char *text)
{
	struct adding *adding = ctx;
	struct html_function *function = adding->function;
	uint32_t number = html_string(&adding->report->strings, text);

	if (number == HTML_NONE ||
	    vector_grow(&function->rows, function->row_total, sizeof(*function->rows))) {
		adding->err = -ENOMEM;
		return;
	}
	function->rows[function->row_total++] = number;
}

static int add_block_rows(struct adding *adding, const struct symbol *sym)
{
	struct html_function *function = adding->function;
	struct flow *flow = &function->flow;

	function->row_counts = calloc(flow->block_count + 1, sizeof(*function->row_counts));
	if (!function->row_counts)
		return -ENOMEM;
	for (uint32_t i = 0; i < flow->block_count; i++) {
		uint32_t before = function->row_total;

		graph_block_rows(flow, &flow->blocks[i], sym, adding->view, add_block_row, adding);
		function->row_counts[i] = function->row_total - before;
	}
	return adding->err;
}

static uint32_t line_text(struct adding *adding, const char *file, int line)
{
	const char *text;
	char copy[LINE_BYTES + 1];
	size_t len;

	text = sources_line(adding->view->sources, file, line, &len);
	if (!text)
		return 0;
	len = len < LINE_BYTES ? len : LINE_BYTES;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return html_string(&adding->report->strings, copy);
}

/* Number of a line among the function's; HTML_NONE without memory. */
static uint32_t add_line(struct adding *adding, const char *file, int number, bool code)
{
	struct html_function *function = adding->function;
	struct html_line line = {
		.file = html_string(&adding->report->strings, file), .line = number, .code = code};

	for (uint32_t i = function->line_count; i-- > 0;)
		if (function->lines[i].line == number && function->lines[i].file == line.file)
			return i;
	line.text = line_text(adding, file, number);
	if (line.file == HTML_NONE || line.text == HTML_NONE ||
	    vector_grow(&function->lines, function->line_count, sizeof(*function->lines)))
		return HTML_NONE;
	function->lines[function->line_count] = line;
	return function->line_count++;
}

static int add_insn(struct adding *adding, const struct symbol *sym, uint64_t addr)
{
	struct html_function *function = adding->function;
	struct srcline chain[INLINE_DEPTH_MAX];
	int frames =
		lines_find(adding->view->lines, sym->module, addr, false, chain, INLINE_DEPTH_MAX);
	struct html_insn insn = {.addr = addr, .first = function->insn_line_count};

	for (int i = 0; i < frames; i++) {
		uint32_t line = HTML_NONE;

		if (!chain[i].line || !*chain[i].file)
			continue;
		line = add_line(adding, chain[i].file, chain[i].line, true);
		if (line == HTML_NONE ||
		    vector_grow(&function->insn_lines, function->insn_line_count,
				sizeof(*function->insn_lines)))
			return -ENOMEM;
		function->insn_lines[function->insn_line_count++] = line;
	}
	insn.count = function->insn_line_count - insn.first;
	if (vector_grow(&function->insns, function->insn_count, sizeof(*function->insns)))
		return -ENOMEM;
	function->insns[function->insn_count++] = insn;
	return 0;
}

/* What stands between the lines that have code is shown with them, if its text is there. */
static int add_lines_between(struct adding *adding, const struct symbol *sym)
{
	struct html_function *function = adding->function;
	struct srcline chain[INLINE_DEPTH_MAX];
	int frames = lines_find(adding->view->lines, sym->module, sym->addr, false, chain,
				INLINE_DEPTH_MAX);
	const struct srcline *own = frames > 0 ? &chain[frames - 1] : NULL;
	uint32_t file = own ? html_string(&adding->report->strings, own->file) : 0;
	int first, last;

	if (!own || !own->line)
		return file == HTML_NONE ? -ENOMEM : 0;
	first = own->decl_line && own->decl_line < own->line ? own->decl_line : own->line;
	last = first;
	for (uint32_t i = 0; i < function->line_count; i++)
		if (function->lines[i].file == file && function->lines[i].line > last &&
		    function->lines[i].line < first + FUNCTION_LINES_MAX)
			last = function->lines[i].line;
	for (int line = first; line <= last; line++) {
		size_t len;

		if (sources_line(adding->view->sources, own->file, line, &len) &&
		    add_line(adding, own->file, line, false) == HTML_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int compare_insns(const void *a, const void *b)
{
	const struct html_insn *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int add_lines(struct adding *adding, const struct symbol *sym)
{
	struct html_function *function = adding->function;
	const struct flow *flow = &function->flow;
	int err = 0;

	for (uint32_t i = 0; i < flow->block_count && adding->view->lines && !err; i++) {
		const struct flow_block *block = &flow->blocks[i];

		if (!block->reached && !block->ran)
			continue;
		for (uint32_t n = 0; n < block->count && !err; n++)
			err = add_insn(adding, sym, flow->code->insns[block->first + n].addr);
	}
	if (!err && function->line_count)
		err = add_lines_between(adding, sym);
	if (function->insn_count)
		qsort(function->insns, function->insn_count, sizeof(*function->insns),
		      compare_insns);
	return err;
}

/* Number of a function; HTML_NONE with @adding->err, or without one: there are too many. */
static uint32_t find_function(struct adding *adding, const struct path *path,
			      const struct symbol *sym)
{
	struct html_report *report = adding->report;
	struct html_function *function;
	int err;

	for (uint32_t i = report->function_count; i-- > 0;)
		if (report->functions[i].addr == sym->addr &&
		    report->functions[i].symbols == adding->view->symbols)
			return i;
	if (report->function_count >= FUNCTIONS_MAX)
		return HTML_NONE;
	adding->err =
		vector_grow(&report->functions, report->function_count, sizeof(*report->functions));
	if (adding->err)
		return HTML_NONE;
	function = &report->functions[report->function_count++];
	*function = (struct html_function){
		.symbols = adding->view->symbols,
		.addr = sym->addr,
		.name = html_string(&report->strings, sym->name),
		.module = html_string(&report->strings, sym->module),
	};
	if (function->name == HTML_NONE || function->module == HTML_NONE) {
		adding->err = -ENOMEM;
		return HTML_NONE;
	}
	adding->function = function;
	err = flow_build(&function->flow, path->text, adding->view->symbols, sym, path);
	if (err || function->flow.block_count > BLOCKS_MAX) {
		flow_deinit(&function->flow);
		function->flow = (struct flow){};
		adding->err = err == -ENOMEM ? err : 0;
		return report->function_count - 1;
	}
	adding->err = add_block_rows(adding, sym) ?: add_lines(adding, sym);
	return report->function_count - 1;
}

/* The function an address is of; what the compiler moved out of one belongs to it. */
static bool function_of(struct symbols *symbols, uint64_t addr, struct symbol *ret)
{
	struct symbol whole;

	if (symbols_find(symbols, addr, ret))
		return false;
	if (!cold_part_whole(symbols, ret, 0, &whole))
		*ret = whole;
	return true;
}

static void mark_lines(const struct html_function *function, uint64_t addr, bool *ran,
		       uint32_t *ret_innermost)
{
	const struct html_insn wanted = {.addr = addr};
	const struct html_insn *insn = NULL;

	if (function->insn_count)
		insn = bsearch(&wanted, function->insns, function->insn_count,
			       sizeof(*function->insns), compare_insns);
	if (!insn || !insn->count)
		return;
	for (uint32_t i = 0; ran && i < insn->count; i++)
		ran[function->insn_lines[insn->first + i]] = true;
	if (ret_innermost)
		*ret_innermost = function->insn_lines[insn->first];
}

static int add_run_lines(const struct html_function *function, const struct path *path,
			 struct html_run *run)
{
	bool *ran = calloc(function->line_count + 1, sizeof(*ran));
	int err = ran ? 0 : -ENOMEM;

	for (uint32_t i = 0; ran && i < path->insn_count; i++)
		mark_lines(function, path->insns[i].addr, ran, NULL);
	/* Where the breakpoint stands, the function has come to. */
	if (ran && path->has_trigger_insn)
		mark_lines(function, path->trigger_insn.addr, ran, NULL);
	for (uint32_t i = 0; ran && i < function->line_count && !err; i++) {
		if (!ran[i])
			continue;
		err = vector_grow(&run->lines, run->line_count, sizeof(*run->lines));
		if (!err)
			run->lines[run->line_count++] = i;
	}
	free(ran);
	return err;
}

/* What held at the newest decision of a block; "" if it has none, or there are no words for it. */
static uint32_t condition_of(struct adding *adding, const struct path *path, uint64_t addr)
{
	char text[CONDITION_MAX + 40], condition[CONDITION_MAX];
	struct operand_condition named;

	for (uint32_t i = path->decision_count; i-- > 0;) {
		const struct path_decision *decision = &path->decisions[i];
		const char *words = condition;

		if (decision->addr != addr)
			continue;
		if (!path_names_find(adding->view->names, path, decision, adding->view->symbols,
				     adding->view->lines, &named))
			words = named.text;
		else if (path_condition(path, decision, condition, sizeof(condition)))
			words = "";
		snprintf(text, sizeof(text), "%s%s%s", decision->taken ? "taken" : "not taken",
			 *words ? ", as " : "", words);
		return html_string(&adding->report->strings, text);
	}
	return 0;
}

static int add_run_blocks(struct adding *adding, const struct path *path,
			  const struct html_function *function, struct html_run *run)
{
	const struct flow *flow = &function->flow;

	for (uint32_t i = 0; i < flow->block_count; i++) {
		const struct flow_block *block = &flow->blocks[i];

		if (!block->ran)
			continue;
		if (vector_grow(&run->blocks, run->block_count, sizeof(*run->blocks)))
			return -ENOMEM;
		run->blocks[run->block_count][0] = i;
		run->blocks[run->block_count][1] = block->ran;
		run->blocks[run->block_count][2] =
			condition_of(adding, path, flow_last(&function->flow, block)->addr);
		if (run->blocks[run->block_count++][2] == HTML_NONE)
			return -ENOMEM;
		for (uint32_t e = 0; e < block->edge_count; e++) {
			if (!block->edges[e].ran)
				continue;
			if (vector_grow(&run->edges, run->edge_count, sizeof(*run->edges)))
				return -ENOMEM;
			run->edges[run->edge_count][0] = i;
			run->edges[run->edge_count][1] = e;
			run->edges[run->edge_count++][2] = block->edges[e].ran;
		}
	}
	return 0;
}

static int add_run(struct adding *adding, const struct path *path, const struct snapshot *snap,
		   const struct symbol *sym, struct html_path *entry)
{
	struct html_run run = {.key_block = HTML_NONE,
			       .error_block = HTML_NONE,
			       .key_line = HTML_NONE,
			       .error_line = HTML_NONE};
	uint32_t insn = PATH_NONE, key = PATH_NONE;
	struct html_function *function;
	int err;

	run.function = find_function(adding, path, sym);
	if (adding->err || run.function == HTML_NONE)
		return adding->err;
	for (uint32_t i = 0; i < entry->run_count; i++)
		if (entry->runs[i].function == run.function)
			return 0;
	function = &adding->report->functions[run.function];
	if (!function->flow.block_count)
		return 0;
	if (vector_grow(&entry->runs, entry->run_count, sizeof(*entry->runs)))
		return -ENOMEM;
	flow_forget(&function->flow);
	err = flow_walk(&function->flow, path);
	if (snap->err)
		path_find_error(path, snap->err, &insn, &key);
	if (key != PATH_NONE) {
		run.key_block = flow_find(&function->flow, path->decisions[key].addr);
		mark_lines(function, path->decisions[key].addr, NULL, &run.key_line);
	}
	if (insn != PATH_NONE) {
		run.error_block = flow_find(&function->flow, path_insn_addr(path, insn));
		mark_lines(function, path_insn_addr(path, insn), NULL, &run.error_line);
	}
	err = err ?: add_run_blocks(adding, path, function, &run);
	err = err ?: add_run_lines(function, path, &run);
	entry->runs[entry->run_count++] = run;
	return err;
}

int html_runs_add(struct html_report *report, const struct path *path, const struct snapshot *snap,
		  const struct story_view *view, struct html_path *ret_path)
{
	struct adding adding = {.report = report, .view = view};
	uint32_t insn = PATH_NONE, key = PATH_NONE;
	uint64_t last = 0;
	struct symbol sym;
	int err = 0;

	if (!view->symbols || !path->text->read)
		return 0;
	if (snap->err)
		path_find_error(path, snap->err, &insn, &key);
	if (insn != PATH_NONE && function_of(view->symbols, path_insn_addr(path, insn), &sym))
		err = add_run(&adding, path, snap, &sym, ret_path);
	for (uint32_t i = path->decision_count;
	     i-- > 0 && !err && ret_path->run_count < PATH_FUNCTIONS_MAX;) {
		const struct path_decision *decision = &path->decisions[i];
		const struct path_block *block = &path->blocks[decision->block];

		if (block->tracing || block->interrupt ||
		    !function_of(view->symbols, decision->addr, &sym) || sym.addr == last)
			continue;
		last = sym.addr;
		err = add_run(&adding, path, snap, &sym, ret_path);
	}
	return err;
}
