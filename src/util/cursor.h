/* SPDX-License-Identifier: GPL-2.0 */
/* cursor.h - bytes of a payload, read with their bounds checked */
#ifndef LBRSNOOP_UTIL_CURSOR_H
#define LBRSNOOP_UTIL_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** struct cursor - @bad: something was asked for that is not there; then all else is, too */
struct cursor {
	const uint8_t *at;
	size_t left;
	bool bad;
};

/** cursor_take() - the next @len bytes, or NULL */
static inline const uint8_t *cursor_take(struct cursor *cursor, size_t len)
{
	const uint8_t *at = cursor->at;

	if (cursor->bad || len > cursor->left) {
		cursor->bad = true;
		return NULL;
	}
	cursor->at += len;
	cursor->left -= len;
	return at;
}

/** cursor_number() - little-endian, of @bytes bytes; 0 if it is not there */
static inline uint64_t cursor_number(struct cursor *cursor, size_t bytes)
{
	const uint8_t *at = cursor_take(cursor, bytes);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, bytes);
	return value;
}

/**
 * cursor_string() - into @buf, NUL-terminated
 * A string that is longer than @room - 1, or holds a NUL, is bad.
 */
static inline void cursor_string(struct cursor *cursor, char *buf, size_t room)
{
	size_t len = cursor_number(cursor, 2);
	const uint8_t *at = cursor_take(cursor, len);

	buf[0] = '\0';
	if (!at)
		return;
	if (len >= room || memchr(at, 0, len)) {
		cursor->bad = true;
		return;
	}
	memcpy(buf, at, len);
	buf[len] = '\0';
}

#endif
