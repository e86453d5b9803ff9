/* SPDX-License-Identifier: GPL-2.0 */
/* why_json.h - the answer of "lbrsnoop why" as one line of JSON, schema lbrsnoop.why/1:
 * tests/data/why.schema.json
 */
#ifndef LBRSNOOP_RENDER_WHY_WHY_JSON_H
#define LBRSNOOP_RENDER_WHY_WHY_JSON_H

#include <stdio.h>

#include "render/why/why_text.h"

/**
 * why_json() - write it
 * @snapshot: a line of schema lbrsnoop.snapshot/1, or NULL
 * @command: ended by NULL; NULL: none was run, and "command" and "status" are null
 * Return: 0; -ENOMEM; -EIO.
 */
int why_json(FILE *out, const struct answer *answer, const struct why_view *view,
	     const char *snapshot, const char *const *command);

#endif
