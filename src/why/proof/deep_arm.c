// SPDX-License-Identifier: GPL-2.0
/*
 * deep_arm.c - what a run that checks the path has armed
 *
 * Kprobes at forks, breakpoints that take records where no kprobe shows the way, and kprobes that
 * such a record begins at. Without the latter, a record shows only how the run came there last:
 * before that it may have left the path at a fork in the record, and come back by other code.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"
#include "why/deep/deep_compute.h"
#include "why/proof/deep_check.h"

/* Of instructions that a record could begin at, so many are asked for a kprobe. */
#define ANCHOR_TRIES 16

/*
 * Forks that only a record can show, oldest first. It does not if other tasks run there: that is
 * rare.
 */
static struct deep_fork *gather_blind(const struct deep_check *check, size_t *ret_count)
{
	struct deep_fork *blind = calloc(check->fork_count + 1, sizeof(*blind));

	*ret_count = 0;
	for (size_t i = 0; blind && i < check->fork_count; i++)
		if (check->forks[i].tried && !deep_check_observes(check, &check->forks[i]))
			blind[(*ret_count)++] = check->forks[i];
	return blind;
}

/* The index of @addr, which is one of the path's, in @check->addrs. */
static size_t number_of(const struct deep_check *check, uint64_t addr)
{
	return address_upper_bound(check->addrs, check->addr_count, sizeof(*check->addrs), addr) -
	       1;
}

/* How often the path executes each of its addresses: it would take a record each time. */
static size_t *count_times(const struct deep_check *check)
{
	size_t *times = calloc(check->addr_count + 1, sizeof(*times));

	for (size_t i = 0; times && i < check->step_count; i++)
		times[number_of(check, check->steps[i].addr)]++;
	return times;
}

/**
 * struct view - a record that is taken at @step
 * @first: of the forks that only a record can show, it shows @count, from this one on; if @count is
 *         0 there is no such record
 */
struct view {
	size_t step;
	size_t first;
	size_t count;
};

/*
 * For each step, the first one from there on that a record can begin at: the kernel allows a kprobe
 * there. The step count: there is none.
 */
static size_t *find_allowed(const struct deep_check *check, deep_probe_fn *kprobe, void *ctx)
{
	_cleanup_free_ bool *allowed = calloc(check->addr_count + 1, sizeof(*allowed));
	size_t *next = calloc(check->step_count + 1, sizeof(*next));

	if (!allowed || !next) {
		free(next);
		return NULL;
	}
	for (size_t i = 0; i < check->addr_count; i++)
		allowed[i] = check->anchors[i] && !kprobe(ctx, check->addrs[i]);
	next[check->step_count] = check->step_count;
	for (size_t i = check->step_count; i-- > 0;)
		next[i] = allowed[number_of(check, check->steps[i].addr)] ? i : next[i + 1];
	return next;
}

/* From which step on would a record at @step show the way, with a kprobe for it to begin at? */
static size_t shown_from(const struct deep_check *check, const size_t *allowed, size_t step,
			 size_t before, size_t depth)
{
	size_t shown = deep_check_shown_from(check, step, before, depth), first, anchor;

	if (shown == before)
		return shown;
	first = before == SIZE_MAX ? 0 : before + 1;
	if (check->steps[step].at - check->steps[first].at >= depth)
		first = deep_check_first_behind(check, check->steps[step].at - depth);
	anchor = allowed[first];
	return anchor < shown ? anchor : shown;
}

/* The first of the @end forks before @step that a record taken there shows; @end: none. */
static size_t first_shown(const struct deep_check *check, const struct deep_fork *blind, size_t end,
			  const size_t *allowed, size_t step, size_t before, size_t depth)
{
	size_t first = end, shown;

	if (!end || check->steps[step].at - check->steps[blind[end - 1].step].at >= depth)
		return end;
	shown = shown_from(check, allowed, step, before, depth);
	while (first && blind[first - 1].step >= shown)
		first--;
	return first;
}

/*
 * Where does a record show the most of @blind? It goes back to where a probe was hit, or as far as
 * it has entries. Of equal places take the one that the path executes least often, and of these the
 * oldest.
 */
static struct view best_view(const struct deep_check *check, const struct deep_fork *blind,
			     size_t count, const size_t *all_times, const size_t *allowed,
			     size_t depth, deep_may_fn *may, const void *ctx)
{
	size_t before = SIZE_MAX, end = 0, least = 0;
	struct view best = {};

	for (size_t step = 1; step < check->step_count; step++) {
		uint64_t addr = check->steps[step].addr;
		size_t first, times;

		if (deep_check_has(check, check->steps[step - 1].addr))
			before = step - 1;
		while (end < count && blind[end].step < step)
			end++;
		first = first_shown(check, blind, end, allowed, step, before, depth);
		if (first == end || end - first < best.count || deep_check_has(check, addr) ||
		    !may(ctx, addr))
			continue;
		times = all_times[number_of(check, addr)];
		if (end - first == best.count && times >= least)
			continue;
		best = (struct view){.step = step, .first = first, .count = end - first};
		least = times;
	}
	return best;
}

int deep_check_arm_views(struct deep_check *check, size_t depth, deep_may_fn *may,
			 deep_probe_fn *view, deep_probe_fn *kprobe, void *ctx)
{
	size_t count;
	_cleanup_free_ struct deep_fork *blind = gather_blind(check, &count);
	_cleanup_free_ size_t *times = count_times(check);
	_cleanup_free_ size_t *allowed = find_allowed(check, kprobe, ctx);
	int err = blind && times && allowed ? 0 : -ENOMEM;

	while (!err && count && check->view_count < HW_SITES_MAX) {
		struct view best = best_view(check, blind, count, times, allowed, depth, may, ctx);

		err = best.count ? view(ctx, check->steps[best.step].addr) : -ENOENT;
		/* A view that cannot be armed would be chosen again. */
		if (err)
			return err == -ENOMEM || err == -EINTR ? err : 0;
		err = deep_check_view(check, check->steps[best.step].addr);
		count -= best.count;
		memmove(blind + best.first, blind + best.first + best.count,
			(count - best.first) * sizeof(*blind));
	}
	return err;
}

static int add_armed(struct deep_check *check, uint64_t addr)
{
	size_t at = check->armed_count;

	if (deep_check_has(check, addr))
		return 0;
	if (vector_grow(&check->armed, at, sizeof(*check->armed)))
		return -ENOMEM;
	for (; at && check->armed[at - 1] > addr; at--)
		check->armed[at] = check->armed[at - 1];
	check->armed[at] = addr;
	check->armed_count++;
	return 0;
}

/* Return: 1: armed, or there may be no more; 0: the kernel allows none at @addr; -ENOMEM; -EINTR.
 */
static int try_probe(struct deep_check *check, size_t max, deep_probe_fn *probe, void *ctx,
		     uint64_t addr)
{
	int err = check->armed_count < max ? probe(ctx, addr) : -ENOSPC;

	if (err == -ENOMEM || err == -EINTR)
		return err;
	if (err)
		return err == -ENOSPC;
	return add_armed(check, addr) ?: 1;
}

/* Arm a probe on the way that begins at @addr, as early as possible. *@ret_at: 0: there is none */
static int arm_way(struct deep_check *check, const struct text_source *text, size_t max,
		   deep_probe_fn *probe, void *ctx, uint64_t addr, uint64_t *ret_at)
{
	*ret_at = 0;
	for (int i = 0; i < DEEP_FURTHER_MAX && addr; i++) {
		int err;

		addr = deep_skip_unfit(text, addr);
		err = deep_check_has(check, addr) ? 0
		      : check->armed_count < max  ? probe(ctx, addr)
						  : -ENOSPC;
		if (err == -ENOMEM || err == -EINTR)
			return err;
		if (err == -ENOSPC)
			return 0;
		if (!err) {
			*ret_at = addr;
			return add_armed(check, addr);
		}
		addr = deep_goes_on(text, addr);
	}
	return 0;
}

/*
 * Arm a probe before an indirect branch, where its destination is known. As near as possible: of an
 * older one the hit may not be reached, see find_blind().
 */
static int arm_source(struct deep_check *check, const struct text_source *text, size_t max,
		      deep_probe_fn *probe, void *ctx, const struct deep_fork *fork)
{
	for (size_t i = fork->used + 1; i-- > fork->loaded;) {
		uint64_t addr = check->steps[i].addr;
		int err;

		if (!deep_check_has_source(check, fork, i))
			continue;
		if (deep_check_has(check, addr))
			return 0;
		if (deep_skip_unfit(text, addr) != addr)
			continue;
		err = try_probe(check, max, probe, ctx, addr);
		if (err)
			return err < 0 ? err : 0;
	}
	return 0;
}

bool deep_check_observes(const struct deep_check *check, const struct deep_fork *fork)
{
	if (!fork->other)
		return deep_check_shows_target(check, fork, 0);
	if (!fork->other_at)
		return false;
	return !deep_check_comes_by(check, fork->other_at) ||
	       (fork->next_at && fork->next_at != fork->other_at);
}

int deep_check_view(struct deep_check *check, uint64_t addr)
{
	if (check->view_count == HW_SITES_MAX)
		return -ENOMEM;
	check->views[check->view_count++] = addr;
	return add_armed(check, addr);
}

bool deep_check_is_view(const struct deep_check *check, uint64_t addr)
{
	for (size_t i = 0; i < check->view_count; i++)
		if (check->views[i] == addr)
			return true;
	return false;
}

/* Can other tasks run at a fork after @fork, within a record's length? */
static bool is_excursion_behind(const struct deep_check *check, const struct deep_fork *fork,
				size_t depth)
{
	for (const struct deep_fork *next = fork + 1; next < check->forks + check->fork_count;
	     next++) {
		if (next->branch - fork->branch >= depth)
			return false;
		if (next->back && !next->quiet)
			return true;
	}
	return false;
}

/* Will a record have what follows step number @begin, with no other hit in between? */
static bool has_record(const struct deep_check *check, size_t begin, size_t depth)
{
	size_t at = check->steps[begin].at;

	for (size_t i = begin + 1; i < check->step_count; i++) {
		const struct deep_step *step = &check->steps[i];

		if (step->at - at >= depth)
			return false;
		if (deep_check_has(check, step->addr))
			return deep_check_is_view(check, step->addr) &&
			       deep_check_shown_from(check, i, deep_check_step_before(check, i),
						     depth) <= begin;
	}
	return false;
}

/*
 * Will a record show which way the run went? It has the branches from there on, unless other tasks
 * run. One entry more shows that no branch was taken before the fork in its block: it is the branch
 * to the block, or the return from a handler that was called in it.
 */
static bool is_in_view(const struct deep_check *check, const struct deep_fork *fork, size_t depth)
{
	return (!fork->back || fork->quiet) && !is_excursion_behind(check, fork, depth) &&
	       has_record(check, fork->step, depth);
}

/*
 * Arm a probe on the path after @fork, where the run has to come whichever way it went. Not in a
 * call that the path makes there. Try one instruction in each block; if a function can have no
 * probe, try its caller.
 */
static int arm_behind(struct deep_check *check, const struct text_source *text, size_t max,
		      size_t depth, deep_probe_fn *probe, void *ctx, const struct deep_fork *fork)
{
	size_t since = check->steps[fork->step].since, tried = SIZE_MAX;
	int tries = 0;

	for (size_t i = fork->step + 1; i < check->step_count; i++) {
		const struct deep_step *step = &check->steps[i];
		int err;

		if (step->since > fork->step)
			continue;
		if (deep_check_has(check, step->addr))
			return 0;
		if (step->since < since) {
			since = step->since;
			tries = 0;
		}
		if (tries == DEEP_FURTHER_MAX || step->at == tried ||
		    deep_skip_unfit(text, step->addr) != step->addr)
			continue;
		if (has_record(check, i, depth))
			return 0;
		tried = step->at;
		tries++;
		err = try_probe(check, max, probe, ctx, step->addr);
		if (err)
			return err < 0 ? err : 0;
	}
	return 0;
}

/* If the path never executes the other way's probe, a hit of that alone shows the way. */
static int arm_both_ways(struct deep_check *check, const struct text_source *text, size_t max,
			 deep_probe_fn *probe, void *ctx, struct deep_fork *fork)
{
	int err = arm_way(check, text, max, probe, ctx, fork->other, &fork->other_at);

	if (err || !fork->next || (fork->other_at && !deep_check_comes_by(check, fork->other_at)))
		return err;
	return arm_way(check, text, max, probe, ctx, fork->next, &fork->next_at);
}

static int arm_fork(struct deep_check *check, const struct text_source *text, size_t max,
		    size_t depth, deep_probe_fn *probe, void *ctx, struct deep_fork *fork)
{
	int err = 0;

	fork->tried = true;
	if (!fork->other)
		err = arm_source(check, text, max, probe, ctx, fork);
	else
		err = arm_both_ways(check, text, max, probe, ctx, fork);
	/* A record after the fork shows more than a probe, which would cut it short. */
	if (!err && !check->asks && !deep_check_observes(check, fork))
		err = arm_behind(check, text, max, depth, probe, ctx, fork);
	return err;
}

/* Arm both the call and what follows it: hits between the two are the call's own. */
static int arm_wait(struct deep_check *check, deep_probe_fn *probe, void *ctx, size_t step)
{
	for (size_t i = step; i < step + 2; i++) {
		uint64_t addr = check->steps[i].addr;
		int err = deep_check_has(check, addr) ? 0 : probe(ctx, addr);

		if (err == -ENOMEM || err == -EINTR)
			return err;
		err = err ?: add_armed(check, addr);
		if (err == -ENOMEM)
			return err;
	}
	return 0;
}

/* The oldest kprobe that the record at step number @view, a breakpoint's, can begin at. */
static int arm_anchor(struct deep_check *check, size_t max, size_t depth, deep_probe_fn *probe,
		      void *ctx, size_t view)
{
	size_t at = check->steps[view].at, tries = ANCHOR_TRIES;

	/* It has all from the path's first branch on. */
	if (at < depth)
		return 0;
	for (size_t i = deep_check_first_behind(check, at - depth); i < view && tries; i++) {
		uint64_t addr = check->steps[i].addr;
		int err;

		if (deep_check_has(check, addr) && deep_check_is_anchor(check, i))
			return 0;
		if (deep_check_has(check, addr) || !deep_check_is_anchor(check, i))
			continue;
		tries--;
		err = try_probe(check, max, probe, ctx, addr);
		if (err)
			return err < 0 ? err : 0;
	}
	return 0;
}

int deep_check_arm(struct deep_check *check, const struct text_source *text, size_t max,
		   size_t depth, deep_probe_fn *probe, void *ctx)
{
	bool more = true;
	int err = deep_check_has(check, check->known.end) ? 0 : probe(ctx, check->known.end);

	if (err)
		return err == -ENOMEM || err == -EINTR ? err : 0;
	err = add_armed(check, check->known.end);
	for (size_t i = 0; !err && i < check->wait_count; i++)
		err = arm_wait(check, probe, ctx, check->waits[i].step);
	for (size_t i = 0; !err && i < check->step_count; i++)
		if (deep_check_is_view(check, check->steps[i].addr))
			err = arm_anchor(check, max, depth, probe, ctx, i);
	/* A new probe may cut the record that shows another fork: go on until nothing changes. */
	while (!err && more) {
		more = false;
		for (size_t i = check->fork_count; !err && i-- > 0;) {
			struct deep_fork *fork = &check->forks[i];

			if (fork->tried || is_in_view(check, fork, depth))
				continue;
			err = arm_fork(check, text, max, depth, probe, ctx, fork);
			more = true;
		}
	}
	return err;
}

int deep_check_ask(struct deep_check *check, const struct text_source *text, size_t max,
		   size_t depth, deep_probe_fn *probe, void *ctx)
{
	check->asks = true;
	return deep_check_arm(check, text, max, depth, probe, ctx);
}

void deep_check_disarm(struct deep_check *check)
{
	for (size_t i = 0; check->asks && i < check->fork_count; i++)
		check->forks[i].untold =
			check->forks[i].tried && !deep_check_observes(check, &check->forks[i]);
	check->asks = false;
	check->armed_count = 0;
	for (size_t i = 0; i < check->view_count; i++)
		check->armed[check->armed_count++] = check->views[i];
	qsort(check->armed, check->armed_count, sizeof(*check->armed), address_compare);
	for (size_t i = 0; i < check->fork_count; i++) {
		check->forks[i].tried = false;
		check->forks[i].next_at = check->forks[i].other_at = 0;
	}
}
