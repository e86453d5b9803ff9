// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_callers.h"

#include <errno.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/log.h"
#include "util/vector.h"
#include "why/deep/deep_stack.h"

/* Runs in a row that add nothing: after these it gets its next target; and is given up. */
#define MISSES_NEXT 2
#define MISSES_MAX  6
/* A shorter part is soon recorded again. */
#define KEPT_MIN 24
/* Runs that did harm: after these it is given up. After the first, one run is made without it. */
#define HARMS_MAX 2

static int add(struct deep_callers *callers, const struct deep_caller *caller)
{
	if (vector_grow(&callers->items, callers->count, sizeof(*callers->items)))
		return -ENOMEM;
	callers->items[callers->count++] = *caller;
	return 0;
}

/* A call that was given up counts, too: it would be followed in vain again. */
static bool is_known(const struct deep_callers *callers, uint64_t call)
{
	for (size_t i = 0; i < callers->count; i++)
		if (callers->items[i].path.end == call && !callers->items[i].joined)
			return true;
	return false;
}

int deep_callers_find(struct deep_callers *callers, const uint64_t *stack, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct deep_caller caller = {.path.end = deep_call_of(callers->text, stack[i]),
					     .live = true};
		uint64_t call = caller.path.end;

		/* If a function calls itself, the newest call counts. */
		if (call && !callers->refused(callers->ctx, call) && !is_known(callers, call) &&
		    add(callers, &caller))
			return -ENOMEM;
	}
	return 0;
}

/* Is this the first execution of @addr, not the end, and do the branches before identify it? */
static bool is_possible(const struct deep_path *path, long at, uint64_t addr)
{
	struct deep_known known = deep_known_of(path);

	return addr != path->end && !deep_is_ambiguous(&known, addr, at) &&
	       !deep_runs_between(&known, DEEP_BEFORE, at - 1, addr);
}

/*
 * A point some branches newer than the oldest end: its record has these branches, which identify
 * its hit.
 */
static bool find_target(const struct deep_callers *callers, const struct deep_caller *caller,
			struct deep_aim *aim)
{
	const struct deep_path *path = &caller->path;
	unsigned int left = caller->number;

	for (size_t at = DEEP_OVERLAP_MIN - 1; at < path->count && at < callers->depth - 1; at++) {
		uint64_t addrs[2] = {path->branches[at].to,
				     at + 1 < path->count ? path->branches[at + 1].from : 0};

		for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
			if (!addrs[i] || callers->refused(callers->ctx, addrs[i]) ||
			    !is_possible(path, (long)at, addrs[i]) || left--)
				continue;
			aim->at = (long)at;
			aim->point = addrs[i];
			return true;
		}
	}
	return false;
}

/* False: no target is left. */
static bool aim_at(struct deep_callers *callers, size_t i)
{
	struct deep_caller *caller = &callers->items[i];
	struct deep_aim aim = {.item = i};

	if (caller->path.count && !find_target(callers, caller, &aim)) {
		caller->over = true;
		return false;
	}
	callers->aims[callers->aim_count++] = aim;
	return true;
}

/* May this run follow it, together with those that are chosen already? */
static bool is_free(const struct deep_callers *callers, size_t i)
{
	for (size_t k = 0; k < callers->aim_count; k++)
		if (callers->aims[k].item == i || callers->items[callers->aims[k].item].alone)
			return false;
	return callers->items[i].path.end != callers->near &&
	       (!callers->aim_count || !callers->items[i].alone);
}

/* Add the outermost one: the path takes longest to reach it. */
static int add_returned(struct deep_callers *callers, const struct deep_path *path)
{
	_cleanup_free_ uint64_t *returns = NULL;
	size_t count;
	int err = deep_find_returns(callers->text, path, &returns, &count);

	while (!err && count) {
		uint64_t call = deep_call_of(callers->text, returns[--count]);
		struct deep_caller caller = {.path.end = call, .searched = path->count};

		if (!call || callers->refused(callers->ctx, call) || is_known(callers, call))
			continue;
		return add(callers, &caller);
	}
	return err;
}

/* Does the path to some call execute it? */
static bool is_covered(const struct deep_callers *callers, uint64_t call)
{
	for (size_t i = 0; i < callers->count; i++) {
		const struct deep_path *way = &callers->items[i].path;

		for (size_t at = 0; at < way->count; at++)
			if (way->branches[at].from == call)
				return true;
	}
	return false;
}

static bool is_to_follow(const struct deep_callers *callers, const struct deep_caller *caller)
{
	return !caller->over && !caller->passed &&
	       (caller->path.count || !is_covered(callers, caller->path.end));
}

/*
 * The path has reached the call where it executes it the first time, from the error backwards. A
 * call on the stack had not returned; any other was the last before the path began.
 */
static bool find_passed(struct deep_caller *caller, const struct deep_path *path)
{
	size_t at = path->count > caller->searched ? path->count - caller->searched : 0;

	while (!caller->passed && at-- > 0) {
		caller->passed = path->branches[at].from == caller->path.end;
		caller->newer = path->count - 1 - at;
	}
	caller->searched = path->count;
	return caller->passed;
}

uint64_t deep_callers_end_of(const struct deep_callers *callers, const struct deep_aim *aim)
{
	return callers->items[aim->item].path.end;
}

int deep_callers_aim(struct deep_callers *callers, const struct deep_path *path, long at,
		     const struct deep_aim **ret)
{
	struct deep_known known = deep_known_of(path);
	size_t before = callers->count;
	bool found = false;

	if (callers->aim_count == DEEP_AIMS_MAX)
		return 0;
	*ret = &callers->aims[callers->aim_count];
	for (size_t i = 0; !found && i < callers->count; i++)
		found = !find_passed(&callers->items[i], path) && is_free(callers, i) &&
			is_to_follow(callers, &callers->items[i]) &&
			!deep_runs_between(&known, DEEP_BEFORE, at, callers->items[i].path.end) &&
			aim_at(callers, i);
	if (!found && (!callers->aim_count || !callers->items[callers->aims[0].item].alone) &&
	    add_returned(callers, path))
		return -ENOMEM;
	if (callers->count > before && is_free(callers, before) &&
	    !deep_runs_between(&known, DEEP_BEFORE, at, callers->items[before].path.end))
		found = aim_at(callers, before);
	return found;
}

/* Have these records no interrupt and no task switch? Only such are put before the path. */
static bool is_whole(const struct deep_hit *first, const struct deep_hit *last)
{
	for (const struct deep_hit *hit = first; hit <= last; hit++)
		if (hit->record.interrupt_count || hit->record.end == DEEP_END_SWITCH)
			return false;
	return true;
}

static int begin(struct deep_caller *caller, const struct deep_run *run, unsigned int number)
{
	const struct deep_hit *hit = deep_newest_hit(run->hits, run->hit_count, caller->path.end);

	if (!hit || hit->record.count < DEEP_OVERLAP_MIN || !is_whole(hit, hit))
		return 0;
	return deep_path_begin(&caller->path, &hit->record, number) ?: 1;
}

static int extend(struct deep_path *path, const struct deep_joint *joint, unsigned int number)
{
	if (!is_whole(joint->first, joint->last))
		return 0;
	if (deep_path_extend(path, joint->added, joint->added_count) ||
	    vector_grow(&path->segments, path->segment_count, sizeof(*path->segments)))
		return -ENOMEM;
	path->segments[path->segment_count++] = (struct deep_segment){
		.run = number,
		.count = joint->added_count,
		.overlap = joint->overlap,
		.point = joint->first->ip,
	};
	path->entry = joint->entry;
	return 1;
}

/* Return: 1: it has more branches; 0; -ENOMEM. */
static int take(struct deep_caller *caller, const struct deep_aim *aim, const struct deep_run *run,
		unsigned int number, bool others)
{
	struct deep_known known = deep_known_of(&caller->path);
	struct deep_joint joint = {};
	int verdict, taken;

	if (!aim->point) {
		taken = begin(caller, run, number);
		caller->alone = !taken && others;
		return taken;
	}
	verdict = deep_join(&known, aim->point, aim->at, run, &joint);
	if (verdict < 0)
		return verdict;
	log_verbose("path to the call at 0x%llx, breakpoint at 0x%llx, after branch %ld of %zu: "
		    "verdict %d, %zu added",
		    (unsigned long long)known.end, (unsigned long long)aim->point, aim->at,
		    known.count, verdict, joint.added_count);
	caller->alone = verdict == DEEP_SHORT && others;
	/* That is not by chance: each run would have the same verdict. */
	if (verdict == DEEP_NO_PROGRESS || verdict == DEEP_OVERLAP || verdict == DEEP_AMBIGUOUS)
		caller->number++;
	taken = verdict == DEEP_JOINED ? extend(&caller->path, &joint, number) : 0;
	free(joint.added);
	return taken;
}

/* What the run did after it came to the path does not lead to the call. */
static bool is_before(const struct deep_caller *caller, const struct deep_run *run,
		      const struct deep_hit *target, struct deep_run *ret)
{
	*ret = *run;
	if (target)
		ret->hit_count = (size_t)(target - run->hits);
	return target || caller->live;
}

static void count_miss(struct deep_caller *caller)
{
	caller->misses++;
	caller->number += caller->misses % MISSES_NEXT == 0;
	caller->over = caller->misses >= MISSES_MAX;
}

static int take_one(struct deep_caller *caller, const struct deep_aim *aim,
		    const struct deep_run *run, const struct deep_hit *target, unsigned int number,
		    bool others)
{
	struct deep_run before;
	int taken;

	if (!is_before(caller, run, target, &before))
		return 0;
	taken = take(caller, aim, &before, number, others);
	if (taken < 0)
		return taken;
	if (taken) {
		caller->number = caller->misses = 0;
		caller->over = caller->path.entry;
	} else if (!caller->alone) {
		count_miss(caller);
	}
	return 0;
}

int deep_callers_take(struct deep_callers *callers, const struct deep_run *run,
		      const struct deep_hit *target, unsigned int number)
{
	int err = 0;

	for (size_t i = 0; !err && i < callers->aim_count; i++) {
		const struct deep_aim *aim = &callers->aims[i];

		err = take_one(&callers->items[aim->item], aim, run, target, number,
			       callers->aim_count > 1);
	}
	callers->aim_count = 0;
	return err;
}

void deep_callers_missed(struct deep_callers *callers)
{
	if (callers->aim_count)
		count_miss(&callers->items[callers->aims[--callers->aim_count].item]);
}

void deep_callers_harmed(struct deep_callers *callers)
{
	while (callers->aim_count) {
		struct deep_caller *caller =
			&callers->items[callers->aims[--callers->aim_count].item];

		caller->over = ++caller->harms >= HARMS_MAX;
	}
}

/* The path has the newest @overlap branches of @way already. */
static int add_segments(struct deep_path *path, const struct deep_path *way, size_t overlap)
{
	size_t known = overlap;

	for (size_t i = 0; i < way->segment_count; i++) {
		struct deep_segment segment = way->segments[i];
		size_t less = segment.count < known ? segment.count : known;

		known -= less;
		segment.count -= less;
		segment.computed -= segment.computed < less ? segment.computed : less;
		if (!segment.count)
			continue;
		/* It is joined to the path here, not to the run that it was joined to before. */
		if (overlap)
			segment.overlap = overlap;
		overlap = 0;
		if (vector_grow(&path->segments, path->segment_count, sizeof(*path->segments)))
			return -ENOMEM;
		path->segments[path->segment_count++] = segment;
	}
	return 0;
}

static void drop(struct deep_caller *caller)
{
	free(caller->path.branches);
	free(caller->path.segments);
	free(caller->path.interrupts);
	caller->path = (struct deep_path){.end = caller->path.end};
	caller->over = caller->joined = true;
}

/*
 * Tell @looks what each run recorded of the way, with its overlap. Not of a part that was kept: its
 * runs took another way after it, and may differ from those on the path where no probe observes it.
 */
static int add_looks(const struct deep_caller *caller, struct deep_looks *looks)
{
	const struct deep_path *way = &caller->path;
	size_t newer = 0;
	int err = 0;

	if (caller->kept)
		return 0;
	for (size_t i = 0; !err && i < way->segment_count; i++) {
		const struct deep_segment *segment = &way->segments[i];
		size_t overlap = segment->overlap < newer ? segment->overlap : newer;

		err = deep_looks_add_range(looks, segment->run, caller->newer + 1 + newer - overlap,
					   segment->count + overlap);
		newer += segment->count;
	}
	return err;
}

/* Return: 1: the path has more branches; 0; -ENOMEM. */
static int join(struct deep_callers *callers, struct deep_caller *caller, struct deep_path *path,
		struct deep_looks *looks)
{
	const struct deep_path *way = &caller->path;
	size_t known = path->count, overlap = known - 1 - caller->newer;
	int err;

	if (overlap < DEEP_OVERLAP_MIN && way->count)
		return 0;
	for (size_t i = 1; i <= overlap && i <= way->count; i++)
		if (!deep_same_branch(&way->branches[way->count - i],
				      &path->branches[overlap - i])) {
			log_verbose("the path to the call at 0x%llx differs from the main path",
				    (unsigned long long)way->end);
			drop(caller);
			return 0;
		}
	if (way->count <= overlap) {
		drop(caller);
		return 0;
	}
	log_verbose("the path has reached the call at 0x%llx: %zu branches added",
		    (unsigned long long)way->end, way->count - overlap);
	err = deep_path_extend(path, way->branches, way->count - overlap)
		      ?: add_segments(path, way, overlap)
		      ?: add_looks(caller, looks);
	path->entry = way->entry;
	drop(caller);
	if (!callers->without)
		callers->without = known;
	return err ?: 1;
}

int deep_callers_join(struct deep_callers *callers, struct deep_path *path,
		      struct deep_looks *looks)
{
	for (size_t i = 0; i < callers->count; i++) {
		struct deep_caller *caller = &callers->items[i];
		int joined = 0;

		/* A path from the entry, or from a left-out call, is not extended this way. */
		if (find_passed(caller, path) && !caller->joined && !path->entry && !path->start)
			joined = join(callers, caller, path, looks);
		if (joined < 0)
			return -ENOMEM;
		/* What was added may have a call that was searched before: begin again. */
		if (joined)
			i = SIZE_MAX;
	}
	return 0;
}

/* Copy the segments of the oldest branches, without the @newer newest ones. */
static int copy_segments(const struct deep_path *path, size_t newer, struct deep_path *ret)
{
	for (size_t i = 0; i < path->segment_count; i++) {
		struct deep_segment segment = path->segments[i];
		size_t less = segment.count < newer ? segment.count : newer;

		newer -= less;
		segment.count -= less;
		segment.computed -= segment.computed < less ? segment.computed : less;
		if (!segment.count)
			continue;
		if (vector_grow(&ret->segments, ret->segment_count, sizeof(*ret->segments)))
			return -ENOMEM;
		ret->segments[ret->segment_count++] = segment;
	}
	return 0;
}

static bool has_interrupt(const struct deep_path *path, size_t newer)
{
	for (size_t i = 0; i < path->interrupt_count; i++)
		if (path->interrupts[i].newer >= newer)
			return true;
	return false;
}

int deep_callers_keep(struct deep_callers *callers, const struct deep_path *path, size_t gone)
{
	size_t count = gone > 2 ? gone - 2 : 0;
	struct deep_caller caller = {.searched = path->count - gone, .kept = true};

	/* In a thunk no breakpoint may stand. */
	while (count && callers->text && callers->refused(callers->ctx, path->branches[count].from))
		count--;
	if (!callers->text || count < KEPT_MIN || path->start ||
	    has_interrupt(path, path->count - count))
		return 0;
	/* The branch before the one that differs leads to both ways: end at its source. */
	caller.path.end = path->branches[count].from;
	caller.path.entry = path->entry;
	if (deep_path_extend(&caller.path, path->branches, count) ||
	    copy_segments(path, path->count - count, &caller.path) || add(callers, &caller)) {
		free(caller.path.branches);
		free(caller.path.segments);
		return -ENOMEM;
	}
	callers->keeping = true;
	log_verbose("the %zu oldest branches are kept, in case the path comes back to them", count);
	return 0;
}

void deep_callers_cut(struct deep_callers *callers, size_t count)
{
	if (callers->without >= count)
		callers->without = 0;
	for (size_t i = 0; i < callers->count; i++) {
		struct deep_caller *caller = &callers->items[i];

		/* Of other calls the last execution before the path is not known any more. */
		if (!caller->live && !caller->joined &&
		    !(callers->keeping && i + 1 == callers->count))
			drop(caller);
		if (caller->searched > count)
			caller->searched = count;
		if (caller->newer >= count)
			caller->passed = false;
	}
	callers->keeping = false;
	callers->near = 0;
}

void deep_callers_end(struct deep_callers *callers)
{
	for (size_t i = 0; i < callers->count; i++)
		drop(&callers->items[i]);
}

void deep_callers_clear(struct deep_callers *callers)
{
	deep_callers_end(callers);
	free(callers->items);
	*callers = (struct deep_callers){};
}
