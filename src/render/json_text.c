// SPDX-License-Identifier: GPL-2.0
#include "render/json_text.h"

#include <stdlib.h>
#include <string.h>

#include "render/escape.h"

json_t *json_foreign(const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *buf = malloc(size);
	json_t *ret = buf ? json_string(utf8_text(text, buf, size)) : NULL;

	free(buf);
	return ret;
}
