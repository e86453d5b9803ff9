// SPDX-License-Identifier: GPL-2.0
/*
 * rep_string.c - do REP MOVS and REP STOS do what the manual's loop does?
 *
 * For the emulator, which makes many iterations at once. Element sizes, lengths, directions and
 * places by chance, operands that overlap, one memory at two addresses; a page that is not there;
 * text that was executed; a data breakpoint; single steps. Expected is what a loop in C leaves, one
 * element at a time (Intel SDM vol. 2, "REP/REPE/REPZ/REPNE/REPNZ", "MOVS", "STOS"). Prints
 * "rep_string: right"; else what was wrong, and exit status 1. With an argument, the operands that
 * overlap may be one memory at two addresses: an AMD EPYC moves those in another order.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE  4096
#define PAGES 4
#define BYTES (PAGES * PAGE)
#define CASES 3000
#define VALUE 0x1122334455667788

struct registers {
	uint64_t to, from, count;
};

static uint8_t *memory, *alias; /* the same pages, and behind them one that is not there */
static uint8_t expected[BYTES];
static sigjmp_buf faulted;
static struct registers at_fault;
static volatile int steps;

__attribute__((noreturn)) static void wrong(const char *what, int number)
{
	printf("rep_string: %s, case %d\n", what, number);
	exit(1);
}

#define REP(insn, regs, down)                                                                      \
	do {                                                                                       \
		if (down)                                                                          \
			__asm__ volatile("std; rep " insn "; cld"                                  \
					 : "+D"((regs)->to), "+S"((regs)->from),                   \
					   "+c"((regs)->count)                                     \
					 : "a"(VALUE)                                              \
					 : "memory", "cc");                                        \
		else                                                                               \
			__asm__ volatile("rep " insn                                               \
					 : "+D"((regs)->to), "+S"((regs)->from),                   \
					   "+c"((regs)->count)                                     \
					 : "a"(VALUE)                                              \
					 : "memory", "cc");                                        \
	} while (0)

static void execute(bool movs, size_t size, bool down, struct registers *regs)
{
	switch (size | (size_t)movs << 4) {
	case 1:
		REP("stosb", regs, down);
		break;
	case 2:
		REP("stosw", regs, down);
		break;
	case 4:
		REP("stosl", regs, down);
		break;
	case 8:
		REP("stosq", regs, down);
		break;
	case 1 | 1 << 4:
		REP("movsb", regs, down);
		break;
	case 2 | 1 << 4:
		REP("movsw", regs, down);
		break;
	case 4 | 1 << 4:
		REP("movsl", regs, down);
		break;
	default:
		REP("movsq", regs, down);
	}
}

/* One element after the other, @to and @from being places in expected. */
static void expect(bool movs, size_t size, bool down, size_t to, size_t from, size_t count)
{
	uint64_t value = VALUE;

	for (; count; count--) {
		if (movs)
			memcpy(&value, expected + from, size);
		memcpy(expected + to, &value, size);
		to += down ? -size : size;
		from += down ? -size : size;
	}
}

/* Where an operand of @len bytes may begin. */
static size_t place(size_t len, size_t size, bool down)
{
	size_t at = (size_t)rand() % (BYTES - len + 1);

	return down ? at + len - size : at;
}

/* @aliases: operands that overlap may be one memory at two addresses, too */
static void by_chance(int number, bool aliases)
{
	uint8_t *second;
	bool movs = rand() % 2, down = rand() % 4 == 0;
	size_t size = (size_t)1 << rand() % 4;
	size_t longest = (rand() % 2 ? BYTES / 2 : 64) / size,
	       count = (size_t)rand() % (longest + 1);
	size_t len = count ? count * size : size, to = place(len, size, down),
	       from = place(len, size, down);
	struct registers regs;

	/* Half of those that move: near each other */
	if (movs && number % 2 && to + 40 < BYTES - len && to > 40 + len)
		from = to + (size_t)(rand() % 80) - 40;
	for (int i = 0; i < 64; i++)
		memory[rand() % BYTES] = rand();
	memcpy(expected, memory, BYTES);
	expect(movs, size, down, to, from, count);
	second = rand() % 2 && (aliases || to - from + len > 2 * len) ? alias : memory;
	regs = (struct registers){(uint64_t)(memory + to), (uint64_t)(second + from), count};
	struct registers begin = regs;
	int64_t moved = (int64_t)(count * size) * (down ? -1 : 1);

	execute(movs, size, down, &regs);
	if (memcmp(memory, expected, BYTES) != 0)
		wrong("memory", number);
	if (regs.count || regs.to != begin.to + moved ||
	    regs.from != begin.from + (movs ? moved : 0))
		wrong("registers", number);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)info;
	at_fault = (struct registers){regs[REG_RDI], regs[REG_RSI], regs[REG_RCX]};
	siglongjmp(faulted, signal);
}

/* Behind the last page there is none: what fits is done, and the registers say where it ended. */
static void fault(bool movs, bool load, int number)
{
	volatile int left = 1 + rand() % 3000;
	struct registers regs = {(uint64_t)(memory + (load ? 0 : BYTES - left)),
				 (uint64_t)(memory + (load ? BYTES - left : 0)), 5000};

	memcpy(expected, memory, BYTES);
	expect(movs, 1, false, load ? 0 : BYTES - left, load ? BYTES - left : 0, left);
	if (!sigsetjmp(faulted, 1)) {
		execute(movs, 1, false, &regs);
		wrong("no fault", number);
	}
	if (memcmp(memory, expected, BYTES) != 0)
		wrong("memory after a fault", number);
	if (at_fault.count != 5000u - left ||
	    at_fault.to != (uint64_t)(memory + (load ? 0 : BYTES - left)) + left)
		wrong("registers after a fault", number);
}

/* Each round other text at the place that has been executed. */
static void text(int number)
{
	uint8_t *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		wrong("no memory", number);
	for (int i = 0; i < 20; i++) {
		/* mov $i, %eax; ret */
		uint8_t function[64] = {0xb8, i, 0, 0, 0, 0xc3};
		struct registers regs = {(uint64_t)code + 1000, (uint64_t)function,
					 sizeof(function) / 8};

		execute(true, 8, false, &regs);
		if (((int (*)(void))(code + 1000))() != i)
			wrong("old text was executed", number);
	}
	munmap(code, PAGE);
}

/* Of 3,000 stores one is watched. */
static void watched(int number)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uint64_t)memory + 8 * (200 + number),
		.bp_len = HW_BREAKPOINT_LEN_8,
		.sample_period = 1,
		.exclude_kernel = 1,
	};
	struct registers regs = {(uint64_t)memory, 0, BYTES / 8};
	uint64_t hits = 0;
	int fd;

	execute(false, 8, false, &regs);
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		wrong("no breakpoint", number);
	regs = (struct registers){(uint64_t)memory, 0, BYTES / 8};
	execute(false, 8, false, &regs);
	if (read(fd, &hits, sizeof(hits)) != sizeof(hits) || hits != 1)
		wrong("a data breakpoint is not hit once", number);
	close(fd);
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	steps++;
}

/* With the trap flag, there is a trap after each iteration. */
static void stepped(void)
{
	struct registers regs = {(uint64_t)memory, 0, 500};

	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; rep stosb; pushfq; andq $~0x100, "
			 "(%%rsp); popfq"
			 : "+D"(regs.to), "+c"(regs.count)
			 : "a"(0)
			 : "memory", "cc");
	if (steps < 500)
		wrong("single steps", steps);
}

int main(int argc, char **argv)
{
	struct sigaction on_segv = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	struct sigaction on_trap = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
	int fd = memfd_create("rep_string", 0);

	(void)argv;
	if (fd < 0 || ftruncate(fd, BYTES))
		wrong("no memory", 0);
	/* A page more than the file has */
	memory = mmap(NULL, BYTES + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	alias = mmap(NULL, BYTES + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED || alias == MAP_FAILED || sigaction(SIGBUS, &on_segv, NULL) ||
	    sigaction(SIGTRAP, &on_trap, NULL))
		wrong("no memory", 0);
	for (int i = 0; i < CASES; i++)
		by_chance(i, argc > 1);
	for (int i = 0; i < 60; i++)
		fault(i % 3 != 0, i % 3 == 1, i);
	text(0);
	for (int i = 0; i < 4; i++)
		watched(i);
	stepped();
	puts("rep_string: right");
	return 0;
}
