// SPDX-License-Identifier: GPL-2.0
/* story.c - which rows there are, and in which order */
#include "render/story.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "render/color.h"
#include "render/story_row.h"
#include "symbolize/place.h"
#include "util/errno_name.h"

/* Lines remembered of one straight run, so that each is told once. */
#define SEEN_MAX 64

#define LINE_COLUMN	 7
#define CONDITION_COLUMN 24
#define INSN_COLUMN	 46

/**
 * struct drawer - where the drawing is
 * @frames: inlined chain of the newest line drawn, outermost first
 * @files: that their headers named
 * @function: of the newest header
 * @depth: of the newest header
 * @top: depth of the shallowest step
 * @aside: depth that an interrupt returns to; INT_MIN outside of interrupts
 * @numbers: lines without text, gathered into one row
 * @fold: being drawn, or NULL
 * @next_insn: first instruction not drawn yet
 */
struct drawer {
	FILE *out;
	const struct snapshot *snap;
	const struct path *path;
	const struct story *story;
	const struct story_view *view;
	struct srcline frames[INLINE_DEPTH_MAX];
	const char *files[INLINE_DEPTH_MAX];
	uint32_t frame_count;
	const char *function;
	int depth;
	int top;
	int aside;
	struct row numbers;
	const struct path_fold *fold;
	uint32_t next_insn;
	uint32_t seen_block;
	uint32_t seen_count;
	struct srcline seen[SEEN_MAX];
	bool cleanup_told;
	char error[32];
};

static void flush_numbers(struct drawer *d)
{
	if (d->numbers.len)
		row_print(d->out, &d->numbers, "", &d->view->text);
	d->numbers.len = 0;
}

static void print_row(struct drawer *d, const struct row *row, const char *style)
{
	flush_numbers(d);
	row_print(d->out, row, style, &d->view->text);
}

static enum row_mark mark_of(const struct drawer *d, const struct story_step *step)
{
	if (d->aside != INT_MIN || d->path->blocks[step->block].interrupt >
					   d->path->blocks[d->path->block_count - 1].interrupt)
		return MARK_INTERRUPT;
	return step->cleanup && d->cleanup_told ? MARK_CLEANUP : MARK_NONE;
}

static int level_of(const struct drawer *d, const struct story_step *step)
{
	return step->depth - d->top + (d->fold ? 1 : 0);
}

/* A row of its own that is no part of the program: what the reader has to know. */
static void say(struct drawer *d, const struct story_step *step, const char *style, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));
static void say(struct drawer *d, const struct story_step *step, const char *style, const char *fmt,
		...)
{
	char text[400];
	struct row row;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	row_begin(&row, step ? mark_of(d, step) : MARK_NONE, step ? level_of(d, step) : 0);
	row_add(&row, "%s", text);
	print_row(d, &row, style);
}

/* Mispredicts and cycles of a branch that is in the LBR; of all rounds where it is folded. */
static void add_flags(const struct drawer *d, struct row *row, uint32_t branch)
{
	uint32_t step = d->fold ? d->fold->period : 1, rounds = d->fold ? d->fold->count : 1;
	uint32_t missed = 0, seen = 0;

	if (branch == PATH_NONE)
		return;
	for (uint32_t i = 0; i < rounds && branch + i * step < d->snap->count; i++, seen++)
		missed += d->snap->branches[branch + i * step].mispred == TRI_SET;
	if (missed && seen == 1)
		row_add(row, "  mispredicted");
	else if (missed)
		row_add(row, "  mispredicted %u of %u times", missed, seen);
	if (!d->fold && d->snap->branches[branch].cycles != CYCLES_NOT_REPORTED)
		row_add(row, "  %d cycle%s", d->snap->branches[branch].cycles,
			d->snap->branches[branch].cycles == 1 ? "" : "s");
}

static bool is_thunk(const struct story_step *step)
{
	enum place place;

	if (*step->function != '_' && !strstr(step->function, "thunk"))
		return false;
	place = place_of_symbol(step->function, step->offset);
	return place == PLACE_RETURN_THUNK || place == PLACE_INDIRECT_THUNK;
}

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

static void add_file(struct row *row, const char *file)
{
	int over = (int)strlen(file) + 2 - row_room(row);

	if (!*file)
		return;
	if (over > 0 || strlen(file) > 60)
		file = base_name(file);
	row_add(row, "  %s", file);
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
	row_begin(&row, mark_of(d, step), level_of(d, step));
	if (how == STORY_JUMPED && d->path->blocks[step->block].first_insn != step->insn)
		words = "on into";
	row_add(&row, "%s%s%s()", words, *words ? " " : "", step->function);
	if (module)
		row_add(&row, " [%s]", step->module);
	if (how == STORY_STARTS && step->offset && !step->inline_count)
		row_add(&row, " at +%#" PRIx64, step->offset);
	if (how != STORY_RETURNED && how != STORY_RESUMED && step->inline_count)
		add_file(&row, d->story->frames[step->inlined + step->inline_count - 1].file);
	if (d->path->blocks[step->block].first_insn == step->insn)
		add_flags(d, &row, d->path->blocks[step->block].entry);
	print_row(d, &row, how == STORY_RETURNED || row.mark ? "" : BOLD);
	d->function = step->function;
	d->depth = step->depth;
	d->frame_count = 0;
	d->files[0] = step->inline_count
			      ? d->story->frames[step->inlined + step->inline_count - 1].file
			      : NULL;
}

static bool same_line(const struct srcline *a, const struct srcline *b)
{
	return a->line == b->line && !strcmp(a->file, b->file);
}

/* Frames, from the outermost, that two places of one function have in common. */
static uint32_t common_frames(const struct story *story, const struct story_step *a,
			      const struct story_step *b)
{
	uint32_t count = a->inline_count < b->inline_count ? a->inline_count : b->inline_count;

	for (uint32_t k = 1; k < count; k++) {
		const struct srcline *fa = &story->frames[a->inlined + a->inline_count - 1 - k];
		const struct srcline *fb = &story->frames[b->inlined + b->inline_count - 1 - k];

		if (strcmp(fa->function, fb->function) || !same_line(fa + 1, fb + 1))
			return k;
	}
	return count;
}

/*
 * How many frames of a line's inlined chain are worth telling: those of functions that decide
 * something on this visit. Of the others the line that calls them says enough.
 */
static uint32_t frames_told(const struct drawer *d, const struct story_step *step)
{
	const struct story_step *first = d->story->steps, *end = first + d->story->step_count;
	const struct story_step *s;
	uint32_t most = step->inline_count ? 1 : 0;

	if (d->view->insns || d->view->text.raw || step->kind != STORY_LINE)
		return step->inline_count;
	for (s = step; s > first && s->kind != STORY_FUNCTION; s--)
		;
	for (s++; s < end && s->kind != STORY_FUNCTION && most < step->inline_count; s++) {
		uint32_t common;

		if (s->kind != STORY_DECISION && s->kind != STORY_ERROR)
			continue;
		common = common_frames(d->story, step, s);
		if (common > most)
			most = common;
	}
	return most;
}

static bool has_text(const struct drawer *d, const struct srcline *line)
{
	size_t len;

	return sources_line(d->view->sources, line->file, line->line, &len);
}

/* Its text has nothing but a brace: no news. */
static bool is_brace(const char *text, size_t len)
{
	while (len && (*text == ' ' || *text == '\t')) {
		text++;
		len--;
	}
	return len == 1 && (*text == '{' || *text == '}');
}

static void draw_line(struct drawer *d, const struct story_step *step, uint32_t frame, bool needed)
{
	const struct srcline *line = &d->frames[frame];
	bool elsewhere = strcmp(line->file, d->files[frame]) != 0;
	int level = level_of(d, step) + 1 + (int)frame;
	enum row_mark mark = mark_of(d, step);
	const char *text;
	struct row row;
	size_t len;

	text = sources_line(d->view->sources, line->file, line->line, &len);
	if (text) {
		if (!needed && is_brace(text, len))
			return;
		row_begin(&row, mark, level);
		if (elsewhere)
			row_add(&row, "%s:%d", base_name(line->file), line->line);
		else
			row_add(&row, "%5d", line->line);
		row_pad(&row, LINE_COLUMN);
		row_add_cut(&row, text, len);
		print_row(d, &row, "");
		return;
	}
	if (d->numbers.len &&
	    (d->numbers.level != level || d->numbers.mark != mark || row_room(&d->numbers) < 12))
		flush_numbers(d);
	if (!d->numbers.len) {
		row_begin(&d->numbers, mark, level);
		row_add(&d->numbers, "line");
	}
	row_add(&d->numbers, elsewhere ? " %s:%d" : " %.0s%d", base_name(line->file), line->line);
}

static void draw_inlined(struct drawer *d, const struct story_step *step, uint32_t frame)
{
	struct row row;

	row_begin(&row, mark_of(d, step), level_of(d, step) + (int)frame);
	row_add(&row, "%s()  inlined", d->frames[frame].function);
	if (strcmp(d->frames[frame].file, d->frames[frame - 1].file))
		add_file(&row, d->frames[frame].file);
	print_row(d, &row, row.mark ? "" : BOLD);
}

/*
 * Draw what is missing between the newest row and a step's line: calls of inlined functions, and
 * the line itself. @own_row: the step draws its line itself if there is no text of it.
 */
static void draw_context(struct drawer *d, const struct story_step *step, uint32_t count,
			 bool own_row)
{
	const struct srcline *chain = d->story->frames + step->inlined;

	for (uint32_t k = 0; k < count; k++) {
		const struct srcline *frame = &chain[step->inline_count - 1 - k];
		bool known = k < d->frame_count && !strcmp(frame->function, d->frames[k].function);
		bool last = k + 1 == count, back = last && d->frame_count > count;

		if (known && same_line(&d->frames[k], frame) && !back)
			continue;
		d->frames[k] = *frame;
		d->frame_count = k + 1;
		if (!known && (k || !d->files[0]))
			d->files[k] = frame->file;
		if (k && !known)
			draw_inlined(d, step, k);
		if (!frame->line || (last && own_row && !has_text(d, frame)))
			continue;
		if (!(last && own_row) && frame->line == frame->decl_line)
			continue; /* the function's head: that is what its header says */
		draw_line(d, step, k, own_row);
	}
}

/* Compilers mix the instructions of lines: each is told once in a straight run. */
static bool seen_before(struct drawer *d, const struct story_step *step, uint32_t count)
{
	const struct srcline *line;

	if (!count)
		return true;
	line = &d->story->frames[step->inlined + step->inline_count - count];
	if (d->seen_block != step->block)
		d->seen_count = 0;
	d->seen_block = step->block;
	for (uint32_t i = 0; i < d->seen_count; i++)
		if (same_line(&d->seen[i], line) && !strcmp(d->seen[i].function, line->function))
			return true;
	if (d->seen_count < SEEN_MAX)
		d->seen[d->seen_count++] = *line;
	return false;
}

static void draw_source(struct drawer *d, const struct story_step *step)
{
	const struct story_step *end = d->story->steps + d->story->step_count;
	uint32_t count = frames_told(d, step);
	bool seen = seen_before(d, step, count);

	/* A decision draws its line itself. */
	if (!d->view->insns &&
	    (seen || (step + 1 < end && step[1].block == step->block &&
		      (step[1].kind == STORY_DECISION || step[1].kind == STORY_ERROR))))
		return;
	draw_context(d, step, count, false);
}

/* Targets within the function as +offset, others by name. */
static bool name_target(void *ctx, uint64_t addr, char *buf, size_t len)
{
	const struct drawer *d = ctx;
	struct symbol sym;

	if (!d->view->symbols || symbols_find(d->view->symbols, addr, &sym))
		return false;
	if (d->function && !strcmp(sym.name, d->function))
		snprintf(buf, len, "+%#" PRIx64, addr - sym.addr);
	else if (addr == sym.addr)
		snprintf(buf, len, "%s", sym.name);
	else
		snprintf(buf, len, "%s+%#" PRIx64, sym.name, addr - sym.addr);
	return true;
}

static void add_target(struct drawer *d, struct row *row, const struct story_step *step,
		       uint64_t target)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	char name[200];
	int n = 0;

	if (d->view->lines && step->inline_count)
		n = lines_find(d->view->lines, step->module, target, false, chain,
			       INLINE_DEPTH_MAX);
	if (n > 0 && chain[0].line && !strcmp(chain[0].file, step->source.file))
		row_add(row, " → %d", chain[0].line);
	else if (n > 0 && chain[0].line)
		row_add(row, " → %s:%d", base_name(chain[0].file), chain[0].line);
	else if (name_target(d, target, name, sizeof(name)))
		row_add(row, " → %s", name);
	else
		row_add(row, " → %#" PRIx64, target);
}

/* Where a row of an instruction starts: its line if no row says it, its offset without lines. */
static void begin_insn_row(struct drawer *d, struct row *row, const struct story_step *step,
			   enum row_mark mark)
{
	uint32_t frames = d->frame_count ? d->frame_count : 1;

	row_begin(row, mark, level_of(d, step) + (int)frames);
	if (!step->inline_count)
		row_add(row, "+%#" PRIx64, step->offset);
	else if (!has_text(d, &step->source))
		row_add(row, "%5d", step->source.line);
	row_pad(row, LINE_COLUMN);
}

/* What held when the branch went its way, in the words of a C programmer. */
static void add_condition(const struct drawer *d, struct row *row,
			  const struct path_decision *decision)
{
	static const struct {
		const char *test;
		const char *words;
	} idioms[] = {
		{" > 0xfffffffffffff000 (unsigned)", " is an error pointer"},
		{" <= 0xfffffffffffff000 (unsigned)", " is no error pointer"},
	};
	char text[INSN_TEXT_MAX];
	size_t len;

	if (path_condition(d->path, decision, text, sizeof(text)))
		return;
	len = strlen(text);
	for (size_t i = 0; i < sizeof(idioms) / sizeof(idioms[0]); i++) {
		size_t tail = strlen(idioms[i].test);

		if (len > tail && !strcmp(text + len - tail, idioms[i].test)) {
			row_add(row, "as %.*s%s", (int)(len - tail), text, idioms[i].words);
			return;
		}
	}
	row_add(row, "as %s", text);
}

/* The instructions of a decision: in its row if they fit, else in one of their own. */
static void draw_decision_row(struct drawer *d, struct row *row,
			      const struct path_decision *decision, const char *style)
{
	char text[2 * INSN_TEXT_MAX];
	struct row flags, more;
	int column;

	path_decision_text(d->path, decision, name_target, d, text, sizeof(text));
	row_begin(&flags, row->mark, row->level);
	add_flags(d, &flags, decision->branch);
	if (d->view->insns)
		text[0] = '\0';
	column = row->width < INSN_COLUMN ? INSN_COLUMN : row->width + 2;
	if (text[0] && column + (int)strlen(text) + flags.width <= row_room(row) + row->width) {
		row_pad(row, column);
		row_add(row, "%s", text);
		text[0] = '\0';
	}
	row_add(row, "%s", flags.text);
	print_row(d, row, style);
	if (text[0]) {
		row_begin(&more, row->mark, row->level);
		row_pad(&more, CONDITION_COLUMN);
		row_add(&more, "%s", text);
		print_row(d, &more, style);
	}
}

static void draw_decision(struct drawer *d, const struct story_step *step)
{
	const struct path_decision *decision = &d->path->decisions[step->decision];
	enum row_mark mark = step->key ? MARK_KEY : mark_of(d, step);
	struct row row;

	begin_insn_row(d, &row, step, mark);
	row_add(&row, decision->taken ? "taken" : "not taken");
	if (decision->taken)
		add_target(d, &row, step, decision->target);
	row_pad(&row, CONDITION_COLUMN);
	add_condition(d, &row, decision);
	draw_decision_row(d, &row, decision, mark == MARK_NONE && decision->taken ? GREEN : "");
	if (step->key) {
		row_begin(&row, mark, row.level);
		row_pad(&row, LINE_COLUMN);
		row_add(&row, "^ the last decision before %s", d->error);
		print_row(d, &row, "");
	}
}

static void draw_error(struct drawer *d, const struct story_step *step)
{
	const struct path_insn *in =
		step->insn == PATH_NONE ? &d->path->trigger_insn : &d->path->insns[step->insn];
	uint32_t key = d->story->key_decision;
	bool early = key != PATH_NONE && d->path->decisions[key].insn > step->insn;
	char text[INSN_TEXT_MAX];
	struct row row;

	insn_format(in->bytes, in->len, in->addr, INSN_ATT, name_target, d, text, sizeof(text));
	begin_insn_row(d, &row, step, early ? MARK_NONE : MARK_ERROR);
	row_add(&row, "%s is %s here", d->error, early ? "loaded, in case," : "made");
	row_pad(&row, INSN_COLUMN);
	row_add(&row, "%s", text);
	print_row(d, &row, "");
}

static void draw_insns(struct drawer *d, const struct story_step *step, uint32_t end)
{
	uint32_t frames = d->frame_count ? d->frame_count : 1;

	if (!d->view->insns)
		return;
	for (; d->next_insn < end; d->next_insn++) {
		const struct path_insn *in = &d->path->insns[d->next_insn];
		char text[INSN_TEXT_MAX];
		struct symbol sym;
		struct row row;

		row_begin(&row, mark_of(d, step), level_of(d, step) + (int)frames);
		row_pad(&row, LINE_COLUMN);
		if (d->view->text.addresses)
			row_add(&row, "%016" PRIx64 "  ", in->addr);
		else if (d->view->symbols && !symbols_find(d->view->symbols, in->addr, &sym))
			row_add(&row, "+%#-8" PRIx64, in->addr - sym.addr);
		insn_format(in->bytes, in->len, in->addr, INSN_ATT, name_target, d, text,
			    sizeof(text));
		row_add(&row, "%s", text);
		print_row(d, &row, row.mark ? "" : DIM);
	}
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
	row_begin(&row, mark_of(d, step), level_of(d, step) + (d->function ? 1 : 0));
	row_add(&row, "(tracing itself, not the program: %s()%s)", step->function, count);
	print_row(d, &row, DIM);
}

static void draw_return(struct drawer *d, const struct story_step *step, const char *function)
{
	if (d->snap->err)
		say(d, step, "", "%s() returns %s", function, d->error);
	else
		say(d, step, "", "%s() returns %" PRId64, function, d->snap->retval);
}

static void draw_trigger(struct drawer *d, const struct story_step *step)
{
	if (d->story->error_insn == d->path->insn_count)
		return; /* it is where the error is made */
	if (d->snap->has_retval)
		draw_return(d, step, step->function);
	else
		say(d, step, "", "the breakpoint, at %s+%#" PRIx64, step->function, step->offset);
}

static void draw_step(struct drawer *d, uint32_t index)
{
	const struct story_step *step = &d->story->steps[index];

	switch (step->kind) {
	case STORY_FUNCTION:
		draw_header(d, step);
		break;
	case STORY_LINE:
		draw_source(d, step);
		break;
	case STORY_DECISION:
		draw_context(d, step, step->inline_count, true);
		draw_insns(d, step, step->insn + 1);
		draw_decision(d, step);
		break;
	case STORY_ERROR:
		draw_context(d, step, step->inline_count, true);
		if (step->insn != PATH_NONE)
			draw_insns(d, step, step->insn + 1);
		draw_error(d, step);
		break;
	case STORY_INTERRUPT:
		if (d->aside == INT_MIN && returns(d, index)) {
			d->aside = step->depth;
			say(d, step, "", "an interrupt or exception arrives:");
		}
		break;
	case STORY_GAP:
		say(d, step, YELLOW, "... %s ...", path_gap_text(d->path->blocks[step->block].gap));
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
		say(d, step, "", "}");
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
			say(d, step, "", "× %u {", rounds);
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
			draw_insns(d, &step[-1],
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
			say(d, NULL, "", "-- after the error:");
		}
		if (inside && step->insn != PATH_NONE)
			draw_insns(d, step, step->insn);
		if (d->view->insns || step->kind == STORY_GAP || step->kind == STORY_TRACING ||
		    !is_thunk(step))
			draw_step(d, i);
	}
	if (!d->story->step_count)
		return;
	last = &d->story->steps[d->story->step_count - 1];
	draw_insns(d, last, d->path->insn_count);
	flush_numbers(d);
	/* These triggers fire once the function has returned: its return is the last branch. */
	if (d->snap->has_retval && (d->snap->trigger->kind == TRIGGER_FEXIT ||
				    d->snap->trigger->kind == TRIGGER_KRETPROBE))
		draw_return(d, last, d->snap->trigger->function);
}

/* What the story cannot tell about the error, said rather than guessed. */
static void draw_notes(struct drawer *d)
{
	if (!d->snap->err)
		return;
	if (d->story->error_insn == PATH_NONE) {
		say(d, NULL, YELLOW,
		    "No instruction above makes %s: it is older than this record, or a value that "
		    "was "
		    "passed on.",
		    d->error);
		say(d, NULL, YELLOW, "To get closer: --at errno, or trace a function further in.");
	} else if (d->story->key_decision == PATH_NONE) {
		say(d, NULL, YELLOW, "The decision that led to %s is not in this record.",
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

int render_story(FILE *out, const struct snapshot *snap, const struct path *path,
		 const struct story_view *view)
{
	struct story_options opts = {
		.symbols = view->symbols,
		.lines = view->lines,
		.first_branch = view->text.raw ? 0 : snap->shown_from,
		.tracing = view->text.raw,
	};
	struct drawer d = {.out = out, .snap = snap, .path = path, .view = view};
	struct story *story;
	int err = story_build(path, snap, &opts, &story);

	if (err)
		return err;
	d.story = story;
	d.top = shallowest(story);
	d.aside = INT_MIN;
	d.seen_block = PATH_NONE;
	if (errno_name(snap->err))
		snprintf(d.error, sizeof(d.error), "-%s", errno_name(snap->err));
	else
		snprintf(d.error, sizeof(d.error), "-%d", snap->err);
	render_text_heading(out, snap, &view->text);
	draw_steps(&d);
	draw_notes(&d);
	fputc('\n', out);
	story_free(story);
	return 0;
}
