// SPDX-License-Identifier: GPL-2.0
/*
 * verify_path - paths that lbrsnoop printed in a guest, against what the emulator executed
 *
 *	lbrsnoop --json --insns ... > SNAPSHOTS    in the guest, under tests/vm/run --truth --insns
 *	tests/vm/truth_tail DEPTH LOG STOPS        while it runs
 *	verify_path STOPS CONDITIONALS SNAPSHOTS [-v]
 *
 * Finds the stop of the LBR whose last branches are the snapshot's, and holds the whole path
 * against the instructions logged there: each branch has its block, in order, up to where the
 * trigger took over, and each block the instructions that ran, and a decision for each conditional
 * branch among them. Which instructions are conditional branches is in CONDITIONALS, and the log
 * has of a branch that was taken whether it is one: tests/oracle/conditionals.h. What a gap says of
 *itself is so by the log; of code that cannot be read the log knows nothing: "unread: ADDRESS" is
 *printed. A snapshot has all branches that the log has, or those since a stop: only while it is off
 *Linux clears the LBR. Snapshots come in the order of their times, and no two of a CPU show one
 *stop. A counter's overflow stops the LBR, and the log with it, before its interrupt comes: such a
 *path has a gap there, and before it what is in the log, or straight ahead of that. There a direct
 *jump may lead to the next instruction, whether it is recorded or not: "next: ADDRESS jmp TARGET"
 *is printed, and symbols tell if they are the same. A gap at a WRMSR says that recording may have
 *stopped; that it did not is no lie where the path does not show which MSR was written. Prints
 *counts; exit status 1 if a block is wrong or a snapshot's branches are not in the log, 2 on
 *errors.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditionals.h"
#include "path/path.h"
#include "snapshot/branch.h"
#include "msr_write.h"
#include "stops.h"
#include "truth.h"
#include "util/cleanup.h"

#define FUNCTIONS_MAX 256
#define GAPS_MAX      16

/* Things that occur, and how often. */
struct tally {
	const char *name;
	uint64_t count;
};

struct totals {
	uint64_t snapshots, with_path, without_path, not_found, by_breakpoint, with_gap,
		with_interrupt;
	uint64_t blocks, insns, gaps, overflows, user, wrong, decisions, errors, counted;
	uint64_t compared; /* instructions that were held against the log */
};

/* tests/vm/qemu/README.md: cycles are instructions, at most so many. */
#define CYCLES_MAX 65535

struct verifier {
	struct stops stops;
	struct conditionals conditionals;
	struct totals totals;
	struct tally functions[FUNCTIONS_MAX];
	struct tally gaps[GAPS_MAX];
	struct truth_cpu log;	       /* of the stop at hand */
	uint32_t at[BRANCHES_MAX * 2]; /* its branches, as indices into log.events */
	uint32_t branches;
	uint32_t next[TRUTH_CPUS_MAX]; /* first stop that a CPU's next snapshot may show */
	uint64_t *executed;	       /* of one block */
	size_t executed_cap;
	bool verbose;
};

/* Where a path goes on to, behind its last branch that is not the capture's own. */
enum goes_on {
	GOES_NOWHERE, /* into the tracer, by this branch */
	GOES_TO_TRIGGER,
	GOES_TO_TRACER,	   /* to the branch into it, from the code of a tracepoint */
	GOES_TO_INTERRUPT, /* a counter's, some instructions after the LBR was stopped */
};

/* One snapshot and the stop that it may show. */
struct placed {
	const struct stop *stop;
	uint32_t first; /* of v->at: its oldest branch */
	uint32_t count;
	uint32_t useful; /* that are not the capture's own */
	char reason;	 /* of a stop for this kind of trigger */
	enum goes_on goes_on;
	bool hw;
	uint64_t ip; /* of the trigger */
};

/* The last WRMSR where a path says that recording may have stopped; a gap and the rest follow. */
struct lbr_off {
	bool open;     /* the rest of it has not come yet */
	bool untold;   /* which MSR it wrote is not in the path */
	size_t before; /* instructions up to it, of its block */
};

static uint64_t get_address(const json_t *obj, const char *key)
{
	const char *text = json_string_value(json_object_get(obj, key));

	return text ? strtoull(text, NULL, 0) : 0;
}

static bool same(const json_t *insns, const uint64_t *want)
{
	for (size_t i = 0; i < json_array_size(insns); i++) {
		if (get_address(json_array_get(insns, i), "addr") != want[i])
			return false;
	}
	return true;
}

/* Index into the log of a branch of the snapshot; of one too many, where the log ends. */
static size_t event_of(const struct verifier *v, const struct placed *p, uint32_t branch)
{
	return p->first + branch < v->branches ? v->at[p->first + branch] : v->log.count;
}

static void executed_reserve(struct verifier *v, size_t count)
{
	if (count <= v->executed_cap)
		return;
	v->executed_cap = count;
	v->executed = realloc(v->executed, v->executed_cap * sizeof(uint64_t));
	if (!v->executed)
		exit(2);
}

static bool is_branch(const char *text)
{
	static const char *const others[] = {"call", "ret", "iret",   "loop",
					     "int",  "sys", "notrack"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (text && !strncmp(text, others[i], strlen(others[i])))
			return true;
	return !text || text[0] == 'j';
}

/* The end of a path, up to a counter's interrupt. The log of what @ran ends with the overflow; what
 * comes behind it is certain only as long as the code does not branch, but to the next instruction.
 */
static const char *check_overflow(const json_t *block, const uint64_t *ran, size_t ran_count)
{
	const json_t *insns = json_object_get(block, "insns");

	for (size_t i = 0; i < json_array_size(insns); i++) {
		const json_t *insn = json_array_get(insns, i), *next = json_array_get(insns, i + 1);
		const char *text = json_string_value(json_object_get(insn, "text"));

		if (i < ran_count && get_address(insn, "addr") != ran[i])
			return "before the overflow";
		if (text && !strncmp(text, "jmp ", strlen("jmp ")))
			printf("next: 0x%" PRIx64 " %s\n",
			       next ? get_address(next, "addr") : get_address(block, "end"), text);
		else if (is_branch(text))
			return "a branch, and the LBR may have been off";
	}
	return NULL;
}

/* The block before a WRMSR that may have stopped the LBR, or the one behind it. Of @n instructions
 * @stopped had run when the LBR was stopped; SIZE_MAX: it never was. */
static const char *check_at_lbr_off(const struct verifier *v, const json_t *insns, size_t n,
				    size_t stopped, const struct lbr_off *off, bool ends_here)
{
	size_t count = json_array_size(insns);

	if (stopped == SIZE_MAX && off->untold)
		stopped = off->before;
	if (ends_here)
		return count != stopped || count > n || !same(insns, v->executed) ? "before LBR off"
										  : NULL;
	return stopped == SIZE_MAX || stopped > n || count > n - stopped ||
			       (off->untold && count != n - stopped) ||
			       !same(insns, v->executed + n - count)
		       ? "after LBR off"
		       : NULL;
}

static const char *check_block(struct verifier *v, const struct placed *p, const json_t *block,
			       uint32_t entry, const struct lbr_off *off)
{
	const json_t *insns = json_object_get(block, "insns");
	const json_t *branch = json_object_get(block, "branch");
	const char *ends = json_string_value(json_object_get(block, "ends"));
	size_t count = json_array_size(insns), first = event_of(v, p, entry) + 1, end, n, stopped;

	if (!ends || !json_is_array(insns))
		return "no instructions printed";
	/* Without a branch of its own it ends where the LBR stopped, or where the capture began. */
	end = event_of(v, p,
		       json_is_integer(branch) ? (uint32_t)json_integer_value(branch) : entry + 1);
	if (end < first)
		return "its branches are not in order";
	executed_reserve(v, end - first);
	n = truth_executed(&v->log, first, end, v->executed, &stopped);
	if (!strcmp(ends, "lbr-off") && p->goes_on == GOES_TO_INTERRUPT && entry + 1 == p->useful &&
	    stopped == SIZE_MAX)
		return check_overflow(block, v->executed, n);
	if (!strcmp(ends, "lbr-off") || off->open)
		return check_at_lbr_off(v, insns, n, stopped, off, !strcmp(ends, "lbr-off"));
	/* All but the instruction, or the breakpoint in its place, that goes to the tracer. */
	if (!strcmp(ends, "trigger") && !p->hw && n == count + 1 && end < v->log.count &&
	    v->executed[count] == v->log.events[end].addr)
		n = count;
	if (!strcmp(ends, "trigger") && p->hw && end != v->log.count)
		return "the breakpoint did not stop the LBR here";
	if (stopped != SIZE_MAX && stopped < n)
		return "recording stopped within";
	return count != n || !same(insns, v->executed) ? "instructions differ" : NULL;
}

static void count_name(struct tally *tally, size_t max, const char *name)
{
	for (size_t i = 0; i < max; i++) {
		if (tally[i].name && strcmp(tally[i].name, name) != 0)
			continue;
		if (!tally[i].name)
			tally[i].name = strdup(name);
		tally[i].count++;
		return;
	}
}

static bool is_gap(const json_t *block, enum path_gap gap)
{
	const char *reason = json_string_value(json_object_get(block, "gap"));

	return reason && !strcmp(reason, path_gap_text(gap));
}

static bool is_kernel(uint64_t addr)
{
	return addr >> 63;
}

/* Was the program in user space from one branch to another? @next: NONE, to the end */
static bool in_user_space(const struct verifier *v, const struct placed *p, uint32_t entry,
			  uint32_t next)
{
	uint32_t last = next == NONE ? p->count - 1 : next;

	for (uint32_t i = entry; i <= last && i < p->count; i++) {
		const struct truth_event *ev = &v->log.events[event_of(v, p, i)];

		if ((i > entry && is_kernel(ev->addr)) || (i != next && is_kernel(ev->to)))
			return false;
	}
	return true;
}

static void note_gap(struct verifier *v, struct totals *t, const json_t *block, bool say)
{
	const char *gap = json_string_value(json_object_get(block, "gap"));

	if (is_gap(block, PATH_GAP_USER)) {
		t->user++;
		return;
	}
	if (is_gap(block, PATH_GAP_OVERFLOW)) {
		t->overflows++;
		return;
	}
	t->gaps++;
	if (!say)
		return;
	count_name(v->gaps, GAPS_MAX, gap);
	if (is_gap(block, PATH_GAP_NO_TEXT))
		printf("unread: %s\n", json_string_value(json_object_get(block, "start")));
	if (v->verbose)
		printf("gap: %s: %s (%s) to %s\n", gap,
		       json_string_value(json_object_get(block, "start")),
		       json_string_value(json_object_get(block, "function")),
		       json_string_value(json_object_get(block, "end")));
}

/* The branch that a block ends with, or NONE */
static uint32_t next_of(const json_t *block)
{
	const json_t *branch = json_object_get(block, "branch");

	return json_is_integer(branch) ? (uint32_t)json_integer_value(branch) : NONE;
}

static enum path_gap reason_of_gap(const json_t *block)
{
	for (int gap = PATH_GAP_NONE + 1; gap < PATH_GAP_COUNT; gap++) {
		if (is_gap(block, (enum path_gap)gap))
			return (enum path_gap)gap;
	}
	return PATH_GAP_NONE;
}

/* Did recording stop within? Then branches can be missing. */
static bool stops_within(const struct verifier *v, size_t first, size_t end)
{
	for (size_t i = first; i < end && i < v->log.count; i++) {
		if (v->log.events[i].kind == 'Z')
			return true;
	}
	return false;
}

/* Are a gap's ends those of the log? @first, @end: the branches there, indices into it */
static bool ends_fit(const struct verifier *v, const struct placed *p, const json_t *block,
		     size_t first, size_t end, bool after_off)
{
	uint64_t from = get_address(block, "start"), to = get_address(block, "end");

	if (!after_off && from != v->log.events[first].to)
		return false;
	if (json_is_integer(json_object_get(block, "branch")))
		return end < v->log.count && to == v->log.events[end].addr;
	return to == p->ip || (after_off && to == from);
}

/* What is wrong with a gap behind the branch @entry; NULL if its reason is so by the log. */
static const char *check_gap(const struct verifier *v, const struct placed *p, const json_t *block,
			     uint32_t entry, const struct lbr_off *off)
{
	uint32_t next = next_of(block);
	size_t first = event_of(v, p, entry), end = event_of(v, p, next == NONE ? p->count : next);
	uint64_t from = get_address(block, "start"), to = get_address(block, "end");
	bool stopped = stops_within(v, first, end);

	if (first >= v->log.count || end < first)
		return "its branches are not in order";
	if (json_array_size(json_object_get(block, "insns")))
		return "a gap has instructions";
	if (!ends_fit(v, p, block, first, end, off->open))
		return "the gap is elsewhere";
	switch (reason_of_gap(block)) {
	case PATH_GAP_USER:
		return in_user_space(v, p, entry, next) ? NULL : "the kernel was at work";
	case PATH_GAP_BACKWARDS:
		return stopped && to < from ? NULL : "no branch is missing there";
	case PATH_GAP_TOO_LONG:
		return stopped && to - from > PATH_RUN_BYTES_MAX ? NULL
								 : "no branch is missing there";
	case PATH_GAP_UNRECORDED:
	case PATH_GAP_MISALIGNED:
		return stopped ? NULL : "recording never stopped there";
	case PATH_GAP_LBR_OFF:
		return stopped || off->untold ? NULL : "recording never stopped there";
	case PATH_GAP_OVERFLOW:
		return p->goes_on == GOES_TO_INTERRUPT && entry + 1 == p->useful && next == NONE
			       ? NULL
			       : "no counter overflowed here";
	case PATH_GAP_NO_TEXT: /* executed.py asks the kernel's symbols */
		return NULL;
	default: /* a transaction, a program's own path, text that changes */
		return "the log shows nothing of the kind";
	}
}

/* What is wrong with the block's place in the path; NULL if nothing. @gap_due: the block before
 * ends where recording may have stopped.
 */
static const char *check_place(const json_t *block, uint32_t entry, bool gap_due)
{
	uint32_t next = next_of(block);
	bool user = is_gap(block, PATH_GAP_USER);

	if (gap_due && !reason_of_gap(block))
		return "no gap where recording may have stopped";
	/* A stay in user space is one gap, however many branches. */
	return next == NONE || next == entry + 1 || (user && next > entry)
		       ? NULL
		       : "a branch has no block";
}

/* A decision for each conditional branch, in order: taken is the one that ends the block, by the
 * log. */
static const char *check_decisions(const struct verifier *v, const struct placed *p,
				   const json_t *block)
{
	const json_t *insns = json_object_get(block, "insns"), *insn;
	const json_t *decisions = json_object_get(block, "decisions");
	const json_t *branch = json_object_get(block, "branch");
	const struct truth_event *left = NULL;
	size_t i, n = 0;

	if (json_is_integer(branch) &&
	    p->first + (uint32_t)json_integer_value(branch) < v->branches)
		left = &v->log.events[event_of(v, p, (uint32_t)json_integer_value(branch))];
	json_array_foreach((json_t *)insns, i, insn)
	{
		const json_t *decision = json_array_get(decisions, n);
		uint64_t addr = get_address(insn, "addr");
		bool taken = left && !left->irq && left->addr == addr;
		bool called = conditional_by_text(json_string_value(json_object_get(insn, "text")));

		if (called !=
		    conditional_at(&v->conditionals, addr, called || (taken && left->conditional)))
			return called ? "this is no conditional branch"
				      : "a conditional branch is called something else";
		if (!called)
			continue;
		n++;
		if (get_address(decision, "addr") != addr)
			return "a conditional branch has no decision";
		if (json_is_true(json_object_get(decision, "taken")) != taken)
			return taken ? "this was taken" : "this was not taken";
		if (taken && get_address(decision, "target") != left->to)
			return "the branch that was taken leads elsewhere";
	}
	return n == json_array_size(decisions) ? NULL : "a decision has no conditional branch";
}

/* Where the interrupt came, behind the gap from the overflow to there; of user space the gap alone.
 */
static const char *check_interrupt(const struct placed *p, const json_t *path)
{
	size_t count = json_array_size(path), place = is_kernel(p->ip);
	const json_t *last = json_array_get(path, count - 1);
	const char *ends = json_string_value(json_object_get(last, "ends"));

	if (!place && is_gap(last, PATH_GAP_USER))
		return NULL;
	if (count <= place || !is_gap(json_array_get(path, count - 1 - place), PATH_GAP_OVERFLOW))
		return "no gap between the overflow and its interrupt";
	return place && (!ends || strcmp(ends, "trigger") != 0 ||
			 get_address(last, "start") != p->ip ||
			 json_array_size(json_object_get(last, "insns")) ||
			 json_array_size(json_object_get(last, "decisions")))
		       ? "the path does not end where the interrupt came"
		       : NULL;
}

/* Does the path end where the program got to? */
static const char *check_end(const struct placed *p, const json_t *path, uint32_t entry)
{
	const json_t *last = json_array_get(path, json_array_size(path) - 1);
	const char *ends = json_string_value(json_object_get(last, "ends"));
	/* A stay in user space is one gap up to its end: check_gap() has held its branches. */
	bool stays = is_gap(last, PATH_GAP_USER) && next_of(last) == NONE && !is_kernel(p->ip);

	if (entry + 1 < p->useful && !stays)
		return "the newest branches have no block";
	if (p->goes_on == GOES_TO_INTERRUPT)
		return check_interrupt(p, path);
	/* The end of a gap without a branch is the trigger's: ends_fit(). */
	if (p->goes_on == GOES_TO_TRIGGER && (!ends || strcmp(ends, "trigger") != 0) &&
	    (!reason_of_gap(last) || next_of(last) != NONE))
		return "the path does not reach the trigger";
	if (p->goes_on == GOES_TO_TRACER && p->useful < p->count && entry != p->useful)
		return "the path does not reach the tracer";
	return NULL;
}

static void say_wrong(const json_t *block, const char *why)
{
	printf("wrong: %s: block %s of %s\n", why,
	       json_string_value(json_object_get(block, "start")),
	       json_string_value(json_object_get(block, "function")));
}

/* Return: number of wrong blocks. */
static uint32_t check_path(struct verifier *v, const struct placed *p, const json_t *path,
			   struct totals *t, bool say)
{
	uint32_t entry = 0, wrong = 0;
	struct lbr_off off = {0};
	bool after_overflow = false, gap_due = false;
	const json_t *block;
	const char *why;
	size_t i;

	json_array_foreach((json_t *)path, i, block)
	{
		const json_t *branch = json_object_get(block, "branch");
		const char *gap = json_string_value(json_object_get(block, "gap"));
		const char *ends = json_string_value(json_object_get(block, "ends"));

		why = check_place(block, entry, gap_due);
		gap_due = ends && !strcmp(ends, "lbr-off");
		if (gap_due)
			off = (struct lbr_off){
				.untold = msr_is_untold(path, i),
				.before = json_array_size(json_object_get(block, "insns"))};
		if (gap) {
			note_gap(v, t, block, say);
			why = why ?: check_gap(v, p, block, entry, &off);
		} else if (!after_overflow) { /* else it has no instructions: check_interrupt() */
			why = why ?: check_block(v, p, block, entry, &off);
			t->compared += json_array_size(json_object_get(block, "insns"));
		}
		after_overflow = is_gap(block, PATH_GAP_OVERFLOW);
		why = why ?: check_decisions(v, p, block);
		t->blocks += !gap;
		t->insns += json_array_size(json_object_get(block, "insns"));
		t->decisions += json_array_size(json_object_get(block, "decisions"));
		wrong += why != NULL;
		if (why && say)
			say_wrong(block, why);
		if (gap_due)
			off.open = true;
		else if (json_is_integer(branch)) {
			entry = (uint32_t)json_integer_value(branch);
			off = (struct lbr_off){0};
		}
	}
	why = gap_due ? "no gap where recording may have stopped" : NULL;
	if (!why && json_is_array(path))
		why = check_end(p, path, entry);
	if (why && say)
		say_wrong(json_array_get(path, json_array_size(path) - 1), why);
	return wrong + (why != NULL);
}

static uint32_t read_branches(const json_t *snap, struct branch *branches)
{
	const json_t *array = json_object_get(snap, "branches"), *br;
	uint32_t count = 0;
	size_t i;

	json_array_foreach((json_t *)array, i, br)
	{
		if (count == BRANCHES_MAX)
			break;
		branches[count++] = (struct branch){
			.from = get_address(json_object_get(br, "from"), "addr"),
			.to = get_address(json_object_get(br, "to"), "addr"),
			.mispred =
				json_is_true(json_object_get(br, "mispred")) ? TRI_SET : TRI_CLEAR,
			.cycles = (int32_t)json_integer_value(json_object_get(br, "cycles")),
		};
	}
	return count;
}

/*
 * Are the stop's newest branches @branches, and all that the LBR then held? Then its log is in
 * v->log.
 */
static bool stop_matches(struct verifier *v, const struct stop *stop, const struct branch *branches,
			 uint32_t count)
{
	if (stop_read(stop, &v->log, v->at, ARRAY_SIZE(v->at), &v->branches) ||
	    v->branches != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct truth_event *ev = &v->log.events[v->at[v->branches - count + i]];

		if (ev->addr != branches[i].from || ev->to != branches[i].to ||
		    ev->mispred != (branches[i].mispred == TRI_SET) ||
		    ev->cycles != (uint32_t)branches[i].cycles)
			return false;
	}
	return true;
}

/*
 * Both count what was executed, each in its own way: cycles of a branch are the emulator's counter,
 * I lines are written one by one. What is counted twice or not at all shows here.
 */
static uint32_t check_cycles(struct verifier *v, const struct placed *p)
{
	uint32_t wrong = 0;

	for (uint32_t i = 1; i < p->count; i++) {
		size_t before = event_of(v, p, i - 1), at = event_of(v, p, i), stopped;
		const struct truth_event *branch = &v->log.events[at];
		size_t executed;

		/* truth_tail leaves out what user space executes. */
		if (!(v->log.events[before].to >> 63))
			continue;
		executed_reserve(v, at - before);
		executed = truth_executed(&v->log, before + 1, at, v->executed, &stopped);
		if (stopped != SIZE_MAX)
			continue;
		v->totals.counted++;
		if (branch->cycles != (executed < CYCLES_MAX ? executed : CYCLES_MAX)) {
			printf("wrong: %u cycles, %zu instructions: branch from 0x%" PRIx64 "\n",
			       branch->cycles, executed, branch->addr);
			wrong++;
		}
	}
	return wrong;
}

/* Does an interrupt or exception arrive in the path, or end? */
static bool interrupt_within(const json_t *path)
{
	const json_t *block, *last;
	size_t i;

	json_array_foreach((json_t *)path, i, block)
	{
		const char *ends = json_string_value(json_object_get(block, "ends")), *text;
		const json_t *insns = json_object_get(block, "insns");

		last = json_array_get(insns, json_array_size(insns) - 1);
		text = json_string_value(json_object_get(last, "text"));
		if ((ends && !strcmp(ends, "interrupt")) || (text && !strncmp(text, "iret", 4)))
			return true;
	}
	return false;
}

/* The next stop that a snapshot of so many branches may show: by a hash of the newest, if they are
 * enough. */
static uint32_t next_stop(const struct verifier *v, uint32_t count, uint32_t n)
{
	if (count >= STOP_NEWEST)
		return v->stops.all[n].newer;
	return n + 1 < v->stops.count ? n + 1 : NONE;
}

static void judge(struct verifier *v, struct placed *p, const struct branch *branches,
		  const json_t *snap, const json_t *path)
{
	uint64_t cpu = (uint64_t)json_integer_value(json_object_get(snap, "cpu")) % TRUTH_CPUS_MAX;
	uint32_t hash = stops_hash(branches, p->count), fewest = NONE;
	const struct stop *best = NULL;
	struct totals before;

	/* The same run may be logged more than once: the first one that fits best is meant. */
	for (uint32_t n = p->count < STOP_NEWEST ? 0 : v->stops.head[hash & v->stops.mask];
	     n != NONE && n < v->stops.count && fewest; n = next_stop(v, p->count, n)) {
		struct totals ignored = {0};
		uint32_t wrong;

		p->stop = &v->stops.all[n];
		if (n < v->next[cpu] || (hash && p->stop->hash != hash) || p->stop->cpu != cpu ||
		    p->stop->reason != p->reason || !stop_matches(v, p->stop, branches, p->count))
			continue;
		p->first = v->branches - p->count;
		wrong = check_path(v, p, path, &ignored, false);
		if (wrong < fewest) {
			fewest = wrong;
			best = p->stop;
		}
	}
	if (!best) {
		v->totals.not_found++;
		return;
	}
	p->stop = best;
	v->next[cpu] = (uint32_t)(best - v->stops.all) + 1;
	stop_matches(v, best, branches, p->count);
	p->first = v->branches - p->count;
	before = v->totals;
	v->totals.wrong += check_path(v, p, path, &v->totals, true);
	v->totals.wrong += check_cycles(v, p);
	v->totals.with_gap += v->totals.gaps > before.gaps;
	v->totals.with_interrupt += interrupt_within(path);
}

/* First letter of what stops the LBR for a trigger. */
static char reason_of(const char *kind)
{
	if (kind && !strcmp(kind, "hw"))
		return 'd';
	return kind && !strcmp(kind, "pmi") ? 'p' : 'o';
}

static enum goes_on goes_on_of(const char *kind)
{
	if (kind && (!strcmp(kind, "hw") || !strcmp(kind, "fentry") || !strcmp(kind, "kprobe")))
		return GOES_TO_TRIGGER;
	if (kind && !strcmp(kind, "pmi"))
		return GOES_TO_INTERRUPT;
	if (kind && (!strcmp(kind, "tracepoint") || !strcmp(kind, "rawtracepoint")))
		return GOES_TO_TRACER;
	return GOES_NOWHERE;
}

static bool in_program_alone(const struct branch *branches, uint32_t count, uint64_t ip)
{
	/* What led to the source of the oldest is not known: the kernel may have returned. */
	for (uint32_t i = 0; i < count; i++)
		if ((i && is_kernel(branches[i].from)) || is_kernel(branches[i].to))
			return false;
	return !is_kernel(ip);
}

static void verify_snapshot(struct verifier *v, const json_t *snap)
{
	const json_t *path = json_object_get(snap, "path");
	const json_t *trigger = json_object_get(snap, "trigger"),
		     *lbr = json_object_get(snap, "lbr");
	const char *kind = json_string_value(json_object_get(trigger, "kind"));
	const char *function = json_string_value(json_object_get(trigger, "function"));
	struct branch branches[BRANCHES_MAX];
	struct placed p = {.count = read_branches(snap, branches),
			   .hw = kind && !strcmp(kind, "hw"),
			   .reason = reason_of(kind),
			   .goes_on = goes_on_of(kind),
			   .ip = get_address(trigger, "ip")};
	uint32_t wasted = (uint32_t)json_integer_value(json_object_get(lbr, "wasted"));
	uint64_t before = v->totals.compared;

	v->totals.snapshots++;
	v->totals.by_breakpoint += p.hw;
	v->totals.errors += json_is_string(json_object_get(trigger, "errno"));
	count_name(v->functions, FUNCTIONS_MAX, function ?: "?");
	p.useful = wasted <= p.count ? p.count - wasted : 0;
	/*
	 * The program's own branches alone: its code is not read, and nothing is said.
	 * All entries the capture's own: nothing is said. Whether that is so is asked of the
	 * symbols (executed.py); the branches have to be there all the same.
	 */
	if (!json_is_array(path) && p.useful && !in_program_alone(branches, p.count, p.ip))
		v->totals.without_path++;
	if (!p.count)
		v->totals.not_found++;
	else
		judge(v, &p, branches, snap, path);
	/* A path of gaps alone says nothing that could be wrong. */
	v->totals.with_path += v->totals.compared > before;
	if (v->verbose)
		printf("compared: %" PRIu64 "\n", v->totals.compared - before);
}

static int verify_file(struct verifier *v, const char *file)
{
	FILE *f = fopen(file, "re");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0) {
		json_error_t error;
		json_t *snap = json_loads(line, 0, &error);

		if (!snap) {
			fprintf(stderr, "verify_path: %s: %s\n", file, error.text);
			free(line);
			fclose(f);
			return -EINVAL;
		}
		verify_snapshot(v, snap);
		json_decref(snap);
	}
	free(line);
	fclose(f);
	return 0;
}

static void print_totals(const struct verifier *v)
{
	const struct totals *t = &v->totals;
	size_t functions = 0;

	while (functions < FUNCTIONS_MAX && v->functions[functions].name)
		functions++;
	for (size_t i = 0; i < GAPS_MAX && v->gaps[i].name; i++)
		printf("gap: %" PRIu64 " times: %s\n", v->gaps[i].count, v->gaps[i].name);
	printf("snapshots %" PRIu64 "\nwith_path %" PRIu64 "\nfunctions %zu\nby_breakpoint %" PRIu64
	       "\nerrors %" PRIu64 "\nnot_in_log %" PRIu64 "\nwithout_path %" PRIu64
	       "\nwith_interrupt %" PRIu64 "\nwith_gap %" PRIu64 "\n",
	       t->snapshots, t->with_path, functions, t->by_breakpoint, t->errors, t->not_found,
	       t->without_path, t->with_interrupt, t->with_gap);
	printf("blocks %" PRIu64 "\ninstructions %" PRIu64 "\ndecisions %" PRIu64 "\ngaps %" PRIu64
	       "\noverflows %" PRIu64 "\nuser %" PRIu64 "\ncounted %" PRIu64 "\nwrong %" PRIu64
	       "\n",
	       t->blocks, t->insns, t->decisions, t->gaps, t->overflows, t->user, t->counted,
	       t->wrong);
}

int main(int argc, char **argv)
{
	static struct verifier v;
	int err;

	if (argc < 4) {
		fprintf(stderr, "usage: verify_path STOPS CONDITIONALS SNAPSHOTS [-v]\n");
		return 2;
	}
	v.verbose = argc > 4 && !strcmp(argv[4], "-v");
	err = stops_load(argv[1], &v.stops);
	if (!err)
		err = conditionals_load(argv[2], &v.conditionals);
	if (!err)
		err = verify_file(&v, argv[3]);
	if (err) {
		fprintf(stderr, "verify_path: %s\n", strerror(-err));
		return 2;
	}
	print_totals(&v);
	return v.totals.wrong || v.totals.not_found || v.totals.without_path || !v.totals.snapshots;
}
