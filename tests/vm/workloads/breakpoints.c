// SPDX-License-Identifier: GPL-2.0
/*
 * breakpoints - what becomes of a hardware breakpoint on this machine
 *
 * One on the execution of a function, one on a variable, one on a function of the kernel that
 * another page of its text has called for a while, CALLS times each, and DR0 read back while a
 * child is stepped over the first two:
 * "exec HITS write HITS kernel HITS dr0 kept|lost steps STEPS".
 */
#include <err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 100
#define STEPS 100
/* Before there is a breakpoint: an emulator has translated it all, and chained it. */
#define CALLS_BEFORE 1000

static volatile long variable;

static __attribute__((noinline)) void function(void)
{
	variable++;
}

/* strncpy_from_user() is called once, by getname_flags() in fs/namei.c. */
static void look_up(void)
{
	access("/", F_OK);
}

static const void *kernel_function(const char *name)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512], symbol[256];
	void *address;

	if (!symbols)
		err(2, "/proc/kallsyms");
	while (fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%p %*c %255s", &address, symbol) == 2 && !strcmp(symbol, name)) {
			fclose(symbols);
			return address;
		}
	}
	errx(2, "/proc/kallsyms: no %s", name);
}

static int open_breakpoint(uint32_t type, const void *address)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = type,
		.bp_addr = (uintptr_t)address,
		.bp_len = sizeof(long),
		.exclude_kernel = (intptr_t)address >= 0,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		err(2, "perf_event_open");
	return fd;
}

static uint64_t hits(uint32_t type, const void *address, void (*call)(void))
{
	uint64_t count;
	int fd;

	for (int i = 0; i < CALLS_BEFORE; i++)
		call();
	fd = open_breakpoint(type, address);
	for (int i = 0; i < CALLS; i++)
		call();
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

	printf("exec %lu write %lu kernel %lu dr0 %s steps %u\n",
	       hits(HW_BREAKPOINT_X, function, function),
	       hits(HW_BREAKPOINT_W, (const void *)&variable, function),
	       hits(HW_BREAKPOINT_X, kernel_function("strncpy_from_user"), look_up),
	       kept ? "kept" : "lost", stepped);
	return 0;
}
