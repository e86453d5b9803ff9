// SPDX-License-Identifier: GPL-2.0
/*
 * truth_ends - what the LBR held each time it was stopped, from the emulator's log
 *
 * A log of a few seconds has gigabytes; a snapshot can only show what the LBR held when it was
 * stopped. So this reads the log once, from a FIFO if need be, and keeps the last DEPTH branches
 * before each stop. Input: the lines of run --truth. Output, one line a stop:
 *
 *	CPU SEQ REASON FROM,TO,TYPE,FLAGS,CYCLES ...     oldest first
 *	CPU SEQ clear                                    the guest emptied the LBR
 *
 * Branches from before a clear are in no stop behind it: a stop has all that the LBR held.
 *
 * REASON of a stop by the guest: off@WRITER@CALLER, see qemu/README.md. What --insns-at lists is
 * passed on as it was executed:
 *
 *	CPU SEQ insn ADDRESS CR3 RSP RAX RDI RSI
 *
 * Lines of a CPU are in the order of SEQ.
 *
 * In call-stack mode a return takes the newest branch away (P lines): what an older one had been
 * overwritten by is not back then.
 *
 * Where the log leaves branches out (LBR_TRUTH_LAST), those before the gap are forgotten. A log
 * whose sequence numbers go back, or that ends within a line, is refused: exit status 1.
 */
#include <stdbool.h>
#include <stdio.h>

#include "../../log_lines.h"

#define CPUS_MAX   64
#define DEPTH_MAX  64
#define BRANCH_MAX 96

/**
 * struct stack - of one CPU
 * @listed: SEQ of the listed instructions that may be ahead of what LBR_TRUTH_LAST holds back
 */
struct stack {
	uint64_t next_seq;
	uint64_t *listed;
	size_t listed_first;
	size_t listed_count;
	size_t listed_room;
	uint64_t branches;
	struct {
		unsigned int len;
		char text[BRANCH_MAX];
	} ring[DEPTH_MAX];
};

static struct stack stacks[CPUS_MAX];
static unsigned int depth = 32;
static uint64_t lines, stops;
static FILE *out;

static uint64_t decimal(const char **at, const char *end)
{
	uint64_t value = 0;
	const char *first = *at;

	while (*at < end && **at >= '0' && **at <= '9')
		value = value * 10 + *(*at)++ - '0';
	if (*at == first)
		errx(1, "line %llu: no number", (unsigned long long)lines);
	return value;
}

static void skip_space(const char **at, const char *end)
{
	if (*at >= end || *(*at)++ != ' ')
		errx(1, "line %llu: a field is missing", (unsigned long long)lines);
}

static void keep_branch(struct stack *stack, const char *at, const char *end)
{
	unsigned int slot = stack->branches++ % depth, len = end - at;
	char *text = stack->ring[slot].text;

	if (len > BRANCH_MAX)
		errx(1, "line %llu: too long", (unsigned long long)lines);
	stack->ring[slot].len = len;
	for (unsigned int i = 0; i < len; i++)
		text[i] = at[i] == ' ' ? ',' : at[i];
}

/* A place that is empty has no text. */
static void pop_branch(struct stack *stack)
{
	if (stack->branches)
		stack->ring[--stack->branches % depth].len = 0;
}

static void clear_stack(struct stack *stack, int cpu, uint64_t seq)
{
	stack->branches = 0;
	fprintf(out, "%d %llu clear\n", cpu, (unsigned long long)seq);
}

static void print_stop(const struct stack *stack, int cpu, uint64_t seq, const char *at,
		       const char *end)
{
	uint64_t first = stack->branches > depth ? stack->branches - depth : 0;

	stops++;
	fprintf(out, "%d %llu ", cpu, (unsigned long long)seq);
	for (; at < end; at++)
		putc(*at == ' ' ? '@' : *at, out);
	for (uint64_t i = first; i < stack->branches; i++)
		if (stack->ring[i % depth].len)
			fprintf(out, " %.*s", (int)stack->ring[i % depth].len,
				stack->ring[i % depth].text);
	putc('\n', out);
}

/* Registers follow the address. */
static bool is_listed(const char *at, const char *end)
{
	return at < end && memchr(at + 1, ' ', end - at - 1);
}

/* It is written when it is executed: before the branches that came earlier, and wait for a stop. */
static void take_listed(struct stack *stack, int cpu, uint64_t seq, const char *at, const char *end)
{
	if (seq < stack->next_seq ||
	    (stack->listed_count && seq <= stack->listed[stack->listed_count - 1]))
		errx(1, "line %llu: cpu %d comes back to record %llu: the log is not whole",
		     (unsigned long long)lines, cpu, (unsigned long long)seq);
	if (stack->listed_count == stack->listed_room) {
		stack->listed_room = stack->listed_room ? 2 * stack->listed_room : 1024;
		stack->listed =
			reallocarray(stack->listed, stack->listed_room, sizeof(*stack->listed));
		if (!stack->listed)
			err(2, "no memory");
	}
	stack->listed[stack->listed_count++] = seq;
	fprintf(out, "%d %llu insn %.*s\n", cpu, (unsigned long long)seq, (int)(end - at), at);
}

/* Record numbers that listed instructions have are none that are missing. */
static void skip_listed(struct stack *stack)
{
	while (stack->listed_first < stack->listed_count &&
	       stack->listed[stack->listed_first] <= stack->next_seq)
		stack->next_seq += stack->listed[stack->listed_first++] == stack->next_seq;
	if (stack->listed_first == stack->listed_count)
		stack->listed_first = stack->listed_count = 0;
}

/* @end: where the newline stands */
static void take_line(const char *at, const char *end)
{
	char what = at < end ? *at++ : ' ';
	struct stack *stack;
	uint64_t cpu, seq;

	lines++;
	skip_space(&at, end);
	cpu = decimal(&at, end);
	if (cpu >= CPUS_MAX)
		errx(1, "line %llu: cpu %llu", (unsigned long long)lines, (unsigned long long)cpu);
	stack = &stacks[cpu];
	skip_space(&at, end);
	seq = decimal(&at, end);
	if (what == 'I' && is_listed(at, end)) {
		take_listed(stack, cpu, seq, at + 1, end);
		return;
	}
	skip_listed(stack);
	if (seq < stack->next_seq)
		errx(1, "line %llu: cpu %llu goes from record %lld to %llu: the log is not whole",
		     (unsigned long long)lines, (unsigned long long)cpu,
		     (long long)stack->next_seq - 1, (unsigned long long)seq);
	if (seq > stack->next_seq)
		stack->branches = 0;
	stack->next_seq = seq + 1;
	if (what != 'C')
		skip_space(&at, end);
	if (what == 'B')
		keep_branch(stack, at, end);
	else if (what == 'P')
		pop_branch(stack);
	else if (what == 'C')
		clear_stack(stack, cpu, seq);
	else if (what == 'Z')
		print_stop(stack, cpu, seq, at, end);
	else if (what != 'I')
		errx(1, "line %llu: kind '%c' is not known here", (unsigned long long)lines, what);
}

int main(int argc, char **argv)
{
	if (argc != 4 || (depth = atoi(argv[1])) < 1 || depth > DEPTH_MAX)
		errx(2, "usage: truth_ends DEPTH LOG OUTPUT");
	out = fopen(argv[3], "we");
	if (!out)
		err(2, "%s", argv[3]);
	log_lines(argv[2], take_line);
	if (fclose(out))
		err(2, "%s", argv[3]);
	printf("%llu lines, %llu stops\n", (unsigned long long)lines, (unsigned long long)stops);
	return 0;
}
