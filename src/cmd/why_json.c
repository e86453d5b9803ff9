// SPDX-License-Identifier: GPL-2.0
#include "cmd/why_json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "render/json_text.h"
#include "symbolize/stack_frame.h"
#include "syscall/syscall.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "why/deep.h"
#include "why/tally.h"

/* Of the function that made the error: the one that decided, and those before it. */
#define DECISIONS_MAX 8

static json_t *address(uint64_t addr)
{
	return json_sprintf("0x%" PRIx64, addr);
}

static json_t *errno_json(uint32_t err)
{
	const char *name = errno_name((int)err);

	return name ? json_string(name) : json_integer(err);
}

static json_t *string_or_null(const char *text)
{
	return text && *text ? json_foreign(text) : json_null();
}

static json_t *integer_or_null(int64_t value)
{
	return value ? json_integer(value) : json_null();
}

static const char *via_name(enum why_via via)
{
	switch (via) {
	case WHY_VIA_NETLINK:
		return "netlink";
	case WHY_VIA_IO_URING:
		return "io_uring";
	default:
		return "syscall";
	}
}

/* What the kernel logged in the call, a string a line. */
static json_t *log_json(const char *log)
{
	json_t *list = json_array();

	while (log && *log) {
		char line[WHY_SAID_MAX + 1];
		size_t len = strcspn(log, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)len, log);
		json_array_append_new(list, json_foreign(line));
		log += len + 1;
	}
	return list;
}

static json_t *call_json(const struct failure *call)
{
	_cleanup_free_ char *text = malloc(SYSCALL_TEXT_MAX);
	const char *name = syscall_name(call->call.nr);

	if (!text)
		return NULL;
	why_call_text(call, text, SYSCALL_TEXT_MAX);
	return json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:s, s:o, s:o}", "name",
			 string_or_null(name), "text", json_foreign(text), "pid",
			 (json_int_t)call->tgid, "tid", (json_int_t)call->tid, "comm",
			 json_foreign(call->comm), "errno", errno_json(call->err), "via",
			 via_name(call->via), "message", string_or_null(call->text), "log",
			 log_json(call->log));
}

static json_t *inlined_json(const struct why_place *place)
{
	json_t *list = json_array();

	for (int i = 0; i < place->count; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:o}", "function",
						string_or_null(place->chain[i].function), "file",
						string_or_null(place->chain[i].file), "line",
						integer_or_null(place->chain[i].line)));
	return list;
}

static const struct srcline *line_of(const struct why_place *place, bool outer)
{
	static const struct srcline none;

	if (!place->count)
		return &none;
	return &place->chain[outer ? place->count - 1 : 0];
}

/* @file and @line are the innermost ones: where the value is written down. */
static json_t *place_json(const struct why_view *view, uint64_t addr)
{
	struct why_place place;
	const struct srcline *line;

	why_place_find(view, addr, false, &place);
	line = line_of(&place, false);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "addr", address(addr), "function",
			 string_or_null(place.known ? place.sym.name : NULL), "off",
			 place.known ? json_integer((json_int_t)(addr - place.sym.addr))
				     : json_null(),
			 "module", place.known ? json_foreign(place.sym.module) : json_null(),
			 "file", string_or_null(line->file), "line", integer_or_null(line->line),
			 "inlined", inlined_json(&place));
}

/* Of a decision the text in the names of the source, and what it is about. */
static json_t *source_json(const struct decision *decision)
{
	const struct operand_source *operand = &decision->operand;

	if (!decision->source[0])
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "text", json_foreign(decision->source), "operand",
			 string_or_null(operand->operand), "member",
			 string_or_null(operand->member), "type", string_or_null(operand->type));
}

static json_t *decisions_json(const struct decision *all, int count, const struct why_view *view)
{
	json_t *list = json_array();

	for (int i = 0; i < count; i++) {
		json_t *one = place_json(view, all[i].addr);

		json_object_set_new(one, "taken", json_boolean(all[i].taken));
		json_object_set_new(one, "condition", string_or_null(all[i].condition));
		json_object_set_new(one, "values", string_or_null(all[i].values));
		json_object_set_new(one, "source", source_json(&all[i]));
		json_object_set_new(one, "source_values", string_or_null(all[i].source_values));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *variables_json(const struct answer *answer, const struct why_view *view)
{
	struct variable_seen all[VARIABLES_MAX];
	const struct decision_code where = why_code(view);
	size_t count = reasons_variables(&where, answer, all, VARIABLES_MAX);
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:b, s:b}", "name",
						      json_foreign(all[i].name), "type",
						      string_or_null(all[i].type), "value",
						      string_or_null(all[i].value), "parameter",
						      all[i].parameter, "optimized_out",
						      all[i].optimized_out));
	return list;
}

static void put_condition(json_t *origin, const struct answer *answer, const struct why_view *view)
{
	struct decision all[DECISIONS_MAX];
	const struct decision *decision = &all[0];
	const struct decision_code where = why_code(view);
	int count = reasons_find(&where, answer, view->snap, all, DECISIONS_MAX);
	bool known = count > 0;

	json_object_set_new(origin, "condition",
			    known ? string_or_null(decision->condition) : json_null());
	json_object_set_new(origin, "values",
			    known ? string_or_null(decision->values) : json_null());
	json_object_set_new(origin, "source_condition",
			    known ? string_or_null(decision->source) : json_null());
	json_object_set_new(origin, "source_values",
			    known ? string_or_null(decision->source_values) : json_null());
	json_object_set_new(origin, "decision",
			    known ? place_json(view, decision->addr) : json_null());
	json_object_set_new(origin, "taken", known ? json_boolean(decision->taken) : json_null());
	json_object_set_new(origin, "decisions", decisions_json(all, count, view));
	count = known ? 0 : reasons_one_of(&where, answer, all, DECISIONS_MAX);
	json_object_set_new(origin, "alternatives", decisions_json(all, count, view));
}

static json_t *origin_json(const struct answer *answer, const struct why_view *view)
{
	json_t *origin, *list;

	switch (answer->state) {
	case ORIGIN_FOUND:
		origin = place_json(view, answer->site.addr);
		put_condition(origin, answer, view);
		json_object_set_new(origin, "variables", variables_json(answer, view));
		json_object_set_new(origin, "certain", json_true());
		return origin;
	case ORIGIN_ONE_OF:
		list = json_array();
		for (size_t i = 0; i < answer->candidates.count; i++)
			json_array_append_new(list,
					      place_json(view, answer->candidates.items[i].addr));
		return json_pack("{s:b, s:o}", "certain", 0, "candidates", list);
	default:
		return json_null();
	}
}

static json_t *stack_json(struct hit_snapshot *hit, const struct why_view *view)
{
	json_t *list = json_array();

	if (!hit)
		return list;
	for (uint32_t i = backtrace_first(view->symbols, &hit->snap); i < hit->snap.stack_count;
	     i++) {
		struct backtrace_frame frame;
		struct why_place place;
		const struct srcline *line;

		backtrace_frame(view->symbols, &hit->snap, i, &frame);
		why_place_find(view, frame.addr, frame.is_return, &place);
		line = line_of(&place, true);
		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "addr", address(frame.addr),
				  "sym", string_or_null(frame.known ? frame.sym.name : NULL), "off",
				  frame.known
					  ? json_integer((json_int_t)(frame.addr - frame.sym.addr))
					  : json_null(),
				  "module",
				  frame.known ? json_foreign(frame.sym.module) : json_null(),
				  "file", string_or_null(line->file), "line",
				  integer_or_null(line->line)));
	}
	return list;
}

/* Without lines: there may be thousands. */
static json_t *branch_end_json(const struct why_view *view, uint64_t addr)
{
	struct symbol sym;
	bool known = !symbols_find(view->symbols, addr, &sym);

	return json_pack("{s:o, s:o, s:o, s:o}", "addr", address(addr), "function",
			 string_or_null(known ? sym.name : NULL), "off",
			 known ? json_integer((json_int_t)(addr - sym.addr)) : json_null(),
			 "module", known ? json_foreign(sym.module) : json_null());
}

/* From the error backwards: the branches of each run, and how many of the others it had, too. */
static json_t *segments_json(const struct deep_path *deep, const struct why_view *view)
{
	json_t *list = json_array();

	for (size_t i = 0; i < deep->segment_count; i++) {
		const struct deep_segment *segment = &deep->segments[i];

		json_array_append_new(
			list,
			json_pack("{s:I, s:I, s:o, s:o}", "run", (json_int_t)segment->run,
				  "branches", (json_int_t)segment->count, "overlap",
				  i ? json_integer((json_int_t)segment->overlap) : json_null(),
				  "point", branch_end_json(view, segment->point)));
	}
	return list;
}

static json_t *interrupts_json(const struct deep_path *deep, const struct why_view *view)
{
	json_t *list = json_array();

	for (size_t i = 0; i < deep->interrupt_count; i++) {
		const struct deep_interrupt *cut = &deep->interrupts[i];

		json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "entry",
						      branch_end_json(view, cut->entry),
						      "branches_behind", (json_int_t)cut->newer,
						      "run", (json_int_t)cut->run));
	}
	return list;
}

static json_t *deep_json(const struct deep_path *deep, const struct why_view *view)
{
	json_t *branches, *gaps;

	if (!deep)
		return json_null();
	branches = json_array();
	gaps = json_array();
	for (size_t i = 0; i < deep->count; i++)
		json_array_append_new(branches,
				      json_pack("{s:o, s:o}", "from",
						branch_end_json(view, deep->branches[i].from), "to",
						branch_end_json(view, deep->branches[i].to)));
	if (deep->gap.text[0])
		json_array_append_new(gaps,
				      json_pack("{s:I, s:s}", "branches_behind",
						(json_int_t)deep->count, "reason", deep->gap.text));
	return json_pack("{s:b, s:i, s:o, s:o, s:o, s:o}", "entry", deep->entry, "runs",
			 (int)deep->runs, "branches", branches, "segments",
			 segments_json(deep, view), "interrupts", interrupts_json(deep, view),
			 "gaps", gaps);
}

static json_t *others_json(const struct answer *answer)
{
	json_t *list = json_array();
	struct tally tally;

	if (tally_kinds(&answer->failures, answer->call, &tally))
		return list;
	for (size_t i = 0; i < tally.count; i++) {
		const struct failure *first = tally.rows[i].first;

		json_array_append_new(list, json_pack("{s:o, s:o, s:s, s:I}", "name",
						      string_or_null(syscall_name(first->call.nr)),
						      "errno", errno_json(first->err), "via",
						      via_name(first->via), "count",
						      (json_int_t)tally.rows[i].count));
	}
	tally_deinit(&tally);
	return list;
}

/* With --all: every call that failed, identical ones counted. */
static json_t *all_json(const struct answer *answer, bool wanted)
{
	struct tally tally;
	json_t *list;

	if (!wanted || tally_calls(&answer->failures, answer->call, &tally))
		return json_null();
	list = json_array();
	for (size_t i = 0; i < tally.count; i++) {
		json_t *call = call_json(tally.rows[i].first);

		json_object_set_new(call, "count", json_integer((json_int_t)tally.rows[i].count));
		json_object_set_new(call, "blamed", json_boolean(tally.rows[i].blamed));
		json_array_append_new(list, call);
	}
	tally_deinit(&tally);
	return list;
}

/* What already ran was not started, and its end is not known. */
static json_t *status_json(int status, const char *const *command)
{
	if (!command)
		return json_null();
	return json_integer(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static json_t *command_json(const char *const *command)
{
	json_t *words;

	if (!command)
		return json_null();
	words = json_array();
	for (; *command; command++)
		json_array_append_new(words, json_foreign(*command));
	return words;
}

int why_json(FILE *out, const struct answer *answer, const struct why_view *view,
	     struct hit_snapshot *hit, const char *snapshot, const char *const *command)
{
	json_t *root, *snap = NULL;
	int err = 0;

	if (snapshot && *snapshot)
		snap = json_loads(snapshot, 0, NULL);
	root = json_pack("{s:s, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I}",
			 "schema", "lbrsnoop.why/1", "command", command_json(command), "status",
			 status_json(answer->status, command), "runs", (int)answer->runs, "call",
			 answer->call ? call_json(answer->call) : json_null(), "origin",
			 origin_json(answer, view), "reason", string_or_null(answer->reason.text),
			 "stack", stack_json(hit, view), "snapshot", snap ?: json_null(), "deep",
			 deep_json(answer->deep, view), "others", others_json(answer), "all",
			 all_json(answer, view->all), "lost", (json_int_t)answer->lost);
	if (!root)
		return -ENOMEM;
	if (json_dumpf(root, out, JSON_LINE) || fputc('\n', out) == EOF)
		err = -EIO;
	json_decref(root);
	return err;
}
