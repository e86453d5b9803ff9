// SPDX-License-Identifier: GPL-2.0
#include "why/decision/reasons.h"

#include <errno.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "why/decision/cleanup_test.h"

/* Behind the instruction its register is another one. */
static const struct why_state *state_before(const struct answer *answer, struct why_state *ret)
{
	if (!answer->hit || answer->site.watch != answer->site.addr)
		return NULL;
	*ret = (struct why_state){
		.regs = (const uint64_t *)answer->hit->regs,
		.hit = answer->hit,
		.table = &answer->table,
	};
	return ret;
}

int reasons_one_of(const struct decision_code *where, const struct answer *answer,
		   struct decision *ret, size_t max)
{
	_cleanup_free_ struct decision *all = calloc(REASONS_WAYS_MAX, sizeof(*all));
	struct why_state state;
	int count;

	if (!all)
		return -ENOMEM;
	count = decisions_one_of(where, &answer->site.sym, answer->site.addr,
				 state_before(answer, &state), all, REASONS_WAYS_MAX);
	if (count > 0 && (size_t)count > max)
		return -E2BIG;
	for (int i = 0; i < count; i++)
		ret[i] = all[i];
	return count;
}

/* The branch that was seen to decide, and those before it, of which the text alone tells. */
static int find_seen(const struct decision_code *where, const struct answer *answer,
		     struct decision *ret, size_t max)
{
	const struct site *decider = &answer->decider;
	const struct why_state state = {
		.regs = (const uint64_t *)answer->decider_hit->regs,
		.hit = answer->decider_hit,
		.table = &answer->decider_table,
	};
	int earlier, err;

	if (!max)
		return 0;
	err = decision_at(where, &decider->sym, decider->addr, decider->taken, &state, ret);
	if (err)
		return err;
	earlier = max > 1 ? decisions_find(where, &decider->sym, decider->addr, NULL, &state,
					   ret + 1, max - 1)
			  : 0;
	return earlier > 0 ? 1 + earlier : 1;
}

int reasons_find(const struct decision_code *where, const struct answer *answer,
		 const struct snapshot *snap, struct decision *ret, size_t max)
{
	struct why_state room;
	const struct why_state *state = state_before(answer, &room);
	const struct symbol *func = &answer->site.sym;
	uint64_t addr = answer->site.addr;
	int count = 0;

	if (snap && snap->count)
		count = decisions_find(where, func, addr, snap, state, ret, max);
	if (count < 1 && answer->decider_hit)
		count = find_seen(where, answer, ret, max);
	if (count < 1)
		count = decisions_find(where, func, addr, NULL, state, ret, max);
	if (count > 1)
		cleanup_tests_last(where, func, addr, ret, (size_t)count);
	/* The registers may leave one of several ways. */
	if (count < 1 && max && reasons_one_of(where, answer, ret, 1) == 1)
		count = 1;
	return count;
}

size_t reasons_variables(const struct decision_code *where, const struct answer *answer,
			 struct variable_seen *ret, size_t max)
{
	struct why_state state;

	return variables_find(where, answer->site.sym.module, answer->site.addr,
			      state_before(answer, &state), ret, max);
}
