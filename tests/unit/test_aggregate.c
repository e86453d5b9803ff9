// SPDX-License-Identifier: GPL-2.0
/* test_aggregate - when --interval prints a table */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cmd/trace/aggregate.h"

#define SECOND 1000000000ull

static char *text;
static size_t len;

/* Has a table been printed since the last time? */
static bool printed(void)
{
	static size_t before;
	bool more = len > before;

	before = len;
	return more;
}

static void aggregate_tick_clock_set_back_prints_on(void **state)
{
	const struct view_options opts = {.summary = true, .interval_ms = 1000};
	const uint64_t hour = 3600 * SECOND;
	struct aggregate *aggregate;
	struct errmsg msg = {};
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	assert_int_equal(aggregate_create(&opts, out, &aggregate, &msg), 0);
	assert_int_equal(aggregate_tick(aggregate, hour), 0);
	assert_int_equal(aggregate_tick(aggregate, hour + SECOND / 2), 0);
	assert_false(printed());
	assert_int_equal(aggregate_tick(aggregate, hour + SECOND), 0);
	assert_true(printed());
	/* One that comes late. */
	assert_int_equal(aggregate_tick(aggregate, hour - SECOND), 0);
	assert_int_equal(aggregate_tick(aggregate, hour + SECOND + SECOND / 2), 0);
	assert_false(printed());
	/* NTP. */
	assert_int_equal(aggregate_tick(aggregate, 20 * SECOND), 0);
	assert_false(printed());
	assert_int_equal(aggregate_tick(aggregate, 21 * SECOND), 0);
	assert_true(printed());
	aggregate_destroy(aggregate);
	fclose(out);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aggregate_tick_clock_set_back_prints_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
