/* SPDX-License-Identifier: GPL-2.0 */
/* story_drawer.h - what the files share that draw the rows of a story; internal to render/ */
#ifndef LBRSNOOP_RENDER_STORY_STORY_DRAWER_H
#define LBRSNOOP_RENDER_STORY_STORY_DRAWER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "render/story/story.h"
#include "render/story/story_row.h"
#include "render/story/story_rows.h"

/* Lines remembered of one straight run, so that each is told once. */
#define SEEN_MAX 64

/* Where the text of a row begins, behind a line's number or an offset. */
#define LINE_COLUMN 7

/**
 * struct drawer - where the drawing is
 * @sink: takes the rows instead of @out; or NULL
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
	const struct story_sink *sink;
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

/** drawer_flush() - print the row of line numbers that were gathered */
void drawer_flush(struct drawer *d);

/** drawer_print() - print a row; @style: escape sequence of color.h, "" for none */
void drawer_print(struct drawer *d, const struct row *row, const char *style);

/** drawer_mark() - the mark of a step's rows: in an interrupt, after the error, none */
enum row_mark drawer_mark(const struct drawer *d, const struct story_step *step);

/** drawer_level() - how far a step is indented, in levels */
int drawer_level(const struct drawer *d, const struct story_step *step);

/**
 * drawer_say() - a row that is no part of the program: what the reader has to know
 * @step: that it belongs to, or NULL
 */
void drawer_say(struct drawer *d, const struct story_step *step, const char *style, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));

/** drawer_add_file() - append a file's name, without its directories if there is no room */
void drawer_add_file(struct row *row, const char *file);

/* story_source.c */

/** drawer_has_text() - is the text of a line at hand? */
bool drawer_has_text(const struct drawer *d, const struct srcline *line);

/**
 * drawer_context() - draw what is missing between the newest row and a step's line: calls of
 * inlined functions, and the line itself
 * @count: frames of the step's chain, from the outermost, that are drawn
 * @own_row: the step draws its line itself if there is no text of it
 */
void drawer_context(struct drawer *d, const struct story_step *step, uint32_t count, bool own_row);

/** drawer_source() - draw the lines of a STORY_LINE step */
void drawer_source(struct drawer *d, const struct story_step *step);

/* story_insn.c */

/**
 * drawer_add_flags() - append mispredicts and cycles of a branch; of all rounds where it is folded
 * @branch: entry of the snapshot; PATH_NONE: none, nothing is appended
 */
void drawer_add_flags(const struct drawer *d, struct row *row, uint32_t branch);

/** drawer_decision() - draw a STORY_DECISION step */
void drawer_decision(struct drawer *d, const struct story_step *step);

/**
 * drawer_add_reason() - append the condition of a STORY_DECISION step, and where that is
 * @file: that the reader was told before, or NULL
 */
void drawer_add_reason(const struct drawer *d, struct row *row, const struct story_step *step,
		       const char *file);

/** drawer_error() - draw a STORY_ERROR step: the instruction that loads the error */
void drawer_error(struct drawer *d, const struct story_step *step);

/** drawer_insns() - with --insns, draw the instructions before @end not drawn yet */
void drawer_insns(struct drawer *d, const struct story_step *step, uint32_t end);

#endif
