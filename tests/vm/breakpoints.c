// SPDX-License-Identifier: GPL-2.0
/*
 * breakpoints - what becomes of a hardware breakpoint on this machine
 *
 * One on the execution of a function, one on a variable, CALLS times each, and DR0 read back while
 * a child is stepped over both: "exec HITS write HITS dr0 kept|lost steps STEPS".
 */
#include <err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 100
#define STEPS 100

static volatile long variable;

static __attribute__((noinline)) void function(void)
{
	variable++;
}

static int open_breakpoint(uint32_t type, const void *address)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = type,
		.bp_addr = (uintptr_t)address,
		.bp_len = sizeof(long),
		.exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		err(2, "perf_event_open");
	return fd;
}

static uint64_t hits(uint32_t type, const void *address)
{
	int fd = open_breakpoint(type, address);
	uint64_t count;

	for (int i = 0; i < CALLS; i++)
		function();
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		err(2, "read");
	close(fd);
	return count;
}

/* Single steps of a child that has a breakpoint on function(): how many traps were steps. */
static unsigned int steps(bool *ret_kept)
{
	size_t dr0 = offsetof(struct user, u_debugreg[0]),
	       dr7 = offsetof(struct user, u_debugreg[7]);
	unsigned int count = 0;
	pid_t child = fork();
	siginfo_t info;
	int status;

	if (child < 0)
		err(2, "fork");
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		for (;;)
			function();
	}
	waitpid(child, &status, 0);
	if (ptrace(PTRACE_POKEUSER, child, dr0, function) || ptrace(PTRACE_POKEUSER, child, dr7, 1))
		err(2, "ptrace");
	for (int i = 0; i < STEPS; i++) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) || waitpid(child, &status, 0) < 0)
			err(2, "single step");
		ptrace(PTRACE_GETSIGINFO, child, NULL, &info);
		count += WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP &&
			 info.si_code == TRAP_TRACE;
	}
	*ret_kept = (uintptr_t)ptrace(PTRACE_PEEKUSER, child, dr0, NULL) == (uintptr_t)function;
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return count;
}

int main(void)
{
	bool kept;
	unsigned int stepped = steps(&kept);

	printf("exec %lu write %lu dr0 %s steps %u\n", hits(HW_BREAKPOINT_X, function),
	       hits(HW_BREAKPOINT_W, (const void *)&variable), kept ? "kept" : "lost", stepped);
	return 0;
}
