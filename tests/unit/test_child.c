// SPDX-License-Identifier: GPL-2.0
/* The command of "-- CMD": it waits, and where it is watched it stops when its exec is through. */
#include <fcntl.h>
#include <linux/capability.h>
#include <pty.h>
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
#include "cmd/cmd.h"
#include "util/cleanup.h"
#include "util/clock.h"

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

/* A shell that runs @script, which says "ready" on the descriptor that is returned. */
static int start_shell(struct child *child, char *script)
{
	char *argv[] = {"sh", "-c", script, NULL};
	struct child_command command = {.path = "/bin/sh", .argv = argv};
	char said[8] = "";
	int fds[2], out = dup(STDOUT_FILENO);

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	fflush(stdout);
	dup2(fds[1], STDOUT_FILENO);
	assert_int_equal(fork_child(child, child_exec, &command), 0);
	child_go(child);
	assert_int_equal(read(fds[0], said, 6), 6);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(fds[1]);
	assert_string_equal(said, "ready\n");
	return fds[0];
}

static uint64_t stop_ms(struct child *child, int sig, bool expected)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	assert_int_equal(child_stop(child, sig, false), expected);
	assert_true(child->ended);
	return (clock_ns(CLOCK_MONOTONIC) - begin_ns) / 1000000;
}

/* What it does then is waited for, and ends as it wants it. */
static void child_stop_command_cleans_up(void **state)
{
	static const struct {
		int sig;
		const char *name;
	} rows[] = {{SIGTERM, "TERM"}, {SIGINT, "INT"}, {SIGHUP, "HUP"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct child child = {};
		char script[160], said[16] = "";
		int fd;

		snprintf(script, sizeof(script),
			 "trap 'sleep 0.5; echo cleaned; exit 7' %s; echo ready; "
			 "while :; do sleep 0.05; done",
			 rows[i].name);
		fd = start_shell(&child, script);
		assert_true(stop_ms(&child, rows[i].sig, true) >= 500);
		assert_true(WIFEXITED(child.status));
		assert_int_equal(WEXITSTATUS(child.status), 7);
		assert_int_equal(read(fd, said, sizeof(said) - 1), 8);
		assert_string_equal(said, "cleaned\n");
		close(fd);
	}
}

static void child_stop_ignored_is_killed_after_two_seconds(void **state)
{
	struct child child = {};
	int fd;
	uint64_t ms;

	(void)state;
	fd = start_shell(&child, "trap '' TERM; echo ready; while :; do sleep 0.05; done");
	ms = stop_ms(&child, SIGTERM, false);
	assert_in_range(ms, 2000, 5000); /* a host may be busy */
	assert_int_equal(WTERMSIG(child.status), SIGKILL);
	close(fd);
}

static void child_stop_none_or_ended_or_never_ran(void **state)
{
	char *argv[] = {"true", NULL};
	struct child_command command = {.path = "/bin/true", .argv = argv};
	struct child none = {}, child = {};

	(void)state;
	assert_true(child_stop(&none, SIGTERM, false));
	assert_int_equal(fork_child(&child, child_exec, &command), 0);
	stop_ms(&child, SIGTERM, true);
	assert_false(WIFEXITED(child.status) && !WEXITSTATUS(child.status)); /* never ran */
	stop_ms(&child, SIGTERM, true);
}

/* In a session of its own, on a terminal: Ctrl-C there goes to it, and to its command. */
static void stop_on_terminal(void)
{
	char *argv[] = {"sh", "-c",
			"n=0; trap 'n=$((n + 1))' INT; echo ready; "
			"while [ $n = 0 ]; do sleep 0.05; done; sleep 0.5; echo got $n.",
			NULL};
	struct child_command command = {.path = "/bin/sh", .argv = argv};
	struct child child = {};

	alarm(20);
	install_stop_handlers();
	if (fork_child(&child, child_exec, &command))
		_exit(1);
	child_go(&child);
	while (!stop_requested)
		usleep(1000);
	_exit(stop_signal != SIGINT || !child_stop(&child, stop_signal, stop_by_terminal));
}

/* A second signal would mean "at once" to the command. */
static void child_stop_ctrl_c_comes_once(void **state)
{
	char said[256] = "";
	size_t len = 0;
	int fd, status;
	pid_t pid = forkpty(&fd, NULL, NULL, NULL);
	bool pressed = false;
	ssize_t more;

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		stop_on_terminal();
	/* What is read may end anywhere, within a word as well. */
	do {
		more = read(fd, said + len, sizeof(said) - 1 - len);
		len += more > 0 ? (size_t)more : 0;
		if (more > 0 && strstr(said, "ready") && !pressed) {
			assert_int_equal(write(fd, "\003", 1), 1);
			pressed = true;
		}
	} while (more > 0 && !strchr(said, '.'));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fd);
	if (!strstr(said, "got 1."))
		print_error("%s\n", said);
	assert_non_null(strstr(said, "got 1."));
	assert_int_equal(status, 0);
}

/* By kill(1), to us alone, the command has not had it. */
static void stop_handlers_tell_who_sent_it(void **state)
{
	(void)state;
	install_stop_handlers();
	raise(SIGTERM);
	assert_int_equal(stop_requested, 1);
	assert_int_equal(stop_signal, SIGTERM);
	assert_false(stop_by_terminal);
	raise(SIGINT);
	assert_int_equal(stop_requested, 2);
	assert_int_equal(stop_signal, SIGTERM);
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
		cmocka_unit_test(stop_handlers_tell_who_sent_it),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_go_watched_stops_behind_exec),
		cmocka_unit_test(child_go_exec_fails_ends),
		cmocka_unit_test(child_go_stopped_before_exec_goes_on),
		cmocka_unit_test(child_go_not_watched_runs),
		cmocka_unit_test(child_go_signals_are_the_default),
		cmocka_unit_test(child_end_without_go_ends),
		cmocka_unit_test(child_stop_command_cleans_up),
		cmocka_unit_test(child_stop_ignored_is_killed_after_two_seconds),
		cmocka_unit_test(child_stop_none_or_ended_or_never_ran),
		cmocka_unit_test(child_stop_ctrl_c_comes_once),
	};

	return cmocka_run_group_tests(tests, with_fork, NULL) |
	       cmocka_run_group_tests(tests, with_vfork, NULL) |
	       cmocka_run_group_tests(vfork_tests, NULL, NULL);
}
