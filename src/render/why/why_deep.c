// SPDX-License-Identifier: GPL-2.0
#include "render/why/why_deep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/color.h"
#include "render/escape.h"
#include "symbolize/place.h"
#include "util/cleanup.h"

/* Deeper than any call of a kernel: its stack has 16 KiB. */
#define FRAMES_MAX 128
/* Longer names take a row as they are. */
#define NAME_COLUMNS_MAX 40

/**
 * struct frame - a function on the way to the error
 * @at: where it was left last
 * @branches: taken in it; what it called is not counted
 * @returned: functions that it called, and that came back
 */
struct frame {
	struct symbol sym;
	uint64_t at;
	size_t branches;
	size_t returned;
};

struct frames {
	struct frame items[FRAMES_MAX];
	size_t count;
};

static bool is_thunk(const struct symbol *sym)
{
	return place_is_thunk(place_of_symbol(sym->name, 0));
}

static void enter(struct frames *frames, const struct symbol *sym)
{
	if (frames->count < FRAMES_MAX)
		frames->items[frames->count++] = (struct frame){.sym = *sym};
}

/* Back in a function that is on the way: what it had called is done. */
static bool go_back(struct frames *frames, const struct symbol *sym)
{
	for (size_t i = frames->count; i-- > 0;) {
		if (frames->items[i].sym.addr != sym->addr)
			continue;
		if (i + 1 < frames->count)
			frames->items[i].returned++;
		frames->count = i + 1;
		return true;
	}
	return false;
}

static void follow(struct frames *frames, struct symbols *symbols, const struct why_branch *branch)
{
	struct frame *top = frames->count ? &frames->items[frames->count - 1] : NULL;
	struct symbol sym;

	/* A thunk's own branch is one with that which led to it. */
	if (!symbols_find(symbols, branch->from, &sym) && !is_thunk(&sym)) {
		if (!top || top->sym.addr != sym.addr) {
			frames->count = 0;
			enter(frames, &sym);
			top = &frames->items[0];
		}
		top->branches++;
		top->at = branch->from;
	}
	if (symbols_find(symbols, branch->to, &sym) || is_thunk(&sym))
		return;
	if (branch->to == sym.addr) {
		enter(frames, &sym);
	} else if (!go_back(frames, &sym)) {
		/* A caller from before the first branch. */
		frames->count = 0;
		enter(frames, &sym);
	}
}

static void print_frame(FILE *out, const struct frame *frame, int width,
			const struct why_view *view)
{
	char name[512], file[1024];
	struct why_place place;

	why_place_find(view, frame->at, false, &place);
	fprintf(out, "    %-*s  ", width, escape_text(frame->sym.name, name, sizeof(name)));
	if (place.count && place.chain[place.count - 1].line)
		fprintf(out, "%s:%d",
			escape_text(place.chain[place.count - 1].file, file, sizeof(file)),
			place.chain[place.count - 1].line);
	else
		fprintf(out, "+0x%" PRIx64, frame->at - frame->sym.addr);
	fprintf(out, "  %s%zu branch%s", paint(&view->text, DIM), frame->branches,
		frame->branches == 1 ? "" : "es");
	if (frame->returned)
		fprintf(out, ", %zu call%s that returned", frame->returned,
			frame->returned == 1 ? "" : "s");
	fprintf(out, "%s\n", paint(&view->text, OFF));
}

/* The functions that had not returned at the error, the outermost first; the others are counted. */
static void print_frames(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	_cleanup_free_ struct frames *frames = calloc(1, sizeof(*frames));
	int width = 0;

	if (!frames)
		return;
	for (size_t i = 0; i < deep->count; i++)
		follow(frames, view->symbols, &deep->branches[i]);
	if (frames->count)
		frames->items[frames->count - 1].at = deep->end;
	for (size_t i = 0; i < frames->count; i++) {
		int len = (int)strlen(frames->items[i].sym.name);

		if (len > width && len <= NAME_COLUMNS_MAX)
			width = len;
	}
	for (size_t i = 0; i < frames->count; i++)
		print_frame(out, &frames->items[i], width, view);
}

static void print_reach(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	fprintf(out, "%s%zu branch%s back in %u run%s%s%s\n", paint(&view->text, BOLD), deep->count,
		deep->count == 1 ? "" : "es", deep->runs, deep->runs == 1 ? "" : "s",
		deep->entry ? ", to the system call's entry" : "", paint(&view->text, OFF));
	if (deep->gap.text[0])
		fprintf(out, "  no further: %s\n", deep->gap.text);
}

static void print_interrupts(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	for (size_t i = 0; i < deep->interrupt_count; i++) {
		const struct deep_interrupt *cut = &deep->interrupts[i];
		char name[512];
		struct symbol sym;

		fprintf(out, "  %zu branch%s back came ", cut->newer, cut->newer == 1 ? "" : "es");
		if (symbols_find(view->symbols, cut->entry, &sym))
			fprintf(out, "an interrupt, 0x%" PRIx64, cut->entry);
		else
			fprintf(out, "an interrupt, %s()",
				escape_text(sym.name, name, sizeof(name)));
		fprintf(out, ", in run %u: left out\n", cut->run);
	}
}

void render_why_deep(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	fputc('\n', out);
	if (!deep->count) {
		fprintf(out, "The way from the system call to the error is not shown: %s\n",
			deep->gap.text);
		return;
	}
	print_reach(out, deep, view);
	print_frames(out, deep, view);
	print_interrupts(out, deep, view);
}
