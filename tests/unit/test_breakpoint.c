// SPDX-License-Identifier: GPL-2.0
/*
 * Does a hardware breakpoint fire? Asked once more in gdb's way: a debugger writes the debug
 * registers of a child (ptrace), which then runs into the breakpoint, or past it.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/breakpoint.h"

#define DR(n)	 offsetof(struct user, u_debugreg[n])
#define DR7_L0	 1 /* register 0, of 1 byte, on execution: all other bits 0 */
#define RAN_PAST 7

static __attribute__((noinline)) void reached(void)
{
	__asm__ volatile("" ::: "memory");
}

/* 1: it fired; 0: the child ran past it; -1: no process may be traced here, or no register is had
 */
static int fires_for_a_debugger(void)
{
	pid_t pid = fork();
	int status, result = -1;

	assert_true(pid >= 0);
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(0);
		raise(SIGSTOP);
		reached();
		_exit(RAN_PAST);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status))
		return -1;
	if (!ptrace(PTRACE_POKEUSER, pid, DR(0), reached) &&
	    !ptrace(PTRACE_POKEUSER, pid, DR(7), DR7_L0) && !ptrace(PTRACE_CONT, pid, NULL, NULL)) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP)
			result = 1;
		else if (WIFEXITED(status) && WEXITSTATUS(status) == RAN_PAST)
			result = 0;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return result;
}

static void breakpoint_check_says_what_a_debugger_sees(void **state)
{
	struct errmsg msg = {};
	int fires = fires_for_a_debugger(), err = breakpoint_check(&msg);

	(void)state;
	if (fires < 0 || (err && err != -EOPNOTSUPP)) {
		print_message("skipped: no breakpoint may be set here\n");
		skip();
	}
	assert_int_equal(err, fires ? 0 : -EOPNOTSUPP);
	if (fires)
		assert_string_equal(msg.text, "");
	else
		assert_non_null(strstr(msg.text, "never fire"));
}

/* It leaves no register behind: there are four. */
static void breakpoint_check_holds_nothing(void **state)
{
	int first = breakpoint_check(NULL);

	(void)state;
	for (int i = 0; i < 16; i++)
		assert_int_equal(breakpoint_check(NULL), first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breakpoint_check_says_what_a_debugger_sees),
		cmocka_unit_test(breakpoint_check_holds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
