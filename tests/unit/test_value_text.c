// SPDX-License-Identifier: GPL-2.0
/* src/why/values/value_text.c: values in words, as C has them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "why/values/value_text.h"

/* Limits of C's types, <limits.h>; what is no small number is written in hex. */
static void number_has_the_sign_of_its_type(void **state)
{
	static const struct {
		uint64_t value;
		int bits;
		enum ctype_class class;
		const char *text;
	} rows[] = {
		{0xff, 8, CTYPE_SIGNED, "-1"},
		{0x80, 8, CTYPE_SIGNED, "-128"},
		{0x7f, 8, CTYPE_SIGNED, "127"},
		{0xff, 8, CTYPE_UNSIGNED, "255"},
		{0xffff, 16, CTYPE_SIGNED, "-1"},
		{0xffff, 16, CTYPE_UNSIGNED, "65535"},
		{0xffffffff, 32, CTYPE_SIGNED, "-1"},
		{0xffffffff, 32, CTYPE_UNSIGNED, "0xffffffff"},
		{UINT64_MAX, 64, CTYPE_SIGNED, "-1"},
		{UINT64_MAX, 64, CTYPE_UNSIGNED, "0xffffffffffffffff"},
		{1, 8, CTYPE_BOOL, "true"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ctype type = {.class = rows[i].class,
					   .bytes = (uint32_t)rows[i].bits / 8};
		char text[64];

		value_text(text, sizeof(text), "level", rows[i].value, rows[i].bits, &type);
		assert_string_equal(text, rows[i].text);
	}
}

/* "s8 err", and a short that a function returns. */
static void narrow_result_has_the_name_of_its_errno(void **state)
{
	const struct ctype byte = {.class = CTYPE_SIGNED, .bytes = 1};
	char text[64];

	(void)state;
	value_text(text, sizeof(text), "err", (uint8_t)-22, 8, &byte);
	assert_string_equal(text, "-EINVAL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(number_has_the_sign_of_its_type),
		cmocka_unit_test(narrow_result_has_the_name_of_its_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
