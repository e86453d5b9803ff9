// SPDX-License-Identifier: GPL-2.0
#include "render/compare_view.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "operand/operand.h"
#include "render/color.h"
#include "render/escape.h"
#include "render/html/html_page.h"
#include "render/json_writer.h"
#include "render/branch_list.h"
#include "util/errno_name.h"

/* Below this a ranking is no answer: chance is 0.5. */
#define ACCURACY_LEAST 0.75
#define PLACE_LEN      256
#define CHAIN_MAX      8
#define DOUBT_LEN      1600
#define MATCH_LEN      512
#define ARGUMENT_LEN   400
/* Source: include/linux/err.h */
#define MAX_ERRNO 4095

/* Of struct ranked's @decides. */
static const char *decides_text(const struct compare_view *view)
{
	return view->build_count > 1 ? "the error follows from it: no passing call of this build "
				       "can have gone this way"
				     : "the error follows from it: no passing call can have gone "
				       "this way";
}

/* What takes the place of a balanced accuracy that would be of failing calls alone. */
static const char *inferred_text(const struct ranked *item)
{
	if (item->alone)
		return "by inference: the errno follows from it; it is not found in the passing "
		       "calls' build";
	return item->passing.known
		       ? "by inference: the errno follows from it; fewer than 3 passing records "
			 "show it"
		       : "by inference: the errno follows from it; no passing record shows it";
}

static const char *paint_of(const struct compare_view *view, const char *color)
{
	const struct text_options how = {.color = view->color};

	return paint(&how, color);
}

static const char *name_of(const struct ranking_place *place, char *buf, size_t len)
{
	char raw[PLACE_LEN];

	if (*place->module)
		snprintf(raw, sizeof(raw), "[%s] %s+%#" PRIx64, place->module, place->function,
			 place->off);
	else
		snprintf(raw, sizeof(raw), "%s+%#" PRIx64, place->function, place->off);
	return escape_text(raw, buf, len);
}

/* The innermost line: 0 if there is none. */
static int line_of(const struct compare_view *view, const struct ranked *item,
		   struct srcline *ret_line)
{
	struct srcline chain[CHAIN_MAX];
	struct lines *lines =
		item->build < view->build_count ? view->builds[item->build].lines : NULL;

	if (!lines || !item->addr ||
	    lines_find(lines, item->place.module, item->addr, false, chain, CHAIN_MAX) <= 0 ||
	    !chain[0].file || !chain[0].line)
		return 0;
	*ret_line = chain[0];
	return chain[0].line;
}

/* A pointer, which is less than all errnos, says nothing by its number. */
static bool has_numbers(const struct value_range *range)
{
	return range->known && range->min >= -MAX_ERRNO;
}

/* @before and "4096..8192", or nothing */
static void print_values(FILE *out, const char *before, const struct value_range *range)
{
	if (!has_numbers(range))
		return;
	fprintf(out, "%s%" PRId64, before, range->min);
	if (range->max != range->min)
		fprintf(out, "..%" PRId64, range->max);
}

static void value_words(enum argument_kind kind, int64_t value, char *buf, size_t len)
{
	if (kind == ARGUMENT_POINTER)
		snprintf(buf, len, "%s", value ? "not NULL" : "NULL");
	else if (kind == ARGUMENT_UNSIGNED)
		snprintf(buf, len, "%" PRIu64, (uint64_t)value);
	else
		snprintf(buf, len, "%" PRId64, value);
}

/* "4096..8192"; "not known" */
static const char *range_words(enum argument_kind kind, const struct value_range *range, char *buf,
			       size_t len)
{
	char least[32], most[32];

	value_words(kind, range->min, least, sizeof(least));
	value_words(kind, range->max, most, sizeof(most));
	if (!range->known)
		snprintf(buf, len, "not known");
	else if (range->min == range->max)
		snprintf(buf, len, "%s", least);
	else
		snprintf(buf, len, "%s%s%s", least, kind == ARGUMENT_POINTER ? " or " : "..", most);
	return buf;
}

/* "size: 12288 in failing calls, 4096..8192 in passing ones" */
static void argument_words(const struct argument_pair *pair, char *buf, size_t len)
{
	char name[4 * ARGUMENT_NAME_MAX], bad[80], good[80];

	snprintf(buf, len, "%s: %s in failing calls, %s in passing ones%s",
		 escape_text(pair->name, name, sizeof(name)),
		 range_words(pair->kind, &pair->failing, bad, sizeof(bad)),
		 range_words(pair->kind, &pair->passing, good, sizeof(good)),
		 pair->separates ? ": this tells all calls apart" : "");
}

/* What tells calls apart first; a pointer that is one in all calls says nothing. */
static size_t arguments_shown(const struct ranking_reason *reason, const struct compare_view *view,
			      const struct argument_pair *ret[ARGUMENTS_MAX])
{
	size_t count = 0;

	for (int separates = 1; !view->no_values && separates >= 0; separates--)
		for (size_t i = 0; i < reason->argument_count; i++) {
			const struct argument_pair *pair = &reason->arguments[i];
			bool same = pair->kind == ARGUMENT_POINTER &&
				    pair->failing.min == pair->passing.min &&
				    pair->failing.max == pair->passing.max;

			if (pair->separates == separates && !same)
				ret[count++] = pair;
		}
	return count;
}

static bool any_separates(const struct ranking_reason *reason)
{
	for (size_t i = 0; i < reason->argument_count; i++)
		if (reason->arguments[i].separates)
			return true;
	return false;
}

static void print_arguments(FILE *out, const struct ranking_reason *reason,
			    const struct compare_view *view)
{
	const struct argument_pair *shown[ARGUMENTS_MAX];
	size_t count = arguments_shown(reason, view, shown);

	for (size_t i = 0; i < count; i++) {
		char words[ARGUMENT_LEN];

		argument_words(shown[i], words, sizeof(words));
		fprintf(out, "  argument %s\n", words);
	}
}

static void print_passing_values(FILE *out, const struct ranking_reason *reason,
				 const struct compare_view *view)
{
	if (reason->passing_errnos)
		fprintf(out, ", of which %" PRIu64 " returned an errno", reason->passing_errnos);
	if (!view->no_values)
		print_values(out, reason->passing_errnos ? ", others " : ", which returned ",
			     &reason->passing_values);
}

/* Calls of the reason's function, of which those compared were drawn. */
static uint64_t seen_of(const struct ranking_reason *reason, const struct compare_view *view,
			int err)
{
	return sample_seen(view->sample, reason->function, err);
}

/* Of another build, and what that means: who reads "0 of 12" has to know what was compared. */
static void match_words(const struct ranking_reason *reason, const struct compare_view *view,
			char *buf, size_t len)
{
	const struct ranking_match *match = &reason->match;
	uint64_t branches = match->by_line + match->by_condition + match->alone;

	snprintf(buf, len,
		 "%s builds of the kernel: failing calls are of %s, %" PRIu64 " of %" PRIu64
		 " passing ones of another; of %" PRIu64
		 " branches that failing calls executed, %" PRIu64
		 " are compared by function, line and condition, %" PRIu64
		 " by function and condition alone, and %" PRIu64 " are not found there",
		 view->build_count == 2 ? "two" : "several", view->builds[reason->build].name,
		 match->passing, reason->passing, branches, match->by_line, match->by_condition,
		 match->alone);
}

static void print_heading(FILE *out, const struct ranking_reason *reason,
			  const struct compare_view *view)
{
	char function[PLACE_LEN], place[PLACE_LEN];
	const char *name = reason->err ? errno_name(reason->err) : NULL;

	fprintf(out, "%s%s()%s: %" PRIu64 " failing", paint_of(view, BOLD),
		escape_text(reason->function, function, sizeof(function)), paint_of(view, OFF),
		reason->failing);
	if (name)
		fprintf(out, ", -%s", name);
	else if (reason->err)
		fprintf(out, ", -%d", reason->err);
	if (reason->made_at.function)
		fprintf(out, " made at %s", name_of(&reason->made_at, place, sizeof(place)));
	if (!view->no_values)
		print_values(out, ", which returned ", &reason->failing_values);
	fprintf(out, "; %" PRIu64 " passing", reason->passing);
	print_passing_values(out, reason, view);
	fputc('\n', out);
	if (view->sample)
		fprintf(out,
			"  drawn from %" PRIu64 " that returned %s%s, and %" PRIu64
			" that passed\n",
			seen_of(reason, view, reason->err), name ? "-" : "an error", name ?: "",
			seen_of(reason, view, 0));
	if (reason->match.passing) {
		char words[MATCH_LEN];

		match_words(reason, view, words, sizeof(words));
		fprintf(out, "  %s\n", words);
	}
	print_arguments(out, reason, view);
}

static void print_count(FILE *out, const struct ranking_count *count, uint64_t calls)
{
	fprintf(out, "%" PRIu64 " of %" PRIu64, count->true_calls, count->known);
	if (count->known < calls)
		fprintf(out, " (not known of %" PRIu64 ")", calls - count->known);
}

/* "inode->i_mode == 2", or of registers where that has no names; "": not known */
static const char *condition_of(const struct ranked *item)
{
	return *item->source ? item->source : item->condition;
}

static void print_item(FILE *out, const struct ranking_reason *reason, const struct ranked *item,
		       size_t number, const struct compare_view *view)
{
	char place[PLACE_LEN], condition[4 * CONDITION_MAX], file[PLACE_LEN];
	struct srcline line;

	fprintf(out, "%4zu  %s%s%s  %s", number, paint_of(view, BOLD),
		name_of(&item->place, place, sizeof(place)), paint_of(view, OFF),
		item->taken ? "taken" : "not taken");
	if (line_of(view, item, &line))
		fprintf(out, "  %s:%d", escape_text(line.file, file, sizeof(file)), line.line);
	if (*condition_of(item))
		fprintf(out, "  as %s",
			escape_text(condition_of(item), condition, sizeof(condition)));
	fputs("\n      in ", out);
	print_count(out, &item->failing, reason->failing);
	fputs(" failing, ", out);
	print_count(out, &item->passing, reason->passing);
	if (item->inferred) {
		fprintf(out, " passing\n      %s\n", inferred_text(item));
		return;
	}
	/* Rounded down: 1 says that there was no exception. */
	fprintf(out, " passing; balanced accuracy %.3f\n", floor(item->accuracy * 1000) / 1000);
	if (item->decides)
		fprintf(out, "      %s\n", decides_text(view));
}

static bool is_ranked(const struct ranking_reason *reason)
{
	return reason->count && reason->items[0].accuracy >= ACCURACY_LEAST;
}

/* What the numbers do not carry is said, before anybody relies on it. NULL: nothing is in doubt. */
static const char *doubt_of(const struct ranking_reason *reason, const struct compare_view *view,
			    char buf[DOUBT_LEN])
{
	const char *why = NULL;
	char function[PLACE_LEN];

	if (!reason->passing && view->missing.kinds) {
		snprintf(buf, DOUBT_LEN,
			 "no passing call of this function is compared: nothing to compare with; "
			 "%" PRIu64 " calls of too many kinds are left out, and may be of it; "
			 "compare fewer functions",
			 view->missing.kinds);
		return buf;
	}
	if (!reason->passing && reason->passing_function) {
		snprintf(buf, DOUBT_LEN,
			 "no passing call of this function was captured: the passing calls are of "
			 "%s(): nothing to compare with; capture both kinds of one function",
			 escape_text(reason->passing_function, function, sizeof(function)));
		return buf;
	}
	if (!reason->passing && view->sample)
		return "no passing call of this function was seen: nothing to compare with";
	if (!reason->passing)
		return "no passing call of this function was captured: nothing to compare with; "
		       "'lbrsnoop record -e none' captures both";
	if (reason->failing < RANKING_CALLS_LEAST || reason->passing < RANKING_CALLS_LEAST)
		return "fewer than 3 failing and 3 passing calls: this may be chance";
	if (reason->match.decided_alone)
		why = "the branch that the error follows from is not found in the passing calls' "
		      "build: it may be what differs, and is not compared";
	else if (!reason->count || reason->items[0].accuracy < ACCURACY_LEAST)
		why = any_separates(reason) && !view->no_values
			      ? "no decision in the records tells failing from passing calls, an "
				"argument does: they part further back than the records reach"
			      : "no decision in the records tells failing from passing calls: they "
				"part "
				"further back than the records reach, or by data alone";
	else if (reason->by_chance)
		return "with so few calls this may be chance: one of so many decisions may tell "
		       "them apart by accident; capture more calls (-n)";
	else if (2 * reason->items[0].failing.known < reason->failing ||
		 (!reason->items[0].decides &&
		  2 * reason->items[0].passing.known < reason->passing))
		why = "most calls of one kind do not know: their records begin behind these "
		      "decisions; what the others did may be of another sort of call";
	else if (2 * reason->items[0].passing.known < reason->passing)
		why = "most passing calls do not know: their records begin behind the first "
		      "decision, and that they went another way there is inferred, not recorded";
	else if (!reason->joined)
		why = "the records do not show both ways from a decision in common on: the "
		      "calls may have parted further back";
	else if (!reason->made_at.function)
		why = "the records do not show where the error was made: these decisions may "
		      "follow from it";
	if (!why)
		return NULL;
	snprintf(buf, DOUBT_LEN,
		 "%s; what looks further back: %s; or compare a function further in, which "
		 "'lbrsnoop why' names%s",
		 why, view->further,
		 is_ranked(reason) || reason->argument_count || view->no_values
			 ? ""
			 : "; captured with -T fexit, the arguments' values are compared, too");
	return buf;
}

static int print_text(FILE *out, const struct ranking_reason *reason,
		      const struct compare_view *view)
{
	char place[PLACE_LEN], buf[DOUBT_LEN];
	const char *doubt = doubt_of(reason, view, buf);

	print_heading(out, reason, view);
	if (doubt)
		fprintf(out, "  %s\n", doubt);
	for (size_t i = 0; is_ranked(reason) && i < reason->count && i < view->top; i++)
		print_item(out, reason, &reason->items[i], i + 1, view);
	if (is_ranked(reason) && reason->parts_at >= 0) {
		const struct ranked *item = &reason->items[reason->parts_at];

		fprintf(out,
			"  the two ways part first at %s: %s in all failing calls, in no passing "
			"one\n",
			name_of(&item->place, place, sizeof(place)),
			item->taken ? "taken" : "not taken");
	}
	fputc('\n', out);
	return ferror(out) ? -EIO : 0;
}

static void put_count(struct json_writer *w, const char *name, const struct ranking_count *count)
{
	jw_key(w, name);
	jw_open(w, '{');
	jw_put_integer(w, "true", (int64_t)count->true_calls);
	jw_put_integer(w, "known", (int64_t)count->known);
	jw_close(w, '}');
}

static void put_range(struct json_writer *w, const char *name, const struct value_range *range,
		      bool shown)
{
	jw_key(w, name);
	if (!shown || !range->known) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_integer(w, "known", (int64_t)range->known);
	jw_put_integer(w, "min", range->min);
	jw_put_integer(w, "max", range->max);
	jw_close(w, '}');
}

static void put_values(struct json_writer *w, const char *name, const struct value_range *range,
		       const struct compare_view *view)
{
	put_range(w, name, range, has_numbers(range) && !view->no_values);
}

static void put_arguments(struct json_writer *w, const struct ranking_reason *reason,
			  const struct compare_view *view)
{
	static const char *const kinds[] = {[ARGUMENT_SIGNED] = "signed",
					    [ARGUMENT_UNSIGNED] = "unsigned",
					    [ARGUMENT_POINTER] = "pointer"};

	jw_key(w, "arguments");
	if (!reason->argument_count || view->no_values) {
		jw_null(w);
		return;
	}
	jw_open(w, '[');
	for (size_t i = 0; i < reason->argument_count; i++) {
		const struct argument_pair *pair = &reason->arguments[i];

		jw_open(w, '{');
		jw_put_string(w, "name", pair->name);
		jw_put_string(w, "kind", kinds[pair->kind]);
		put_range(w, "failing", &pair->failing, true);
		put_range(w, "passing", &pair->passing, true);
		jw_put_bool(w, "separates", pair->separates);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

static void put_place(struct json_writer *w, const char *name, const struct ranking_place *place)
{
	jw_key(w, name);
	if (!place->function) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_string(w, "function", place->function);
	jw_put_string(w, "module", place->module);
	jw_put_integer(w, "off", (int64_t)place->off);
	jw_close(w, '}');
}

static void put_item(struct json_writer *w, const struct ranked *item,
		     const struct compare_view *view)
{
	struct srcline line = {};
	int number = line_of(view, item, &line);

	jw_open(w, '{');
	put_place(w, "place", &item->place);
	jw_key(w, "addr");
	if (item->addr)
		jw_address(w, item->addr);
	else
		jw_null(w);
	jw_put_bool(w, "taken", item->taken);
	jw_put_text(w, "condition", item->condition);
	jw_key(w, "source");
	if (*item->source) {
		jw_open(w, '{');
		jw_put_string(w, "text", item->source);
		jw_close(w, '}');
	} else {
		jw_null(w);
	}
	jw_put_string(w, "file", number ? line.file : NULL);
	jw_put_known(w, "line", number, number);
	put_count(w, "failing", &item->failing);
	put_count(w, "passing", &item->passing);
	jw_key(w, "accuracy");
	if (item->inferred)
		jw_null(w);
	else
		jw_real(w, item->accuracy);
	jw_put_bool(w, "decides", item->decides);
	jw_close(w, '}');
}

static void put_seen(struct json_writer *w, const struct ranking_reason *reason,
		     const struct compare_view *view)
{
	jw_key(w, "seen");
	if (!view->sample) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_integer(w, "failing", (int64_t)seen_of(reason, view, reason->err));
	jw_put_integer(w, "passing", (int64_t)seen_of(reason, view, 0));
	jw_close(w, '}');
}

static void put_match(struct json_writer *w, const struct ranking_reason *reason,
		      const struct compare_view *view)
{
	const struct ranking_match *match = &reason->match;

	jw_key(w, "builds");
	if (view->build_count < 2) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_string(w, "failing", view->builds[reason->build].name);
	jw_put_integer(w, "passing_of_others", (int64_t)match->passing);
	jw_put_integer(w, "by_line", (int64_t)match->by_line);
	jw_put_integer(w, "by_condition", (int64_t)match->by_condition);
	jw_put_integer(w, "not_found", (int64_t)match->alone);
	jw_close(w, '}');
}

static bool is_missing(const struct compare_missing *missing)
{
	return missing->stopped || missing->no_path || missing->no_return || missing->kinds ||
	       missing->lost || missing->cut;
}

static void put_missing(struct json_writer *w, const struct compare_missing *missing)
{
	jw_key(w, "missing");
	if (!is_missing(missing)) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_bool(w, "stopped", missing->stopped);
	jw_put_integer(w, "no_path", (int64_t)missing->no_path);
	jw_put_integer(w, "no_return", (int64_t)missing->no_return);
	jw_put_integer(w, "kinds", (int64_t)missing->kinds);
	jw_put_integer(w, "lost", (int64_t)missing->lost);
	jw_put_integer(w, "cut", (int64_t)missing->cut);
	jw_close(w, '}');
}

static int print_json(FILE *out, const struct ranking_reason *reason,
		      const struct compare_view *view)
{
	bool ranked = is_ranked(reason), parts = ranked && reason->parts_at >= 0;
	struct json_writer w = {0};
	char buf[DOUBT_LEN];

	jw_open(&w, '{');
	jw_put_string(&w, "schema", "lbrsnoop.compare/1");
	jw_put_string(&w, "function", reason->function);
	jw_put_string(&w, "errno", reason->err ? errno_name(reason->err) : NULL);
	put_place(&w, "made_at", &reason->made_at);
	jw_put_integer(&w, "failing", (int64_t)reason->failing);
	jw_put_integer(&w, "passing", (int64_t)reason->passing);
	put_values(&w, "failing_values", &reason->failing_values, view);
	put_values(&w, "passing_values", &reason->passing_values, view);
	put_arguments(&w, reason, view);
	jw_put_integer(&w, "passing_errnos", (int64_t)reason->passing_errnos);
	jw_key(&w, "decisions");
	jw_open(&w, '[');
	for (size_t i = 0; ranked && i < reason->count && i < view->top; i++)
		put_item(&w, &reason->items[i], view);
	jw_close(&w, ']');
	jw_key(&w, "parts_at");
	if (parts)
		put_item(&w, &reason->items[reason->parts_at], view);
	else
		jw_null(&w);
	jw_put_string(&w, "doubt", doubt_of(reason, view, buf));
	put_seen(&w, reason, view);
	put_match(&w, reason, view);
	put_missing(&w, &view->missing);
	jw_close(&w, '}');
	return json_writer_flush(&w, out) ?: (ferror(out) ? -EIO : 0);
}

int render_comparison(FILE *out, const struct ranking_reason *reason,
		      const struct compare_view *view)
{
	return view->json ? print_json(out, reason, view) : print_text(out, reason, view);
}

/* The share of those that know, as a bar; and both numbers. */
static void put_count_html(FILE *out, const struct ranking_count *count, uint64_t calls)
{
	double share = count->known ? 100.0 * (double)count->true_calls / (double)count->known : 0;

	fprintf(out,
		"<td class=\"way\"><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\">"
		"<rect width=\"%.1f\" height=\"8\"/></svg>",
		share);
	print_count(out, count, calls);
	fputs("</td>", out);
}

static void put_item_html(FILE *out, const struct ranking_reason *reason, const struct ranked *item,
			  size_t number, const struct compare_view *view)
{
	char place[PLACE_LEN];
	struct srcline line;

	fprintf(out, "<tr><td class=\"n\">%zu</td><td class=\"code f\">", number);
	html_put_text(out, name_of(&item->place, place, sizeof(place)));
	fputs(item->taken ? "  taken" : "  not taken", out);
	if (line_of(view, item, &line)) {
		fputs("<br>", out);
		html_put_text(out, line.file);
		fprintf(out, ":%d", line.line);
	}
	if (*condition_of(item)) {
		fputs("<br>as ", out);
		html_put_text(out, condition_of(item));
	}
	if (item->decides)
		fprintf(out, "<br>%s", item->inferred ? inferred_text(item) : decides_text(view));
	fputs("</td>", out);
	put_count_html(out, &item->failing, reason->failing);
	put_count_html(out, &item->passing, reason->passing);
	if (item->inferred)
		fputs("<td class=\"n\">inferred</td></tr>\n", out);
	else /* Rounded down: 1 says that there was no exception. */
		fprintf(out, "<td class=\"n\">%.3f</td></tr>\n",
			floor(item->accuracy * 1000) / 1000);
}

static void put_arguments_html(FILE *out, const struct ranking_reason *reason,
			       const struct compare_view *view)
{
	const struct argument_pair *shown[ARGUMENTS_MAX];
	size_t count = arguments_shown(reason, view, shown);

	for (size_t i = 0; i < count; i++) {
		char words[ARGUMENT_LEN];

		argument_words(shown[i], words, sizeof(words));
		fputs("<p class=\"argument\">argument ", out);
		html_put_text(out, words);
		fputs("</p>\n", out);
	}
}

static void put_reason_html(FILE *out, const struct ranking_reason *reason,
			    const struct compare_view *view)
{
	char place[PLACE_LEN], buf[DOUBT_LEN];
	const char *doubt = doubt_of(reason, view, buf);
	const char *name = reason->err ? errno_name(reason->err) : NULL;

	fputs("<section class=\"reason\">\n<h2 class=\"mono f\">", out);
	html_put_text(out, reason->function);
	if (name)
		fprintf(out, "() = -%s", name);
	else if (reason->err)
		fprintf(out, "() = -%d", reason->err);
	fputs("</h2>\n<p>", out);
	if (reason->made_at.function) {
		fputs("made at <code class=\"f\">", out);
		html_put_text(out, name_of(&reason->made_at, place, sizeof(place)));
		fputs("</code>; ", out);
	}
	fprintf(out, "%" PRIu64 " failing, %" PRIu64 " passing calls", reason->failing,
		reason->passing);
	if (view->sample)
		fprintf(out, ", drawn from %" PRIu64 " and %" PRIu64,
			seen_of(reason, view, reason->err), seen_of(reason, view, 0));
	if (!view->no_values) {
		print_values(out, "; failing ones returned ", &reason->failing_values);
		print_values(out, "; passing ones returned ", &reason->passing_values);
	}
	if (reason->passing_errnos)
		fprintf(out, "; %" PRIu64 " of the passing ones returned an errno",
			reason->passing_errnos);
	fputs("</p>\n", out);
	if (reason->match.passing) {
		char words[MATCH_LEN];

		match_words(reason, view, words, sizeof(words));
		fputs("<p class=\"builds\">", out);
		html_put_text(out, words);
		fputs("</p>\n", out);
	}
	put_arguments_html(out, reason, view);
	if (doubt) {
		fputs("<p class=\"doubt\">", out);
		html_put_text(out, doubt);
		fputs("</p>\n", out);
	}
	if (is_ranked(reason)) {
		fputs("<table>\n<thead><tr><th class=\"n\"></th><th>Decision</th><th>Failing</th>"
		      "<th>Passing</th><th class=\"n\">Accuracy</th></tr></thead>\n"
		      "<tbody>\n",
		      out);
		for (size_t i = 0; i < reason->count && i < view->top; i++)
			put_item_html(out, reason, &reason->items[i], i + 1, view);
		fputs("</tbody>\n</table>\n", out);
	}
	if (is_ranked(reason) && reason->parts_at >= 0) {
		const struct ranked *item = &reason->items[reason->parts_at];

		fputs("<p>The two ways part first at <code class=\"f\">", out);
		html_put_text(out, name_of(&item->place, place, sizeof(place)));
		fprintf(out, "</code>: %s in all failing calls, in no passing one.</p>\n",
			item->taken ? "taken" : "not taken");
	}
	fputs("</section>\n", out);
}

static void put_number_html(FILE *out, const char *text, uint64_t number)
{
	if (number)
		fprintf(out, "; %s: %" PRIu64, text, number);
}

/* Who reads a page has not seen what was said when it was made. */
static void put_missing_html(FILE *out, const struct compare_missing *missing)
{
	if (!is_missing(missing))
		return;
	fputs("<p>Not all calls are compared", out);
	if (missing->stopped)
		fputs("; stopped before all was read", out);
	put_number_html(out, "calls without a path", missing->no_path);
	put_number_html(out, "snapshots of no return", missing->no_return);
	put_number_html(out, "calls of too many kinds", missing->kinds);
	put_number_html(out, "events lost when they were captured", missing->lost);
	put_number_html(out, "captures that end early", missing->cut);
	fputs("</p>\n", out);
}

int render_comparison_page(FILE *out, const struct compare_page *page,
			   const struct compare_view *view)
{
	html_put_head(out, "compare", page->names, page->name_count, false);
	fputs("<header>\n<h1>lbrsnoop compare <span class=\"f\">", out);
	html_put_names(out, page->names, page->name_count);
	fprintf(out,
		"</span></h1>\n<p>%" PRIu64 " calls, %zu reason%s to fail: which decisions tell "
		"failing calls from passing ones</p>\n",
		page->calls, page->reason_count, page->reason_count == 1 ? "" : "s");
	put_missing_html(out, &view->missing);
	fputs("</header>\n<main>\n", out);
	if (!page->reason_count)
		fputs("<p>No failing call is among them.</p>\n", out);
	for (size_t i = 0; i < page->reason_count; i++)
		put_reason_html(out, &page->reasons[i], view);
	fputs("</main>\n</body>\n</html>\n", out);
	return ferror(out) ? -EIO : 0;
}
