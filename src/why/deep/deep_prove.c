// SPDX-License-Identifier: GPL-2.0
/* Runs with kprobes wherever the path can be left: does one of them take the path? */
#include <errno.h>
#include <stdlib.h>

#include "capture/capture.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/vector.h"
#include "why/deep/deep_search.h"
#include "why/proof/deep_check.h"

/* Runs of one check, at most: if none takes the path, no run takes it as a whole. */
#define CHECKS_MAX 10
/* The same, if so many runs leave the path at one place, and no run comes further. */
#define CHECKS_SAME_MAX 4
/* Kprobes at a time: the kernel takes milliseconds to make and to remove each. */
#define CHECK_PROBES_MAX 1000

static int arm_probe(void *ctx, uint64_t addr)
{
	struct deep *deep = ctx;

	if (deep->command->stop && deep->command->stop(deep->command->ctx))
		return -EINTR;
	/* Arming all of them may take seconds. Meanwhile all code may hit the first ones. */
	if (deep_has_too_many(deep))
		return -ENOSPC;
	/* The kernel allows none here: arm_way() tries the next instruction. */
	if (deep_has_no_kprobe(deep, addr))
		return -EINVAL;
	return watch_passes(deep->probes->watch, addr, deep->answer->call->call.nr);
}

/*
 * Its record spares kprobes. Of a place, only a breakpoint has the registers that say which hit
 * counts.
 */
static int arm_end(struct deep *deep, struct deep_check *check)
{
	if ((!deep->no_views || deep->hits.place) && deep_watch_point(deep, deep->path->end))
		return deep_check_view(check, deep->path->end);
	return deep->hits.place ? -ENODATA : 0;
}

/* The handling of kprobes would hit it, and leave the LBR stopped. */
static bool may_view(const void *ctx, uint64_t addr)
{
	return !deep_refuses(ctx, addr) && !deep_in_handler(ctx, addr);
}

static int arm_view(void *ctx, uint64_t addr)
{
	const struct deep *deep = ctx;

	return deep_watch_point(deep, addr) ? 0 : -EINVAL;
}

static int expect_probe(void *ctx, uint64_t addr)
{
	return deep_has_no_kprobe(ctx, addr) ? -EINVAL : 0;
}

/* Breakpoints come first where kprobes will not show the way, since they are few. */
static int arm_blind_views(struct deep *deep, struct deep_check *check)
{
	int err = deep_check_ask(check, &deep->probes->text, CHECK_PROBES_MAX, lbr_depth(),
				 expect_probe, deep);

	err = err
		      ?: deep_check_arm_views(check, lbr_depth(), may_view, arm_view, expect_probe,
					      deep);
	deep_check_disarm(check);
	return err;
}

/* From the error backwards, one record apart: forks that these records show need no kprobe. */
static int arm_views(struct deep *deep, struct deep_check *check)
{
	size_t apart = lbr_depth() - 1, count = deep->path->count;
	int err = arm_end(deep, check);

	if (err || deep->no_views)
		return err;
	err = arm_blind_views(deep, check);
	for (size_t i = 1; !err && check->view_count < HW_SITES_MAX && i * apart < count; i++) {
		uint64_t addr;

		if (deep_find_view(deep, i * apart, &addr) && !deep_in_handler(deep, addr) &&
		    !deep_check_has(check, addr) && deep_watch_point(deep, addr))
			err = deep_check_view(check, addr);
	}
	return err;
}

/* Arm all that shows where a run leaves the path. -ENODATA: nothing can show it. */
static int arm_check(struct deep *deep, struct deep_check *check)
{
	const struct text_source *text = &deep->probes->text;
	struct symbols *symbols = deep->probes->opts->symbols;
	struct deep_known path = deep_known_of(deep->path);
	int err;

	text_live_invalidate(deep->probes->opts->text);
	err = deep_check_make(text, symbols, &path, deep->path->entry, check)
		      ?: arm_views(deep, check);
	err = err ?: deep_check_arm(check, text, CHECK_PROBES_MAX, lbr_depth(), arm_probe, deep);
	/* Without a hit at the error, no other hit tells anything. */
	if (err || check->armed_count < 2 || !deep_check_has(check, path.end))
		return err ?: -ENODATA;
	/* Kprobes that become jumps have pages of their own, which come and go. */
	symbols_refresh(symbols);
	return 0;
}

/*
 * Keep the excursions of the run that the path is shown of, instead of those of another run.
 * @excursions: of deep_check_compare(), of the @count newest branches
 */
static int keep_excursions(struct deep *deep, const bool *excursions, size_t count)
{
	struct deep_path *path = deep->path;
	size_t kept = 0;

	for (size_t i = 0; i < path->interrupt_count; i++)
		if (!path->interrupts[i].rescheduled || path->interrupts[i].resumed)
			path->interrupts[kept++] = path->interrupts[i];
	path->interrupt_count = kept;
	for (size_t i = 0; i <= count; i++) {
		struct symbol sym = {.addr = i ? path->branches[path->count - i].from : path->end};

		if (!excursions[i])
			continue;
		if (vector_grow(&path->interrupts, path->interrupt_count,
				sizeof(*path->interrupts)))
			return -ENOMEM;
		symbols_find(deep->probes->opts->symbols, sym.addr, &sym);
		path->interrupts[path->interrupt_count++] =
			(struct deep_interrupt){.entry = sym.addr,
						.newer = i,
						.run = deep->answer->runs,
						.rescheduled = true};
	}
	return 0;
}

static bool has_stale(const struct deep_hit *hits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (hits[i].record.end == DEEP_END_STALE)
			return true;
	return false;
}

/* Does the run take the path, and how many of its newest branches? */
static int evaluate_check(struct deep *deep, const struct deep_check *check,
			  const struct failures *failures, size_t *ret_taken)
{
	size_t count = deep->path->count, hit_count = 0, first, blinds = 0;
	const struct deep_hit *hits = deep_find_hits(deep, failures, &hit_count);
	_cleanup_free_ struct deep_blind *blind = calloc(count, sizeof(*blind));
	_cleanup_free_ bool *excursions = calloc(count + 1, sizeof(*excursions));
	int passed, left, best;

	if (!blind || !excursions)
		return -ENOMEM;
	passed = deep_check_compare(check, hits, hit_count, deep->path->entry, &first, blind,
				    excursions);
	left = passed < 0 ? passed : deep_check_left(check, hits, hit_count, deep->path->entry);
	if (left < 0)
		return left;
	deep->passed = passed;
	deep->proven |= passed;
	*ret_taken = count - first;
	for (size_t i = 0; i < *ret_taken; i++)
		blinds += blind[i].newer > 0;
	deep->unobserved = blinds > 0;
	log_verbose("run %u, to check the path: %zu of %zu branches taken, %zu not observed, %zu "
		    "hits",
		    deep->answer->runs, *ret_taken, count, blinds, hit_count);
	/* The handling of kprobes hits a breakpoint: the next check has kprobes alone. */
	if (!passed && !deep->no_views && has_stale(hits, hit_count)) {
		log_verbose("records are invalid: the handling of kprobes hits a breakpoint");
		deep->no_views = true;
		deep->checked = false;
	}
	best = deep_looks_prove(&deep->looks, *ret_taken, blind, hits && left,
				deep_was_rescheduled(hits, hit_count));
	return best > 0 ? keep_excursions(deep, excursions, *ret_taken) : best;
}

/* The last runs are kept to look at what no probe observes. */
static unsigned int same_max(const struct deep *deep)
{
	return deep->unobserved && deep->path->runs + LOOKS_UNOBSERVED >= deep->opts->runs
		       ? 1
		       : CHECKS_SAME_MAX;
}

/* Make runs with all probes armed, until one takes the path. */
static int run_checks(struct deep *deep, const struct deep_check *check, struct errmsg *msg)
{
	unsigned int same = 0;
	size_t most = 0;
	int err = 0;

	for (unsigned int i = 0; !err && !deep->passed && deep->checked && !deep->too_many &&
				 i < CHECKS_MAX && same < same_max(deep) && deep_has_time(deep);
	     i++) {
		struct failures failures = {};
		size_t taken = 0;
		bool lost;

		err = deep_run_armed(deep, &failures, &lost, msg);
		if (!err && !lost && !deep->too_many)
			err = evaluate_check(deep, check, &failures, &taken);
		same = taken < most ? same : taken == most ? same + 1 : 1;
		most = taken > most ? taken : most;
		deep_hits_clear(&deep->hits);
		failures_clear(&failures);
	}
	return err;
}

void deep_settle(struct deep *deep)
{
	struct deep_known path = deep_known_of(deep->path);

	deep_looks_extended(&deep->looks, &path);
}

/* Only checks tell whether one run took both paths that were joined at a call. */
static void give_up_callers(struct deep *deep)
{
	bool few;
	size_t kept = deep_looks_sure(&deep->looks, deep->path->count, &few);

	if (kept < deep->callers.without)
		kept = deep->callers.without;
	if (deep->callers.without && kept < deep->path->count)
		deep_give_up(deep, deep->path->count - kept);
	deep_callers_clear(&deep->callers);
}

/* To arm and disarm hundreds of kprobes takes longer than some runs: do it once for all runs. */
int deep_prove(struct deep *deep, struct errmsg *msg)
{
	struct deep_check check = {};
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), armed_ns;
	int err;

	deep_count_hits(deep);
	err = arm_check(deep, &check);
	armed_ns = clock_ns(CLOCK_MONOTONIC);
	deep->checked = true;
	err = err ?: run_checks(deep, &check, msg);
	watch_sites_end(deep->probes->watch);
	log_verbose("%zu probes: %u ms to arm them, %u ms for the runs and to disarm them",
		    check.armed_count, (unsigned int)((armed_ns - begin_ns) / 1000000),
		    (unsigned int)((clock_ns(CLOCK_MONOTONIC) - armed_ns) / 1000000));
	/* Text that was read while kprobes were armed has their instructions. */
	text_live_invalidate(deep->probes->opts->text);
	deep_check_clear(&check);
	if (err && err != -ENODATA)
		return err;
	/* Kprobes cannot check the path, or slow down the machine: more runs have to see it. */
	if (err || deep->too_many) {
		give_up_callers(deep);
		deep->looks.checked = false;
	}
	deep->crowded_probes = deep->too_many;
	return 0;
}

void deep_say_unchecked(const struct deep *deep)
{
	if (deep->looks.checked || deep->path->segment_count < 2)
		return;
	errmsg_set(&deep->path->unchecked, 0, "%s",
		   !deep->probes->opts->kprobes
			   ? "the kernel has no kprobes, or they are switched off"
		   : deep->crowded_probes ? "other tasks execute its probes too often"
					  : "the probes for that could not be had");
}
