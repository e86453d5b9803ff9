/* SPDX-License-Identifier: GPL-2.0 */
/* story_row.h - the rows of the story view; internal to render/story*.c */
#ifndef LBRSNOOP_RENDER_STORY_STORY_ROW_H
#define LBRSNOOP_RENDER_STORY_STORY_ROW_H

#include <stdarg.h>

#include "path/story.h"
#include "render/story/story.h"

/* Columns of a terminal that a row should not go beyond. */
#define ROW_COLUMNS 100
/* Deeper than this the tree is not indented any further. */
#define ROW_LEVEL_MAX 14

/** enum row_mark - what the column at the left says, and how the row is painted */
enum row_mark {
	MARK_NONE = 0,
	MARK_KEY,	/* => */
	MARK_ERROR,	/* !! */
	MARK_CLEANUP,	/* | */
	MARK_INTERRUPT, /* ~ */
	MARK_COUNT,
};

/**
 * struct row - one row being put together; colours are added where it is printed
 * @mark: column at the left
 * @level: of indentation
 * @width: columns of @text
 * @flags_at: where in @text the flags of a branch begin, which differ from call to call; 0: it has
 *            none
 */
struct row {
	enum row_mark mark;
	int level;
	int width;
	size_t len;
	size_t flags_at;
	char text[1024];
};

/** row_begin() - an empty row */
void row_begin(struct row *row, enum row_mark mark, int level);

/** row_add() - append, and escape what a terminal would take for a command */
void row_add(struct row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** row_add_cut() - append at most what fits the terminal; cut with "..." */
void row_add_cut(struct row *row, const char *text, size_t len);

/** row_pad() - blanks up to a column, one at least */
void row_pad(struct row *row, int column);

/** row_print() - @style: an ANSI code for the whole row, or "" for that of its mark */
void row_print(FILE *out, const struct row *row, const char *style,
	       const struct text_options *opts);

/** row_room() - columns that are left */
int row_room(const struct row *row);

#endif
