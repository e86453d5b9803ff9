// SPDX-License-Identifier: GPL-2.0
#include "decode/span.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

struct span span_of(const char *text)
{
	return (struct span){text, text + strlen(text)};
}

bool span_empty(struct span s)
{
	return s.p >= s.end;
}

static size_t span_len(struct span s)
{
	return (size_t)(s.end - s.p);
}

struct span span_trim(struct span s)
{
	while (s.p < s.end && isspace((unsigned char)*s.p))
		s.p++;
	while (s.p < s.end && isspace((unsigned char)s.end[-1]))
		s.end--;
	return s;
}

bool span_is(struct span s, const char *text)
{
	return span_len(s) == strlen(text) && !strncasecmp(s.p, text, span_len(s));
}

struct span span_until(struct span *rest, const char *delims)
{
	struct span piece = {rest->p, rest->p};

	while (piece.end < rest->end && (!*piece.end || !strchr(delims, *piece.end)))
		piece.end++;
	rest->p = piece.end < rest->end ? piece.end + 1 : rest->end;
	return piece;
}

bool span_line(struct span *rest, struct span *ret_line)
{
	if (span_empty(*rest))
		return false;
	*ret_line = span_until(rest, "\n");
	return true;
}

size_t span_skip(struct span *s, const char *chars)
{
	const char *start = s->p;

	while (s->p < s->end && (isspace((unsigned char)*s->p) || (*s->p && strchr(chars, *s->p))))
		s->p++;
	return (size_t)(s->p - start);
}

char *span_copy(struct span s, char *buf, size_t len)
{
	size_t n = span_len(s) < len ? span_len(s) : len - 1;

	memcpy(buf, s.p, n);
	buf[n] = '\0';
	return buf;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool skip_0x(struct span *s)
{
	if (span_len(*s) < 3 || s->p[0] != '0' || (s->p[1] | 0x20) != 'x' || digit(s->p[2]) < 0)
		return false;
	s->p += 2;
	return true;
}

/* Between digits of a long value: ffffffff`81000010, ffffffff_81000010, ffffffff:0x81000010 */
static bool skip_separator(struct span *s, unsigned int digits_before)
{
	struct span next = *s;

	if (span_empty(next) || (*next.p != '`' && *next.p != '_' && *next.p != ':'))
		return false;
	if (*next.p == ':' && digits_before > 8)
		return false;
	next.p++;
	skip_0x(&next);
	/* exactly one half follows, otherwise the separator is none */
	for (int i = 0; i < 8; i++) {
		if (next.p + i >= next.end || digit(next.p[i]) < 0)
			return false;
	}
	*s = next;
	return true;
}

/* Of C and of Python 2: 0x10L, 0x10ull */
static void skip_c_suffix(struct span *s)
{
	if (!span_empty(*s) && (*s->p | 0x20) == 'u')
		s->p++;
	for (int i = 0; i < 2 && !span_empty(*s) && (*s->p | 0x20) == 'l'; i++)
		s->p++;
}

int span_hex(struct span *s, uint64_t max, uint64_t *ret_value)
{
	struct span rest = *s;
	unsigned int digits = 0;
	bool separated = max <= UINT32_MAX;
	uint64_t value = 0;

	skip_0x(&rest);
	for (;; digits++) {
		if (span_empty(rest) || digit(*rest.p) < 0) {
			if (separated || !digits || !skip_separator(&rest, digits))
				break;
			separated = true;
		}
		if (value >> 60)
			return -ERANGE;
		value = value << 4 | (uint64_t)digit(*rest.p++);
	}
	if (!digits)
		return -EINVAL;
	if (value > max)
		return -ERANGE;
	if (!span_empty(rest) && (*rest.p | 0x20) == 'h')
		rest.p++;
	else
		skip_c_suffix(&rest);
	if (!span_empty(rest) && (isalnum((unsigned char)*rest.p) || *rest.p == '_'))
		return -EINVAL; /* a word that starts like a number */
	*s = rest;
	*ret_value = value;
	return 0;
}

int span_decimal(struct span *s, uint64_t max, uint64_t *ret_value)
{
	struct span rest = *s;
	uint64_t value = 0;

	while (rest.p < rest.end && *rest.p >= '0' && *rest.p <= '9') {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*rest.p - '0'), &value))
			return -ERANGE;
		rest.p++;
	}
	if (rest.p == s->p)
		return -EINVAL;
	if (value > max)
		return -ERANGE;
	*s = rest;
	*ret_value = value;
	return 0;
}
