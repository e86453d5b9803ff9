/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_join.h - join the records of one more run to the known path
 *
 * The path leads to the instruction that made the error. A run has breakpoints at points of the
 * path, and each hit records the branches before it. Hits are identified by counting back from the
 * error: the path says how often each point is executed from the joint to the error. The run has to
 * hit them in that order, with the same branches before each.
 */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_JOIN_H
#define LBRSNOOP_WHY_DEEP_DEEP_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why_event.h"

/* Branches that two runs need in common: one less than the shallowest LBR holds. */
#define DEEP_OVERLAP_MIN 3
/* Interrupts that one record can hold: each has at least two branches. */
#define DEEP_INTERRUPTS_MAX (RECORD_BRANCHES_MAX / 2)
/* A place in the path: before its first branch. Only the source of that, or @start, is known. */
#define DEEP_BEFORE (-1)

/**
 * struct deep_code - code that shows where a system call begins, and where an interrupt ends
 * @start, @end: the entry code, of system calls, interrupts and exceptions
 * @int3_start, @int3_end: the part of it that handles #BP, which kprobes use; 0: not known
 * @calls: functions that the entry code calls for a system call; 0: none
 * @switch_start, @switch_end: code that switches tasks, and code that the next task executes first;
 *   0: not known
 * @sched_start, @sched_end: the scheduler's functions, in which a task waits; 0: not known
 * @yields: of these, functions that seldom let other tasks run; 0: none
 * @wakes: functions that wake another task; 0: none
 * @text: or NULL: then no call of these is left out (borrowed)
 * @symbols: or NULL: then code of kprobes is not recognized (borrowed)
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
	DEEP_END_FULL,	  /* the LBR had no room for more */
	DEEP_END_RESUMED, /* there an interrupt, our breakpoint, or a reschedule, returned */
	DEEP_END_ENTRY,	  /* its first branch enters the system call */
	DEEP_END_OTHER,	  /* other entry code, user space, or the code of a kprobe */
	DEEP_END_SWITCH,  /* there the task was switched to, or had woken another one */
	DEEP_END_STALE,	  /* invalid: the LBR had stopped before the hit */
};

/** enum deep_resumer - what returned to the place where a record begins */
enum deep_resumer {
	DEEP_RESUMER_UNKNOWN,	  /* the record does not have its branches */
	DEEP_RESUMER_INT3,	  /* the handler of a kprobe that is a breakpoint */
	DEEP_RESUMER_KPROBE_CODE, /* the code of a kprobe that was made a jump */
	DEEP_RESUMER_OTHER,	  /* an interrupt, another exception, a reschedule */
};

/**
 * struct deep_record - the branches of the call before a hit, oldest first
 * @resumed: DEEP_END_RESUMED: address that was executed next. DEEP_END_SWITCH: address that the
 *           call returned to in which the task waited, or woke another one; the branches of that
 *           call are left out. 0: the hit was within that call.
 * @resumer: of DEEP_END_RESUMED
 * @interrupts: entries of interrupts and exceptions that were cut out, newest first
 * @interrupt_at: for each of them, how many of @branches are newer
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
 * @seq: its number in the order of all events
 * @switches: context switches of the thread since it began
 * @regs: struct pt_regs before the instruction; of a WHY_PASSED event without the instruction
 *        pointer
 * @top: the word at the stack pointer; 0: not known
 * @record: a kprobe's hit has none
 */
struct deep_hit {
	uint64_t ip;
	uint64_t seq;
	uint32_t switches;
	uint64_t regs[RECORD_REGS];
	uint64_t top;
	struct deep_record record;
};

/** deep_has_record() - did the hit take a record? A kprobe's has none */
static inline bool deep_has_record(const struct deep_hit *hit)
{
	return hit->record.count || hit->record.end != DEEP_END_FULL;
}

/** deep_record_make() - make a record of @count LBR entries, newest first */
void deep_record_make(const struct deep_code *code, const struct why_branch *newest, size_t count,
		      struct deep_record *ret);

/**
 * struct deep_interrupt - something that is left out of the path
 * @entry: address of the interrupt's entry, or of the function that was called; of any other
 *         reschedule the function in which the run left the path
 * @newer: branches of the path that are newer
 * @resumed: 0; or a call is left out, and returned to this address
 * @run: number of the run
 * @rescheduled: other tasks ran, or were woken, and the run came back to the path
 * @woke: the call at @resumed woke another task; else it waited
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
 * @start: 0; or the path begins at this address, after a call that waited, or woke another task
 * @cuts: what is left out of the path
 */
struct deep_known {
	const struct why_branch *branches;
	size_t count;
	uint64_t end;
	uint64_t start;
	const struct deep_interrupt *cuts;
	size_t cut_count;
};

/* A call that is left out is "call rel32", so many bytes before the address it returns to. */
#define DEEP_CALL_BYTES 5

/** deep_cut_at() - the call that is left out, and returns to @addr; NULL: none is */
const struct deep_interrupt *deep_cut_at(const struct deep_known *known, uint64_t addr);

/**
 * struct deep_run - one run
 * @points: addresses that had breakpoints or kprobes, @end of the path among them
 * @hits: all hits in the call that failed, oldest first
 */
struct deep_run {
	const uint64_t *points;
	size_t point_count;
	const struct deep_hit *hits;
	size_t hit_count;
};

/** enum deep_verdict - of an attempt to join a run */
enum deep_verdict {
	DEEP_JOINED = 0,
	DEEP_NO_HIT,	  /* the end of the path was not hit */
	DEEP_OTHER_PATH,  /* the run took another path */
	DEEP_SHORT,	  /* an interrupt, or other entry code, cut the record short */
	DEEP_SWITCHED,	  /* the call waited: another task ran */
	DEEP_OVERLAP,	  /* fewer than DEEP_OVERLAP_MIN branches are the same */
	DEEP_AMBIGUOUS,	  /* it is not certain which execution of the point was hit */
	DEEP_NO_PROGRESS, /* the branches are the same, and the record has no more */
};

/**
 * struct deep_joint - the result of an attempt to join a run
 * @overlap: branches of the path that the run also recorded, on both sides of the joint
 * @differs: DEEP_OTHER_PATH: index of the newest branch of the path that the run did not take
 * @same_place: DEEP_OTHER_PATH: another branch led the run to the same destination
 * @added: DEEP_JOINED: branches before the path, oldest first; free()
 * @computed: how many of @added, the newest ones, no record has
 * @entry: the oldest of @added enters the system call
 * @switched: another task ran before them
 * @resumed: 0; or a call before them is left out, and returned to this address. DEEP_SWITCHED: that
 *           call is before the path, of which the @gone oldest branches are within the call.
 * @first, @last: the oldest and the newest hit whose records have @added; borrowed from the run
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
 * deep_runs_through() - does the path execute the instruction at @addr after branch @at?
 * That is, from the destination of the branch to the source of the next one. Before the first
 * branch of the path, DEEP_BEFORE, it is known from @start on; without @start only the source of
 * that branch.
 */
bool deep_runs_through(const struct deep_known *known, long at, uint64_t addr);

/** deep_runs_between() - the same after any of the branches from @first to @last */
bool deep_runs_between(const struct deep_known *known, long first, long last, uint64_t addr);

/** deep_same_branch() - do both have the same source and destination? */
static inline bool deep_same_branch(const struct why_branch *one, const struct why_branch *other)
{
	return one->from == other->from && one->to == other->to;
}

/**
 * deep_is_ambiguous() - has a newer execution of @point the same branches before it as the one
 * after branch @at, back to where the path begins?
 */
bool deep_is_ambiguous(const struct deep_known *known, uint64_t point, long at);

/** deep_newest_hit() - of @hits, oldest first, the newest at @ip; NULL: there is none */
const struct deep_hit *deep_newest_hit(const struct deep_hit *hits, size_t count, uint64_t ip);

/**
 * struct deep_parted - a run was seen off the path
 *
 * Branches are counted from the error, 0 is the newest. The run was off the path before one of the
 * branches from @newest to @oldest. It may have left the path further back.
 * @to: 0; or the address where it came back to the path
 * @rescheduled: other tasks ran between the hits of the run: that may be the reason
 * @returned: other tasks ran just before the hit whose record is off the path: the run may have
 *            left the path only to reschedule
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
 * struct deep_blind - may a run have left the path before a branch, unobserved?
 * @newer: 0: no. Else it may not have taken this many branches, this one and newer ones. After them
 *         it was on the path.
 * @older: 0; or the run may have gone round a loop once more: to @loop, which the path reaches by
 *         the branch that is so many older
 * @loop: address of an instruction of the path
 */
struct deep_blind {
	size_t newer;
	size_t older;
	uint64_t loop;
};

/**
 * deep_agree() - is one run on the path at all its points?
 * @seen: one for each branch of the path, the newest first. Set to true for each branch that the
 *        run was seen to take, and to go on from as the path does, up to where it differs.
 * @ret_differs: DEEP_OTHER_PATH: index of the newest branch of the path that the run did not take;
 *               the path's count if that is somewhere between two points
 * @ret_parted: DEEP_OTHER_PATH: where the run was off the path; @rescheduled is always set
 * Return: DEEP_JOINED; DEEP_NO_HIT; DEEP_OTHER_PATH; DEEP_AMBIGUOUS: a hit differs from the path's,
 * but may be of a call that is left out.
 */
int deep_agree(const struct deep_known *known, const struct deep_run *run, bool *seen,
	       size_t *ret_differs, struct deep_parted *ret_parted);

/**
 * deep_join() - join one run to the path
 * @point: one of the run's points
 * @at: the path executes @point first after this branch, or DEEP_BEFORE
 * @ret: free @added if joined
 * Return: enum deep_verdict; -ENOMEM.
 */
int deep_join(const struct deep_known *known, uint64_t point, long at, const struct deep_run *run,
	      struct deep_joint *ret);

/**
 * typedef deep_compute_fn - compute a function's branches from the registers at its call
 * @hit: at the call instruction
 * @ret: oldest first, from the call to the return; free()
 * Return: 0; -ENODATA: the registers do not determine them; -ENOMEM.
 */
typedef int deep_compute_fn(void *ctx, const struct deep_hit *hit, struct why_branch **ret,
			    size_t *ret_count);

/**
 * deep_join_call() - join a run where the path begins in a function that can be computed
 *
 * This proves the joint: the run came to @point by the path's branches; its hit before that is at
 * @call, with the same stack pointer; the computed branches end with those that the path begins
 * with, and with those recorded at @point.
 * @point: where the function returned to, after branch @at of the path
 * @call: the call instruction, one of the run's points
 * Return: as deep_join(); DEEP_NO_PROGRESS also if @compute says -ENODATA.
 */
int deep_join_call(const struct deep_known *known, uint64_t point, long at, uint64_t call,
		   const struct deep_run *run, deep_compute_fn *compute, void *ctx,
		   struct deep_joint *ret);

/**
 * deep_join_wait() - join a run where the path begins after a call that is left out, at @start
 *
 * The branches of the call are left out, like those of an interrupt. This proves the joint: the run
 * came from @start by the path's branches; before that it was at the call instruction, with the
 * same stack pointer; and, if the call waits, other tasks ran in between.
 * @waits: the call waits; else it wakes another task
 * @run: its points include @start and the call instruction
 * Return: as deep_join().
 */
int deep_join_wait(const struct deep_known *known, bool waits, const struct deep_run *run,
		   struct deep_joint *ret);

#endif
