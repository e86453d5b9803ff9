// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/address.h"
#include "util/cleanup.h"

struct range {
	uint64_t start;
	uint64_t end;
	int number;
};

/* In one place twice, and at both ends of what there is. */
static const struct range ranges[] = {
	{0, 1, 1},
	{0x1000, 0x1010, 2},
	{0xffffffff81000000, 0xffffffff81000000, 3},
	{0xffffffff81000000, 0xffffffff81000010, 4},
	{UINT64_MAX, UINT64_MAX, 5},
};

static void upper_bound_counts_what_begins_there_or_below(void **state)
{
	static const struct {
		uint64_t addr;
		size_t count;
	} cases[] = {
		{0, 1},
		{1, 1},
		{0xfff, 1},
		{0x1000, 2},
		{0x1001, 2},
		{0x7fffffffffffffff, 2},
		{0xffffffff80ffffff, 2},
		{0xffffffff81000000, 4},
		{UINT64_MAX - 1, 4},
		{UINT64_MAX, 5},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(address_upper_bound(ranges, ARRAY_SIZE(ranges), sizeof(*ranges),
						     cases[i].addr),
				 cases[i].count);
}

/* Of the last 4, 3, ...: counted one by one. */
static void bounds_of_any_number(void **state)
{
	for (size_t first = 0; first <= ARRAY_SIZE(ranges); first++) {
		for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
			size_t count = 0, below = 0;

			for (size_t k = first; k < ARRAY_SIZE(ranges); k++) {
				count += ranges[k].start <= ranges[i].start;
				below += ranges[k].start < ranges[i].start;
			}
			assert_int_equal(address_upper_bound(ranges + first,
							     ARRAY_SIZE(ranges) - first,
							     sizeof(*ranges), ranges[i].start),
					 count);
			assert_int_equal(address_lower_bound(ranges + first,
							     ARRAY_SIZE(ranges) - first,
							     sizeof(*ranges), ranges[i].start),
					 below);
		}
	}
	assert_int_equal(address_upper_bound(NULL, 0, sizeof(*ranges), 0x1000), 0);
}

/* A difference would not fit in an int, or have its sign wrong. */
static void compare_is_of_all_64_bits(void **state)
{
	static const uint64_t order[] = {
		0, 1, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, UINT64_MAX};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (size_t k = 0; k < ARRAY_SIZE(order); k++)
			assert_int_equal(address_compare(&order[i], &order[k]), (i > k) - (i < k));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(upper_bound_counts_what_begins_there_or_below),
		cmocka_unit_test(bounds_of_any_number),
		cmocka_unit_test(compare_is_of_all_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
