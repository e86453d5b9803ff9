// SPDX-License-Identifier: GPL-2.0
#include "render/why/why_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "render/json_writer.h"
#include "render/why/deep_functions.h"
#include "symbolize/stack_frame.h"
#include "syscall/syscall.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "why/deep/deep.h"
#include "why/tally.h"

/* Of the function that made the error: the one that decided, and those before it. */
#define DECISIONS_MAX 8

static void put_errno(struct json_writer *w, const char *name, uint32_t err)
{
	const char *text = errno_name((int)err);

	jw_key(w, name);
	if (!err)
		jw_null(w);
	else if (text)
		jw_string(w, text);
	else
		jw_integer(w, err);
}

static void put_nonzero(struct json_writer *w, const char *name, int64_t value)
{
	jw_put_known(w, name, value != 0, value);
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
static void put_log(struct json_writer *w, const char *log)
{
	jw_key(w, "log");
	jw_open(w, '[');
	while (log && *log) {
		char line[WHY_SAID_MAX + 1];
		size_t len = strcspn(log, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)len, log);
		jw_string(w, line);
		log += len + 1;
	}
	jw_close(w, ']');
}

/* Members of the object of a call. */
static void put_call(struct json_writer *w, const struct failure *call)
{
	_cleanup_free_ char *text = malloc(SYSCALL_TEXT_MAX);

	if (!text) {
		w->failed = true;
		return;
	}
	why_call_text(call, text, SYSCALL_TEXT_MAX);
	jw_put_text(w, "name", syscall_name(call->call.nr));
	jw_put_string(w, "text", text);
	jw_put_integer(w, "pid", call->tgid);
	jw_put_integer(w, "tid", call->tid);
	jw_put_string(w, "comm", call->comm);
	put_errno(w, "errno", call->err);
	jw_put_known(w, "result", call->via == WHY_VIA_SYSCALL,
		     call->err ? -(int64_t)call->err : call->result);
	jw_put_string(w, "via", via_name(call->via));
	jw_put_text(w, "message", call->text);
	put_log(w, call->log);
}

static const struct srcline *line_of(const struct why_place *place, bool outer)
{
	static const struct srcline none;

	if (!place->count)
		return &none;
	return &place->chain[outer ? place->count - 1 : 0];
}

static void put_line(struct json_writer *w, const struct srcline *line)
{
	jw_put_text(w, "file", line->file);
	put_nonzero(w, "line", line->line);
}

/* @name: of the member that has the symbol's name; @sym: NULL if it is not known */
static void put_symbol(struct json_writer *w, uint64_t addr, const char *name,
		       const struct symbol *sym)
{
	jw_put_address(w, "addr", addr);
	jw_put_text(w, name, sym ? sym->name : NULL);
	jw_put_known(w, "off", sym, sym ? (int64_t)(addr - sym->addr) : 0);
	jw_put_string(w, "module", sym ? sym->module : NULL);
}

/* Members of the object of a place: the innermost file and line, where the value is written down.
 */
static void put_place(struct json_writer *w, const struct why_view *view, uint64_t addr)
{
	struct why_place place;

	why_place_find(view, addr, false, &place);
	put_symbol(w, addr, "function", place.known ? &place.sym : NULL);
	put_line(w, line_of(&place, false));
	jw_key(w, "inlined");
	jw_open(w, '[');
	for (int i = 0; i < place.count; i++) {
		jw_open(w, '{');
		jw_put_text(w, "function", place.chain[i].function);
		put_line(w, &place.chain[i]);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

/* Of a decision the text in the names of the source, and what it is about. */
static void put_source(struct json_writer *w, const struct decision *decision)
{
	const struct operand_source *operand = &decision->operand;

	jw_key(w, "source");
	if (!decision->source[0]) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_string(w, "text", decision->source);
	jw_put_text(w, "operand", operand->operand);
	jw_put_text(w, "member", operand->member);
	jw_put_text(w, "type", operand->type);
	jw_close(w, '}');
}

static void put_decisions(struct json_writer *w, const char *name, const struct decision *all,
			  int count, const struct why_view *view)
{
	jw_key(w, name);
	jw_open(w, '[');
	for (int i = 0; i < count; i++) {
		jw_open(w, '{');
		put_place(w, view, all[i].addr);
		jw_put_bool(w, "taken", all[i].taken);
		jw_put_bool(w, "later", all[i].later);
		jw_put_text(w, "condition", all[i].condition);
		jw_put_text(w, "values", all[i].values);
		put_source(w, &all[i]);
		jw_put_text(w, "source_values", all[i].source_values);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

static void put_variables(struct json_writer *w, const struct answer *answer,
			  const struct why_view *view)
{
	struct variable_seen all[VARIABLES_MAX];
	const struct decision_code where = why_code(view);
	size_t count = reasons_variables(&where, answer, all, VARIABLES_MAX);

	jw_key(w, "variables");
	jw_open(w, '[');
	for (size_t i = 0; i < count; i++) {
		jw_open(w, '{');
		jw_put_string(w, "name", all[i].name);
		jw_put_text(w, "type", all[i].type);
		jw_put_text(w, "value", all[i].value);
		jw_put_bool(w, "parameter", all[i].parameter);
		jw_put_bool(w, "optimized_out", all[i].optimized_out);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

static void put_condition(struct json_writer *w, const struct answer *answer,
			  const struct why_view *view)
{
	struct decision all[DECISIONS_MAX];
	const struct decision_code where = why_code(view);
	int count = reasons_find(&where, answer, view->snap, all, DECISIONS_MAX);
	const struct decision *decision = count > 0 ? &all[0] : NULL;

	jw_put_text(w, "condition", decision ? decision->condition : NULL);
	jw_put_text(w, "values", decision ? decision->values : NULL);
	jw_put_text(w, "source_condition", decision ? decision->source : NULL);
	jw_put_text(w, "source_values", decision ? decision->source_values : NULL);
	jw_key(w, "decision");
	if (decision) {
		jw_open(w, '{');
		put_place(w, view, decision->addr);
		jw_close(w, '}');
		jw_put_bool(w, "taken", decision->taken);
	} else {
		jw_null(w);
		jw_put_string(w, "taken", NULL);
	}
	put_decisions(w, "decisions", all, count, view);
	count = decision ? 0 : reasons_one_of(&where, answer, all, DECISIONS_MAX);
	put_decisions(w, "alternatives", all, count, view);
}

static void put_origin(struct json_writer *w, const struct answer *answer,
		       const struct why_view *view)
{
	jw_key(w, "origin");
	switch (answer->state) {
	case ORIGIN_FOUND:
		jw_open(w, '{');
		put_place(w, view, answer->site.addr);
		put_condition(w, answer, view);
		put_variables(w, answer, view);
		jw_put_bool(w, "certain", true);
		jw_close(w, '}');
		break;
	case ORIGIN_ONE_OF:
		jw_open(w, '{');
		jw_put_bool(w, "certain", false);
		jw_key(w, "candidates");
		jw_open(w, '[');
		for (size_t i = 0; i < answer->candidates.count; i++) {
			jw_open(w, '{');
			put_place(w, view, answer->candidates.items[i].addr);
			jw_close(w, '}');
		}
		jw_close(w, ']');
		jw_close(w, '}');
		break;
	default:
		jw_null(w);
	}
}

/* Of --deep TARGET: what was asked for, and where and how it was executed last. */
static void put_target(struct json_writer *w, const struct answer *answer,
		       const struct why_view *view)
{
	jw_key(w, "target");
	if (!answer->place) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_string(w, "text", answer->place);
	jw_key(w, "place");
	if (answer->state == ORIGIN_PLACE) {
		jw_open(w, '{');
		put_place(w, view, answer->site.addr);
		jw_close(w, '}');
	} else {
		jw_null(w);
	}
	jw_put_known(w, "returned", answer->returned, answer->value);
	jw_close(w, '}');
}

static void put_stack(struct json_writer *w, const struct why_view *view)
{
	const struct snapshot *snap = view->snap;

	jw_key(w, "stack");
	jw_open(w, '[');
	for (uint32_t i = snap ? backtrace_first(view->symbols, snap) : 0;
	     snap && i < snap->stack_count; i++) {
		struct backtrace_frame frame;
		struct why_place place;

		backtrace_frame(view->symbols, snap, i, &frame);
		why_place_find(view, frame.addr, frame.is_return, &place);
		jw_open(w, '{');
		put_symbol(w, frame.addr, "sym", frame.known ? &frame.sym : NULL);
		put_line(w, line_of(&place, true));
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

/* Without lines: there may be thousands. */
static void put_branch_end(struct json_writer *w, const char *name, const struct why_view *view,
			   uint64_t addr)
{
	struct symbol sym;

	jw_key(w, name);
	jw_open(w, '{');
	put_symbol(w, addr, "function", symbols_find(view->symbols, addr, &sym) ? NULL : &sym);
	jw_close(w, '}');
}

/* From the error backwards: the branches of each run, and how many of the others it had, too. */
static void put_segments(struct json_writer *w, const struct deep_path *deep,
			 const struct why_view *view)
{
	jw_key(w, "segments");
	jw_open(w, '[');
	for (size_t i = 0; i < deep->segment_count; i++) {
		const struct deep_segment *segment = &deep->segments[i];

		jw_open(w, '{');
		jw_put_integer(w, "run", segment->run);
		jw_put_integer(w, "branches", (int64_t)segment->count);
		jw_put_known(w, "overlap", i > 0, (int64_t)segment->overlap);
		jw_put_integer(w, "computed", (int64_t)segment->computed);
		put_branch_end(w, "point", view, segment->point);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

/* Those on the way that had not returned, and what they found before they went on. */
static void put_functions(struct json_writer *w, const struct deep_path *deep,
			  const struct why_view *view)
{
	_cleanup_free_ struct deep_function *functions = NULL;
	size_t count = 0;

	jw_key(w, "functions");
	jw_open(w, '[');
	if (deep_functions(deep, view, &functions, &count))
		count = 0;
	for (size_t i = 0; i < count; i++) {
		jw_open(w, '{');
		put_place(w, view, functions[i].at);
		jw_put_integer(w, "branches", (int64_t)functions[i].branches);
		jw_put_integer(w, "returned", (int64_t)functions[i].returned);
		jw_key(w, "conditions");
		jw_open(w, '[');
		for (int k = 0; k < functions[i].condition_count; k++) {
			const struct deep_condition *condition = &functions[i].conditions[k];

			jw_open(w, '{');
			put_place(w, view, condition->addr);
			jw_put_bool(w, "taken", condition->taken);
			jw_put_text(w, "condition", condition->text);
			jw_close(w, '}');
		}
		jw_close(w, ']');
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

static void put_interrupts(struct json_writer *w, const struct deep_path *deep,
			   const struct why_view *view)
{
	jw_key(w, "interrupts");
	jw_open(w, '[');
	for (size_t i = 0; i < deep->interrupt_count; i++) {
		const struct deep_interrupt *cut = &deep->interrupts[i];

		jw_open(w, '{');
		put_branch_end(w, "entry", view, cut->entry);
		jw_put_integer(w, "branches_behind", (int64_t)cut->newer);
		jw_put_integer(w, "run", cut->run);
		jw_put_bool(w, "rescheduled", cut->rescheduled);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

static void put_deep(struct json_writer *w, const struct deep_path *deep,
		     const struct why_view *view)
{
	jw_key(w, "deep");
	if (!deep) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_bool(w, "entry", deep->entry);
	jw_put_integer(w, "runs", deep->runs);
	jw_key(w, "branches");
	jw_open(w, '[');
	for (size_t i = 0; i < deep->count; i++) {
		jw_open(w, '{');
		put_branch_end(w, "from", view, deep->branches[i].from);
		put_branch_end(w, "to", view, deep->branches[i].to);
		jw_close(w, '}');
	}
	jw_close(w, ']');
	put_segments(w, deep, view);
	put_functions(w, deep, view);
	put_interrupts(w, deep, view);
	jw_put_known(w, "other_way_in_run", deep->other_way, deep->other_way);
	jw_put_text(w, "unchecked", deep->unchecked.text);
	jw_key(w, "gaps");
	jw_open(w, '[');
	if (deep->gap.text[0]) {
		jw_open(w, '{');
		jw_put_integer(w, "branches_behind", (int64_t)deep->count);
		jw_put_string(w, "reason", deep->gap.text);
		jw_close(w, '}');
	}
	jw_close(w, ']');
	jw_close(w, '}');
}

static void put_others(struct json_writer *w, const struct answer *answer)
{
	struct tally tally = {};

	jw_key(w, "others");
	jw_open(w, '[');
	w->failed |= tally_kinds(&answer->failures, answer->call, &tally) != 0;
	for (size_t i = 0; i < tally.count; i++) {
		const struct failure *first = tally.rows[i].first;

		jw_open(w, '{');
		jw_put_text(w, "name", syscall_name(first->call.nr));
		put_errno(w, "errno", first->err);
		jw_put_string(w, "via", via_name(first->via));
		jw_put_integer(w, "count", (int64_t)tally.rows[i].count);
		jw_close(w, '}');
	}
	jw_close(w, ']');
	tally_deinit(&tally);
}

/* With --all: every call that failed, identical ones counted. */
static void put_all(struct json_writer *w, const struct answer *answer, bool wanted)
{
	struct tally tally = {};

	jw_key(w, "all");
	if (!wanted) {
		jw_null(w);
		return;
	}
	jw_open(w, '[');
	w->failed |= tally_calls(&answer->failures, answer->call, &tally) != 0;
	for (size_t i = 0; i < tally.count; i++) {
		jw_open(w, '{');
		put_call(w, tally.rows[i].first);
		jw_put_integer(w, "count", (int64_t)tally.rows[i].count);
		jw_put_bool(w, "blamed", tally.rows[i].blamed);
		jw_close(w, '}');
	}
	jw_close(w, ']');
	tally_deinit(&tally);
}

/* What already ran was not started, and its end is not known. */
static void put_command(struct json_writer *w, const char *const *command, int status)
{
	jw_key(w, "command");
	if (!command) {
		jw_null(w);
		jw_put_string(w, "status", NULL);
		return;
	}
	jw_open(w, '[');
	for (; *command; command++)
		jw_string(w, *command);
	jw_close(w, ']');
	jw_put_integer(w, "status",
		       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int why_json(FILE *out, const struct answer *answer, const struct why_view *view,
	     const char *snapshot, const char *const *command)
{
	struct json_writer writer = {0}, *w = &writer;

	jw_open(w, '{');
	jw_put_string(w, "schema", "lbrsnoop.why/1");
	put_command(w, command, answer->status);
	jw_put_integer(w, "runs", answer->runs);
	jw_key(w, "call");
	if (answer->call) {
		jw_open(w, '{');
		put_call(w, answer->call);
		jw_close(w, '}');
	} else {
		jw_null(w);
	}
	put_target(w, answer, view);
	put_origin(w, answer, view);
	jw_put_text(w, "reason", answer->reason.text);
	put_stack(w, view);
	jw_key(w, "snapshot");
	jw_json(w, snapshot && *snapshot ? snapshot : "null");
	put_deep(w, answer->deep, view);
	put_others(w, answer);
	put_all(w, answer, view->all);
	jw_put_integer(w, "lost", (int64_t)answer->lost);
	jw_close(w, '}');
	return json_writer_flush(w, out);
}
