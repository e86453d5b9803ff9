/* SPDX-License-Identifier: GPL-2.0 */
/* escape.h - foreign strings, for a terminal and for JSON */
#ifndef LBRSNOOP_RENDER_ESCAPE_H
#define LBRSNOOP_RENDER_ESCAPE_H

#include <stddef.h>

/**
 * escape_text() - copy with control characters and broken UTF-8 made visible as \xNN
 * @buf: always terminated; cut if too small. Four times the source's length is enough.
 * Return: @buf.
 */
const char *escape_text(const char *text, char *buf, size_t len);

/**
 * utf8_text() - copy with broken UTF-8 made visible as \xNN; control characters stay
 * For what escapes those by itself: JSON.
 * @buf: as for escape_text()
 * Return: @buf.
 */
const char *utf8_text(const char *text, char *buf, size_t len);

#endif
