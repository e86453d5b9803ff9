// SPDX-License-Identifier: GPL-2.0
/* tests/log_lines.h: numbers of the emulator's log */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include <cmocka.h>

#include "../log_lines.h"

/* Each length of a number, whatever its digits: what strtoull() makes of it, and what follows. */
static void number_of_any_length_is_strtoulls(void **state)
{
	uint64_t random = 88172645463325252ull;

	for (unsigned int i = 0; i < 200000; i++) {
		char text[64] = {};
		const char *at = text;
		uint64_t value;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		value = random >> i % 64;
		if (i / 64 % 2)
			snprintf(text, sizeof(text), "0x%" PRIx64 " next\n", value);
		else
			snprintf(text, sizeof(text), "%" PRIu64 " next\n", value);
		assert_int_equal(log_number(&at), strtoull(text, NULL, 0));
		assert_string_equal(at, "next\n");
	}
}

static void number_at_the_end_of_the_line_leaves_the_newline(void **state)
{
	char text[64] = "0xffffffff81000000\n";
	const char *at = text;

	assert_int_equal(log_number(&at), 0xffffffff81000000);
	assert_string_equal(at, "\n");
}

/* Every byte at every place of eight that are read at once. */
static void eight_digits_are_digits_alone(void **state)
{
	for (int place = 0; place < 8; place++) {
		for (int byte = 0; byte < 256; byte++) {
			char hex[9] = "09af5b1c", decimal[9] = "09182736";
			uint64_t value = 0;

			hex[place] = decimal[place] = (char)byte;
			assert_int_equal(log_hex8(hex, &value), isxdigit(byte) && !isupper(byte));
			if (value)
				assert_int_equal(value, strtoull(hex, NULL, 16));
			value = 0;
			assert_int_equal(log_decimal8(decimal, &value), isdigit(byte) != 0);
			if (value)
				assert_int_equal(value, strtoull(decimal, NULL, 10));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(number_of_any_length_is_strtoulls),
		cmocka_unit_test(number_at_the_end_of_the_line_leaves_the_newline),
		cmocka_unit_test(eight_digits_are_digits_alone),
	};

	return cmocka_run_group_tests_name("log_lines", tests, NULL, NULL);
}
