// SPDX-License-Identifier: GPL-2.0
#include "render/story/story_row.h"

#include <string.h>

#include "render/color.h"
#include "render/escape.h"
#include "util/cleanup.h"

#define MARK_WIDTH   3
#define INDENT_WIDTH 2

static const struct {
	const char *text;
	const char *style;
} marks[] = {
	[MARK_NONE] = {"   ", ""},     [MARK_KEY] = {"=> ", RED},	[MARK_ERROR] = {"!! ", RED},
	[MARK_CLEANUP] = {"|  ", DIM}, [MARK_INTERRUPT] = {"~  ", DIM},
};
_Static_assert(ARRAY_SIZE(marks) == MARK_COUNT, "a sign for each mark");

void row_begin(struct row *row, enum row_mark mark, int level)
{
	row->mark = mark;
	row->level = level > ROW_LEVEL_MAX ? ROW_LEVEL_MAX : level < 0 ? 0 : level;
	row->width = 0;
	row->len = 0;
	row->flags_at = 0;
	row->text[0] = '\0';
}

int row_room(const struct row *row)
{
	return ROW_COLUMNS - MARK_WIDTH - INDENT_WIDTH * row->level - row->width;
}

/* Columns of valid UTF-8, all characters taken for one wide. */
static int columns(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void append(struct row *row, const char *text)
{
	size_t len = strlen(text), room = sizeof(row->text) - 1 - row->len;

	if (len > room) {
		len = room;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(row->text + row->len, text, len);
	row->len += len;
	row->text[row->len] = '\0';
	row->width += columns(row->text + row->len - len);
}

void row_add(struct row *row, const char *fmt, ...)
{
	char raw[512], text[4 * sizeof(raw)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(raw, sizeof(raw), fmt, args);
	va_end(args);
	append(row, escape_text(raw, text, sizeof(text)));
}

void row_add_cut(struct row *row, const char *text, size_t len)
{
	char raw[256], clean[4 * sizeof(raw)];
	int room = row_room(row);
	size_t n = 0;

	for (size_t i = 0; i < len && n < sizeof(raw) - 1; i++) {
		bool blank = text[i] == ' ' || text[i] == '\t';

		if (blank && (!n || raw[n - 1] == ' '))
			continue;
		raw[n++] = blank ? ' ' : text[i];
	}
	while (n && raw[n - 1] == ' ')
		n--;
	raw[n] = '\0';
	escape_text(raw, clean, sizeof(clean));
	if (columns(clean) > room) {
		int kept = 0;
		char *p = clean;

		while (*p && kept < room - 3) {
			p++;
			while (((unsigned char)*p & 0xc0) == 0x80)
				p++;
			kept++;
		}
		snprintf(p, sizeof(clean) - (size_t)(p - clean), "...");
	}
	append(row, clean);
}

void row_pad(struct row *row, int column)
{
	int blanks = row->width < column ? column - row->width : 1;
	char text[ROW_COLUMNS + 1];

	if (blanks > ROW_COLUMNS)
		blanks = ROW_COLUMNS;
	memset(text, ' ', (size_t)blanks);
	text[blanks] = '\0';
	append(row, text);
}

void row_print(FILE *out, const struct row *row, const char *style, const struct text_options *opts)
{
	const char *code = *style ? style : marks[row->mark].style;
	size_t len = row->len;

	while (len && row->text[len - 1] == ' ')
		len--;
	if (!*code)
		opts = NULL;
	fprintf(out, "%s%s%*s%.*s%s\n", opts ? paint(opts, code) : "", marks[row->mark].text,
		INDENT_WIDTH * row->level, "", (int)len, row->text, opts ? paint(opts, OFF) : "");
}
