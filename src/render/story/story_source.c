// SPDX-License-Identifier: GPL-2.0
/* story_source.c - rows of source lines and of calls that were inlined */
#include <string.h>

#include "render/color.h"
#include "render/story/story_drawer.h"

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

bool drawer_has_text(const struct drawer *d, const struct srcline *line)
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
	int level = drawer_level(d, step) + 1 + (int)frame;
	enum row_mark mark = drawer_mark(d, step);
	const char *text;
	struct row row;
	size_t len;

	text = sources_line(d->view->sources, line->file, line->line, &len);
	if (text) {
		if (!needed && is_brace(text, len))
			return;
		row_begin(&row, mark, level);
		if (elsewhere)
			row_add(&row, "%s:%d", basename(line->file), line->line);
		else
			row_add(&row, "%5d", line->line);
		row_pad(&row, LINE_COLUMN);
		row_add_cut(&row, text, len);
		drawer_print(d, &row, "");
		return;
	}
	if (d->numbers.len &&
	    (d->numbers.level != level || d->numbers.mark != mark || row_room(&d->numbers) < 12))
		drawer_flush(d);
	if (!d->numbers.len) {
		row_begin(&d->numbers, mark, level);
		row_add(&d->numbers, "line");
	}
	row_add(&d->numbers, elsewhere ? " %s:%d" : " %.0s%d", basename(line->file), line->line);
}

static void draw_inlined(struct drawer *d, const struct story_step *step, uint32_t frame)
{
	struct row row;

	row_begin(&row, drawer_mark(d, step), drawer_level(d, step) + (int)frame);
	row_add(&row, "%s()  inlined", d->frames[frame].function);
	if (strcmp(d->frames[frame].file, d->frames[frame - 1].file))
		drawer_add_file(&row, d->frames[frame].file);
	drawer_print(d, &row, row.mark ? "" : BOLD);
}

void drawer_context(struct drawer *d, const struct story_step *step, uint32_t count, bool own_row)
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
		if (!frame->line || (last && own_row && !drawer_has_text(d, frame)))
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

void drawer_source(struct drawer *d, const struct story_step *step)
{
	const struct story_step *end = d->story->steps + d->story->step_count;
	uint32_t count = frames_told(d, step);
	bool seen = seen_before(d, step, count);

	/* A decision draws its line itself. */
	if (!d->view->insns &&
	    (seen || (step + 1 < end && step[1].block == step->block &&
		      (step[1].kind == STORY_DECISION || step[1].kind == STORY_ERROR))))
		return;
	drawer_context(d, step, count, false);
}
