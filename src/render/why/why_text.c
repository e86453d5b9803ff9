// SPDX-License-Identifier: GPL-2.0
#include "render/why/why_text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "render/color.h"
#include "render/escape.h"
#include "render/line_text.h"
#include "syscall/syscall.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "why/tally.h"

#define KINDS_SHOWN 8

#define LOG_LINES_SHOWN 8

/* Of the rows of variables, where the width is not known. */
#define VARIABLES_COLUMNS 100

/* The deciding branch, and those before it that are shown. */
#define DECISIONS_ASKED (1 + 4 * WHY_EARLIER_SHOWN)

void why_place_find(const struct why_view *view, uint64_t addr, bool is_return,
		    struct why_place *ret)
{
	uint64_t probe = is_return ? addr - 1 : addr;
	int count = 0;

	*ret = (struct why_place){};
	ret->known = !symbols_find(view->symbols, probe, &ret->sym);
	if (ret->known && view->lines)
		count = lines_find(view->lines, ret->sym.module, addr, is_return, ret->chain,
				   INLINE_DEPTH_MAX);
	ret->count = count > 0 ? count : 0;
}

void why_call_text(const struct failure *failure, char *buf, size_t size)
{
	const char *name = syscall_name(failure->call.nr);

	if (!failure->withheld)
		syscall_format(&failure->call, buf, size);
	else if (name)
		snprintf(buf, size, "%s(...)", name);
	else
		snprintf(buf, size, "syscall_%u(...)", (unsigned int)failure->call.nr);
}

static const char *errno_or_number(uint32_t err, char *buf, size_t size)
{
	const char *name = errno_name((int)err);

	if (name)
		return name;
	snprintf(buf, size, "errno %u", err);
	return buf;
}

/* What the kernel logged in the call is often the answer in its own words. */
static void print_log(FILE *out, const char *log, int most)
{
	for (int lines = 0; log && *log; lines++) {
		char line[WHY_SAID_MAX + 1], shown[4 * WHY_SAID_MAX + 1];
		size_t len = strcspn(log, "\n");

		if (lines == most) {
			fputs("  the kernel logs more: dmesg\n", out);
			return;
		}
		snprintf(line, sizeof(line), "%.*s", (int)len, log);
		fprintf(out, "  the kernel logs: %s\n", escape_text(line, shown, sizeof(shown)));
		log += len + 1;
	}
}

/* Of a call that did not fail: addresses are not read as numbers. */
static void print_value(FILE *out, int64_t result)
{
	if (errno_of_result(result))
		fputs(" = ? (interrupted: begun again, or EINTR)", out);
	else if (result < 0 || result > UINT32_MAX)
		fprintf(out, " = 0x%" PRIx64, (uint64_t)result);
	else
		fprintf(out, " = %" PRId64, result);
}

/* How the error came back, or what else the call returned. */
static void print_result(FILE *out, const struct failure *call, const struct why_view *view)
{
	char number[32];
	const char *name = errno_or_number(call->err, number, sizeof(number));

	if (!call->err) {
		print_value(out, call->result);
		return;
	}
	switch (call->via) {
	case WHY_VIA_NETLINK:
		fprintf(out, ": netlink answers -%s", name);
		break;
	case WHY_VIA_IO_URING:
		fprintf(out, ": io_uring completes with -%s", name);
		break;
	default:
		fprintf(out, " = -1 %s%s%s", paint(&view->text, RED), name,
			paint(&view->text, OFF));
	}
}

static void print_call(FILE *out, const struct failure *call, const struct why_view *view)
{
	_cleanup_free_ char *text = malloc(SYSCALL_TEXT_MAX);
	char comm[4 * RECORD_COMM_LEN + 1];

	if (!text)
		return;
	why_call_text(call, text, SYSCALL_TEXT_MAX);
	fprintf(out, "%s%s%s", paint(&view->text, BOLD), text, paint(&view->text, OFF));
	print_result(out, call, view);
	if (call->err)
		fprintf(out, " (%s)", errno_text((int)call->err));
	fprintf(out, "  %s[%u]\n", escape_text(call->comm, comm, sizeof(comm)), call->tid);
}

/* Behind the place and the condition, which are said first. */
static void print_kernel_words(FILE *out, const struct failure *call, const struct why_view *view)
{
	char said[4 * WHY_TEXT_MAX + 1];

	if (call->text[0])
		fprintf(out, "  the kernel says: %s\n",
			escape_text(call->text, said, sizeof(said)));
	print_log(out, call->log, view->story ? LOG_LINES_SHOWN : WHY_LOG_SHOWN);
}

/* The function that called the one that the place is in: out of the stack. */
static bool find_caller(const struct answer *answer, const struct why_view *view,
			struct why_place *ret)
{
	for (uint32_t i = 0; i < answer->hit->frames; i++) {
		uint64_t addr = answer->hit->stack[i];

		if (addr == answer->hit->ip)
			continue;
		why_place_find(view, addr, true, ret);
		if (ret->known && !symbol_is_bpf(&ret->sym))
			return true;
	}
	return false;
}

static const char *name_of(const struct why_place *place, int depth)
{
	if (depth < place->count && place->chain[depth].function && *place->chain[depth].function)
		return place->chain[depth].function;
	return place->known ? place->sym.name : "?";
}

static void print_place(FILE *out, const struct why_place *place, uint64_t addr)
{
	char file[1024], name[512];

	if (place->count && *place->chain[0].file && place->chain[0].line)
		fprintf(out, "%s:%d %s", escape_text(place->chain[0].file, file, sizeof(file)),
			place->chain[0].line, escape_text(name_of(place, 0), name, sizeof(name)));
	else if (place->known)
		fprintf(out, "%s+0x%" PRIx64, escape_text(place->sym.name, name, sizeof(name)),
			addr - place->sym.addr);
	else
		fprintf(out, "0x%" PRIx64, addr);
	if (place->known && *place->sym.module)
		fprintf(out, " [%s]", escape_text(place->sym.module, name, sizeof(name)));
}

/* The text of the line, its blanks at the beginning left out. */
static bool print_source(FILE *out, const struct why_view *view, const struct srcline *line,
			 const char *before)
{
	size_t len = 0;
	const char *text = sources_line(view->sources, line->file, line->line, &len);
	char plain[256], shown[4 * sizeof(plain) + 1];

	while (len && (*text == ' ' || *text == '\t')) {
		text++;
		len--;
	}
	if (!text || !len)
		return false;
	if (len >= sizeof(plain))
		len = sizeof(plain) - 1;
	memcpy(plain, text, len);
	plain[len] = '\0';
	fprintf(out, "%s%s", before, escape_text(plain, shown, sizeof(shown)));
	return true;
}

static void print_origin(FILE *out, const struct answer *answer, const struct why_view *view)
{
	struct why_place place, caller;
	char name[512];

	why_place_find(view, answer->site.addr, false, &place);
	fprintf(out, "  %s[", paint(&view->text, BOLD));
	print_place(out, &place, answer->site.addr);
	if (place.count > 1)
		fprintf(out, ", called by %s", escape_text(name_of(&place, 1), name, sizeof(name)));
	else if (answer->hit && find_caller(answer, view, &caller))
		fprintf(out, ", called by %s",
			escape_text(name_of(&caller, 0), name, sizeof(name)));
	fprintf(out, "]%s\n", paint(&view->text, OFF));
	if (place.count && print_source(out, view, &place.chain[0], "    "))
		fputc('\n', out);
}

struct decision_code why_code(const struct why_view *view)
{
	return (struct decision_code){
		.text = view->kernel_text,
		.symbols = view->symbols,
		.lines = view->lines,
		.no_values = view->no_values,
	};
}

/* @source: with the text of its line; @file: of the place that was told before, or NULL */
static void print_decision(FILE *out, const struct decision *decision, const struct why_view *view,
			   const char *label, bool source, const char *file)
{
	bool named = decision->source[0] != '\0';
	const char *words = named ? decision->source : decision->condition;
	const char *values = named ? decision->source_values : decision->values;
	char shown[4 * CONDITION_MAX + 1], where[512];
	struct why_place place;

	why_place_find(view, decision->addr, false, &place);
	fprintf(out, "  %-7s  ", label);
	source = source && place.count && print_source(out, view, &place.chain[0], "");
	if (*words)
		fprintf(out, "%s%s", source ? "   as " : "",
			escape_text(words, shown, sizeof(shown)));
	else if (!source)
		fprintf(out, "the branch there was %s", decision->taken ? "taken" : "not taken");
	if (*values)
		fprintf(out, "   %s", escape_text(values, shown, sizeof(shown)));
	if (place.count && place.chain[0].line) {
		line_text_beside(&place.chain[0], file, where, sizeof(where));
		fprintf(out, "   (%s", escape_text(where, shown, sizeof(shown)));
	} else if (place.known) {
		fprintf(out, "   (%s+0x%" PRIx64, place.sym.name, decision->addr - place.sym.addr);
	} else {
		fprintf(out, "   (0x%" PRIx64, decision->addr);
	}
	/* What the instruction says is for those who want the full account. */
	fprintf(out, "%s%s)\n", named && view->story ? ": " : "",
		named && view->story ? decision->condition : "");
}

/* Loops come back to the same branch; what has no words says nothing. */
static bool is_news(const struct decision *decision, const struct decision *shown, int count)
{
	if (!decision->condition[0] && !decision->source[0])
		return false;
	for (int i = 0; i < count; i++)
		if (shown[i].addr == decision->addr)
			return false;
	return true;
}

/* Those that are shown come to the front. Return: how many. */
static int choose_shown(struct decision *all, int count)
{
	int shown = 1;

	for (int i = 1; i < count && shown <= WHY_EARLIER_SHOWN; i++)
		if (is_news(&all[i], all, shown))
			all[shown++] = all[i];
	return shown;
}

/* In conditions, with their values: they need not be said again. */
static bool is_said(const struct decision *all, int count, const char *name)
{
	size_t len = strlen(name);

	for (int i = 0; i < count; i++) {
		const char *values = all[i].source_values, *at = strstr(values, name);

		if (at && (at == values || at[-1] == ' ') && !strncmp(at + len, " = ", 3))
			return true;
	}
	return false;
}

/* A row of text as wide as there is room; more go on in the next one. */
static void print_word(FILE *out, const struct why_view *view, const char *word, int *column)
{
	int len = (int)strlen(word), columns = view->columns ?: VARIABLES_COLUMNS;

	if (*column > 0 && *column + 2 + len > columns) {
		fputs(",\n           ", out);
		*column = 11;
	} else if (*column > 0) {
		fputs(", ", out);
		*column += 2;
	} else {
		*column = 11;
	}
	fputs(word, out);
	*column += len;
}

/* What arguments and variables held there: the values first, then what is nowhere. */
static void print_variables(FILE *out, const struct answer *answer, const struct why_view *view,
			    const struct decision *said, int said_count)
{
	struct variable_seen all[VARIABLES_MAX];
	const struct decision_code where = why_code(view);
	size_t count = reasons_variables(&where, answer, all, VARIABLES_MAX);
	char value[4 * sizeof(all[0].value) + 1], name[4 * CEXPR_MAX + 1];
	char word[sizeof(value) + sizeof(name) + 4];
	int column = 0;

	for (int gone = 0; gone < 2; gone++) {
		for (size_t i = 0; i < count; i++) {
			if (all[i].optimized_out != gone || is_said(said, said_count, all[i].name))
				continue;
			snprintf(word, sizeof(word), "%s = %s",
				 escape_text(all[i].name, name, sizeof(name)),
				 gone ? "(optimized out)"
				      : escape_text(all[i].value, value, sizeof(value)));
			fputs(column ? "" : "  with     ", out);
			print_word(out, view, word, &column);
		}
	}
	if (column)
		fputc('\n', out);
}

static void print_decisions(FILE *out, const struct answer *answer, const struct why_view *view)
{
	struct decision all[DECISIONS_ASKED];
	_Static_assert(DECISIONS_ASKED >= WHY_ONE_OF_SHOWN, "room for either");
	const struct decision_code where = why_code(view);
	int count = reasons_find(&where, answer, view->snap, all, ARRAY_SIZE(all));
	struct why_place origin;
	const char *file;

	why_place_find(view, answer->site.addr, false, &origin);
	file = origin.count ? origin.chain[0].file : NULL;
	if (count < 1) {
		count = reasons_one_of(&where, answer, all, WHY_ONE_OF_SHOWN);
		for (int i = 0; i < count; i++)
			print_decision(out, &all[i], view, i ? "or" : "because", true, file);
		print_variables(out, answer, view, all, count > 0 ? count : 0);
		return;
	}
	count = view->story ? 1 : choose_shown(all, count);
	print_decision(out, &all[0], view, "because", true, file);
	for (int i = 1; i < count; i++)
		print_decision(out, &all[i], view, all[i].later ? "then" : "after", false, file);
	print_variables(out, answer, view, all, count);
}

static void print_candidates(FILE *out, const struct answer *answer, const struct why_view *view)
{
	char reason[4 * sizeof(answer->reason.text)];

	if (answer->hit && answer->candidates.count == 1)
		fprintf(out, "  perhaps this one: %s\n",
			escape_text(answer->reason.text, reason, sizeof(reason)));
	else
		fprintf(out, "  one of these %zu: %s:\n", answer->candidates.count,
			escape_text(answer->reason.text, reason, sizeof(reason)));
	for (size_t i = 0; i < answer->candidates.count; i++) {
		struct why_place place;

		if (!view->story && i == WHY_CANDIDATES_SHOWN) {
			fprintf(out, "    ... and %zu more  (--story)\n",
				answer->candidates.count - i);
			break;
		}
		why_place_find(view, answer->candidates.items[i].addr, false, &place);
		fputs("    [", out);
		print_place(out, &place, answer->candidates.items[i].addr);
		fputs("]\n", out);
	}
}

void render_why_answer(FILE *out, const struct answer *answer, const struct why_view *view)
{
	char reason[4 * sizeof(answer->reason.text)];

	print_call(out, answer->call, view);
	if (answer->why_call == BLAME_ONLY)
		fputs("  programs try this in any case, and go on; but no other call failed\n",
		      out);
	/* BLAME_BEFORE: nor does a message name its error. */
	if (answer->why_call == BLAME_BEFORE && blame_unnamed(&answer->failures, answer->call))
		fputs("  what the command writes names neither this call nor its error: it may\n"
		      "  have refused by itself\n",
		      out);
	if (answer->why_call == BLAME_PROBE)
		fputs("  programs often go on after this, and what the command writes does not "
		      "name it: it may have\n"
		      "  refused by itself; but no other call failed\n",
		      out);
	switch (answer->state) {
	case ORIGIN_FOUND:
		print_origin(out, answer, view);
		print_decisions(out, answer, view);
		break;
	case ORIGIN_ONE_OF:
		print_candidates(out, answer, view);
		break;
	default:
		if (answer->call->refused || answer->call->signal)
			fprintf(out, "  because  %s\n",
				escape_text(answer->reason.text, reason, sizeof(reason)));
		else
			fprintf(out, "  where the error was made is not known: %s\n",
				escape_text(answer->reason.text, reason, sizeof(reason)));
	}
	if (answer->call->refused)
		fputs("  in a container that is its seccomp profile, in a unit SystemCallFilter=\n",
		      out);
	print_kernel_words(out, answer->call, view);
}

void render_why_place(FILE *out, const struct answer *answer, const struct why_view *view)
{
	unsigned int err = answer->returned ? errno_of_result(answer->value) : 0;
	char name[4 * NAME_MAX + 1], number[32];

	fprintf(out, "%s%s%s", paint(&view->text, BOLD),
		escape_text(answer->place, name, sizeof(name)), paint(&view->text, OFF));
	if (err)
		fprintf(out, " returned -%s%s%s", paint(&view->text, RED),
			errno_or_number(err, number, sizeof(number)), paint(&view->text, OFF));
	else if (answer->returned && (answer->value < 0 || answer->value > UINT32_MAX))
		fprintf(out, " returned 0x%" PRIx64, (uint64_t)answer->value);
	else if (answer->returned)
		fprintf(out, " returned %" PRId64, answer->value);
	else
		fputs(" was executed", out);
	fputs(" in ", out);
	print_call(out, answer->call, view);
	print_origin(out, answer, view);
}

static void print_all(FILE *out, const struct answer *answer, const struct why_view *view)
{
	_cleanup_free_ char *text = malloc(SYSCALL_TEXT_MAX);
	char comm[4 * RECORD_COMM_LEN + 1], said[4 * WHY_TEXT_MAX + 1];
	struct tally tally;

	if (!text || tally_calls(&answer->failures, answer->call, &tally))
		return;
	fputs(tally.count ? "All calls that failed:\n" : "No call failed.\n", out);
	for (size_t i = 0; i < tally.count; i++) {
		const struct tally_row *row = &tally.rows[i];

		why_call_text(row->first, text, SYSCALL_TEXT_MAX);
		fprintf(out, "%s %5zu x %s", row->blamed ? "=>" : "  ", row->count, text);
		print_result(out, row->first, view);
		if (row->first->text[0])
			fprintf(out, " \"%s\"", escape_text(row->first->text, said, sizeof(said)));
		fprintf(out, "  %s[%u]%s\n", escape_text(row->first->comm, comm, sizeof(comm)),
			row->first->tid, row->tasks ? " ..." : "");
	}
	if (answer->failures.dropped)
		fprintf(out, "   %zu older calls that failed were not kept\n",
			answer->failures.dropped);
	tally_deinit(&tally);
}

/* What it is called in one word. */
static const char *kind_name(const struct failure *failure)
{
	switch (failure->via) {
	case WHY_VIA_NETLINK:
		return "netlink";
	case WHY_VIA_IO_URING:
		return "io_uring";
	default:
		return syscall_name(failure->call.nr) ?: "?";
	}
}

void render_why_others(FILE *out, const struct answer *answer, const struct why_view *view)
{
	struct tally tally;

	if (view->all) {
		print_all(out, answer, view);
		return;
	}
	if (tally_kinds(&answer->failures, answer->call, &tally))
		return;
	if (tally.count)
		fputs(answer->call ? "Other calls that failed on the way: " : "Calls that failed: ",
		      out);
	/* The last ones first: they are nearer to the end. */
	for (size_t i = 0; i < tally.count && i < KINDS_SHOWN; i++) {
		const struct tally_row *row = &tally.rows[tally.count - 1 - i];
		char number[32];

		fprintf(out, "%s%zu %s %s", i ? ", " : "", row->count, kind_name(row->first),
			errno_or_number(row->first->err, number, sizeof(number)));
	}
	if (tally.count > KINDS_SHOWN)
		fputs(", ...", out);
	if (tally.count && answer->failures.dropped)
		fprintf(out, "; %zu older ones were not kept", answer->failures.dropped);
	if (tally.count)
		fputs("  (--all)\n", out);
	tally_deinit(&tally);
}
