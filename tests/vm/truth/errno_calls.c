// SPDX-License-Identifier: GPL-2.0
/*
 * errno_calls - system calls and which of the listed instructions ran in them, from the log
 *
 *     errno_calls LOG ENTRY EXITS NUMBERS MARKS
 *
 * LOG: lines of run --insns-at, of one CPU; "-" is standard input. ENTRY: the address where calls
 * begin (RSI: their number). EXITS: those where they end (RAX: the result). NUMBERS: of calls.
 * Both are joined by commas. Output: a line for each call that ended:
 *
 *	STACK NUMBER RESULT ADDRESS ADDRESS ...
 *
 * NUMBER is decimal, the rest in hex without 0x. ADDRESSES: of a call that failed, or is one of
 * NUMBERS: what was executed in it, each once, in the order in which it was executed last. A
 * kernel stack is a task; what runs on another stack, an interrupt's, belongs to none.
 *
 * Numbers from MARKS on are of no call: the kernel returns a constant, which is at no exit. They
 * get a line "STACK NUMBER" where they begin.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../log_lines.h"

#define STACK_BYTES  0x4000ull
#define TASKS_MAX    (1u << 16) /* a power of two */
#define SEEN_MAX     (1u << 18) /* so many addresses twice over; a power of two */
#define ADDRS_BEFORE (1u << 16) /* then what stands in a call twice is dropped */
#define LIST_MAX     16

/* struct task - a kernel stack; @room and @addrs stay for its next call */
struct task {
	uint64_t stack;
	uint64_t *addrs;
	uint32_t count;
	uint32_t room;
	uint32_t number;
	bool in_call;
};

struct list {
	uint64_t items[LIST_MAX];
	unsigned int count;
};

static struct task tasks[TASKS_MAX];
static unsigned int task_count;
static struct {
	uint64_t addr;
	uint64_t round;
} seen[SEEN_MAX];
static uint64_t seen_round, lines, entry, marks;
static struct list ends, numbers;

static void list_read(const char *text, int base, struct list *list)
{
	char *end = (char *)text;

	while (*end) {
		if (list->count == LIST_MAX)
			errx(2, "%s: more than %d", text, LIST_MAX);
		errno = 0;
		list->items[list->count++] = strtoull(end, &end, base);
		if (errno || (*end && *end++ != ','))
			errx(2, "%s: numbers joined by commas are expected", text);
	}
}

static bool list_has(const struct list *list, uint64_t item)
{
	for (unsigned int i = 0; i < list->count; i++)
		if (list->items[i] == item)
			return true;
	return false;
}

static uint64_t mixed(uint64_t value)
{
	return value * 0x9e3779b97f4a7c15ull >> 32;
}

/* NULL: there is none, and none is to be made. */
static struct task *task_of(uint64_t rsp, bool make)
{
	uint64_t stack = rsp & ~(STACK_BYTES - 1);
	struct task *task;

	for (uint64_t i = mixed(stack);; i++) {
		task = &tasks[i & (TASKS_MAX - 1)];
		if (task->stack == stack)
			return task;
		if (!task->stack)
			break;
	}
	if (!make)
		return NULL;
	if (++task_count > TASKS_MAX / 2)
		errx(1, "line %llu: too many stacks", (unsigned long long)lines);
	task->stack = stack;
	return task;
}

/* Was it not yet there in this round? */
static bool is_new(uint64_t addr)
{
	for (uint64_t i = mixed(addr);; i++) {
		uint64_t at = i & (SEEN_MAX - 1);

		if (seen[at].round == seen_round && seen[at].addr == addr)
			return false;
		if (seen[at].round != seen_round) {
			seen[at].round = seen_round;
			seen[at].addr = addr;
			return true;
		}
	}
}

/* Of what stands there several times the last stays. */
static void drop_earlier(struct task *task)
{
	uint32_t kept = task->count;

	seen_round++;
	for (uint32_t i = task->count; i-- > 0;)
		if (is_new(task->addrs[i]))
			task->addrs[--kept] = task->addrs[i];
	task->count -= kept;
	memmove(task->addrs, task->addrs + kept, task->count * sizeof(*task->addrs));
	if (task->count > SEEN_MAX / 2)
		errx(1, "line %llu: too many addresses in a call", (unsigned long long)lines);
}

static void add_addr(struct task *task, uint64_t addr)
{
	if (task->count == task->room) {
		if (task->count >= ADDRS_BEFORE)
			drop_earlier(task);
		if (task->count > task->room / 2 || !task->room) {
			task->room = task->room ? task->room * 2 : 256;
			task->addrs = realloc(task->addrs, task->room * sizeof(*task->addrs));
			if (!task->addrs)
				err(1, "addresses of a call");
		}
	}
	task->addrs[task->count++] = addr;
}

static void end_call(struct task *task, uint64_t result)
{
	task->in_call = false;
	printf("%llx %u %llx", (unsigned long long)task->stack, task->number,
	       (unsigned long long)result);
	if (result >= (uint64_t)-4095 || list_has(&numbers, task->number)) {
		drop_earlier(task);
		for (uint32_t i = 0; i < task->count; i++)
			printf(" %llx", (unsigned long long)task->addrs[i]);
	}
	putchar('\n');
}

static void take_line(const char *at, const char *newline)
{
	struct task *task;
	uint64_t addr, rsp, rax;

	(void)newline;
	lines++;
	if (*at != 'I')
		return;
	at += 2;
	if (log_number(&at))
		errx(1, "line %llu: a log of one CPU is expected", (unsigned long long)lines);
	log_number(&at); /* its number */
	addr = log_number(&at);
	log_number(&at); /* CR3 */
	rsp = log_number(&at);
	task = task_of(rsp, addr == entry);
	if (addr == entry) {
		log_number(&at); /* RAX */
		log_number(&at); /* RDI */
		task->number = (uint32_t)log_number(&at);
		task->count = 0;
		task->in_call = task->number < marks;
		if (!task->in_call)
			printf("%llx %u\n", (unsigned long long)task->stack, task->number);
	} else if (!task || !task->in_call) {
		return;
	} else if (list_has(&ends, addr)) {
		rax = log_number(&at);
		end_call(task, rax);
	} else {
		add_addr(task, addr);
	}
}

int main(int argc, char **argv)
{
	struct list begin = {}, first_mark = {};

	if (argc != 6)
		errx(2, "usage: errno_calls LOG ENTRY EXITS NUMBERS MARKS");
	list_read(argv[2], 16, &begin);
	list_read(argv[3], 16, &ends);
	list_read(argv[4], 10, &numbers);
	list_read(argv[5], 10, &first_mark);
	if (begin.count != 1 || !ends.count || first_mark.count != 1)
		errx(2, "one entry, at least one exit and one number for marks are expected");
	entry = begin.items[0];
	marks = first_mark.items[0];
	log_lines(argv[1], take_line);
	if (fflush(stdout) || ferror(stdout))
		err(1, "standard output");
	return 0;
}
