// SPDX-License-Identifier: GPL-2.0
#include "watch/ini.h"

#include <stdbool.h>
#include <string.h>

/* U+FEFF in UTF-8 */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/** struct reader - @at: the next line; @number: of it */
struct reader {
	char *at;
	char *end;
	unsigned int number;
};

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r");
	len = strlen(text);
	while (len && strchr(" \t\r", text[len - 1]))
		text[--len] = '\0';
	return text;
}

static char *next_line(struct reader *reader)
{
	char *line = reader->at, *newline;

	if (line >= reader->end)
		return NULL;
	newline = memchr(line, '\n', (size_t)(reader->end - line));
	if (newline)
		*newline = '\0';
	reader->at = newline ? newline + 1 : reader->end;
	reader->number++;
	return trim(line);
}

static bool is_comment(const char *line)
{
	return *line == '#' || *line == ';';
}

/* To the first line, which has room: what is joined is not longer than what was there. */
static void join(struct reader *reader, char *line)
{
	char *end = line + strlen(line), *next;

	while (end > line && end[-1] == '\\') {
		size_t len;

		end[-1] = '\0';
		do
			next = next_line(reader);
		while (next && is_comment(next));
		if (!next)
			return;
		end[-1] = ' ';
		len = strlen(next);
		memmove(end, next, len + 1);
		end += len;
	}
}

static struct ini_line parse(char *line, unsigned int number)
{
	struct ini_line parsed = {.what = INI_ERROR, .number = number, .name = "", .value = ""};
	size_t len = strlen(line);
	char *equals;

	if (*line == '[') {
		if (line[len - 1] != ']') {
			parsed.value = "a section has no ']' at its end; write it as [Watch]";
			return parsed;
		}
		line[len - 1] = '\0';
		parsed.name = trim(line + 1);
		parsed.what = *parsed.name ? INI_SECTION : INI_ERROR;
		parsed.value = "a section has no name; write it as [Watch]";
		return parsed;
	}
	equals = strchr(line, '=');
	if (!equals || equals == line) {
		parsed.value = equals ? "nothing stands before '='; write it as Key=value"
				      : "there is no '='; write it as Key=value, or with # before "
					"it, which makes it a comment";
		return parsed;
	}
	*equals = '\0';
	parsed.what = INI_VALUE;
	parsed.name = trim(line);
	parsed.value = trim(equals + 1);
	return parsed;
}

int ini_read(char *text, size_t len, ini_fn *fn, void *ctx)
{
	/* Editors of other systems write it, and systemd passes it over, too. */
	size_t mark = strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK))
			      ? 0
			      : strlen(BYTE_ORDER_MARK);
	struct reader reader = {.at = text + mark, .end = text + len};
	char *line;

	while ((line = next_line(&reader))) {
		unsigned int number = reader.number;
		struct ini_line parsed;
		int err;

		if (!*line || is_comment(line))
			continue;
		join(&reader, line);
		line = trim(line);
		if (!*line)
			continue;
		parsed = parse(line, number);
		err = fn(&parsed, ctx);
		if (err)
			return err;
	}
	return 0;
}
