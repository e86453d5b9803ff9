// SPDX-License-Identifier: GPL-2.0
/*
 * callcost - instructions of a system call, in a guest run with --icount
 *
 * There the time stamp counter counts executed instructions, those with the PMU stopped included.
 * Prints one line a kind: NAME MEDIAN MIN MAX. The median, because timer interrupts fall into some.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <x86intrin.h>

#define WARM_UP 50
#define CALLS	400
#define BAD_FD	987

static int zero_fd;

static int read_ok(void)
{
	char byte;

	return read(zero_fd, &byte, 1) == 1;
}

static int read_fail(void)
{
	char byte;

	return read(BAD_FD, &byte, 1) == -1;
}

static int open_ok(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	return fd >= 0 && close(fd) == 0;
}

static int open_fail(void)
{
	return open("/dev/nowhere", O_RDONLY) == -1;
}

static const struct {
	const char *name;
	int (*call)(void);
} kinds[] = {
	{"read-ok", read_ok},
	{"read-fail", read_fail},
	{"open-ok", open_ok},
	{"open-fail", open_fail},
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static uint64_t cost[WARM_UP + CALLS];

	zero_fd = open("/dev/zero", O_RDONLY);
	if (zero_fd < 0)
		err(2, "/dev/zero");
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (int i = 0; i < WARM_UP + CALLS; i++) {
			uint64_t start = __rdtsc();

			if (!kinds[k].call())
				errx(1, "%s did otherwise", kinds[k].name);
			cost[i] = __rdtsc() - start;
		}
		qsort(cost + WARM_UP, CALLS, sizeof(cost[0]), by_value);
		printf("%s %llu %llu %llu\n", kinds[k].name,
		       (unsigned long long)cost[WARM_UP + CALLS / 2],
		       (unsigned long long)cost[WARM_UP],
		       (unsigned long long)cost[WARM_UP + CALLS - 1]);
	}
	return 0;
}
