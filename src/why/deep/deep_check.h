/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_check.h - does one run take the whole path?
 *
 * A run's records show the path through four windows. Elsewhere it can have a kprobe at each place
 * where the path can be left: on the other way of each conditional branch, and where an indirect
 * one leads to. If they are hit in the order that the path says, and no other is hit, this run took
 * the path. Where the kernel allows no kprobe, other runs have to show it: the fork is blind.
 *
 * Branches are numbered as in the path here, oldest first.
 */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_CHECK_H
#define LBRSNOOP_WHY_DEEP_DEEP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "why/deep/deep_join.h"

/**
 * struct deep_step - an instruction of the path; @at: behind that branch
 * @since: the call of its function began with that step; 0: before the path, or with it
 * @sp: of the stack pointer before it: relative to that of other steps of the same @stack
 */
struct deep_step {
	uint64_t addr;
	size_t at;
	size_t since;
	uint64_t sp;
	size_t stack;
};

/**
 * struct deep_return - of a call: where it returns to; @step: the next one behind the call
 * @since: of the caller
 */
struct deep_return {
	uint64_t addr;
	size_t step;
	size_t since;
};

/**
 * struct deep_fork - where the path can be left
 * @step: of the instruction
 * @branch: of the path, the next one
 * @next: how the path goes on; @other: the other way, 0: an indirect branch has no certain one
 * @next_at, @other_at: the probe on that way; 0: there is none
 * @tried: probes were asked for
 * @untold: deep_check_ask() found that none would tell: only a record can
 * @back: 0; or the other way lets others run, and comes back to the path at this step
 * @quiet: it does nothing at all: this kernel's configuration lets nobody run there
 * @leads: 0; or where the other way comes to an instruction of the path, as that of a loop
 */
struct deep_fork {
	size_t step;
	size_t branch;
	uint64_t next;
	uint64_t other;
	uint64_t next_at;
	uint64_t other_at;
	bool tried;
	bool untold;
	size_t back;
	bool quiet;
	uint64_t leads;
};

/** struct deep_wait - @step: of the call; it @woke another task, or else waited */
struct deep_wait {
	size_t step;
	bool woke;
};

/**
 * struct deep_check - one check of one path; free with deep_check_clear()
 * @symbols, @known: borrowed
 * @steps: oldest first; without what stands before the first branch
 * @addrs: of the steps, each once, ascending
 * @by_addr: numbers of the steps, by their addresses and in the order of the path
 * @forks: oldest first
 * @waits: calls that are left out of the path, oldest first
 * @returns, @since, @sp, @stack: while the steps are gathered: of the calls that have not returned;
 *                                of the next step
 * @armed: addresses of probes, ascending
 * @views: of these, breakpoints that take a record
 * @asks: deep_check_ask()'s
 * @impossible: 0; or the newest branch of the path that returns to elsewhere than its call
 */
struct deep_check {
	const struct symbols *symbols;
	struct deep_known known;
	struct deep_step *steps;
	size_t step_count;
	uint64_t *addrs;
	size_t addr_count;
	size_t *by_addr;
	struct deep_fork *forks;
	size_t fork_count;
	struct deep_wait *waits;
	size_t wait_count;
	struct deep_return *returns;
	size_t return_count;
	size_t since;
	uint64_t sp;
	size_t stack;
	uint64_t *armed;
	size_t armed_count;
	uint64_t views[HW_SITES_MAX];
	size_t view_count;
	bool asks;
	size_t impossible;
};

/**
 * deep_check_make() - find out where the path can be left
 * @text: as it is while nothing is armed
 * @symbols: that deep_check_compare() knows the code of kprobes by
 * @known: has branches; in use until deep_check_clear()
 * @whole: it begins with the entry of the call
 * Return: 0; -ENOMEM.
 */
int deep_check_make(const struct text_source *text, const struct symbols *symbols,
		    const struct deep_known *known, bool whole, struct deep_check *ret);

/** deep_check_view() - a breakpoint at @addr takes a record, before deep_check_arm(); 0; -ENOMEM */
int deep_check_view(struct deep_check *check, uint64_t addr);

/**
 * typedef deep_probe_fn - a probe at @addr?
 * Return: 0; -ENOMEM; -EINTR; -ENOSPC: there may be no more; another errno: none there.
 */
typedef int deep_probe_fn(void *ctx, uint64_t addr);

/**
 * deep_check_arm() - have probes made for the error, and for all forks that no record has; where
 * one can have none, for where the path goes on behind it
 * @max: probes, at most; the newest forks come first
 * @depth: entries of a record
 * Return: 0, @check->armed_count is 0 if the error itself can have none; -ENOMEM; -EINTR.
 */
int deep_check_arm(struct deep_check *check, const struct text_source *text, size_t max,
		   size_t depth, deep_probe_fn *probe, void *ctx);

/**
 * deep_check_ask() - which probes would be made? deep_check_arm(), until deep_check_disarm()
 * @probe: makes none, and tells whether there would be one
 */
int deep_check_ask(struct deep_check *check, const struct text_source *text, size_t max,
		   size_t depth, deep_probe_fn *probe, void *ctx);

/** typedef deep_may_fn - may a breakpoint stand at @addr? */
typedef bool deep_may_fn(const void *ctx, uint64_t addr);

/**
 * deep_check_arm_views() - breakpoints take records where the probes that were asked for do not
 * tell
 * @depth: entries of a record
 * @view: arms a breakpoint
 * Return: 0; -ENOMEM; -EINTR.
 */
int deep_check_arm_views(struct deep_check *check, size_t depth, deep_may_fn *may,
			 deep_probe_fn *view, void *ctx);

/** deep_check_step_before() - the newest step before number @step with a probe; SIZE_MAX: none */
size_t deep_check_step_before(const struct deep_check *check, size_t step);

/**
 * deep_check_shown_from() - from which step on a record of @depth entries, taken at step number
 * @step, will have the way to it: as deep_check_compare() is going to read it
 * @before: deep_check_step_before()
 */
size_t deep_check_shown_from(const struct deep_check *check, size_t step, size_t before,
			     size_t depth);

/** deep_check_disarm() - forget all probes but the breakpoints */
void deep_check_disarm(struct deep_check *check);

/** deep_check_comes_by() - does the path execute the instruction at @addr, anywhere? */
bool deep_check_comes_by(const struct deep_check *check, uint64_t addr);

/** deep_check_last_by() - the last step up to number @step that is at @addr; SIZE_MAX: none */
size_t deep_check_last_by(const struct deep_check *check, uint64_t addr, size_t step);

/** deep_check_has() - is there a probe at @addr? */
bool deep_check_has(const struct deep_check *check, uint64_t addr);

/** deep_check_observes() - would a run be seen, by its hits, to take the other way there? */
bool deep_check_observes(const struct deep_check *check, const struct deep_fork *fork);

/** deep_check_is_view() - is that a breakpoint, deep_check_view()'s? */
bool deep_check_is_view(const struct deep_check *check, uint64_t addr);

/**
 * deep_check_compare() - which part of the path did the run take?
 * @hits: in the call, oldest first, up to its end; those of breakpoints with their record
 * @entry: the path begins with the entry of the call
 * @ret_first: the run took the path from this branch on; the path's count: it took none of it
 * @ret_blind: one for each branch of the path, the newest first
 * @ret_excursions: one more, by the number of the path's branches behind it, from 0 on: true: there
 *                  the run let others run, and came back
 * Return: 1 if it took all that can be observed, not what is before the oldest probe, unless
 * @entry; 0 if not; -ENOMEM.
 */
int deep_check_compare(const struct deep_check *check, const struct deep_hit *hits, size_t count,
		       bool entry, size_t *ret_first, struct deep_blind *ret_blind,
		       bool *ret_excursions);

/** deep_check_clear() - free */
void deep_check_clear(struct deep_check *check);

#endif
