/* SPDX-License-Identifier: GPL-2.0 */
/* log_lines.h - the emulator's log, line by line; there may be hundreds of millions */
#ifndef LBRSNOOP_TESTS_LOG_LINES_H
#define LBRSNOOP_TESTS_LOG_LINES_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_READ_BYTES (1u << 20)
#define LOG_LINE_BYTES 256u

/**
 * log_number() - a decimal number, or one in hex behind 0x, and the space behind it
 * Exits if there is none at *@at.
 */
static inline uint64_t log_number(const char **at)
{
	uint64_t value = 0;
	const char *p = *at;
	unsigned int base = 10, digit;

	if (p[0] == '0' && p[1] == 'x') {
		base = 16;
		p += 2;
	}
	do {
		digit = (unsigned int)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
		if (digit >= base)
			errx(1, "a number is expected in the log, not %.*s",
			     (int)strcspn(*at, "\n"), *at);
		value = value * base + digit;
	} while (*++p > ' ');
	*at = *p == ' ' ? p + 1 : p;
	return value;
}

/**
 * log_lines() - read a log, or a FIFO of one
 * @path: -: standard input
 * @take: gets each line; @newline: its end
 * Exits if it cannot be read, or ends within a line.
 */
static inline void log_lines(const char *path, void (*take)(const char *line, const char *newline))
{
	char *text = malloc(LOG_READ_BYTES + LOG_LINE_BYTES);
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	size_t len = 0;
	ssize_t got;

	if (fd < 0 || !text)
		err(2, "%s", path);
	fcntl(fd, F_SETPIPE_SZ, LOG_READ_BYTES); /* no pipe: no harm */
	while ((got = read(fd, text + len, LOG_READ_BYTES)) > 0 || (got < 0 && errno == EINTR)) {
		const char *at = text, *end = text + len + (got > 0 ? got : 0), *newline;

		while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
			take(at, newline);
			at = newline + 1;
		}
		len = (size_t)(end - at);
		if (len >= LOG_LINE_BYTES)
			errx(1, "not a line of the log: %.40s", at);
		memmove(text, at, len);
	}
	if (got < 0)
		err(2, "%s", path);
	if (len)
		errx(1, "the log ends within a line");
	close(fd);
	free(text);
}

#endif
