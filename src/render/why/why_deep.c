// SPDX-License-Identifier: GPL-2.0
#include "render/why/why_deep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "path/names.h"
#include "path/path.h"
#include "render/color.h"
#include "render/escape.h"
#include "symbolize/place.h"
#include "util/cleanup.h"

/* Deeper than any call of a kernel: its stack has 16 KiB. */
#define FRAMES_MAX 128
/* Longer names take a row as they are. */
#define NAME_COLUMNS_MAX 40

/* Of each function: the newest of its decisions, out of the newest of its blocks. */
#define DECISIONS_SHOWN 3
#define BLOCKS_MAX	24

/**
 * struct frame - a function on the way to the error
 * @at: where it was left last
 * @branches: taken in it; what it called is not counted
 * @returned: functions that it called, and that came back
 * @blocks: branches that led into it or on in it, by their number; of @block_count the newest, each
 * at its number modulo BLOCKS_MAX
 */
struct frame {
	struct symbol sym;
	uint64_t at;
	size_t branches;
	size_t returned;
	size_t blocks[BLOCKS_MAX];
	size_t block_count;
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

static void note_block(struct frames *frames, size_t number)
{
	struct frame *top = frames->count ? &frames->items[frames->count - 1] : NULL;

	if (top)
		top->blocks[top->block_count++ % BLOCKS_MAX] = number;
}

static void follow(struct frames *frames, struct symbols *symbols, const struct why_branch *branch,
		   size_t number)
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
	note_block(frames, number);
}

/* The branches up to the one behind number @number, as many as a path is built of. */
static void make_window(const struct deep_path *deep, size_t number, struct snapshot *snap)
{
	size_t end = number + 2, first = end > BRANCHES_MAX ? end - BRANCHES_MAX : 0;

	snap->path_ok = true;
	snap->count = 0;
	for (size_t i = first; i < end; i++)
		snap->branches[snap->count++] = (struct branch){.from = deep->branches[i].from,
								.to = deep->branches[i].to,
								.cycles = CYCLES_NOT_REPORTED};
}

static void print_decision(FILE *out, const struct path *path, const struct path_decision *decision,
			   const struct why_view *view)
{
	char words[CONDITION_MAX], shown[4 * CONDITION_MAX + 1];
	struct operand_condition named;
	struct why_place place;

	if (!path_source_condition(path, decision, view->symbols, view->lines, &named))
		snprintf(words, sizeof(words), "%s", named.text);
	else if (path_condition(path, decision, words, sizeof(words)))
		snprintf(words, sizeof(words), "the branch there was %s",
			 decision->taken ? "taken" : "not taken");
	why_place_find(view, decision->addr, false, &place);
	fprintf(out, "        after  %s   %s", escape_text(words, shown, sizeof(shown)),
		paint(&view->text, DIM));
	if (place.count && place.chain[0].line)
		fprintf(out, "(line %d)", place.chain[0].line);
	else
		fprintf(out, "(+0x%" PRIx64 ")", decision->addr - place.sym.addr);
	fprintf(out, "%s\n", paint(&view->text, OFF));
}

/* Of one block, the newest first. Return: how many were printed, of those not @told yet. */
static int print_block(FILE *out, const struct deep_path *deep, size_t number, int left,
		       uint64_t *told, const struct why_view *view)
{
	const struct path_options opts = {.place = place_by_symbols, .place_ctx = view->symbols};
	_cleanup_free_ struct snapshot *snap = calloc(1, sizeof(*snap));
	struct path *path = NULL;
	int printed = 0;
	uint32_t entry;

	if (!snap || number + 1 >= deep->count)
		return 0;
	make_window(deep, number, snap);
	entry = snap->count - 2;
	if (path_build(snap, view->kernel_text, &opts, &path))
		return 0;
	for (uint32_t i = path->decision_count; i-- > 0 && printed < left;) {
		const struct path_decision *decision = &path->decisions[i];
		bool again = path->blocks[decision->block].entry != entry;

		for (int k = 0; k < DECISIONS_SHOWN - left + printed && !again; k++)
			again = told[k] == decision->addr;
		if (again)
			continue;
		print_decision(out, path, decision, view);
		told[DECISIONS_SHOWN - left + printed++] = decision->addr;
	}
	path_free(path);
	return printed;
}

/* What it found before it went on to the next function, the newest first. */
static void print_decisions(FILE *out, const struct deep_path *deep, const struct frame *frame,
			    const struct why_view *view)
{
	size_t oldest = frame->block_count > BLOCKS_MAX ? frame->block_count - BLOCKS_MAX : 0;
	uint64_t told[DECISIONS_SHOWN];
	int left = DECISIONS_SHOWN;

	for (size_t i = frame->block_count; i-- > oldest && left;)
		left -= print_block(out, deep, frame->blocks[i % BLOCKS_MAX], left, told, view);
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
		follow(frames, view->symbols, &deep->branches[i], i);
	if (frames->count)
		frames->items[frames->count - 1].at = deep->end;
	for (size_t i = 0; i < frames->count; i++) {
		int len = (int)strlen(frames->items[i].sym.name);

		if (len > width && len <= NAME_COLUMNS_MAX)
			width = len;
	}
	for (size_t i = 0; i < frames->count; i++) {
		print_frame(out, &frames->items[i], width, view);
		if (view->kernel_text && view->kernel_text->read)
			print_decisions(out, deep, &frames->items[i], view);
	}
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
	fputc('\n', out);
	if (!deep->count) {
		fprintf(out, "The way from the system call to the error is not shown: %s\n",
			deep->gap.text);
		return;
	}
	print_reach(out, deep, view);
	print_frames(out, deep, view);
	print_computed(out, deep);
	print_interrupts(out, deep, view);
}
