// SPDX-License-Identifier: GPL-2.0
#include "cfg/control_edges.h"

#include <errno.h>

#include "cfg/errno_must_return.h"
#include "cfg/kept.h"
#include "cfg/rejoin.h"
#include "cfg/walk.h"
#include "disasm/insn.h"

/* Instructions between a branch and the errno. */
#define STEPS_MAX   512
#define PENDING_MAX 64

/**
 * struct search - edges found so far
 * @pending: addresses that ways are still followed from
 * @visited: where they were, @steps of them
 */
struct search {
	const struct code *code;
	const struct insn *site;
	struct control_edge *edges;
	size_t count;
	size_t max;
	uint64_t pending[PENDING_MAX];
	size_t pending_count;
	uint64_t visited[STEPS_MAX];
	size_t steps;
};

static int follow_later(struct search *search, uint64_t addr)
{
	if (search->pending_count == PENDING_MAX)
		return -E2BIG;
	search->pending[search->pending_count++] = addr;
	return 0;
}

/* False: ways from there were followed before. */
static bool visit(struct search *search, uint64_t addr, int *ret_err)
{
	*ret_err = 0;
	for (size_t i = 0; i < search->steps; i++)
		if (search->visited[i] == addr)
			return false;
	if (search->steps == STEPS_MAX) {
		*ret_err = -E2BIG;
		return false;
	}
	search->visited[search->steps++] = addr;
	return true;
}

static int add_edge(struct search *search, uint64_t addr, bool taken)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->edges[i].addr == addr && search->edges[i].taken == taken)
			return 0;
	if (search->count == search->max)
		return -E2BIG;
	search->edges[search->count++] = (struct control_edge){.addr = addr, .taken = taken};
	return 0;
}

/* The other side of this one has been found before: it is taken out. */
static bool drop_other_side(struct search *search, uint64_t addr, bool taken)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->edges[i].addr == addr && search->edges[i].taken != taken) {
			search->edges[i] = search->edges[--search->count];
			return true;
		}
	return false;
}

/* Straight on from @addr, without a branch, to an instruction that loads the same errno. */
static const struct insn *same_errno_from(const struct code *code, uint64_t addr, uint16_t err)
{
	for (int step = 0; step < REJOIN_STEPS_MAX; step++) {
		const struct insn *in = code_find(code, addr);

		if (!in || (in->class != INSN_JMP && in->class != INSN_OTHER))
			return NULL;
		if (in->err == err && insn_loads_errno(in))
			return in;
		addr = in->class == INSN_JMP ? in->target : in->addr + in->len;
	}
	return NULL;
}

/*
 * The errno that was loaded straight above @branch, where nothing else leads: it is in the register
 * of @site still. NULL: there is none.
 */
static const struct insn *same_errno_above(const struct code *code, const struct insn *site,
					   const struct insn *branch)
{
	const struct insn *in = branch;

	for (int step = 0; step < REJOIN_STEPS_MAX; step++) {
		if (code_jump_to(code, in->addr, NULL))
			return NULL;
		in = code_above(code, in->addr);
		if (!in || in->class == INSN_COND)
			return NULL;
		if (in->err == site->err && insn_loads_errno(in) && in->err_reg == site->err_reg)
			return in;
		if (kept_effect(code, in, site->err_reg) != KEPT_AS_IS)
			return NULL;
	}
	return NULL;
}

/* The other side fails with an errno that was loaded before @branch, and @site loads again. */
static bool holds_alike(const struct code *code, const struct insn *site, const struct insn *branch,
			bool taken)
{
	const struct insn *above = same_errno_above(code, site, branch);
	struct kept_branch kept;

	return above && kept_branches_alike(code, above, &kept, 1) == 1 &&
	       kept.addr == branch->addr && kept.taken != taken &&
	       kept_branches(code, above, &kept, 1) == 0;
}

bool control_edge_fails_alike(const struct code *code, const struct insn *site,
			      const struct insn *branch, bool taken)
{
	const struct insn *other =
		site->err
			? same_errno_from(code, taken ? branch->addr + branch->len : branch->target,
					  site->err)
			: NULL;

	if (other &&
	    errno_must_return_from(code, other->addr + other->len, other->err_reg, other->err))
		return true;
	return insn_loads_errno(site) && holds_alike(code, site, branch, taken);
}

static int come_from(struct search *search, const struct insn *in, bool taken)
{
	if (in->class == INSN_COND && !drop_other_side(search, in->addr, taken) &&
	    !control_edge_fails_alike(search->code, search->site, in, taken))
		return add_edge(search, in->addr, taken);
	return follow_later(search, in->addr);
}

static int before(struct search *search, uint64_t addr)
{
	const struct insn *above = code_above(search->code, addr), *in = NULL;
	bool any = above;
	int err;

	/* It may have been a fault: no branch decided, then. */
	if (code_is_fixup(search->code, addr))
		return -ENOENT;
	err = above ? come_from(search, above, false) : 0;
	while (!err && (in = code_jump_to(search->code, addr, in))) {
		err = come_from(search, in, true);
		any = true;
	}
	return any ? err : -ENOENT;
}

int control_edges_before(const struct code *code, const struct insn *site, struct control_edge *ret,
			 size_t max)
{
	struct search search = {.code = code, .site = site, .edges = ret, .max = max};
	int err = follow_later(&search, site->addr);

	while (!err && search.pending_count) {
		uint64_t addr = search.pending[--search.pending_count];

		if (visit(&search, addr, &err))
			err = before(&search, addr);
	}
	return err ?: (int)search.count;
}

static bool must_return(const struct search *search, uint64_t addr)
{
	return errno_must_return_from(search->code, addr, search->site->err_reg, search->site->err);
}

/* A branch behind the errno: an edge, or ways to be followed. */
static int branch_behind(struct search *search, const struct insn *in)
{
	uint64_t sides[2] = {in->addr + in->len, in->target};
	int known = kept_way(search->code, in, search->site->err_reg, search->site->err), err = 0;

	for (int taken = 0; !err && taken < 2; taken++) {
		if ((known >= 0 && known != taken) || kept_ends(search->code, sides[taken]))
			continue;
		err = must_return(search, sides[taken]) ? add_edge(search, in->addr, taken)
							: follow_later(search, sides[taken]);
	}
	return err;
}

/* On from @addr to the next branch. -ENOENT: the value goes where it is not followed. */
static int behind(struct search *search, uint64_t addr)
{
	for (int err = 0; visit(search, addr, &err);) {
		const struct insn *in = code_find(search->code, addr);

		if (!in)
			return -ENOENT;
		if (in->class == INSN_COND)
			return branch_behind(search, in);
		if (in->class == INSN_JMP) {
			addr = in->target;
			continue;
		}
		/* Where it is lost, nothing is decided for it. */
		if (code_never_returns(search->code, in) ||
		    kept_effect(search->code, in, search->site->err_reg) == KEPT_WRITTEN)
			return 0;
		if (!insn_goes_on(in->class) ||
		    kept_effect(search->code, in, search->site->err_reg) == KEPT_READ)
			return -ENOENT;
		addr = in->addr + in->len;
	}
	return search->steps == STEPS_MAX ? -E2BIG : 0;
}

int control_edges_behind(const struct code *code, const struct insn *site, struct control_edge *ret,
			 size_t max)
{
	struct search search = {.code = code, .site = site, .edges = ret, .max = max};
	int err;

	if (!insn_loads_errno(site))
		return -ENOENT;
	if (must_return(&search, site->addr + site->len))
		return 0;
	err = follow_later(&search, site->addr + site->len);
	while (!err && search.pending_count)
		err = behind(&search, search.pending[--search.pending_count]);
	return err ?: (search.count ? (int)search.count : -ENOENT);
}
