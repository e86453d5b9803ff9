// SPDX-License-Identifier: GPL-2.0
/* Names of errors as users write them; numbers are those of asm-generic/errno.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "util/errno_name.h"

static void errno_parse_case_does_not_matter(void **state)
{
	static const struct {
		const char *text;
		int err;
	} names[] = {
		{"ENOENT", 2},	    {"enoent", 2},	{"-enoent", 2},	   {"EDEADLK", 35},
		{"EDEADLOCK", 35},  {"edeadlock", 35},	{"EAGAIN", 11},	   {"ewouldblock", 11},
		{"EOPNOTSUPP", 95}, {"eopnotsupp", 95}, {"ENOTSUPP", 524}, {"enotsupp", 524},
		{"4095", 4095},	    {"-2", 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (errno_parse(names[i].text) != names[i].err)
			print_message("%s\n", names[i].text);
		assert_int_equal(errno_parse(names[i].text), names[i].err);
	}
}

static void errno_parse_no_errno_is_refused(void **state)
{
	static const char *const texts[] = {"", "-", "ENOSUCH", "0", "4096", "2x", "E"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(errno_parse(texts[i]), -1);
}

/* include/linux/err.h: MAX_ERRNO is 4095 */
static void errno_of_result_is_of_errors_alone(void **state)
{
	assert_int_equal(errno_of_result(0), 0);
	assert_int_equal(errno_of_result(2), 0);
	assert_int_equal(errno_of_result(-2), 2);
	assert_int_equal(errno_of_result(-4095), 4095);
	assert_int_equal(errno_of_result(-4096), 0);
	assert_int_equal(errno_of_result(INT64_MIN), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errno_parse_case_does_not_matter),
		cmocka_unit_test(errno_parse_no_errno_is_refused),
		cmocka_unit_test(errno_of_result_is_of_errors_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
