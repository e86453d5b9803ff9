// SPDX-License-Identifier: GPL-2.0
/*
 * badread COUNT USEC CPU [getpid|mkdir|mmap] - read a descriptor that is not open, over and over
 *
 * COUNT 0: until SIGTERM, and then it prints how often.
 * Fails in ksys_read() with EBADF. With "getpid", that call stands before each read;
 * with "mkdir", one that fails in do_mkdirat() with EEXIST, which hardly anybody else calls, or
 * with "mmap", one that fails in do_mmap() with EINVAL, stands for it.
 */

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

static void on_term(int signal)
{
	(void)signal;
	stop = 1;
}

static long fail(const char *mode)
{
	char byte;

	if (!strcmp(mode, "mkdir"))
		return syscall(SYS_mkdir, "/", 0);
	if (!strcmp(mode, "mmap"))
		return syscall(SYS_mmap, 0, 0, 0, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return syscall(SYS_read, 1000000, &byte, 1);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 10, usec = argc > 2 ? atol(argv[2]) : 0, i;
	int cpu = argc > 3 ? atoi(argv[3]) : 0;
	const char *mode = argc > 4 ? argv[4] : "";
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("badread: sched_setaffinity");
		return 2;
	}
	if (!count)
		signal(SIGTERM, on_term);
	for (i = 0; !stop && (!count || i < count); i++) {
		if (!strcmp(mode, "getpid"))
			syscall(SYS_getpid);
		if (fail(mode) != -1)
			return 1;
		if (usec)
			usleep(usec);
	}
	if (!count)
		printf("%ld\n", i);
	return 0;
}
