// SPDX-License-Identifier: GPL-2.0
/*
 * userwork - a program whose branches are known, for tests of user functions
 *
 * userwork [-x] [-c CPU] [-m FILE] ROUNDS: calls reached(n) for n from 0 to ROUNDS - 1. Before each
 * call, for each of the eight bits of n from the lowest one, taken() is called if it is set, and
 * left() if not. Every so often it gives the CPU away in the middle, or asks for the time. -c: on
 * this CPU alone. -m: its own /proc/self/maps go there. -x: crash() instead of the last reached().
 */
#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned int sink;

__attribute__((noinline)) void taken(unsigned int bit)
{
	sink += bit;
}

__attribute__((noinline)) void left(unsigned int bit)
{
	sink -= bit;
}

__attribute__((noinline)) unsigned int reached(unsigned int n)
{
	sink ^= n;
	return n;
}

/* Writes to page 0, which nobody may map. */
__attribute__((noinline)) unsigned int crash(unsigned int n)
{
	*(volatile unsigned int *)(unsigned long)(sink & 0) = n;
	return n;
}

static inline __attribute__((always_inline)) void one_bit(unsigned int n, unsigned int bit)
{
	if (n >> bit & 1)
		taken(bit);
	else
		left(bit);
}

__attribute__((noinline)) unsigned int walk(unsigned int n, int fatal)
{
	struct timespec now;

	for (unsigned int bit = 0; bit < 8; bit++) {
		if (bit == 4 && n % 5 == 2)
			sched_yield();
		/* So late that an LBR of 16 entries still has it at the end. */
		if (bit == 7 && n % 7 == 3)
			clock_gettime(CLOCK_MONOTONIC, &now);
		one_bit(n, bit);
	}
	return fatal ? crash(n) : reached(n);
}

static void copy_maps(const char *name)
{
	FILE *from = fopen("/proc/self/maps", "r"), *to = fopen(name, "w");
	char line[4096];

	if (!from || !to)
		err(2, "%s", name);
	while (fgets(line, sizeof(line), from))
		fputs(line, to);
	if (fclose(to))
		err(2, "%s", name);
	fclose(from);
}

int main(int argc, char **argv)
{
	unsigned int rounds, sum = 0;
	cpu_set_t cpus;
	int opt, fatal = 0;

	while ((opt = getopt(argc, argv, "xc:m:")) != -1) {
		switch (opt) {
		case 'c':
			CPU_ZERO(&cpus);
			CPU_SET(atoi(optarg), &cpus);
			if (sched_setaffinity(0, sizeof(cpus), &cpus))
				err(2, "cpu %s", optarg);
			break;
		case 'x':
			fatal = 1;
			break;
		case 'm':
			copy_maps(optarg);
			break;
		default:
			return 64;
		}
	}
	if (argc - optind != 1)
		return 64;
	rounds = (unsigned int)atoi(argv[optind]);
	for (unsigned int n = 0; n < rounds; n++)
		sum += walk(n, fatal && n + 1 == rounds);
	printf("userwork %d %u\n", getpid(), sum);
	return 0;
}
