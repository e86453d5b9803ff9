/* SPDX-License-Identifier: GPL-2.0 */
/* line_text.h - a line of source as text */
#ifndef LBRSNOOP_RENDER_LINE_TEXT_H
#define LBRSNOOP_RENDER_LINE_TEXT_H

#include <stddef.h>

#include "symbolize/debug/dwarf.h"

/**
 * line_text_beside() - a line for a reader who was just told a place in @file, or NULL
 * "line 12" in the same file; FILE:12 in another one, as what was inlined from a header is.
 */
void line_text_beside(const struct srcline *line, const char *file, char *buf, size_t size);

#endif
