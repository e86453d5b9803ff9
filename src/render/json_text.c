// SPDX-License-Identifier: GPL-2.0
#include "render/json_text.h"

#include "render/escape.h"

json_t *json_foreign(const char *text)
{
	char buf[JSON_FOREIGN_BYTES];

	return json_string(utf8_text(text, buf, sizeof(buf)));
}
