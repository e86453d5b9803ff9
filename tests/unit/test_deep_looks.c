// SPDX-License-Identifier: GPL-2.0
/* src/why/deep/deep_looks: what runs saw of a path, and how much of it is of one run */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "why/deep/deep_looks.h"

/* Straight code of BLOCKS blocks: branch N of the path leads from the end of block N to the next.
 */
#define KERNEL	 0xffffffff81000000ull
#define START(n) (KERNEL + (uint64_t)(n)*0x100)
#define END(n)	 (START(n) + 0x40)
#define BLOCKS	 100
#define DEPTH	 16

static struct why_branch path[BLOCKS];
static const struct deep_known known = {.branches = path, .count = BLOCKS, .end = END(BLOCKS)};

/*
 * A run with one breakpoint more, behind the branch that has @newer newer ones, and whose record
 * differs from the path at the branch that has @differs newer ones; BLOCKS: nowhere.
 */
static void add_run(struct deep_looks *looks, size_t newer, size_t differs)
{
	size_t at = BLOCKS - 1 - newer;
	uint64_t points[] = {END(BLOCKS), START(at + 1)};
	struct deep_hit hits[2] = {{.ip = points[1]}, {.ip = points[0]}};
	const struct deep_run run = {
		.points = points, .point_count = 2, .hits = hits, .hit_count = 2};

	for (size_t i = 0; i < 2; i++) {
		size_t last = i ? BLOCKS : at + 1;

		for (size_t n = last - DEPTH; n < last; n++) {
			struct why_branch branch = path[n];

			if (n == BLOCKS - 1 - differs)
				branch.to += 1;
			hits[i].record.branches[hits[i].record.count++] = branch;
		}
	}
	assert_int_equal(deep_looks_add(looks, &known, &run, 0), 0);
}

static size_t sure(const struct deep_looks *looks, bool *ret_few)
{
	return deep_looks_sure(looks, BLOCKS, ret_few);
}

static int setup(void **state)
{
	for (size_t n = 0; n < BLOCKS; n++)
		path[n] = (struct why_branch){END(n), START(n + 1)};
	return 0;
}

static void looks_no_run_differs_all_is_sure(void **state)
{
	struct deep_looks looks = {.depth = DEPTH};
	bool few = true;

	assert_int_equal(deep_looks_begin(&looks, BLOCKS), 0);
	add_run(&looks, 40, BLOCKS);
	assert_int_equal(sure(&looks, &few), BLOCKS);
	assert_false(few);
	assert_false(deep_looks_varies(&looks));
	deep_looks_clear(&looks);
}

/* Two runs, each on the path at one of two places, and at the other not. */
static void looks_each_run_has_one_place_ends_at_the_older(void **state)
{
	struct deep_looks looks = {.depth = DEPTH};
	bool few;

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	add_run(&looks, 29, BLOCKS);
	add_run(&looks, 69, BLOCKS);
	/* No stretch is too long that one run alone has. */
	add_run(&looks, 50, BLOCKS);
	add_run(&looks, 50, BLOCKS);
	assert_int_equal(sure(&looks, &few), BLOCKS);
	add_run(&looks, 29, 30);
	assert_false(deep_looks_varies(&looks));
	/* One that saw nothing of the older place is on all of the path, as far as is known. */
	assert_int_equal(sure(&looks, &few), BLOCKS);
	add_run(&looks, 69, 70);
	assert_int_equal(sure(&looks, &few), 70);
	assert_false(few);
	deep_looks_clear(&looks);
}

static void looks_often_different_needs_more_runs(void **state)
{
	struct deep_looks looks = {.depth = DEPTH};
	size_t next[2] = {};
	bool few = false;

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	/* Nobody has seen again what is older than a record. */
	for (size_t i = 0; i < 8; i++)
		add_run(&looks, 40, BLOCKS);
	assert_int_equal(deep_looks_next(&looks, BLOCKS, next, 2), 2);
	assert_int_equal(next[0], DEPTH);
	assert_int_equal(next[1], DEPTH + DEPTH - 1);
	add_run(&looks, 29, 30);
	add_run(&looks, 29, 31);
	assert_true(deep_looks_varies(&looks));
	assert_int_equal(sure(&looks, &few), DEPTH);
	assert_true(few);
	/* No breakpoint may stand there: that is no reason to end. */
	for (size_t i = DEPTH; i < BLOCKS; i++)
		assert_int_equal(deep_looks_tried(&looks, i, false), 0);
	assert_int_equal(sure(&looks, &few), 31);
	assert_false(few);
	assert_int_equal(deep_looks_next(&looks, BLOCKS, next, 2), 0);
	/* What is given up is forgotten, but for the place where that was. */
	deep_looks_cut(&looks, 30);
	assert_false(deep_looks_varies(&looks));
	deep_looks_clear(&looks);
}

/* No run has both places: the next one is to see them both. */
static void looks_places_are_asked_for_together(void **state)
{
	struct deep_looks looks = {.depth = DEPTH};
	size_t next[3] = {};

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	add_run(&looks, 29, 30);
	add_run(&looks, 69, 70);
	/* By turns with what few have seen. */
	assert_int_equal(deep_looks_next(&looks, BLOCKS, next, 3), 3);
	assert_int_equal(next[0], DEPTH - 1);
	add_run(&looks, 29, 30);
	assert_int_equal(deep_looks_next(&looks, BLOCKS, next, 3), 2);
	assert_int_equal(next[0], 30);
	assert_int_equal(next[1], 70);
	assert_int_equal(deep_looks_next(&looks, BLOCKS, next, 1), 1);
	assert_int_equal(next[0], DEPTH - 1);
	for (size_t i = 0; i < BLOCKS; i++)
		if (i != 30 && i != 70)
			assert_int_equal(deep_looks_tried(&looks, i, false), 0);
	assert_int_equal(deep_looks_next(&looks, BLOCKS, next, 3), 2);
	assert_int_equal(next[0], 30);
	assert_int_equal(next[1], 70);
	deep_looks_clear(&looks);
}

/* One run took them all: that needs no other. */
static void looks_one_record_is_sure_whatever_others_do(void **state)
{
	struct deep_looks looks = {.depth = DEPTH};
	bool few = false;

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	add_run(&looks, 29, 5);
	add_run(&looks, 29, 4);
	assert_true(deep_looks_varies(&looks));
	assert_int_equal(sure(&looks, &few), DEPTH);
	deep_looks_clear(&looks);
}

/* Of many runs two that left the path: most have its way, and what most have somewhere else, too.
 */
static void looks_seldom_different_needs_no_more_runs(void **state)
{
	struct deep_looks looks = {.depth = DEPTH};

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	add_run(&looks, 29, 30);
	add_run(&looks, 29, 30);
	for (size_t i = 0; i < 5; i++)
		add_run(&looks, 29, BLOCKS);
	assert_int_equal(deep_looks_seen(&looks, 30), 5);
	assert_true(deep_looks_varies(&looks));
	add_run(&looks, 29, BLOCKS);
	assert_false(deep_looks_varies(&looks));
	deep_looks_clear(&looks);
}

/* The way round a loop, out of all hits of one run: another run may go round it less often. */
static void looks_long_stretch_of_one_run_needs_another(void **state)
{
	struct deep_looks looks = {.depth = DEPTH};
	bool few = false;

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	add_run(&looks, DEPTH, BLOCKS);
	assert_int_equal(sure(&looks, &few), DEPTH);
	assert_true(few);
	add_run(&looks, DEPTH, BLOCKS);
	assert_int_equal(sure(&looks, &few), 2 * DEPTH);
	assert_true(few);
	add_run(&looks, 60, BLOCKS);
	assert_int_equal(sure(&looks, &few), 2 * DEPTH);
	add_run(&looks, 60, BLOCKS);
	assert_int_equal(sure(&looks, &few), BLOCKS);
	assert_false(few);
	deep_looks_clear(&looks);
}

/*
 * What one run took is sure, whatever others do; where its probes do not tell, three have to, and
 * six if any run was seen to leave the path.
 */
static void looks_proven_by_one_run(void **state)
{
	struct deep_looks looks = {.depth = DEPTH, .checked = true};
	struct deep_blind blind[BLOCKS] = {[40] = {.newer = 1}, [70] = {.newer = 1}};
	bool few = false;
	size_t next[3] = {}, branch = 0;

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	/* Nothing is, but the record at the error, of one run. */
	assert_int_equal(sure(&looks, &few), DEPTH);
	assert_true(few);
	assert_int_equal(deep_looks_prove(&looks, 60, blind, true, false), 1);
	assert_int_equal(sure(&looks, &few), 40);
	assert_true(few);
	/* Less than before is no news, but for where the run left the path. */
	assert_int_equal(deep_looks_prove(&looks, 50, blind, true, false), 0);
	assert_false(deep_looks_parted(&looks, 0, &branch));
	assert_int_equal(deep_looks_prove(&looks, 60, blind, true, false), 0);
	assert_int_equal(deep_looks_prove(&looks, 50, blind, true, false), 0);
	assert_true(deep_looks_parted(&looks, 0, &branch) && branch == 50);
	assert_true(deep_looks_parted(&looks, 1, &branch) && branch == 60);
	/* Whether it goes on from the branch before it. */
	assert_int_equal(deep_looks_next(&looks, BLOCKS, next, 3), 1);
	assert_int_equal(next[0], 41);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(deep_looks_next(&looks, BLOCKS, next, 3), 1);
		assert_int_equal(sure(&looks, &few), 40);
		assert_true(few);
		add_run(&looks, 39, BLOCKS);
	}
	assert_int_equal(deep_looks_next(&looks, BLOCKS, next, 3), 0);
	assert_int_equal(sure(&looks, &few), 60);
	assert_false(few);
	/* A run went another way where that one may have, too. */
	assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
	for (size_t i = 0; i < 6; i++)
		add_run(&looks, 69, BLOCKS);
	assert_int_equal(sure(&looks, &few), BLOCKS);
	add_run(&looks, 39, 40);
	assert_int_equal(sure(&looks, &few), 40);
	assert_false(few);
	deep_looks_cut(&looks, 30);
	assert_int_equal(sure(&looks, &few), 30);
	deep_looks_clear(&looks);
	assert_true(looks.checked);
}

/* Three runs have to: what is told of a run that was taken before is that run's. */
static void looks_proven_by_one_run_and_told_of_ranges(void **state)
{
	struct deep_looks looks = {.depth = DEPTH, .checked = true};
	struct deep_blind blind[BLOCKS] = {[40] = {.newer = 1}};
	bool few = false;

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
	looks.number = 7;
	add_run(&looks, 39, BLOCKS);
	assert_int_equal(deep_looks_add_range(&looks, 7, 30, 20), 0);
	assert_int_equal(deep_looks_seen(&looks, 41), 1);
	assert_int_equal(deep_looks_seen(&looks, 30), 1);
	assert_int_equal(deep_looks_add_range(&looks, 8, 41, 1), 0);
	/* That branch alone says nothing of how a run came to it. */
	assert_int_equal(deep_looks_add_range(&looks, 9, 40, 1), 0);
	assert_int_equal(sure(&looks, &few), 40);
	assert_true(few);
	assert_int_equal(deep_looks_add_range(&looks, 0, 41, 1), 0);
	assert_int_equal(sure(&looks, &few), BLOCKS);
	assert_false(few);
	/* Beyond what the run was known to have. */
	assert_int_equal(deep_looks_add_range(&looks, 7, BLOCKS, 5), 0);
	assert_int_equal(deep_looks_seen(&looks, BLOCKS + 4), 1);
	deep_looks_clear(&looks);
}

/* The run took another way than the branches @oldest to @newest of the path, and hit @newer's point
 * or, if that is among these, did not. @switches: other tasks ran so often before the error. */
static void add_run_without(struct deep_looks *looks, size_t newer, size_t newest, size_t oldest,
			    uint32_t switches)
{
	size_t at = BLOCKS - 1 - newer;
	uint64_t points[] = {END(BLOCKS), START(at + 1)};
	struct deep_hit hits[2] = {{.ip = points[1]}, {.ip = points[0], .switches = switches}};
	size_t missing = newer >= newest && newer <= oldest;
	const struct deep_run run = {.points = points,
				     .point_count = 2,
				     .hits = hits + missing,
				     .hit_count = 2 - missing};

	for (size_t i = 0; i < 2; i++) {
		struct deep_record *record = &hits[i].record;
		size_t n = i ? BLOCKS : at + 1;

		/* The newest first, and then turned round. */
		while (record->count < DEPTH) {
			n--;
			if (n <= BLOCKS - 1 - newest && n >= BLOCKS - 1 - oldest)
				continue;
			memmove(record->branches + 1, record->branches,
				record->count++ * sizeof(*record->branches));
			record->branches[0] = path[n];
		}
	}
	assert_int_equal(deep_looks_add(looks, &known, &run, 0), 0);
}

/*
 * The path has two branches or more between the two ways off a fork that no probe tells: a run that
 * goes the other way lacks them, or does not come by the point that was to show the fork.
 */
static void looks_proven_by_one_run_but_others_went_round(void **state)
{
	static const struct {
		size_t newest;
		size_t oldest;
		size_t sure;
	} cases[] = {
		{40, 40, 40},
		{39, 40, 40},
		{30, 40, 40},
		/* The point is between. */
		{20, 40, 40},
		/* As far before the fork as a record goes, and not so far. */
		{41, 45, BLOCKS},
		{10, 20, BLOCKS},
	};
	const struct deep_blind blind[BLOCKS] = {[40] = {.newer = 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct deep_looks looks = {.depth = DEPTH, .checked = true};
		bool few = true;

		assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
		assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
		for (size_t run = 0; run < 3; run++)
			add_run(&looks, 28, BLOCKS);
		assert_int_equal(sure(&looks, &few), BLOCKS);
		add_run_without(&looks, 28, cases[i].newest, cases[i].oldest, 0);
		assert_int_equal(sure(&looks, &few), 40);
		/* Three more have to see that one did not leave the path there by chance. */
		assert_int_equal(few, cases[i].sure != 40);
		for (size_t run = 0; run < 3; run++)
			add_run(&looks, 28, BLOCKS);
		assert_int_equal(sure(&looks, &few), cases[i].sure);
		assert_false(few);
		/* From there on the path may be another one, but the fork is still there. */
		deep_looks_cut(&looks, 40);
		assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
		for (size_t run = 0; run < 6; run++)
			add_run(&looks, 28, BLOCKS);
		assert_int_equal(sure(&looks, &few), cases[i].sure);
		/* Further on it is not. */
		deep_looks_cut(&looks, 15);
		assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
		for (size_t run = 0; run < 6; run++)
			add_run(&looks, 28, BLOCKS);
		assert_int_equal(sure(&looks, &few), BLOCKS);
		deep_looks_clear(&looks);
	}
}

/* Behind such a fork the run may have come back only some branches further on. */
static void looks_proven_but_where_it_may_be_off_the_path(void **state)
{
	const struct deep_blind blind[BLOCKS] = {[40] = {.newer = 6}};
	struct deep_looks looks = {.depth = DEPTH, .checked = true};
	bool few = false;

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
	assert_int_equal(sure(&looks, &few), 35);
	assert_true(few);
	for (size_t i = 0; i < 3; i++)
		add_run(&looks, 39, BLOCKS);
	assert_int_equal(sure(&looks, &few), BLOCKS);
	deep_looks_clear(&looks);
}

/* Or have gone round a loop once more: so has one that is not on the path where that comes to it.
 */
static void looks_proven_but_for_rounds_of_a_loop(void **state)
{
	/* It comes back by the branch to block 53: to the loop, then, or to elsewhere. */
	for (size_t i = 0; i < 3; i++) {
		const struct deep_blind blind[BLOCKS] = {
			[40] = {.newer = 1,
				.older = i ? 5 : 4,
				.loop = path[BLOCKS - 1 - 47].to + (i == 2)}};
		struct deep_looks looks = {.depth = DEPTH, .checked = true};
		bool few = false;

		assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
		assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
		for (size_t run = 0; run < 6; run++)
			add_run(&looks, 39, BLOCKS);
		add_run_without(&looks, 32, 45, 46, 0);
		assert_int_equal(sure(&looks, &few), i == 1 ? 40 : BLOCKS);
		deep_looks_clear(&looks);
	}
}

/* Why it went another way is known then, if the one that proves the path was not rescheduled. */
static void looks_proven_by_one_run_but_one_was_rescheduled(void **state)
{
	const struct deep_blind blind[BLOCKS] = {[40] = {.newer = 1}};
	struct deep_looks looks = {.depth = DEPTH, .checked = true};
	uint64_t points[] = {END(BLOCKS), START(BLOCKS - 28), START(10)};
	struct deep_hit hits[3] = {
		{.ip = points[2]}, {.ip = points[1]}, {.ip = points[0], .switches = 1}};
	const struct deep_run returned = {
		.points = points, .point_count = 3, .hits = hits, .hit_count = 3};
	size_t branch;

	for (unsigned int i = 0; i < 4; i++) {
		bool few = true, proof = i & 1, other = i & 2;

		looks = (struct deep_looks){.depth = DEPTH, .checked = true};

		assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
		assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, proof), 1);
		add_run_without(&looks, 28, 30, 40, other);
		/* Twice as many as elsewhere have to see it. */
		for (size_t run = 0; run < 6; run++) {
			assert_int_equal(sure(&looks, &few), 40);
			assert_int_equal(few, other && !proof);
			add_run(&looks, 28, BLOCKS);
		}
		assert_int_equal(sure(&looks, &few), other && !proof ? BLOCKS : 40);
		assert_false(few);
		deep_looks_clear(&looks);
	}
	/* It was in just that record: whether the run had left the path before is not known. */
	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, true), 1);
	hits[1].record.count = 2;
	hits[1].record.branches[0] = (struct why_branch){END(BLOCKS - 30) - 4, START(BLOCKS - 29)};
	hits[1].record.branches[1] = path[BLOCKS - 29];
	for (uint32_t switches = 0; switches < 2; switches++) {
		hits[1].switches = 1 - switches;
		assert_int_equal(deep_looks_add(&looks, &known, &returned, 0), 0);
		assert_int_equal(deep_looks_contested(&looks, &branch), switches);
	}
	deep_looks_clear(&looks);
}

/* What one run shows by itself stays so when another one shows more, but for a place within that.
 */
static void looks_proven_by_two_runs(void **state)
{
	const struct deep_blind none[BLOCKS] = {}, blind[BLOCKS] = {[40] = {.newer = 6}};
	struct deep_looks looks = {.depth = DEPTH, .checked = true};
	bool few = false;

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
	assert_int_equal(sure(&looks, &few), 35);
	assert_int_equal(deep_looks_prove(&looks, 60, none, true, false), 0);
	assert_int_equal(sure(&looks, &few), 60);
	assert_true(few);
	/* Whatever other runs do. */
	add_run(&looks, 28, 38);
	assert_int_equal(sure(&looks, &few), 60);
	deep_looks_cut(&looks, 50);
	assert_int_equal(sure(&looks, &few), 50);
	deep_looks_clear(&looks);
	assert_int_equal(looks.shown, 0);
}

/* The path takes the other way from there: those that were seen on the old one parted from it. */
static void looks_path_takes_the_other_way(void **state)
{
	const struct deep_blind blind[BLOCKS] = {[40] = {.newer = 1}};
	const struct why_branch gone = {1, 2};
	size_t branch;
	bool few;

	for (unsigned int rescheduled = 0; rescheduled < 2; rescheduled++) {
		struct deep_looks looks = {.depth = DEPTH, .checked = true};

		assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
		assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
		/* One that was on the path there, and left it further back. */
		add_run_without(&looks, 28, 50, 60, rescheduled);
		assert_false(deep_looks_contested(&looks, &branch));
		for (size_t run = 0; run < 3; run++)
			add_run(&looks, 28, 40);
		assert_true(deep_looks_contested(&looks, &branch) && branch == 40);
		/* To see what is older is of no use. */
		assert_int_equal(deep_looks_next(&looks, BLOCKS, &branch, 1), 0);
		assert_int_equal(sure(&looks, &few), 40);
		assert_false(few);
		assert_int_equal(deep_looks_turn(&looks, 40, &gone), 0);
		deep_looks_cut(&looks, 40);
		assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
		assert_int_equal(deep_looks_contested(&looks, &branch), !rescheduled);
		/* Twice as many have to see it where one is known to have gone another way. */
		for (size_t run = 0; run < 6; run++) {
			assert_int_equal(sure(&looks, &few), 40);
			assert_int_equal(few, rescheduled);
			add_run(&looks, 28, BLOCKS);
		}
		assert_int_equal(sure(&looks, &few), rescheduled ? BLOCKS : 40);
		deep_looks_clear(&looks);
	}
}

/*
 * The path was cut there, and goes the same way again: the other way is the rarer one. What runs
 * have seen until then does not count: six have to take the path's, and none the other, from then
 * on.
 */
static void looks_path_takes_the_same_way_again(void **state)
{
	const struct deep_blind blind[BLOCKS] = {[42] = {.newer = 3}};
	size_t branch;
	bool few;

	for (unsigned int other = 0; other < 2; other++) {
		struct deep_looks looks = {.depth = DEPTH, .checked = true};

		assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
		assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
		for (size_t run = 0; run < 8; run++)
			add_run(&looks, 28, BLOCKS);
		for (size_t run = 0; run < 4; run++)
			add_run(&looks, 28, 41);
		assert_true(deep_looks_contested(&looks, &branch) && branch == 42);
		assert_int_equal(sure(&looks, &few), 40);
		assert_int_equal(deep_looks_turn(&looks, 40, &known.branches[BLOCKS - 1 - 40]), 0);
		deep_looks_cut(&looks, 40);
		deep_looks_extended(&looks, &known);
		assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
		assert_false(deep_looks_contested(&looks, &branch));
		for (size_t run = 0; run < 6; run++) {
			assert_int_equal(sure(&looks, &few), 40);
			assert_true(few);
			add_run(&looks, 28, BLOCKS);
		}
		if (other)
			add_run(&looks, 28, 41);
		assert_int_equal(sure(&looks, &few), other ? 40 : BLOCKS);
		deep_looks_clear(&looks);
	}
}

/*
 * Runs were seen to leave the path, which then takes the same way again. Six looks are asked for at
 * each fork all the same.
 */
static void looks_runs_that_left_are_not_forgotten(void **state)
{
	const struct deep_blind blind[BLOCKS] = {[42] = {.newer = 3}, [70] = {.newer = 1}};
	struct deep_looks looks = {.depth = DEPTH, .checked = true};
	bool few;

	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
	for (size_t run = 0; run < 4; run++)
		add_run(&looks, 28, 41);
	assert_int_equal(deep_looks_turn(&looks, 40, &known.branches[BLOCKS - 1 - 40]), 0);
	deep_looks_cut(&looks, 40);
	deep_looks_extended(&looks, &known);
	assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
	for (size_t run = 0; run < 6; run++)
		add_run(&looks, 28, BLOCKS);
	for (size_t run = 0; run < 6; run++) {
		assert_int_equal(sure(&looks, &few), 70);
		assert_true(few);
		add_run(&looks, 60, BLOCKS);
	}
	assert_int_equal(sure(&looks, &few), BLOCKS);
	deep_looks_clear(&looks);
}

/* A run may have left the path only to let others run just before that hit: three looks do. */
static void looks_run_that_was_rescheduled_is_no_departure(void **state)
{
	const struct deep_blind blind[BLOCKS] = {[40] = {.newer = 1}};
	struct deep_looks looks = {.depth = DEPTH, .checked = true};
	uint64_t points[] = {END(BLOCKS), START(BLOCKS - 70), START(BLOCKS - 80)};
	struct deep_hit hits[3] = {{.ip = points[2]},
				   {.ip = points[1], .switches = 1},
				   {.ip = points[0], .switches = 1}};
	const struct deep_run run = {
		.points = points, .point_count = 3, .hits = hits, .hit_count = 3};
	bool few;

	hits[1].record.branches[1] = path[BLOCKS - 71];
	hits[1].record.branches[0] = path[BLOCKS - 72];
	hits[1].record.branches[0].to += 1;
	hits[1].record.count = 2;
	hits[2].record.branches[0] = path[BLOCKS - 1];
	hits[2].record.count = 1;
	assert_int_equal(deep_looks_begin(&looks, DEPTH), 0);
	assert_int_equal(deep_looks_prove(&looks, BLOCKS, blind, false, false), 1);
	assert_int_equal(deep_looks_add(&looks, &known, &run, 0), 0);
	assert_true(looks.varied_count == 1 && !looks.parted_count);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(sure(&looks, &few), 40);
		add_run(&looks, 39, BLOCKS);
	}
	assert_int_equal(sure(&looks, &few), BLOCKS);
	deep_looks_clear(&looks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(looks_runs_that_left_are_not_forgotten, setup),
		cmocka_unit_test_setup(looks_run_that_was_rescheduled_is_no_departure, setup),
		cmocka_unit_test_setup(looks_no_run_differs_all_is_sure, setup),
		cmocka_unit_test_setup(looks_each_run_has_one_place_ends_at_the_older, setup),
		cmocka_unit_test_setup(looks_often_different_needs_more_runs, setup),
		cmocka_unit_test_setup(looks_one_record_is_sure_whatever_others_do, setup),
		cmocka_unit_test_setup(looks_seldom_different_needs_no_more_runs, setup),
		cmocka_unit_test_setup(looks_long_stretch_of_one_run_needs_another, setup),
		cmocka_unit_test_setup(looks_path_takes_the_same_way_again, setup),
		cmocka_unit_test_setup(looks_proven_by_one_run, setup),
		cmocka_unit_test_setup(looks_proven_by_one_run_and_told_of_ranges, setup),
		cmocka_unit_test_setup(looks_proven_but_where_it_may_be_off_the_path, setup),
		cmocka_unit_test_setup(looks_proven_but_for_rounds_of_a_loop, setup),
		cmocka_unit_test_setup(looks_proven_by_one_run_but_others_went_round, setup),
		cmocka_unit_test_setup(looks_proven_by_one_run_but_one_was_rescheduled, setup),
		cmocka_unit_test_setup(looks_path_takes_the_other_way, setup),
		cmocka_unit_test_setup(looks_proven_by_two_runs, setup),
		cmocka_unit_test_setup(looks_places_are_asked_for_together, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
