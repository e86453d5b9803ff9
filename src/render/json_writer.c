// SPDX-License-Identifier: GPL-2.0
#include "render/json_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/json_text.h"

/* A snapshot with its instructions has some ten thousand. */
#define BYTES_FIRST (32u << 10)

static char *grow(struct json_writer *w, size_t len)
{
	size_t size = w->size ? w->size : BYTES_FIRST;
	char *buf;

	while (size - w->len < len)
		size *= 2;
	buf = realloc(w->buf, size);
	if (!buf) {
		w->failed = true;
		return NULL;
	}
	w->buf = buf;
	w->size = size;
	return buf + w->len;
}

/* Room for @len more bytes; NULL if there is no memory. */
static inline char *reserve(struct json_writer *w, size_t len)
{
	return w->size - w->len >= len ? w->buf + w->len : grow(w, len);
}

static inline void put(struct json_writer *w, const char *text, size_t len)
{
	char *at = reserve(w, len);

	if (!at)
		return;
	memcpy(at, text, len);
	w->len += len;
}

/* Before each value, and each name. */
static inline void separate(struct json_writer *w)
{
	if (w->comma)
		put(w, ",", 1);
	w->comma = true;
}

void jw_open(struct json_writer *w, char bracket)
{
	separate(w);
	put(w, &bracket, 1);
	w->comma = false;
}

void jw_close(struct json_writer *w, char bracket)
{
	put(w, &bracket, 1);
	w->comma = true;
}

void jw_key(struct json_writer *w, const char *name)
{
	size_t len = strlen(name);
	char *at;

	separate(w);
	w->comma = false;
	at = reserve(w, len + 3);
	if (!at)
		return;
	*at = '"';
	memcpy(at + 1, name, len);
	memcpy(at + 1 + len, "\":", 2);
	w->len += len + 3;
}

void jw_null(struct json_writer *w)
{
	separate(w);
	put(w, "null", 4);
}

void jw_bool(struct json_writer *w, bool value)
{
	separate(w);
	put(w, value ? "true" : "false", value ? 4 : 5);
}

void jw_integer(struct json_writer *w, int64_t value)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char text[24], *p = text + sizeof(text);

	separate(w);
	do {
		*--p = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		*--p = '-';
	put(w, p, (size_t)(text + sizeof(text) - p));
}

void jw_json(struct json_writer *w, const char *line)
{
	separate(w);
	put(w, line, strcspn(line, "\n"));
}

void jw_address(struct json_writer *w, uint64_t addr)
{
	char text[20], *p = text + sizeof(text);

	separate(w);
	*--p = '"';
	do {
		*--p = "0123456789abcdef"[addr % 16];
		addr /= 16;
	} while (addr);
	*--p = 'x';
	*--p = '0';
	*--p = '"';
	put(w, p, (size_t)(text + sizeof(text) - p));
}

/* Bytes that stand for themselves at the start of a text. */
static size_t plain_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
		p++;
	return (size_t)(p - (const unsigned char *)text);
}

/* What jansson makes of it, which is slower; takes the reference. */
static void put_jansson(struct json_writer *w, json_t *value)
{
	size_t flags = JSON_LINE | JSON_ENCODE_ANY, len = json_dumpb(value, NULL, 0, flags);
	char *at = len ? reserve(w, len) : NULL;

	if (at)
		w->len += json_dumpb(value, at, len, flags);
	else
		w->failed = true;
	json_decref(value);
}

void jw_real(struct json_writer *w, double value)
{
	separate(w);
	put_jansson(w, json_real(value));
}

void jw_string(struct json_writer *w, const char *text)
{
	size_t plain;
	char *at;

	if (!text) {
		jw_null(w);
		return;
	}
	separate(w);
	plain = plain_length(text);
	if (text[plain]) {
		put_jansson(w, json_foreign(text));
		return;
	}
	at = reserve(w, plain + 2);
	if (!at)
		return;
	at[0] = at[plain + 1] = '"';
	memcpy(at + 1, text, plain);
	w->len += plain + 2;
}

void jw_put_string(struct json_writer *w, const char *name, const char *text)
{
	jw_key(w, name);
	jw_string(w, text);
}

void jw_put_text(struct json_writer *w, const char *name, const char *text)
{
	jw_put_string(w, name, text && *text ? text : NULL);
}

void jw_put_integer(struct json_writer *w, const char *name, int64_t value)
{
	jw_key(w, name);
	jw_integer(w, value);
}

void jw_put_known(struct json_writer *w, const char *name, bool known, int64_t value)
{
	jw_key(w, name);
	if (known)
		jw_integer(w, value);
	else
		jw_null(w);
}

void jw_put_bool(struct json_writer *w, const char *name, bool value)
{
	jw_key(w, name);
	jw_bool(w, value);
}

void jw_put_tri(struct json_writer *w, const char *name, enum tri value)
{
	jw_key(w, name);
	if (value == TRI_NOT_REPORTED)
		jw_null(w);
	else
		jw_bool(w, value == TRI_SET);
}

void jw_put_address(struct json_writer *w, const char *name, uint64_t addr)
{
	jw_key(w, name);
	jw_address(w, addr);
}

void jw_put_ident(struct json_writer *w, const char *name, uint64_t ident)
{
	char text[20];

	snprintf(text, sizeof(text), "%016" PRIx64, ident);
	jw_put_string(w, name, text);
}

int json_writer_end(struct json_writer *w, FILE *out)
{
	int err = w->failed ? -ENOMEM : 0;

	if (!err && fwrite(w->buf, 1, w->len, out) != w->len)
		err = -EIO;
	free(w->buf);
	*w = (struct json_writer){0};
	return err;
}

int json_writer_flush(struct json_writer *w, FILE *out)
{
	put(w, "\n", 1);
	return json_writer_end(w, out);
}
