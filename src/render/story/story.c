// SPDX-License-Identifier: GPL-2.0
/* story.c - which rows there are, and in which order */
#include "render/story/story.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "render/color.h"
#include "render/story/story_drawer.h"
#include "symbolize/place.h"
#include "util/errno_name.h"

static bool is_thunk(const struct story_step *step)
{
	if (*step->function != '_' && !strstr(step->function, "thunk"))
		return false;
	return place_is_thunk(place_of_symbol(step->function, step->offset));
}

static const char *how_text(enum story_how how, bool first)
{
	switch (how) {
	case STORY_STARTS:
		return first ? "the record starts here, with" : "again known, in";
	case STORY_RETURNED:
		return "back in";
	case STORY_RESUMED:
		return "back from the interrupt, in";
	case STORY_JUMPED:
		return "jump to";
	default:
		return "";
	}
}

/* Is nothing of the program told before? */
static bool is_first(const struct drawer *d, const struct story_step *step)
{
	while (step > d->story->steps && step[-1].kind == STORY_TRACING)
		step--;
	return step == d->story->steps;
}

static void draw_header(struct drawer *d, const struct story_step *step)
{
	bool first = is_first(d, step), module = *step->module;
	enum story_how how = step->how;
	const char *words;
	struct row row;

	/* Through a thunk a call or return looks like a jump. */
	if (how == STORY_JUMPED && d->function && step->depth != d->depth)
		how = step->depth > d->depth ? STORY_CALLED : STORY_RETURNED;
	/* A retpoline calls by returning to the function's start. */
	if (how == STORY_RETURNED && !step->offset)
		how = STORY_CALLED;
	if (how == STORY_INTERRUPTED && d->aside == INT_MIN)
		d->aside = step->depth - 1;
	words = how_text(how, first);
	row_begin(&row, drawer_mark(d, step), drawer_level(d, step));
	if (how == STORY_JUMPED && d->path->blocks[step->block].first_insn != step->insn)
		words = "on into";
	row_add(&row, "%s%s%s()", words, *words ? " " : "", step->function);
	if (module)
		row_add(&row, " [%s]", step->module);
	if (how == STORY_STARTS && step->offset && !step->inline_count)
		row_add(&row, " at +%#" PRIx64, step->offset);
	if (how != STORY_RETURNED && how != STORY_RESUMED && step->inline_count)
		drawer_add_file(&row,
				d->story->frames[step->inlined + step->inline_count - 1].file);
	if (d->path->blocks[step->block].first_insn == step->insn)
		drawer_add_flags(d, &row, d->path->blocks[step->block].entry);
	drawer_print(d, &row, how == STORY_RETURNED || row.mark ? "" : BOLD);
	d->function = step->function;
	d->depth = step->depth;
	d->frame_count = 0;
	d->files[0] = step->inline_count
			      ? d->story->frames[step->inlined + step->inline_count - 1].file
			      : NULL;
}

/* An interrupt that does not return within the path is no aside: it is the story. */
static bool returns(const struct drawer *d, uint32_t step)
{
	for (uint32_t i = step + 1; i < d->story->step_count; i++)
		if (d->story->steps[i].depth <= d->story->steps[step].depth)
			return true;
	return false;
}

/* One row for all that a tracer did; whose it was, and what it took of the record. */
static void draw_tracing(struct drawer *d, const struct story_step *step)
{
	const struct path_block *first = &d->path->blocks[step->block];
	const struct path_block *last = &d->path->blocks[step->last_block];
	uint32_t from = first->entry, to = last->branch != PATH_NONE ? last->branch : last->entry;
	char count[40] = "";
	struct row row;

	if (from != PATH_NONE && to != PATH_NONE && to >= from)
		snprintf(count, sizeof(count), ", %u branch%s", to - from + 1,
			 to == from ? "" : "es");
	row_begin(&row, drawer_mark(d, step), drawer_level(d, step) + (d->function ? 1 : 0));
	row_add(&row, "(tracing itself, not the program: %s()%s)", step->function, count);
	drawer_print(d, &row, DIM);
}

static void draw_kernel(struct drawer *d, const struct story_step *step)
{
	const struct path_block *block = &d->path->blocks[step->block];
	uint32_t last = block->first_insn + block->insn_count - 1;

	if (block->insn_count && d->path->insns[last].class == INSN_SYSCALL)
		drawer_say(d, step, DIM, "(a system call)");
	else
		drawer_say(d, step, DIM, "(interrupted; the kernel came back here)");
}

static void draw_return(struct drawer *d, const struct story_step *step, const char *function)
{
	if (d->snap->err)
		drawer_say(d, step, "", "%s() returns %s", function, d->error);
	else
		drawer_say(d, step, "", "%s() returns %" PRId64, function, d->snap->retval);
}

static const char *taken_at(const struct snapshot *snap)
{
	if (snap->trigger && snap->trigger->kind == TRIGGER_PERF)
		return "the event";
	if (snap->trigger && snap->trigger->kind == TRIGGER_PMI)
		return "the interrupt";
	return snap->signal || snapshot_fault_name(snap) ? "the fault" : "the breakpoint";
}

static void draw_trigger(struct drawer *d, const struct story_step *step)
{
	if (d->story->error_insn == d->path->insn_count)
		return; /* it is where the error is made */
	if (d->snap->has_retval)
		draw_return(d, step, step->function);
	else
		drawer_say(d, step, "", "%s, at %s+%#" PRIx64, taken_at(d->snap), step->function,
			   step->offset);
}

static void draw_step(struct drawer *d, uint32_t index)
{
	const struct story_step *step = &d->story->steps[index];

	switch (step->kind) {
	case STORY_FUNCTION:
		draw_header(d, step);
		break;
	case STORY_LINE:
		drawer_source(d, step);
		break;
	case STORY_DECISION:
		drawer_context(d, step, step->inline_count, true);
		drawer_insns(d, step, step->insn + 1);
		drawer_decision(d, step);
		break;
	case STORY_ERROR:
		drawer_context(d, step, step->inline_count, true);
		if (step->insn != PATH_NONE)
			drawer_insns(d, step, step->insn + 1);
		drawer_error(d, step);
		break;
	case STORY_INTERRUPT:
		if (d->aside == INT_MIN && returns(d, index)) {
			d->aside = step->depth;
			drawer_say(d, step, "", "an interrupt or exception arrives:");
		}
		break;
	case STORY_KERNEL:
		draw_kernel(d, step);
		break;
	case STORY_GAP:
		drawer_say(d, step, YELLOW, "... %s ...",
			   path_gap_text(d->path->blocks[step->block].gap));
		d->frame_count = 0;
		break;
	case STORY_TRACING:
		draw_tracing(d, step);
		d->next_insn = d->path->blocks[step->last_block].first_insn +
			       d->path->blocks[step->last_block].insn_count;
		break;
	case STORY_TRIGGER:
		draw_trigger(d, step);
		break;
	}
}

static uint32_t block_of_insn(const struct path *path, uint32_t insn)
{
	for (uint32_t i = 0; i < path->block_count && insn != PATH_NONE; i++)
		if (insn - path->blocks[i].first_insn < path->blocks[i].insn_count)
			return i;
	return PATH_NONE;
}

/* Rounds drawn as one. The round in which the error happens is drawn by itself. */
static uint32_t rounds_folded(const struct drawer *d, const struct path_fold *fold)
{
	uint32_t key = d->story->key_decision;
	uint32_t blocks[] = {
		key == PATH_NONE ? PATH_NONE : d->path->decisions[key].block,
		block_of_insn(d->path, d->story->error_insn),
	};
	uint32_t rounds = fold->count;

	for (size_t i = 0; i < 2; i++) {
		uint32_t block = blocks[i];

		if (block == PATH_NONE || block < fold->first ||
		    (block - fold->first) / fold->period >= rounds)
			continue;
		rounds = (block - fold->first) / fold->period;
	}
	return rounds;
}

/* Begin and end of a fold. Return: this block is a further round, and not drawn. */
static bool fold_block(struct drawer *d, const struct story_step *step)
{
	const struct path_fold *fold = d->fold;
	uint32_t round, rounds;

	if (fold && step->block >= fold->first + fold->period) {
		d->fold = NULL;
		drawer_say(d, step, "", "}");
	}
	for (uint32_t i = 0; i < d->path->fold_count; i++) {
		fold = &d->path->folds[i];
		if (step->block < fold->first ||
		    step->block >= fold->first + fold->period * fold->count)
			continue;
		rounds = rounds_folded(d, fold);
		round = (step->block - fold->first) / fold->period;
		if (rounds < 2 || round >= rounds)
			return false;
		if (round)
			return true;
		/* The function's header is no part of the loop. */
		if (!d->fold && step->kind == STORY_FUNCTION && step->block == fold->first)
			return false;
		if (!d->fold) {
			drawer_say(d, step, "", "× %u {", rounds);
			d->fold = fold;
		}
	}
	return false;
}

static void draw_steps(struct drawer *d)
{
	const struct story_step *last;

	for (uint32_t i = 0; i < d->story->step_count; i++) {
		const struct story_step *step = &d->story->steps[i];
		const struct path_block *block = &d->path->blocks[step->block];
		bool inside = step->kind == STORY_LINE || step->kind == STORY_FUNCTION;

		if (!i)
			d->next_insn = block->first_insn;
		if (i && step[-1].block != step->block)
			drawer_insns(d, &step[-1],
				     d->path->blocks[step[-1].block].first_insn +
					     d->path->blocks[step[-1].block].insn_count);
		if (fold_block(d, step)) {
			d->next_insn = block->first_insn + block->insn_count;
			continue;
		}
		if (d->aside != INT_MIN && step->depth <= d->aside && step->kind != STORY_INTERRUPT)
			d->aside = INT_MIN;
		if (step->cleanup && !d->cleanup_told && step->kind != STORY_TRIGGER) {
			d->cleanup_told = true;
			drawer_say(d, NULL, "", "-- after the error:");
		}
		if (inside && step->insn != PATH_NONE)
			drawer_insns(d, step, step->insn);
		if (d->view->insns || step->kind == STORY_GAP || step->kind == STORY_TRACING ||
		    !is_thunk(step))
			draw_step(d, i);
	}
	if (!d->story->step_count)
		return;
	last = &d->story->steps[d->story->step_count - 1];
	drawer_insns(d, last, d->path->insn_count);
	drawer_flush(d);
	/* These triggers fire once the function has returned: its return is the last branch. */
	if (d->snap->has_retval && (d->snap->trigger->kind == TRIGGER_FEXIT ||
				    d->snap->trigger->kind == TRIGGER_KRETPROBE ||
				    d->snap->trigger->kind == TRIGGER_MULTI ||
				    d->snap->trigger->kind == TRIGGER_URETPROBE))
		draw_return(d, last, d->snap->trigger->function);
}

/* What the story cannot tell about the error, said rather than guessed. */
static void draw_notes(struct drawer *d)
{
	if (!d->snap->err)
		return;
	if (d->story->error_insn == PATH_NONE) {
		drawer_say(d, NULL, YELLOW,
			   "No instruction above makes %s: it is older than this record, or a "
			   "value that "
			   "was "
			   "passed on.",
			   d->error);
		drawer_say(
			d, NULL, YELLOW,
			"To get closer: lbrsnoop why, --at errno, or trace a function further in.");
	} else if (d->story->in_case) {
		drawer_say(d, NULL, YELLOW,
			   "%s is loaded before it is decided on, and this record ends there.",
			   d->error);
		drawer_say(d, NULL, YELLOW,
			   "To see the decision, leave out --at errno and -e: then it goes on to "
			   "the return.");
	} else if (d->story->key_decision == PATH_NONE) {
		drawer_say(d, NULL, YELLOW, "The decision that led to %s is not in this record.",
			   d->error);
	}
}

static int shallowest(const struct story *story)
{
	int top = INT_MAX;

	for (uint32_t i = 0; i < story->step_count; i++)
		if (story->steps[i].depth < top)
			top = story->steps[i].depth;
	return top;
}

static const struct story_step *find_step(const struct story *story, bool key)
{
	for (uint32_t i = story->step_count; i-- > 0;) {
		const struct story_step *step = &story->steps[i];

		if (key ? step->key : step->kind == STORY_ERROR)
			return step;
	}
	return NULL;
}

static void add_place(struct row *row, const struct story_step *step)
{
	if (step->inline_count && step->source.line)
		row_add(row, "%s:%d %s", step->source.file, step->source.line,
			*step->source.function ? step->source.function : step->function);
	else
		row_add(row, "%s+%#" PRIx64, step->function, step->offset);
	if (*step->module)
		row_add(row, " [%s]", step->module);
}

static void keep_answer(struct drawer *d, struct story_answer *ret)
{
	const struct story_step *error = find_step(d->story, false);
	const struct story_step *key = find_step(d->story, true);
	struct row row;

	*ret = (struct story_answer){.in_case = d->story->in_case};
	if (!d->snap->err || !error)
		return;
	row_begin(&row, MARK_NONE, 0);
	add_place(&row, error);
	snprintf(ret->place, sizeof(ret->place), "%s", row.text);
	if (!key)
		return;
	row_begin(&row, MARK_NONE, 0);
	drawer_add_reason(d, &row, key, error->inline_count ? error->source.file : NULL);
	snprintf(ret->reason, sizeof(ret->reason), "%s", row.text);
}

/* Before the story: where it ends, for who does not want to read it. */
static void draw_answer(struct drawer *d)
{
	struct story_answer answer;
	struct row row;

	keep_answer(d, &answer);
	if (!*answer.place)
		return;
	row_begin(&row, MARK_NONE, 0);
	row_add(&row, answer.in_case ? "%s is loaded, in case, at %s" : "%s is made at %s",
		d->error, answer.place);
	row_print(d->out, &row, BOLD, &d->view->text);
	if (!*answer.reason)
		return;
	row_begin(&row, MARK_NONE, 0);
	row_add(&row, "because %s", answer.reason);
	row_print(d->out, &row, "", &d->view->text);
}

static int drawer_init(struct drawer *d, const struct snapshot *snap, const struct path *path,
		       const struct story_view *view, struct story **ret_story)
{
	struct story_options opts = {
		.symbols = view->symbols,
		.lines = view->lines,
		.first_branch = view->text.raw ? 0 : snap->shown_from,
		.tracing = view->text.raw,
	};
	int err = story_build(path, snap, &opts, ret_story);

	if (err)
		return err;
	*d = (struct drawer){
		.snap = snap,
		.path = path,
		.view = view,
		.story = *ret_story,
		.top = shallowest(*ret_story),
		.aside = INT_MIN,
		.seen_block = PATH_NONE,
	};
	if (errno_name(snap->err))
		snprintf(d->error, sizeof(d->error), "-%s", errno_name(snap->err));
	else
		snprintf(d->error, sizeof(d->error), "-%d", snap->err);
	return 0;
}

int render_story_rows(const struct snapshot *snap, const struct path *path,
		      const struct story_view *view, const struct story_sink *sink,
		      struct story_answer *ret_answer)
{
	struct story *story;
	struct drawer d;
	int err = drawer_init(&d, snap, path, view, &story);

	if (err)
		return err;
	d.sink = sink;
	keep_answer(&d, ret_answer);
	draw_steps(&d);
	draw_notes(&d);
	story_free(story);
	return 0;
}

int render_story(FILE *out, const struct snapshot *snap, const struct path *path,
		 const struct story_view *view)
{
	struct story *story;
	struct drawer d;
	int err = drawer_init(&d, snap, path, view, &story);

	if (err)
		return err;
	d.out = out;
	render_text_event(out, snap, &view->text);
	draw_answer(&d);
	render_text_record(out, snap, &view->text);
	draw_steps(&d);
	draw_notes(&d);
	fputc('\n', out);
	story_free(story);
	return 0;
}
