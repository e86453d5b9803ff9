// SPDX-License-Identifier: GPL-2.0
/*
 * remapped.c - does memory look as the page tables say, however often address spaces take turns?
 *
 * For the emulator's TLB, which keeps the entries of several address spaces: two processes on one
 * CPU have different pages at one address, exchange them, lose the right to write to them, and one
 * executes what the other writes. At last it sets a data breakpoint there, and the other hits it:
 * the emulator marks the entries of such a page when it fills the TLB, so those from before have to
 * go, from each address space. Prints "remapped: right"; else what was wrong, and exit status 1.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE   4096
#define PAGES  8
#define ROUNDS 400
#define PLACE  ((void *)0x100000000000)
/* Of ROUNDS, the last ones, with a data breakpoint. */
#define WATCHED 10

static sigjmp_buf faulted;

__attribute__((noreturn)) static void wrong(const char *what, int round)
{
	printf("remapped: %s, round %d\n", what, round);
	exit(1);
}

static void on_fault(int signal)
{
	siglongjmp(faulted, signal);
}

static void map_or_die(int fd, void *at, int page, int prot)
{
	if (mmap(at, PAGE, prot, MAP_SHARED | MAP_FIXED, fd, (off_t)page * PAGE) != at) {
		perror("remapped: mmap");
		exit(1);
	}
}

/* A turn of the other process. */
static void other_turn(int to, int from)
{
	char byte = 0;

	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		wrong("the other process has ended", 0);
}

/* Each page of the file says which one it is, and whose. */
static int pages_make(int owner)
{
	int fd = memfd_create("remapped", 0);

	if (fd < 0 || ftruncate(fd, (off_t)PAGES * PAGE))
		wrong("no memory", 0);
	for (int page = 0; page < PAGES; page++) {
		map_or_die(fd, PLACE, page, PROT_READ | PROT_WRITE);
		*(volatile int *)PLACE = owner * PAGES + page;
	}
	return fd;
}

static void exchange(int owner, int to, int from)
{
	int fd = pages_make(owner);

	for (volatile int round = 0; round < ROUNDS; round++) {
		int page = round % PAGES;

		map_or_die(fd, PLACE, page, PROT_READ | PROT_WRITE);
		if (*(volatile int *)PLACE != owner * PAGES + page)
			wrong("an old page", round);
		*(volatile int *)PLACE = owner * PAGES + page;
		other_turn(to, from);
		if (*(volatile int *)PLACE != owner * PAGES + page)
			wrong("a page of the other process", round);
		mprotect(PLACE, PAGE, PROT_READ);
		if (!sigsetjmp(faulted, 1)) {
			*(volatile int *)PLACE = -1;
			wrong("written without the right to", round);
		}
	}
	close(fd);
}

/* mov $value,%eax; ret */
static void code_write(uint8_t *at, uint32_t value)
{
	at[0] = 0xb8;
	memcpy(at + 1, &value, sizeof(value));
	at[5] = 0xc3;
}

/* Counts what any process of CPU 0 writes to PLACE. */
static int breakpoint_open(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)PLACE,
		.bp_len = HW_BREAKPOINT_LEN_1,
		.exclude_kernel = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A turn of the other process, which writes to PLACE. */
static void watched_turn(int to, int from, int round)
{
	uint64_t hits = 0;
	int event = breakpoint_open();

	if (event < 0) {
		perror("remapped: perf_event_open");
		exit(1);
	}
	other_turn(to, from);
	if (read(event, &hits, sizeof(hits)) != sizeof(hits) || !hits)
		wrong("a breakpoint that was set meanwhile is not hit", round);
	close(event);
}

int main(void)
{
	int code = memfd_create("remapped", 0), there[2], back[2], status = 0;
	cpu_set_t one;
	pid_t other;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	signal(SIGSEGV, on_fault);
	signal(SIGPIPE, SIG_IGN);
	if (code < 0 || ftruncate(code, PAGE) || pipe(there) || pipe(back) ||
	    sched_setaffinity(0, sizeof(one), &one)) {
		perror("remapped");
		return 1;
	}
	other = fork();
	if (other == 0) {
		char byte;

		close(there[1]);
		close(back[0]);
		if (read(there[0], &byte, 1) != 1)
			_exit(1);
		exchange(1, back[1], there[0]);
		map_or_die(code, PLACE, 0, PROT_READ | PROT_WRITE);
		for (uint32_t round = 0; round < ROUNDS; round++) {
			code_write(PLACE, round);
			other_turn(back[1], there[0]);
		}
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	exchange(0, there[1], back[0]);
	other_turn(there[1], back[0]);
	map_or_die(code, PLACE, 0, PROT_READ | PROT_EXEC);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		if (((uint32_t(*)(void))PLACE)() != round)
			wrong("old code", (int)round);
		if (round + 1 < ROUNDS && round + 1 >= ROUNDS - WATCHED)
			watched_turn(there[1], back[0], (int)round);
		else if (round + 1 < ROUNDS)
			other_turn(there[1], back[0]);
	}
	if (write(there[1], "", 1) != 1 || waitpid(other, &status, 0) != other || status)
		wrong("the other process failed", status);
	puts("remapped: right");
	return 0;
}
