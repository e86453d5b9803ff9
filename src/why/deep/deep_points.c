// SPDX-License-Identifier: GPL-2.0
/* Which points of the path the next run has breakpoints at, and to arm them. */
#include "why/deep/deep_search.h"

#include <errno.h>

#include "capture/capture.h"
#include "symbolize/place.h"
#include "symbolize/symbolize.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "why/deep/deep_compute.h"

bool deep_in_thunk(const struct deep *deep, uint64_t addr)
{
	struct symbol sym;

	return !symbols_find(deep->probes->opts->symbols, addr, &sym) &&
	       place_is_thunk(place_of_symbol(sym.name, 0));
}

/* Where a call is entered the handler's return would look like its entry. */
bool deep_refuses(const void *ctx, uint64_t addr)
{
	const struct deep *deep = ctx;

	for (size_t i = 0; i < ARRAY_SIZE(deep->code.calls); i++)
		if (deep->code.calls[i] == addr)
			return true;
	return probeable_forbidden(deep->forbidden, addr) || deep_in_thunk(deep, addr);
}

/* May a breakpoint stand there, and is that the path's first execution of it? */
static bool is_possible(const struct deep *deep, const struct deep_target *target)
{
	struct deep_known path = deep_known_of(deep->path);

	if (target->addr == path.end || deep_refuses(deep, target->addr))
		return false;
	return !deep_runs_between(&path, DEEP_BEFORE, target->at - 1, target->addr);
}

/*
 * The path begins in code where no breakpoint may stand, which may branch more often than a record
 * holds. What called it, and where that went on, may have breakpoints.
 */
static bool find_call(const struct deep *deep, struct deep_target *ret)
{
	const struct deep_path *path = deep->path;
	struct deep_target target = {};

	if (!path->count || !probeable_forbidden(deep->forbidden, path->branches[0].from))
		return false;
	while ((size_t)target.at < path->count && deep_refuses(deep, path->branches[target.at].to))
		target.at++;
	if ((size_t)target.at == path->count)
		return false;
	target.addr = path->branches[target.at].to;
	if (!is_possible(deep, &target) ||
	    !deep_call_before(&deep->probes->text, target.addr, &target.call) ||
	    deep_refuses(deep, target.call))
		return false;
	*ret = target;
	return true;
}

/* Of the call that waited where the path begins: behind it, and at it. */
static bool find_wait(const struct deep *deep, struct deep_target *ret)
{
	uint64_t addr = deep->path->start;

	if (!deep->looks.checked || deep_refuses(deep, addr) ||
	    deep_refuses(deep, addr - DEEP_CALL_BYTES))
		return false;
	*ret = (struct deep_target){
		.addr = addr, .at = DEEP_BEFORE, .call = addr - DEEP_CALL_BYTES, .wait = true};
	return true;
}

/* True if it is possible, and @left possible ones came before it: counted down. */
static bool take_target(const struct deep *deep, long at, uint64_t addr, unsigned int *left,
			struct deep_target *ret)
{
	struct deep_target target = {.addr = addr, .at = at};

	if (!is_possible(deep, &target) || (*left)--)
		return false;
	*ret = target;
	return true;
}

/*
 * The far end first, some branches short of it; then further on, towards the error; last those with
 * no room to overlap, which the breakpoint of the run before has to make up for. A shallow LBR has
 * room for nothing else.
 */
bool deep_find_target(const struct deep *deep, struct deep_target *ret)
{
	const struct deep_path *path = deep->path;
	long count = (long)path->count, depth = (long)lbr_depth(), least = DEEP_OVERLAP_MIN - 1;
	long spots = depth - least - 1;
	unsigned int left = deep->number;

	/* No record goes further back than that. */
	if (path->start)
		return !left && find_wait(deep, ret);
	if (find_call(deep, ret) && !left--)
		return true;
	for (long i = 0; i < depth; i++) {
		/* 2, 3, ..., and then 1, 0, -1; or -1, 0, 1, ... */
		long at = depth < DEEP_SHALLOW ? i + DEEP_BEFORE
			  : i < spots	       ? i + least
					       : least - 1 - (i - spots);

		if (at >= count)
			continue;
		if (at != DEEP_BEFORE && take_target(deep, at, path->branches[at].to, &left, ret))
			return true;
		if (at + 1 < count &&
		    take_target(deep, at, path->branches[at + 1].from, &left, ret))
			return true;
	}
	return false;
}

/*
 * The point of the run before; or, where that had few branches more, or the path begins later since
 * then, as far from the target as a record goes.
 */
bool deep_find_overlap(const struct deep *deep, const struct deep_target *target,
		       uint64_t *ret_addr)
{
	struct deep_known path = deep_known_of(deep->path);
	long first = DEEP_OVERLAP_MIN - 1, depth = (long)lbr_depth();
	long last = (target->at == DEEP_BEFORE ? 0 : target->at) + depth - 1;

	if (deep->path->segment_count < 2)
		return false;
	*ret_addr = deep->path->segments[deep->path->segment_count - 1].point;
	if (target->at >= first || last + 1 >= (long)path.count ||
	    deep_runs_between(&path, first, last, *ret_addr))
		return true;
	for (long at = last; at >= first; at--)
		for (int i = 0; i < 2; i++) {
			uint64_t addr = i ? path.branches[at].to : path.branches[at + 1].from;

			if (deep_refuses(deep, addr))
				continue;
			*ret_addr = addr;
			return true;
		}
	return true;
}

/*
 * The function that the path begins in was entered before. A breakpoint there may be hit so soon
 * before the target that the record at the target goes back to it: then both records are one. Where
 * everybody comes by it is not tried again; nor next, where a hit was lost.
 */
bool deep_find_entry(const struct deep *deep, uint64_t *ret_addr)
{
	struct deep_known path = deep_known_of(deep->path);
	struct symbol sym;

	if (deep->crowded || deep->lost ||
	    symbols_find(deep->probes->opts->symbols, path.branches[0].from, &sym) ||
	    deep_refuses(deep, sym.addr))
		return false;
	if (deep_runs_between(&path, DEEP_BEFORE, (long)path.count - 1, sym.addr))
		return false;
	*ret_addr = sym.addr;
	return true;
}

/*
 * A point whose record has that branch of the path, counted from the error, the one behind it, and
 * others before it.
 */
bool deep_find_view(const struct deep *deep, size_t branch, uint64_t *ret_addr)
{
	const struct deep_path *path = deep->path;
	long first = (long)(path->count - branch), end = first + (long)lbr_depth() - 2;

	for (long at = first; at < end && at + 1 < (long)path->count; at++) {
		*ret_addr = path->branches[at].to;
		if (*ret_addr != path->end && !deep_refuses(deep, *ret_addr))
			return true;
		*ret_addr = path->branches[at + 1].from;
		if (*ret_addr != path->end && !deep_refuses(deep, *ret_addr))
			return true;
	}
	return false;
}

/* Where this run may be on another way than the path, which it would be joined to. */
static bool find_doubt(const struct deep *deep, uint64_t *ret_addr)
{
	const struct deep_looks *looks = &deep->looks;
	size_t branch;
	bool found = looks->checked ? deep_looks_parted(looks, deep->path->runs, &branch)
				    : deep_looks_varies(looks) &&
					      deep_looks_next(looks, deep->path->count, &branch, 1);

	return found && branch < deep->path->count && deep_find_view(deep, branch, ret_addr);
}

/* Near the far end, one whose record alone tells its hit. False: there is none. */
static bool find_clear_target(const struct deep *deep, struct deep_target *target)
{
	struct deep_known path = deep_known_of(deep->path);
	long depth = (long)lbr_depth();

	for (long at = DEEP_OVERLAP_MIN - 1;
	     at < depth - DEEP_OVERLAP_MIN - 1 && at + 1 < (long)path.count; at++)
		for (int i = 0; i < 2; i++) {
			struct deep_target clear = {.at = at,
						    .addr = i ? path.branches[at + 1].from
							      : path.branches[at].to};

			if (!is_possible(deep, &clear) || deep_is_ambiguous(&path, clear.addr, at))
				continue;
			*target = clear;
			return true;
		}
	return false;
}

/*
 * To a call on the stack, if there is a target that needs no other point of the path: it may be
 * some branches nearer. Not where the last one was none.
 */
static int ask_caller(struct deep *deep, struct deep_target *target, uint64_t *asked,
		      size_t *ret_count)
{
	struct deep_target clear;
	int err;

	*ret_count = 0;
	if (!deep->callers.text || deep->alone || deep->number || target->call ||
	    target->at < DEEP_OVERLAP_MIN - 1 || !find_clear_target(deep, &clear))
		return 0;
	err = deep_callers_aim(&deep->callers, deep->path, clear.at, asked, ret_count);
	if (*ret_count)
		*target = clear;
	return err;
}

/* With what proves the joint: the error, the point of the run before, and one of another. */
int deep_arm(struct deep *deep, struct deep_target *target, uint64_t *points, size_t *ret_armed)
{
	const struct deep_path *path = deep->path;
	struct watch *watch = deep->probes->watch;
	uint64_t asked[HW_SITES_MAX] = {path->end};
	size_t count = deep->begun ? 2 : 1, least, callers = 0, armed = 0;
	/* Points that are no proof may be what could not be told apart. */
	bool more = deep->verdict != DEEP_AMBIGUOUS;

	if (target->call)
		asked[count++] = target->call;
	least = count;
	if (!target->call)
		count += deep_ask_wait(deep, asked + count, HW_SITES_MAX - count);
	*ret_armed = 0;
	deep->callers.aim = deep->callers.count;
	if (count == 2 && ask_caller(deep, target, asked + count, &callers))
		return -ENOMEM;
	deep->alone = false;
	count += callers;
	if (deep->begun)
		asked[1] = target->addr;
	if (count < HW_SITES_MAX && deep_find_overlap(deep, target, &asked[count]))
		count++;
	/* Where runs differ, to see the path again is worth more than to get further. */
	if (lbr_depth() >= DEEP_SHALLOW && count < HW_SITES_MAX && find_doubt(deep, &asked[count]))
		count++;
	if (more && path->count && count < HW_SITES_MAX && deep_find_entry(deep, &asked[count]))
		count++;
	if (more && path->segment_count > 2 && count < HW_SITES_MAX)
		asked[count++] = path->segments[1 + path->runs % (path->segment_count - 2)].point;
	for (size_t i = 0; i < count; i++) {
		if (address_among(points, armed, asked[i]))
			continue;
		if (watch_point(watch, asked[i]))
			points[armed++] = asked[i];
		else if (i < least)
			return 0;
		else if (i < least + callers)
			deep_callers_missed(&deep->callers);
	}
	*ret_armed = armed;
	return 0;
}

/* What one run is to see of the path, and the error; 0, -ENOMEM. @ret_armed: 0: there is nothing.
 */
int deep_arm_looks(struct deep *deep, uint64_t *points, size_t *ret_armed)
{
	size_t branches[HW_SITES_MAX - 1], count, armed = 0;
	bool more = true, marked = false;

	*ret_armed = 0;
	while (!armed && more) {
		count = deep_looks_next(&deep->looks, deep->path->count, branches,
					HW_SITES_MAX - 1);
		more = false;
		for (size_t i = 0; i < count; i++) {
			uint64_t addr = 0;
			bool possible = deep_find_view(deep, branches[i], &addr);

			more |= !possible;
			if (deep_looks_tried(&deep->looks, branches[i], possible))
				return -ENOMEM;
			if (possible && !address_among(points, armed, addr) &&
			    watch_point(deep->probes->watch, addr))
				points[armed++] = addr;
		}
		marked |= more;
	}
	if (armed && watch_point(deep->probes->watch, deep->path->end)) {
		points[armed++] = deep->path->end;
		*ret_armed = armed;
	} else if (armed || !marked) {
		/* Debug registers that others use may be free the next time. */
		deep->blind++;
	}
	return 0;
}
