/* SPDX-License-Identifier: GPL-2.0 */
/* deep_search.h - the search for the way back that deep.c makes, and where it puts breakpoints */
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

/* Few entries are read whole; of more, the new record has to begin within the path. */
#define DEEP_SHALLOW 8
/* Runs that are kept for seeing what the checks do not observe. */
#define LOOKS_UNOBSERVED 3
/* A gap's reason. */
#define DEEP_WAITED "there the call waited, and another task ran"

/** enum deep_no_verdict - of a run that told nothing of the path: beside enum deep_verdict */
enum deep_no_verdict {
	DEEP_NO_POINT = 100, /* no run: no breakpoint could be had at a point that it needs */
	DEEP_LOST,	     /* hits were lost */
	DEEP_TOO_MANY,	     /* the breakpoints were hit too often, and taken away */
};

/**
 * struct deep_target - a point for the next run
 * @at: the first place of the path that executes it, or DEEP_BEFORE
 * @call: 0; or the call that returned to it: of a function in which the path begins, see
 *        deep_join_call(); or, with @wait, of one that waited, see deep_join_wait()
 */
struct deep_target {
	uint64_t addr;
	long at;
	uint64_t call;
	bool wait;
};

/**
 * struct deep - the search
 * @place: to which it leads, if registers say which hit counts: what is left to choose of the one
 *         that @opts names, or the error's instruction; else without ends
 * @callers: what led to the calls on the stack, until the path comes to them
 * @alone: the next run follows none of them
 * @looks: what each run saw of the path
 * @blind: in a row, runs for that which saw nothing, since the path has changed
 * @checked: runs were made to see whether one takes the path as it is; @passed: one did
 * @proven: one did once, or the path goes on from where one left it
 * @unobserved: and it may have left it elsewhere, for all that was observed
 * @begun: the path has its first record
 * @number: of the target, of those that the far end of the path offers
 * @verdict: of the last run, enum deep_verdict or deep_no_verdict
 * @shorts, @others: how often since the path has a branch more; @no_hits: in a row; @cuts: in all
 * @hits_before: of all points, when deep_count_hits() was called; @passed_before: of all kprobes
 * @too_many: HITS_MAX or PASSED_MAX was passed since: nothing is armed any more in this run
 * @crowded: it was in a run before
 * @crowded_ends: it was in a run that had kprobes among its points, or the error's was hit more
 * than once in the call, or never: none has more
 * @crowded_probes: it was of kprobes that were to check the path
 * @lost: hits were, in the run before
 * @no_views: kprobes are armed without breakpoints
 * @waited: the call lets another task run where the path begins, in each run
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

/** deep_find_target() - the point for the next run; false: there is none that has not been tried */
bool deep_find_target(const struct deep *deep, struct deep_target *ret);

/**
 * deep_find_overlap() - a point of the path behind the target, whose record goes back to that
 * Both records have more of the path than the target's own, then.
 * Return: false if there is none but the error.
 */
bool deep_find_overlap(const struct deep *deep, const struct deep_target *target,
		       uint64_t *ret_addr);

#define DEEP_POINTS_MAX 8

/**
 * struct deep_points - what one run has armed, breakpoints and kprobes
 * @registers: debug registers of these
 * @kprobes: some are kprobes, without branches
 */
struct deep_points {
	uint64_t addrs[DEEP_POINTS_MAX];
	size_t count;
	size_t registers;
	bool kprobes;
};

/**
 * deep_arm() - for a run that is to get further: with what proves the joint
 * @target: another one, where its record alone tells its hit
 * @points: @count is 0 if one is missing that the run needs
 * Return: 0; -ENOMEM.
 */
int deep_arm(struct deep *deep, struct deep_target *target, struct deep_points *points);

/**
 * deep_arm_looks() - for a run that is to see the path again, and the error
 * @points: @count is 0: there is nothing to see
 * Return: 0; -ENOMEM.
 */
int deep_arm_looks(struct deep *deep, struct deep_points *points);

/**
 * deep_guess() - points that the path is likely to come by, each within a record of the one before
 * They lie on all ways to where the path begins: in the function that it begins in, and in its
 * callers.
 * @target: of the run
 * @points: gets @max at most
 * Return: 0; -ENOMEM.
 */
int deep_guess(const struct deep *deep, const struct deep_target *target, uint64_t *points,
	       size_t max, size_t *ret_count);

/** deep_in_thunk() - anywhere in one: everybody comes by, the handlers of breakpoints, too */
bool deep_in_thunk(const struct deep *deep, uint64_t addr);

/** deep_in_handler() - in a function that the handling of each kprobe executes, too */
bool deep_in_handler(const struct deep *deep, uint64_t addr);

/** deep_has_no_kprobe() - will the kernel refuse one there? It has them where its tracer has places
 */
bool deep_has_no_kprobe(const struct deep *deep, uint64_t addr);

/** deep_refuses() - may no breakpoint stand there? A deep_refused_fn, of a struct deep */
bool deep_refuses(const void *deep, uint64_t addr);

/** deep_find_entry() - of the function that the path begins in; false: it is no help there */
bool deep_find_entry(const struct deep *deep, uint64_t *ret_addr);

/**
 * deep_find_view() - a point from which a branch of the path is seen
 * @branch: counted from the error
 * Return: false if no breakpoint may stand where it is.
 */
bool deep_find_view(const struct deep *deep, size_t branch, uint64_t *ret_addr);

/**
 * deep_find_call() - the call whose way is looked for, in a run, and its hits
 * That is one that failed as the one to blame did; or, of a place, the one that hit it last: the
 * hits end with that one then. While @deep->answer->call is NULL it may be any call.
 * @ret_call: NULL is fine
 * Return: NULL if none came by the end of the path.
 */
const struct deep_hit *deep_find_call(const struct deep *deep, const struct failures *failures,
				      size_t *ret_count, const struct failure **ret_call);

/** deep_begin_late() - the path begins with the record that a run has at its end; 0, -ENOMEM */
int deep_begin_late(struct deep *deep, const struct failures *failures);

/**
 * deep_find_end() - run the command once, to see which end of @deep->place it hits last
 * Return: 0, @deep->answer->call is NULL if none, @deep->answer->reason says why; as
 * command_run().
 */
int deep_find_end(struct deep *deep, struct errmsg *msg);

/** deep_find_hits() - the hits of deep_find_call() */
const struct deep_hit *deep_find_hits(const struct deep *deep, const struct failures *failures,
				      size_t *ret_count);

/** deep_count_hits() - from now on */
void deep_count_hits(struct deep *deep);

/** deep_has_too_many() - more hits than the machine is to bear: sets @deep->too_many */
bool deep_has_too_many(struct deep *deep);

/**
 * deep_run_armed() - run the command with what is armed; @deep->hits gets what is hit
 * @ret_lost: hits were lost
 * Return: as command_run().
 */
int deep_run_armed(struct deep *deep, struct failures *failures, bool *ret_lost,
		   struct errmsg *msg);

/** deep_has_time() - may a run be made to see the path again? */
bool deep_has_time(const struct deep *deep);

/** deep_give_up() - the @gone oldest branches of the path */
void deep_give_up(struct deep *deep, size_t gone);

/**
 * deep_ask_wait() - the two ends of the oldest call that is left out of the path
 * Within it the run may come by other points, too.
 * Return: how many of @asked are set: 2; 0 if there is none, or no register for it.
 */
size_t deep_ask_wait(const struct deep *deep, uint64_t *asked, size_t max);

/** deep_leave_wait() - the path begins at a switch of tasks: give up what it has of that call */
void deep_leave_wait(struct deep *deep);

/**
 * deep_begin_behind_wait() - the path begins behind a call that waited, where @joint has shown that
 *
 * Return: false if nothing changed.
 */
bool deep_begin_behind_wait(struct deep *deep, const struct deep_joint *joint);

/** deep_waits_at_start() - does the call that the path begins behind wait? It wakes a task, else */
bool deep_waits_at_start(const struct deep *deep);

/**
 * deep_add_wait() - that call is left out: the path is going to go on before it
 * @newer: branches of the path behind it
 * Return: 0; -ENOMEM.
 */
int deep_add_wait(struct deep *deep, size_t newer);

/** deep_end_behind_wait() - give up what is before such a call: no check told its hits apart */
void deep_end_behind_wait(struct deep *deep);

/**
 * deep_prove() - make runs with kprobes on all ways off the path, until one takes it
 * @deep->looks.checked is false afterwards if that is not possible.
 * Return: 0; -ENOMEM; as command_run().
 */
int deep_prove(struct deep *deep, struct errmsg *msg);

/** deep_settle() - the path goes on further back: deep_looks_extended() */
void deep_settle(struct deep *deep);

/** deep_verdict_text() - why the last run got no further */
const char *deep_verdict_text(const struct deep *deep);

/** deep_is_hopeless() - is there nothing that could be followed back? @gap says why */
bool deep_is_hopeless(const struct deep_options *opts, const struct probes *probes,
		      const struct answer *answer, struct errmsg *gap);

/** deep_say_runs() - as many were made as may be */
void deep_say_runs(const struct deep *deep, struct errmsg *gap);

/** deep_say_unchecked() - if runs for that were not possible, the path's @unchecked says why */
void deep_say_unchecked(const struct deep *deep);

#endif
