// SPDX-License-Identifier: GPL-2.0
/* src/why/deep: which points get breakpoints, and what comes of it */
#include <stdlib.h>
#include <string.h>

#include "deep_machine.h"
#include "util/cleanup.h"

static void deep_same_in_each_run_reaches_the_entry(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	for (size_t i = 0; i < 3; i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		assert_string_equal(path->gap.text, "");
		assert_path(path, 0);
		assert_true(machine.most_armed <= BREAKS);
		assert_string_equal(path->unchecked.text,
				    "the kernel has no kprobes, or they are switched off");
		assert_int_equal(path->other_way, 0);
		deep_path_free(path);
	}
}

/* Two records a run, as long as the path has not come to the call. */
static void deep_follows_the_calls_on_the_stack(void **state)
{
	static const unsigned int calls[] = {190, 100, 20};
	unsigned int alone, saved = 0;
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 16;
	deep_path_free(machine_find(200, true));
	alone = machine.runs;
	/* 13 branches more for each, were nothing guessed, and one run to check it. */
	assert_true(alone < 1 + BLOCKS / 13);
	assert_int_equal(machine.most_plain, 1);
	for (size_t i = 0; i < 3; i++) {
		machine.calls = calls[i];
		machine.runs = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		assert_true(machine.most_armed <= BREAKS);
		assert_true(machine.runs <= alone);
		saved += alone - machine.runs;
		deep_path_free(path);
	}
	/* The functions of this machine are straight: what it comes by before is guessed right,
	 * too. */
	assert_true(saved > 0);
	assert_int_equal(machine.most_plain, 2);
	machine.most_plain = 0;
	/* Without kprobes nothing tells whether one run took both ways. */
	machine.kprobes = false;
	machine.calls = 100;
	machine.runs = 0;
	path = machine_find(200, true);
	assert_int_equal(machine.most_plain, 0);
	assert_true(path->entry);
	for (size_t i = 0; i < path->segment_count; i++)
		assert_int_not_equal(path->segments[i].point, END(100));
	deep_path_free(path);
}

static unsigned int later(unsigned int run)
{
	return run > 0;
}

/* A call that everybody comes by, whose hits are lost, or for which no register is left. */
static void deep_calls_that_are_no_help(void **state)
{
	static const unsigned int calls[] = {20, 100, 190, 199};
	unsigned int alone;

	machine.kprobes = true;
	machine.depth = 16;
	deep_path_free(machine_find(200, true));
	alone = machine.runs;
	for (size_t i = 0; i < 16; i++) {
		struct deep_path *path;

		machine.calls = calls[i % 4];
		machine.hot = i / 4 == 0 ? END(machine.calls) : 0;
		machine.losing = i / 4 == 1 ? machine.calls : 0;
		machine.free = i / 4 == 2 ? 3 : 0;
		machine.runs = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		assert_true(machine.runs <= alone + (i / 4 == 2 ? 8 : 3));
		deep_path_free(path);
	}
	/* It stands within the first record; then the runs take another way. */
	machine.at_the_end = true;
	machine.ways = later;
	for (size_t i = 0; i < 4; i++) {
		struct deep_path *path;

		machine.calls = (unsigned int[]){190, 197, 198, 199}[i];
		machine.runs = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		assert_true(machine.runs < 20);
		deep_path_free(path);
	}
}

static void deep_runs_are_over_is_said(void **state)
{
	struct deep_path *path = machine_find(2, true);

	assert_false(path->entry);
	assert_int_equal(machine.runs, 2);
	assert_string_equal(path->gap.text, "all 2 runs were made");
	assert_path(path, BLOCKS + 1 - path->count);
	assert_true(path->count > 2 * 29 + 31);
	deep_path_free(path);
}

/* The run that found the place had no breakpoint there. */
static void deep_begins_with_a_record_of_its_own(void **state)
{
	struct deep_path *path = machine_find(200, false);

	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
}

/* AND behind SBB, say: what it does behind the error is none. */
static void deep_instruction_without_an_error_is_not_the_end(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct deep_path *path;

		machine.ones = PTREG_AX;
		machine.kprobes = i & 1;
		machine.runs = 0;
		path = machine_find(200, i & 2);
		assert_string_equal(path->gap.text, "");
		assert_true(path->entry);
		assert_path(path, 0);
		deep_path_free(path);
	}
}

static unsigned int not_the_first(unsigned int run)
{
	return run > 0;
}

/* The error is explained as the first run made it; no other comes there like that. */
static void deep_of_another_call_than_the_one_explained_is_said(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i / 2];
		machine.kprobes = i % 2;
		machine.at_the_end = true;
		machine.ways = not_the_first;
		machine.runs = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		/* Numbered from the answer's third run on. */
		assert_int_equal(path->other_way, path->segments[0].run);
		assert_in_range(path->other_way, 4, 3 + machine.runs);
		assert_true(machine_took_all(path));
		deep_path_free(path);
		/* What a kprobe took has no branches to compare. */
		machine.runs = 0;
		path = machine_find(200, false);
		assert_true(path->entry);
		assert_int_equal(path->other_way, 0);
		deep_path_free(path);
	}
}

/* Of the record that the path begins with, too. */
static void deep_tells_what_it_cut_out(void **state)
{
	struct deep_record record = {.branches = {{START(1), START(2)}, {START(3), START(4)}},
				     .count = 2,
				     .interrupts = {ENTRY + 0x80, ENTRY},
				     .interrupt_at = {1, 0},
				     .interrupt_count = 2};
	struct deep_path *path = calloc(1, sizeof(*path));

	assert_non_null(path);
	for (unsigned int run = 7; run < 9; run++) {
		assert_int_equal(deep_path_begin(path, &record, run), 0);
		assert_int_equal(path->interrupt_count, 2);
		assert_true(path->interrupts[0].entry == ENTRY + 0x80);
		assert_int_equal(path->interrupts[0].newer, 1);
		assert_int_equal(path->interrupts[0].run, run);
		assert_false(path->interrupts[0].rescheduled);
		assert_true(path->interrupts[1].entry == ENTRY);
		assert_int_equal(path->interrupts[1].newer, 0);
	}
	deep_path_free(path);
}

/* With four entries nothing joins a record of one branch: another run's is taken. */
static void deep_begins_again_if_interrupted(void **state)
{
	static const uint32_t depths[] = {4, 32};

	for (size_t i = 0; i < 2; i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		machine.interrupted = 2;
		path = machine_find(200, true);
		assert_string_equal(path->gap.text, "");
		assert_true(path->entry);
		machine.interrupted = 0;
		assert_path(path, 0);
		deep_path_free(path);
	}
}

/* In each run: what there is is told, with a reason. */
static void deep_always_interrupted_is_said(void **state)
{
	struct deep_path *path;

	machine.depth = 4;
	machine.interrupted = 200;
	path = machine_find(200, true);
	assert_false(path->entry);
	assert_int_equal(path->count, 1);
	assert_true(path->gap.text[0]);
	assert_true(machine.runs < 10);
	deep_path_free(path);
}

static void deep_other_ways_end_where_they_part(void **state)
{
	static struct why_branch all[2 * BLOCKS];
	struct deep_path *path;
	bool found = false;

	machine.other = 100;
	path = machine_find(200, true);
	assert_false(path->entry);
	assert_non_null(strstr(path->gap.text, "the runs go different ways"));
	/* Of what differs it has what one run took. */
	for (unsigned int run = 0; run <= machine.runs && !found; run++) {
		size_t total = machine_execution(run, all);

		found = path->count < total && !memcmp(path->branches, all + total - path->count,
						       path->count * sizeof(*all));
	}
	assert_true(found);
	assert_true(path->count >= BLOCKS - 102 && path->count < BLOCKS - 30);
	deep_path_free(path);
}

/*
 * Which way the runs take at one place they take at another, too: each joint of two runs is right
 * between the places, and no run takes what they give together. add_key() is such a call: how often
 * it draws a serial number, and where that goes into a tree.
 */
static void deep_runs_are_not_mixed(void **state)
{
	static unsigned int (*const ways[])(unsigned int) = {each_second, half, each_fifth};
	static const uint32_t depths[] = {16, 32};
	const unsigned int cases = 3 * 2 * 100;
	unsigned int mixed = 0, far = 0;

	for (unsigned int i = 0; i < cases; i++) {
		struct deep_path *path;
		bool right;

		machine.runs = 0;
		machine.ways = ways[i % 3];
		machine.depth = depths[i / 3 % 2];
		machine_seed = i;
		path = machine_find(100, true);
		right = machine_took_all(path);
		/* Either way is seen in any two runs. */
		assert_true(right || machine.ways != each_second);
		mixed += !right;
		far += path->entry;
		assert_true(path->entry || strstr(path->gap.text, "the runs"));
		deep_path_free(path);
	}
	/* Who looks at few places in few runs can miss one by chance. Without a look: 4 of 10. */
	assert_true(mixed * 25 <= cases);
	assert_true(far * 2 >= cases);
}

static void deep_another_task_ends_it(void **state)
{
	struct deep_path *path;

	machine.waits = 120;
	path = machine_find(200, true);
	assert_false(path->entry);
	assert_string_equal(path->gap.text, "there the call waited, and another task ran");
	/* The branch back to where it waited is the oldest one that is its own. */
	assert_int_equal(path->branches[0].from, END(120));
	assert_path(path, BLOCKS + 4 - path->count);
	assert_true(machine.runs < 20);
	deep_path_free(path);
}

/* The same without what these calls do. */
static void assert_path_without(const struct deep_path *path, unsigned int sleeps,
				unsigned int wakes)
{
	static struct why_branch all[2 * BLOCKS];

	machine.sleeps = machine.wakes = 0;
	assert_int_equal(path->count, machine_execution(0, all));
	assert_memory_equal(path->branches, all, path->count * sizeof(*all));
	assert_int_equal(path->interrupt_count, !!sleeps + !!wakes);
	for (size_t i = 0; i < path->interrupt_count; i++) {
		const struct deep_interrupt *cut = &path->interrupts[i];
		bool woke = wakes && cut->newer == BLOCKS - wakes;

		assert_true(cut->rescheduled);
		assert_int_equal(cut->woke, woke);
		assert_true(cut->entry == (woke ? WAKE : SCHED));
		assert_int_equal(cut->newer, BLOCKS - (woke ? wakes : sleeps));
	}
}

static bool each_third(unsigned int run)
{
	return run % 3 == 0;
}

static void deep_goes_on_before_a_wait(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	/* The points around block SHARED, before the calls, are hit in them, too. */
	for (size_t i = 0; i < 9; i++) {
		unsigned int sleeps = i % 3 != 1 ? 120 : 0, wakes = i % 3 ? 110 : 0;
		struct deep_path *path;

		machine.depth = depths[i / 3];
		machine.runs = 0;
		machine.kprobes = true;
		machine.sleeps = sleeps;
		machine.wakes = wakes;
		/* What a call did that did not wait is of the path: with few entries it takes over.
		 */
		machine.awake = i == 6 ? each_third : NULL;
		path = machine_find(1000, true);
		assert_string_equal(path->gap.text, "");
		assert_true(path->entry);
		assert_path_without(path, sleeps, wakes);
		deep_path_free(path);
	}
}

/* Nothing tells what is hit in the wait: it is not crossed. */
static void deep_without_kprobes_a_wait_ends_it(void **state)
{
	struct deep_path *path;

	machine.sleeps = 120;
	path = machine_find(200, true);
	assert_false(path->entry);
	assert_int_equal(path->count, BLOCKS - 120);
	assert_int_equal(path->branches[0].from, END(120));
	assert_non_null(strstr(path->gap.text, "there the scheduler was called"));
	deep_path_free(path);
}

static void deep_no_breakpoint_allowed_is_said(void **state)
{
	struct deep_path *path;

	machine.refused = true;
	path = machine_find(200, true);
	assert_false(path->entry);
	assert_true(path->gap.text[0]);
	assert_path(path, BLOCKS + 1 - path->count);
	/* The record at the first block that may have one. */
	assert_int_equal(path->branches[0].from, END(FORBIDDEN - 32));
	deep_path_free(path);
}

/* Nothing was run, or no run told anything: it is not said that the call did not fail again. */
static void deep_without_a_first_record_says_why(void **state)
{
	static const struct {
		bool busy;
		unsigned int losing;
		uint64_t point_hits;
		unsigned int runs;
		const char *reason;
	} cases[] = {
		{true, 0, 0, 0,
		 "no breakpoint could be had there: the kernel allows none, or others use the "
		 "debug registers (-v says more)"},
		{false, BLOCKS, 0, 4, "hits of the breakpoints were lost in 4 runs"},
		{false, 0, 60000, 4,
		 "the breakpoints were hit too often, and taken away for the machine's sake in 4 "
		 "runs"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct deep_path *path;

		machine.runs = 0;
		machine.busy = cases[i].busy;
		machine.losing = cases[i].losing;
		machine.point_hits = cases[i].point_hits;
		path = machine_find(200, false);
		assert_int_equal(path->count, 0);
		assert_int_equal(machine.runs, cases[i].runs);
		assert_string_equal(path->gap.text, cases[i].reason);
		deep_path_free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(deep_same_in_each_run_reaches_the_entry),
		TEST(deep_follows_the_calls_on_the_stack),
		TEST(deep_calls_that_are_no_help),
		TEST(deep_runs_are_over_is_said),
		TEST(deep_begins_with_a_record_of_its_own),
		TEST(deep_instruction_without_an_error_is_not_the_end),
		TEST(deep_tells_what_it_cut_out),
		TEST(deep_of_another_call_than_the_one_explained_is_said),
		TEST(deep_begins_again_if_interrupted),
		TEST(deep_always_interrupted_is_said),
		TEST(deep_other_ways_end_where_they_part),
		TEST(deep_runs_are_not_mixed),
		TEST(deep_another_task_ends_it),
		TEST(deep_no_breakpoint_allowed_is_said),
		TEST(deep_without_a_first_record_says_why),
		TEST(deep_goes_on_before_a_wait),
		TEST(deep_without_kprobes_a_wait_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
