// SPDX-License-Identifier: GPL-2.0
/* src/why/session: the runs of a command, on a made-up kernel: how many, and what they conclude */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "util/log.h"
#include "why_kernel.h"
#include "why/deep/deep_place.h"

#define RUNS 5

/*
 * The command: its call in each run. After the first one a module is there, if @module; after run
 * number @taken_after, if not 0, no debug register is free.
 */
static struct {
	struct call calls[RUNS];
	bool module;
	unsigned int taken_after;
	/* The user wants no more: in this run, or when it has ended; 0: never. */
	unsigned int stop_in, stop_after;
	unsigned int stopped;
	unsigned int runs;
	bool told, over;
} command;

static int start(void *ctx, bool quiet, uint32_t *ret_pid, struct errmsg *msg)
{
	assert_true(command.runs < RUNS);
	assert_int_equal(quiet, command.runs > 0);
	command.runs++;
	command.told = command.over = false;
	*ret_pid = 100;
	return 0;
}

static void go(void *ctx)
{
}

static bool ended(void *ctx, int *ret_status)
{
	*ret_status = 1 << 8;
	command.over = command.told;
	return command.told;
}

static bool stop(void *ctx)
{
	return (command.stop_in && command.runs >= command.stop_in) ||
	       (command.stop_after && command.runs >= command.stop_after && command.over);
}

static void end(void *ctx)
{
	assert_true(stop(ctx));
	command.stopped++;
}

int __wrap_watch_poll(struct watch *watch, int timeout_ms, watch_fn *fn, void *ctx);
int __wrap_watch_poll(struct watch *watch, int timeout_ms, watch_fn *fn, void *ctx)
{
	if (command.told)
		return 0;
	command.told = true;
	if (command.runs == command.taken_after)
		kernel.registers_taken = true;
	if (command.module && command.runs == 1) {
		kernel.modules++;
		kernel.untraced_from = FUNCTIONS;
	}
	return kernel_call(&command.calls[command.runs - 1], fn, ctx)
		       ?: kernel_end(100, 1 << 8, fn, ctx);
}

/* Functions that run in every call of a test: F(0) to F(@count - 1); the last one makes the error.
 */
static void every_run(unsigned int count)
{
	for (unsigned int run = 0; run < RUNS; run++) {
		command.calls[run].path = "/x";
		for (unsigned int i = 0; i < count; i++)
			command.calls[run].ran[i] = i + 1;
	}
}

static void explain_deep(struct answer *answer, unsigned int deep_runs)
{
	struct session_options opts = {
		.deep.runs = deep_runs,
		.command = {.start = start, .go = go, .ended = ended, .stop = stop},
		.blame = {.syscall = -1, .any_errno = true},
		.probes = {.symbols = kernel.symbols, .kprobes = true, .lbr = true},
	};
	struct errmsg msg = {};

	assert_int_equal(session_run(&opts, answer, &msg), 0);
	assert_non_null(answer->call);
	assert_int_equal(answer->runs, command.runs);
	assert_true(answer->runs <= 3);
}

static void explain(struct answer *answer)
{
	explain_deep(answer, 0);
	assert_null(answer->deep);
}

/* The way further back was asked for: no run is made for what cannot come of it. */
static void session_deep_without_lbr_is_refused_by_its_reason(void **state)
{
	struct answer answer;

	every_run(4);
	explain_deep(&answer, 10);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.runs, 2);
	assert_non_null(answer.deep);
	assert_int_equal(answer.deep->runs, 0);
	assert_int_equal(answer.deep->count, 0);
	assert_string_equal(answer.deep->gap.text, "no LBR");
	answer_deinit(&answer);
}

/* Nothing of the kernel made the error: no more runs are made for it. */
static void session_call_refused_by_seccomp_is_told(void **state)
{
	struct answer answer;

	command.calls[0].path = "/x";
	command.calls[0].refused = command.calls[0].none = true;
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_int_equal(answer.runs, 1);
	assert_non_null(strstr(answer.reason.text, "seccomp"));
	answer_deinit(&answer);
}

/* Nor did it where a signal's handler ended the call. */
static void session_call_ended_by_a_signal_is_told(void **state)
{
	struct answer answer;

	command.calls[0].path = "/x";
	command.calls[0].signal = SIGALRM;
	command.calls[0].none = true;
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_int_equal(answer.runs, 1);
	assert_non_null(strstr(answer.reason.text, "SIGALRM"));
	assert_non_null(strstr(answer.reason.text, "whatever its SA_RESTART is"));
	answer_deinit(&answer);

	command.runs = 0;
	command.calls[0].restarts = true;
	explain(&answer);
	assert_non_null(strstr(answer.reason.text, "without SA_RESTART"));
	answer_deinit(&answer);
}

/* Of a number that the kernel does not have, no function makes ENOSYS. */
static void session_unknown_system_call_is_hinted(void **state)
{
	static const char hint[] = "a system call that the kernel does not have";
	struct failure failure = {.via = WHY_VIA_SYSCALL, .err = ENOSYS};
	struct answer answer = {.call = &failure};

	answer_explain_no_sites(&answer);
	assert_non_null(strstr(answer.reason.text, hint));
	failure.via = WHY_VIA_NETLINK;
	answer_explain_no_sites(&answer);
	assert_null(strstr(answer.reason.text, hint));
	failure.via = WHY_VIA_SYSCALL;
	failure.err = EINVAL;
	answer_explain_no_sites(&answer);
	assert_null(strstr(answer.reason.text, hint));
}

/* Functions ran that nobody knows of: an instruction of theirs may have made the error. */
static void session_not_all_functions_known_is_not_certain(void **state)
{
	struct answer answer;

	kernel.short_stack = true;
	every_run(4);
	command.calls[0].cut = true;
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.candidates.count, 1);
	assert_int_equal(answer.candidates.items[0].addr, SITE(3));
	assert_int_equal(answer.runs, 2);
	assert_non_null(strstr(answer.reason.text, "not all functions"));
	answer_deinit(&answer);

	command.runs = 0;
	command.calls[1].none = true;
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_non_null(strstr(answer.reason.text, "none of the 4 instructions"));
	assert_non_null(strstr(answer.reason.text, "not all functions"));
	answer_deinit(&answer);
}

/* Nothing else can be told of a place that the user names. */
static void session_place_without_lbr_runs_nothing(void **state)
{
	const struct deep_place place = {.ends = {0xffffffff81000000}, .end_count = 1};
	const struct session_options opts = {
		.deep = {.runs = 10, .place = &place},
		.place = "hw:there",
		.command = {.start = start, .go = go, .ended = ended, .stop = stop},
		.probes = {.symbols = kernel.symbols, .kprobes = true, .lbr = true},
	};
	struct answer answer;
	struct errmsg msg = {};

	every_run(4);
	assert_true(session_run(&opts, &answer, &msg) < 0);
	assert_string_equal(msg.text, "no LBR");
	assert_int_equal(command.runs, 0);
	assert_null(answer.call);
	assert_null(answer.deep);
	answer_deinit(&answer);
}

static void session_deep_no_place_is_refused(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	every_run(4);
	for (unsigned int run = 0; run < RUNS; run++)
		command.calls[run].none = true;
	explain_deep(&answer, 10);
	assert_int_equal(answer.deep->runs, 0);
	assert_string_equal(answer.deep->gap.text, "the place of the error is not known");
	answer_deinit(&answer);
}

static void session_without_lbr_two_runs(void **state)
{
	struct answer answer;

	every_run(6);
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	assert_int_equal(answer.runs, 2);
	assert_false(answer.has_lbr);
	assert_string_equal(answer.lbr_reason.text, "no LBR");
	answer_deinit(&answer);
}

/* As many as there are breakpoints: the second run has the branches, too. */
static void session_lbr_few_sites_two_runs(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	every_run(4);
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.runs, 2);
	assert_true(answer.hit->hw);
	answer_deinit(&answer);
}

static void session_lbr_more_sites_a_third_run_for_branches(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	every_run(5);
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(4));
	assert_int_equal(answer.runs, 3);
	assert_true(answer.hit->hw);
	answer_deinit(&answer);
}

/*
 * In the run for the branches an interrupt executes the instruction once more: the branches before
 * that, its registers and its stack are none of the call's.
 */
static void session_third_run_hit_in_an_interrupt_the_answer_stays(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	every_run(5);
	command.calls[2].interrupt = true;
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(4));
	assert_int_equal(answer.runs, 3);
	assert_false(answer.hit->hw);
	assert_int_equal(answer.hit->frames, 2);
	assert_int_equal(answer.hit->stack[1], MKDIR + 10);
	assert_non_null(strstr(answer.lbr_reason.text, "in run 3"));
	answer_deinit(&answer);
}

/*
 * A kprobe's stack that could not be read is no other way: the third run has both, unless that was
 * hit in an interrupt.
 */
static void session_second_run_without_stack_the_third_has_it(void **state)
{
	struct answer answer;

	for (int interrupt = 0; interrupt < 2; interrupt++) {
		memset(&command, 0, sizeof(command));
		kernel.has_lbr = true;
		every_run(5);
		command.calls[1].no_stack = true;
		command.calls[2].interrupt = interrupt;
		explain(&answer);
		assert_int_equal(answer.state, ORIGIN_FOUND);
		assert_int_equal(answer.site.addr, SITE(4));
		assert_int_equal(answer.runs, 3);
		assert_int_equal(answer.hit->hw, !interrupt);
		assert_int_equal(answer.hit->frames, interrupt ? 1 : 2);
		answer_deinit(&answer);
	}
}

/* Nothing was hit in the second run, and what is left cannot be armed: of no place is there a run.
 */
static void session_no_place_no_run_for_its_branches(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	for (unsigned int i = 0; i < 5; i++)
		kernel.no_kprobe[i] = true;
	every_run(6);
	command.calls[1].none = true;
	command.taken_after = 2;
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.runs, 2);
	assert_null(answer.hit);
	answer_deinit(&answer);
}

/* The error was made in none of the module's functions: its run has the answer, one is left. */
static void session_module_loaded_error_elsewhere_branches_are_kept(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	kernel.untraced_from = 20;
	command.module = true;
	every_run(5);
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(4));
	assert_int_equal(answer.runs, 3);
	assert_true(answer.hit->hw);
	answer_deinit(&answer);
}

/*
 * Made where the first run found it, but another function ran beside it in the second: there a
 * kprobe hid the instruction, and the third run was made without it.
 */
static void session_module_loaded_error_where_a_kprobe_stands_is_found(void **state)
{
	struct answer answer;

	every_run(4);
	command.module = true;
	for (unsigned int run = 1; run < RUNS; run++) {
		command.calls[run].ran[3] = 9;
		command.calls[run].ran[4] = 4;
	}
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(3));
	assert_int_equal(answer.runs, 3);
	answer_deinit(&answer);
}

/* Made in the module: functions, functions again, sites; no run is left for the branches. */
static void session_module_loaded_error_in_it_never_a_fourth_run(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	kernel.untraced_from = 4;
	command.module = true;
	every_run(6);
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	assert_int_equal(answer.runs, 3);
	assert_true(answer.has_lbr);
	assert_non_null(strstr(answer.lbr_reason.text, "one run more"));
	answer_deinit(&answer);

	/* Few enough for breakpoints: the third run has them. */
	command.runs = 0;
	kernel.untraced_from = 3;
	kernel.modules = 1;
	memset(command.calls, 0, sizeof(command.calls));
	every_run(4);
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(3));
	assert_true(answer.hit->hw);
	assert_string_equal(answer.lbr_reason.text, "");
	answer_deinit(&answer);
}

/* Kprobes are refused at six; four breakpoints: the third run has the other two. */
static void session_kprobes_refused_the_others_in_the_third_run(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	for (unsigned int i = 0; i < 6; i++)
		kernel.no_kprobe[i] = true;
	every_run(10);
	/* Newest first: F(9) .. F(6) have kprobes, F(5) .. F(2) breakpoints. */
	for (unsigned int run = 0; run < RUNS; run++)
		command.calls[run].ran[10] = 1;
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(0));
	assert_int_equal(answer.runs, 3);
	answer_deinit(&answer);
}

/* Ten refused: the third run takes four more, two are left. One of these, and no fourth run. */
static void session_more_refused_than_runs_one_of_several(void **state)
{
	struct answer answer;

	kernel.short_stack = true;
	kernel.has_lbr = true;
	for (unsigned int i = 0; i < 10; i++)
		kernel.no_kprobe[i] = true;
	every_run(12);
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.runs, 3);
	/* The two that are left, and the one that was hit. */
	assert_int_equal(answer.candidates.count, 3);
	assert_true(sites_has(&answer.candidates, SITE(11)));
	assert_string_equal(answer.reason.text, "2 of 12 instructions could not be watched");
	answer_deinit(&answer);
}

/*
 * No kprobe anywhere: the instruction that was hit keeps one of the four breakpoints, for without
 * it nothing would be known of the third run. Three others get the rest.
 */
static void session_no_kprobes_what_was_hit_is_watched_again(void **state)
{
	struct answer answer;

	kernel.short_stack = true;
	for (unsigned int i = 0; i < 8; i++)
		kernel.no_kprobe[i] = true;
	every_run(8);
	explain(&answer);
	assert_int_equal(answer.runs, 3);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.site.addr, SITE(7));
	assert_int_equal(answer.candidates.count, 2);
	assert_true(sites_has(&answer.candidates, SITE(0)));
	assert_true(sites_has(&answer.candidates, SITE(7)));
	assert_string_equal(answer.reason.text, "1 of 8 instructions could not be watched");
	answer_deinit(&answer);

	/* One less: that is all of them. */
	memset(&command, 0, sizeof(command));
	every_run(7);
	explain(&answer);
	assert_int_equal(answer.runs, 3);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(6));
	answer_deinit(&answer);
}

/*
 * What was hit in one run could not be watched in the next, in which those that were left do not
 * show: they are ruled out. It is not said that it was not executed, which nobody saw.
 */
static void answer_hit_that_is_not_watched_again_others_are_ruled_out(void **state)
{
	struct failure *call = calloc(1, sizeof(*call));
	struct site items[] = {{.addr = SITE(0), .watch = SITE(0)},
			       {.addr = SITE(1), .watch = SITE(1)},
			       {.addr = SITE(2), .watch = SITE(2)}};
	const struct sites sites = {.items = items, .count = 1};
	const struct sites others = {.items = items + 1, .count = 2};
	const struct sites both = {.items = items, .count = 2};
	const struct why_hit hit = {.site = 0};
	struct answer answer = {.runs = 2};
	struct observed observed = {.failure = call,
				    .origin.hit = &hit,
				    .sites = &sites,
				    .unwatched = &others,
				    .sites_all = 3};

	answer.failures.items = call;
	answer.failures.count = 1;
	answer.call = call;
	assert_int_equal(answer_conclude(&answer, &observed), 0);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.candidates.count, 3);

	observed.origin.hit = NULL;
	observed.sites = &others;
	observed.unwatched = &both;
	assert_int_equal(answer_conclude(&answer, &observed), 0);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.candidates.count, 2);
	assert_string_equal(answer.reason.text, "1 of 3 instructions could not be watched");

	observed.unwatched = &sites;
	assert_int_equal(answer_conclude(&answer, &observed), 0);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(0));
	assert_string_equal(answer.reason.text, "");
	answer_deinit(&answer);
}

/* What may not have run at all is no reason to doubt what was executed; without that, it is named.
 */
static void answer_what_may_not_have_run_is_no_doubt(void **state)
{
	struct failure *call = calloc(1, sizeof(*call));
	struct site items[] = {{.addr = SITE(0), .watch = SITE(0)},
			       {.addr = SITE(1), .watch = SITE(1), .further = true}};
	const struct sites sites = {.items = items, .count = 1};
	const struct sites others = {.items = items + 1, .count = 1};
	const struct why_hit hit = {.site = 0};
	struct answer answer = {.runs = 2};
	struct observed observed = {
		.failure = call, .sites = &sites, .unwatched = &others, .sites_all = 2};

	assert_non_null(call);
	answer.failures.items = call;
	answer.failures.count = 1;
	answer.call = call;
	assert_int_equal(answer_conclude(&answer, &observed), 0);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.candidates.count, 1);
	assert_string_equal(answer.reason.text, "1 of 2 instructions could not be watched");
	observed.origin.hit = &hit;
	assert_int_equal(answer_conclude(&answer, &observed), 0);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(0));
	assert_int_equal(answer.candidates.count, 0);
	answer_deinit(&answer);
}

/* The newest went to memory, an older one may be returned: which of the two nobody can say. */
static void answer_hit_through_memory_beside_an_older_one_is_one_of_two(void **state)
{
	struct failure *call = calloc(1, sizeof(*call));
	struct site items[] = {{.addr = SITE(0), .watch = SITE(0)},
			       {.addr = SITE(1), .watch = SITE(1)}};
	const struct sites sites = {.items = items, .count = 2}, none = {};
	const struct why_hit newest = {.site = 1, .order = 2}, older = {.site = 0, .order = 1};
	struct answer answer = {.runs = 2};
	struct observed observed = {.failure = call,
				    .origin = {.hit = &newest, .rival = &older},
				    .sites = &sites,
				    .unwatched = &none,
				    .sites_all = 2};

	answer.failures.items = call;
	answer.failures.count = 1;
	answer.call = call;
	assert_int_equal(answer_conclude(&answer, &observed), 0);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.candidates.count, 2);
	assert_true(sites_has(&answer.candidates, SITE(0)));
	assert_true(sites_has(&answer.candidates, SITE(1)));
	assert_non_null(strstr(answer.reason.text, "memory"));
	observed.origin.rival = NULL;
	assert_int_equal(answer_conclude(&answer, &observed), 0);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.candidates.count, 0);
	answer_deinit(&answer);
}

/* The same, but the callers are known, and have to return it: nobody else made the result. */
static void session_hit_that_must_be_returned_is_certain(void **state)
{
	struct answer answer;

	for (unsigned int i = 0; i < 10; i++)
		kernel.no_kprobe[i] = true;
	every_run(12);
	command.calls[0].cut = true;
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(11));
	assert_string_equal(answer.reason.text, "");
	answer_deinit(&answer);
}

/* What was executed in the second run is not all known: the third one watches other sites. */
static void session_hits_lost_before_the_third_run_is_not_certain(void **state)
{
	struct answer answer;

	for (int lost = 0; lost < 2; lost++) {
		memset(&command, 0, sizeof(command));
		kernel.short_stack = true;
		for (unsigned int i = 0; i < 5; i++)
			kernel.no_kprobe[i] = true;
		every_run(6);
		command.calls[1].hits_lost = lost;
		explain(&answer);
		assert_int_equal(answer.runs, 3);
		assert_int_equal(answer.state, lost ? ORIGIN_ONE_OF : ORIGIN_FOUND);
		assert_int_equal(answer.site.addr, SITE(5));
		answer_deinit(&answer);
	}
}

/* In the third run the call fails, and neither what was hit before nor what was left ran. */
static void session_third_run_shows_nothing_answer_stays_uncertain(void **state)
{
	struct answer answer;

	kernel.short_stack = true;
	for (unsigned int i = 0; i < 6; i++)
		kernel.no_kprobe[i] = true;
	every_run(7);
	command.calls[2].none = true;
	explain(&answer);
	assert_int_equal(answer.runs, 3);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.candidates.count, 3);
	assert_true(sites_has(&answer.candidates, SITE(6)));
	assert_non_null(strstr(answer.reason.text, "run 3"));
	answer_deinit(&answer);
}

/* Nothing was hit before either: what was looked for was not there. */
static void session_third_run_shows_nothing_and_none_before_no_place(void **state)
{
	struct answer answer;

	for (unsigned int i = 0; i < 6; i++)
		kernel.no_kprobe[i] = true;
	every_run(7);
	for (unsigned int run = 0; run < RUNS; run++)
		command.calls[run].none = true;
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_null(answer.hit);
	assert_non_null(strstr(answer.reason.text, "none of the 7 instructions"));
	answer_deinit(&answer);
}

static void interrupt(unsigned int runs, unsigned int stopped)
{
	const struct session_options opts = {
		.command = {.start = start, .go = go, .ended = ended, .stop = stop, .end = end},
		.blame = {.syscall = -1, .any_errno = true},
		.probes = {.symbols = kernel.symbols, .kprobes = true, .lbr = true},
	};
	struct answer answer;
	struct errmsg msg = {};

	every_run(6);
	assert_int_equal(session_run(&opts, &answer, &msg), -EINTR);
	assert_string_equal(msg.text, "interrupted");
	assert_int_equal(command.runs, runs);
	assert_int_equal(command.stopped, stopped);
	answer_deinit(&answer);
}

/* While it runs, it is ended as its own kind wants it, and waited for. */
static void session_interrupted_in_a_run_the_command_is_ended(void **state)
{
	for (unsigned int run = 1; run <= 2; run++) {
		memset(&command, 0, sizeof(command));
		command.stop_in = run;
		interrupt(run, 1);
	}
}

/* Where none runs, none is begun only to be ended. */
static void session_interrupted_between_runs_none_is_begun(void **state)
{
	command.stop_after = 1;
	interrupt(1, 0);
}

static void session_call_does_not_fail_again_is_said(void **state)
{
	struct answer answer;

	every_run(2);
	command.calls[1].path = "/other";
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_string_equal(answer.reason.text,
			    "the call did not fail so in run 2; --once asks one run alone");
	answer_deinit(&answer);
}

/* mktemp: a name of its own in each run. */
static void session_name_differs_from_run_to_run(void **state)
{
	struct answer answer;

	every_run(2);
	command.calls[0].path = "/proc/tmp.a";
	command.calls[1].path = "/proc/tmp.b";
	command.calls[2].path = "/proc/tmp.c";
	explain(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_string_equal(answer.reason.text, "");
	answer_deinit(&answer);
}

static int open_kernel(void **state)
{
	memset(&command, 0, sizeof(command));
	kernel_open();
	return kernel.symbols ? 0 : -1;
}

static int close_kernel(void **state)
{
	kernel_close();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(session_without_lbr_two_runs, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(session_deep_without_lbr_is_refused_by_its_reason,
						open_kernel, close_kernel),
		cmocka_unit_test(session_unknown_system_call_is_hinted),
		cmocka_unit_test_setup_teardown(session_call_ended_by_a_signal_is_told, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(session_call_refused_by_seccomp_is_told,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(session_not_all_functions_known_is_not_certain,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(session_place_without_lbr_runs_nothing, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(session_deep_no_place_is_refused, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(session_lbr_few_sites_two_runs, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(session_lbr_more_sites_a_third_run_for_branches,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(
			session_third_run_hit_in_an_interrupt_the_answer_stays, open_kernel,
			close_kernel),
		cmocka_unit_test_setup_teardown(session_second_run_without_stack_the_third_has_it,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(session_no_place_no_run_for_its_branches,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(
			session_module_loaded_error_elsewhere_branches_are_kept, open_kernel,
			close_kernel),
		cmocka_unit_test_setup_teardown(
			session_module_loaded_error_where_a_kprobe_stands_is_found, open_kernel,
			close_kernel),
		cmocka_unit_test_setup_teardown(
			session_module_loaded_error_in_it_never_a_fourth_run, open_kernel,
			close_kernel),
		cmocka_unit_test_setup_teardown(session_kprobes_refused_the_others_in_the_third_run,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(session_more_refused_than_runs_one_of_several,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(session_no_kprobes_what_was_hit_is_watched_again,
						open_kernel, close_kernel),
		cmocka_unit_test(answer_hit_that_is_not_watched_again_others_are_ruled_out),
		cmocka_unit_test(answer_what_may_not_have_run_is_no_doubt),
		cmocka_unit_test(answer_hit_through_memory_beside_an_older_one_is_one_of_two),
		cmocka_unit_test_setup_teardown(
			session_hits_lost_before_the_third_run_is_not_certain, open_kernel,
			close_kernel),
		cmocka_unit_test_setup_teardown(session_hit_that_must_be_returned_is_certain,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(
			session_third_run_shows_nothing_answer_stays_uncertain, open_kernel,
			close_kernel),
		cmocka_unit_test_setup_teardown(
			session_third_run_shows_nothing_and_none_before_no_place, open_kernel,
			close_kernel),
		cmocka_unit_test_setup_teardown(session_interrupted_in_a_run_the_command_is_ended,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(session_interrupted_between_runs_none_is_begun,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(session_name_differs_from_run_to_run, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(session_call_does_not_fail_again_is_said,
						open_kernel, close_kernel),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
