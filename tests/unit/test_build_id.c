// SPDX-License-Identifier: GPL-2.0
/* Expected: `readelf -n` and VMCOREINFO's BUILD-ID write two lower-case digits a byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbolize/build_id.h"

static void build_id_parse_digits_are_bytes(void **state)
{
	static const uint8_t bytes[] = {0x00, 0x9f, 0xa0, 0xff};
	char text[2 * BUILD_ID_MAX + 1];
	struct build_id id;

	(void)state;
	assert_true(build_id_parse("009fa0ff", &id));
	assert_int_equal(id.len, sizeof(bytes));
	assert_memory_equal(id.bytes, bytes, sizeof(bytes));
	assert_string_equal(build_id_text(&id, text), "009fa0ff");
	assert_true(build_id_parse("", &id));
	assert_int_equal(id.len, 0);
}

static void build_id_parse_no_such_text_changes_nothing(void **state)
{
	static const char *const bad[] = {"0", "123", "0g", "AB", "0x12", " 12", "12\n"};
	char long_one[2 * BUILD_ID_MAX + 3];
	struct build_id id = {.bytes = {7}, .len = 1};

	(void)state;
	memset(long_one, 'a', sizeof(long_one));
	long_one[sizeof(long_one) - 1] = '\0';
	assert_false(build_id_parse(long_one, &id));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(build_id_parse(bad[i], &id));
	assert_int_equal(id.len, 1);
	assert_int_equal(id.bytes[0], 7);
	long_one[2 * BUILD_ID_MAX] = '\0';
	assert_true(build_id_parse(long_one, &id));
	assert_int_equal(id.len, BUILD_ID_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_id_parse_digits_are_bytes),
		cmocka_unit_test(build_id_parse_no_such_text_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
