// SPDX-License-Identifier: GPL-2.0
/* html_report.c - what snapshots come to, until the page is written */
#include "render/html/html_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/backtrace.h"
#include "render/branch_list.h"
#include "render/color.h"
#include "render/escape.h"
#include "render/html/html_store.h"
#include "render/story/story_rows.h"
#include "util/errno_name.h"
#include "util/fnv.h"
#include "util/vector.h"

/* A line of the kernel's log, each byte made visible as \xNN. */
#define LOG_TEXT_BYTES (4 * 8192)

static bool same_string(const void *element, const void *key)
{
	return !strcmp(*(char *const *)element, key);
}

uint32_t html_string(struct html_strings *strings, const char *text)
{
	uint32_t hash = (uint32_t)fnv(FNV_START, text, strlen(text));
	char **found = hash_table_find(&strings->table, sizeof(*found), hash, same_string, text);
	char *copy;

	if (found)
		return (uint32_t)(found - (char **)strings->table.items);
	copy = strings->table.count < HTML_NONE ? strdup(text) : NULL;
	if (!copy || !hash_table_add(&strings->table, sizeof(copy), hash, &copy)) {
		free(copy);
		return HTML_NONE;
	}
	return (uint32_t)strings->table.count - 1;
}

void html_strings_deinit(struct html_strings *strings)
{
	for (size_t i = 0; i < strings->table.count; i++)
		free(((char **)strings->table.items)[i]);
	hash_table_deinit(&strings->table);
}

struct html_report *html_report_create(void)
{
	struct html_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->counts.size = sizeof(struct html_path);
	if (html_string(&report->strings, "") == HTML_NONE) {
		html_report_destroy(report);
		return NULL;
	}
	return report;
}

static void path_deinit(void *element)
{
	struct html_path *path = element;

	html_runs_deinit(path);
	free(path->rows);
}

void html_report_destroy(struct html_report *report)
{
	if (!report)
		return;
	html_strings_deinit(&report->strings);
	html_strings_deinit(&report->rows);
	for (uint32_t i = 0; i < report->function_count; i++)
		html_function_deinit(&report->functions[i]);
	path_counts_deinit(&report->counts, path_deinit);
	free(report->functions);
	free(report->snapshots);
	free(report->inputs);
	free(report->machines);
	free(report);
}

int html_report_add_input(struct html_report *report, const char *name)
{
	uint32_t number = html_string(&report->strings, name);

	if (number == HTML_NONE ||
	    vector_grow(&report->inputs, report->input_count, sizeof(*report->inputs)))
		return -ENOMEM;
	report->inputs[report->input_count++] = number;
	return 0;
}

bool html_report_wants_path(const struct html_report *report, uint64_t ident)
{
	return report->detailed < HTML_DETAILS_MAX && !path_counts_find(&report->counts, ident);
}

/** struct row_taker - the rows of a path that is new; @err: 0, or -ENOMEM */
struct row_taker {
	struct html_report *report;
	struct html_path *path;
	int err;
};

/* Of row and flags: those differ between calls of one path, the row does not. */
static void add_row(struct row_taker *taker, char style, int level, const char *text,
		    const char *flags)
{
	struct html_path *path = taker->path;
	char row[sizeof(((struct row *)0)->text) + 2];
	uint32_t number, flag_number;

	snprintf(row, sizeof(row), "%c%c%s", style, 'A' + level, text);
	number = html_string(&taker->report->rows, row);
	flag_number = html_string(&taker->report->strings, flags);
	if (number == HTML_NONE || flag_number == HTML_NONE ||
	    vector_grow(&path->rows, path->row_count, sizeof(*path->rows))) {
		taker->err = -ENOMEM;
		return;
	}
	path->rows[path->row_count][0] = number;
	path->rows[path->row_count++][1] = flag_number;
}

static char style_letter(const struct row *row, const char *style)
{
	static const char marks[MARK_COUNT] = {[MARK_NONE] = ' ',
					       [MARK_KEY] = 'k',
					       [MARK_ERROR] = 'e',
					       [MARK_CLEANUP] = 'c',
					       [MARK_INTERRUPT] = 'i'};
	static const struct {
		const char *style;
		char letter;
	} styles[] = {{BOLD, 'f'}, {GREEN, 't'}, {YELLOW, 'n'}, {DIM, 'd'}};

	if (row->mark != MARK_NONE)
		return marks[row->mark];
	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		if (!strcmp(style, styles[i].style))
			return styles[i].letter;
	return ' ';
}

static void take_row(void *ctx, const struct row *row, const char *style)
{
	size_t end = row->flags_at ? row->flags_at : row->len, flags = end;
	char text[sizeof(row->text)];

	while (end && row->text[end - 1] == ' ')
		end--;
	while (flags < row->len && row->text[flags] == ' ')
		flags++;
	memcpy(text, row->text, end);
	text[end] = '\0';
	add_row(ctx, style_letter(row, style), row->level, text, row->text + flags);
}

/* What @print prints, as a string; HTML_NONE without memory. */
static uint32_t
printed(struct html_report *report, const struct snapshot *snap, const struct story_view *view,
	void (*print)(FILE *out, const struct snapshot *snap, const struct story_view *view))
{
	uint32_t number;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return HTML_NONE;
	print(out, snap, view);
	if (fclose(out)) {
		free(text);
		return HTML_NONE;
	}
	number = html_string(&report->strings, text);
	free(text);
	return number;
}

static void print_record(FILE *out, const struct snapshot *snap, const struct story_view *view)
{
	struct text_options plain = {.raw = view->text.raw};

	render_text_record(out, snap, &plain);
}

static void print_context(FILE *out, const struct snapshot *snap, const struct story_view *view)
{
	struct backtrace_view backtrace = {.symbols = view->symbols, .lines = view->lines};
	char line[LOG_TEXT_BYTES];

	if (snap->trigger && snap->trigger->kind != TRIGGER_HW)
		render_registers(out, snap, &backtrace);
	render_backtrace(out, snap, &backtrace);
	for (size_t i = 0; snap->log && i < snap->log->count; i++)
		fprintf(out, "kernel: %s\n", escape_text(snap->log->text[i], line, sizeof(line)));
	if (snap->log && snap->log->left_out)
		fprintf(out, "kernel: ... and %zu more lines\n", snap->log->left_out);
}

static void print_branches(FILE *out, const struct snapshot *snap, const struct story_view *view)
{
	struct text_options plain = {.raw = view->text.raw, .addresses = view->text.addresses};

	render_text_branches(out, snap, view->symbols, &plain);
}

/* No path can be rebuilt: then the branches, a row each. */
static int take_branches(struct row_taker *taker, const struct snapshot *snap,
			 const struct story_view *view)
{
	uint32_t number = printed(taker->report, snap, view, print_branches);
	char *text, *rest, *line;

	if (number == HTML_NONE)
		return -ENOMEM;
	text = rest = strdup(html_text(&taker->report->strings, number));
	if (!text)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			add_row(taker, ' ', 0, line, "");
	free(text);
	return taker->err;
}

static int add_details(struct html_report *report, struct html_path *entry,
		       const struct snapshot *snap, const struct path *path,
		       const struct story_view *view)
{
	struct row_taker taker = {.report = report, .path = entry};
	const struct story_sink sink = {.row = take_row, .ctx = &taker};
	struct story_answer answer = {};
	int err;

	report->detailed++;
	entry->detailed = true;
	entry->record = printed(report, snap, view, print_record);
	entry->context = printed(report, snap, view, print_context);
	if (entry->record == HTML_NONE || entry->context == HTML_NONE)
		return -ENOMEM;
	if (!path)
		return take_branches(&taker, snap, view);
	err = render_story_rows(snap, path, view, &sink, &answer);
	if (err || taker.err)
		return -ENOMEM;
	entry->place = html_string(&report->strings, answer.place);
	entry->reason = html_string(&report->strings, answer.reason);
	entry->in_case = answer.in_case;
	if (entry->place == HTML_NONE || entry->reason == HTML_NONE)
		return -ENOMEM;
	return html_runs_add(report, path, snap, view, entry);
}

static int name_path(struct html_report *report, struct html_path *entry,
		     const struct snapshot *snap)
{
	const struct trigger *trigger = snap->trigger;
	const char *errname = snap->err ? errno_name(snap->err) : "";
	char number[16];

	snprintf(number, sizeof(number), "%d", snap->err);
	entry->target = html_string(&report->strings, trigger ? trigger->target : "");
	entry->function = html_string(&report->strings,
				      trigger && trigger->function ? trigger->function : "");
	entry->kind = html_string(&report->strings, entry->taken.kind);
	entry->errname = html_string(&report->strings, errname ?: number);
	return entry->target == HTML_NONE || entry->function == HTML_NONE ||
			       entry->kind == HTML_NONE || entry->errname == HTML_NONE
		       ? -ENOMEM
		       : 0;
}

static int new_path(struct html_report *report, const struct snapshot *snap, uint64_t ident,
		    const struct path *path, const struct story_view *view, struct html_path **ret)
{
	struct html_path made = {.taken = {.ident = ident, .err = snap->err}};
	struct html_path *entry;
	int err;

	made.taken.kind = snap->trigger ? trigger_kind_name(snap->trigger->kind) : "";
	entry = path_counts_new(&report->counts, &made.taken);
	err = entry ? name_path(report, entry, snap) : -ENOMEM;
	if (!err && report->detailed < HTML_DETAILS_MAX)
		err = add_details(report, entry, snap, path, view);
	*ret = entry;
	return err;
}

/* Number of a machine; they are few. */
static uint32_t find_machine(struct html_report *report, const struct snapshot *snap,
			     const struct html_machine *machine)
{
	uint32_t made[3] = {
		html_string(&report->strings, machine->host ?: ""),
		html_string(&report->strings, machine->release ?: ""),
		html_string(&report->strings, snap->lbr ? snap->lbr->model : ""),
	};

	for (uint32_t i = report->machine_count; i-- > 0;)
		if (!memcmp(report->machines[i], made, sizeof(made)))
			return i;
	if (made[0] == HTML_NONE || made[1] == HTML_NONE || made[2] == HTML_NONE ||
	    vector_grow(&report->machines, report->machine_count, sizeof(*report->machines)))
		return HTML_NONE;
	memcpy(report->machines[report->machine_count], made, sizeof(made));
	return report->machine_count++;
}

static int add_snapshot(struct html_report *report, const struct snapshot *snap, uint32_t path,
			const struct html_machine *machine)
{
	struct html_snapshot row = {
		.ts_ns = snap->ts_ns,
		.path = path,
		.cpu = snap->cpu,
		.pid = snap->pid,
		.comm = html_string(&report->strings, snap->comm),
		.machine = find_machine(report, snap, machine),
	};

	if (row.comm == HTML_NONE || row.machine == HTML_NONE ||
	    vector_grow(&report->snapshots, report->snapshot_count, sizeof(*report->snapshots)))
		return -ENOMEM;
	report->snapshots[report->snapshot_count++] = row;
	return 0;
}

void html_report_add_lost(struct html_report *report, uint64_t lost)
{
	report->counts.lost += lost;
}

int html_report_add(struct html_report *report, const struct snapshot *snap, uint64_t ident,
		    const struct path *path, const struct story_view *view,
		    const struct html_machine *machine, uint64_t lost)
{
	struct html_path *entry = path_counts_find(&report->counts, ident);
	int err = 0;

	if (!entry && !path_counts_full(&report->counts))
		err = new_path(report, snap, ident, path, view, &entry);
	if (err)
		return err;
	path_counts_add(&report->counts, entry ? &entry->taken : NULL, 1, snap->ts_ns);
	report->counts.lost += lost;
	if (!entry)
		return 0;
	if (report->snapshot_count >= HTML_SNAPSHOTS_MAX)
		return 0;
	return add_snapshot(report, snap, (uint32_t)(entry - html_path(report, 0)), machine);
}

const struct html_path **html_paths_sorted(const struct html_report *report)
{
	size_t count = report->counts.paths.count, next = 0;
	const struct html_path **order = calloc(count + 1, sizeof(const struct html_path *));
	void **frequent = path_counts_sorted(&report->counts);

	for (int errors = 1; order && frequent && errors >= 0; errors--)
		for (size_t i = 0; i < count; i++)
			if (!((const struct html_path *)frequent[i])->taken.err == !errors)
				order[next++] = frequent[i];
	if (!frequent) {
		free(order);
		order = NULL;
	}
	free(frequent);
	return order;
}
