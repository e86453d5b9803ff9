/* SPDX-License-Identifier: GPL-2.0 */
/* control.h - characters that a terminal obeys */
#ifndef LBRSNOOP_UTIL_CONTROL_H
#define LBRSNOOP_UTIL_CONTROL_H

#include <stddef.h>

/**
 * control_length() - bytes of the control character at the start of @text; 0 if there is none
 * Those of ASCII, and C1: U+0080 to U+009F, of which U+009B begins a command as ESC [ does.
 */
static inline size_t control_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
		return 2;
	return (p[0] && p[0] < ' ') || p[0] == 0x7f;
}

#endif
