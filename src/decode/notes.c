// SPDX-License-Identifier: GPL-2.0
#include "decode/notes.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/vector.h"

__attribute__((format(printf, 4, 0))) static void add(struct notes *notes, bool error, size_t line,
						      const char *fmt, va_list args)
{
	struct note *note;

	if (error)
		notes->errors++;
	else
		notes->warnings++;
	if (notes->count == NOTES_MAX ||
	    vector_grow(&notes->items, notes->count, sizeof(*notes->items)))
		return; /* still counted */
	note = &notes->items[notes->count++];
	note->error = error;
	note->line = line;
	vsnprintf(note->text, sizeof(note->text), fmt, args);
	for (char *p = note->text; *p; p++) {
		if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
			*p = '?';
	}
}

void notes_error(struct notes *notes, size_t line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(notes, true, line, fmt, args);
	va_end(args);
}

void notes_warning(struct notes *notes, size_t line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(notes, false, line, fmt, args);
	va_end(args);
}

void notes_deinit(struct notes *notes)
{
	free(notes->items);
	memset(notes, 0, sizeof(*notes));
}
