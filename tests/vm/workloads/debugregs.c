// SPDX-License-Identifier: GPL-2.0
/*
 * debugregs - another user of debug registers, and a look at what is left armed
 *
 *   debugregs hold CPU ADDRESS...   breakpoints there, as "perf stat -e mem:ADDRESS:x" sets them;
 *                                   prints "held" when they are armed, then waits to be killed
 *   debugregs free CPU ADDRESS      how many registers are free, tried at ADDRESS
 *   debugregs lbr                   bit 0 of IA32_DEBUGCTL of each CPU: is its LBR on?
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REGISTERS     4
#define IA32_DEBUGCTL 0x1d9
#define CPUS_MAX      64

static int open_breakpoint(const char *address, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = strtoull(address, NULL, 16),
		.bp_len = sizeof(long),
		.sample_period = 1,
		.pinned = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int hold(int cpu, char **addresses)
{
	for (; *addresses; addresses++)
		if (open_breakpoint(*addresses, cpu) < 0)
			err(1, "cpu %d, %s", cpu, *addresses);
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}

static int count_free(int cpu, const char *address)
{
	int count = 0;

	while (count < REGISTERS && open_breakpoint(address, cpu) >= 0)
		count++;
	if (count < REGISTERS && errno != ENOSPC)
		err(1, "cpu %d, %s", cpu, address);
	printf("%d\n", count);
	return 0;
}

static int show_lbr(void)
{
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		char path[64];
		uint64_t value;
		int fd;

		snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		/* A CPU that is offline has its file still. */
		if (pread(fd, &value, sizeof(value), IA32_DEBUGCTL) == sizeof(value))
			putchar(value & 1 ? '1' : '0');
		close(fd);
	}
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "hold"))
		return hold(atoi(argv[2]), argv + 3);
	if (argc == 4 && !strcmp(argv[1], "free"))
		return count_free(atoi(argv[2]), argv[3]);
	if (argc == 2 && !strcmp(argv[1], "lbr"))
		return show_lbr();
	errx(2, "see the head of its source");
}
