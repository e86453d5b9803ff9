// SPDX-License-Identifier: GPL-2.0
#include "render/why/why_deep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/color.h"
#include "render/escape.h"
#include "render/line_text.h"
#include "render/why/deep_functions.h"
#include "symbolize/cold_part.h"
#include "util/cleanup.h"

/* Longer names take a row as they are. */
#define NAME_COLUMNS_MAX 40

/* @file: that of the function's row, or NULL */
static void print_condition(FILE *out, const struct deep_condition *condition,
			    const struct why_view *view, const char *file)
{
	char text[4 * CONDITION_MAX + 1], where[512];
	struct why_place place;

	why_place_find(view, condition->addr, false, &place);
	if (condition->text[0])
		fprintf(out, "        after  %s", escape_text(condition->text, text, sizeof(text)));
	else
		fprintf(out, "        after  the branch there was %s",
			condition->taken ? "taken" : "not taken");
	fprintf(out, "   %s", paint(&view->text, DIM));
	if (place.count && place.chain[0].line) {
		line_text_beside(&place.chain[0], file, where, sizeof(where));
		fprintf(out, "(%s)", escape_text(where, text, sizeof(text)));
	} else {
		fprintf(out, "(+0x%" PRIx64 ")", condition->addr - place.sym.addr);
	}
	fprintf(out, "%s\n", paint(&view->text, OFF));
}

static void print_function(FILE *out, const struct deep_function *function, int width,
			   const struct why_view *view)
{
	char name[512], file[1024];
	struct why_place place;

	why_place_find(view, function->at, false, &place);
	fprintf(out, "    %-*s  ", width, escape_text(function->sym.name, name, sizeof(name)));
	if (place.count && place.chain[place.count - 1].line)
		fprintf(out, "%s:%d",
			escape_text(place.chain[place.count - 1].file, file, sizeof(file)),
			place.chain[place.count - 1].line);
	else if (place.known && cold_part_is_of(&place.sym, &function->sym))
		fprintf(out, "%s+0x%" PRIx64, escape_text(place.sym.name, name, sizeof(name)),
			function->at - place.sym.addr);
	else
		fprintf(out, "+0x%" PRIx64, function->at - function->sym.addr);
	fprintf(out, "  %s%zu branch%s", paint(&view->text, DIM), function->branches,
		function->branches == 1 ? "" : "es");
	if (function->returned)
		fprintf(out, ", %zu call%s that returned", function->returned,
			function->returned == 1 ? "" : "s");
	fprintf(out, "%s\n", paint(&view->text, OFF));
	for (int i = 0; i < function->condition_count; i++)
		print_condition(out, &function->conditions[i], view,
				place.count ? place.chain[place.count - 1].file : NULL);
}

/* The functions that had not returned at the error, the outermost first; the others are counted. */
static void print_functions(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	_cleanup_free_ struct deep_function *functions = NULL;
	size_t count = 0;
	int width = 0;

	if (deep_functions(deep, view, &functions, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		int len = (int)strlen(functions[i].sym.name);

		if (len > width && len <= NAME_COLUMNS_MAX)
			width = len;
	}
	for (size_t i = 0; i < count; i++)
		print_function(out, &functions[i], width, view);
}

static void print_reach(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	char gap[4 * sizeof(deep->gap.text)];

	fprintf(out, "%s%zu branch%s back in %u run%s%s%s\n", paint(&view->text, BOLD), deep->count,
		deep->count == 1 ? "" : "es", deep->runs, deep->runs == 1 ? "" : "s",
		deep->entry ? ", to the system call's entry" : "", paint(&view->text, OFF));
	if (deep->gap.text[0])
		fprintf(out, "  no further: %s\n", escape_text(deep->gap.text, gap, sizeof(gap)));
}

/* What the way is not known to be. */
static void print_doubts(FILE *out, const struct deep_path *deep)
{
	char text[4 * sizeof(deep->unchecked.text)];

	if (deep->other_way)
		fprintf(out,
			"  the way is of run %u, which came there by other branches than the call "
			"above\n",
			deep->other_way);
	if (deep->unchecked.text[0])
		fprintf(out, "  not checked whether one run takes all of it: %s\n",
			escape_text(deep->unchecked.text, text, sizeof(text)));
}

static void print_interrupts(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	for (size_t i = 0; i < deep->interrupt_count; i++) {
		const struct deep_interrupt *cut = &deep->interrupts[i];
		char name[512];
		struct symbol sym;

		fprintf(out, "  %zu branch%s back %s", cut->newer, cut->newer == 1 ? "" : "es",
			cut->rescheduled ? "others ran or were woken, within "
					 : "came an interrupt, ");
		if (symbols_find(view->symbols, cut->entry, &sym))
			fprintf(out, "0x%" PRIx64, cut->entry);
		else
			fprintf(out, "%s()", escape_text(sym.name, name, sizeof(name)));
		fprintf(out, ", in run %u: left out\n", cut->run);
	}
}

static void print_computed(FILE *out, const struct deep_path *deep)
{
	size_t count = 0;

	for (size_t i = 0; i < deep->segment_count; i++)
		count += deep->segments[i].computed;
	if (count)
		fprintf(out,
			"  %zu branch%s computed from registers, where no breakpoint may stand\n",
			count, count == 1 ? " is" : "es are");
}

void render_why_deep(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	char gap[4 * sizeof(deep->gap.text)];

	fputc('\n', out);
	if (!deep->count) {
		fprintf(out, "The way from the system call to there is not shown: %s\n",
			escape_text(deep->gap.text, gap, sizeof(gap)));
		return;
	}
	print_reach(out, deep, view);
	print_doubts(out, deep);
	print_functions(out, deep, view);
	print_computed(out, deep);
	print_interrupts(out, deep, view);
}
