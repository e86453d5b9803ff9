// SPDX-License-Identifier: GPL-2.0
/* src/why/deep: the way to a place that the user names */
#include <stdlib.h>
#include <string.h>

#include "deep_machine.h"
#include "util/cleanup.h"

static unsigned int always_two(unsigned int run)
{
	return 2;
}

/* Of a place that the user names. */
static struct answer find_place(const struct deep_place *place, unsigned int runs)
{
	const struct deep_options opts = {.runs = runs, .place = place, .progress = machine_told};
	const struct probes_options probes_opts = {.symbols = machine.symbols,
						   .kprobes = machine.kprobes};
	struct probes probes = {.opts = &probes_opts,
				.text = {.read = machine_read_code},
				.events = (void *)&probes};
	struct answer answer = {.has_lbr = true, .place = "there"};
	const struct command command = {};
	struct errmsg msg = {};

	assert_int_equal(deep_find(&opts, &command, &probes, &answer, &msg), 0);
	assert_int_equal(machine.armed_count + machine.probed_count, 0);
	assert_true(machine.ends == (answer.call ? 1 : place->end_count));
	assert_true(machine.end == (answer.call ? answer.site.addr : place->ends[0]));
	assert_int_equal(answer.runs, machine.runs);
	assert_int_equal(answer.deep->runs, machine.runs);
	assert_true(machine.runs <= runs);
	assert_int_equal(answer.status, 1 << 8);
	assert_int_equal(machine.loud, 1);
	return answer;
}

/* The call goes on behind it, and passes. Each end can be the one: it is the one hit last. */
static void deep_place_in_a_call_that_passes(void **state)
{
	static const uint32_t depths[] = {4, 16, 32};
	const struct deep_place place = {.ends = {END(NEWER), END(OLDER), END(BLOCKS) + 0x80},
					 .end_count = 3,
					 .errors = true};

	for (size_t i = 0; i < 6; i++) {
		static struct why_branch all[2 * BLOCKS];
		struct answer answer;

		machine.depth = depths[i % 3];
		machine.runs = machine.loud = 0;
		machine.passes = true;
		machine.kprobes = i >= 3;
		answer = find_place(&place, 200);
		machine_execution(0, all);
		assert_int_equal(answer.state, ORIGIN_PLACE);
		assert_true(answer.site.addr == END(NEWER));
		assert_false(answer.returned);
		assert_non_null(answer.call);
		assert_int_equal(answer.call->err, 0);
		assert_int_equal(answer.call->result, 3);
		assert_true(answer.deep->entry);
		assert_string_equal(answer.deep->gap.text, "");
		assert_int_equal(answer.deep->count, NEWER + 1);
		assert_memory_equal(answer.deep->branches, all, (NEWER + 1) * sizeof(*all));
		answer_deinit(&answer);
	}
}

/* Kprobes have to do without other breakpoints, but not without the one that has registers. */
static void deep_place_whose_other_breakpoints_tell_nothing(void **state)
{
	const struct deep_place place = {
		.ends = {END(NEWER)}, .end_count = 1, .returns = true, .errors = true};
	static struct why_branch all[2 * BLOCKS];
	struct answer answer;

	machine.depth = 16;
	machine.kprobes = true;
	machine.stale = true;
	machine.passes = true;
	machine.place = place.ends[0];
	machine.failing = 1;
	answer = find_place(&place, 200);
	machine_execution(0, all);
	assert_string_equal(answer.deep->gap.text, "");
	assert_true(answer.deep->entry);
	assert_int_equal(answer.deep->count, NEWER + 1);
	assert_memory_equal(answer.deep->branches, all, (NEWER + 1) * sizeof(*all));
	answer_deinit(&answer);
}

/* A function that returns an error, and then, in the same call, once more without one. */
static void deep_place_behind_the_last_error_is_not_on_the_way(void **state)
{
	const struct deep_place place = {
		.ends = {START(LOOP) + 0x10}, .end_count = 1, .returns = true, .errors = true};

	for (int i = 0; i < 2; i++) {
		static struct why_branch all[2 * BLOCKS];
		struct answer answer;

		machine.runs = machine.loud = 0;
		machine.rounds = always_two;
		machine.place = place.ends[0];
		machine.failing = 1;
		machine.kprobes = i;
		answer = find_place(&place, 200);
		machine_execution(0, all);
		assert_true(answer.returned);
		assert_true(answer.value == -2);
		assert_string_equal(answer.deep->gap.text, "");
		assert_true(answer.deep->entry);
		/* Of three times the first. */
		assert_int_equal(answer.deep->count, LOOP + 1);
		assert_memory_equal(answer.deep->branches, all, (LOOP + 1) * sizeof(*all));
		answer_deinit(&answer);
	}
}

static void deep_place_why_it_is_not_found(void **state)
{
	static const struct {
		uint64_t end;
		uint64_t all;
		uint64_t outside;
		bool returns;
		const char *reason;
		bool endless;
		unsigned int failing;
	} cases[] = {
		{END(BLOCKS) + 0x80, 0, 0, false, "it was not executed while the command ran"},
		{END(BLOCKS) + 0x80, 5, 0, false, "it was executed, but not by the command"},
		{END(BLOCKS) + 0x80, 5, 2, false,
		 "it was executed 2 times while the command had the CPU, but not on the stack"},
		{END(OLDER), 1, 0, true,
		 "it returned 1 time in the command's system calls, but no error"},
		{END(OLDER), 1, 0, true,
		 "it returned 1 time in the command's system calls, but no error", true},
		{END(OLDER), 1, 0, true,
		 "the command executed it in a system call that did not come to its end", true, 1},
		{END(OLDER), 1, 0, false,
		 "the command executed it in a system call that did not come to its end", true},
		{END(OLDER), 60000, 0, false, "it was executed too often"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct deep_place place = {.ends = {cases[i].end},
						 .end_count = 1,
						 .returns = cases[i].returns,
						 .errors = true};
		struct answer answer;

		machine.runs = machine.loud = 0;
		machine.point_hits = cases[i].all;
		machine.outside = cases[i].outside;
		machine.endless = cases[i].endless;
		machine.failing = cases[i].failing;
		machine.place = cases[i].end;
		answer = find_place(&place, 200);
		assert_null(answer.call);
		assert_int_equal(answer.state, ORIGIN_NONE);
		assert_int_equal(machine.runs, 1);
		assert_non_null(strstr(answer.reason.text, cases[i].reason));
		answer_deinit(&answer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(deep_place_in_a_call_that_passes),
		TEST(deep_place_behind_the_last_error_is_not_on_the_way),
		TEST(deep_place_whose_other_breakpoints_tell_nothing),
		TEST(deep_place_why_it_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
