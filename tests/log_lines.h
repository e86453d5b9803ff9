/* SPDX-License-Identifier: GPL-2.0 */
/* log_lines.h - the emulator's log, line by line; there may be hundreds of millions */
#ifndef LBRSNOOP_TESTS_LOG_LINES_H
#define LBRSNOOP_TESTS_LOG_LINES_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_READ_BYTES (1u << 20)
#define LOG_LINE_BYTES 256u
#define LOG_PAST_BYTES 8u

#define LOG_EACH(byte) ((byte)*0x0101010101010101ull)

/* Eight digits at once, hex in lower case: false if they are not. Most of what reading a log takes
 * is its addresses. */
static inline bool log_hex8(const char *p, uint64_t *value)
{
	uint64_t text, letters, digits;

	memcpy(&text, p, sizeof(text));
	letters = text >> 6 & LOG_EACH(1);
	digits = (text & LOG_EACH(0xf)) + letters * 9;
	/* '0' to '9' are 0x30 to 0x39, 'a' to 'f' 0x61 to 0x66: from 10 on, and up to 15, for
	 * letters alone */
	if ((text & LOG_EACH(0xf0)) != LOG_EACH(0x30) + letters * 0x30 ||
	    ((digits | ((digits + LOG_EACH(6)) ^ letters << 4)) & LOG_EACH(0x10)))
		return false;
	digits = __builtin_bswap64(digits);
	digits = (digits | digits >> 4) & 0x00ff00ff00ff00ffull;
	digits = (digits | digits >> 8) & 0x0000ffff0000ffffull;
	*value = *value << 32 | ((digits | digits >> 16) & 0xffffffffu);
	return true;
}

static inline bool log_decimal8(const char *p, uint64_t *value)
{
	uint64_t digits;

	memcpy(&digits, p, sizeof(digits));
	digits ^= LOG_EACH(0x30);
	if ((digits | (digits + LOG_EACH(6))) & LOG_EACH(0xf0))
		return false;
	digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ffull;
	digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffffull;
	*value = *value * 100000000 + ((digits * 10000 + (digits >> 32)) & 0xffffffffu);
	return true;
}

/**
 * log_number() - a decimal number, or one in hex behind 0x, and the space behind it
 * There are LOG_PAST_BYTES behind the end of the text that can be read. Exits if there is none at
 * *@at.
 */
static inline uint64_t log_number(const char **at)
{
	uint64_t value = 0;
	const char *p = *at, *first;
	unsigned int base = 10, digit;

	if (p[0] == '0' && p[1] == 'x') {
		base = 16;
		first = p += 2;
		while (log_hex8(p, &value))
			p += 8;
	} else {
		first = p;
		while (log_decimal8(p, &value))
			p += 8;
	}
	for (; p == first || *p > ' '; p++) {
		digit = (unsigned int)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
		if (digit >= base)
			errx(1, "a number is expected in the log, not %.*s",
			     (int)strcspn(*at, "\n"), *at);
		value = value * base + digit;
	}
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
	char *text = malloc(LOG_READ_BYTES + LOG_LINE_BYTES + LOG_PAST_BYTES);
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
