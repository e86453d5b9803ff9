/* SPDX-License-Identifier: GPL-2.0 */
/* json_writer.h - one line of JSON, written as it is put together: nothing is kept of it as a tree
 */
#ifndef LBRSNOOP_RENDER_JSON_WRITER_H
#define LBRSNOOP_RENDER_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "snapshot/branch.h"

/**
 * struct json_writer - {0} to begin with; json_writer_flush() at the end
 * @comma: a value stands before what comes next
 * @failed: there was no memory
 *
 * Names of members are ASCII without quotes. ASCII alone is written, as JSON_LINE of json_text.h:
 * what is not, and control characters, as \uXXXX.
 */
struct json_writer {
	char *buf;
	size_t len;
	size_t size;
	bool comma;
	bool failed;
};

/** jw_open() - an object or an array begins; @bracket: '{' or '[' */
void jw_open(struct json_writer *w, char bracket);

/** jw_close() - it ends; @bracket: '}' or ']' */
void jw_close(struct json_writer *w, char bracket);

/** jw_key() - name of the member whose value comes next */
void jw_key(struct json_writer *w, const char *name);

void jw_null(struct json_writer *w);
void jw_bool(struct json_writer *w, bool value);
void jw_integer(struct json_writer *w, int64_t value);

/** jw_real() - as jansson writes it */
void jw_real(struct json_writer *w, double value);

/** jw_string() - any bytes: a task's name, a path; NULL: null. As json_foreign() has them. */
void jw_string(struct json_writer *w, const char *text);

/** jw_json() - a value that is a line of JSON already, as json_writer_flush() wrote it */
void jw_json(struct json_writer *w, const char *line);

/** jw_address() - "0x...": numbers of 64 bits are no numbers to many readers */
void jw_address(struct json_writer *w, uint64_t addr);

/* jw_put_*() - a member, name and value */
void jw_put_string(struct json_writer *w, const char *name, const char *text);
void jw_put_text(struct json_writer *w, const char *name, const char *text); /* "": null, too */
void jw_put_integer(struct json_writer *w, const char *name, int64_t value);
void jw_put_bool(struct json_writer *w, const char *name, bool value);
void jw_put_address(struct json_writer *w, const char *name, uint64_t addr);
void jw_put_ident(struct json_writer *w, const char *name, uint64_t ident); /* of path_ident() */

/** jw_put_known() - null if @value is not @known */
void jw_put_known(struct json_writer *w, const char *name, bool known, int64_t value);

/** jw_put_tri() - null if the CPU does not report it */
void jw_put_tri(struct json_writer *w, const char *name, enum tri value);

/**
 * json_writer_end() - the text, without a newline, to a file; frees what @w has
 * Return: as json_writer_flush()
 */
int json_writer_end(struct json_writer *w, FILE *out);

/**
 * json_writer_flush() - the line, and its newline, to a file; frees what @w has
 * Return: 0; -ENOMEM if memory ran out, now or before: nothing is written; -EIO.
 */
int json_writer_flush(struct json_writer *w, FILE *out);

#endif
