// SPDX-License-Identifier: GPL-2.0
/* Calls of several builds of the kernel: a branch is told by its line or its condition. Expected:
 * as in test_ranking.c, reckoned by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ranking_calls.h"

/* Of a build: 0 fails, 1 passes. @in_case: the errno was loaded before the decision */
static void call_of(struct ranking *ranking, unsigned int build, bool failing, bool complete,
		    bool in_case)
{
	const struct ranking_call call = {
		.failing = failing,
		.build = build,
		.function = "f",
		.err = failing ? 2 : 0,
		.made_at = {.function = failing ? "f" : NULL, .module = failing ? "" : NULL},
		.decided = {.place = {.function = failing ? "f" : NULL,
				      .module = failing ? "" : NULL,
				      .off = 0x30},
			    .taken = true},
		.made_behind = failing && !in_case,
		.complete = complete,
	};

	assert_int_equal(ranking_call(ranking, &call), 0);
}

/*
 * Build 0 has branches 0x10, 0x20 and 0x30; build 1 the first at 0x18 and turned round, the second
 * at 0x28 and again at 0x29, the third not at all. Offsets of @off 0x40 are by chance the same.
 */
static int keys_by_hand(void *ctx, const struct ranking_decision *decision,
			struct ranking_keys *ret)
{
	(void)ctx;
	ret->negated = decision->place.off == 0x18;
	switch (decision->place.off) {
	case 0x10:
	case 0x18:
		strcpy(ret->line, "f@1 x == 0");
		strcpy(ret->condition, "f x == 0");
		break;
	case 0x20:
	case 0x28:
	case 0x29:
		strcpy(ret->line, "f@2 x == 1");
		break;
	case 0x30:
		strcpy(ret->line, "f@3 x == 2");
		break;
	default:
		break;
	}
	return 0;
}

static void branches_of_two_builds(struct ranking *ranking, bool complete, bool in_case)
{
	ranking_set_keys(ranking, keys_by_hand, NULL);
	for (int i = 0; i < 30; i++) {
		bool failing = i < 10;

		call_of(ranking, failing ? 0 : 1, failing, complete, in_case);
		decision(ranking, "f", failing ? 0x10 : 0x18, true, 5);
		decision(ranking, "f", failing ? 0x20 : i % 2 ? 0x28 : 0x29, failing, 4);
		decision(ranking, "f", 0x40, failing, 3);
		if (failing)
			decision(ranking, "f", 0x30, true, 1);
		ranking_call_end(ranking);
	}
	assert_int_equal(ranking_match_builds(ranking), 0);
}

/*
 * Taken in all: but what is taken in build 1 is what is not in build 0. What has no counterpart, or
 * two, or the same offset alone, is not known of calls of the other build, and what the errno
 * follows from in build 0 says nothing of them.
 */
static void branches_of_two_builds_by_their_keys(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;
	const struct ranked *item;

	branches_of_two_builds(ranking, false, true);
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->count, 1);
	item = find(reasons, 0x10, true);
	assert_non_null(item);
	assert_int_equal(item->build, 0);
	assert_int_equal(item->failing.true_calls, 10);
	assert_int_equal(item->passing.true_calls, 0);
	assert_int_equal(item->passing.known, 20);
	assert_true(item->parts);
	assert_int_equal(reasons->match.passing, 20);
	assert_int_equal(reasons->match.by_line, 1);
	assert_int_equal(reasons->match.by_condition, 0);
	assert_int_equal(reasons->match.alone, 3);
	assert_true(reasons->match.decided_alone);
	ranking_reasons_free(reasons, 1);
}

/*
 * Where the errno is loaded behind 0x30, which build 1 has not, it follows from that in build 0,
 * whatever passing calls of build 1 did: an inference, behind what tells all calls apart.
 */
static void what_decides_in_one_build_is_inferred(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	branches_of_two_builds(ranking, false, false);
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->count, 2);
	assert_int_equal(reasons->items[0].place.off, 0x10);
	assert_false(reasons->items[0].inferred);
	assert_int_equal(reasons->items[1].place.off, 0x30);
	assert_true(reasons->items[1].decides && reasons->items[1].inferred &&
		    reasons->items[1].alone);
	assert_int_equal(reasons->items[1].passing.known, 0);
	assert_true(reasons->match.decided_alone);
	ranking_reasons_free(reasons, 1);
}

/* ... and before what has an exception. */
static void what_decides_comes_before_exceptions(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	ranking_set_keys(ranking, keys_by_hand, NULL);
	for (int i = 0; i < 60; i++) {
		bool failing = i < 10;

		call_of(ranking, failing ? 0 : 1, failing, false, false);
		decision(ranking, "f", failing ? 0x10 : 0x18, i == 11, 5);
		if (failing)
			decision(ranking, "f", 0x30, true, 1);
		ranking_call_end(ranking);
	}
	assert_int_equal(ranking_match_builds(ranking), 0);
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->count, 2);
	assert_int_equal(reasons->items[0].place.off, 0x30);
	assert_int_equal(reasons->items[1].place.off, 0x10);
	assert_int_equal(reasons->items[1].passing.true_calls, 1);
	ranking_reasons_free(reasons, 1);
}

/* Of the failing calls' build it follows, too, where calls of another one pass beside them. */
static void what_decides_is_of_its_build(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	ranking_set_keys(ranking, keys_by_hand, NULL);
	for (int i = 0; i < 15; i++) {
		call_of(ranking, i > 8, i < 5, false, false);
		if (i < 5)
			decision(ranking, "f", 0x30, true, 1);
		ranking_call_end(ranking);
	}
	assert_int_equal(ranking_match_builds(ranking), 0);
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->match.passing, 6);
	assert_int_equal(reasons->passing, 10);
	assert_int_equal(reasons->count, 1);
	assert_true(reasons->items[0].decides && reasons->items[0].inferred);
	assert_false(reasons->items[0].alone || reasons->match.decided_alone);
	/* As if 4 passing calls, those of its build, had gone the other way: Laplace. */
	assert_float_equal(reasons->items[0].weight, (6.0 / 7 + 5.0 / 6) / 2, NEAR);
	ranking_reasons_free(reasons, 1);
}

/* A complete record of build 1 has no branch that build 1 has not: that is no "did not run". */
static void a_branch_of_one_build_is_not_absent_in_another(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	branches_of_two_builds(ranking, true, true);
	reasons = reasons_of(ranking, 1);
	assert_null(find(reasons, 0x20, true));
	assert_null(find(reasons, 0x30, true));
	assert_null(find(reasons, 0x40, true));
	assert_int_equal(find(reasons, 0x10, true)->passing.known, 20);
	ranking_reasons_free(reasons, 1);
}

/* Without keys of lines those of conditions; one build needs neither. */
static int conditions_alone(void *ctx, const struct ranking_decision *decision,
			    struct ranking_keys *ret)
{
	keys_by_hand(ctx, decision, ret);
	*ret->line = '\0';
	return 0;
}

static void branches_of_two_builds_by_condition(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	ranking_set_keys(ranking, conditions_alone, NULL);
	for (int i = 0; i < 10; i++) {
		call_of(ranking, i < 5, i < 5, false, true);
		decision(ranking, "f", i < 5 ? 0x18 : 0x10, i < 5, 2);
		ranking_call_end(ranking);
	}
	assert_int_equal(ranking_match_builds(ranking), 0);
	reasons = reasons_of(ranking, 1);
	/* 0x18 taken is 0x10 not taken: both kinds went the same way. */
	assert_int_equal(reasons->count, 0);
	assert_int_equal(reasons->build, 1);
	assert_int_equal(reasons->match.by_condition, 1);
	assert_false(reasons->match.decided_alone);
	ranking_reasons_free(reasons, 1);
}

/* The errno's place of one build is not that of another, though it has its numbers. */
static void failures_of_two_builds_are_kept_apart(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 8; i++) {
		call_of(ranking, i < 3, true, false, true);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 2);
	assert_int_equal(reasons[0].failing, 5);
	assert_int_equal(reasons[0].build, 0);
	assert_int_equal(reasons[1].failing, 3);
	assert_int_equal(reasons[1].build, 1);
	ranking_reasons_free(reasons, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(branches_of_two_builds_by_their_keys),
		TEST(what_decides_in_one_build_is_inferred),
		TEST(what_decides_comes_before_exceptions),
		TEST(what_decides_is_of_its_build),
		TEST(a_branch_of_one_build_is_not_absent_in_another),
		TEST(branches_of_two_builds_by_condition),
		TEST(failures_of_two_builds_are_kept_apart),
	};

	return cmocka_run_group_tests_name("ranking_builds", tests, NULL, NULL);
}
