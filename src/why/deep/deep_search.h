/* SPDX-License-Identifier: GPL-2.0 */
/* deep_search.h - how deep.c searches the path backwards, and where it puts breakpoints */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_SEARCH_H
#define LBRSNOOP_WHY_DEEP_DEEP_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/probeable.h"
#include "why/deep/deep.h"
#include "why/deep/deep_callers.h"
#include "why/deep/deep_hits.h"
#include "why/deep/deep_looks.h"
#include "why/deep/deep_place.h"

/* A record of fewer LBR entries has no room to overlap the path: see deep_find_target(). */
#define DEEP_SHALLOW 8
/* Runs that are kept to see what the checks do not observe. */
#define LOOKS_UNOBSERVED 3
/* The reason of a gap. */
#define DEEP_WAITED "there the call waited, and another task ran"

/** enum deep_no_verdict - the run told nothing of the path: beside enum deep_verdict */
enum deep_no_verdict {
	DEEP_NO_POINT = 100, /* no run was made: a point that it needs got no breakpoint */
	DEEP_LOST,	     /* hits were lost */
	DEEP_TOO_MANY,	     /* the breakpoints were hit too often, and disarmed */
};

/**
 * struct deep_target - a point near the oldest end of the path, for the next run
 * @at: the path executes @addr first after this branch, or DEEP_BEFORE
 * @call: 0; or the address of the call that returns to @addr: of a function in which the path
 *        begins, see deep_join_call(); or, with @wait, of a call that is left out, see
 *        deep_join_wait()
 * @wait: @addr is the path's @start
 */
struct deep_target {
	uint64_t addr;
	long at;
	uint64_t call;
	bool wait;
};

/**
 * struct deep - the search
 * @place: which hits are the end of the path: of the place that @opts names, or of an error that
 *         depends on a register. Without ends each hit of the error counts.
 * @callers: paths to calls that this path is going to reach
 * @alone: the next run follows no calls, and has no kprobes
 * @looks: which branches of the path each run was seen to take
 * @blind: runs in a row that were to see the path again, and saw nothing; 0 when the path changes
 * @checked: runs checked the path as it is; @passed: one run took it
 * @proven: a check passed once, or the path was cut where a checked run left it
 * @unobserved: the run of the last check may have left the path where nothing observes it
 * @end_ns: CLOCK_MONOTONIC; later no run begins that extends the path
 * @begun: the path has its first record
 * @number: how many targets at the oldest end of the path are skipped
 * @verdict: of the last run, enum deep_verdict or deep_no_verdict
 * @shorts, @others: runs cut short, or on another path, since the path changed; @no_hits: runs in a
 *   row; @cuts: of the whole search
 * @hits_before: hits of all points when deep_count_hits() was called; @passed_before: of all
 *               kprobes
 * @too_many: HITS_MAX or PASSED_MAX was exceeded since: all points of this run are disarmed
 * @crowded: an earlier run had too many hits
 * @crowded_ends: an earlier run had too many hits with kprobes among its points; or it had them,
 *                and did not hit the error exactly once in the call. No run has kprobes as points
 *                any more.
 * @crowded_probes: the kprobes of the last check had too many hits
 * @lost: the last run lost hits, and its target is tried again
 * @no_views: checks arm kprobes without breakpoints
 * @waited: in each run the call waits, and another task runs, where the path begins
 */
struct deep {
	const struct deep_options *opts;
	const struct command *command;
	struct probes *probes;
	struct answer *answer;
	struct deep_path *path;
	struct deep_place place;
	struct probeable *forbidden;
	struct deep_code code;
	struct deep_hits hits;
	struct deep_callers callers;
	bool alone;
	struct deep_looks looks;
	unsigned int blind;
	bool checked;
	bool passed;
	bool proven;
	bool unobserved;
	uint64_t end_ns;
	bool begun;
	unsigned int number;
	int verdict;
	unsigned int shorts;
	unsigned int no_hits;
	unsigned int others;
	unsigned int cuts;
	uint64_t hits_before;
	uint64_t passed_before;
	bool too_many;
	bool crowded;
	bool crowded_ends;
	bool crowded_probes;
	bool lost;
	bool no_views;
	bool waited;
};

/** deep_find_target() - the point for the next run; false: all were tried */
bool deep_find_target(const struct deep *deep, struct deep_target *ret);

/**
 * deep_find_overlap() - a point of the path that is newer than the target
 * Its record is likely to reach back to the target. Then both records overlap more of the path than
 * the target's record alone.
 * Return: false if there is none but the error.
 */
bool deep_find_overlap(const struct deep *deep, const struct deep_target *target,
		       uint64_t *ret_addr);

#define DEEP_POINTS_MAX 8

/**
 * struct deep_points - breakpoints and kprobes that are armed for one run
 * @registers: how many of @count use a debug register
 * @kprobes: some are kprobes: their hits have no branches
 */
struct deep_points {
	uint64_t addrs[DEEP_POINTS_MAX];
	size_t count;
	size_t registers;
	bool kprobes;
};

/**
 * deep_arm() - arm the points of a run that is to extend the path, and what proves the joint
 * @target: may be replaced by one whose record alone identifies its hit
 * @points: @count is 0 if a point that the run needs is not armed
 * Return: 0; -ENOMEM.
 */
int deep_arm(struct deep *deep, struct deep_target *target, struct deep_points *points);

/**
 * deep_arm_looks() - arm the points of a run that is to see the path again, and the error
 * @points: @count is 0 if there is nothing to see, or nothing could be armed
 * Return: 0; -ENOMEM.
 */
int deep_arm_looks(struct deep *deep, struct deep_points *points);

/**
 * deep_guess() - points that runs are likely to execute before the target
 * They lie on all ways to the place where the path begins: in its function, and in the callers of
 * that. Each is about half a record older than the one before.
 * @target: of the run
 * @points: gets @max at most
 * Return: 0; -ENOMEM.
 */
int deep_guess(const struct deep *deep, const struct deep_target *target, uint64_t *points,
	       size_t max, size_t *ret_count);

/** deep_in_thunk() - is @addr in a thunk? All code executes thunks, breakpoint handlers too */
bool deep_in_thunk(const struct deep *deep, uint64_t addr);

/** deep_in_handler() - is @addr in a function that the handling of each kprobe executes, too? */
bool deep_in_handler(const struct deep *deep, uint64_t addr);

/** deep_watch_point() - watch_point(), if a breakpoint may stand at @addr */
bool deep_watch_point(const struct deep *deep, uint64_t addr);

/** deep_has_no_kprobe() - may no kprobe stand at @addr, as where ftrace cannot trace? */
bool deep_has_no_kprobe(const struct deep *deep, uint64_t addr);

/** deep_refuses() - may no breakpoint stand at @addr? A deep_refused_fn; @deep is a struct deep */
bool deep_refuses(const void *deep, uint64_t addr);

/** deep_find_entry() - entry of the function in which the path begins; false: it does not help */
bool deep_find_entry(const struct deep *deep, uint64_t *ret_addr);

/**
 * deep_find_view() - a point whose record has this branch of the path and the next newer one
 * @branch: counted from the error, 0 is the newest
 * Return: false if no breakpoint may stand near enough.
 */
bool deep_find_view(const struct deep *deep, size_t branch, uint64_t *ret_addr);

/**
 * deep_find_call() - find the call to trace in a run, and its hits
 * Of an error it is the newest call that hit it and failed as @deep->answer->call did. Of a place
 * it is the call that hit it last. While @deep->answer->call is NULL any system call may be it. If
 * @deep->hits.place is set, the hits end with the newest one that counts.
 * @ret_call: NULL is fine
 * Return: its hits, oldest first; NULL if no such call hit the end of the path.
 */
const struct deep_hit *deep_find_call(const struct deep *deep, const struct failures *failures,
				      size_t *ret_count, const struct failure **ret_call);

/** deep_begin_late() - begin the path with the record that a run has at its end; 0; -ENOMEM */
int deep_begin_late(struct deep *deep, const struct failures *failures);

/**
 * deep_find_end() - run the command once, to see which end of @deep->place it hits last
 * Return: 0, also if no hit counts: then @deep->answer->call is NULL, and @deep->answer->reason
 * says why; -EBUSY if an end got no breakpoint; else as command_run().
 */
int deep_find_end(struct deep *deep, struct errmsg *msg);

/** deep_find_hits() - the hits of deep_find_call() */
const struct deep_hit *deep_find_hits(const struct deep *deep, const struct failures *failures,
				      size_t *ret_count);

/** deep_count_hits() - count hits from now on, for deep_has_too_many() */
void deep_count_hits(struct deep *deep);

/** deep_has_too_many() - more hits than the machine should bear? Sets @deep->too_many */
bool deep_has_too_many(struct deep *deep);

/**
 * deep_run_armed() - run the command with what is armed; @deep->hits gets the hits
 * @ret_lost: hits were lost
 * Return: as command_run().
 */
int deep_run_armed(struct deep *deep, struct failures *failures, bool *ret_lost,
		   struct errmsg *msg);

/** deep_has_time() - may one more run check the path, or see it again? */
bool deep_has_time(const struct deep *deep);

/** deep_give_up() - cut the @gone oldest branches of the path */
void deep_give_up(struct deep *deep, size_t gone);

/**
 * deep_ask_wait() - both ends of the oldest call that is left out of the path
 * The run may execute other points within that call, too.
 * @asked: gets the address that the call returns to, and that of the call
 * @max: room in @asked
 * Return: 2; 0 if no call is left out, @max is less than 2, or the LBR is shallow.
 */
size_t deep_ask_wait(const struct deep *deep, uint64_t *asked, size_t max);

/** deep_leave_wait() - the path begins at a task switch: cut what it has of the call that waited */
void deep_leave_wait(struct deep *deep);

/**
 * deep_begin_behind_wait() - begin the path after a call that waited, if @joint shows one
 * Return: false if nothing changed.
 */
bool deep_begin_behind_wait(struct deep *deep, const struct deep_joint *joint);

/** deep_waits_at_start() - does the call before the path's @start wait? Else it wakes a task */
bool deep_waits_at_start(const struct deep *deep);

/**
 * deep_add_wait() - note that the call before the path's @start is left out
 * Call it before the path is extended.
 * @newer: branches of the path that are newer than the call
 * Return: 0; -ENOMEM.
 */
int deep_add_wait(struct deep *deep, size_t newer);

/** deep_end_behind_wait() - the path is not checked: cut it after the newest left-out call */
void deep_end_behind_wait(struct deep *deep);

/**
 * deep_prove() - make runs with kprobes on all ways off the path, until one run takes it
 * Sets @deep->looks.checked to false if that is not possible.
 * Return: 0; -ENOMEM; as command_run().
 */
int deep_prove(struct deep *deep, struct errmsg *msg);

/** deep_settle() - the path was extended: call deep_looks_extended() */
void deep_settle(struct deep *deep);

/** deep_verdict_text() - why the last run did not extend the path */
const char *deep_verdict_text(const struct deep *deep);

/** deep_is_hopeless() - can nothing be traced back? @gap says why */
bool deep_is_hopeless(const struct deep_options *opts, const struct probes *probes,
		      const struct answer *answer, struct errmsg *gap);

/** deep_say_runs() - put into @gap that no more runs may be made */
void deep_say_runs(const struct deep *deep, struct errmsg *gap);

/** deep_say_unchecked() - if the path could not be checked, the path's @unchecked says why */
void deep_say_unchecked(const struct deep *deep);

#endif
