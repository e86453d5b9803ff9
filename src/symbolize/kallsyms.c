// SPDX-License-Identifier: GPL-2.0
/* kallsyms.c - the text of /proc/kallsyms, or of a file in its format (System.map) */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolize/symbols.h"
#include "util/cleanup.h"
#include "util/prefetch.h"

#define READ_BYTES     (256u << 10)
#define PEEK_BYTES     (8u << 10)
#define PEEK_READS     64
#define LINE_BYTES_MAX (SYMBOL_NAME_MAX + MODULE_NAME_MAX + 32)

static bool is_name_char(char c)
{
	return c > ' ' && c < 0x7f;
}

/* Value of a hexadecimal digit, or above 15. */
static unsigned int hex_value(char c)
{
	unsigned int digit = (unsigned int)(unsigned char)c - '0';

	if (digit <= 9)
		return digit;
	digit = ((unsigned int)(unsigned char)c | 0x20) - 'a';
	return digit <= 5 ? digit + 10 : 16;
}

/* Hexadecimal digits at *@pos, which something else follows; leaves *@pos behind them. */
static bool parse_address(const char **pos, uint64_t *ret_addr)
{
	const char *p = *pos;
	uint64_t addr = 0;
	unsigned int digit;

	while ((digit = hex_value(*p)) < 16) {
		addr = addr << 4 | digit;
		p++;
	}
	if (p == *pos || p - *pos > 16)
		return false;
	*pos = p;
	*ret_addr = addr;
	return true;
}

/* "[name]" after white space, or nothing: index of the module, or negative errno. */
static int parse_module(struct symbols_reading *reading, const char *p, const char *end)
{
	const char *name;
	size_t len;

	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	if (p == end)
		return 0;
	name = ++p;
	while (is_name_char(*p) && *p != ']')
		p++;
	len = (size_t)(p - name);
	if (name[-1] != '[' || *p != ']' || !len || len > MODULE_NAME_MAX)
		return -EINVAL;
	return symbols_module(reading, name, len);
}

/*
 * "ffffffff81000000 T name\t[module]"; malformed lines are skipped. There is a newline at @end, so
 * that loops over characters end there.
 */
static int parse_line(struct symbols_reading *reading, const char *p, const char *end)
{
	const char *name;
	uint64_t addr;
	size_t len;
	int module;
	char type;

	if (!parse_address(&p, &addr) || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return 0;
	type = p[1];
	name = p += 3;
	while (is_name_char(*p))
		p++;
	len = (size_t)(p - name);
	if (!isalpha((unsigned char)type) || !len || len > SYMBOL_NAME_MAX)
		return 0;
	module = parse_module(reading, p, end);
	if (module == -EINVAL)
		return 0;
	if (module < 0)
		return module;
	return symbols_take(reading, addr, type, name, len, module);
}

/* All lines of a chunk; the unfinished last one is moved to the front, *@len is its length. */
static int parse_chunk(struct symbols_reading *reading, char *chunk, size_t *len, bool last)
{
	char *p = chunk, *end = chunk + *len;

	*end = '\n';
	while (p < end) {
		char *newline = memchr(p, '\n', (size_t)(end - p));
		int err;

		if (!newline && !last)
			break;
		if (!newline)
			newline = end;
		err = parse_line(reading, p, newline);
		if (err)
			return err;
		p = newline == end ? end : newline + 1;
	}
	*len = (size_t)(end - p);
	/* A line that no symbol can have: forget it, what follows up to its end is no symbol. */
	if (*len > LINE_BYTES_MAX) {
		*len = 1;
		*p = '?';
	}
	memmove(chunk, p, *len);
	return 0;
}

int kallsyms_read(struct symbols_reading *reading, const char *path, struct prefetch *ahead)
{
	_cleanup_close_ int fd = ahead ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *chunk = malloc(READ_BYTES + 1);
	size_t len = 0, total = 0;
	ssize_t got;

	if (fd < 0 && !ahead)
		return -errno;
	if (!chunk)
		return -ENOMEM;
	do {
		int err;

		got = ahead ? prefetch_read(ahead, chunk + len, READ_BYTES - len)
			    : read(fd, chunk + len, READ_BYTES - len);
		if (got < 0 && ahead)
			return (int)got;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EISDIR ? -EINVAL : -errno;
		len += (size_t)got;
		total += (size_t)got;
		if (total > KALLSYMS_BYTES_MAX)
			return -EINVAL;
		err = parse_chunk(reading, chunk, &len, got == 0);
		if (err)
			return err;
	} while (got != 0);
	return 0;
}

/* The kernel hands out a page at a time; before its text there are per-CPU symbols at most. */
bool kallsyms_peek(struct symbols_reading *reading, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *chunk = malloc(PEEK_BYTES + 1);
	const uint64_t *single = reading->syms->single;
	int err = fd < 0 || !chunk ? -ENOENT : 0;
	bool known = false;
	size_t len = 0;

	for (int i = 0; !err && !known && i < PEEK_READS; i++) {
		ssize_t got = read(fd, chunk + len, PEEK_BYTES - len);

		if (got <= 0)
			break;
		len += (size_t)got;
		err = parse_chunk(reading, chunk, &len, false);
		known = single[SYMBOLS_TEXT] && single[SYMBOLS_STEXT];
	}
	return known;
}
