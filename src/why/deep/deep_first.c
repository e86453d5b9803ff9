// SPDX-License-Identifier: GPL-2.0
/* The first run for a place that the user names: which call hit it last, and at which end? */
#include <errno.h>

#include "util/log.h"
#include "why/deep/deep_search.h"

/* Arm all ends, or none: one without a breakpoint may be the one that is hit last. */
static int arm_ends(struct deep *deep, struct errmsg *msg)
{
	const struct deep_place *place = &deep->place;

	for (size_t i = 0; i < place->end_count; i++) {
		if (deep_watch_point(deep, place->ends[i]))
			continue;
		watch_sites_end(deep->probes->watch);
		return errmsg_set(
			msg, -EBUSY,
			"'%s': no breakpoint could be had at 0x%llx: the kernel allows none there, "
			"or others use the debug registers (-v says more)",
			deep->answer->place, (unsigned long long)place->ends[i]);
	}
	return 0;
}

/* Why no hit counts. @outside: hits of the command in no system call; @lost: some are missing */
static void explain(const struct deep *deep, uint64_t hits, uint64_t outside, bool lost,
		    struct errmsg *reason)
{
	bool returns = deep->place.returns;

	if (deep->too_many)
		errmsg_set(reason, 0,
			   "it was executed too often: after %llu times the breakpoints were "
			   "taken away, for the machine's sake",
			   (unsigned long long)hits);
	else if (lost)
		errmsg_set(reason, 0,
			   "hits of it were lost: whether one of them counts is not known");
	else if (!hits)
		errmsg_set(reason, 0, "it was not executed while the command ran");
	else if (!deep->hits.points && !outside)
		errmsg_set(reason, 0, "it was executed, but not by the command");
	else if (!deep->hits.points)
		errmsg_set(
			reason, 0,
			"it was executed %llu time%s while the command had the CPU, but not on the "
			"stack of a system call that was under way: in an interrupt or an "
			"exception, on the way back to the program, or before its first call; no "
			"way from a system call leads there",
			(unsigned long long)outside, outside == 1 ? "" : "s");
	else if (returns && deep->place.errors && !deep_hits_in_open_call(&deep->hits))
		errmsg_set(
			reason, 0,
			"it returned %zu time%s in the command's system calls, but no error that "
			"counts (-e none: every return counts)",
			deep->hits.points, deep->hits.points == 1 ? "" : "s");
	else
		errmsg_set(reason, 0,
			   "the command executed it in a system call that did not come to its end");
}

static int choose_end(struct deep *deep, const struct failures *failures)
{
	struct answer *answer = deep->answer;
	const struct failure *call = NULL;
	size_t count = 0;
	const struct deep_hit *hits = deep_find_call(deep, failures, &count, &call), *end;

	if (!hits)
		return 0;
	end = &hits[count - 1];
	answer->state = ORIGIN_PLACE;
	answer->call = call;
	answer->site.addr = answer->site.watch = deep->path->end = end->ip;
	answer->returned = deep->place.returns;
	if (answer->returned)
		answer->value = deep_place_value(&deep->place, end);
	deep_place_choose(&deep->place, end);
	watch_ends(deep->probes->watch, deep->place.ends, deep->place.end_count);
	return deep_begin_late(deep, failures);
}

int deep_find_end(struct deep *deep, struct errmsg *msg)
{
	struct answer *answer = deep->answer;
	struct watch *watch = deep->probes->watch;
	uint64_t outside = watch_points_outside(watch);
	bool lost = false;
	int err = arm_ends(deep, msg);

	if (err)
		return err;
	watch_ends(watch, deep->place.ends, deep->place.end_count);
	err = deep_run_armed(deep, &answer->failures, &lost, msg);
	watch_sites_end(watch);
	/* If the breakpoints were disarmed, the last hit is not known. */
	if (!err && !deep->too_many)
		err = choose_end(deep, &answer->failures);
	if (lost && answer->call)
		log_warning("hits of the place were lost: another one than the last may be shown");
	if (!err && !answer->call)
		explain(deep, watch_point_hits(watch) - deep->hits_before,
			watch_points_outside(watch) - outside, lost, &answer->reason);
	deep_hits_clear(&deep->hits);
	return err;
}
