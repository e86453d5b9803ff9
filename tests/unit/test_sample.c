// SPDX-License-Identifier: GPL-2.0
/*
 * Expected: of algorithm R each of n calls is among the k kept with the chance k / n. Which were
 * kept is read off a ranking: each failing call makes a decision of its own, which no passing one
 * makes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compare/sample.h"

enum { CALLS = 100, KEPT = 10 };

static void tell(struct sample *sample, const char *function, int err, uint64_t number)
{
	char callee[] = "callee", condition[] = "x == 1", source[] = "mode == 1";
	const struct ranking_call call = {
		.failing = err != 0, .function = function, .err = err, .complete = true};
	const struct ranking_decision decision = {
		.place = {.function = callee, .module = "", .off = number},
		.taken = true,
		.condition = condition,
		.source = source,
	};

	assert_int_equal(sample_call(sample, &call), 0);
	if (err)
		assert_int_equal(sample_decision(sample, &decision), 0);
	/* The sample has its own. */
	memset(callee, 'z', strlen(callee));
	memset(condition, 'z', strlen(condition));
	memset(source, 'z', strlen(source));
}

static int see(struct sample *sample, const char *function, int err, uint64_t number)
{
	int drawn = sample_draw(sample, function, err);

	if (drawn == 1)
		tell(sample, function, err, number);
	return drawn;
}

/* @ret_numbers: of the failing calls kept of the one kind there is; how many */
static size_t kept_numbers(const struct sample *sample, uint64_t ret_numbers[CALLS])
{
	struct ranking *ranking = ranking_create();
	struct ranking_reason *reasons;
	uint64_t left_out;
	size_t count;

	assert_int_equal(sample_rank(sample, ranking, &left_out), 0);
	assert_int_equal(left_out, 0);
	assert_int_equal(ranking_reasons(ranking, &reasons, &count), 0);
	assert_int_equal(count, 1);
	count = reasons->count;
	assert_int_equal(reasons->failing, count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(reasons->items[i].place.function, "callee");
		assert_string_equal(reasons->items[i].condition, "x == 1");
		assert_string_equal(reasons->items[i].source, "mode == 1");
		ret_numbers[i] = reasons->items[i].place.off;
	}
	ranking_reasons_free(reasons, 1);
	ranking_destroy(ranking);
	return count;
}

static void passing_three(struct sample *sample)
{
	for (int i = 0; i < 3; i++)
		assert_int_equal(see(sample, "f", 0, 0), 1);
}

/* 1,000 draws of 10 of 100: each call 100 times, give or take five standard deviations of 9.5. */
static void frequent_each_has_the_same_chance(void **state)
{
	unsigned int times[CALLS] = {0};
	uint64_t numbers[CALLS];

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct sample *sample = sample_create(KEPT, KEPT, seed);

		passing_three(sample);
		for (uint64_t i = 0; i < CALLS; i++)
			assert_in_range(see(sample, "f", 2, i), 0, 1);
		assert_int_equal(kept_numbers(sample, numbers), KEPT);
		for (size_t i = 0; i < KEPT; i++)
			times[numbers[i]]++;
		assert_int_equal(sample_seen(sample, "f", 2), CALLS);
		sample_destroy(sample);
	}
	for (size_t i = 0; i < CALLS; i++)
		assert_in_range(times[i], 53, 147);
}

/* 5 failing among 100,000 that pass: all of them, and all are counted. */
static void rare_all_are_kept(void **state)
{
	struct sample *sample = sample_create(KEPT, KEPT, 1);
	uint64_t numbers[CALLS];
	unsigned int drawn = 0;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		drawn += (unsigned int)see(sample, "f", 0, 0);
		if (i % 20000 == 19999)
			assert_int_equal(see(sample, "f", 2, i / 20000), 1);
	}
	assert_int_equal(kept_numbers(sample, numbers), 5);
	assert_int_equal(sample_seen(sample, "f", 0), 100000);
	assert_int_equal(sample_seen(sample, "f", 2), 5);
	assert_int_equal(sample_seen(sample, "f", 3), 0);
	assert_int_equal(sample_seen(sample, "g", 2), 0);
	assert_int_equal(sample_total(sample, true), 5);
	assert_int_equal(sample_total(sample, false), 100000);
	/* Most are seen, and cost nothing: 10 + the sum of 10 / n is 102 on average. */
	assert_in_range(drawn, 52, 152);
	sample_destroy(sample);
}

/* An errno that is rare is not drowned by one that is frequent. */
static void each_errno_for_itself(void **state)
{
	struct sample *sample = sample_create(KEPT, KEPT, 1);

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		see(sample, "f", 2, i);
	assert_int_equal(see(sample, "f", 5, 0), 1);
	assert_int_equal(see(sample, "g", 2, 0), 1);
	assert_int_equal(sample_total(sample, true), 1002);
	sample_destroy(sample);
}

/* What turned out to have no path takes the place of no other, nor a free one. */
static void drawn_and_not_told_keeps_the_place(void **state)
{
	struct sample *sample = sample_create(2, 3, 1);
	uint64_t numbers[CALLS];

	(void)state;
	passing_three(sample);
	assert_int_equal(sample_draw(sample, "f", 2), 1);
	assert_int_equal(see(sample, "f", 2, 1), 1);
	assert_int_equal(see(sample, "f", 2, 2), 1);
	for (int i = 0; i < 50; i++)
		sample_draw(sample, "f", 2);
	assert_int_equal(kept_numbers(sample, numbers), 2);
	assert_true((numbers[0] == 1 && numbers[1] == 2) || (numbers[0] == 2 && numbers[1] == 1));
	assert_int_equal(sample_seen(sample, "f", 2), 53);
	sample_destroy(sample);
}

static void kinds_are_bounded(void **state)
{
	struct sample *sample = sample_create(1, 1, 1);
	char function[16];

	(void)state;
	for (int i = 0; i < SAMPLE_KINDS_MAX; i++) {
		snprintf(function, sizeof(function), "f%d", i);
		assert_int_equal(see(sample, function, 2, 0), 1);
	}
	assert_int_equal(sample_draw(sample, "one_more", 2), -E2BIG);
	assert_int_equal(sample_draw(sample, "f0", 2) >= 0, 1);
	sample_destroy(sample);
}

/* Of eight calls of each kind, more than once moved by a growing array, arguments 8 to 15 and 0
 * to 7. */
static void arguments_are_the_samples_own(void **state)
{
	struct sample *sample = sample_create(100, 100, 1);
	struct ranking *ranking = ranking_create();
	struct ranking_reason *reasons;
	uint64_t left_out;
	size_t count;

	(void)state;
	for (int i = 0; i < 16; i++) {
		char name[] = "size";
		struct argument argument = {.name = name, .value = i};
		const struct ranking_call call = {.failing = i > 7,
						  .function = "f",
						  .err = i > 7 ? 2 : 0,
						  .arguments = &argument,
						  .argument_count = 1};

		assert_int_equal(sample_draw(sample, "f", call.err), 1);
		assert_int_equal(sample_call(sample, &call), 0);
		memset(name, 'z', strlen(name));
		argument.value = 99;
	}
	assert_int_equal(sample_rank(sample, ranking, &left_out), 0);
	assert_int_equal(ranking_reasons(ranking, &reasons, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(reasons->argument_count, 1);
	assert_string_equal(reasons->arguments[0].name, "size");
	assert_int_equal(reasons->arguments[0].failing.known, 8);
	assert_int_equal(reasons->arguments[0].failing.min, 8);
	assert_int_equal(reasons->arguments[0].failing.max, 15);
	assert_int_equal(reasons->arguments[0].passing.max, 7);
	assert_true(reasons->arguments[0].separates);
	ranking_reasons_free(reasons, count);
	ranking_destroy(ranking);
	sample_destroy(sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequent_each_has_the_same_chance),
		cmocka_unit_test(rare_all_are_kept),
		cmocka_unit_test(each_errno_for_itself),
		cmocka_unit_test(drawn_and_not_told_keeps_the_place),
		cmocka_unit_test(kinds_are_bounded),
		cmocka_unit_test(arguments_are_the_samples_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
