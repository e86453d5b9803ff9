// SPDX-License-Identifier: GPL-2.0
/* Chooses the points of the next run, and arms breakpoints and kprobes at them. */
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

bool deep_in_handler(const struct deep *deep, uint64_t addr)
{
	struct symbol sym;

	return !symbols_find(deep->probes->opts->symbols, addr, &sym) &&
	       probeable_by_handler(sym.name);
}

/*
 * The debug exception's entry code returns by a thunk before it has switched breakpoints off: one
 * there would be hit again, for ever.
 */
bool deep_watch_point(const struct deep *deep, uint64_t addr)
{
	return !deep_in_thunk(deep, addr) && !probeable_forbidden(deep->forbidden, addr) &&
	       watch_point(deep->probes->watch, addr);
}

/* At the entry of a system call, the handler's return would look like the entry. */
bool deep_refuses(const void *ctx, uint64_t addr)
{
	const struct deep *deep = ctx;

	for (size_t i = 0; i < ARRAY_SIZE(deep->code.calls); i++)
		if (deep->code.calls[i] == addr)
			return true;
	return probeable_forbidden(deep->forbidden, addr) || deep_in_thunk(deep, addr);
}

/*
 * Do not ask the kernel: it would log "Could not probe notrace function" each time, see
 * within_notrace_func() of kernel/trace/trace_kprobe.c.
 */
bool deep_has_no_kprobe(const struct deep *deep, uint64_t addr)
{
	const struct text_source *text = &deep->probes->text;
	uint8_t bytes[9];
	struct symbol sym;

	if (deep_refuses(deep, addr) || deep_in_handler(deep, addr))
		return true;
	if (symbols_find(deep->probes->opts->symbols, addr, &sym) ||
	    text->read(text->ctx, sym.addr, bytes, sizeof(bytes)))
		return false;
	return !begins_with_fentry(bytes, sizeof(bytes));
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
 * holds. The call of it, and the instruction that it returned to, may have breakpoints.
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

/* Both ends of the left-out call after which the path begins. */
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

/* True if the target is possible, and @left, counted down here, possible ones came before it. */
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
 * First targets some branches newer than the oldest end; then newer ones, towards the error. Last
 * those whose record has no room to overlap: the breakpoint of the run before has to make up for
 * that. A shallow LBR has room for nothing else.
 */
bool deep_find_target(const struct deep *deep, struct deep_target *ret)
{
	const struct deep_path *path = deep->path;
	long count = (long)path->count, depth = (long)lbr_depth(), least = DEEP_OVERLAP_MIN - 1;
	long spots = depth - least - 1;
	unsigned int left = deep->number;

	/* No record goes further back than a left-out call. */
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
 * The point of the run before. If that run added few branches, or the path was cut since, take a
 * point as far from the target as a record goes.
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
	if (last + 1 >= (long)path.count || deep_runs_between(&path, first, last, *ret_addr))
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
 * The function in which the path begins was entered before. A breakpoint there may be hit so soon
 * before the target that the record at the target goes back to it: then both records are one. It is
 * not tried again after too many hits, nor right after a run that lost hits.
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

/* The record of such a point has some older branches, too. */
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

/* A point that shows whether this run left the path where runs differ. */
static bool find_doubt(const struct deep *deep, uint64_t *ret_addr)
{
	const struct deep_looks *looks = &deep->looks;
	size_t branch;
	bool found = looks->checked ? deep_looks_parted(looks, deep->path->runs, &branch)
				    : deep_looks_varies(looks) &&
					      deep_looks_next(looks, deep->path->count, &branch, 1);

	return found && branch < deep->path->count && deep_find_view(deep, branch, ret_addr);
}

/* A target near the oldest end whose record alone identifies its hit. False: there is none. */
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

			if (!is_possible(deep, &clear) || deep_in_handler(deep, clear.addr) ||
			    deep_is_ambiguous(&path, clear.addr, at))
				continue;
			*target = clear;
			return true;
		}
	return false;
}

/* A kprobe at ftrace's place or a string instruction is not hit once for each execution. */
static bool is_unfit(const struct deep *deep, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	return insn_fetch(&deep->probes->text, addr, bytes, &insn) ||
	       insn.flags & (INSN_F_ENDBR | INSN_F_REP) ||
	       (insn.flags & INSN_F_NOP && insn.len > 1);
}

/* Arm a kprobe: it needs no debug register. */
static bool arm_end(const struct deep *deep, uint64_t addr, struct deep_points *points)
{
	if (address_among(points->addrs, points->count, addr))
		return true;
	if (points->count == DEEP_POINTS_MAX || deep->crowded_ends ||
	    deep_has_no_kprobe(deep, addr) || is_unfit(deep, addr) ||
	    !watch_point_without_branches(deep->probes->watch, addr))
		return false;
	points->addrs[points->count++] = addr;
	points->kprobes = true;
	return true;
}

static bool arm_point(const struct deep *deep, uint64_t addr, struct deep_points *points)
{
	if (address_among(points->addrs, points->count, addr))
		return true;
	/* The handling of a kprobe would hit the breakpoint. */
	if (points->count == DEEP_POINTS_MAX || points->registers == HW_SITES_MAX ||
	    (points->kprobes && deep_in_handler(deep, addr)) || !deep_watch_point(deep, addr))
		return false;
	points->addrs[points->count++] = addr;
	points->registers++;
	return true;
}

/*
 * May kprobes stand at the ends, so that spare registers take other records? Not after a run with
 * them that added nothing; nor in the run that tells whether the call comes to the error by the
 * branches of the answer's hit.
 */
static bool may_spare(const struct deep *deep, const struct deep_target *target)
{
	return deep->looks.checked && deep->begun && deep->path->segment_count > 1 &&
	       lbr_depth() >= DEEP_SHALLOW && !deep->alone && !deep->shorts && !deep->number &&
	       !target->call && !target->wait && target->at >= DEEP_OVERLAP_MIN - 1;
}

/* Calls that the path is going to reach, each with a register. */
static int arm_callers(struct deep *deep, const struct deep_target *target,
		       struct deep_points *points)
{
	const struct deep_aim *aim;
	int found = 1;

	while (deep->callers.text && found && points->registers < HW_SITES_MAX) {
		uint64_t end;

		found = deep_callers_aim(&deep->callers, deep->path, target->at, &aim);
		if (found < 0)
			return found;
		end = found ? deep_callers_end_of(&deep->callers, aim) : 0;
		if (!found)
			break;
		if (aim->point ? (arm_end(deep, end, points) || arm_point(deep, end, points)) &&
					 arm_point(deep, aim->point, points)
			       : arm_point(deep, end, points))
			continue;
		deep_callers_missed(&deep->callers);
		break;
	}
	return 0;
}

/* Points that the run is likely to execute before the target. */
static int arm_guesses(const struct deep *deep, const struct deep_target *target,
		       struct deep_points *points)
{
	uint64_t guesses[HW_SITES_MAX];
	size_t count = 0;

	uint64_t doubt;

	/* Where runs differ, it is worth more to see the path again. */
	if (find_doubt(deep, &doubt))
		arm_point(deep, doubt, points);
	if (points->registers == HW_SITES_MAX || deep->others || deep->crowded || deep->lost)
		return 0;
	if (deep_guess(deep, target, guesses, HW_SITES_MAX - points->registers, &count))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		arm_point(deep, guesses[i], points);
	return 0;
}

/* What proves the joint: the point of the run before, and one of another run. */
static void arm_proof(const struct deep *deep, const struct deep_target *target,
		      struct deep_points *points)
{
	const struct deep_path *path = deep->path;
	/* Points that prove nothing may be the reason that hits were ambiguous. */
	bool more = deep->verdict != DEEP_AMBIGUOUS;
	uint64_t addr;

	if (deep_find_overlap(deep, target, &addr))
		arm_point(deep, addr, points);
	/* Where runs differ, it is worth more to see the path again than to extend it. */
	if (lbr_depth() >= DEEP_SHALLOW && find_doubt(deep, &addr))
		arm_point(deep, addr, points);
	if (more && path->count && deep_find_entry(deep, &addr))
		arm_point(deep, addr, points);
	if (more && path->segment_count > 2)
		arm_point(deep, path->segments[1 + path->runs % (path->segment_count - 2)].point,
			  points);
}

/* Both ends of a left-out call. */
static void arm_wait(const struct deep *deep, bool spares, struct deep_points *points)
{
	size_t left = spares ? HW_SITES_MAX : HW_SITES_MAX - points->registers;
	uint64_t ends[2];
	size_t count = deep_ask_wait(deep, ends, left);

	for (size_t i = 0; i < count; i++)
		if (!spares || !arm_end(deep, ends[i], points))
			arm_point(deep, ends[i], points);
}

/*
 * Choose the target of a run with kprobes at the ends. If its record alone does not identify its
 * hit, also choose a point that helps. A target that needs none may be some branches newer. False:
 * there is none with kprobes at the ends.
 */
static bool choose_spared(const struct deep *deep, struct deep_target *target,
			  uint64_t *ret_overlap)
{
	*ret_overlap = 0;
	if (!may_spare(deep, target))
		return false;
	if (find_clear_target(deep, target))
		return true;
	return !deep_in_handler(deep, target->addr) &&
	       deep_find_overlap(deep, target, ret_overlap) && !deep_in_handler(deep, *ret_overlap);
}

int deep_arm(struct deep *deep, struct deep_target *target, struct deep_points *points)
{
	uint64_t overlap, end = deep->path->end;
	bool spares = choose_spared(deep, target, &overlap);
	int err = 0;

	deep->callers.aim_count = 0;
	deep->alone = false;
	*points = (struct deep_points){};
	if ((!(spares && arm_end(deep, end, points)) && !arm_point(deep, end, points)) ||
	    (deep->begun && !arm_point(deep, target->addr, points)) ||
	    (target->call && !arm_point(deep, target->call, points))) {
		points->count = 0;
		return 0;
	}
	if (overlap)
		arm_point(deep, overlap, points);
	if (!target->call)
		arm_wait(deep, spares, points);
	if (spares && deep->callers.near)
		arm_point(deep, deep->callers.near, points);
	if (spares)
		err = arm_callers(deep, target, points) ?: arm_guesses(deep, target, points);
	arm_proof(deep, target, points);
	return err;
}

/* Are some so new that only a record at the error has them? Those come first. */
static bool is_newest(const struct deep *deep, const size_t *branches, size_t count)
{
	return count && branches[0] + 1 < deep->looks.depth;
}

/* Would the handling of a kprobe hit a breakpoint there? */
static bool has_view_in_handler(const struct deep *deep, const size_t *branches, size_t count)
{
	uint64_t addr;

	for (size_t i = 0; i < count; i++)
		if (deep_find_view(deep, branches[i], &addr) && deep_in_handler(deep, addr))
			return true;
	return false;
}

/* Arm what one run is to see of the path, and the error. */
int deep_arm_looks(struct deep *deep, struct deep_points *points)
{
	size_t branches[HW_SITES_MAX];
	size_t count = deep_looks_next(&deep->looks, deep->path->count, branches, HW_SITES_MAX);
	bool newest = is_newest(deep, branches, count), more = true, marked = false, end;

	*points = (struct deep_points){};
	end = deep->looks.checked && !newest && !has_view_in_handler(deep, branches, count) &&
	      arm_end(deep, deep->path->end, points);
	/* Else keep a register for the error. */
	points->registers = !end;
	while (points->count == end && more) {
		count = deep_looks_next(&deep->looks, deep->path->count, branches,
					HW_SITES_MAX - points->registers);
		more = false;
		for (size_t i = newest; i < count; i++) {
			uint64_t addr = 0;
			bool possible = deep_find_view(deep, branches[i], &addr);

			more |= !possible;
			if (deep_looks_tried(&deep->looks, branches[i], possible))
				return -ENOMEM;
			if (possible)
				arm_point(deep, addr, points);
		}
		marked |= more;
	}
	if (newest && deep_looks_tried(&deep->looks, branches[0], true))
		return -ENOMEM;
	points->registers -= !end;
	if ((points->count > end || newest) && (end || arm_point(deep, deep->path->end, points)))
		return 0;
	/* Debug registers that others use may be free the next time. */
	deep->blind += points->count > end || newest || !marked;
	points->count = 0;
	return 0;
}
