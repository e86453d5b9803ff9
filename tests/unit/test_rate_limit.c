// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/rate_limit.h"

#define MS 1000000ull

static void rate_limit_exceeded_first_of_each_second_are_taken(void **state)
{
	struct rate_limit limit = {.per_second = 2};

	(void)state;
	assert_false(rate_limit_exceeded(&limit, 5000 * MS));
	assert_false(rate_limit_exceeded(&limit, 5100 * MS));
	assert_true(rate_limit_exceeded(&limit, 5200 * MS));
	assert_true(rate_limit_exceeded(&limit, 5999 * MS));
	assert_false(rate_limit_exceeded(&limit, 6000 * MS));
	assert_false(rate_limit_exceeded(&limit, 6001 * MS));
	assert_true(rate_limit_exceeded(&limit, 6002 * MS));
}

/* A breakpoint where the errno is loaded is older than the return that hands it on. */
static void rate_limit_exceeded_late_snapshot_begins_no_second(void **state)
{
	struct rate_limit limit = {.per_second = 1};

	(void)state;
	assert_false(rate_limit_exceeded(&limit, 5000 * MS));
	for (int i = 0; i < 10; i++) {
		assert_true(rate_limit_exceeded(&limit, 4990 * MS));
		assert_true(rate_limit_exceeded(&limit, 5010 * MS));
	}
	assert_false(rate_limit_exceeded(&limit, 6000 * MS));
}

/* NTP, or a virtual machine that is resumed: what comes then has an hour to go. */
static void rate_limit_exceeded_clock_set_back_begins_a_second(void **state)
{
	const uint64_t hour = 3600 * 1000 * MS;
	struct rate_limit limit = {.per_second = 1};

	(void)state;
	assert_false(rate_limit_exceeded(&limit, hour + 5000 * MS));
	assert_true(rate_limit_exceeded(&limit, hour + 5010 * MS));
	assert_false(rate_limit_exceeded(&limit, 5020 * MS));
	assert_true(rate_limit_exceeded(&limit, 5030 * MS));
	assert_false(rate_limit_exceeded(&limit, 6020 * MS));
}

static void rate_limit_exceeded_no_limit_takes_all(void **state)
{
	struct rate_limit limit = {0};

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_false(rate_limit_exceeded(&limit, 5000 * MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_limit_exceeded_first_of_each_second_are_taken),
		cmocka_unit_test(rate_limit_exceeded_late_snapshot_begins_no_second),
		cmocka_unit_test(rate_limit_exceeded_clock_set_back_begins_a_second),
		cmocka_unit_test(rate_limit_exceeded_no_limit_takes_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
