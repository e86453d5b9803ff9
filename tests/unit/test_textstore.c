// SPDX-License-Identifier: GPL-2.0
/* A store of text has what was told last of each byte, and nothing that was taken back. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolize/text/textstore.h"
#include "util/cleanup.h"

#define BASE  0x7f0000000800ull
#define BYTES (2048u << 10)

/* What is to be there: -1 nothing, else the byte. */
static int16_t want[BYTES];

static void check(const struct text_source *text, size_t at, size_t len)
{
	uint8_t bytes[8192];
	bool known = true;

	for (size_t i = at; i < at + len; i++)
		known = known && want[i] >= 0;
	assert_int_equal(text->read(text->ctx, BASE + at, bytes, len), known ? 0 : -EFAULT);
	for (size_t i = 0; known && i < len; i++)
		assert_int_equal(bytes[i], want[at + i]);
}

/* Beside a plain array; a piece taken back may be longer than the store has pages. */
static void forget_any_pieces_leaves_the_others(void **state)
{
	struct textstore *store = textstore_create();
	struct text_source text;
	uint32_t seed = 20261122;

	assert_non_null(store);
	text = textstore_source(store);
	memset(want, 0xff, sizeof(want));
	for (unsigned int round = 0; round < 4000; round++) {
		uint8_t bytes[8192];
		size_t at, len;

		seed = seed * 1664525 + 1013904223;
		at = (seed >> 8) % (BYTES - 8192);
		len = 1 + seed % 8191;
		if (round % 16 < 8) {
			memset(bytes, (int)(seed >> 24), len);
			assert_int_equal(textstore_write(store, BASE + at, bytes, len), 0);
			for (size_t i = 0; i < len; i++)
				want[at + i] = (int16_t)(seed >> 24);
		} else if (round % 16 == 8) {
			/* from a few bytes to all behind it */
			len = round % 64 == 8 ? BYTES - at : len;
			textstore_forget(store, BASE + at, len);
			memset(want + at, 0xff, len * sizeof(*want));
		}
		check(&text, at, 1 + len % 64);
		check(&text, at + len % 4096, 8192 - len % 4096);
		check(&text, at ? at - 1 : 0, 1);
	}
	textstore_forget(store, 0, 1ull << 63);
	memset(want, 0xff, sizeof(want));
	for (size_t at = 0; at < BYTES; at += 512)
		check(&text, at, 1);
	textstore_destroy(store);
}

/* What was taken back makes room. */
static void forget_all_of_programs_makes_room(void **state)
{
	struct textstore *store = textstore_create();
	struct text_source text;
	uint8_t byte;

	assert_non_null(store);
	text = textstore_source(store);
	assert_int_equal(textstore_write(store, 0xffffffff81000000, "k", 1), 0);
	for (uint64_t i = 1; i < TEXTSTORE_PAGES_MAX; i++)
		assert_int_equal(textstore_write(store, i * TEXTSTORE_PAGE_BYTES, "u", 1), 0);
	assert_int_equal(textstore_write(store, 1ull << 40, "u", 1), -E2BIG);
	textstore_forget(store, 0, 1ull << 63);
	for (uint64_t i = 1; i < TEXTSTORE_PAGES_MAX; i++)
		assert_int_equal(text.read(text.ctx, i * TEXTSTORE_PAGE_BYTES, &byte, 1), -EFAULT);
	for (uint64_t i = 1; i < TEXTSTORE_PAGES_MAX; i++)
		assert_int_equal(textstore_write(store, (i << 20) + TEXTSTORE_PAGE_BYTES, "v", 1),
				 0);
	assert_int_equal(text.read(text.ctx, 0xffffffff81000000, &byte, 1), 0);
	assert_int_equal(byte, 'k');
	textstore_destroy(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forget_any_pieces_leaves_the_others),
		cmocka_unit_test(forget_all_of_programs_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
