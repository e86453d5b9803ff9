// SPDX-License-Identifier: GPL-2.0
#include "util/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/control.h"

#define ERASE_LINE    "\r\033[K"
#define COLUMNS_LEAST 20

static enum log_level log_level = LOG_NORMAL;
/* Of log_line_show(); under stderr's lock. */
static bool line_shown;

void log_set_level(enum log_level level)
{
	log_level = level;
}

enum log_level log_get_level(void)
{
	return log_level;
}

/*
 * A name that somebody else chose may hold what a terminal takes for a command, or a journal for
 * another message.
 */
static size_t escape(const char *text, char *to)
{
	size_t n = 0;

	while (*text) {
		size_t control = *text == '\t' ? 0 : control_length(text);

		if (!control)
			to[n++] = *text++;
		for (; control; control--)
			n += (size_t)sprintf(to + n, "\\x%02x", (unsigned char)*text++);
	}
	return n;
}

static void __attribute__((format(printf, 3, 0)))
print(enum log_level min_level, const char *prefix, const char *fmt, va_list args)
{
	char text[2048], line[sizeof("lbrsnoop: warning: ") + 4 * sizeof(text)];
	size_t len;

	if (log_level < min_level)
		return;
	vsnprintf(text, sizeof(text), fmt, args);
	/* stderr is not buffered: one write, or others' lines come in between. */
	len = (size_t)sprintf(line, "lbrsnoop: %s", prefix);
	len += escape(text, line + len);
	line[len++] = '\n';
	flockfile(stderr);
	log_line_erase();
	fwrite(line, 1, len, stderr);
	funlockfile(stderr);
}

void log_line_erase(void)
{
	flockfile(stderr);
	if (line_shown)
		fputs(ERASE_LINE, stderr);
	line_shown = false;
	funlockfile(stderr);
}

void log_line_show(const char *text)
{
	char head[512], line[sizeof(ERASE_LINE) + 4 * sizeof(head)];
	size_t len = sizeof(ERASE_LINE) - 1, columns = 80;
	struct winsize size;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col >= COLUMNS_LEAST)
		columns = size.ws_col;
	snprintf(head, sizeof(head), "lbrsnoop: %s", text);
	memcpy(line, ERASE_LINE, len);
	len += escape(head, line + len);
	/* One that wraps could not be erased. Bytes, not columns: rather too short. */
	if (len - (sizeof(ERASE_LINE) - 1) >= columns) {
		len = sizeof(ERASE_LINE) - 1 + columns - 1;
		while (((unsigned char)line[len] & 0xc0) == 0x80)
			len--;
	}
	flockfile(stderr);
	fwrite(line, 1, len, stderr);
	line_shown = true;
	funlockfile(stderr);
}

#define LOG_FUNCTION(name, min_level, prefix)                                                      \
	void name(const char *fmt, ...)                                                            \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, fmt);                                                               \
		print(min_level, prefix, fmt, args);                                               \
		va_end(args);                                                                      \
	}

LOG_FUNCTION(log_error, LOG_QUIET, "")
LOG_FUNCTION(log_warning, LOG_QUIET, "warning: ")
LOG_FUNCTION(log_info, LOG_NORMAL, "")
LOG_FUNCTION(log_verbose, LOG_VERBOSE, "")
