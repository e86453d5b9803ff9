/* SPDX-License-Identifier: GPL-2.0 */
/* json_text.h - foreign strings in JSON, and how every JSON line is written */
#ifndef LBRSNOOP_RENDER_JSON_TEXT_H
#define LBRSNOOP_RENDER_JSON_TEXT_H

#include <jansson.h>

/*
 * One line, and ASCII alone: a control character is written as \u001b, not sent to a terminal that
 * may obey it. jansson escapes those below U+0020 always, C1 (U+0080 to U+009F) with this.
 */
#define JSON_LINE (JSON_COMPACT | JSON_ENSURE_ASCII)

/**
 * json_foreign() - a string of any bytes: a task's name, a path
 *
 * A reader of the JSON gets the very characters, control characters included. Bytes that are no
 * UTF-8 have none in JSON, and become the text \xNN.
 * Return: all of it; NULL if there is no memory.
 */
json_t *json_foreign(const char *text);

#endif
