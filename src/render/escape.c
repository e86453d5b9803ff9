// SPDX-License-Identifier: GPL-2.0
#include "render/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence of several bytes at @p; 0 if there is none. */
static size_t utf8_length(const unsigned char *p)
{
	size_t len = p[0] >= 0xf0 && p[0] < 0xf5   ? 4
		     : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		     : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
						   : 0;

	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if (len == 3 && p[0] == 0xe0 && p[1] < 0xa0) /* overlong */
		return 0;
	if (len == 3 && p[0] == 0xed && p[1] >= 0xa0) /* surrogates */
		return 0;
	if (len == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90)))
		return 0;
	return len;
}

/* Length of what may be copied as it is; 0 if there is nothing. */
static size_t plain_length(const unsigned char *p, bool controls)
{
	if (*p < 0x80)
		return controls || (*p >= 0x20 && *p < 0x7f);
	if (!controls && p[0] == 0xc2 && p[1] < 0xa0) /* C1: some terminals obey them */
		return 0;
	return utf8_length(p);
}

static const char *copy(const char *text, bool controls, char *buf, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = 0;

	while (*p) {
		size_t seq = plain_length(p, controls);

		if (seq && n + seq < len) {
			memcpy(buf + n, p, seq);
		} else if (!seq && n + 4 < len) {
			snprintf(buf + n, len - n, "\\x%02x", *p);
			n += 4;
			p++;
			continue;
		} else {
			break;
		}
		n += seq;
		p += seq;
	}
	if (len)
		buf[n] = 0;
	return buf;
}

const char *escape_text(const char *text, char *buf, size_t len)
{
	return copy(text, false, buf, len);
}

const char *utf8_text(const char *text, char *buf, size_t len)
{
	return copy(text, true, buf, len);
}
