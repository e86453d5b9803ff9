// SPDX-License-Identifier: GPL-2.0
/* Ranges by hand; two of (F + P over F) orders of values have all of one kind first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare/chance.h"
#include "compare/values.h"

static void note(struct argument_ranges *ranges, const char *name, enum argument_kind kind,
		 int64_t value)
{
	const struct argument argument = {.name = name, .kind = kind, .value = value};

	argument_ranges_note(ranges, &argument, 1);
}

static void a_size_that_is_too_large(void **state)
{
	struct argument_ranges bad = {}, good = {};
	struct argument_pair pairs[ARGUMENTS_MAX];

	(void)state;
	for (int i = 0; i < 8; i++) {
		note(&bad, "size", ARGUMENT_UNSIGNED, 12288);
		note(&bad, "fd", ARGUMENT_SIGNED, i % 2 ? -1 : 3);
		note(&good, "size", ARGUMENT_UNSIGNED, i % 2 ? 4096 : 8192);
		note(&good, "fd", ARGUMENT_SIGNED, 2);
	}
	assert_int_equal(argument_pairs(&bad, 8, &good, 8, pairs), 2);
	assert_string_equal(pairs[0].name, "size");
	assert_int_equal(pairs[0].failing.min, 12288);
	assert_int_equal(pairs[0].failing.max, 12288);
	assert_int_equal(pairs[0].passing.min, 4096);
	assert_int_equal(pairs[0].passing.max, 8192);
	assert_true(pairs[0].separates);
	/* 2 lies between -1 and 3. */
	assert_int_equal(pairs[1].failing.min, -1);
	assert_int_equal(pairs[1].failing.max, 3);
	assert_false(pairs[1].separates);
}

/* ULONG_MAX is the greatest of unsigned values, and -1 the least of signed ones. */
static void a_sign_is_the_types(void **state)
{
	struct value_range is_unsigned = {}, is_signed = {};

	(void)state;
	value_range_note(&is_unsigned, ARGUMENT_UNSIGNED, -1);
	value_range_note(&is_unsigned, ARGUMENT_UNSIGNED, 1);
	value_range_note(&is_signed, ARGUMENT_SIGNED, -1);
	value_range_note(&is_signed, ARGUMENT_SIGNED, 1);
	assert_int_equal(is_unsigned.min, 1);
	assert_int_equal(is_unsigned.max, -1);
	assert_int_equal(is_signed.min, -1);
	assert_int_equal(is_signed.max, 1);
}

/* One of two arguments separates 4 + 4 calls by accident in 2 * 2/70, 6 + 6 in 2 * 2/924. */
static void few_calls_may_be_chance(void **state)
{
	(void)state;
	for (int calls = 4; calls <= 6; calls += 2) {
		struct argument_ranges bad = {}, good = {};
		struct argument_pair pairs[ARGUMENTS_MAX];

		for (int i = 0; i < calls; i++) {
			note(&bad, "a", ARGUMENT_SIGNED, 9);
			note(&bad, "b", ARGUMENT_SIGNED, 0);
			note(&good, "a", ARGUMENT_SIGNED, 1);
			note(&good, "b", ARGUMENT_SIGNED, 0);
		}
		argument_pairs(&bad, (uint64_t)calls, &good, (uint64_t)calls, pairs);
		assert_int_equal(pairs[0].separates, calls == 6);
		assert_false(pairs[1].separates);
	}
}

static void what_one_call_lacks_separates_nothing(void **state)
{
	struct argument_ranges bad = {}, good = {}, none = {};
	struct argument_pair pairs[ARGUMENTS_MAX];

	(void)state;
	for (int i = 0; i < 9; i++) {
		note(&bad, "a", ARGUMENT_SIGNED, 9);
		note(&good, "a", ARGUMENT_SIGNED, 1);
	}
	argument_pairs(&bad, 10, &good, 9, pairs);
	assert_false(pairs[0].separates);
	argument_pairs(&bad, 9, &good, 10, pairs);
	assert_false(pairs[0].separates);
	argument_pairs(&bad, 9, &none, 9, pairs);
	assert_false(pairs[0].separates);
	assert_int_equal(pairs[0].passing.known, 0);
	argument_pairs(&bad, 9, &good, 9, pairs);
	assert_true(pairs[0].separates);
}

static void more_than_six_are_left_out(void **state)
{
	struct argument_ranges ranges = {};
	char name[] = "a";

	(void)state;
	for (int i = 0; i < 9; i++, name[0]++)
		note(&ranges, name, ARGUMENT_SIGNED, i);
	assert_int_equal(ranges.count, ARGUMENTS_MAX);
	assert_string_equal(ranges.items[5].name, "f");
}

static void probabilities(void **state)
{
	(void)state;
	assert_float_equal(chance_of_order(3, 3), 2.0 / 20, 1e-9);
	assert_float_equal(chance_of_order(4, 4), 2.0 / 70, 1e-9);
	/* Fisher's lady tasting tea, "The Design of Experiments", 1935: all four, and three of
	 * four. */
	assert_float_equal(chance_of_table(4, 4, 0, 4), 1.0 / 70, 1e-9);
	assert_float_equal(chance_of_table(3, 4, 1, 4), 17.0 / 70, 1e-9);
	/* 3 failing of 13: one of (13 over 3). */
	assert_float_equal(chance_of_table(3, 3, 0, 10), 1.0 / 286, 1e-9);
	assert_float_equal(chance_of_table(0, 3, 5, 10), 1, 1e-9);
	/* Does not overflow. */
	assert_true(chance_of_table(50000, 50000, 10, 1000000) < 1e-300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_size_that_is_too_large),
		cmocka_unit_test(a_sign_is_the_types),
		cmocka_unit_test(few_calls_may_be_chance),
		cmocka_unit_test(what_one_call_lacks_separates_nothing),
		cmocka_unit_test(more_than_six_are_left_out),
		cmocka_unit_test(probabilities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
