// SPDX-License-Identifier: GPL-2.0
/* Is what comes first in a ranking there by chance? Expected: the number of ways to choose calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ranking_calls.h"

/* Calls of each kind, and @branches that say nothing, but for one, by accident, that has
 * @exceptions. */
static bool is_by_chance(int failing_calls, int passing_calls, int branches, int exceptions)
{
	struct ranking *ranking = ranking_create();
	struct ranking_reason *reasons;
	bool by_chance;

	assert_non_null(ranking);
	for (int i = 0; i < failing_calls + passing_calls; i++) {
		bool failing = i < failing_calls;
		int nr = failing ? i : i - failing_calls;

		plain_call(ranking, failing, false);
		/* What all calls do says nothing of chance. */
		decision(ranking, "always", 0, true, 1);
		for (int k = 1; k < branches; k++)
			decision(ranking, "noise", (uint64_t)k, (nr + k) % 2, (uint32_t)k);
		decision(ranking, "f", 0x100, failing && nr >= exceptions, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->items[0].place.off, 0x100);
	by_chance = reasons->by_chance;
	ranking_reasons_free(reasons, 1);
	ranking_destroy(ranking);
	return by_chance;
}

/*
 * Of N and M calls, one of which with E exceptions, (N over E) of (N + M over N - E) ways to choose
 * those that a predicate is true of are as good. Each branch has two predicates. Against 1 of 50.
 */
static void few_calls_may_be_chance(void **state)
{
	(void)state;
	assert_true(is_by_chance(3, 3, 1, 0));	       /* 2 * 1 / 20 */
	assert_true(is_by_chance(4, 4, 1, 0));	       /* 2 * 1 / 70 */
	assert_false(is_by_chance(5, 5, 2, 0));	       /* 4 * 1 / 252: 0.0159 */
	assert_true(is_by_chance(5, 5, 3, 0));	       /* 6 * 1 / 252: 0.0238 */
	assert_false(is_by_chance(6, 6, 1, 1));	       /* 2 * 6 / 792: 0.0152 */
	assert_true(is_by_chance(6, 6, 2, 1));	       /* 4 * 6 / 792: 0.0303 */
	assert_true(is_by_chance(6, 6, 1, 2));	       /* 2 * 15 / 495 */
	assert_true(is_by_chance(3, 10, 3, 0));	       /* 6 * 1 / 286: 0.0210 */
	assert_false(is_by_chance(3, 10, 2, 0));       /* 4 * 1 / 286: 0.0140 */
	assert_false(is_by_chance(3, 30, 54, 0));      /* 108 * 1 / 5456: 0.0198 */
	assert_true(is_by_chance(3, 30, 55, 0));       /* 110 * 1 / 5456: 0.0202 */
	assert_false(is_by_chance(600, 600, 200, 60)); /* does not overflow either */
}

/* Knuth's linear congruential generator (MMIX): the same on each machine. */
static double number(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / (double)(1ull << 53);
}

/*
 * 40 branches that have nothing to do with the failure, and that calls take with probability @rate:
 * how many of 200 comparisons have a first place that tells calls apart and that is in no doubt?
 */
static int confident_by_chance(int failing_calls, int passing_calls, double rate)
{
	uint64_t random = 1;
	int confident = 0;

	for (int run = 0; run < 200; run++) {
		struct ranking *ranking = ranking_create();
		struct ranking_reason *reasons;

		assert_non_null(ranking);
		for (int i = 0; i < failing_calls + passing_calls; i++) {
			plain_call(ranking, i < failing_calls, true);
			for (uint32_t b = 0; b < 40; b++)
				decision(ranking, "f", 8 * b, number(&random) < rate, 40 - b);
			ranking_call_end(ranking);
		}
		reasons = reasons_of(ranking, 1);
		confident +=
			reasons->count && reasons->items[0].accuracy >= 0.75 && !reasons->by_chance;
		ranking_reasons_free(reasons, 1);
		ranking_destroy(ranking);
	}
	return confident;
}

/*
 * With 3 failing of 33 calls, and branches that one call in five takes, 64 % of such comparisons
 * were confident while it was taken for granted that each goes either way by halves.
 */
static void what_is_rare_is_no_reason(void **state)
{
	static const double rates[] = {0.5, 0.2, 0.08};
	static const int calls[][2] = {{3, 10}, {3, 30}, {5, 20}, {10, 10}};

	(void)state;
	for (size_t r = 0; r < 3; r++)
		for (size_t c = 0; c < 4; c++) {
			int confident = confident_by_chance(calls[c][0], calls[c][1], rates[r]);

			/* 2 % of 200. */
			if (confident > 4)
				fail_msg("%d and %d calls, %.2f: %d of 200", calls[c][0],
					 calls[c][1], rates[r], confident);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_calls_may_be_chance),
		cmocka_unit_test(what_is_rare_is_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
