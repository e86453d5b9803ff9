// SPDX-License-Identifier: GPL-2.0
/* src/util/clock.h: times of one clock keep their order when they are told by another */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/clock.h"

#define OFFSET 1700000000000000000

static void clock_offset_preempted_reader_changes_nothing(void **state)
{
	struct clock_offset offset = {};

	(void)state;
	clock_offset_take(&offset, 1000, OFFSET + 1050, 1100);
	assert_int_equal(offset.ns, OFFSET);
	/* The reader was away for 5 ms, before or after it read the clock. */
	clock_offset_take(&offset, 10000000, OFFSET + 10000010, 15000000);
	assert_int_equal(offset.ns, OFFSET);
	clock_offset_take(&offset, 20000000, OFFSET + 24999990, 25000000);
	assert_int_equal(offset.ns, OFFSET);
}

static void clock_offset_clock_that_is_set_is_followed(void **state)
{
	struct clock_offset offset = {};

	(void)state;
	clock_offset_take(&offset, 1000, OFFSET + 1050, 1100);
	clock_offset_take(&offset, 2000, OFFSET - 3600000000000 + 2050, 2100);
	assert_int_equal(offset.ns, OFFSET - 3600000000000);
	clock_offset_take(&offset, 3000, OFFSET + 3050, 3100);
	assert_int_equal(offset.ns, OFFSET);
}

static void clock_offset_of_this_machine_stays(void **state)
{
	struct clock_offset offset = {};
	int64_t first;

	(void)state;
	clock_offset_update(&offset);
	first = offset.ns;
	assert_true(first > 1000000000000000000);
	for (int i = 0; i < 10000; i++)
		clock_offset_update(&offset);
	assert_true(offset.ns == first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_offset_preempted_reader_changes_nothing),
		cmocka_unit_test(clock_offset_clock_that_is_set_is_followed),
		cmocka_unit_test(clock_offset_of_this_machine_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
