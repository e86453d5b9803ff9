// SPDX-License-Identifier: GPL-2.0
#include "render/story/story_drawer.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

static void put(struct drawer *d, const struct row *row, const char *style)
{
	if (d->sink)
		d->sink->row(d->sink->ctx, row, style);
	else
		row_print(d->out, row, style, &d->view->text);
}

void drawer_flush(struct drawer *d)
{
	if (d->numbers.len)
		put(d, &d->numbers, "");
	d->numbers.len = 0;
}

void drawer_print(struct drawer *d, const struct row *row, const char *style)
{
	drawer_flush(d);
	put(d, row, style);
}

enum row_mark drawer_mark(const struct drawer *d, const struct story_step *step)
{
	if (d->aside != INT_MIN || d->path->blocks[step->block].interrupt >
					   d->path->blocks[d->path->block_count - 1].interrupt)
		return MARK_INTERRUPT;
	return step->cleanup && d->cleanup_told ? MARK_CLEANUP : MARK_NONE;
}

int drawer_level(const struct drawer *d, const struct story_step *step)
{
	return step->depth - d->top + (d->fold ? 1 : 0);
}

void drawer_say(struct drawer *d, const struct story_step *step, const char *style, const char *fmt,
		...)
{
	char text[400];
	struct row row;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	row_begin(&row, step ? drawer_mark(d, step) : MARK_NONE, step ? drawer_level(d, step) : 0);
	row_add(&row, "%s", text);
	drawer_print(d, &row, style);
}

void drawer_add_file(struct row *row, const char *file)
{
	int over = (int)strlen(file) + 2 - row_room(row);

	if (!*file)
		return;
	if (over > 0 || strlen(file) > 60)
		file = basename(file);
	row_add(row, "  %s", file);
}
