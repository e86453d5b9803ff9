// SPDX-License-Identifier: GPL-2.0
#include "render/line_text.h"

#include <stdio.h>
#include <string.h>

void line_text_beside(const struct srcline *line, const char *file, char *buf, size_t size)
{
	if (file && line->file && strcmp(line->file, file))
		snprintf(buf, size, "%s:%d", line->file, line->line);
	else
		snprintf(buf, size, "line %d", line->line);
}
