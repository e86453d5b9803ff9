// SPDX-License-Identifier: GPL-2.0
/* html_json.c - the data of a page, which its script reads */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "render/html/html_store.h"
#include "render/json_writer.h"

static void put_strings(struct json_writer *w, const char *name, const struct html_strings *strings)
{
	jw_key(w, name);
	jw_open(w, '[');
	for (uint32_t i = 0; i < strings->table.count; i++)
		jw_string(w, html_text(strings, i));
	jw_close(w, ']');
}

static void put_numbers(struct json_writer *w, const char *name, const uint32_t *items,
			size_t count)
{
	jw_key(w, name);
	jw_open(w, '[');
	for (size_t i = 0; i < count; i++)
		jw_integer(w, items[i]);
	jw_close(w, ']');
}

static void put_blocks(struct json_writer *w, const struct html_function *function)
{
	const struct flow *flow = &function->flow;
	const uint32_t *rows = function->rows;

	jw_key(w, "blocks");
	jw_open(w, '[');
	for (uint32_t i = 0; i < flow->block_count; i++) {
		const struct flow_block *block = &flow->blocks[i];

		jw_open(w, '{');
		put_numbers(w, "rows", rows, function->row_counts[i]);
		rows += function->row_counts[i];
		jw_key(w, "edges");
		jw_open(w, '[');
		for (uint32_t e = 0; e < block->edge_count; e++) {
			jw_integer(w, block->edges[e].to);
			jw_integer(w, block->edges[e].kind);
		}
		jw_close(w, ']');
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

static void put_function(struct json_writer *w, const struct html_function *function)
{
	jw_open(w, '{');
	jw_put_integer(w, "name", function->name);
	jw_put_integer(w, "module", function->module);
	put_blocks(w, function);
	/* file, line, text, has it code? */
	jw_key(w, "lines");
	jw_open(w, '[');
	for (uint32_t i = 0; i < function->line_count; i++) {
		jw_integer(w, function->lines[i].file);
		jw_integer(w, function->lines[i].line);
		jw_integer(w, function->lines[i].text);
		jw_integer(w, function->lines[i].code);
	}
	jw_close(w, ']');
	jw_close(w, '}');
}

static void put_known(struct json_writer *w, const char *name, uint32_t number)
{
	jw_put_known(w, name, number != HTML_NONE, number);
}

static void put_run(struct json_writer *w, const struct html_run *run)
{
	jw_open(w, '{');
	jw_put_integer(w, "function", run->function);
	put_numbers(w, "blocks", run->block_count ? run->blocks[0] : NULL,
		    3 * (size_t)run->block_count);
	put_numbers(w, "edges", run->edge_count ? run->edges[0] : NULL,
		    3 * (size_t)run->edge_count);
	put_numbers(w, "lines", run->lines, run->line_count);
	put_known(w, "key_block", run->key_block);
	put_known(w, "error_block", run->error_block);
	put_known(w, "key_line", run->key_line);
	put_known(w, "error_line", run->error_line);
	jw_close(w, '}');
}

/* Nanoseconds since 1970 are no numbers to JavaScript. */
static void put_time(struct json_writer *w, const char *name, uint64_t ts_ns)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, ts_ns);
	jw_put_string(w, name, text);
}

static void put_path(struct json_writer *w, const struct html_path *path)
{
	jw_open(w, '{');
	jw_put_ident(w, "id", path->taken.ident);
	jw_put_integer(w, "count", (int64_t)path->taken.count);
	put_time(w, "first", path->taken.first_ns);
	put_time(w, "last", path->taken.last_ns);
	jw_put_integer(w, "function", path->function);
	jw_put_integer(w, "target", path->target);
	jw_put_integer(w, "kind", path->kind);
	jw_put_integer(w, "errno", path->errname);
	jw_put_integer(w, "place", path->place);
	jw_put_integer(w, "reason", path->reason);
	jw_put_bool(w, "in_case", path->in_case);
	jw_put_bool(w, "detailed", path->detailed);
	jw_put_integer(w, "record", path->record);
	jw_put_integer(w, "context", path->context);
	put_numbers(w, "rows", path->row_count ? path->rows[0] : NULL, 2 * (size_t)path->row_count);
	jw_key(w, "runs");
	jw_open(w, '[');
	for (uint32_t i = 0; i < path->run_count; i++)
		put_run(w, &path->runs[i]);
	jw_close(w, ']');
	jw_close(w, '}');
}

/*
 * Columns, not rows: a fifth of the bytes. Times are in microseconds since the snapshot before,
 * the first since "start".
 */
static void put_snapshots(struct json_writer *w, const struct html_report *report)
{
	const struct html_snapshot *rows = report->snapshots;
	uint64_t before = report->snapshot_count ? rows[0].ts_ns : 0;

	jw_key(w, "snapshots");
	jw_open(w, '{');
	put_time(w, "start", before);
	jw_key(w, "time");
	jw_open(w, '[');
	for (uint32_t i = 0; i < report->snapshot_count; i++) {
		jw_integer(w, (int64_t)(rows[i].ts_ns / 1000) - (int64_t)(before / 1000));
		before = rows[i].ts_ns;
	}
	jw_close(w, ']');
#define PUT_COLUMN(member)                                                                         \
	do {                                                                                       \
		jw_key(w, #member);                                                                \
		jw_open(w, '[');                                                                   \
		for (uint32_t i = 0; i < report->snapshot_count; i++)                              \
			jw_integer(w, rows[i].member);                                             \
		jw_close(w, ']');                                                                  \
	} while (0)
	PUT_COLUMN(path);
	PUT_COLUMN(cpu);
	PUT_COLUMN(pid);
	PUT_COLUMN(comm);
	PUT_COLUMN(machine);
#undef PUT_COLUMN
	jw_close(w, '}');
}

static void put_report(struct json_writer *w, const struct html_report *report)
{
	jw_put_integer(w, "total", (int64_t)report->counts.snapshots);
	jw_put_integer(w, "others", (int64_t)report->counts.left_out);
	jw_put_integer(w, "lost", (int64_t)report->counts.lost);
	put_numbers(w, "inputs", report->inputs, report->input_count);
	put_numbers(w, "machines", report->machine_count ? report->machines[0] : NULL,
		    3 * (size_t)report->machine_count);
	jw_key(w, "functions");
	jw_open(w, '[');
	for (uint32_t i = 0; i < report->function_count; i++)
		put_function(w, &report->functions[i]);
	jw_close(w, ']');
	jw_key(w, "paths");
	jw_open(w, '[');
	for (size_t i = 0; i < report->counts.paths.count; i++)
		put_path(w, html_path(report, i));
	jw_close(w, ']');
	put_snapshots(w, report);
	put_strings(w, "rows", &report->rows);
	put_strings(w, "strings", &report->strings);
}

/* These characters stand in strings alone: JSON itself has none of them. */
static void put_inert(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '<' || text[i] == '>' || text[i] == '&')
			fprintf(out, "\\u%04x", (unsigned int)text[i]);
		else
			putc_unlocked(text[i], out);
}

int html_json(const struct html_report *report, FILE *out)
{
	struct json_writer w = {};

	jw_open(&w, '{');
	put_report(&w, report);
	jw_close(&w, '}');
	if (!w.failed)
		put_inert(out, w.buf, w.len);
	free(w.buf);
	return w.failed ? -ENOMEM : ferror(out) ? -EIO : 0;
}
