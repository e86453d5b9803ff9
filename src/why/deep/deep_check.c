// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/fetch.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/vector.h"

/* "call rel32", and what the kernel writes over one that is switched off. */
#define CALL_BYTES 5
/* Instructions that a probe may stand further on than where a way begins. */
#define FURTHER_MAX 4
/* What an ENDBR becomes that no indirect call needs; the tracer's place, and a static key, have 5.
 */
#define PATCHED_NOP_BYTES 4
/*
 * What a run does aside is so much deeper on the stack than where it left the path: the caller,
 * back on the path, may have pushed arguments.
 */
#define ASIDE_DEEPER 64
/* Behind a probe its handler, or the jump in its place, goes on so near. */
#define HANDLED_BYTES 32

static bool has(const uint64_t *addrs, size_t count, uint64_t addr)
{
	return count && bsearch(&addr, addrs, count, sizeof(addr), address_compare);
}

static int add_step(struct deep_check *check, uint64_t addr, size_t at)
{
	if (vector_grow(&check->steps, check->step_count, sizeof(*check->steps)))
		return -ENOMEM;
	check->steps[check->step_count++] = (struct deep_step){.addr = addr, .at = at};
	return 0;
}

/* @next: 0: the code cannot be read, or does not lead to the next branch */
static int add_fork(struct deep_check *check, size_t branch, uint64_t next, uint64_t other)
{
	if (vector_grow(&check->forks, check->fork_count, sizeof(*check->forks)))
		return -ENOMEM;
	check->forks[check->fork_count++] = (struct deep_fork){
		.step = check->step_count - 1, .branch = branch, .next = next, .other = other};
	return 0;
}

static int add_return(struct deep_check *check, uint64_t addr)
{
	if (vector_grow(&check->returns, check->return_count, sizeof(*check->returns)))
		return -ENOMEM;
	check->returns[check->return_count++] =
		(struct deep_return){.addr = addr, .step = check->step_count};
	return 0;
}

/*
 * What lets others run, or tells that it did: as in an interrupt the task itself does nothing there
 * that its caller could see, but for a result that says so.
 */
static bool is_aside(const struct deep_check *check, uint64_t addr)
{
	static const char *const names[] = {"__cond_resched", "__rcu_read_unlock"};
	struct symbol sym;

	if (symbols_find(check->symbols, addr, &sym))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(sym.name, names[i]))
			return true;
	return false;
}

/* The newest call returns to the next step: the forks in the function that it called know it. */
static void end_call(struct deep_check *check, const struct deep_return *call)
{
	for (size_t i = check->fork_count; i-- > 0 && check->forks[i].step >= call->step;) {
		struct deep_fork *fork = &check->forks[i];

		if (!fork->back && is_aside(check, check->steps[fork->step].addr))
			fork->back = check->step_count;
	}
}

/*
 * The branch that ends what is executed behind branch @at. A return to where the path called from
 * cannot go elsewhere; one that goes on with another function, as in a thunk, can.
 */
static int add_last(struct deep_check *check, size_t at, const struct insn *insn)
{
	uint64_t next = check->known.branches[at + 1].to, after = insn->addr + insn->len;
	int err;

	switch (insn->class) {
	case INSN_COND:
		return add_fork(check, at + 1, next, after);
	case INSN_JMP:
		return 0;
	case INSN_CALL:
		return add_return(check, after);
	case INSN_ICALL:
		err = add_return(check, after);
		return err ?: add_fork(check, at + 1, next, 0);
	case INSN_RET:
		if (check->return_count && check->returns[--check->return_count].addr == next) {
			end_call(check, &check->returns[check->return_count]);
			return 0;
		}
		return add_fork(check, at + 1, next, 0);
	default:
		return add_fork(check, at + 1, next, 0);
	}
}

/* What is executed behind branch @at. */
static int add_block(struct deep_check *check, const struct text_source *text, size_t at)
{
	const struct deep_known *known = &check->known;
	bool newest = at + 1 == known->count;
	uint64_t addr = known->branches[at].to;
	uint64_t last = newest ? known->end : known->branches[at + 1].from;

	for (;;) {
		uint8_t bytes[INSN_LEN_MAX];
		struct insn insn;
		int err = add_step(check, addr, at);

		if (err || (newest && addr == last))
			return err;
		if (addr > last || insn_fetch(text, addr, bytes, &insn))
			return add_fork(check, at + 1, 0, 0);
		if (addr == last)
			return add_last(check, at, &insn);
		addr += insn.len;
		if (insn.class == INSN_COND)
			err = add_fork(check, at + 1, addr, insn.target);
		if (err)
			return err;
	}
}

/* The instruction that is always executed next; 0: none is. */
static uint64_t goes_on(const struct text_source *text, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	if (insn_fetch(text, addr, bytes, &insn))
		return 0;
	if (insn.class == INSN_OTHER)
		return addr + insn.len;
	return insn.class == INSN_JMP ? insn.target : 0;
}

/* Does it call what lets others run? "NOP": there this kernel's configuration does not. */
static bool is_preempt(const struct deep_check *check, const struct insn *insn)
{
	struct symbol sym;

	if (insn->class == INSN_CALL)
		return !symbols_find(check->symbols, insn->target, &sym) &&
		       strstr(sym.name, "preempt_schedule");
	return insn->flags & INSN_F_NOP && insn->len == CALL_BYTES;
}

/* The step of the path at @addr, behind that of @fork and what does nothing but go on. 0: none. */
static size_t step_at(const struct deep_check *check, const struct text_source *text,
		      const struct deep_fork *fork, uint64_t addr)
{
	for (size_t i = 1; i <= FURTHER_MAX && fork->step + i < check->step_count; i++) {
		uint64_t here = check->steps[fork->step + i].addr;

		if (here == addr)
			return fork->step + i;
		if (!goes_on(text, here))
			break;
	}
	return 0;
}

/*
 * preempt_enable(): where another task was to run meanwhile, a conditional branch leads to a call
 * of the scheduler, and that comes back to where the path goes on.
 */
static void find_preempt(const struct deep_check *check, const struct text_source *text,
			 struct deep_fork *fork)
{
	uint64_t addr = fork->other;
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	if (!addr || insn_fetch(text, addr, bytes, &insn) || !is_preempt(check, &insn))
		return;
	fork->quiet = insn.class != INSN_CALL;
	addr += insn.len;
	for (int i = 0; i < FURTHER_MAX && addr && !fork->back; i++) {
		fork->back = step_at(check, text, fork, addr);
		addr = goes_on(text, addr);
	}
	fork->quiet &= fork->back > 0;
}

static int gather_addrs(struct deep_check *check)
{
	check->addrs = calloc(check->step_count + 1, sizeof(*check->addrs));
	if (!check->addrs)
		return -ENOMEM;
	for (size_t i = 0; i < check->step_count; i++)
		check->addrs[i] = check->steps[i].addr;
	qsort(check->addrs, check->step_count, sizeof(*check->addrs), address_compare);
	for (size_t i = 0; i < check->step_count; i++)
		if (!i || check->addrs[i] != check->addrs[check->addr_count - 1])
			check->addrs[check->addr_count++] = check->addrs[i];
	return 0;
}

int deep_check_make(const struct text_source *text, const struct symbols *symbols,
		    const struct deep_known *known, struct deep_check *ret)
{
	int err = 0;

	*ret = (struct deep_check){.symbols = symbols, .known = *known};
	for (size_t at = 0; !err && at < known->count; at++)
		err = add_block(ret, text, at);
	for (size_t i = 0; !err && i < ret->fork_count; i++)
		if (!ret->forks[i].back)
			find_preempt(ret, text, &ret->forks[i]);
	err = err ?: gather_addrs(ret);
	if (err)
		deep_check_clear(ret);
	return err;
}

bool deep_check_has(const struct deep_check *check, uint64_t addr)
{
	return has(check->armed, check->armed_count, addr);
}

static int add_armed(struct deep_check *check, uint64_t addr)
{
	size_t at = check->armed_count;

	if (has(check->armed, at, addr))
		return 0;
	if (vector_grow(&check->armed, at, sizeof(*check->armed)))
		return -ENOMEM;
	for (; at && check->armed[at - 1] > addr; at--)
		check->armed[at] = check->armed[at - 1];
	check->armed[at] = addr;
	check->armed_count++;
	return 0;
}

/*
 * Behind what does nothing: where a function has its place for the tracer a kprobe would be a call
 * of that, whose branches no handler's return shows, and where a static key is patched there is
 * none. Behind a string instruction that repeats itself: a kprobe there is hit each time.
 */
static uint64_t skip_unfit(const struct text_source *text, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	while (!insn_fetch(text, addr, bytes, &insn) &&
	       (insn.flags & (INSN_F_ENDBR | INSN_F_REP) ||
		(insn.flags & INSN_F_NOP && insn.len >= PATCHED_NOP_BYTES)))
		addr += insn.len;
	return addr;
}

/* On the way that begins at @addr, as soon as possible. *@ret_at: 0: nowhere */
static int arm_way(struct deep_check *check, const struct text_source *text, size_t max,
		   deep_probe_fn *probe, void *ctx, uint64_t addr, uint64_t *ret_at)
{
	*ret_at = 0;
	for (int i = 0; i < FURTHER_MAX && addr; i++) {
		int err;

		addr = skip_unfit(text, addr);
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
		addr = goes_on(text, addr);
	}
	return 0;
}

int deep_check_view(struct deep_check *check, uint64_t addr)
{
	if (check->view_count == HW_SITES_MAX)
		return -ENOMEM;
	check->views[check->view_count++] = addr;
	return add_armed(check, addr);
}

static bool is_view(const struct deep_check *check, uint64_t addr)
{
	for (size_t i = 0; i < check->view_count; i++)
		if (check->views[i] == addr)
			return true;
	return false;
}

/* Within a record's length? */
static bool is_aside_behind(const struct deep_check *check, const struct deep_fork *fork,
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

/*
 * Will a record tell which way the run went? It has the branches from there on, unless something is
 * hit in between, or others run. That no branch was taken before the fork in its block is told by
 * one entry more: the branch to the block, or the return from a handler that was called in it.
 */
static bool is_in_view(const struct deep_check *check, const struct deep_fork *fork, size_t depth)
{
	size_t at = check->steps[fork->step].at;

	if ((fork->back && !fork->quiet) || is_aside_behind(check, fork, depth))
		return false;
	for (size_t i = fork->step + 1; i < check->step_count; i++) {
		const struct deep_step *step = &check->steps[i];

		if (step->at - at >= depth)
			return false;
		if (deep_check_has(check, step->addr))
			return is_view(check, step->addr);
	}
	return false;
}

static int arm_fork(struct deep_check *check, const struct text_source *text, size_t max,
		    deep_probe_fn *probe, void *ctx, struct deep_fork *fork)
{
	int err = 0;

	fork->tried = true;
	if (fork->other)
		err = arm_way(check, text, max, probe, ctx, fork->other, &fork->other_at);
	/* What the path never comes by is told by its hit alone. */
	if (!err && fork->next &&
	    (!fork->other_at || has(check->addrs, check->addr_count, fork->other_at)))
		err = arm_way(check, text, max, probe, ctx, fork->next, &fork->next_at);
	return err;
}

int deep_check_arm(struct deep_check *check, const struct text_source *text, size_t max,
		   size_t depth, deep_probe_fn *probe, void *ctx)
{
	bool more = true;
	int err = deep_check_has(check, check->known.end) ? 0 : probe(ctx, check->known.end);

	if (err)
		return err == -ENOMEM || err == -EINTR ? err : 0;
	err = add_armed(check, check->known.end);
	/* A probe that one fork needs may stand in the record that another one is in. */
	while (!err && more) {
		more = false;
		for (size_t i = check->fork_count; !err && i-- > 0;) {
			struct deep_fork *fork = &check->forks[i];

			if (fork->tried || is_in_view(check, fork, depth))
				continue;
			err = arm_fork(check, text, max, probe, ctx, fork);
			more = true;
		}
	}
	return err;
}

/* Would the run have been seen to take the other way? */
static bool is_told(const struct deep_check *check, const struct deep_fork *fork)
{
	if (!fork->other)
		return fork->next_at;
	if (!fork->other_at)
		return false;
	return !has(check->addrs, check->addr_count, fork->other_at) ||
	       (fork->next_at && fork->next_at != fork->other_at);
}

/* The newest step before number @step that has a probe; SIZE_MAX: none has. */
static size_t step_before(const struct deep_check *check, size_t step)
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
 * The fork where the two branches at @newest of a record, the newest two, are those of an aside
 * that does nothing, behind which the path's branch number @at follows; NULL: none is.
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

/* struct match - branches that are the same; one aside is two more of a record */
struct match {
	size_t path;
	size_t record;
};

/*
 * How many branches of the record of a hit behind branch @at the path has: up to where a kprobe was
 * hit, whose own branches are in the record. False if the run was not on the path.
 * @aside: deep_check_compare()'s
 */
static bool match_record(const struct deep_check *check, const struct deep_record *record,
			 size_t at, bool *aside, struct match *ret)
{
	const struct deep_known *known = &check->known;
	size_t i = 0, k = 0;

	for (; k < record->count && i <= at; i++, k++) {
		const struct why_branch *has_it = &record->branches[record->count - 1 - k];
		const struct why_branch *way = &known->branches[at - i];
		const struct deep_fork *quiet;

		if (has_it->from == way->from && has_it->to == way->to)
			continue;
		quiet = k + 1 < record->count ? find_quiet(check, has_it, at - i) : NULL;
		if (quiet) {
			aside[known->count - 1 - quiet->branch] = true;
			/* The next one is compared with the branch before the fork. */
			i = at - quiet->branch;
			k++;
			continue;
		}
		/* A kprobe that was made a jump goes to code of its own. */
		if (deep_check_has(check, has_it->from) && is_generated(check, has_it->to))
			break;
		/* One branch more, or another one instead. */
		if (deep_runs_through(known, (long)(at - i), has_it->from) ||
		    (at > i && deep_runs_through(known, (long)(at - i) - 1, has_it->from)))
			return false;
		break;
	}
	*ret = (struct match){.path = i, .record = k};
	return true;
}

/* The oldest step behind branch @at. */
static size_t first_step(const struct deep_check *check, size_t at)
{
	size_t low = 0, high = check->step_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (check->steps[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where the handler before the branches that the path has went on; 0: not known. */
static uint64_t landed_at(const struct deep_check *check, const struct deep_record *record,
			  const struct match *matched)
{
	if (matched->record < record->count) {
		const struct why_branch *before =
			&record->branches[record->count - 1 - matched->record];

		return is_generated(check, before->from) ? before->to : 0;
	}
	return record->end == DEEP_END_RESUMED ? record->resumed : 0;
}

/*
 * Are the @matched branches of a record all that followed the hit at @before? A kprobe on a branch
 * does in its place what it would have done: that branch is in no record.
 */
static bool follows(const struct deep_check *check, const struct deep_record *record,
		    const struct match *matched, size_t at, size_t before)
{
	const struct deep_step *step = &check->steps[before];
	const struct why_branch *next = &check->known.branches[step->at + 1];
	uint64_t landed = landed_at(check, record, matched);

	if (step->at + matched->path > at)
		return true;
	if (step->at + matched->path == at)
		return landed >= step->addr && landed - step->addr < HANDLED_BYTES;
	return step->at + matched->path + 1 == at && next->from == step->addr && next->to == landed;
}

/*
 * From which step on the record of the hit at @step tells the way to it: from the source of the
 * oldest branch of @matched that the path has; or from @before, where a probe was hit before.
 */
static size_t told_from(const struct deep_check *check, const struct deep_record *record,
			const struct match *matched, size_t step, size_t before)
{
	size_t at = check->steps[step].at;

	if (before != SIZE_MAX && follows(check, record, matched, at, before))
		return before;
	if (matched->path > at)
		return 0;
	/* The step before the first one of the oldest branch's block is its source. */
	return matched->path ? first_step(check, at - matched->path + 1) - 1 : step;
}

/*
 * Of all forks; those that records tell are @told. Where a record was to tell, and does not, the
 * run may have gone another way. Return: the oldest branch from which on that is not so.
 */
static size_t find_blind(const struct deep_check *check, const bool *told, bool *ret_blind)
{
	size_t first = 0;

	memset(ret_blind, false, check->known.count * sizeof(*ret_blind));
	for (size_t i = 0; i < check->fork_count; i++) {
		const struct deep_fork *fork = &check->forks[i];

		if (told[fork->step] || is_told(check, fork))
			continue;
		/* Behind the newest branch: no other run's record tells how this one came there. */
		if (fork->branch == check->known.count)
			first = check->known.count;
		else if (fork->tried)
			ret_blind[check->known.count - 1 - fork->branch] = true;
		else if (fork->branch >= first)
			first = fork->branch + 1;
	}
	return first;
}

/**
 * struct followed - how far the hits are those of the path, from the error backwards
 * @left: so many of the run's hits are older
 * @step: that was hit last; SIZE_MAX: none was
 * @before: that has to be hit before it; SIZE_MAX: none
 * @first: the oldest branch before it that its record has, or the next one
 * @told: of the steps, those at which a record tells how the run went on
 * @aside: deep_check_compare()'s
 */
struct followed {
	size_t left;
	size_t step;
	size_t before;
	size_t first;
	bool *told;
	bool *aside;
};

/* The oldest branch of the path that a run can have which went aside at @fork. */
static size_t first_behind(const struct deep_check *check, const struct deep_fork *fork)
{
	return check->steps[fork->back].at < fork->branch ? fork->branch : fork->branch + 1;
}

/* The newest fork before number @limit where the run can have gone aside to @addr; @limit: none. */
static size_t find_aside(const struct deep_check *check, const struct followed *at, size_t limit,
			 uint64_t addr)
{
	for (size_t i = limit; i-- > 0;) {
		const struct deep_fork *fork = &check->forks[i];

		if (at->before != SIZE_MAX && fork->step < at->before)
			break;
		/* Not where the record has a branch that the path has instead. */
		if (fork->back && fork->back <= at->step &&
		    first_behind(check, fork) <= at->first && fork->other_at == addr &&
		    !has(check->addrs, check->addr_count, addr))
			return i;
	}
	return limit;
}

/*
 * Leaves out hits of a run that went aside and came back: from the one where it left the path all
 * are deeper on the stack. There may be one aside for each fork.
 */
static void skip_asides(const struct deep_check *check, const struct deep_hit *hits,
			struct followed *at)
{
	size_t limit = check->fork_count;
	uint64_t highest = 0;

	for (size_t i = at->left; i-- > 0;) {
		uint64_t sp = hits[i].regs[PTREG_SP];
		size_t fork = sp >= highest + ASIDE_DEEPER
				      ? find_aside(check, at, limit, hits[i].ip)
				      : limit;

		if (sp > highest)
			highest = sp;
		if (fork == limit)
			continue;
		log_verbose("before branch %zu the run let others run", check->forks[fork].branch);
		at->aside[check->known.count - 1 - check->forks[fork].branch] = true;
		at->left = i;
		limit = fork;
		highest = 0;
	}
}

/* Is the next older hit the path's? Then it has been taken. */
static bool follow_hit(const struct deep_check *check, const struct deep_hit *hits,
		       struct followed *at)
{
	const struct deep_hit *hit = &hits[at->left - 1];
	size_t step = at->before;
	struct match matched;

	if (step == SIZE_MAX)
		return false;
	if (hit->ip != check->steps[step].addr) {
		log_verbose("behind branch %zu 0x%llx was hit instead of 0x%llx",
			    check->steps[step].at, (unsigned long long)hit->ip,
			    (unsigned long long)check->steps[step].addr);
		return false;
	}
	if (!match_record(check, &hit->record, check->steps[step].at, at->aside, &matched))
		return false;
	at->left--;
	at->step = step;
	at->before = step_before(check, step);
	at->first = check->steps[step].at + 1 - matched.path;
	/* The hit before is looked at next: if it is not the path's, nothing older counts. */
	if (hit->record.count)
		for (size_t i = told_from(check, &hit->record, &matched, step, at->before);
		     i < step; i++)
			at->told[i] = true;
	return true;
}

static bool is_next(const struct deep_check *check, const struct deep_hit *hits,
		    const struct followed *at)
{
	return at->before != SIZE_MAX && hits[at->left - 1].ip == check->steps[at->before].addr;
}

static void follow(const struct deep_check *check, const struct deep_hit *hits, struct followed *at)
{
	while (at->left && follow_hit(check, hits, at))
		if (at->left && !is_next(check, hits, at))
			skip_asides(check, hits, at);
}

int deep_check_compare(const struct deep_check *check, const struct deep_hit *hits, size_t count,
		       bool entry, size_t *ret_first, bool *ret_blind, bool *ret_aside)
{
	_cleanup_free_ bool *told = calloc(check->step_count + 1, sizeof(*told));
	const struct deep_hit *hit = deep_newest_hit(hits, count, check->known.end);
	struct followed at = {.step = SIZE_MAX, .told = told, .aside = ret_aside};
	size_t sure;
	bool all;

	if (!told)
		return -ENOMEM;
	memset(ret_aside, false, check->known.count * sizeof(*ret_aside));
	at.left = hit ? (size_t)(hit - hits) + 1 : 0;
	at.before = step_before(check, check->step_count);
	follow(check, hits, &at);
	all = !at.left && at.before == SIZE_MAX;
	sure = find_blind(check, told, ret_blind);
	*ret_first = check->known.count;
	if (at.step == SIZE_MAX)
		return 0;
	/* Before the oldest probe nothing else was hit in the call: a departure would have been. */
	*ret_first = entry && all ? 0 : at.first;
	if (*ret_first < sure) {
		*ret_first = sure;
		return 0;
	}
	return entry ? all : at.before == SIZE_MAX;
}

void deep_check_clear(struct deep_check *check)
{
	free(check->steps);
	free(check->addrs);
	free(check->forks);
	free(check->returns);
	free(check->armed);
	*check = (struct deep_check){};
}
