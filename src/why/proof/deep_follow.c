// SPDX-License-Identifier: GPL-2.0
/* deep_follow.c - how much of the path did a run take, as its hits show? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/log.h"
#include "why/proof/deep_check.h"

/*
 * Excursion: the run leaves the path at a fork, other tasks run, and it comes back.
 * Hits within it are at least this many bytes deeper on the stack than its first hit. Hits on the
 * path may be a little deeper, too: the caller may have pushed arguments.
 */
#define EXCURSION_DEEPER 64
/* A kprobe that was made a jump replaces several instructions: it goes on within so many bytes. */
#define REPLACED_BYTES 32
/* From the end of exc_int3() to where its entry code returns, with thunks, and some to spare. */
#define HANDLER_BRANCHES 8

size_t deep_check_step_before(const struct deep_check *check, size_t step)
{
	while (step-- > 0)
		if (deep_check_has(check, check->steps[step].addr))
			return step;
	return SIZE_MAX;
}

static bool is_generated(const struct deep_check *check, uint64_t addr)
{
	struct symbol sym;

	return !symbols_find(check->symbols, addr, &sym) && module_is_generated(sym.module);
}

/*
 * Are the two branches of a record that end with @newest an excursion that does nothing, and that
 * comes back to what the path executes after branch @at? Return: its fork; NULL: they are not.
 */
static const struct deep_fork *find_quiet(const struct deep_check *check,
					  const struct why_branch *newest, size_t at)
{
	for (size_t i = 0; i < check->fork_count; i++) {
		const struct deep_fork *fork = &check->forks[i];

		if (fork->quiet && check->steps[fork->back].at == at &&
		    newest[0].to == check->steps[fork->back].addr &&
		    newest[-1].from == check->steps[fork->step].addr &&
		    newest[-1].to == fork->other)
			return fork;
	}
	return NULL;
}

/**
 * struct match - how many branches are the same; an excursion is two more of @record
 * @contradicts: the next older one of the record is not the path's: the run was elsewhere before
 */
struct match {
	size_t path;
	size_t record;
	bool contradicts;
};

/*
 * Does this branch of a record show that the run was elsewhere? Not if a kprobe's code led there,
 * or if an excursion can come back to what the path executes after branch @at.
 */
static bool contradicts(const struct deep_check *check, const struct why_branch *has_it, size_t at)
{
	if (is_generated(check, has_it->from))
		return false;
	for (size_t i = 0; i < check->fork_count; i++)
		if (check->forks[i].back && check->steps[check->forks[i].back].at == at)
			return false;
	return true;
}

/*
 * How many branches does the path have of a record that was taken after its branch @at? The record
 * ends early where a kprobe was hit: then it has the kprobe's own branches. False: the run was not
 * on the path.
 * @excursions: as for deep_check_compare()
 */
static bool match_record(const struct deep_check *check, const struct deep_record *record,
			 size_t at, bool *excursions, struct match *ret)
{
	const struct deep_known *known = &check->known;
	size_t i = 0, k = 0;
	bool elsewhere = false;

	for (; k < record->count && i <= at; i++, k++) {
		const struct why_branch *has_it = &record->branches[record->count - 1 - k];
		const struct why_branch *way = &known->branches[at - i];
		const struct deep_fork *quiet;

		if (has_it->from == way->from && has_it->to == way->to)
			continue;
		quiet = k + 1 < record->count ? find_quiet(check, has_it, at - i) : NULL;
		if (quiet) {
			excursions[known->count - quiet->branch] = true;
			/* The next one is compared with the path's branch before the fork. */
			i = at - quiet->branch;
			k++;
			continue;
		}
		/* A kprobe that was made a jump leads to its own code. */
		if (deep_check_has(check, has_it->from) && is_generated(check, has_it->to))
			break;
		/* The run took one more branch, another branch, or a loop once more. */
		if (deep_runs_through(known, (long)(at - i), has_it->from) ||
		    (at > i && deep_runs_through(known, (long)(at - i) - 1, has_it->from)) ||
		    (deep_check_comes_by(check, has_it->from) &&
		     deep_runs_through(known, (long)(at - i), has_it->to))) {
			log_verbose("branch %zu was 0x%llx to 0x%llx instead of 0x%llx to 0x%llx",
				    at - i, (unsigned long long)has_it->from,
				    (unsigned long long)has_it->to, (unsigned long long)way->from,
				    (unsigned long long)way->to);
			return false;
		}
		elsewhere = contradicts(check, has_it, at - i);
		break;
	}
	*ret = (struct match){.path = i, .record = k, .contradicts = elsewhere};
	return true;
}

/*
 * Did the code of the kprobe at @step lead to @landed? From there to the hit, which is after branch
 * @at, the run took @matched branches of the path.
 */
static bool is_from_kprobe(const struct deep_check *check, const struct deep_step *step,
			   uint64_t landed, size_t matched, size_t at)
{
	const struct why_branch *next = &check->known.branches[step->at + 1];

	if (deep_check_is_view(check, step->addr))
		return false;
	if (step->at + matched == at)
		return landed >= step->addr && landed - step->addr < REPLACED_BYTES;
	return step->at + matched + 1 == at && next->from == step->addr && next->to == landed;
}

/* The branch that the path takes at a step; NULL: it goes on to the next instruction. */
static const struct why_branch *branch_at(const struct deep_check *check, size_t step)
{
	size_t at = check->steps[step].at;

	if (at + 1 >= check->known.count || step + 1 >= check->step_count ||
	    check->steps[step + 1].at != at + 1)
		return NULL;
	return &check->known.branches[at + 1];
}

/*
 * Does the path execute this step again? A return thunk is executed at each return, which is no
 * loop: both have to lead to the same place.
 */
static bool is_again(const struct deep_check *check, size_t step, size_t other)
{
	const struct why_branch *one, *two;

	if (check->steps[step].addr != check->steps[other].addr)
		return false;
	one = branch_at(check, step);
	two = branch_at(check, other);
	return !one || !two || one->to == two->to;
}

/* The newest time before number @limit that the path executes @step again; @step: it does not. */
static size_t newest_again(const struct deep_check *check, size_t step, size_t limit)
{
	uint64_t addr = check->steps[step].addr;

	while (limit > step + 1) {
		limit = deep_check_last_by(check, addr, limit - 1);
		if (limit > step && is_again(check, step, limit))
			return limit;
	}
	return step;
}

/* The number of the first fork at step number @step or later. */
static size_t first_fork(const struct deep_check *check, size_t step)
{
	size_t low = 0, high = check->fork_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (check->forks[middle].step < step)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Did the handler of the probe at step @before return to where @record begins? It may have been an
 * interrupt, as that code was executed again: the record has to show what it was, or the
 * instruction is executed after the probe's alone. A breakpoint's handler returns to the
 * breakpoint: after an interrupt there it would be hit again. A kprobe's handler does what the
 * instruction does, and returns after it.
 */
static bool is_from_handler(const struct deep_check *check, const struct deep_record *record,
			    size_t before, size_t matched, size_t step)
{
	bool view = deep_check_is_view(check, check->steps[before].addr);
	size_t next = view ? before : before + 1, at = check->steps[step].at;

	if (check->steps[next].addr != record->resumed || check->steps[next].at + matched != at)
		return false;
	return view || record->resumer == DEEP_RESUMER_INT3 || deep_check_is_anchor(check, before);
}

/*
 * Are the @matched branches of a record all that the run took after the hit at @before? A kprobe on
 * a branch emulates it: no record has that branch.
 */
static bool follows(const struct deep_check *check, const struct deep_record *record,
		    const struct match *matched, size_t step, size_t before)
{
	const struct deep_step *from = &check->steps[before];
	size_t at = check->steps[step].at;

	if (from->at + matched->path > at)
		return true;
	if (matched->record < record->count) {
		const struct why_branch *older =
			&record->branches[record->count - 1 - matched->record];

		return is_generated(check, older->from) &&
		       is_from_kprobe(check, from, older->to, matched->path, at);
	}
	if (record->end != DEEP_END_RESUMED)
		return false;
	return record->resumer == DEEP_RESUMER_KPROBE_CODE
		       ? is_from_kprobe(check, from, record->resumed, matched->path, at)
		       : is_from_handler(check, record, before, matched->path, step);
}

/*
 * May the run have left the path at @fork before, and have come back by code that the path does not
 * have? Not if a probe shows that. An excursion comes back after the fork.
 */
static bool may_come_back(const struct deep_check *check, const struct deep_fork *fork)
{
	return !fork->back && !deep_check_observes(check, fork);
}

/*
 * From which step on does a record show the way to @step? It has the branches from step @oldest on,
 * and does not show how the run came there. The run may have come by before: round a loop, or from
 * a fork that no probe observes. Only what follows is certain.
 */
static size_t certain_from(const struct deep_check *check, size_t oldest, size_t step)
{
	size_t last = newest_again(check, oldest, step);

	for (size_t i = first_fork(check, last); i < check->fork_count; i++) {
		const struct deep_fork *fork = &check->forks[i];

		if (fork->step >= step)
			break;
		if (may_come_back(check, fork))
			last = fork->step + 1;
	}
	return last;
}

size_t deep_check_first_behind(const struct deep_check *check, size_t at)
{
	size_t low = 0, high = check->step_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (check->steps[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last step behind branch @at of the path, or behind an older one that has any. */
static size_t last_behind(const struct deep_check *check, size_t at)
{
	size_t next = deep_check_first_behind(check, at);

	return next ? next - 1 : 0;
}

/*
 * Does the record have all that the run did since its hit @older, of a kprobe that may be in an
 * excursion? NULL: there was none.
 */
static bool begins_at(const struct deep_check *check, const struct deep_record *record,
		      const struct deep_hit *older)
{
	if (!older || deep_check_is_view(check, older->ip) || record->end != DEEP_END_RESUMED)
		return false;
	return record->resumer == DEEP_RESUMER_INT3 ||
	       (record->resumer == DEEP_RESUMER_KPROBE_CODE &&
		record->resumed - older->ip < REPLACED_BYTES);
}

/*
 * From which step on does the record of the hit at @step show the way to it? From @before, the
 * probe that was hit before, if the record goes back to it; else from the source of its oldest
 * branch that the path has.
 */
static size_t observed_from(const struct deep_check *check, const struct deep_record *record,
			    const struct match *matched, size_t step, size_t before,
			    const struct deep_hit *older)
{
	size_t at = check->steps[step].at;

	if (before != SIZE_MAX && follows(check, record, matched, step, before))
		return before;
	if (matched->path > at)
		return 0;
	if (begins_at(check, record, older))
		return last_behind(check, at - matched->path);
	return certain_from(check, last_behind(check, at - matched->path), step);
}

/*
 * Would a record of @depth entries at @step show that it begins with the return from the handler of
 * the probe at step @before? As is_from_handler().
 */
static bool is_known_handler(const struct deep_check *check, size_t before, size_t step,
			     size_t depth)
{
	size_t taken = check->steps[step].at - check->steps[before + 1].at;

	return deep_check_is_view(check, check->steps[before].addr) ||
	       taken + HANDLER_BRANCHES <= depth || deep_check_is_anchor(check, before);
}

size_t deep_check_shown_from(const struct deep_check *check, size_t step, size_t before,
			     size_t depth)
{
	size_t at = check->steps[step].at, entries = depth;

	/* One entry more is the return from the probe's handler. */
	if (before != SIZE_MAX && at - check->steps[before].at < depth) {
		if (is_known_handler(check, before, step, depth))
			return before;
		entries = at - check->steps[before + 1].at;
	}
	if (entries > at)
		return 0;
	return certain_from(check, last_behind(check, at - entries), step);
}

static bool has_wait_probes(const struct deep_check *check, size_t step)
{
	return deep_check_has(check, check->steps[step].addr) &&
	       deep_check_has(check, check->steps[step + 1].addr);
}

/**
 * struct followed - how far the hits are those of the path, from the error backwards
 * @left: how many hits of the run are older
 * @step: the step that was hit last; SIZE_MAX: none was
 * @before: the step that has to be hit before it; SIZE_MAX: none
 * @first: the oldest branch that the record at @step has; without any, the branch after @step
 * @sp: the stack pointer at that hit
 * @observed: for each step: a record shows how the run went on from it
 * @excursions: as for deep_check_compare()
 * @elsewhere: before @first the run was not on the path
 * @newest: the record at the error has the newest branch, behind which it took no other
 */
struct followed {
	size_t left;
	size_t step;
	size_t before;
	size_t first;
	uint64_t sp;
	bool *observed;
	bool *excursions;
	bool elsewhere;
	bool newest;
};

/*
 * If the run left the path at @fork, by which step was it back? A hit or a record shows it. Not
 * within a call that the path makes after the fork: the run may have called that function
 * elsewhere.
 */
static size_t find_certain(const struct deep_check *check, const struct followed *at,
			   const struct deep_fork *fork)
{
	for (size_t i = fork->step + 1; i < check->step_count; i++) {
		const struct deep_step *step = &check->steps[i];

		if (step->since <= fork->step &&
		    (at->observed[i] || (i >= at->step && deep_check_has(check, step->addr))))
			return i;
	}
	return check->step_count - 1;
}

/*
 * The oldest step that the run may have executed once more, from @fork round a loop; the step of
 * @fork: none. If a probe is in the loop, it would have been hit once more.
 */
static size_t find_loop(const struct deep_check *check, const struct followed *at,
			const struct deep_fork *fork)
{
	size_t since = check->steps[fork->step].since, oldest = fork->step;

	for (size_t i = fork->step + 1; fork->leads && i-- > since;) {
		if (i >= at->step && deep_check_has(check, check->steps[i].addr))
			break;
		if (check->steps[i].addr == fork->leads && check->steps[i].since == since)
			oldest = i;
	}
	return oldest;
}

static size_t larger(size_t one, size_t other)
{
	return one > other ? one : other;
}

static void add_blind(const struct deep_check *check, const struct followed *at,
		      const struct deep_fork *fork, struct deep_blind *ret_blind)
{
	size_t certain = check->steps[find_certain(check, at, fork)].at + 1;
	size_t loop = find_loop(check, at, fork);
	struct deep_blind *blind = &ret_blind[check->known.count - 1 - fork->branch];

	blind->newer = larger(blind->newer, certain > fork->branch ? certain - fork->branch : 1);
	if (loop != fork->step && fork->branch - check->steps[loop].at > blind->older) {
		blind->older = fork->branch - check->steps[loop].at;
		blind->loop = fork->leads;
	}
}

/*
 * A fork behind the newest branch: the record at the error shows how the run went on from there at
 * last, and not whether it had come by before.
 */
static void add_newest(const struct deep_check *check, const struct followed *at,
		       const struct deep_fork *fork, struct deep_blind *newest)
{
	size_t loop = find_loop(check, at, fork), last = check->known.count - 1;

	newest->newer = larger(newest->newer, 1);
	if (loop != fork->step && last - check->steps[loop].at > newest->older) {
		newest->older = last - check->steps[loop].at;
		newest->loop = fork->leads;
	}
}

/* Is this an indirect branch whose probe is older than the hits that are the path's? */
static bool is_unread(const struct deep_check *check, const struct followed *at,
		      const struct deep_fork *fork)
{
	return !fork->other && fork->step >= at->step &&
	       !deep_check_shows_target(check, fork, at->step);
}

/*
 * Find the forks that neither a record nor a probe of this run observes: they are blind. If a
 * record was to show a fork, and does not, nothing older is certain: the run may have gone another
 * way. Return: the oldest branch that is certain, but for the blind forks.
 */
static size_t find_blind(const struct deep_check *check, const struct followed *at,
			 struct deep_blind *ret_blind)
{
	size_t first = check->impossible;

	memset(ret_blind, 0, check->known.count * sizeof(*ret_blind));
	/* Without both probes, hits within the call cannot be told from those of the path. */
	for (size_t i = 0; i < check->wait_count; i++)
		if (!has_wait_probes(check, check->waits[i].step))
			first = larger(first, check->steps[check->waits[i].step].at + 1);
	for (size_t i = 0; i < check->fork_count; i++) {
		const struct deep_fork *fork = &check->forks[i];

		if (at->observed[fork->step])
			continue;
		if (deep_check_observes(check, fork)) {
			if (is_unread(check, at, fork))
				first = larger(first, fork->branch + 1);
			continue;
		}
		/* No other run's record shows how this run came from there to the error. */
		if (fork->branch == check->known.count && !at->newest)
			first = check->known.count;
		else if (fork->branch == check->known.count)
			add_newest(check, at, fork, &ret_blind[0]);
		else if (fork->tried || fork->untold)
			add_blind(check, at, fork, ret_blind);
		else if (fork->branch >= first)
			first = fork->branch + 1;
	}
	return first;
}

/* The oldest branch of the path that a run can have taken after an excursion at @fork. */
static size_t first_behind(const struct deep_check *check, const struct deep_fork *fork)
{
	return check->steps[fork->back].at < fork->branch ? fork->branch : fork->branch + 1;
}

/* The newest fork before number @limit where an excursion can begin at @addr; @limit: none. */
static size_t find_excursion(const struct deep_check *check, const struct followed *at,
			     size_t limit, uint64_t addr)
{
	for (size_t i = limit; i-- > 0;) {
		const struct deep_fork *fork = &check->forks[i];

		if (at->before != SIZE_MAX && fork->step < at->before)
			break;
		/* Not if the record has the branch that the path takes instead. */
		if (fork->back && fork->back <= at->step &&
		    first_behind(check, fork) <= at->first && fork->other_at == addr &&
		    !deep_check_comes_by(check, addr))
			return i;
	}
	return limit;
}

/*
 * After an excursion at @fork, and before the path's next hit: can the run have been back on the
 * path when it hit @addr? Then it left the path there, or made that next hit once more than the
 * path.
 */
static bool is_back_by(const struct deep_check *check, const struct followed *at,
		       const struct deep_fork *fork, uint64_t addr)
{
	const struct deep_fork *end = check->forks + check->fork_count;

	if (addr == check->steps[at->step].addr)
		return true;
	for (const struct deep_fork *next = fork + 1; next < end && next->step <= at->step; next++)
		if (next->step >= fork->back && (next->other_at == addr || next->next_at == addr))
			return true;
	return false;
}

/* Did the run make all hits after @hits[left] within the excursion that began there, at @fork? */
static bool is_excursion(const struct deep_check *check, const struct deep_hit *hits, size_t left,
			 const struct followed *at, const struct deep_fork *fork)
{
	for (size_t i = left + 1; i < at->left; i++)
		if (is_back_by(check, at, fork, hits[i].ip))
			return false;
	return true;
}

/*
 * Skip the hits of excursions. They are deeper on the stack than the hit where the run left the
 * path, and none may be the path's own. Each fork may have one excursion.
 */
static void skip_excursions(const struct deep_check *check, const struct deep_hit *hits,
			    struct followed *at)
{
	size_t limit = check->fork_count;
	uint64_t highest = 0;

	for (size_t i = at->left; i-- > 0;) {
		uint64_t sp = hits[i].regs[PTREG_SP];
		size_t fork = sp >= highest + EXCURSION_DEEPER
				      ? find_excursion(check, at, limit, hits[i].ip)
				      : limit;

		if (sp > highest)
			highest = sp;
		if (fork == limit || !is_excursion(check, hits, i, at, &check->forks[fork]))
			continue;
		log_verbose("before branch %zu the run let other tasks run",
			    check->forks[fork].branch);
		at->excursions[check->known.count - check->forks[fork].branch] = true;
		at->left = i;
		limit = fork;
		highest = 0;
	}
}

/*
 * Does the record show how the run came to the hit? Without a branch it does if it resumes
 * elsewhere: no branch was taken since. At the hit itself an interrupt may have returned.
 */
static bool has_way(const struct deep_hit *hit)
{
	const struct deep_record *record = &hit->record;

	return record->count || (record->end == DEEP_END_RESUMED && record->resumed != hit->ip);
}

/*
 * Is the stack as deep at this hit of @step as it is on the path? If another function than the
 * path's caller called it, it is deeper.
 */
static bool is_as_deep(const struct deep_check *check, const struct followed *at, size_t step,
		       uint64_t sp)
{
	const struct deep_step *older = &check->steps[step], *newer;

	if (at->step == SIZE_MAX)
		return true;
	newer = &check->steps[at->step];
	return older->stack != newer->stack || at->sp - sp == newer->sp - older->sp;
}

/* Is the next older hit the path's? Then take it. */
static bool follow_hit(const struct deep_check *check, const struct deep_hit *hits,
		       struct followed *at)
{
	const struct deep_hit *hit = &hits[at->left - 1];
	size_t step = at->before;
	struct match matched;

	if (step == SIZE_MAX)
		return false;
	if (hit->ip != check->steps[step].addr) {
		log_verbose("after branch %zu 0x%llx was hit instead of 0x%llx",
			    check->steps[step].at, (unsigned long long)hit->ip,
			    (unsigned long long)check->steps[step].addr);
		return false;
	}
	if (!is_as_deep(check, at, step, hit->regs[PTREG_SP])) {
		log_verbose("after branch %zu 0x%llx was hit at another stack depth",
			    check->steps[step].at, (unsigned long long)hit->ip);
		return false;
	}
	if (deep_check_goes_elsewhere(check, step, hit)) {
		log_verbose("after branch %zu an indirect branch leads elsewhere",
			    check->steps[step].at);
		return false;
	}
	if (!match_record(check, &hit->record, check->steps[step].at, at->excursions, &matched))
		return false;
	at->left--;
	at->newest |= at->step == SIZE_MAX && matched.path;
	at->step = step;
	at->sp = hit->regs[PTREG_SP];
	at->before = deep_check_step_before(check, step);
	at->first = check->steps[step].at + 1 - matched.path;
	/* The next older hit comes next: if it is not the path's, nothing older counts. */
	if (has_way(hit))
		for (size_t i = observed_from(check, &hit->record, &matched, step, at->before,
					      at->left ? &hits[at->left - 1] : NULL);
		     i < step; i++)
			at->observed[i] = true;
	if (matched.contradicts)
		log_verbose("before branch %zu the run was not on the path", at->first);
	at->elsewhere = matched.contradicts;
	return !at->elsewhere;
}

static const struct deep_wait *wait_at(const struct deep_check *check, size_t step)
{
	for (size_t i = 0; i < check->wait_count; i++)
		if (check->waits[i].step == step)
			return &check->waits[i];
	return NULL;
}

static bool is_next(const struct deep_check *check, const struct deep_hit *hits,
		    const struct followed *at)
{
	return at->before != SIZE_MAX && hits[at->left - 1].ip == check->steps[at->before].addr;
}

/*
 * After a left-out call: skip the hits within the call, which are deeper on the stack. False: it
 * waits on the path, and did not wait in this run.
 */
static bool skip_wait(const struct deep_check *check, const struct deep_hit *hits,
		      struct followed *at)
{
	const struct deep_hit *behind = &hits[at->left];
	const struct deep_wait *wait = wait_at(check, at->before);

	if (!wait || at->before + 1 != at->step)
		return true;
	while (at->left && hits[at->left - 1].regs[PTREG_SP] < behind->regs[PTREG_SP])
		at->left--;
	return wait->woke || !at->left || hits[at->left - 1].switches != behind->switches;
}

static void follow(const struct deep_check *check, const struct deep_hit *hits, struct followed *at)
{
	while (at->left && follow_hit(check, hits, at) && skip_wait(check, hits, at))
		if (at->left && !is_next(check, hits, at))
			skip_excursions(check, hits, at);
}

/* Follow the hits from the error back. @observed, @excursions: all false */
static struct followed follow_all(const struct deep_check *check, const struct deep_hit *hits,
				  size_t count, bool *observed, bool *excursions)
{
	const struct deep_hit *hit = deep_newest_hit(hits, count, check->known.end);
	struct followed at = {.step = SIZE_MAX, .observed = observed, .excursions = excursions};

	at.left = hit ? (size_t)(hit - hits) + 1 : 0;
	at.before = deep_check_step_before(check, check->step_count);
	follow(check, hits, &at);
	return at;
}

/* Were the hits those of the path, as far back as it has probes? */
static bool is_on_path(const struct followed *at, bool entry)
{
	return at->step != SIZE_MAX && at->before == SIZE_MAX && !at->elsewhere &&
	       !(entry && at->left);
}

int deep_check_compare(const struct deep_check *check, const struct deep_hit *hits, size_t count,
		       bool entry, size_t *ret_first, struct deep_blind *ret_blind,
		       bool *ret_excursions)
{
	_cleanup_free_ bool *observed = calloc(check->step_count + 1, sizeof(*observed));
	struct followed at;
	size_t sure;

	if (!observed)
		return -ENOMEM;
	memset(ret_excursions, false, (check->known.count + 1) * sizeof(*ret_excursions));
	at = follow_all(check, hits, count, observed, ret_excursions);
	sure = find_blind(check, &at, ret_blind);
	*ret_first = check->known.count;
	if (at.step == SIZE_MAX)
		return 0;
	/* Nothing was hit before the oldest probe: the run did not leave the path there. */
	*ret_first = entry && is_on_path(&at, entry) ? 0 : at.first;
	if (*ret_first < sure) {
		*ret_first = sure;
		return 0;
	}
	return is_on_path(&at, entry);
}

int deep_check_left(const struct deep_check *check, const struct deep_hit *hits, size_t count,
		    bool entry)
{
	_cleanup_free_ bool *observed = calloc(check->step_count + 1, sizeof(*observed));
	_cleanup_free_ bool *excursions = calloc(check->known.count + 1, sizeof(*excursions));
	struct followed at;

	if (!observed || !excursions)
		return -ENOMEM;
	at = follow_all(check, hits, count, observed, excursions);
	return !is_on_path(&at, entry);
}
