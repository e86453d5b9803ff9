// SPDX-License-Identifier: GPL-2.0
#include "util/shell_words.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct words {
	char *buf;
	size_t size;
	size_t len;
};

static void put(struct words *words, char c)
{
	if (words->len + 1 < words->size)
		words->buf[words->len] = c;
	words->len++;
}

static void put_text(struct words *words, const char *text)
{
	while (*text)
		put(words, *text++);
}

/* Bytes of a character of UTF-8 that a terminal shows; 0: none. */
static size_t shown_len(const unsigned char *p)
{
	size_t len = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
	uint32_t code = len == 1 ? *p : *p & (0xff >> (len + 1));
	static const uint32_t least[] = {[1] = 0x20, [2] = 0xa0, [3] = 0x800, [4] = 0x10000};

	if (*p == 0x7f || (len > 1 && *p < 0xc2) || *p > 0xf4)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[len] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return len;
}

static bool is_shown(const char *word)
{
	const unsigned char *p = (const unsigned char *)word;
	size_t len;

	for (; *p; p += len) {
		len = shown_len(p);
		if (!len)
			return false;
	}
	return true;
}

/* What no shell takes for anything else, but for '=' at a word's begin. */
static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_@%+:,./-=";

	return *word && *word != '=' && !word[strspn(word, plain)];
}

static void put_single(struct words *words, const char *word)
{
	put(words, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			put_text(words, "'\\''");
		else
			put(words, *word);
	}
	put(words, '\'');
}

static void put_escaped(struct words *words, const char *word)
{
	const unsigned char *p = (const unsigned char *)word;

	put_text(words, "$'");
	while (*p) {
		size_t len = shown_len(p);
		char octal[8];

		if (!len) {
			snprintf(octal, sizeof(octal), "\\%03o", *p++);
			put_text(words, octal);
			continue;
		}
		if (*p == '\'' || *p == '\\')
			put(words, '\\');
		while (len--)
			put(words, (char)*p++);
	}
	put(words, '\'');
}

static void put_word(struct words *words, const char *word)
{
	if (is_plain(word))
		put_text(words, word);
	else if (is_shown(word))
		put_single(words, word);
	else
		put_escaped(words, word);
}

static size_t end(struct words *words)
{
	if (words->size)
		words->buf[words->len < words->size ? words->len : words->size - 1] = '\0';
	return words->len;
}

size_t shell_word(const char *word, char *buf, size_t size)
{
	struct words words = {.buf = buf, .size = size};

	put_word(&words, word);
	return end(&words);
}

size_t shell_words(const char *const *list, char *buf, size_t size)
{
	struct words words = {.buf = buf, .size = size};

	for (size_t i = 0; list[i]; i++) {
		if (i)
			put(&words, ' ');
		put_word(&words, list[i]);
	}
	return end(&words);
}
