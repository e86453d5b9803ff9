/* SPDX-License-Identifier: GPL-2.0 */
/* notes.h - what a reader of raw values noticed, collected for cmd/ to print */
#ifndef LBRSNOOP_DECODE_NOTES_H
#define LBRSNOOP_DECODE_NOTES_H

#include <stdbool.h>
#include <stddef.h>

/* A hostile file must not make a million of them. */
#define NOTES_MAX 100

/**
 * struct note - one thing noticed
 * @error: a CPU (or the whole input) could not be decoded because of it
 * @line: line of the input, or record of a binary one, from 1; 0 if it has none
 * @text: object and remedy, without control characters
 */
struct note {
	bool error;
	size_t line;
	char text[256];
};

/** struct notes - in order of appearance; @errors and @warnings count also what was not kept */
struct notes {
	struct note *items;
	size_t count;
	size_t errors;
	size_t warnings;
};

/** notes_error() - something could not be decoded */
void notes_error(struct notes *notes, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** notes_warning() - something is odd; it was decoded, or left out, as the text says */
void notes_warning(struct notes *notes, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** notes_deinit() - free the items; the struct can be used again */
void notes_deinit(struct notes *notes);

#endif
