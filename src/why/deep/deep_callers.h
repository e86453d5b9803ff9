/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_callers.h - follows, beside the path, what led to calls that the path is going to reach
 *
 * The functions on the stack of the error had not returned: the path executes each of their calls,
 * and the last time before the error counts. If the path begins in a function that returns on it,
 * that was called before: the last time before the path begins counts. So a run with registers to
 * spare extends two paths: the main path at its oldest end, and the one to such a call. When the
 * main path has reached the call, both are joined where they overlap.
 */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_CALLERS_H
#define LBRSNOOP_WHY_DEEP_DEEP_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/fetch.h"
#include "why/deep/deep.h"
#include "why/deep/deep_join.h"
#include "why/deep/deep_looks.h"

/**
 * struct deep_caller - one call
 * @path: what led to the call instruction, its @end; no branches: no record was taken there
 * @live: it is on the stack of the error
 * @kept: it is no call, but a part that was cut from the path, see deep_callers_keep()
 * @searched: how many of the path's newest branches were searched for it
 * @passed: the path has reached it: @newer of its branches are newer
 * @number: how many targets at its oldest end are skipped
 * @misses: runs in a row that added nothing
 * @harms: runs whose breakpoints did harm
 * @alone: the kprobe at another call cut its record short: one run does not follow both
 * @over: no run follows it any more; @joined: it was joined to the path, or dropped
 */
struct deep_caller {
	struct deep_path path;
	bool live;
	bool kept;
	size_t searched;
	bool passed;
	size_t newer;
	unsigned int number;
	unsigned int misses;
	unsigned int harms;
	bool alone;
	bool over;
	bool joined;
};

/* Calls that one run follows, at most. */
#define DEEP_AIMS_MAX 3

/**
 * struct deep_aim - a call that this run follows
 * @item: index of the call
 * @point, @at: the target on the way to it; @point is 0 for the first record, which is taken at the
 *              call
 */
struct deep_aim {
	size_t item;
	uint64_t point;
	long at;
};

/** typedef deep_refused_fn - may no breakpoint stand at @addr? */
typedef bool deep_refused_fn(const void *ctx, uint64_t addr);

/**
 * struct deep_callers - begin with the first four set and the rest zero; free with
 * deep_callers_clear()
 * @text: borrowed
 * @refused, @ctx: where no breakpoint may stand
 * @depth: entries of a record
 * @items: those on the stack first, innermost first
 * @aims: the @aim_count calls that this run follows
 * @near: 0; or a call right before the path: a breakpoint there reaches further back
 * @keeping: the next cut is the one before which deep_callers_keep() was called
 * @without: how many branches the path had when the first call was joined to it; 0: none was
 */
struct deep_callers {
	const struct text_source *text;
	deep_refused_fn *refused;
	const void *ctx;
	size_t depth;
	struct deep_caller *items;
	size_t count;
	struct deep_aim aims[DEEP_AIMS_MAX];
	size_t aim_count;
	uint64_t near;
	bool keeping;
	size_t without;
};

/**
 * deep_callers_find() - add the calls that return to these addresses
 * Those are left out where no breakpoint may stand.
 * @stack: return addresses, innermost first
 * Return: 0; -ENOMEM.
 */
int deep_callers_find(struct deep_callers *callers, const uint64_t *stack, size_t count);

/**
 * deep_callers_aim() - choose one more call for the next run to follow
 * @path: the main path as it is
 * @at: the target of the main path is after this branch: the call has to be older than that
 * @ret: the call, and the point at which its record is to be taken
 * Return: 1; 0: there is none to follow; -ENOMEM.
 */
int deep_callers_aim(struct deep_callers *callers, const struct deep_path *path, long at,
		     const struct deep_aim **ret);

/** deep_callers_end_of() - address of the call instruction */
uint64_t deep_callers_end_of(const struct deep_callers *callers, const struct deep_aim *aim);

/**
 * deep_callers_take() - take what the run recorded on the way to its calls
 * @run: its hits up to the error
 * @target: the hit that was joined to the main path; NULL: none was
 * @number: of the run
 * Return: 0; -ENOMEM.
 */
int deep_callers_take(struct deep_callers *callers, const struct deep_run *run,
		      const struct deep_hit *target, unsigned int number);

/** deep_callers_missed() - the points of the call that was chosen last are not armed */
void deep_callers_missed(struct deep_callers *callers);

/** deep_callers_harmed() - the breakpoints of this run did harm, perhaps those of its calls */
void deep_callers_harmed(struct deep_callers *callers);

/**
 * deep_callers_join() - join the calls that the path has reached
 * Call it after each change of the path, which decides which execution of a call counts.
 * @looks: gets what each run recorded of the branches that are added
 * Return: 0; -ENOMEM.
 */
int deep_callers_join(struct deep_callers *callers, struct deep_path *path,
		      struct deep_looks *looks);

/**
 * deep_callers_keep() - keep what is older than the place where runs part, before the path is cut
 * there
 *
 * The other way may come back to it, as where one run waits for a lock and another does not. Then
 * it is joined, as the path to a call is.
 * @gone: how many branches are going to be cut
 * Return: 0; -ENOMEM.
 */
int deep_callers_keep(struct deep_callers *callers, const struct deep_path *path, size_t gone);

/** deep_callers_cut() - only the @count newest branches of the path are left */
void deep_callers_cut(struct deep_callers *callers, size_t count);

/** deep_callers_end() - follow no call any more */
void deep_callers_end(struct deep_callers *callers);

/** deep_callers_clear() - free all */
void deep_callers_clear(struct deep_callers *callers);

#endif
