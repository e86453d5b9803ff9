/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_join.h - the records of one more run, and the path that is known: do they join?
 *
 * Functions over arrays of branches alone. The path leads to the instruction that made the error.
 * In a run breakpoints stand on points of it, each of which takes the branches before it. Which hit
 * is which is counted back from the error: the path says how often each point is executed from the
 * joint on, and the run has to have hit them in that order, with the same branches before each.
 */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_JOIN_H
#define LBRSNOOP_WHY_DEEP_DEEP_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why_event.h"

/* Branches that have to be the same in two runs; all but one of what the shallowest LBR has. */
#define DEEP_OVERLAP_MIN 3
/* Interrupts that one record can hold: each has two branches at least. */
#define DEEP_INTERRUPTS_MAX (RECORD_BRANCHES_MAX / 2)
/* Places of the path: before the first branch that is known, its source can still be one. */
#define DEEP_BEFORE (-1)

/**
 * struct deep_code - code that tells where a system call begins, and an interrupt ends
 * @start, @end: the entry code, of system calls, interrupts and exceptions
 * @int3_start, @int3_end: of the entry code, that of a kprobe that is a breakpoint; 0: not known
 * @calls: functions that entry code calls for a system call; 0: none
 * @switch_start, @switch_end: what goes from one task to the next, and what the next one does
 *                             first; 0: not known
 * @sched_start, @sched_end: the scheduler's functions that a task waits in; 0: not known
 * @yields: of these, those in which a task seldom lets others run; 0: none
 * @wakes: functions that wake another task; 0: none
 * @text: or NULL: then nothing of these is left out (borrowed)
 * @symbols: or NULL: then code of kprobes is taken for any other (borrowed)
 */
struct deep_code {
	uint64_t start;
	uint64_t end;
	uint64_t int3_start;
	uint64_t int3_end;
	uint64_t calls[4];
	uint64_t switch_start[2];
	uint64_t switch_end[2];
	uint64_t sched_start;
	uint64_t sched_end;
	uint64_t yields[4];
	uint64_t wakes[3];
	const struct text_source *text;
	const struct symbols *symbols;
};

/** enum deep_end - why a record goes no further back */
enum deep_end {
	DEEP_END_FULL,	  /* it had no room for more */
	DEEP_END_RESUMED, /* there an interrupt, a breakpoint of ours, or others' turn, ended */
	DEEP_END_ENTRY,	  /* there the system call was entered: that is its first branch */
	DEEP_END_OTHER,	  /* other entry code, or user space */
	DEEP_END_SWITCH, /* there the task was switched to: before that another one ran; or woken */
	DEEP_END_STALE,	 /* it is none: the LBR had stopped before */
};

/** enum deep_resumer - what returned to where a record begins */
enum deep_resumer {
	DEEP_RESUMER_UNKNOWN,	  /* the record had no room for its branches */
	DEEP_RESUMER_INT3,	  /* the handler of a kprobe that is a breakpoint */
	DEEP_RESUMER_KPROBE_CODE, /* the code of a kprobe that was made a jump */
	DEEP_RESUMER_OTHER,	  /* an interrupt, another exception, others' turn */
};

/**
 * struct deep_record - the branches before a hit, oldest first, that are of the call itself
 * @resumed: DEEP_END_RESUMED: the instruction that was executed next; DEEP_END_SWITCH: the same,
 *           behind the call in which the task waited, or woke another one, whose own branches are
 *           left out; 0: the hit was in that call
 * @resumer: of DEEP_END_RESUMED
 * @interrupts: entries of interrupts and exceptions that were cut out of its middle
 * @interrupt_at: how many of @branches are newer
 */
struct deep_record {
	struct why_branch branches[RECORD_BRANCHES_MAX];
	size_t count;
	enum deep_end end;
	uint64_t resumed;
	enum deep_resumer resumer;
	uint64_t interrupts[DEEP_INTERRUPTS_MAX];
	size_t interrupt_at[DEEP_INTERRUPTS_MAX];
	size_t interrupt_count;
};

/**
 * struct deep_hit - a breakpoint or kprobe at @ip was hit
 * @seq: its place in the order of all events
 * @switches: how often the thread has let another one run, since it began
 * @regs: struct pt_regs before the instruction; of a kprobe the stack pointer alone, and no record
 */
struct deep_hit {
	uint64_t ip;
	uint64_t seq;
	uint32_t switches;
	uint64_t regs[RECORD_REGS];
	struct deep_record record;
};

/** deep_has_record() - a kprobe's hit has none */
static inline bool deep_has_record(const struct deep_hit *hit)
{
	return hit->record.count || hit->record.end != DEEP_END_FULL;
}

/** deep_record_make() - out of what the LBR held, @count entries, the newest first */
void deep_record_make(const struct deep_code *code, const struct why_branch *newest, size_t count,
		      struct deep_record *ret);

/**
 * struct deep_interrupt - left out of what a run did
 * @entry: of the interrupt; or of the function in which the run that took the path left it
 * @newer: branches of the path behind it
 * @resumed: 0; or @entry was called, and waited: the call returned there; or @woke another task
 * @rescheduled: it left the path: others ran, and it came back
 */
struct deep_interrupt {
	uint64_t entry;
	size_t newer;
	uint64_t resumed;
	unsigned int run;
	bool rescheduled;
	bool woke;
};

/**
 * struct deep_known - the path as far as it is known
 * @branches: oldest first
 * @end: the instruction that they lead to: it made the error
 * @start: 0; or the path begins there, behind a call that waited, or woke another task
 * @cuts: left out of it, @cut_count
 */
struct deep_known {
	const struct why_branch *branches;
	size_t count;
	uint64_t end;
	uint64_t start;
	const struct deep_interrupt *cuts;
	size_t cut_count;
};

/* Such a call is "call rel32": its address is so many bytes before where it returns to. */
#define DEEP_CALL_BYTES 5

/** deep_cut_at() - the call that returns to @addr, and is left out of the path; NULL: none is */
const struct deep_interrupt *deep_cut_at(const struct deep_known *known, uint64_t addr);

/**
 * struct deep_run - one run
 * @points: addresses that had breakpoints, @end of the path among them
 * @hits: all hits in the call that failed, oldest first
 */
struct deep_run {
	const uint64_t *points;
	size_t point_count;
	const struct deep_hit *hits;
	size_t hit_count;
};

/** enum deep_verdict - of a joint */
enum deep_verdict {
	DEEP_JOINED = 0,
	DEEP_NO_HIT,	  /* the place of the error was not executed */
	DEEP_OTHER_PATH,  /* the run took another way than the path */
	DEEP_SHORT,	  /* an interrupt, or other entry code, came between */
	DEEP_SWITCHED,	  /* the call waited: another task ran */
	DEEP_OVERLAP,	  /* fewer branches are the same than DEEP_OVERLAP_MIN */
	DEEP_AMBIGUOUS,	  /* the same branches stand before another execution of the point, too */
	DEEP_NO_PROGRESS, /* they are the same, and nothing is before them */
};

/**
 * struct deep_joint - what came of it
 * @overlap: branches of the path that the run had, too, on both sides of the joint
 * @differs: DEEP_OTHER_PATH: number of the newest branch of the path that the run did not take
 * @same_place: DEEP_OTHER_PATH: it came to where that leads from another instruction
 * @added: DEEP_JOINED: branches before the path, oldest first; free()
 * @computed: the last of @added, which no record has
 * @entry: the first of them enters the system call
 * @switched: before them another task ran
 * @resumed: 0; or before them is a call that waited, and returned there. DEEP_SWITCHED: the same,
 *           before the path without its @gone oldest branches, which are of that call
 * @first, @last: the hits whose records have them, from the oldest one on; borrowed from the run
 */
struct deep_joint {
	size_t overlap;
	size_t differs;
	bool same_place;
	struct why_branch *added;
	size_t added_count;
	size_t computed;
	bool entry;
	bool switched;
	uint64_t resumed;
	size_t gone;
	const struct deep_hit *first;
	const struct deep_hit *last;
};

/**
 * deep_runs_through() - does the path execute the instruction at @addr behind branch @at?
 * That is, from where the branch leads to up to the source of the next. Before the first branch of
 * the path, DEEP_BEFORE, it is known from @start on; without that only the source of that branch.
 */
bool deep_runs_through(const struct deep_known *known, long at, uint64_t addr);

/** deep_runs_between() - the same behind any of the branches from @first to @last */
bool deep_runs_between(const struct deep_known *known, long first, long last, uint64_t addr);

/** deep_same_branch() - from the same place to the same? */
static inline bool deep_same_branch(const struct why_branch *one, const struct why_branch *other)
{
	return one->from == other->from && one->to == other->to;
}

/**
 * deep_is_ambiguous() - does another execution of the point, nearer to the error, have the same
 * branches before it as the one behind branch @at, back to where the path begins?
 */
bool deep_is_ambiguous(const struct deep_known *known, uint64_t point, long at);

/** deep_newest_hit() - of @hits, oldest first, the newest at @ip; NULL if there is none */
const struct deep_hit *deep_newest_hit(const struct deep_hit *hits, size_t count, uint64_t ip);

/**
 * struct deep_parted - before which branches of the path, counted from the error, a run was seen
 * not to be on it: from @newest to @oldest. How far before that it had left the path is not known.
 * @to: 0; or where it came back to the path
 * @rescheduled: other tasks ran between its hits, which may be why
 * @returned: they did just before: it is where the run came back to the path from the scheduler,
 * and may have left it for that alone
 */
struct deep_parted {
	size_t newest;
	size_t oldest;
	uint64_t to;
	bool rescheduled;
	bool returned;
};

/** deep_was_rescheduled() - did other tasks run between @hits of a call? */
bool deep_was_rescheduled(const struct deep_hit *hits, size_t count);

/**
 * struct deep_blind - before a branch a run may have left the path, for all that it tells
 * @newer: 0: it did not; or so many branches, that one and newer ones, it may not have come by
 *         then: behind these it was on the path
 * @older: 0; or it may have gone round a loop once more, to which the path comes by the branch that
 *         is so many older; then it came to @loop
 */
struct deep_blind {
	size_t newer;
	size_t older;
	uint64_t loop;
};

/**
 * deep_agree() - is one run on the path wherever it was looked at?
 * @seen: one for each branch of the path, the newest first; true is set for those that the run was
 *        seen to take and to go on from as the path does, up to where it differs
 * @ret_differs: DEEP_OTHER_PATH: number of the newest branch of the path that the run did not take;
 *               the path's count if that is somewhere between two points
 * @ret_parted: DEEP_OTHER_PATH: the same, as far as it is known
 * Return: DEEP_JOINED; DEEP_NO_HIT; DEEP_OTHER_PATH; DEEP_AMBIGUOUS: a hit is not where the path
 * has one, and may have been in a call that waited.
 */
int deep_agree(const struct deep_known *known, const struct deep_run *run, bool *seen,
	       size_t *ret_differs, struct deep_parted *ret_parted);

/**
 * deep_join() - join one run to the path
 * @point: one of the run's points
 * @at: the first place of the path that executes it, or DEEP_BEFORE
 * @ret: @added is set if joined
 * Return: enum deep_verdict; -ENOMEM.
 */
int deep_join(const struct deep_known *known, uint64_t point, long at, const struct deep_run *run,
	      struct deep_joint *ret);

/**
 * typedef deep_compute_fn - all branches of a function that the registers at its call decide
 * @hit: at the call instruction
 * @ret: oldest first, from the call to the return; free()
 * Return: 0; -ENODATA; -ENOMEM.
 */
typedef int deep_compute_fn(void *ctx, const struct deep_hit *hit, struct why_branch **ret,
			    size_t *ret_count);

/**
 * deep_join_call() - the same, where the path begins in a function that is computed
 *
 * Proven are: the run was at @point by the path's branches; its hit before that is at @call, with
 * the stack at the same place; and what the registers at the call decide ends with the branches
 * that the path begins with, and with all that were recorded at @point.
 * @point: where the function returned to, behind branch @at of the path
 * @call: the call instruction, one of the run's points
 * Return: as deep_join(); DEEP_NO_PROGRESS, too, if @compute says -ENODATA.
 */
int deep_join_call(const struct deep_known *known, uint64_t point, long at, uint64_t call,
		   const struct deep_run *run, deep_compute_fn *compute, void *ctx,
		   struct deep_joint *ret);

/**
 * deep_join_wait() - the same, where the path begins behind a call that is left out, at its @start
 *
 * As an interrupt is, what the call did is left out. Proven are: the run was at @start by the
 * path's branches; before that it was at the call instruction, with the stack at the same place,
 * and, where the call waits, let others run in between.
 * @waits: it does; else it wakes another task
 * @run: its points are @start and the call instruction, among others
 * Return: as deep_join().
 */
int deep_join_wait(const struct deep_known *known, bool waits, const struct deep_run *run,
		   struct deep_joint *ret);

#endif
