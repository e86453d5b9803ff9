/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_callers.h - followed back beside the path: what led to calls that the path will come to
 *
 * The functions on the stack of the error had not returned: the path comes by each of their call
 * instructions, the last time they were executed before the error. And where the path begins in a
 * function that returns on it, that was called before: the last time before the path begins. So a
 * run that has registers to spare extends two ways: the path at its far end, and the one to such a
 * call. When the path has come to the call, both are joined where they overlap.
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
 * @kept: it is no call, but what was the path, see deep_callers_keep()
 * @searched: so many of the path's newest branches have been looked through for it
 * @passed: the path has come to it: so many of its branches are @newer
 * @number: of the target, of those that its far end offers
 * @misses: runs in a row that added nothing
 * @harms: runs whose breakpoints did harm
 * @alone: the kprobe at another call cut its record short: they are not followed in one run
 * @over: nothing more is to be found out; @joined: or it is part of the path
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

/* In one run. */
#define DEEP_AIMS_MAX 3

/**
 * struct deep_aim - a call that this run follows
 * @item: number of the call
 * @point, @at: the target; @point is 0 for the first record, which is taken at the call
 */
struct deep_aim {
	size_t item;
	uint64_t point;
	long at;
};

/** typedef deep_refused_fn - may no breakpoint stand at @addr? */
typedef bool deep_refused_fn(const void *ctx, uint64_t addr);

/**
 * struct deep_callers - begin with zeros and the first four; free with deep_callers_clear()
 * @text: borrowed
 * @refused, @ctx: where no breakpoint may stand
 * @depth: entries of a record
 * @items: those on the stack first, innermost first
 * @aims: of this run, @aim_count
 * @near: 0; or a call right before the path: a breakpoint there gets further
 * @keeping: the next cut is that of what was kept last
 * @without: the path's newest branches, up to where the first way was put before it; 0: none was
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
 * deep_callers_find() - the calls that return to these addresses
 * @stack: return addresses, innermost first
 * Return: 0; -ENOMEM. Calls where no breakpoint may stand are none.
 */
int deep_callers_find(struct deep_callers *callers, const uint64_t *stack, size_t count);

/**
 * deep_callers_aim() - choose one more for the next run
 * @path: as it is
 * @at: the target of the path is behind this branch: what is looked for has to be before that
 * @ret: the call, its path's end, and where the record is to be taken: there, or at another point
 * Return: 1; 0: there is none to follow; -ENOMEM.
 */
int deep_callers_aim(struct deep_callers *callers, const struct deep_path *path, long at,
		     const struct deep_aim **ret);

/** deep_callers_end_of() - the call instruction */
uint64_t deep_callers_end_of(const struct deep_callers *callers, const struct deep_aim *aim);

/**
 * deep_callers_take() - what the run with these breakpoints recorded
 * @run: its hits up to the error
 * @target: of these, the one that was joined to the path; NULL: none was
 * @number: of the run
 * Return: 0; -ENOMEM.
 */
int deep_callers_take(struct deep_callers *callers, const struct deep_run *run,
		      const struct deep_hit *target, unsigned int number);

/** deep_callers_missed() - nothing is learned of the last one that was chosen: count that */
void deep_callers_missed(struct deep_callers *callers);

/** deep_callers_harmed() - the breakpoints of this run did harm, perhaps those of its calls */
void deep_callers_harmed(struct deep_callers *callers);

/**
 * deep_callers_join() - put the ways to the calls that the path has come to before it
 * After each change of the path: it says which execution of a call counts.
 * @looks: gets what each run recorded of what is added
 * Return: 0; -ENOMEM.
 */
int deep_callers_join(struct deep_callers *callers, struct deep_path *path,
		      struct deep_looks *looks);

/**
 * deep_callers_keep() - what is older than where runs part, before the path is cut there
 *
 * The other way may come back to it, as where one waits for a lock and the other does not: then it
 * is joined, as the way to a call is.
 * @gone: so many branches are going to be cut
 * Return: 0; -ENOMEM.
 */
int deep_callers_keep(struct deep_callers *callers, const struct deep_path *path, size_t gone);

/** deep_callers_cut() - the path has no more than its @count newest branches */
void deep_callers_cut(struct deep_callers *callers, size_t count);

/** deep_callers_end() - follow none any more */
void deep_callers_end(struct deep_callers *callers);

/** deep_callers_clear() - free */
void deep_callers_clear(struct deep_callers *callers);

#endif
