// SPDX-License-Identifier: GPL-2.0
/* -v and -q, as every command with status on stderr has them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/option_args.h"
#include "util/log.h"

/* postmortem once compared with ==, and said less when it was asked a third time. */
static void args_status_verbose_never_says_less(void **state)
{
	(void)state;
	log_set_level(LOG_NORMAL);
	assert_int_equal(args_status('v'), 0);
	assert_int_equal(log_get_level(), LOG_VERBOSE);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(args_status('v'), 0);
		assert_int_equal(log_get_level(), LOG_DEBUG);
	}
}

static void args_status_quiet_ends_it(void **state)
{
	(void)state;
	log_set_level(LOG_DEBUG);
	assert_int_equal(args_status('q'), 0);
	assert_int_equal(log_get_level(), LOG_QUIET);
}

static void args_status_another_option_is_not_its(void **state)
{
	(void)state;
	log_set_level(LOG_NORMAL);
	assert_int_equal(args_status('e'), ARGP_ERR_UNKNOWN);
	assert_int_equal(log_get_level(), LOG_NORMAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(args_status_verbose_never_says_less),
		cmocka_unit_test(args_status_quiet_ends_it),
		cmocka_unit_test(args_status_another_option_is_not_its),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
