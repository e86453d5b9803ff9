// SPDX-License-Identifier: GPL-2.0
/* Who may hold debug registers: a child with a perf event open, and one that is traced, are seen.
 */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/budget/holders.h"

/* A child called @comm that says on a pipe that it is ready, then waits; its pid. */
static pid_t start(const char *comm, int (*prepare)(void))
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_NAME, comm);
		byte = prepare() ? 'n' : 'y';
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	if (byte == 'y')
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int open_event(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0;
}

static int nothing(void)
{
	return 0;
}

static void holders_process_with_perf_event_is_named(void **state)
{
	char who[4096], wanted[64];
	pid_t pid = start("hold\x1b"
			  "er",
			  open_event);

	(void)state;
	if (!pid) {
		print_message("skipped: no perf event may be opened here\n");
		skip();
	}
	snprintf(wanted, sizeof(wanted), "hold?er (pid %d)", pid);
	/* Others may have events as well, and only some are named. */
	if (debug_register_holders(who, sizeof(who)) > HOLDERS_NAMED) {
		end(pid);
		print_message("skipped: too many processes have perf events here\n");
		skip();
	}
	assert_non_null(strstr(who, wanted));
	end(pid);
}

/* gdb's way: the tracer is meant, here this very process, which is never named. */
static void holders_own_tracing_is_not_named(void **state)
{
	char who[4096], unwanted[64];
	pid_t pid = start("traced", nothing);

	(void)state;
	assert_true(pid > 0);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL)) {
		end(pid);
		print_message("skipped: no process may be traced here\n");
		skip();
	}
	debug_register_holders(who, sizeof(who));
	snprintf(unwanted, sizeof(unwanted), "(pid %d)", getpid());
	assert_null(strstr(who, unwanted));
	snprintf(unwanted, sizeof(unwanted), "(pid %d)", pid);
	assert_null(strstr(who, unwanted));
	end(pid);
}

/* Traces a child of its own, as gdb would. */
static int trace_a_child(void)
{
	pid_t tracer = getpid(), pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* If the tracer is gone already, no signal comes: the test waits for our output. */
		while (getppid() == tracer)
			pause();
		_exit(0);
	}
	return pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, NULL);
}

static void holders_tracer_of_another_is_named(void **state)
{
	char who[4096], wanted[64];
	pid_t pid = start("debugger", trace_a_child);

	(void)state;
	if (!pid) {
		print_message("skipped: no process may be traced here\n");
		skip();
	}
	snprintf(wanted, sizeof(wanted), "debugger (pid %d)", pid);
	if (debug_register_holders(who, sizeof(who)) > HOLDERS_NAMED) {
		end(pid);
		print_message("skipped: too many processes have perf events here\n");
		skip();
	}
	assert_non_null(strstr(who, wanted));
	end(pid);
}

static void holders_small_buffer_is_cut(void **state)
{
	char who[8] = "xxxxxxx", wanted[4096];
	pid_t pid = start("holder", open_event);

	(void)state;
	if (!pid) {
		print_message("skipped: no perf event may be opened here\n");
		skip();
	}
	debug_register_holders(wanted, sizeof(wanted));
	assert_true(strlen(wanted) > sizeof(who));
	debug_register_holders(who, sizeof(who));
	assert_int_equal(strnlen(who, sizeof(who)), sizeof(who) - 1);
	assert_memory_equal(who, wanted, sizeof(who) - 1);
	end(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holders_process_with_perf_event_is_named),
		cmocka_unit_test(holders_own_tracing_is_not_named),
		cmocka_unit_test(holders_tracer_of_another_is_named),
		cmocka_unit_test(holders_small_buffer_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
