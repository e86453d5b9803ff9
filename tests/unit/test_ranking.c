// SPDX-License-Identifier: GPL-2.0
/* Expected: balanced accuracy, (TPR + TNR) / 2, reckoned by hand for each table of calls. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ranking_calls.h"

#define NEAR 1e-9

/*
 * Failing 4, passing 10. Branch 0x10: taken in all failing, in 1 of 10 passing: (1 + 0.9) / 2.
 * Branch 0x20: taken in 3 of 4 failing, in no passing: (0.75 + 1) / 2. Branch 0x30: taken by all.
 */
static void accuracy_by_hand(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 14; i++) {
		bool failing = i < 4;

		plain_call(ranking, failing, false);
		decision(ranking, "g", 0x30, true, 9);
		decision(ranking, "g", 0x10, failing || i == 4, 5);
		decision(ranking, "g", 0x20, failing && i, 1);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->failing, 4);
	assert_int_equal(reasons->passing, 10);
	assert_int_equal(reasons->err, 2);
	assert_int_equal(reasons->items[0].place.off, 0x10);
	assert_true(reasons->items[0].taken);
	assert_string_equal(reasons->items[0].condition, "x == 1");
	assert_string_equal(reasons->items[0].source, "file->mode == 1");
	assert_float_equal(reasons->items[0].accuracy, 0.95, NEAR);
	assert_int_equal(reasons->items[0].failing.true_calls, 4);
	assert_int_equal(reasons->items[0].passing.true_calls, 1);
	assert_int_equal(reasons->items[0].passing.known, 10);
	assert_int_equal(reasons->items[1].place.off, 0x20);
	assert_float_equal(reasons->items[1].accuracy, 0.875, NEAR);
	/* What all calls do tells nothing, and neither does the other side. */
	assert_null(find(reasons, 0x30, true));
	assert_null(find(reasons, 0x10, false));
	/* Nothing separates all; but 0x30 was taken by all before. */
	assert_int_equal(reasons->parts_at, -1);
	assert_true(reasons->joined);
	ranking_reasons_free(reasons, 1);
}

/* Two that separate: the nearer one is the better, the one executed first is where ways part. */
static void ties_by_nearness(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 8; i++) {
		bool failing = i < 4;

		plain_call(ranking, failing, false);
		decision(ranking, "g", 0x10, !failing, 7);
		decision(ranking, "g", 0x20, failing, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->count, 2);
	assert_int_equal(reasons->items[0].place.off, 0x20);
	assert_int_equal(reasons->items[1].place.off, 0x10);
	assert_false(reasons->items[1].taken);
	assert_int_equal(reasons->parts_at, 1);
	ranking_reasons_free(reasons, 1);
}

/*
 * Not in the record: unknown, unless the record goes back to the function's entry. Of 10 passing
 * calls 4 show the branch not taken, 3 are complete without it, 3 do not know.
 */
static void unknown_is_not_absent(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 15; i++) {
		bool failing = i < 5;

		plain_call(ranking, failing, i >= 12);
		if (i < 9)
			decision(ranking, "g", 0x10, failing, 3);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->items[0].passing.true_calls, 0);
	assert_int_equal(reasons->items[0].passing.known, 7);
	assert_float_equal(reasons->items[0].accuracy, 1.0, NEAR);
	/* Known in 7 of 10: too few to say that ways part there. */
	assert_int_equal(reasons->parts_at, -1);
	ranking_reasons_free(reasons, 1);
}

/*
 * A record that begins with the function says nothing of what ran before: of 6 passing calls 2 show
 * the branch before the entry, 4 begin behind it. The branch of the call itself did not run in
 * those 4.
 */
static void before_the_entry_is_unknown(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 10; i++) {
		bool failing = i < 4;
		struct ranking_decision before = {
			.place = {.function = "caller", .module = "", .off = 0x8},
			.taken = failing,
			.before_entry = true,
			.distance = 9,
			.condition = "",
			.source = "",
		};

		plain_call(ranking, failing, true);
		if (i < 6) {
			assert_int_equal(ranking_decision(ranking, &before), 0);
			decision(ranking, "f", 0x10, failing, 3);
		}
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(find(reasons, 0x10, true)->passing.known, 6);
	assert_null(find(reasons, 0x8, true)); /* known in 2, fewer than 3 */
	ranking_reasons_free(reasons, 1);
}

/* Functions of one name are told apart by where they are. */
static void names_may_be_of_several(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 8; i++) {
		struct ranking_decision one = {
			.place = {.function = "show", .module = "", .off = 0x8},
			.rel = i < 4 ? 0x1008 : 0x2008,
			.taken = true,
			.condition = "",
			.source = "",
		};

		plain_call(ranking, i < 4, true);
		assert_int_equal(ranking_decision(ranking, &one), 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->count, 1);
	assert_int_equal(reasons->items[0].failing.true_calls, 4);
	assert_int_equal(reasons->items[0].passing.true_calls, 0);
	ranking_reasons_free(reasons, 1);
}

/* One perfect predicate known in 3 calls is worth less than one known in 40 with one exception. */
static void few_calls_count_for_less(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 80; i++) {
		bool failing = i < 40;
		int nr = i % 40;

		plain_call(ranking, failing, false);
		decision(ranking, "g", 0x10, failing || nr == 0, 3);
		if (nr < 3)
			decision(ranking, "g", 0x20, failing, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->items[0].place.off, 0x10);
	assert_float_equal(reasons->items[0].accuracy, (1.0 + 39.0 / 40) / 2, NEAR);
	assert_int_equal(reasons->items[1].place.off, 0x20);
	assert_float_equal(reasons->items[1].accuracy, 1.0, NEAR);
	ranking_reasons_free(reasons, 1);
}

/* Two causes of one errno: each is ranked for itself, the more frequent one first. */
static void reasons_are_kept_apart(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 20; i++) {
		int kind = i < 4 ? 1 : i < 10 ? 2 : 0;

		call(ranking, kind, kind ? 22 : 0, kind == 1 ? "g" : kind == 2 ? "h" : NULL, false);
		decision(ranking, "g", 0x10, kind == 1, 1);
		decision(ranking, "g", 0x20, kind == 2, 1);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 2);
	assert_string_equal(reasons[0].made_at.function, "h");
	assert_int_equal(reasons[0].failing, 6);
	assert_int_equal(reasons[0].items[0].place.off, 0x20);
	assert_string_equal(reasons[1].made_at.function, "g");
	assert_int_equal(reasons[1].failing, 4);
	assert_int_equal(reasons[1].items[0].place.off, 0x10);
	ranking_reasons_free(reasons, 2);
}

/* Failing calls whose errno was made at one place, after the decision at @off. */
static void decided_calls(struct ranking *ranking, int count, uint64_t off)
{
	const struct ranking_call failing = {
		.failing = true,
		.function = "f",
		.err = 22,
		.made_at = {.function = "f", .module = "", .off = 4},
		.decided = {.place = {.function = "f", .module = "", .off = off}, .taken = true},
	};

	for (int i = 0; i < count; i++) {
		assert_int_equal(ranking_call(ranking, &failing), 0);
		decision(ranking, "f", 0x8, true, 2);
		decision(ranking, "f", off, true, 0);
		ranking_call_end(ranking);
	}
}

/* Two causes, and one instruction that loads the errno for both: the decisions keep them apart. */
static void reasons_of_one_place_are_kept_apart(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	decided_calls(ranking, 3, 0x10);
	decided_calls(ranking, 4, 0x20);
	for (int i = 0; i < 5; i++) {
		plain_call(ranking, false, false);
		decision(ranking, "f", 0x10, false, 1);
		decision(ranking, "f", 0x20, false, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 2);
	assert_int_equal(reasons[0].failing, 4);
	assert_int_equal(reasons[0].items[0].place.off, 0x20);
	assert_int_equal(reasons[1].failing, 3);
	assert_int_equal(reasons[1].items[0].place.off, 0x10);
	ranking_reasons_free(reasons, 2);
}

/*
 * A switch: failing calls go on to a second compare, which passing ones never get to. Both tell all
 * calls apart; the ways part at the first.
 */
static void where_ways_part_comes_first(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 8; i++) {
		bool failing = i < 4;

		plain_call(ranking, failing, true);
		decision(ranking, "f", 0x10, failing, 1);
		if (failing)
			decision(ranking, "f", 0x20, true, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->count, 2);
	assert_int_equal(reasons->items[0].place.off, 0x10);
	assert_int_equal(reasons->items[1].place.off, 0x20);
	assert_float_equal(reasons->items[1].accuracy, 1.0, NEAR);
	/* Nothing before is alike: the records may begin behind the place. */
	assert_false(reasons->joined);
	ranking_reasons_free(reasons, 1);
}

/*
 * The records of 6 passing calls begin behind the decision to fail, which none of them can have
 * taken: it tells all apart. Of another decision of the failing calls nothing is known.
 */
static void what_decides_needs_no_passing_record(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	decided_calls(ranking, 4, 0x10);
	for (int i = 0; i < 6; i++) {
		plain_call(ranking, false, false);
		decision(ranking, "g", 0x30, true, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->count, 1);
	assert_int_equal(reasons->items[0].place.off, 0x10);
	assert_true(reasons->items[0].decides);
	assert_true(reasons->items[0].inferred);
	assert_int_equal(reasons->items[0].passing.known, 0);
	assert_false(reasons->joined);
	assert_float_equal(reasons->items[0].accuracy, 1.0, NEAR);
	ranking_reasons_free(reasons, 1);
}

/*
 * --good says that 3 calls pass that returned an errno: one may have gone the way that no record
 * shows.
 */
static void what_returned_an_errno_proves_nothing(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	decided_calls(ranking, 4, 0x10);
	for (int i = 0; i < 6; i++) {
		call(ranking, false, i < 3 ? 22 : 0, NULL, false);
		decision(ranking, "g", 0x30, true, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->passing, 6);
	assert_int_equal(reasons->passing_errnos, 3);
	assert_int_equal(reasons->count, 0);
	ranking_reasons_free(reasons, 1);
}

/* A passing call that went that way: the decision does not decide alone, and counts as any other.
 */
static void what_passing_calls_do_does_not_decide(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	decided_calls(ranking, 4, 0x10);
	for (int i = 0; i < 6; i++) {
		plain_call(ranking, false, false);
		if (i < 4)
			decision(ranking, "f", 0x10, !i, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->items[0].place.off, 0x10);
	assert_false(reasons->items[0].decides);
	assert_float_equal(reasons->items[0].accuracy, (1.0 + 3.0 / 4) / 2, NEAR);
	ranking_reasons_free(reasons, 1);
}

/*
 * if (len < 0 && !(flags & UNSIGNED)) return -EINVAL: failing calls go on from the first test, 0x8,
 * to the second, 0x10, from which the errno follows. The records of 6 of 10 passing calls begin
 * behind the first. The other 4 show that they went another way there, and never came to the
 * second.
 */
static void what_follows_comes_behind_where_ways_part(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	decided_calls(ranking, 4, 0x10);
	for (int i = 0; i < 10; i++) {
		plain_call(ranking, false, false);
		if (i < 4)
			decision(ranking, "f", 0x8, false, 1);
		decision(ranking, "f", 0x30, true, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->items[0].place.off, 0x8);
	assert_false(reasons->items[0].follows);
	assert_int_equal(reasons->items[1].place.off, 0x10);
	assert_true(reasons->items[1].decides);
	assert_true(reasons->items[1].follows);
	ranking_reasons_free(reasons, 1);
}

/*
 * The same, but 0x28 is of a function that returned before the errno was made: nothing that comes
 * later depends on it. Passing calls called it again, behind all that their records lack.
 */
static void what_returned_displaces_nothing(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;
	const struct ranking_call failing = {
		.failing = true,
		.function = "f",
		.err = 22,
		.made_at = {.function = "f", .module = "", .off = 4},
		.decided = {.place = {.function = "f", .module = "", .off = 0x10}, .taken = true},
	};

	for (int i = 0; i < 4; i++) {
		assert_int_equal(ranking_call(ranking, &failing), 0);
		decision_of(ranking, "lock", 0x28, true, 5, false);
		decision(ranking, "f", 0x10, true, 0);
		ranking_call_end(ranking);
	}
	for (int i = 0; i < 10; i++) {
		plain_call(ranking, false, false);
		if (i < 4)
			decision_of(ranking, "lock", 0x28, false, 0, false);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->count, 2);
	assert_int_equal(reasons->items[0].place.off, 0x10);
	assert_false(reasons->items[0].follows);
	ranking_reasons_free(reasons, 1);
}

/* A lock that was held in failing calls, and free in passing ones, by chance: nearer, but closed.
 */
static void what_is_open_comes_first(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 8; i++) {
		bool failing = i < 4;

		plain_call(ranking, failing, false);
		decision(ranking, "f", 0x10, failing, 3);
		decision_of(ranking, "lock", 0x28, failing, 1, false);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->items[0].place.off, 0x10);
	assert_true(reasons->items[0].open);
	assert_int_equal(reasons->items[1].place.off, 0x28);
	ranking_reasons_free(reasons, 1);
}

/*
 * Passing calls executed it, too, and went the same way, two of them the other: it follows from
 * nothing that failing calls alone did.
 */
static void what_passing_calls_do_does_not_follow(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;
	const struct ranked *item;

	decided_calls(ranking, 4, 0x10);
	for (int i = 0; i < 10; i++) {
		plain_call(ranking, false, false);
		if (i < 4)
			decision(ranking, "f", 0x8, false, 1);
		if (i < 3)
			decision(ranking, "f", 0x10, !i, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->items[0].place.off, 0x8);
	item = find(reasons, 0x10, true);
	assert_non_null(item);
	assert_int_equal(item->passing.true_calls, 1);
	assert_int_equal(item->passing.known, 3);
	assert_false(item->parts);
	assert_false(item->follows);
	ranking_reasons_free(reasons, 1);
}

/* A parting that has an exception does not tell what a nearer decision follows from. */
static void what_does_not_tell_all_displaces_nothing(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	decided_calls(ranking, 4, 0x10);
	for (int i = 0; i < 10; i++) {
		plain_call(ranking, false, false);
		if (i < 4)
			decision(ranking, "f", 0x8, i == 3, 1);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->items[0].place.off, 0x10);
	assert_false(reasons->items[0].follows);
	ranking_reasons_free(reasons, 1);
}

/* Of 12 calls with --good and --bad: 5 passing ones returned 4096 to 8192, failing ones 12288 or no
 * value. */
static void returned_values_have_a_range(void **state)
{
	static const int64_t passed[] = {8192, 4096, 5000, 4096, 6000};
	struct ranking *ranking = *state;
	struct ranking_call call = {.function = "f", .has_value = true};
	struct ranking_reason *reasons;

	for (size_t i = 0; i < 12; i++) {
		call.failing = i >= 5;
		call.has_value = i < 9;
		call.value = i < 5 ? passed[i] : 12288;
		assert_int_equal(ranking_call(ranking, &call), 0);
		decision(ranking, "f", 0x10, call.failing, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->passing_values.known, 5);
	assert_int_equal(reasons->passing_values.min, 4096);
	assert_int_equal(reasons->passing_values.max, 8192);
	assert_int_equal(reasons->failing, 7);
	assert_int_equal(reasons->failing_values.known, 4);
	assert_int_equal(reasons->failing_values.min, 12288);
	assert_int_equal(reasons->failing_values.max, 12288);
	ranking_reasons_free(reasons, 1);
}

/* In a loop a branch goes both ways in one call: what counts is the last time. */
static void loops_count_once(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;
	const struct ranked *item;

	for (int i = 0; i < 6; i++) {
		bool failing = i < 3;

		plain_call(ranking, failing, false);
		for (uint32_t round = 5; round > 0; round--)
			decision(ranking, "g", 0x10, false, round);
		if (failing)
			decision(ranking, "g", 0x10, true, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	item = find(reasons, 0x10, true);
	assert_non_null(item);
	assert_int_equal(item->failing.true_calls, 3);
	assert_int_equal(item->failing.known, 3);
	assert_int_equal(item->passing.known, 3);
	assert_float_equal(item->distance, 0, NEAR);
	assert_null(find(reasons, 0x10, false));
	ranking_reasons_free(reasons, 1);
}

/* Where no passing call is of the function, it is said of which most are. */
static void passing_calls_may_be_of_another_function(void **state)
{
	static const char *const functions[] = {"h", "g", "g", "f", "f"};
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (size_t i = 0; i < 5; i++) {
		const struct ranking_call call = {
			.failing = i >= 3, .function = functions[i], .err = i >= 3 ? 2 : 0};

		assert_int_equal(ranking_call(ranking, &call), 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_int_equal(reasons->passing, 0);
	assert_string_equal(reasons->passing_function, "g");
	ranking_reasons_free(reasons, 1);
}

/* More kinds than there is room for are refused, and the others stay as they are. */
static void kinds_are_bounded(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_call call = {.failing = true, .function = "f", .made_at = {.module = ""}};
	struct ranking_reason *reasons;

	for (int i = 0; i < RANKING_FAILING_MAX; i++) {
		call.err = i + 1;
		assert_int_equal(ranking_call(ranking, &call), 0);
		ranking_call_end(ranking);
	}
	call.err = RANKING_FAILING_MAX + 1;
	assert_int_equal(ranking_call(ranking, &call), -E2BIG);
	reasons = reasons_of(ranking, RANKING_FAILING_MAX);
	assert_int_equal(reasons[0].passing, 0);
	assert_null(reasons[0].passing_function);
	assert_int_equal(reasons[0].count, 0);
	ranking_reasons_free(reasons, RANKING_FAILING_MAX);
}

/* Functions of a glob: each has its own passing calls, whatever else was captured before. */
static void functions_are_compared_with_their_own_calls(void **state)
{
	enum { FUNCTIONS = 100, CALLS = 4 };
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;
	char function[16];

	for (int i = 0; i < FUNCTIONS * CALLS; i++)
		for (int failing = 0; failing < 2; failing++) {
			const struct ranking_call call = {.failing = failing,
							  .function = function,
							  .err = failing ? 2 : 0,
							  .complete = true};

			snprintf(function, sizeof(function), "f%d", i % FUNCTIONS);
			assert_int_equal(ranking_call(ranking, &call), 0);
			/* All are of one branch, too; that of the function tells. */
			decision(ranking, "common", 0, failing, 5);
			decision(ranking, function, 0x10, failing, 1);
			ranking_call_end(ranking);
		}
	reasons = reasons_of(ranking, FUNCTIONS);
	for (int i = 0; i < FUNCTIONS; i++) {
		assert_int_equal(reasons[i].failing, CALLS);
		assert_int_equal(reasons[i].passing, CALLS);
		/* Two branches, one side of each. */
		assert_int_equal(reasons[i].count, 2);
		for (int k = 0; k < 2; k++) {
			const struct ranked *item = &reasons[i].items[k];

			if (strcmp(item->place.function, "common"))
				assert_string_equal(item->place.function, reasons[i].function);
			assert_int_equal(item->failing.true_calls, CALLS);
			assert_int_equal(item->failing.known, CALLS);
			assert_int_equal(item->passing.true_calls, 0);
			assert_int_equal(item->passing.known, CALLS);
		}
	}
	ranking_reasons_free(reasons, FUNCTIONS);
}

/* The errno follows from it: that is no chance, how few calls there ever are. */
static void what_decides_is_no_chance(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	decided_calls(ranking, 3, 0x10);
	for (int i = 0; i < 3; i++) {
		plain_call(ranking, false, false);
		decision(ranking, "f", 0x10, false, 0);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_true(reasons->items[0].decides);
	assert_false(reasons->by_chance);
	ranking_reasons_free(reasons, 1);
}

/* The ways part at 0x20, and 0x10 is executed by failing calls alone, as far from the failure. */
static void a_parting_as_near_limits_nothing(void **state)
{
	struct ranking *ranking = *state;
	struct ranking_reason *reasons;

	for (int i = 0; i < 20; i++) {
		bool failing = i < 10;

		plain_call(ranking, failing, true);
		decision(ranking, "f", 0x20, failing, failing ? 3 : 1);
		if (failing)
			decision(ranking, "f", 0x10, true, 3);
		ranking_call_end(ranking);
	}
	reasons = reasons_of(ranking, 1);
	assert_false(find(reasons, 0x10, true)->follows);
	ranking_reasons_free(reasons, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(accuracy_by_hand),
		TEST(ties_by_nearness),
		TEST(unknown_is_not_absent),
		TEST(few_calls_count_for_less),
		TEST(reasons_are_kept_apart),
		TEST(reasons_of_one_place_are_kept_apart),
		TEST(where_ways_part_comes_first),
		TEST(what_decides_needs_no_passing_record),
		TEST(what_returned_an_errno_proves_nothing),
		TEST(what_passing_calls_do_does_not_decide),
		TEST(what_follows_comes_behind_where_ways_part),
		TEST(what_returned_displaces_nothing),
		TEST(what_is_open_comes_first),
		TEST(what_passing_calls_do_does_not_follow),
		TEST(what_does_not_tell_all_displaces_nothing),
		TEST(returned_values_have_a_range),
		TEST(what_decides_is_no_chance),
		TEST(passing_calls_may_be_of_another_function),
		TEST(loops_count_once),
		TEST(kinds_are_bounded),
		TEST(functions_are_compared_with_their_own_calls),
		TEST(before_the_entry_is_unknown),
		TEST(names_may_be_of_several),
		TEST(a_parting_as_near_limits_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
