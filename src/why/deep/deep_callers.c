// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_callers.h"

#include <errno.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/log.h"
#include "util/vector.h"

/* Runs in a row that add nothing to one: the next target; and none at all. */
#define MISSES_NEXT 2
#define MISSES_MAX  6

/* "call rel32" and what a retpoline becomes, then "call *%reg" and "call *disp(%reg)". */
static const uint8_t call_bytes[] = {5, 2, 3, 6, 7, 4};

static uint64_t find_call(const struct text_source *text, uint64_t returns_to)
{
	for (size_t i = 0; i < ARRAY_SIZE(call_bytes); i++) {
		uint8_t bytes[INSN_LEN_MAX];
		struct insn insn;

		if (!insn_fetch(text, returns_to - call_bytes[i], bytes, &insn) &&
		    insn.len == call_bytes[i] &&
		    (insn.class == INSN_CALL || insn.class == INSN_ICALL))
			return insn.addr;
	}
	return 0;
}

int deep_callers_find(struct deep_callers *callers, const struct text_source *text,
		      const uint64_t *stack, size_t count, deep_refused_fn *refused,
		      const void *ctx)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t call = find_call(text, stack[i]);

		if (!call || refused(ctx, call))
			continue;
		if (vector_grow(&callers->items, callers->count, sizeof(*callers->items)))
			return -ENOMEM;
		callers->items[callers->count++] = (struct deep_caller){.path.end = call};
	}
	callers->aim = callers->count;
	return 0;
}

static struct deep_known known_of(const struct deep_path *path)
{
	return (struct deep_known){
		.branches = path->branches, .count = path->count, .end = path->end};
}

/* The first execution of @addr, not the end itself, and known by the branches before it? */
static bool is_possible(const struct deep_path *path, long at, uint64_t addr)
{
	struct deep_known known = known_of(path);

	if (addr == path->end || deep_is_ambiguous(&known, addr, at))
		return false;
	for (long before = DEEP_BEFORE; before < at; before++)
		if (deep_runs_through(&known, before, addr))
			return false;
	return true;
}

/* Some branches short of the far end: the record there has those, too, and tells its hit by them.
 */
static bool find_target(const struct deep_caller *caller, size_t depth, deep_refused_fn *refused,
			const void *ctx, long *ret_at, uint64_t *ret_addr)
{
	const struct deep_path *path = &caller->path;
	unsigned int left = caller->number;

	for (size_t at = DEEP_OVERLAP_MIN - 1; at < path->count && at < depth - 1; at++) {
		uint64_t addrs[2] = {path->branches[at].to,
				     at + 1 < path->count ? path->branches[at + 1].from : 0};

		for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
			if (!addrs[i] || refused(ctx, addrs[i]) ||
			    !is_possible(path, (long)at, addrs[i]) || left--)
				continue;
			*ret_at = (long)at;
			*ret_addr = addrs[i];
			return true;
		}
	}
	return false;
}

size_t deep_callers_aim(struct deep_callers *callers, size_t depth, deep_refused_fn *refused,
			const void *ctx, uint64_t points[2])
{
	for (size_t i = 0; i < callers->count; i++) {
		struct deep_caller *caller = &callers->items[i];

		if (caller->over)
			continue;
		callers->aim = i;
		callers->point = 0;
		points[0] = caller->path.end;
		if (!caller->path.count)
			return 1;
		if (find_target(caller, depth, refused, ctx, &callers->at, &callers->point)) {
			points[1] = callers->point;
			return 2;
		}
		caller->over = true;
	}
	callers->aim = callers->count;
	return 0;
}

/* An interrupt, or another task's turn: what is to be put before the path has none. */
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
static int take(struct deep_callers *callers, struct deep_caller *caller,
		const struct deep_run *run, unsigned int number)
{
	struct deep_known known = known_of(&caller->path);
	struct deep_joint joint = {};
	int verdict, taken;

	if (!callers->point)
		return begin(caller, run, number);
	verdict = deep_join(&known, callers->point, callers->at, run, &joint);
	if (verdict < 0)
		return verdict;
	log_verbose("to the call at 0x%llx, breakpoint at 0x%llx, behind branch %ld of %zu: "
		    "verdict %d, %zu more",
		    (unsigned long long)known.end, (unsigned long long)callers->point, callers->at,
		    known.count, verdict, joint.added_count);
	/* Not by chance: in each run. */
	if (verdict == DEEP_NO_PROGRESS || verdict == DEEP_OVERLAP || verdict == DEEP_AMBIGUOUS)
		caller->number++;
	taken = verdict == DEEP_JOINED ? extend(&caller->path, &joint, number) : 0;
	free(joint.added);
	return taken;
}

int deep_callers_take(struct deep_callers *callers, const struct deep_run *run, unsigned int number)
{
	struct deep_caller *caller = &callers->items[callers->aim];
	int taken;

	if (callers->aim == callers->count)
		return 0;
	callers->aim = callers->count;
	taken = take(callers, caller, run, number);
	if (taken < 0)
		return taken;
	log_verbose("to the call at 0x%llx: %zu branches%s", (unsigned long long)caller->path.end,
		    caller->path.count, taken ? "" : ", none more");
	if (taken) {
		caller->number = caller->misses = 0;
		caller->over = caller->path.entry;
		return 0;
	}
	caller->misses++;
	caller->number += caller->misses % MISSES_NEXT == 0;
	caller->over = caller->misses >= MISSES_MAX;
	return 0;
}

static bool same(const struct why_branch *one, const struct why_branch *other)
{
	return one->from == other->from && one->to == other->to;
}

/* Those that the path has already are the newest ones of the way to the call: @overlap. */
static int add_segments(struct deep_path *path, const struct deep_path *way, size_t overlap)
{
	size_t known = overlap;

	for (size_t i = 0; i < way->segment_count; i++) {
		struct deep_segment segment = way->segments[i];
		size_t less = segment.count < known ? segment.count : known;

		known -= less;
		segment.count -= less;
		if (!segment.count)
			continue;
		/* Joined here, not where that run was joined to the way. */
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
	caller->over = true;
}

/* The call that had not returned is the newest: of the path's, as of the run's hits. */
static bool find_newest(const struct deep_path *path, uint64_t call, size_t *ret_at)
{
	for (size_t at = path->count; at-- > 0;)
		if (path->branches[at].from == call) {
			*ret_at = at;
			return true;
		}
	return false;
}

/* Return: 1: the path has more branches; 0; -ENOMEM. */
static int join(struct deep_caller *caller, struct deep_path *path)
{
	const struct deep_path *way = &caller->path;
	size_t overlap;
	int err;

	if (!way->count || !find_newest(path, way->end, &overlap) || overlap < DEEP_OVERLAP_MIN)
		return 0;
	for (size_t i = 1; i <= overlap && i <= way->count; i++)
		if (!same(&way->branches[way->count - i], &path->branches[overlap - i])) {
			log_verbose("to the call at 0x%llx the runs go different ways",
				    (unsigned long long)way->end);
			drop(caller);
			return 0;
		}
	if (way->count <= overlap) {
		drop(caller);
		return 0;
	}
	log_verbose("the path has come to the call at 0x%llx: %zu branches more",
		    (unsigned long long)way->end, way->count - overlap);
	err = deep_path_extend(path, way->branches, way->count - overlap)
		      ?: add_segments(path, way, overlap);
	path->entry = way->entry;
	drop(caller);
	return err ?: 1;
}

int deep_callers_join(struct deep_callers *callers, struct deep_path *path, bool *ret_joined)
{
	*ret_joined = false;
	/* Before its first branch nothing is to be added, or a call that waited is left out. */
	for (size_t i = 0; i < callers->count && !path->entry && !path->start; i++) {
		int joined = join(&callers->items[i], path);

		if (joined < 0)
			return joined;
		*ret_joined |= joined;
	}
	return 0;
}

void deep_callers_clear(struct deep_callers *callers)
{
	for (size_t i = 0; i < callers->count; i++)
		drop(&callers->items[i]);
	free(callers->items);
	*callers = (struct deep_callers){};
}
