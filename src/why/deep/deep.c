// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "symbolize/symbolize.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/vector.h"
#include "why/deep/deep_code.h"
#include "why/deep/deep_compute.h"
#include "why/deep/deep_search.h"

/*
 * After SECONDS_MAX no run begins that extends the path. After SECONDS_MORE_MAX more no run begins
 * that checks it. A run that has begun goes on to its end.
 */
#define SECONDS_MAX	 300
#define SECONDS_MORE_MAX 100
#define SECONDS_OVER	 "%d seconds were over"
/* Limits of runs that add no branch: cut short; no hit, in a row; ambiguous; on another path. */
#define SHORT_MAX     3
#define NO_HIT_MAX    4
#define AMBIGUOUS_MAX 6
#define OTHER_MAX     2
/* As OTHER_MAX, if at least BOTH_WAYS runs took the path there: runs go both ways. */
#define BOTH_WAYS      3
#define OTHER_MAX_BOTH 4
/* As OTHER_MAX, if both branches lead to the same place: the run may have been rescheduled. */
#define OTHER_MAX_PLACE 5
/* How often the path may be cut where runs leave it. */
#define CUTS_MAX 6
/* Where runs differ, one in so many is kept to find out whether one run takes the path. */
#define LOOKS_SHARE 4
/* Runs kept to check whether one run takes the path: one, and one in so many. */
#define CHECKS_SHARE 8
/* Hits of one run, by all tasks: a point that all code executes would keep the machine busy. */
#define HITS_MAX 50000
/* The same for kprobes, which cost less each: about one second of CPU time. */
#define PASSED_MAX 500000

/* Replace the path by this record. */
static int begin_with(struct deep *deep, const struct deep_record *record, unsigned int run)
{
	deep->checked = false;
	deep->passed = false;
	deep_callers_cut(&deep->callers, 0);
	return deep_path_begin(deep->path, record, run)
		       ?: deep_looks_begin(&deep->looks, deep->path->count);
}

/* An interrupt or a breakpoint shortly before the error cut it short: no record can join it. */
static bool is_cut_short(const struct deep_record *record)
{
	return record->count < DEEP_OVERLAP_MIN &&
	       (record->end == DEEP_END_RESUMED || record->end == DEEP_END_OTHER ||
		record->end == DEEP_END_STALE);
}

/* The record of the hit that the answer explains. */
static void make_own_record(const struct deep *deep, struct deep_record *ret)
{
	const struct record *rec = &deep->answer->hit->rec;
	struct why_branch newest[RECORD_BRANCHES_MAX];
	size_t count = 0;

	for (; count < rec->count && count < RECORD_BRANCHES_MAX; count++)
		newest[count] = (struct why_branch){.from = rec->branches[count].from,
						    .to = rec->branches[count].to};
	deep_record_make(&deep->code, newest, count, ret);
}

static int begin(struct deep *deep)
{
	struct deep_record record;

	deep->path->end = deep->answer->site.watch;
	/* Without a hardware breakpoint that run took no record. The next run has one. */
	deep->begun = deep->answer->hit->hw;
	if (!deep->begun)
		return 0;
	make_own_record(deep, &record);
	deep->begun = !is_cut_short(&record);
	return deep->begun ? begin_with(deep, &record, deep->answer->runs) : 0;
}

/* Did the explained call come to the error by other branches? A kprobe's hit does not tell. */
static bool is_other_way(const struct deep *deep, const struct deep_record *record)
{
	const struct why_hit *hit = deep->answer->hit;
	struct deep_record own;

	if (deep->opts->place || !hit || !hit->hw)
		return false;
	make_own_record(deep, &own);
	for (size_t i = 1; i <= own.count && i <= record->count; i++) {
		const struct why_branch *one = &own.branches[own.count - i];
		const struct why_branch *other = &record->branches[record->count - i];

		if (one->from != other->from || one->to != other->to)
			return true;
	}
	return false;
}

static int on_event(const struct why_event *event, void *ctx)
{
	return deep_hits_add(ctx, event);
}

/* The newest hit in this call that can be the end of the path. */
static const struct deep_hit *find_end(const struct deep *deep, const struct deep_hit *hits,
				       size_t count)
{
	return deep->hits.place ? deep_place_newest(deep->hits.place, hits, count)
				: deep_newest_hit(hits, count, deep->path->end);
}

/* Netlink and io_uring report failures within a call, which goes on. */
static bool may_be_call(const struct deep *deep, const struct failure *failure)
{
	if (deep->answer->call)
		return failure_same(deep->answer->call, failure);
	return failure->via == WHY_VIA_SYSCALL;
}

const struct deep_hit *deep_find_call(const struct deep *deep, const struct failures *failures,
				      size_t *ret_count, const struct failure **ret_call)
{
	const struct deep_hit *found = NULL, *newest = NULL;

	for (size_t i = failures->count; i-- > 0;) {
		const struct failure *failure = &failures->items[i];
		const struct deep_hit *hits, *end;
		size_t count;

		if (!may_be_call(deep, failure))
			continue;
		hits = deep_hits_of(&deep->hits, failure->seq, &count);
		end = hits ? find_end(deep, hits, count) : NULL;
		if (!end || (newest && end->seq <= newest->seq))
			continue;
		found = hits;
		newest = end;
		/* Later hits do not lead to this end. */
		*ret_count = deep->hits.place ? (size_t)(end - hits) + 1 : count;
		if (ret_call)
			*ret_call = failure;
		/* Of an error, the call that failed last counts. */
		if (!deep->opts->place)
			break;
	}
	return found;
}

const struct deep_hit *deep_find_hits(const struct deep *deep, const struct failures *failures,
				      size_t *ret_count)
{
	return deep_find_call(deep, failures, ret_count, NULL);
}

/* Cut the @gone oldest branches, and forget what was found out about them. */
void deep_give_up(struct deep *deep, size_t gone)
{
	deep_path_cut(deep->path, gone);
	deep_callers_cut(&deep->callers, deep->path->count);
	deep->checked = false;
	deep->passed = false;
	deep->blind = 0;
	deep_looks_cut(&deep->looks, deep->path->count);
}

static int extend(struct deep *deep, const struct deep_target *target,
		  const struct deep_joint *joint)
{
	struct deep_path *path = deep->path;
	size_t newer = target->wait   ? path->count
		       : target->call ? path->count + joint->computed
				      : path->count - 1 - (size_t)target->at;
	int err = deep_path_add_interrupts(path, joint, newer, deep->answer->runs);

	if (target->wait)
		err = err ?: deep_add_wait(deep, newer);
	/* A followed call may also have been executed within the call that waited. */
	if (target->wait)
		deep_callers_end(&deep->callers);
	err = err ?: deep_path_extend(path, joint->added, joint->added_count);
	if (err || vector_grow(&path->segments, path->segment_count, sizeof(*path->segments)))
		return -ENOMEM;
	path->segments[path->segment_count++] = (struct deep_segment){
		.run = deep->answer->runs,
		.count = joint->added_count,
		.overlap = joint->overlap,
		.computed = joint->computed,
		.point = joint->first->ip,
	};
	path->entry = joint->entry;
	path->start = joint->resumed;
	if (joint->switched && !joint->resumed)
		deep_leave_wait(deep);
	deep->checked = false;
	deep->passed = false;
	deep->blind = 0;
	deep->number = deep->shorts = deep->no_hits = deep->others = 0;
	return 0;
}

/* Begin with the path that runs take now: they do not take that of the first record any more. */
static int begin_again(struct deep *deep, const struct deep_hit *hits, size_t count, bool kprobes)
{
	const struct deep_hit *error = deep_newest_hit(hits, count, deep->path->end);

	if (!error)
		return 0;
	/* A kprobe stood at the error: it takes no record. */
	if (kprobes && !deep_has_record(error)) {
		deep->begun = false;
		deep_give_up(deep, deep->path->count);
		return 0;
	}
	deep->path->other_way = is_other_way(deep, &error->record) ? deep->answer->runs : 0;
	return begin_with(deep, &error->record, deep->answer->runs);
}

static int take_other_path(struct deep *deep, const struct deep_joint *joint,
			   const struct deep_hit *hits, size_t count, bool kprobes)
{
	const struct deep_hit *error = deep_newest_hit(hits, count, deep->path->end);
	size_t known = deep->path->count, gone = joint->differs + 1;
	size_t kept = known > gone ? known - gone : 0, fresh = error ? error->record.count : 0;
	unsigned int seen = deep_looks_seen(&deep->looks, kept);
	unsigned int max = joint->same_place  ? OTHER_MAX_PLACE
			   : seen < BOTH_WAYS ? OTHER_MAX
					      : OTHER_MAX_BOTH;
	/* If this run recorded more at the error than would be kept, begin with its record. */
	bool again = kept < DEEP_OVERLAP_MIN || kept < fresh;

	if (++deep->others < max || deep->cuts >= CUTS_MAX ||
	    (again && error && is_cut_short(&error->record)))
		return 0;
	log_verbose("runs do not take branch %zu of the path's %zu", joint->differs, known);
	deep->cuts++;
	deep->others = deep->number = 0;
	if (again)
		return begin_again(deep, hits, count, kprobes);
	if (deep_callers_keep(&deep->callers, deep->path, gone) ||
	    deep_looks_turn(&deep->looks, known - gone, &deep->path->branches[gone - 1]))
		return -ENOMEM;
	deep_give_up(deep, gone);
	return 0;
}

static int add_look(struct deep *deep, const struct deep_run *run, size_t added)
{
	struct deep_known path = deep_known_of(deep->path);

	deep->looks.number = deep->answer->runs;
	return run->hits ? deep_looks_add(&deep->looks, &path, run, added) : 0;
}

static int compute(void *ctx, const struct deep_hit *hit, struct why_branch **ret,
		   size_t *ret_count)
{
	const struct deep *deep = ctx;

	return deep_compute(&deep->probes->text, hit->regs, ret, ret_count);
}

static int join(struct deep *deep, const struct deep_target *target, const struct deep_run *run,
		struct deep_joint *ret)
{
	struct deep_known path = deep_known_of(deep->path);

	if (!run->hits)
		return DEEP_NO_HIT;
	if (target->wait)
		return deep_join_wait(&path, deep_waits_at_start(deep), run, ret);
	if (!target->call)
		return deep_join(&path, target->addr, target->at, run, ret);
	text_live_invalidate(deep->probes->opts->text);
	return deep_join_call(&path, target->addr, target->at, target->call, run, compute, deep,
			      ret);
}

/* Take the first record. The run had a breakpoint at the error alone. */
int deep_begin_late(struct deep *deep, const struct failures *failures)
{
	size_t count = 0;
	const struct deep_hit *hits = deep_find_hits(deep, failures, &count), *error;

	deep->verdict = hits ? DEEP_JOINED : DEEP_NO_HIT;
	deep->no_hits = hits ? 0 : deep->no_hits + 1;
	if (!hits)
		return 0;
	error = deep_newest_hit(hits, count, deep->path->end);
	if (is_cut_short(&error->record) && ++deep->shorts < SHORT_MAX) {
		deep->verdict = DEEP_SHORT;
		return 0;
	}
	deep->shorts = 0;
	deep->begun = true;
	return begin_again(deep, hits, count, false);
}

/* This run was made to see the path again. It adds no branch. */
static int evaluate_look(struct deep *deep, const struct deep_points *points,
			 const struct failures *failures)
{
	struct deep_run run = {.points = points->addrs, .point_count = points->count};

	run.hits = deep_find_hits(deep, failures, &run.hit_count);
	deep->blind = run.hits ? 0 : deep->blind + 1;
	log_verbose("run %u, to see the path again: %zu hits", deep->answer->runs, run.hit_count);
	return add_look(deep, &run, 0);
}

/* extend() may have given up a part of what it added. */
static size_t added_since(const struct deep *deep, size_t known)
{
	return deep->path->count > known ? deep->path->count - known : 0;
}

/* What the run did after the error does not lead to it. */
static int take_caller(struct deep *deep, const struct deep_run *run,
		       const struct deep_joint *joint)
{
	struct deep_run until = *run;
	const struct deep_hit *error =
		run->hits ? deep_newest_hit(run->hits, run->hit_count, deep->path->end) : NULL;

	until.hit_count = error ? (size_t)(error - run->hits) + 1 : 0;
	return deep_callers_take(&deep->callers, &until,
				 deep->verdict == DEEP_JOINED ? joint->last : NULL,
				 deep->answer->runs);
}

/* The call whose kprobe cut the oldest record short: the path begins there now. 0: none did. */
static uint64_t find_near(const struct deep_run *run, const struct deep_joint *joint)
{
	const struct deep_hit *first = joint->first;

	return first > run->hits && first->record.end == DEEP_END_RESUMED &&
			       !deep_has_record(first - 1)
		       ? first[-1].ip
		       : 0;
}

/*
 * The call, if it failed, hit the error once. After two hits a record may have branches of a
 * kprobe's handler; without one the kprobe did not report it. Then no kprobe is a point any more.
 */
static void count_ends(struct deep *deep, const struct deep_points *points,
		       const struct failures *failures, const struct deep_run *run)
{
	size_t ends = 0, calls = 0;

	for (size_t i = 0; i < run->hit_count; i++)
		ends += run->hits[i].ip == deep->path->end;
	for (size_t i = 0; i < failures->count; i++)
		calls += may_be_call(deep, &failures->items[i]);
	deep->crowded_ends |= points->kprobes && calls && ends != 1;
}

static int evaluate(struct deep *deep, const struct deep_target *target,
		    const struct deep_points *points, const struct failures *failures)
{
	struct deep_run run = {.points = points->addrs, .point_count = points->count};
	struct deep_joint joint = {};
	size_t known = deep->path->count;
	bool aimed = deep->callers.aim_count > 0;
	int err;

	if (!deep->begun)
		return deep_begin_late(deep, failures);
	run.hits = deep_find_hits(deep, failures, &run.hit_count);
	count_ends(deep, points, failures, &run);
	deep->verdict = join(deep, target, &run, &joint);
	log_verbose("run %u, breakpoint at 0x%llx, after branch %ld of %zu: verdict %d, %zu hits, "
		    "overlap %zu, %zu added",
		    deep->answer->runs, (unsigned long long)target->addr, target->at,
		    deep->path->count, deep->verdict, run.hit_count, joint.overlap,
		    joint.added_count);
	if (deep->verdict != DEEP_NO_HIT)
		deep->no_hits = 0;
	err = take_caller(deep, &run, &joint);
	if (!err && deep->verdict > DEEP_JOINED)
		err = add_look(deep, &run, 0);
	if (err) {
		free(joint.added);
		return err;
	}
	switch (deep->verdict) {
	case DEEP_JOINED:
		deep->callers.near = find_near(&run, &joint);
		err = extend(deep, target, &joint)
			      ?: add_look(deep, &run, added_since(deep, known));
		err = err ?: deep_callers_join(&deep->callers, deep->path, &deep->looks);
		deep_settle(deep);
		free(joint.added);
		return err;
	case DEEP_NO_HIT:
		deep->no_hits++;
		return 0;
	case DEEP_OTHER_PATH:
		return take_other_path(deep, &joint, run.hits, run.hit_count, points->kprobes);
	case DEEP_SWITCHED:
		if (deep_begin_behind_wait(deep, &joint))
			return 0;
		/* fall through */
	case DEEP_SHORT:
		/* The handler of a kprobe may have cut the record: the next run has no kprobes. */
		if (points->kprobes) {
			deep->alone = true;
			return 0;
		}
		if (++deep->shorts < SHORT_MAX)
			return 0;
		deep->waited = deep->verdict == DEEP_SWITCHED;
		break;
	case DEEP_AMBIGUOUS:
		/* There is no other target, and the next run may be unambiguous. */
		if (target->wait && ++deep->shorts < AMBIGUOUS_MAX)
			return 0;
		break;
	case DEEP_OVERLAP:
	case DEEP_NO_PROGRESS:
		break;
	default:
		return deep->verdict;
	}
	/* It may not have been the best target: the run followed calls, or had kprobes. */
	deep->alone = aimed || points->kprobes;
	deep->shorts = 0;
	deep->number += !deep->alone;
	return 0;
}

void deep_count_hits(struct deep *deep)
{
	deep->too_many = false;
	deep->hits_before = watch_point_hits(deep->probes->watch);
	deep->passed_before = watch_passed_hits(deep->probes->watch);
}

bool deep_has_too_many(struct deep *deep)
{
	const struct watch *watch = deep->probes->watch;

	deep->too_many |= watch_point_hits(watch) - deep->hits_before > HITS_MAX ||
			  watch_passed_hits(watch) - deep->passed_before > PASSED_MAX;
	return deep->too_many;
}

static int look(void *ctx)
{
	struct deep *deep = ctx;

	if (!deep->too_many && deep_has_too_many(deep))
		watch_sites_end(deep->probes->watch);
	return 0;
}

/* A register is in use, or the kernel refuses the address: take the next target. */
static void no_points(struct deep *deep)
{
	deep->verdict = DEEP_NO_POINT;
	deep->number++;
}

/* Hits are identified by their order. If one is lost, older hits would be taken for others. */
static int take_run(struct deep *deep, const struct deep_target *target,
		    const struct deep_points *points, bool lost, const struct failures *failures)
{
	if (!target) {
		deep->blind += lost || deep->too_many;
		return lost || deep->too_many ? 0 : evaluate_look(deep, points, failures);
	}
	if (deep->too_many && points->kprobes && !deep->crowded_ends) {
		deep->verdict = DEEP_TOO_MANY;
		deep->crowded_ends = true;
		deep->callers.aim_count = 0;
		return 0;
	}
	/* The points of followed calls may be the reason, not those of the path. */
	if ((deep->too_many || lost) && deep->callers.aim_count) {
		deep->verdict = lost ? DEEP_LOST : DEEP_TOO_MANY;
		deep_callers_harmed(&deep->callers);
		deep->alone = true;
		return 0;
	}
	if (deep->too_many) {
		deep->verdict = DEEP_TOO_MANY;
		deep->number += deep->crowded;
		deep->no_hits += !deep->begun;
		deep->crowded = true;
		return 0;
	}
	/* After a second loss the target is the reason: our own BPF programs may execute it. */
	if (lost) {
		deep->verdict = DEEP_LOST;
		deep->number += deep->lost;
		deep->no_hits += !deep->begun;
		deep->lost = !deep->lost;
		return 0;
	}
	deep->lost = false;
	return evaluate(deep, target, points, failures);
}

/* Run the command with the breakpoints and kprobes that are armed. */
int deep_run_armed(struct deep *deep, struct failures *failures, bool *ret_lost, struct errmsg *msg)
{
	uint64_t lost = watch_lost(deep->probes->watch);
	int status = 0, err;

	deep->path->runs++;
	deep->answer->runs++;
	deep->probes->on_event = on_event;
	deep->probes->on_event_ctx = &deep->hits;
	deep_count_hits(deep);
	/* Only the first run of all shows what the command writes. */
	err = command_run(deep->command, deep->probes, failures, deep->answer->runs > 1, look, deep,
			  &status, msg);
	if (deep->answer->runs == 1)
		deep->answer->status = status;
	deep->probes->on_event = NULL;
	*ret_lost = watch_lost(deep->probes->watch) != lost;
	return err;
}

/* Checks, and looks after them, have SECONDS_MORE_MAX more. */
bool deep_has_time(const struct deep *deep)
{
	uint64_t more_ns = deep->looks.checked ? SECONDS_MORE_MAX * 1000000000ull : 0;

	return deep->path->runs < deep->opts->runs &&
	       clock_ns(CLOCK_MONOTONIC) < deep->end_ns + more_ns;
}

/* @target: NULL: the run is made to see the path again */
static int make_run(struct deep *deep, struct deep_target *target, struct errmsg *msg)
{
	struct failures failures = {};
	struct deep_points points;
	bool lost;
	int err = target ? deep_arm(deep, target, &points) : deep_arm_looks(deep, &points);

	if (err || !points.count) {
		watch_sites_end(deep->probes->watch);
		if (target)
			no_points(deep);
		return err;
	}
	err = deep_run_armed(deep, &failures, &lost, msg);
	watch_sites_end(deep->probes->watch);
	if (!err)
		err = take_run(deep, target, &points, lost, &failures);
	deep_hits_clear(&deep->hits);
	failures_clear(&failures);
	return err;
}

/* Should one more run see some branch of the path again, and may that run be made? */
static bool has_looks(const struct deep *deep)
{
	size_t branch;

	return deep->begun && deep->blind < NO_HIT_MAX && deep_has_time(deep) &&
	       deep_looks_next(&deep->looks, deep->path->count, &branch, 1);
}

/* Should runs check whether one run takes the path? */
static bool wants_check(const struct deep *deep)
{
	bool few;

	return deep->begun && deep->looks.checked && !deep->passed && !deep->checked &&
	       deep_has_time(deep) &&
	       deep_looks_sure(&deep->looks, deep->path->count, &few) < deep->path->count;
}

/* Runs kept for checks, and for looks at what kprobes do not observe. */
static unsigned int kept_runs(const struct deep *deep)
{
	unsigned int runs = deep->opts->runs;

	/* If one run took the newer part, one check is enough. */
	if (deep->proven)
		return 1 + (deep->unobserved ? LOOKS_UNOBSERVED : 0);
	/* Fewer than LOOKS_UNOBSERVED looks cannot show what a check does not observe. */
	if (runs < LOOKS_UNOBSERVED * CHECKS_SHARE)
		return 1 + (runs < LOOKS_SHARE * LOOKS_UNOBSERVED ? runs / LOOKS_SHARE
								  : LOOKS_UNOBSERVED);
	return 1 + runs / CHECKS_SHARE;
}

/* Runs that may be made to extend the path. */
static unsigned int runs_max(const struct deep *deep)
{
	unsigned int runs = deep->opts->runs;

	if (deep->looks.checked)
		return runs > kept_runs(deep) ? runs - kept_runs(deep) : runs;
	return deep_looks_varies(&deep->looks) && has_looks(deep) ? runs - runs / LOOKS_SHARE
								  : runs;
}

/* True if no run can extend the path: it reaches the entry, or its gap has a reason. */
static bool is_over(struct deep *deep, struct deep_target *target)
{
	struct errmsg *gap = &deep->path->gap;

	*gap = (struct errmsg){};
	if (deep->path->entry)
		return true;
	/* First, runs look at what a check did not observe. */
	if (deep->path->runs >= runs_max(deep) || (deep->passed && has_looks(deep)))
		deep_say_runs(deep, gap);
	else if (clock_ns(CLOCK_MONOTONIC) >= deep->end_ns)
		errmsg_set(gap, 0, SECONDS_OVER, SECONDS_MAX);
	else if (deep->no_hits >= NO_HIT_MAX || deep->others >= OTHER_MAX_PLACE)
		errmsg_set(gap, 0, "%s in %u runs", deep_verdict_text(deep),
			   deep->no_hits >= NO_HIT_MAX ? deep->no_hits : deep->others);
	else if (!deep->begun && deep->verdict == DEEP_NO_POINT)
		errmsg_set(gap, 0, "%s", deep_verdict_text(deep));
	else if (!deep->begun)
		return false;
	else if (!deep->path->count && !deep->path->start)
		errmsg_set(gap, 0, "the record at its end holds no branch of the call");
	else if (deep->waited || !deep_find_target(deep, target))
		errmsg_set(gap, 0, "%s", deep_verdict_text(deep));
	else
		return false;
	return true;
}

/* Cut the part that may be of more than one run. @broken_off: an error ended the search */
static void end_where_sure(struct deep *deep, bool broken_off)
{
	bool unchecked = broken_off || (deep->looks.checked && !deep->checked), few, all;
	size_t count, sure;

	if (!deep->looks.checked)
		deep_end_behind_wait(deep);
	count = deep->path->count;
	sure = deep_looks_sure(&deep->looks, count, &few);
	if (!deep->begun || sure >= count)
		return;
	log_verbose("%zu of %zu branches may be shown", sure, count);
	/* The run took all that its probes observe. Only what is older is cut. */
	all = deep->passed && sure == deep->looks.proven;
	deep_give_up(deep, count - sure);
	if (all && deep->path->gap.text[0])
		return;
	/* No run was seen to leave the path there, because none was made to check it. */
	if (unchecked && deep->path->gap.text[0]) {
		errmsg_add(&deep->path->gap,
			   "; further back it was not checked that one run took it");
		return;
	}
	errmsg_set(&deep->path->gap, 0,
		   few ? "runs may go different ways there; further back too few runs were seen"
		       : "the runs go different ways; none was seen to take that one as a whole");
}

/*
 * Cut the path if no run took all of it; or if the run that did may have left it at a place where
 * others were seen to leave. The search may find another path from there. False: nothing was cut.
 */
static bool can_begin_anew(struct deep *deep)
{
	size_t count = deep->path->count, sure, gone, contested;
	bool few;

	/* At least two runs have to be left: one to extend the path, and one to check it. */
	if (!deep->looks.checked || !deep->checked || !deep->begun || deep->cuts >= CUTS_MAX ||
	    deep->path->runs + 2 > deep->opts->runs ||
	    (deep->passed && !deep_looks_contested(&deep->looks, &contested)))
		return false;
	sure = deep_looks_sure(&deep->looks, count, &few);
	gone = count - sure;
	if (sure >= count || sure < DEEP_OVERLAP_MIN)
		return false;
	if (deep->passed && deep_looks_turn(&deep->looks, sure, &deep->path->branches[gone - 1]))
		return false;
	deep->cuts++;
	deep->proven = true;
	deep->others = deep->number = 0;
	(void)deep_callers_keep(&deep->callers, deep->path, gone); /* else recorded again */
	deep_give_up(deep, gone);
	return true;
}

/* If a run fails, the path so far is shown, with the reason: the answer itself is complete. */
static int make_runs(struct deep *deep, struct errmsg *msg)
{
	struct errmsg *gap = &deep->path->gap;
	struct deep_target target = {};
	int err = 0;

	while (!err) {
		if (!is_over(deep, &target))
			err = make_run(deep, &target, msg);
		else if (wants_check(deep))
			err = deep_prove(deep, msg);
		else if (has_looks(deep))
			err = make_run(deep, NULL, msg);
		else if (!can_begin_anew(deep))
			break;
		if (!err && deep->opts->progress)
			deep->opts->progress(deep->opts->ctx, deep->path);
	}
	if (err == -ENOMEM)
		return err;
	deep->path->interrupted = err == -EINTR;
	if (err == -EINTR)
		errmsg_set(gap, 0, "interrupted");
	else if (err)
		errmsg_set(gap, 0, "%s", msg->text[0] ? msg->text : strerror(-err));
	else if (!gap->text[0] && !deep->passed && clock_ns(CLOCK_MONOTONIC) >= deep->end_ns)
		errmsg_set(gap, 0, SECONDS_OVER, SECONDS_MAX);
	end_where_sure(deep, err);
	deep_say_unchecked(deep);
	/* A path that still reaches the entry has no gap. */
	if (deep->path->entry)
		*gap = (struct errmsg){};
	return 0;
}

/* Runs that follow calls have kprobes, whose handling must not hit a breakpoint. */
static bool refuses_beside(const void *ctx, uint64_t addr)
{
	return deep_refuses(ctx, addr) || deep_in_handler(ctx, addr);
}

/* Only checks tell whether one run takes both parts. A shallow LBR has no room for it. */
static int find_callers(struct deep *deep)
{
	const struct why_hit *hit = deep->answer->hit;

	if (!deep->looks.checked || lbr_depth() < DEEP_SHALLOW || !hit->frames)
		return 0;
	deep->callers = (struct deep_callers){.text = &deep->probes->text,
					      .refused = refuses_beside,
					      .ctx = deep,
					      .depth = lbr_depth()};
	return deep_callers_find(&deep->callers, (const uint64_t *)hit->stack + 1, hit->frames - 1);
}

int deep_find(const struct deep_options *opts, const struct command *command, struct probes *probes,
	      struct answer *answer, struct errmsg *msg)
{
	struct deep deep = {
		.opts = opts,
		.command = command,
		.probes = probes,
		.answer = answer,
		.place = opts->place ? *opts->place : (struct deep_place){},
		.verdict = DEEP_NO_PROGRESS,
		.end_ns = clock_ns(CLOCK_MONOTONIC) + SECONDS_MAX * 1000000000ull,
	};
	int err;

	deep.path = answer->deep = calloc(1, sizeof(*answer->deep));
	if (!deep.path)
		return -ENOMEM;
	if (deep_is_hopeless(opts, probes, answer, &deep.path->gap))
		return 0;
	if (deep_code_find(probes->opts->symbols, &deep.code)) {
		errmsg_set(
			&deep.path->gap, 0,
			"/proc/kallsyms does not say where the kernel's entry code is, or where it "
			"changes tasks");
		return 0;
	}
	deep.code.text = &probes->text;
	deep.hits.code = &deep.code;
	if (!opts->place && answer->site.reg != SITE_REG_NONE)
		deep.place = deep_place_of_site(answer->site.watch, answer->site.reg);
	deep.hits.place = deep.place.end_count ? &deep.place : NULL;
	deep.looks.depth = lbr_depth();
	deep.looks.checked = probes->opts->kprobes;
	watch_calls_quietly(probes->watch);
	err = probeable_open_forbidden(&deep.forbidden);
	err = err ?: opts->place ? deep_find_end(&deep, msg) : begin(&deep);
	if (!err && !opts->place)
		err = find_callers(&deep);
	if (!err && answer->call)
		err = make_runs(&deep, msg);
	deep_hits_clear(&deep.hits);
	deep_looks_clear(&deep.looks);
	deep_callers_clear(&deep.callers);
	probeable_destroy(deep.forbidden);
	return err;
}
