// SPDX-License-Identifier: GPL-2.0
/*
 * deep_calls - the branches of whole system calls, from the emulator's log
 *
 * Usage: deep_calls LOG OUTPUT [DIRECTORY]. Input: the lines of run --truth, of one CPU, none left
 *out. Added to OUTPUT: a line for each system call in which a breakpoint was hit while the LBR was
 *on:
 *
 *	ENTRY HITS FROM,TO FROM,TO ...
 *
 * All its branches in the kernel, oldest first, without the digits 0x: from behind the branch into
 * the kernel, whose target is ENTRY, up to that back to user space, or up to where another task ran
 * or the guest itself stopped the LBR (then branches are missing). Behind another task the call
 *goes on in a line of its own, of ENTRY 1: what is in it began at the switch. In DIRECTORY the
 *guest writes kallsyms, and then sections: they tell where tasks are switched. HITS:
 *BRANCHES:ADDRESS of each hit, the number of branches before it, joined by semicolons. What
 *interrupts, exceptions and the handlers of breakpoints did is left out.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../log_lines.h"

#define BRANCHES_MAX (1u << 20)
#define HITS_MAX     (1u << 16)
#define NESTED_MAX   16
#define LOOK_LINES   4096 /* for what the guest has written */

struct branch {
	uint64_t from;
	uint64_t to;
};

struct hit {
	uint32_t branches;
	uint64_t addr;
};

static struct branch branches[BRANCHES_MAX];
static struct hit hits[HITS_MAX];
static uint32_t count, hit_count;
static uint64_t entry; /* 0: in no call, or not the whole of it */
/* Kernel code that is called for another task's turn; 0: not known yet. */
static uint64_t switch_to;
static const char *directory;
/* Where what interrupted the call returns to; 0: a breakpoint's handler, wherever it was. */
static uint64_t resumes[NESTED_MAX];
static unsigned int nested;
static uint64_t calls, lines, next_seq;
static FILE *out;

static bool is_user(uint64_t addr)
{
	return !(addr >> 63);
}

static void end_call(void)
{
	if (hit_count)
		fprintf(out, "%llx ", (unsigned long long)entry);
	for (uint32_t i = 0; i < hit_count; i++)
		fprintf(out, "%s%u:%llx", i ? ";" : "", hits[i].branches,
			(unsigned long long)hits[i].addr);
	for (uint32_t i = 0; hit_count && i < count; i++)
		fprintf(out, " %llx,%llx", (unsigned long long)branches[i].from,
			(unsigned long long)branches[i].to);
	if (hit_count) {
		putc('\n', out);
		calls++;
	}
	entry = count = hit_count = nested = 0;
}

static void find_switch(void)
{
	static char path[4096];
	char line[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/sections", directory);
	if (access(path, R_OK))
		return;
	snprintf(path, sizeof(path), "%s/kallsyms", directory);
	file = fopen(path, "re");
	if (!file)
		err(2, "%s", path);
	while (!switch_to && fgets(line, sizeof(line), file))
		if (strstr(line, " __switch_to_asm\n"))
			switch_to = strtoull(line, NULL, 16);
	fclose(file);
	if (!switch_to)
		errx(2, "%s: no __switch_to_asm", path);
}

/* Another task goes on, in whatever call of its own. */
static void switch_tasks(void)
{
	end_call();
	entry = 1;
}

/*
 * A kprobe that is an INT3 goes on in code of its own, or where the instruction leads to: each is
 * an exception that seems not to end. A call with many of them is no truth.
 */
static void push(uint64_t resume)
{
	if (nested == NESTED_MAX) {
		hit_count = 0;
		end_call();
		return;
	}
	resumes[nested++] = resume;
}

/* Within an interrupt, or a handler. */
static void take_nested(const struct branch *branch, bool is_far, bool is_irq)
{
	uint64_t resume = resumes[nested - 1];

	if (is_user(branch->to)) {
		end_call(); /* another task's turn */
	} else if (is_irq) {
		push(branch->from);
	} else if (is_far && (!resume || branch->to == resume)) {
		nested--;
		if (resume || nested)
			return;
		if (hit_count == HITS_MAX)
			errx(1, "line %llu: too many hits in a call", (unsigned long long)lines);
		hits[hit_count++] = (struct hit){.branches = count, .addr = branch->to};
	}
}

static void take_branch(const struct branch *branch, bool is_far, bool is_irq)
{
	if (is_user(branch->from)) {
		end_call();
		if (!is_irq && !is_user(branch->to))
			entry = branch->to;
		return;
	}
	if (switch_to && branch->to == switch_to) {
		switch_tasks();
		return;
	}
	if (!entry)
		return;
	if (nested) {
		take_nested(branch, is_far, is_irq);
	} else if (is_user(branch->to)) {
		end_call();
	} else if (is_irq) {
		push(branch->from);
	} else if (count == BRANCHES_MAX) {
		end_call();
	} else {
		branches[count++] = *branch;
	}
}

/* The LBR was stopped: by a breakpoint, or by the guest, which misses branches then. */
static void take_stop(const char *reason)
{
	bool in_handler = nested && !resumes[nested - 1];

	if (!entry || in_handler)
		return;
	if (!strncmp(reason, "db", 2)) {
		push(0);
	} else {
		unsigned int depth = nested;

		end_call();
		entry = 1;
		nested = depth;
	}
}

static void take_line(const char *at, const char *newline)
{
	char what = *at;
	struct branch branch;
	uint64_t seq;

	if (directory && !switch_to && !(lines % LOOK_LINES))
		find_switch();
	lines++;
	at += 2;
	if (log_number(&at))
		errx(1, "line %llu: a log of one CPU is expected", (unsigned long long)lines);
	seq = log_number(&at);
	if (next_seq && seq != next_seq)
		errx(1, "line %llu: record %llu follows %llu: the log is not whole",
		     (unsigned long long)lines, (unsigned long long)seq,
		     (unsigned long long)next_seq - 1);
	next_seq = seq + 1;
	if (what == 'Z') {
		take_stop(at);
	} else if (what == 'B') {
		branch.from = log_number(&at);
		branch.to = log_number(&at);
		take_branch(&branch, !strncmp(at, "far", 3), !strncmp(at, "irq", 3));
	}
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 4)
		errx(2, "usage: deep_calls LOG OUTPUT [DIRECTORY]");
	directory = argv[3];
	out = fopen(argv[2], "ae");
	if (!out)
		err(2, "%s", argv[2]);
	log_lines(argv[1], take_line);
	if (fclose(out))
		err(2, "%s", argv[2]);
	printf("%llu lines, %llu calls\n", (unsigned long long)lines, (unsigned long long)calls);
	return 0;
}
