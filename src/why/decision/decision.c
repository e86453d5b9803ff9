// SPDX-License-Identifier: GPL-2.0
#include "why/decision/decision.h"

#include <errno.h>
#include <stdlib.h>

#include "cfg/control_edges.h"
#include "cfg/kept.h"
#include "cfg/rejoin.h"
#include "disasm/insn.h"
#include "util/cleanup.h"
#include "why/values/backward.h"
#include "why/values/decision_text.h"

#define STEPS_MAX 256
/* Branches between an errno that is loaded early and what becomes of it. */
#define KEPT_MAX 16

static int walk(struct backward *back, uint64_t addr, struct decision *ret)
{
	for (int step = 0; step < STEPS_MAX; step++) {
		bool taken;
		const struct insn *in = backward_only(back->code, addr, &taken);

		if (!in)
			return -ENOENT;
		if (in->class == INSN_COND) {
			*ret = (struct decision){.addr = in->addr, .taken = taken};
			decision_describe(back, in, ret);
			return 0;
		}
		backward_note(back, in);
		addr = in->addr;
	}
	return -ENOENT;
}

/*
 * Executed in a row from @from up to, and without, @end. The last conditional branch of them was
 * not taken. NULL: there is none; *@ret_ok is false if they are no row of instructions.
 */
static const struct insn *last_cond(struct backward *back, uint64_t from, uint64_t end,
				    bool *ret_ok)
{
	const struct insn *found = NULL, *in = code_find(back->code, from);
	uint32_t before = back->written;

	*ret_ok = false;
	while (in && in->addr < end && (insn_goes_on(in->class) || in->addr + in->len == end)) {
		backward_note(back, in);
		if (in->class == INSN_COND) {
			found = in;
			back->written = before;
		}
		in = code_find(back->code, in->addr + in->len);
	}
	*ret_ok = from == end || (in && in->addr == end);
	return found;
}

/* The call that the newest of @count branches returned from: its index, and the call; or -ENOENT.
 */
static int find_call(const struct backward *back, const struct snapshot *snap, uint32_t count,
		     const struct insn **ret_call)
{
	uint64_t behind = snap->branches[count - 1].to;
	const struct insn *call = code_above(back->code, behind);
	int inner = 0;

	if (!call || (call->class != INSN_CALL && call->class != INSN_ICALL))
		return -ENOENT;
	for (uint32_t i = count - 1; i-- > 0;) {
		if (snap->branches[i].to == behind)
			inner++;
		if (snap->branches[i].from == call->addr && !inner--) {
			*ret_call = call;
			return (int)i;
		}
	}
	return -ENOENT;
}

/** struct row - what ran up to @end: of the branches the first @count led there */
struct row {
	const struct snapshot *snap;
	uint32_t count;
	uint64_t end;
};

/* Before the row's first instruction: 0, and @row ends there, -ENOENT. @ret_cond: if it is one */
static int row_before(struct backward *back, struct row *row, const struct insn **ret_cond)
{
	const struct branch *branch = &row->snap->branches[row->count - 1];
	const struct insn *in = code_find(back->code, branch->from);
	int call = in ? -ENOENT : find_call(back, row->snap, row->count, &in);

	*ret_cond = NULL;
	if (call >= 0) {
		backward_note(back, in);
		row->count = (uint32_t)call;
	} else if (in && (in->class == INSN_COND || in->class == INSN_JMP)) {
		row->count--;
		*ret_cond = in->class == INSN_COND ? in : NULL;
	} else {
		return -ENOENT;
	}
	row->end = in->addr;
	return 0;
}

static int walk_branches(struct backward *back, struct row *row, struct decision *ret)
{
	while (row->count) {
		const struct branch *branch = &row->snap->branches[row->count - 1];
		const struct insn *cond;
		bool ok, taken;

		cond = last_cond(back, branch->to, row->end, &ok);
		if (!ok)
			return -ENOENT;
		taken = !cond;
		if (cond)
			row->end = cond->addr;
		else if (row_before(back, row, &cond))
			return -ENOENT;
		if (!cond)
			continue;
		*ret = (struct decision){.addr = cond->addr, .taken = taken};
		branch = row->count ? &row->snap->branches[row->count - 1] : NULL;
		back->from = branch ? branch->to : 0;
		back->entered = branch ? branch->from : 0;
		back->until = cond->addr;
		decision_describe(back, cond, ret);
		return 0;
	}
	return -ENOENT;
}

/*
 * The branches are used up: they begin in a function that was called, or at the last decision. The
 * text may still tell what was before: where to go on, or 0.
 */
static uint64_t text_before(struct backward *back, const struct row *row)
{
	const struct branch *branch = row->count ? &row->snap->branches[row->count - 1] : NULL;
	const struct insn *call = branch ? code_above(back->code, branch->to) : NULL;
	bool ok;

	back->from = back->until = back->entered = 0;
	if (!branch)
		return row->end;
	if (!call || (call->class != INSN_CALL && call->class != INSN_ICALL) ||
	    code_find(back->code, branch->from))
		return 0;
	return !last_cond(back, branch->to, row->end, &ok) && ok ? branch->to : 0;
}

/* Registers that are written from the site on, which the values are of, up to the branch. */
static uint32_t written_since(struct backward *back, const struct kept_branch *kept, size_t count,
			      uint64_t site)
{
	uint64_t from = site;

	back->written = 0;
	for (size_t i = 0; i <= count; i++) {
		const struct insn *in = code_find(back->code, from);

		while (in && in->addr < kept[i].addr) {
			backward_note(back, in);
			in = in->class == INSN_JMP ? code_find(back->code, in->target)
						   : code_find(back->code, in->addr + in->len);
		}
		in = code_find(back->code, kept[i].addr);
		from = in && kept[i].taken ? in->target : kept[i].addr + (in ? in->len : 0);
	}
	return back->written;
}

/* What was decided behind an instruction that loads its errno in case, the newest first. */
static int decided_after(struct backward *back, uint64_t addr, bool alike, struct decision *ret,
			 size_t max)
{
	const struct insn *site = code_find(back->code, addr);
	struct kept_branch kept[KEPT_MAX];
	int count = !site   ? 0
		    : alike ? kept_branches_alike(back->code, site, kept, KEPT_MAX)
			    : kept_branches(back->code, site, kept, KEPT_MAX);
	size_t done = 0;

	for (int i = count; i-- > 0 && done < max; done++) {
		ret[done] = (struct decision){
			.addr = kept[i].addr, .taken = kept[i].taken, .behind = true};
		back->from = kept[i].row;
		back->entered = 0;
		back->until = kept[i].addr;
		back->written = written_since(back, kept, (size_t)i, addr);
		decision_describe(back, code_find(back->code, kept[i].addr), &ret[done]);
	}
	back->from = back->until = 0;
	back->written = 0;
	return count < 0 ? count : (int)done;
}

/* The other side comes to the same instruction: "if (extack) extack->msg = ...; return -EINVAL" */
static bool decides_nothing(const struct code *code, const struct decision *decision, uint64_t site)
{
	const struct insn *in = code_find(code, decision->addr), *at = code_find(code, site);

	return in &&
	       (rejoin_all_ways(code, decision->taken ? in->addr + in->len : in->target, site) ||
		(at && control_edge_fails_alike(code, at, in, decision->taken)));
}

/* Straight on from the function's entry to @addr: nothing was decided before. */
static bool is_first(const struct backward *back, uint64_t addr)
{
	for (int step = 0; step < STEPS_MAX; step++) {
		bool taken;
		const struct insn *in = backward_only(back->code, addr, &taken);

		if (!in)
			return addr == back->code->parts[0].addr &&
			       !code_jump_to(back->code, addr, NULL);
		if (in->class == INSN_COND)
			return false;
		addr = in->addr;
	}
	return false;
}

int decisions_find(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		   const struct snapshot *snap, const struct why_state *state, struct decision *ret,
		   size_t max)
{
	struct row row = {.snap = snap, .count = snap ? snap->count : 0, .end = addr};
	struct backward back = {.where = where, .state = state};
	int err = code_load_symbol(where->text, where->symbols, func, &back.code);
	const uint64_t site = addr;
	int count = err ? 0 : decided_after(&back, addr, false, ret, max);

	if (err)
		return err;
	err = count < 0 ? count : 0;
	while (!err && (size_t)count < max) {
		err = snap ? walk_branches(&back, &row, &ret[count])
			   : walk(&back, addr, &ret[count]);
		if (err == -ENOENT && snap && count) {
			addr = text_before(&back, &row);
			snap = NULL;
			err = addr ? 0 : -ENOENT;
			continue;
		}
		if (err)
			break;
		addr = ret[count].addr;
		count += !decides_nothing(back.code, &ret[count], site);
	}
	if (!count && max && is_first(&back, addr))
		count = decided_after(&back, site, true, ret, max);
	code_free(back.code);
	return count > 0 ? count : err;
}

/* What is written from @addr on, straight on up to @end; all of it where that is not the way. */
static uint32_t written_from(struct backward *back, uint64_t addr, uint64_t end)
{
	back->written = 0;
	for (int step = 0; step < STEPS_MAX && addr != end; step++) {
		const struct insn *in = code_find(back->code, addr);

		if (!in || in->class == INSN_COND)
			break;
		backward_note(back, in);
		addr = in->class == INSN_JMP ? in->target : in->addr + in->len;
		if (addr == end)
			return back->written;
	}
	return addr == end ? back->written : UINT32_MAX;
}

/* Those that are doubtful come last. */
static int by_branch(const void *a, const void *b)
{
	const struct decision *x = a, *y = b;

	if (x->doubtful != y->doubtful)
		return x->doubtful ? 1 : -1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/*
 * What another CPU may have changed excludes a way only where the values agree with another one:
 * the change would have to fall between the test and the error, and make a way that was not taken
 * agree.
 */
static int without_excluded(struct decision *all, size_t count)
{
	bool agrees = false;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		agrees |= all[i].agrees;
	for (size_t i = 0; i < count; i++)
		if (!all[i].excluded && !(agrees && all[i].shared))
			all[kept++] = all[i];
	qsort(all, kept, sizeof(*all), by_branch);
	/* All of them: then something is not as it seems. */
	return kept ? (int)kept : -ENOENT;
}

/* One way leads there, and decisions_find() tells of it. */
static bool is_one_way(struct backward *back, uint64_t addr)
{
	for (int step = 0; step < STEPS_MAX; step++) {
		bool taken;
		const struct insn *in = backward_only(back->code, addr, &taken);

		if (!in || in->class == INSN_COND)
			return in;
		addr = in->addr;
	}
	return false;
}

/* The edges behind the errno, or before it; those behind it are read back from it. */
static int find_edges(struct backward *back, const struct insn *site, struct control_edge *edges,
		      size_t max, bool *ret_behind)
{
	struct kept_branch kept;
	int count;

	*ret_behind = kept_branches(back->code, site, &kept, 1) != 0;
	count = *ret_behind ? control_edges_behind(back->code, site, edges, max)
			    : control_edges_before(back->code, site, edges, max);
	if (!count || (count == 1 && !*ret_behind && is_one_way(back, site->addr)))
		return -ENOENT;
	return count;
}

/* @behind: it comes after the instruction at @site */
static void describe_edge(struct backward *back, const struct control_edge *edge, uint64_t site,
			  bool behind, struct decision *ret)
{
	const struct insn *in = code_find(back->code, edge->addr);

	back->written =
		behind ? written_from(back, site, in->addr)
		       : written_from(back, edge->taken ? in->target : in->addr + in->len, site);
	*ret = (struct decision){.addr = in->addr, .taken = edge->taken, .behind = behind};
	decision_describe(back, in, ret);
}

int decisions_one_of(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		     const struct why_state *state, struct decision *ret, size_t max)
{
	struct backward back = {.where = where, .state = state, .several = true};
	int err = code_load_symbol(where->text, where->symbols, func, &back.code), count;
	_cleanup_free_ struct control_edge *edges = calloc(max + 1, sizeof(*edges));
	const struct insn *site;
	bool behind;

	if (err || !edges) {
		if (!err)
			code_free(back.code);
		return err ?: -ENOMEM;
	}
	site = code_find(back.code, addr);
	count = site ? find_edges(&back, site, edges, max, &behind) : -ENOENT;
	for (int i = 0; i < count; i++)
		describe_edge(&back, &edges[i], addr, behind, &ret[i]);
	count = count < 1 ? count : without_excluded(ret, (size_t)count);
	/* The only one that is left is the one that was taken. */
	back.several = false;
	if (count == 1)
		describe_edge(&back,
			      &(struct control_edge){.addr = ret[0].addr, .taken = ret[0].taken},
			      addr, behind, &ret[0]);
	code_free(back.code);
	return count;
}

int decision_at(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		bool taken, const struct why_state *state, struct decision *ret)
{
	struct backward back = {.where = where, .state = state};
	int err = code_load_symbol(where->text, where->symbols, func, &back.code);
	const struct insn *in = err ? NULL : code_find(back.code, addr);

	if (err)
		return err;
	if (in) {
		*ret = (struct decision){.addr = addr, .taken = taken};
		decision_describe(&back, in, ret);
	}
	code_free(back.code);
	return in ? 0 : -ENOENT;
}
