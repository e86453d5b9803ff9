// SPDX-License-Identifier: GPL-2.0
/* Expected: the file's format, lockdown_read() of security/lockdown/lockdown.c of Linux. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/lockdown.h"

static void lockdown_parse_level_in_brackets(void **state)
{
	(void)state;
	assert_int_equal(lockdown_parse("[none] integrity confidentiality\n"), LOCKDOWN_NONE);
	assert_int_equal(lockdown_parse("none [integrity] confidentiality\n"), LOCKDOWN_INTEGRITY);
	assert_int_equal(lockdown_parse("none integrity [confidentiality]\n"),
			 LOCKDOWN_CONFIDENTIALITY);
	assert_int_equal(lockdown_parse(""), LOCKDOWN_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lockdown_parse_level_in_brackets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
