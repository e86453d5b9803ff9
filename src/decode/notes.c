// SPDX-License-Identifier: GPL-2.0
#include "decode/notes.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct notes *notes)
{
	size_t room = notes->room ? notes->room * 2 : 4;
	struct note *items;

	if (notes->count < notes->room)
		return true;
	items = reallocarray(notes->items, room, sizeof(*items));
	if (!items)
		return false;
	notes->items = items;
	notes->room = room;
	return true;
}

__attribute__((format(printf, 4, 0))) static void add(struct notes *notes, bool error, size_t line,
						      const char *fmt, va_list args)
{
	struct note *note;

	if (error)
		notes->errors++;
	else
		notes->warnings++;
	if (notes->count == NOTES_MAX || !make_room(notes))
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
