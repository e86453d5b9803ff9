// SPDX-License-Identifier: GPL-2.0
/* The command of "-- CMD": it waits, and where it is watched it stops when its exec is through. */
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/child.h"

/* child_watch() asks for CAP_SYS_PTRACE, which root of a container may be without. */
static bool may_trace(void)
{
	unsigned long long caps = 0;
	char line[128];
	FILE *file = fopen("/proc/self/status", "re");

	while (file && !caps && fgets(line, sizeof(line), file))
		sscanf(line, "CapEff: %llx", &caps);
	if (file)
		fclose(file);
	if (caps >> CAP_SYS_PTRACE & 1)
		return true;
	print_message("skipped: without CAP_SYS_PTRACE\n");
	return false;
}

static void read_proc(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = fopen(path, "re");
	assert_non_null(file);
	len = fread(buf, 1, size - 1, file);
	buf[len] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	fclose(file);
}

static int wait_for(struct child *child)
{
	while (!child_ended(child))
		usleep(1000);
	return child->status;
}

/* Each test runs with both. */
static int (*fork_child)(struct child *child, child_fn *fn, void *ctx);

static void start(struct child_command *command, struct child *child)
{
	assert_int_equal(fork_child(child, child_exec, command), 0);
	child_watch(child);
}

static void child_go_watched_stops_behind_exec(void **state)
{
	char *argv[] = {"sh", "-c", "exit 3", NULL};
	struct child_command command = {.path = "/bin/sh", .argv = argv};
	struct child child = {};
	char comm[32], ours[32];

	(void)state;
	if (!may_trace())
		skip();
	start(&command, &child);
	assert_true(child.watched);
	read_proc(getpid(), "comm", ours, sizeof(ours));
	read_proc(child.pid, "comm", comm, sizeof(comm));
	assert_string_equal(comm, ours);
	child_go(&child);
	assert_true(child.at_exec);
	/* It is the command already, and has done nothing yet: it would have ended. */
	read_proc(child.pid, "comm", comm, sizeof(comm));
	assert_string_equal(comm, "sh");
	usleep(50000);
	assert_false(child_ended(&child));
	child_resume(&child);
	assert_int_equal(WEXITSTATUS(wait_for(&child)), 3);
}

static void child_go_exec_fails_ends(void **state)
{
	char *argv[] = {"nothing", NULL};
	struct child_command command = {.path = "/no/such/program", .argv = argv};
	struct child child = {};

	(void)state;
	if (!may_trace())
		skip();
	start(&command, &child);
	child_go(&child);
	assert_false(child.at_exec);
	child_resume(&child);
	assert_int_equal(WEXITSTATUS(wait_for(&child)), 127);
}

/* A stop and a signal that come before the exec are neither lost nor taken for it. */
static void child_go_stopped_before_exec_goes_on(void **state)
{
	char *argv[] = {"sh", "-c", "kill -USR1 $$", NULL};
	struct child_command command = {.path = "/bin/sh", .argv = argv};
	struct child child = {};

	(void)state;
	if (!may_trace())
		skip();
	start(&command, &child);
	kill(child.pid, SIGSTOP);
	kill(child.pid, SIGCONT);
	child_go(&child);
	assert_true(child.at_exec);
	child_resume(&child);
	assert_int_equal(WTERMSIG(wait_for(&child)), SIGUSR1);
}

static void child_go_not_watched_runs(void **state)
{
	char *argv[] = {"true", NULL};
	struct child_command command = {.path = "/bin/true", .argv = argv};
	struct child child = {};

	(void)state;
	assert_int_equal(fork_child(&child, child_exec, &command), 0);
	child_go(&child);
	assert_false(child.at_exec);
	child_resume(&child);
	assert_int_equal(wait_for(&child), 0);
}

/* What we ignore is not the command's. */
static void child_go_signals_are_the_default(void **state)
{
	/* Bits 12 and 24 */
	char *argv[] = {"sh", "-c",
			"! grep -qE '^SigIgn:.*[13579bdf](...|......)$' /proc/self/status", NULL};
	struct child_command command = {.path = "/bin/sh", .argv = argv};
	struct child child = {};
	void (*pipe)(int) = signal(SIGPIPE, SIG_IGN);
	void (*limit)(int) = signal(SIGXFSZ, SIG_IGN);

	(void)state;
	assert_int_equal(fork_child(&child, child_exec, &command), 0);
	child_go(&child);
	signal(SIGPIPE, pipe);
	signal(SIGXFSZ, limit);
	assert_int_equal(wait_for(&child), 0);
}

static unsigned int ran;
static volatile unsigned int interrupts;

static void count_interrupt(int sig)
{
	(void)sig;
	interrupts++;
}

static int note_and_end(void *ctx)
{
	(void)ctx;
	ran++;
	return 5;
}

static void child_vfork_function_is_in_our_memory(void **state)
{
	struct child child = {};

	(void)state;
	assert_int_equal(child_vfork(&child, note_and_end, NULL), 0);
	assert_int_not_equal(child.pid, getpid());
	usleep(20000);
	assert_int_equal(ran, 0); /* before it may */
	child_go(&child);
	assert_int_equal(WEXITSTATUS(wait_for(&child)), 5);
	assert_int_equal(ran, 1);
}

/* A handler of ours runs for our own signals; the command's end is by the default. */
static void child_vfork_signal_runs_no_handler_of_ours(void **state)
{
	char *argv[] = {"sleep", "20", NULL};
	struct child_command command = {.path = "/bin/sleep", .argv = argv};
	struct child child = {};
	void (*before)(int) = signal(SIGINT, count_interrupt);

	(void)state;
	assert_int_equal(child_vfork(&child, child_exec, &command), 0);
	kill(child.pid, SIGINT);
	usleep(20000);
	child_go(&child);
	assert_int_equal(WTERMSIG(wait_for(&child)), SIGINT);
	assert_int_equal(interrupts, 0);
	raise(SIGINT);
	assert_int_equal(interrupts, 1);
	signal(SIGINT, before);
}

/* The mask is the command's as it was ours. */
static void child_vfork_mask_is_as_before(void **state)
{
	char *argv[] = {"sh", "-c", "grep -qE '^SigBlk:.*0{8}$' /proc/self/status", NULL};
	struct child_command command = {.path = "/bin/sh", .argv = argv};
	struct child child = {};
	sigset_t now;

	(void)state;
	assert_int_equal(child_vfork(&child, child_exec, &command), 0);
	child_go(&child);
	assert_int_equal(wait_for(&child), 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &now), 0);
	assert_false(sigismember(&now, SIGINT));
}

static void child_end_without_go_ends(void **state)
{
	char *argv[] = {"true", NULL};
	struct child_command command = {.path = "/bin/true", .argv = argv};
	struct child child = {};

	(void)state;
	assert_int_equal(fork_child(&child, child_exec, &command), 0);
	child_end(&child);
	assert_true(child.ended);
	assert_int_equal(WEXITSTATUS(child.status), 2);
	assert_int_equal(fork_child(&child, child_exec, &command), 0);
	child_kill(&child);
	assert_true(child.ended);
	assert_false(WIFEXITED(child.status) && !WEXITSTATUS(child.status)); /* never ran */
}

static int with_fork(void **state)
{
	(void)state;
	fork_child = child_fork;
	return 0;
}

static int with_vfork(void **state)
{
	(void)state;
	fork_child = child_vfork;
	return 0;
}

int main(void)
{
	const struct CMUnitTest vfork_tests[] = {
		cmocka_unit_test(child_vfork_function_is_in_our_memory),
		cmocka_unit_test(child_vfork_signal_runs_no_handler_of_ours),
		cmocka_unit_test(child_vfork_mask_is_as_before),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_go_watched_stops_behind_exec),
		cmocka_unit_test(child_go_exec_fails_ends),
		cmocka_unit_test(child_go_stopped_before_exec_goes_on),
		cmocka_unit_test(child_go_not_watched_runs),
		cmocka_unit_test(child_go_signals_are_the_default),
		cmocka_unit_test(child_end_without_go_ends),
	};

	return cmocka_run_group_tests(tests, with_fork, NULL) |
	       cmocka_run_group_tests(tests, with_vfork, NULL) |
	       cmocka_run_group_tests(vfork_tests, NULL, NULL);
}
