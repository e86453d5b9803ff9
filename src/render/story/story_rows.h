/* SPDX-License-Identifier: GPL-2.0 */
/* story_rows.h - the rows of a story for a view that is no terminal */
#ifndef LBRSNOOP_RENDER_STORY_STORY_ROWS_H
#define LBRSNOOP_RENDER_STORY_STORY_ROWS_H

#include <stdbool.h>

#include "path/path.h"
#include "render/story/story.h"
#include "render/story/story_row.h"

/**
 * struct story_sink - who takes rows
 * @row: takes one; @style: an ANSI code of color.h, "" for that of its mark
 */
struct story_sink {
	void (*row)(void *ctx, const struct row *row, const char *style);
	void *ctx;
};

/**
 * struct story_answer - where a story ends, for who does not want to read it
 * @place: of the instruction that made the errno; "" if the path does not show it
 * @reason: what held at the last decision before that; "" if that is not known
 * @in_case: the errno is loaded there, and decided on later
 */
struct story_answer {
	char place[1024];
	char reason[1024];
	bool in_case;
};

/**
 * render_story_rows() - the rows of render_story(), without its heading
 * @path: rebuilt from @snap
 * Return: 0; -ENOMEM, and no row was handed out.
 */
int render_story_rows(const struct snapshot *snap, const struct path *path,
		      const struct story_view *view, const struct story_sink *sink,
		      struct story_answer *ret_answer);

#endif
