// SPDX-License-Identifier: GPL-2.0
/* src/why/deep, src/why/proof: with kprobes: does one run take all of the way? */
#include <stdlib.h>
#include <string.h>

#include "../seed.h"
#include "deep_machine.h"
#include "util/cleanup.h"

/*
 * Some of these cases, from one that SEED says; with FULL=1 all. What the ways are is judged
 * without sanitizers, too: with them each takes eight times as long.
 */
#define CASES (3 * 3 * 4 * 2 * 20)
#ifdef __SANITIZE_ADDRESS__
#define CASES_DRAWN (CASES / 10)
#else
#define CASES_DRAWN (CASES / 5)
#endif

static unsigned int up_to_four(unsigned int run)
{
	return 1 + machine_draws(run, 2) + 2 * machine_draws(run + 1000, 2);
}

/* How many runs the search takes up to the entry. */
static unsigned int runs_of_search(void)
{
	machine.runs = 0;
	deep_path_free(machine_find(200, true));
	return machine.runs;
}

/* With kprobes one run is seen to take the path as a whole: nothing is left to chance. */
static void deep_with_kprobes_no_two_runs_are_mixed(void **state)
{
	static unsigned int (*const ways[])(unsigned int) = {each_second, half, each_fifth};
	static const uint32_t depths[] = {4, 16, 32};
	static const unsigned int runs[] = {1, 5, 12, 100};
	/* On the stack of the error; 0: none is. */
	static const unsigned int calls[] = {0, 20, 99, 149, 151, 190, 0};
	const bool full = getenv("FULL") && *getenv("FULL");
	const unsigned int first = full ? 0 : seed_take(stdout, 0) % CASES;
	const unsigned int last = first + (full ? CASES : CASES_DRAWN);
	unsigned int far[2] = {}, all[2] = {};

	machine.kprobes = true;
	for (unsigned int number = first; number < last; number++) {
		const unsigned int i = number % CASES;
		struct deep_path *path;

		machine.runs = 0;
		machine.ways = ways[i % 3];
		machine.depth = depths[i / 3 % 3];
		machine.pairs = i / 36 % 2;
		machine.rounds = i / 72 % 2 ? up_to_four : NULL;
		machine.calls = calls[i % ARRAY_SIZE(calls)];
		machine_seed = i;
		path = machine_find(runs[i / 9 % 4], true);
		assert_true(machine_took_all(path));
		assert_true(path->entry || path->gap.text[0]);
		if (runs[i / 9 % 4] == 100 && machine.depth > 4) {
			all[!!machine.rounds]++;
			far[!!machine.rounds] += path->entry;
		}
		deep_path_free(path);
	}
	/* Of eight ways, each as often as the others, a run takes the path's now and then. */
	assert_true(far[0] * 10 >= all[0] * 9);
	assert_true(far[1] * 2 >= all[1]);
}

/* What is the same in each run needs one run more. */
static void deep_with_kprobes_the_same_in_each_run(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	machine.kprobes = true;
	for (size_t i = 0; i < 3; i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		assert_string_equal(path->unchecked.text, "");
		deep_path_free(path);
		assert_true(machine.runs < 1 + (BLOCKS + 2) / (depths[i] - 3));
	}
}

/* Those kept for checks get further, too, when one check was enough. */
static void deep_with_kprobes_no_run_is_left_over(void **state)
{
	struct deep_path *path;
	unsigned int least;

	machine.kprobes = true;
	machine.depth = 16;
	least = runs_of_search();
	machine.runs = 0;
	path = machine_find(least + 1, true);
	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
	/* The number in the reason is that of the runs. */
	machine.runs = 0;
	path = machine_find(least - 2, true);
	assert_false(path->entry);
	assert_in_range(machine.runs, least - 3, least - 2);
	assert_int_equal(strtoul(strpbrk(path->gap.text, "0123456789"), NULL, 10), machine.runs);
	deep_path_free(path);
}

/* What it took 300 seconds to find is not given up because no time is left to check it. */
static void deep_with_kprobes_time_is_left_to_check(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 16;
	machine.seconds = 40;
	path = machine_find(100, true);
	assert_false(path->entry);
	assert_string_equal(path->gap.text, "300 seconds were over");
	assert_path(path, BLOCKS + 1 - path->count);
	assert_true(path->count > 16 + 7 * 12);
	assert_int_equal(machine.runs, 9);
	deep_path_free(path);
}

static unsigned int first_six(unsigned int run)
{
	return run < 6;
}

/* That no run was seen to take it has a reason: none was made for that. */
static void deep_with_kprobes_no_time_to_check_is_said(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 16;
	/* In the middle, and where the entry is reached: then there is no time for a check. */
	for (machine.slow = 8; machine.slow < 20; machine.slow++) {
		machine.runs = 0;
		machine.now = 0;
		path = machine_find(100, true);
		if (machine.told)
			break;
		assert_int_equal(machine.runs, machine.slow);
		assert_false(path->entry);
		assert_string_equal(path->gap.text,
				    "300 seconds were over; further back it was not checked that "
				    "one run took it");
		assert_path(path, BLOCKS + 1 - path->count);
		deep_path_free(path);
	}
	assert_true(machine.slow > 10 && machine.slow < 20);
	assert_true(path->entry);
	deep_path_free(path);
}

/* In each run of the search: to get further, and to check. What is shown, and why it ends, holds.
 */
static void deep_a_run_that_fails_ends_it(void **state)
{
	static const struct {
		int error;
		const char *reason;
	} cases[] = {{-EINTR, "interrupted"}, {-EAGAIN, "cannot run x"}};

	machine.depth = 16;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const char *reason = cases[i / 2].reason;
		struct deep_path *path;
		unsigned int whole;

		machine.kprobes = i % 2;
		machine.fails = 0;
		whole = runs_of_search();
		machine.error = cases[i / 2].error;
		for (machine.fails = 1; machine.fails <= whole; machine.fails++) {
			machine.runs = 0;
			path = machine_find(200, true);
			assert_int_equal(machine.runs, machine.fails);
			assert_path(path, BLOCKS + 1 - path->count);
			/* It was to see once more what no run was seen to leave. */
			if (path->entry) {
				assert_false(machine.kprobes);
				assert_int_equal(path->count, BLOCKS + 1);
				assert_string_equal(path->gap.text, "");
				deep_path_free(path);
				continue;
			}
			assert_memory_equal(path->gap.text, reason, strlen(reason));
			assert_true(!path->gap.text[strlen(reason)] ||
				    strstr(path->gap.text, "; further back it was not checked"));
			deep_path_free(path);
		}
	}
}

/* The first six runs go a way that no other goes. Those that are left take the other to its end. */
static void deep_with_kprobes_the_last_runs_go_on(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.ways = first_six;
	path = machine_find(20, true);
	assert_true(machine_took_all(path));
	assert_true(path->entry);
	deep_path_free(path);
}

/*
 * A breakpoint that a kprobe's own program comes by stops the LBR, and the next record is an old
 * one. With kprobes in the place of breakpoints the run is seen to take the path.
 */
static void deep_with_kprobes_records_do_not_show_it(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	machine.kprobes = true;
	machine.stale = true;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		deep_path_free(path);
	}
}

static unsigned int parting;

static unsigned int first_ones(unsigned int run)
{
	return run < parting;
}

/*
 * The check at the entry finds that no run goes that way any more: what is older is found again,
 * from the middle of a record on. Four entries do not join there without a breakpoint behind the
 * target, and that of the run before is off the path.
 */
static void deep_of_four_entries_goes_on_where_the_path_was_cut(void **state)
{
	struct deep_path *path;
	unsigned int plain;

	machine.kprobes = true;
	machine.depth = 4;
	plain = runs_of_search();
	machine.ways = first_ones;
	for (parting = 11; parting < 14; parting++) {
		machine.runs = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		assert_true(machine_took_all(path));
		/* The whole way twice, and four checks that leave it instead of one. */
		assert_true(machine.runs <= 2 * plain + 3);
		deep_path_free(path);
	}
}

/* Where the kernel allows no kprobe, runs that see it again have to do. */
static void deep_with_kprobes_but_not_everywhere(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.blind = OLDER - 2;
	machine.blind_end = OLDER + 2;
	path = machine_find(200, true);
	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
	/*
	 * With few runs the path ends there: it can be left at LOOP, for all that is known, and the
	 * kprobe behind the blocks that have none does not tell which branch led to it.
	 */
	machine.depth = 16;
	machine.blind = LOOP - 2;
	machine.blind_end = LOOP + 2;
	machine.runs = 0;
	path = machine_find(9, true);
	assert_false(path->entry);
	assert_non_null(strstr(path->gap.text, "too few runs were seen"));
	assert_path(path, LOOP + 3);
	deep_path_free(path);
}

/* The run with kprobes takes records where none may stand: no other run has to see that again. */
static void deep_with_kprobes_but_not_where_records_tell(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	machine.kprobes = true;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		unsigned int alone;

		machine.depth = depths[i];
		for (machine.untraced = 0; machine.untraced < BLOCKS;
		     machine.untraced += machine.untraced ? NEWER - LOOP : LOOP) {
			struct deep_path *path;

			machine.runs = 0;
			path = machine_find(200, true);
			assert_true(path->entry);
			assert_path(path, 0);
			if (!machine.untraced)
				alone = machine.runs;
			assert_int_equal(machine.runs, alone);
			deep_path_free(path);
		}
	}
	machine.untraced = 0;
}

/* What the first check did not tell is seen before others get further: else all behind it is lost.
 */
static void deep_with_kprobes_looks_come_before_more_of_the_path(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 4;
	machine.blind = NEWER - 2;
	machine.blind_end = NEWER + 2;
	path = machine_find(36, true);
	assert_true(path->count > BLOCKS - NEWER + 50);
	assert_path(path, BLOCKS + 1 - path->count);
	deep_path_free(path);
}

/* Where no breakpoint may stand nothing tells; further back runs see the path again as before. */
static void deep_with_kprobes_looks_where_no_breakpoint_may_stand(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.depth = 4;
	/* Nothing shows whether the branch at NEWER was taken, and the first check ends before
	 * OLDER. */
	machine.blind = NEWER - 2;
	machine.blind_end = NEWER + 2;
	machine.blind_too = OLDER;
	machine.unwatched = NEWER + 2;
	machine.unwatched_end = NEWER + 4;
	path = machine_find(48, true);
	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
}

/* Where everybody comes by, kprobes are armed for one run alone, and not until its end. */
static void deep_with_kprobes_that_all_tasks_hit(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	machine.others_pass = 400000;
	path = machine_find(200, true);
	assert_true(path->entry);
	assert_true(machine.told > 0);
	deep_path_free(path);
	machine.runs = machine.told = 0;
	machine.passed = 0;
	machine.others_pass = 600000;
	path = machine_find(200, true);
	/* Once while the error had one, once while the path was to be checked. */
	assert_int_equal(machine.passed, 2 * machine.others_pass);
	assert_int_equal(machine.told, 0);
	assert_true(path->entry);
	assert_path(path, 0);
	assert_string_equal(path->unchecked.text, "other tasks execute its probes too often");
	deep_path_free(path);
}

/* The first ones are hit while the others are armed, which may take longer than the run. */
static void deep_with_kprobes_that_all_tasks_hit_while_they_are_armed(void **state)
{
	struct deep_path *path;

	machine.kprobes = true;
	path = machine_find(200, true);
	assert_true(machine.told > 0 && machine.most_probed > 1);
	deep_path_free(path);
	machine.runs = machine.told = 0;
	machine.most_probed = 0;
	machine.others_pass_armed = 600000;
	path = machine_find(200, true);
	assert_int_equal(machine.most_probed, 1);
	assert_int_equal(machine.told, 0);
	assert_true(path->entry);
	assert_path(path, 0);
	deep_path_free(path);
}

/*
 * The error can have no kprobe; and once, when the path is to be checked, no breakpoint. Without a
 * hit there, the other breakpoints show nothing: no run is made with them, and what other runs saw
 * of the path is not given up.
 */
static void deep_check_without_a_probe_at_the_error(void **state)
{
	static const uint32_t depths[] = {4, 16};

	machine.kprobes = true;
	machine.blind = BLOCKS;
	machine.blind_end = BLOCKS + 1;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;
		unsigned int checked;

		machine.depth = depths[i];
		machine.runs = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		assert_string_equal(path->unchecked.text, "");
		checked = machine.runs;
		deep_path_free(path);
		/* The last of these runs was the check. */
		for (int few = 0; few < 2; few++) {
			machine.runs = 0;
			machine.taken = checked - 1;
			path = machine_find(few ? checked : 200, true);
			assert_int_equal(machine.taken, 0);
			assert_string_equal(path->gap.text, "");
			assert_true(path->entry);
			assert_path(path, 0);
			assert_string_equal(path->unchecked.text,
					    "the probes for that could not be had");
			deep_path_free(path);
		}
	}
}

/* Another point leads further. */
static void deep_point_whose_hits_are_lost(void **state)
{
	static const uint32_t depths[] = {4, 32};

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		machine.lost = 0;
		/* The first point of the second run. */
		machine.losing = BLOCKS - depths[i] + (depths[i] > 4 ? 3 : 0);
		path = machine_find(200, true);
		assert_true(machine.lost > 0);
		assert_true(path->entry);
		assert_path(path, 0);
		deep_path_free(path);
	}
}

/* The entry of the function that the path begins in has a breakpoint, too: it is left out. */
static void deep_function_whose_entry_loses_hits(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		machine.lost = 0;
		machine.losing = (BLOCKS - depths[i]) / 10 * 10;
		path = machine_find(200, true);
		assert_true(machine.lost > 0);
		assert_true(path->entry);
		assert_path(path, 0);
		deep_path_free(path);
	}
}

static bool most(unsigned int run)
{
	return run % 4 != 3;
}

/* One of four runs comes by, and leads no further: four others in all are none in a row. */
static void deep_calls_that_fail_now_and_then(void **state)
{
	struct deep_path *path;

	machine.waits = 120;
	machine.silent = most;
	path = machine_find(200, true);
	assert_string_equal(path->gap.text, "there the call waited, and another task ran");
	assert_path(path, BLOCKS + 4 - path->count);
	deep_path_free(path);
}

static bool third(unsigned int run)
{
	return run == 3;
}

/* A run without the call says nothing of the kprobe at the error: the next ones have it, too. */
static void deep_run_without_the_call_leaves_kprobes_at_the_error(void **state)
{
	static const uint32_t depths[] = {16, 32};

	machine.kprobes = true;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		unsigned int plain;

		machine.depth = depths[i];
		for (int missing = 0; missing < 2; missing++) {
			struct deep_path *path;

			machine.silent = missing ? third : NULL;
			machine.runs = machine.plain_runs = 0;
			path = machine_find(200, true);
			assert_true(path->entry);
			assert_path(path, 0);
			deep_path_free(path);
			if (!missing)
				plain = machine.plain_runs;
			/* That run had one, too. */
			assert_true(plain > 2);
			assert_int_equal(machine.plain_runs, plain + (unsigned int)missing);
		}
	}
}

/* The call fails, and its kprobe at the error does not say so: breakpoints do it. */
static void deep_kprobe_at_the_error_that_is_not_told(void **state)
{
	static const uint32_t depths[] = {16, 32};

	machine.kprobes = true;
	machine.mute = true;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = machine.plain_runs = 0;
		path = machine_find(200, true);
		assert_string_equal(path->gap.text, "");
		assert_true(path->entry);
		assert_path(path, 0);
		assert_int_equal(machine.plain_runs, 1);
		deep_path_free(path);
	}
}

/* What each kprobe's handling executes has neither kprobes nor, beside those, breakpoints. */
static void deep_with_kprobes_whose_handling_comes_by(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};

	machine.kprobes = true;
	machine.handler = 150;
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct deep_path *path;

		machine.depth = depths[i];
		machine.runs = 0;
		machine.told = 0;
		path = machine_find(200, true);
		assert_true(path->entry);
		assert_path(path, 0);
		assert_true(machine.told > 0);
		deep_path_free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(deep_with_kprobes_whose_handling_comes_by,
						setup_handler, teardown),
		TEST(deep_with_kprobes_no_two_runs_are_mixed),
		TEST(deep_with_kprobes_the_same_in_each_run),
		TEST(deep_with_kprobes_no_run_is_left_over),
		TEST(deep_with_kprobes_time_is_left_to_check),
		TEST(deep_with_kprobes_no_time_to_check_is_said),
		TEST(deep_a_run_that_fails_ends_it),
		TEST(deep_with_kprobes_the_last_runs_go_on),
		TEST(deep_with_kprobes_records_do_not_show_it),
		TEST(deep_of_four_entries_goes_on_where_the_path_was_cut),
		TEST(deep_with_kprobes_but_not_everywhere),
		TEST(deep_with_kprobes_but_not_where_records_tell),
		TEST(deep_with_kprobes_looks_come_before_more_of_the_path),
		TEST(deep_with_kprobes_looks_where_no_breakpoint_may_stand),
		TEST(deep_with_kprobes_that_all_tasks_hit),
		TEST(deep_with_kprobes_that_all_tasks_hit_while_they_are_armed),
		TEST(deep_check_without_a_probe_at_the_error),
		TEST(deep_point_whose_hits_are_lost),
		TEST(deep_function_whose_entry_loses_hits),
		TEST(deep_calls_that_fail_now_and_then),
		TEST(deep_run_without_the_call_leaves_kprobes_at_the_error),
		TEST(deep_kprobe_at_the_error_that_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
