/* SPDX-License-Identifier: GPL-2.0 */
/* span.h - a piece of a text, read from its front and never beyond its end */
#ifndef LBRSNOOP_DECODE_SPAN_H
#define LBRSNOOP_DECODE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct span - the bytes from @p up to @end; not NUL-terminated, may hold anything */
struct span {
	const char *p;
	const char *end;
};

/** span_of() - all of a NUL-terminated string */
struct span span_of(const char *text);

/** span_empty() - nothing left? */
bool span_empty(struct span s);

/** span_trim() - without white space (and carriage returns) at both ends */
struct span span_trim(struct span s);

/** span_is() - equal to @text, in any case of letters? */
bool span_is(struct span s, const char *text);

/** span_line() - cut the next line off @rest; false if there is none */
bool span_line(struct span *rest, struct span *ret_line);

/** span_until() - cut off what is in front of the first of @delims, which is cut off, too */
struct span span_until(struct span *rest, const char *delims);

/** span_skip() - drop leading characters of @chars and white space; returns how many */
size_t span_skip(struct span *s, const char *chars);

/** span_copy() - as a string, cut to fit; returns @buf */
char *span_copy(struct span s, char *buf, size_t len);

/**
 * span_hex() - cut a hexadecimal number off the front: 680, 0x680, 680H
 * @max: largest value; up to 0xffffffff the digits end at the first that is none, beyond that
 *       ` and _ may stand between digits, and one ':' between two halves
 * Return: 0; -EINVAL if there is none; -ERANGE if it is too large. @s is unchanged on failure.
 */
int span_hex(struct span *s, uint64_t max, uint64_t *ret_value);

/** span_decimal() - likewise, decimal digits alone */
int span_decimal(struct span *s, uint64_t max, uint64_t *ret_value);

#endif
