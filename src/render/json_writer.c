// SPDX-License-Identifier: GPL-2.0
#include "render/json_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/escape.h"
#include "render/json_text.h"

/* A snapshot with its instructions has some ten thousand. */
#define BYTES_FIRST (32u << 10)

static const char digits[] = "0123456789ABCDEF";

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
		*--p = digits[left % 10];
		left /= 10;
	} while (left);
	if (value < 0)
		*--p = '-';
	put(w, p, (size_t)(text + sizeof(text) - p));
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

/* The character at *@p, of well-formed UTF-8; *@p is behind it then. */
static uint32_t next_character(const unsigned char **p)
{
	const unsigned char *at = *p;
	unsigned int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 0;
	uint32_t character = more ? *at & (0x3f >> more) : *at;

	for (unsigned int i = 1; i <= more; i++)
		character = character << 6 | (at[i] & 0x3f);
	*p += more + 1;
	return character;
}

/* \uXXXX; @at has room for six bytes. */
static size_t put_unit(char *at, uint32_t unit)
{
	at[0] = '\\';
	at[1] = 'u';
	for (int i = 0; i < 4; i++)
		at[2 + i] = digits[unit >> (12 - 4 * i) & 15];
	return 6;
}

/* @at has room for twelve bytes. */
static size_t put_character(char *at, uint32_t character)
{
	static const char names[0x20] = {
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
	char name = character == '"' || character == '\\' ? (char)character
		    : character < 0x20			  ? names[character]
							  : 0;

	if (name) {
		at[0] = '\\';
		at[1] = name;
		return 2;
	}
	if (character >= 0x10000) {
		put_unit(at, 0xd800 + ((character - 0x10000) >> 10));
		put_unit(at + 6, 0xdc00 + (character & 0x3ff));
		return 12;
	}
	if (character < 0x20 || character >= 0x80)
		return put_unit(at, character);
	at[0] = (char)character;
	return 1;
}

/* Bytes that stand for themselves at the start of a text. */
static size_t plain_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
		p++;
	return (size_t)(p - (const unsigned char *)text);
}

void jw_string(struct json_writer *w, const char *text)
{
	char characters[JSON_FOREIGN_BYTES];
	const unsigned char *p = (const unsigned char *)characters;
	size_t plain;
	char *at;

	if (!text) {
		jw_null(w);
		return;
	}
	separate(w);
	plain = plain_length(text);
	if (!text[plain] && plain < sizeof(characters)) {
		at = reserve(w, plain + 2);
		if (!at)
			return;
		at[0] = at[plain + 1] = '"';
		memcpy(at + 1, text, plain);
		w->len += plain + 2;
		return;
	}
	utf8_text(text, characters, sizeof(characters));
	at = reserve(w, 12 * strlen(characters) + 2);
	if (!at)
		return;
	*at++ = '"';
	while (*p)
		at += put_character(at, next_character(&p));
	*at++ = '"';
	w->len = (size_t)(at - w->buf);
}

int json_writer_flush(struct json_writer *w, FILE *out)
{
	int err = w->failed ? -ENOMEM : 0;

	if (!err && (fwrite(w->buf, 1, w->len, out) != w->len || fputc('\n', out) == EOF))
		err = -EIO;
	free(w->buf);
	*w = (struct json_writer){0};
	return err;
}
