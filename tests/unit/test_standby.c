// SPDX-License-Identifier: GPL-2.0
/*
 * src/why/standby: failing calls of what runs already, and of a command that is run once, on a
 * made-up kernel: what is learned of, and which occurrence has the answer
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/log.h"
#include "why/run/standby.h"
#include "why_kernel.h"

#define CALLS 12

/* What happens: the calls, one a look at the buffers. Before call number @module one is loaded. */
static struct {
	struct call calls[CALLS];
	size_t count;
	size_t told;
	size_t module;
	pid_t victim; /* ends after the last call */
} world;

static bool stop(void *ctx)
{
	return false;
}

int __wrap_watch_poll(struct watch *watch, int timeout_ms, watch_fn *fn, void *ctx);
int __wrap_watch_poll(struct watch *watch, int timeout_ms, watch_fn *fn, void *ctx)
{
	if (world.told == world.count) {
		if (world.victim)
			kill(world.victim, SIGKILL);
		return 0;
	}
	if (world.module && world.told == world.module) {
		kernel.modules++;
		kernel.untraced_from = FUNCTIONS;
	}
	return kernel_call(&world.calls[world.told++], fn, ctx);
}

/* A call in which F(@last) makes the error, behind F(0). */
static struct call *call(const char *path, unsigned int last)
{
	struct call *ret = &world.calls[world.count++];

	assert_true(world.count <= CALLS);
	*ret = (struct call){.path = path, .ran = {1, last + 1}};
	return ret;
}

static struct session_options options(void)
{
	return (struct session_options){
		.command.stop = stop,
		.blame = {.syscall = -1, .any_errno = true},
		.probes = {.symbols = kernel.symbols,
			   .kprobes = true,
			   .lbr = true,
			   .watch.comm = "victim"},
	};
}

/* Attach; those that wait on wait half a second. */
static void attach(struct answer *answer)
{
	struct session_options opts = options();
	struct standby_target target = {.timeout_ms = 500};
	struct errmsg msg = {};

	assert_int_equal(standby_attach(&opts, &target, answer, &msg), 0);
}

static void standby_second_occurrence_answers(void **state)
{
	struct answer answer;

	call("/x", 5);
	call("/x", 5);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	assert_int_equal(answer.runs, 2);
	assert_string_equal(answer.lbr_reason.text, "no LBR");
	answer_deinit(&answer);
}

/* One that began before its instructions were armed tells nothing, and is no occurrence. */
static void standby_call_that_began_before_is_waited_past(void **state)
{
	struct answer answer;

	call("/x", 5)->early = true;
	call("/x", 5);
	call("/x", 5)->early = true;
	call("/x", 5);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.runs, 2);
	assert_int_equal(world.told, 4);
	answer_deinit(&answer);
}

/*
 * Another call of this errno, that went another way: what was learned of the first one says nothing
 * of it. Each is learned of, and the first that comes again answers, of itself.
 */
static void standby_other_call_of_that_errno_is_learned_of_too(void **state)
{
	struct answer answer;

	call("/x", 5);
	call("/y", 9);
	call("/z", 11);
	call("/y", 9);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(9));
	assert_memory_equal(answer.call->call.bytes[0], "/y", 2);
	assert_int_equal(answer.runs, 4);
	answer_deinit(&answer);
}

/* Arguments that differ, the same way through the kernel: it is the second occurrence. */
static void standby_other_arguments_same_way_answers_of_itself(void **state)
{
	struct answer answer;

	call("/tmp/a1", 5);
	call("/tmp/a2", 5);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	assert_memory_equal(answer.call->call.bytes[0], "/tmp/a2", 7);
	answer_deinit(&answer);
}

static void standby_nothing_executed_is_no_place(void **state)
{
	struct answer answer;

	call("/x", 5);
	call("/x", 5)->none = true;
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_non_null(answer.call);
	assert_non_null(strstr(answer.reason.text, "none of the 2 instructions"));
	answer_deinit(&answer);
}

/* Calls that nobody watches are no events that were lost: it is said apart, with what helps. */
static void standby_threads_without_room_are_told_apart(void **state)
{
	struct errmsg events, unwatched;
	struct answer answer;

	kernel.lost = 3;
	call("/x", 5);
	call("/x", 5);
	attach(&answer);
	answer_explain_lost(&answer, &events, &unwatched);
	assert_non_null(strstr(events.text, "3 events were lost"));
	assert_string_equal(unwatched.text, "");
	answer_deinit(&answer);

	world.told = 0;
	kernel.calls_unwatched = 2000000;
	attach(&answer);
	answer_explain_lost(&answer, &events, &unwatched);
	assert_int_equal(answer.lost, 2000003);
	assert_non_null(strstr(events.text, "3 events were lost"));
	assert_non_null(strstr(unwatched.text, "more than 1024 threads"));
	assert_non_null(strstr(unwatched.text, "2000000 system calls"));
	assert_non_null(strstr(unwatched.text, "--comm"));
	assert_null(strstr(unwatched.text, "32-bit"));
	answer_deinit(&answer);

	world.told = 0;
	kernel.calls_unwatched = 0;
	kernel.calls_compat = 7;
	attach(&answer);
	answer_explain_lost(&answer, &events, &unwatched);
	assert_string_equal(unwatched.text,
			    "7 system calls of 32-bit code failed: these are not looked at");
	answer_deinit(&answer);
}

/* Few sites: functions are watched no more, and the second occurrence has the branches. */
static void standby_lbr_same_call_again_has_branches(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	call("/x", 5);
	call("/x", 5);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	assert_true(answer.hit->hw);
	assert_string_equal(answer.lbr_reason.text, "");
	assert_false(kernel.functions_armed);
	answer_deinit(&answer);
}

/* Functions ran that nobody knows of, with breakpoints in the call before the one that answers. */
static void standby_not_all_functions_known_is_not_certain(void **state)
{
	for (int lbr = 0; lbr < 2; lbr++) {
		struct answer answer;

		world.count = world.told = 0;
		kernel.has_lbr = lbr;
		kernel.short_stack = true;
		call("/x", 5)->cut = true;
		call("/x", 5)->cut = !lbr;
		attach(&answer);
		assert_int_equal(answer.state, ORIGIN_ONE_OF);
		assert_int_equal(answer.candidates.count, 1);
		assert_int_equal(answer.candidates.items[0].addr, SITE(5));
		assert_int_equal(answer.hit->hw, lbr);
		assert_non_null(strstr(answer.reason.text, "not all functions"));
		answer_deinit(&answer);
	}
}

/* Another one comes: its functions have to be known, and the branches are done without. */
static void standby_lbr_other_call_functions_are_watched_again(void **state)
{
	struct answer answer;

	kernel.has_lbr = true;
	call("/x", 5);
	call("/y", 9);
	call("/y", 9);
	call("/y", 9);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(9));
	assert_false(answer.hit->hw);
	assert_int_equal(kernel.functions_begun, 2);
	assert_true(answer.has_lbr);
	assert_non_null(strstr(answer.lbr_reason.text, "functions were watched"));
	assert_false(kernel.lbr_on);
	answer_deinit(&answer);
}

/* A module that comes while we wait: its functions are watched from then on. */
static void standby_module_loaded_its_functions_are_watched(void **state)
{
	struct answer answer;

	kernel.untraced_from = 4;
	world.module = 1;
	call("/x", 5);
	call("/x", 5); /* in which it is noticed */
	call("/x", 5);
	call("/x", 5);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	assert_int_equal(kernel.functions_begun, 2);
	answer_deinit(&answer);
}

/* What an earlier use has learned: the first occurrence is enough. */
static void standby_learned_before_first_occurrence_answers(void **state)
{
	char path[] = "/tmp/lbrsnoop-learned.XXXXXX";
	int fd = mkstemp(path);
	struct answer answer;

	assert_true(fd >= 0);
	close(fd);
	setenv("LBRSNOOP_LEARNED", path, 1);
	call("/x", 5);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	answer_deinit(&answer);

	call("/x", 5);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	assert_int_equal(answer.runs, 1);
	answer_deinit(&answer);

	/* Of F(7), which ran in it now, nothing was learned. */
	call("/x", 7);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	answer_deinit(&answer);
	unlink(path);
}

/*
 * Earlier uses have learned of more instructions than are watched at once. Of those that found no
 * place nothing is said as if they could not be watched: they are, as soon as a call fails by one.
 */
static void standby_learned_more_than_are_watched_at_once_found(void **state)
{
	char path[] = "/tmp/lbrsnoop-learned.XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	struct answer answer;

	assert_non_null(file);
	/* The newest come first: one name, and its 50 functions, is left when 6 more may be
	 * watched. */
	fprintf(file, "%d %d - twin\n", SYS_mkdir, EINVAL);
	for (unsigned int i = 0; i < TWINS; i++)
		fprintf(file, "%d %d - f%u\n", SYS_mkdir, EINVAL, i);
	fclose(file);
	_Static_assert(TWINS < PROBES_SITES_MAX && FUNCTIONS > PROBES_SITES_MAX, "some are left");
	setenv("LBRSNOOP_LEARNED", path, 1);
	call("/x", FUNCTIONS - 1);
	call("/x", FUNCTIONS - 1);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(FUNCTIONS - 1));
	assert_int_equal(answer.runs, 2);
	answer_deinit(&answer);

	/* Of those that are watched the first occurrence answers, as ever. */
	call("/y", 5);
	attach(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	assert_int_equal(answer.runs, 1);
	answer_deinit(&answer);
	unlink(path);
}

/* One instruction cannot be watched: never more than one of these. */
static void standby_unwatched_instruction_one_of_several(void **state)
{
	struct session_options opts = options();
	struct standby_target target = {.timeout_ms = 500};
	struct errmsg msg = {};
	struct answer answer;

	opts.probes.no_breakpoints = "they never fire";
	kernel.no_kprobe[0] = true;
	kernel.short_stack = true;
	call("/x", 5);
	call("/x", 5);
	assert_int_equal(standby_attach(&opts, &target, &answer, &msg), 0);
	assert_int_equal(answer.state, ORIGIN_ONE_OF);
	assert_int_equal(answer.candidates.count, 2);
	assert_string_equal(answer.reason.text, "1 of 2 instructions could not be watched");
	answer_deinit(&answer);
}

static void standby_time_over_said_with_what_failed_once(void **state)
{
	struct answer answer;

	attach(&answer);
	assert_null(answer.call);
	assert_string_equal(answer.reason.text, "0.5 seconds were over");
	answer_deinit(&answer);

	call("/x", 5);
	attach(&answer);
	assert_non_null(answer.call);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_non_null(
		strstr(answer.reason.text, "0.5 seconds were over before it failed once more"));
	answer_deinit(&answer);
}

/* A process that ends ends the wait, whether it has failed once or not. */
static void standby_process_ends_no_more_is_waited_for(void **state)
{
	struct session_options opts = options();
	struct standby_target target = {};
	struct errmsg msg = {};
	struct answer answer;
	char expected[64];

	opts.probes.watch.comm = NULL;
	for (int calls = 0; calls < 2; calls++) {
		world.victim = fork();
		if (!world.victim) {
			pause();
			_exit(0);
		}
		target.pid = world.victim;
		if (calls)
			call("/x", 5);
		assert_int_equal(standby_attach(&opts, &target, &answer, &msg), 0);
		assert_int_equal(waitpid(world.victim, NULL, 0), world.victim);
		snprintf(expected, sizeof(expected), "process %d has ended", world.victim);
		assert_memory_equal(answer.reason.text, expected, strlen(expected));
		assert_int_equal(answer.state, ORIGIN_NONE);
		assert_true(!answer.call == !calls);
		answer_deinit(&answer);
	}
	/* It is gone. */
	assert_int_equal(standby_attach(&opts, &target, &answer, &msg), -ESRCH);
	snprintf(expected, sizeof(expected), "--pid %d: there is no such process", target.pid);
	assert_string_equal(msg.text, expected);
	answer_deinit(&answer);
}

static int start(void *ctx, bool quiet, uint32_t *ret_pid, struct errmsg *msg)
{
	assert_false(quiet);
	*ret_pid = 100;
	return 0;
}

static void go(void *ctx)
{
}

static bool ended(void *ctx, int *ret_status)
{
	*ret_status = 1 << 8;
	return world.told == world.count;
}

static void run_once(struct answer *answer)
{
	struct session_options opts = options();
	struct errmsg msg = {};

	opts.command = (struct command){.start = start, .go = go, .ended = ended, .stop = stop};
	assert_int_equal(standby_run(&opts, answer, &msg), 0);
	assert_int_equal(answer->runs, 1);
	assert_non_null(answer->call);
}

static void once_call_fails_twice_in_the_run_answers(void **state)
{
	struct answer answer;

	call("/x", 5);
	call("/y", 9);
	call("/x", 5);
	run_once(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	answer_deinit(&answer);
}

/* The last one is to blame, and began too early; the same call before it was seen as a whole. */
static void once_same_call_before_it_answers(void **state)
{
	struct answer answer;

	call("/x", 5);
	call("/x", 5);
	call("/x", 5)->early = true;
	run_once(&answer);
	assert_int_equal(answer.state, ORIGIN_FOUND);
	assert_int_equal(answer.site.addr, SITE(5));
	answer_deinit(&answer);
}

static void once_call_fails_once_no_place(void **state)
{
	struct answer answer;

	call("/y", 9);
	call("/y", 9);
	call("/x", 5);
	run_once(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_memory_equal(answer.call->call.bytes[0], "/x", 2);
	assert_non_null(strstr(answer.reason.text, "run only once (--once)"));
	answer_deinit(&answer);
}

/* Nothing of the kernel made the error: no instruction is looked for, nor found wanting. */
static void once_call_refused_or_ended_by_a_signal_is_told(void **state)
{
	struct answer answer;
	struct call *last;

	call("/x", 5);
	last = call("/x", 5);
	last->refused = true;
	run_once(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_non_null(strstr(answer.reason.text, "seccomp"));
	answer_deinit(&answer);

	world.told = 0;
	last->refused = false;
	last->signal = SIGUSR1;
	run_once(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_non_null(strstr(answer.reason.text, "SIGUSR1"));
	answer_deinit(&answer);
}

/* In the failing call itself a module was loaded: nobody watched its functions. */
static void once_module_loaded_in_the_call_no_place(void **state)
{
	struct answer answer;

	kernel.untraced_from = 4;
	world.module = 2;
	call("/x", 5);
	call("/x", 5);
	call("/x", 5);
	run_once(&answer);
	assert_int_equal(answer.state, ORIGIN_NONE);
	assert_non_null(strstr(answer.reason.text, "a module was loaded"));
	answer_deinit(&answer);
}

static int open_kernel(void **state)
{
	memset(&world, 0, sizeof(world));
	kernel_open();
	return kernel.symbols ? 0 : -1;
}

static int close_kernel(void **state)
{
	kernel_close();
	return 0;
}

/* More than can be armed at once are watched as far as they can: not armed anew for each call. */
static void probes_watched_of_too_many_what_there_is_room_for(void **state)
{
	struct site items[PROBES_SITES_MAX + 1] = {};
	struct sites needed = {.items = items, .count = PROBES_SITES_MAX + 1};
	struct probes probes = {.sites = {.items = items, .count = PROBES_SITES_MAX},
				.unwatched = {.items = items + PROBES_SITES_MAX, .count = 1}};

	(void)state;
	for (size_t i = 0; i < PROBES_SITES_MAX + 1; i++)
		items[i].addr = SITE(0) + i;
	assert_true(probes_watched(&probes, &needed));
	/* One alone that there was no room for can have it. */
	needed = (struct sites){.items = items + PROBES_SITES_MAX, .count = 1};
	assert_false(probes_watched(&probes, &needed));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_watched_of_too_many_what_there_is_room_for),
		cmocka_unit_test_setup_teardown(standby_second_occurrence_answers, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(standby_call_that_began_before_is_waited_past,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_other_call_of_that_errno_is_learned_of_too,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_other_arguments_same_way_answers_of_itself,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_nothing_executed_is_no_place, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(standby_threads_without_room_are_told_apart,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_not_all_functions_known_is_not_certain,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_lbr_same_call_again_has_branches,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_lbr_other_call_functions_are_watched_again,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_module_loaded_its_functions_are_watched,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_learned_before_first_occurrence_answers,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_learned_more_than_are_watched_at_once_found,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_unwatched_instruction_one_of_several,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_time_over_said_with_what_failed_once,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(standby_process_ends_no_more_is_waited_for,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(once_call_fails_twice_in_the_run_answers,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(once_same_call_before_it_answers, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(once_call_refused_or_ended_by_a_signal_is_told,
						open_kernel, close_kernel),
		cmocka_unit_test_setup_teardown(once_call_fails_once_no_place, open_kernel,
						close_kernel),
		cmocka_unit_test_setup_teardown(once_module_loaded_in_the_call_no_place,
						open_kernel, close_kernel),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests_name("standby", tests, NULL, NULL);
}
