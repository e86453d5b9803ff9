// SPDX-License-Identifier: GPL-2.0
/*
 * failload - calls that fail at a known rate, and what they cost the program that makes them
 *
 * Usage: failload KIND CALLS WORK
 *
 * KIND: open (ENOENT), close (EBADF), or getppid, which does not fail and nobody watches. Between
 * two calls WORK instructions of the program's own run. Prints the instructions that each took, the
 * call and the work: in a guest run with --icount the CPU's clock counts instructions, so that the
 * CPU time of a process in nanoseconds is their number, interrupts that came meanwhile included.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAD_FD 987654

static uint64_t cpu_time_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now))
		err(2, "CLOCK_PROCESS_CPUTIME_ID");
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A turn is two instructions: dec, jnz. */
static void work(uint64_t turns)
{
	if (turns)
		__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
}

static void call_open(void)
{
	if (open("/nowhere", O_RDONLY) != -1 || errno != ENOENT)
		errx(1, "a call that should fail did not");
}

static void call_close(void)
{
	if (close(BAD_FD) != -1 || errno != EBADF)
		errx(1, "a call that should fail did not");
}

static void call_getppid(void)
{
	getppid();
}

/* read(2) of the 32-bit kind, whose number is close(2)'s of the other. */
static void call_int80(void)
{
	int ret = 3;

	__asm__ volatile("int $0x80" : "+a"(ret) : "b"(BAD_FD), "c"(0), "d"(0) : "memory");
	if (ret != -EBADF)
		errx(1, "int $0x80: %d", ret);
}

static const struct {
	const char *name;
	void (*call)(void);
} kinds[] = {{"open", call_open},
	     {"close", call_close},
	     {"getppid", call_getppid},
	     {"int80", call_int80}};

int main(int argc, char **argv)
{
	void (*call)(void) = NULL;
	uint64_t calls, turns, begin;

	for (size_t i = 0; argc == 4 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name))
			call = kinds[i].call;
	if (!call)
		errx(64, "usage: failload open|close|getppid|int80 CALLS WORK");
	calls = strtoull(argv[2], NULL, 10);
	turns = strtoull(argv[3], NULL, 10) / 2;
	if (!calls)
		errx(64, "no calls");
	for (int i = 0; i < 100; i++)
		call();
	begin = cpu_time_ns();
	for (uint64_t i = 0; i < calls; i++) {
		work(turns);
		call();
	}
	printf("%.1f\n", (double)(cpu_time_ns() - begin) / (double)calls);
	return 0;
}
