/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_check.h - does one run take the whole path?
 *
 * The records of one run show at most four parts of the path. Elsewhere the run can have kprobes at
 * each fork, which is a place where the path can be left: on the other way of each conditional
 * branch, and before each indirect branch, where registers or the stack tell its destination. If
 * the run hits those of the path in its order, and no other, it took the path. Where the kernel
 * allows no kprobe, other runs have to show it: the fork is blind.
 *
 * Branches are numbered as in the path here, oldest first.
 */
#ifndef LBRSNOOP_WHY_PROOF_DEEP_CHECK_H
#define LBRSNOOP_WHY_PROOF_DEEP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "why/deep/deep_join.h"

/**
 * struct deep_step - an instruction that the path executes
 * @at: it is executed after this branch of the path
 * @since: the step with which the call of its function began; 0: with the first step, or earlier
 * @sp: stack pointer before it, in bytes: relative to that of other steps with the same @stack
 * @stack: how often the stack pointer got an unknown value before it
 */
struct deep_step {
	uint64_t addr;
	size_t at;
	size_t since;
	uint64_t sp;
	size_t stack;
};

/**
 * struct deep_return - a call on the path that has not returned
 * @addr: where it returns to
 * @step: the first step in the called function
 * @since: of the caller
 */
struct deep_return {
	uint64_t addr;
	size_t step;
	size_t since;
};

/* What has the destination of an indirect branch. Lower numbers are registers'. */
#define DEEP_SOURCE_STACK 16	    /* the word at the stack pointer */
#define DEEP_SOURCE_NONE  UINT8_MAX /* memory, or it is no indirect branch */

/**
 * struct deep_fork - a place where the path can be left
 * @step: of the instruction
 * @branch: the next branch of the path
 * @next: where the path goes on; 0: not known
 * @other: where the other way begins; 0: not known, as of an indirect branch
 * @next_at, @other_at: address of the probe on that way; 0: there is none, as of an indirect branch
 * @source: of an indirect branch: what has its destination before: a register by the CPU's number,
 *          DEEP_SOURCE_STACK or DEEP_SOURCE_NONE
 * @loaded, @used: it is there before each step from @loaded to @used; but see
 *                 deep_check_has_source()
 * @tried: probes were asked for
 * @untold: deep_check_ask() found no probe that shows the way: only a record can
 * @back: 0; or on the other way other tasks run, and it comes back to the path at this step
 * @quiet: the other way does nothing: this kernel's configuration lets no task run there
 * @leads: 0; or the other way leads to this instruction of the path, as round a loop
 */
struct deep_fork {
	size_t step;
	size_t branch;
	uint64_t next;
	uint64_t other;
	uint64_t next_at;
	uint64_t other_at;
	uint8_t source;
	size_t loaded;
	size_t used;
	bool tried;
	bool untold;
	size_t back;
	bool quiet;
	uint64_t leads;
};

/** struct deep_wait - a call that is left out, at @step; it @woke another task, else it waited */
struct deep_wait {
	size_t step;
	bool woke;
};

/**
 * struct deep_check - one check of one path; free with deep_check_clear()
 * @symbols, @known: borrowed
 * @steps: oldest first; without those before the first branch
 * @addrs: of the steps, each once, ascending
 * @anchors: of each of @addrs: the instruction behind it in memory is executed after it alone, so
 *           that a kprobe there is known by where its handler returns to
 * @by_addr: numbers of the steps, sorted by address and then by number
 * @forks: oldest first
 * @waits: calls that are left out of the path, oldest first
 * @returns: while the steps are gathered: calls that have not returned
 * @since, @sp, @stack: while the steps are gathered: of the next step
 * @armed: addresses of probes and breakpoints, ascending
 * @views: of these, breakpoints that take a record
 * @asks: deep_check_ask() was called, and deep_check_disarm() not yet
 * @impossible: 0; or the newest branch of the path that returns from another call than the path
 *              made
 */
struct deep_check {
	struct symbols *symbols;
	struct deep_known known;
	struct deep_step *steps;
	size_t step_count;
	uint64_t *addrs;
	size_t addr_count;
	bool *anchors;
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
 * @text: the kernel's text while nothing is armed
 * @symbols: in use until deep_check_clear(), to recognize the code of kprobes, too
 * @known: has branches; in use until deep_check_clear()
 * @whole: the path begins with the entry of the system call
 * Return: 0; -ENOMEM.
 */
int deep_check_make(const struct text_source *text, struct symbols *symbols,
		    const struct deep_known *known, bool whole, struct deep_check *ret);

/** deep_check_view() - a breakpoint at @addr takes a record; before deep_check_arm(); 0; -ENOMEM */
int deep_check_view(struct deep_check *check, uint64_t addr);

/**
 * typedef deep_probe_fn - arm a probe at @addr
 * Return: 0; -ENOMEM; -EINTR; -ENOSPC: no more are allowed; another errno: none can be there.
 */
typedef int deep_probe_fn(void *ctx, uint64_t addr);

/**
 * deep_check_arm() - arm probes at the error, and for each fork that no record shows
 * If a fork can have none, one where the path goes on after it.
 * @max: probes, at most; the newest forks come first
 * @depth: entries of a record
 * Return: 0; if the error itself can have none, only views are armed; -ENOMEM; -EINTR.
 */
int deep_check_arm(struct deep_check *check, const struct text_source *text, size_t max,
		   size_t depth, deep_probe_fn *probe, void *ctx);

/**
 * deep_check_ask() - which probes would deep_check_arm() arm? Ends with deep_check_disarm()
 * @probe: arms none, and tells whether one could be armed
 * Return: as deep_check_arm().
 */
int deep_check_ask(struct deep_check *check, const struct text_source *text, size_t max,
		   size_t depth, deep_probe_fn *probe, void *ctx);

/** typedef deep_may_fn - may a breakpoint stand at @addr? */
typedef bool deep_may_fn(const void *ctx, uint64_t addr);

/**
 * deep_check_arm_views() - arm breakpoints whose records show what the probes do not
 * Call it after deep_check_ask().
 * @depth: entries of a record
 * @view: arms a breakpoint
 * Return: 0; -ENOMEM; -EINTR.
 */
int deep_check_arm_views(struct deep_check *check, size_t depth, deep_may_fn *may,
			 deep_probe_fn *view, deep_probe_fn *kprobe, void *ctx);

/** deep_check_first_behind() - the first step behind a branch that is newer than branch @at */
size_t deep_check_first_behind(const struct deep_check *check, size_t at);

/** deep_check_step_before() - the newest step before number @step with a probe; SIZE_MAX: none */
size_t deep_check_step_before(const struct deep_check *check, size_t step);

/**
 * deep_check_shown_from() - the step from which on a record will show the way to number @step
 * The record has @depth entries, and is taken at @step. deep_check_compare() reads it alike.
 * @before: deep_check_step_before()
 */
size_t deep_check_shown_from(const struct deep_check *check, size_t step, size_t before,
			     size_t depth);

/** deep_check_disarm() - forget all probes but the breakpoints */
void deep_check_disarm(struct deep_check *check);

/** deep_check_comes_by() - does the path execute the instruction at @addr anywhere? */
bool deep_check_comes_by(const struct deep_check *check, uint64_t addr);

/** deep_check_last_by() - the newest step at @addr, number @step or older; SIZE_MAX: none */
size_t deep_check_last_by(const struct deep_check *check, uint64_t addr, size_t step);

/** deep_check_is_anchor() - see struct deep_check; of step number @step */
bool deep_check_is_anchor(const struct deep_check *check, size_t step);

/** deep_check_has() - is there a probe or a breakpoint at @addr? */
bool deep_check_has(const struct deep_check *check, uint64_t addr);

/** deep_check_observes() - would a run's hits show that it takes the other way at @fork? */
bool deep_check_observes(const struct deep_check *check, const struct deep_fork *fork);

/** deep_check_find_sources() - find what has the destination of each indirect branch */
void deep_check_find_sources(struct deep_check *check, const struct text_source *text);

/**
 * deep_check_has_source() - will a probe at @step find where this indirect branch leads to?
 * The word on the stack is found only where the stack pointer is as it is at the branch.
 */
bool deep_check_has_source(const struct deep_check *check, const struct deep_fork *fork,
			   size_t step);

/**
 * deep_check_shows_target() - is a probe armed that tells where an indirect branch leads to?
 * @oldest: only probes at this step or newer ones
 */
bool deep_check_shows_target(const struct deep_check *check, const struct deep_fork *fork,
			     size_t oldest);

/**
 * deep_check_goes_elsewhere() - did an indirect branch lead elsewhere than on the path?
 * @hit: that of @step
 */
bool deep_check_goes_elsewhere(const struct deep_check *check, size_t step,
			       const struct deep_hit *hit);

/** deep_check_is_view() - is it a breakpoint of deep_check_view()? */
bool deep_check_is_view(const struct deep_check *check, uint64_t addr);

/**
 * deep_check_compare() - which part of the path did the run take?
 * @hits: in the call, oldest first, up to its end; those of breakpoints have records
 * @entry: the path begins with the entry of the system call
 * @ret_first: the run took the path from this branch on; the path's count: it took none of it
 * @ret_blind: one for each branch of the path, the newest first
 * @ret_excursions: one more than the path has branches. Index: how many branches of the path are
 *                  newer. True: there the run let other tasks run, and came back.
 * Return: 1 if it took all that can be observed: without @entry, that is not what is older than the
 * oldest probe; 0 if not; -ENOMEM.
 */
int deep_check_compare(const struct deep_check *check, const struct deep_hit *hits, size_t count,
		       bool entry, size_t *ret_first, struct deep_blind *ret_blind,
		       bool *ret_excursions);

/**
 * deep_check_left() - did the run of deep_check_compare() leave the path?
 * A record that was cut short, as by an interrupt, and a blind fork do not say so.
 * Return: 1; 0; -ENOMEM.
 */
int deep_check_left(const struct deep_check *check, const struct deep_hit *hits, size_t count,
		    bool entry);

/** deep_check_clear() - free all */
void deep_check_clear(struct deep_check *check);

#endif
