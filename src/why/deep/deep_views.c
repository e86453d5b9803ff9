// SPDX-License-Identifier: GPL-2.0
/* deep_views.c - where a run that checks the path takes records: where no kprobe shows its way */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/address.h"
#include "util/cleanup.h"
#include "why/deep/deep_check.h"

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

/* The first of the @end forks before @step that a record taken there shows; @end: none. */
static size_t first_shown(const struct deep_check *check, const struct deep_fork *blind, size_t end,
			  size_t step, size_t before, size_t depth)
{
	size_t first = end, shown;

	if (!end || check->steps[step].at - check->steps[blind[end - 1].step].at >= depth)
		return end;
	shown = deep_check_shown_from(check, step, before, depth);
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
			     size_t count, const size_t *all_times, size_t depth, deep_may_fn *may,
			     const void *ctx)
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
		first = first_shown(check, blind, end, step, before, depth);
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
			 deep_probe_fn *view, void *ctx)
{
	size_t count;
	_cleanup_free_ struct deep_fork *blind = gather_blind(check, &count);
	_cleanup_free_ size_t *times = count_times(check);
	int err = blind && times ? 0 : -ENOMEM;

	while (!err && count && check->view_count < HW_SITES_MAX) {
		struct view best = best_view(check, blind, count, times, depth, may, ctx);

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
