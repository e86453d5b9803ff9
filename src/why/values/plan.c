// SPDX-License-Identifier: GPL-2.0
#include "why/values/plan.h"

#include <stdlib.h>

#include "util/cleanup.h"
#include "why/decision/reasons.h"

/* As many as are shown, or more: those of the function before the site. */
#define DECISIONS_MAX 8

void plan_reads(const struct decision_code *where, const struct site *site,
		struct why_read_table *ret)
{
	const struct why_state state = {.wanted = ret};
	_cleanup_free_ struct decision *all = calloc(REASONS_WAYS_MAX, sizeof(*all));
	struct variable_seen seen[VARIABLES_MAX];

	*ret = (struct why_read_table){};
	if (!all || site->watch != site->addr)
		return;
	if (site->branch) {
		decision_at(where, &site->sym, site->addr, site->taken, &state, all);
		return;
	}
	if (decisions_find(where, &site->sym, site->addr, NULL, &state, all, DECISIONS_MAX) < 1)
		decisions_one_of(where, &site->sym, site->addr, &state, all, REASONS_WAYS_MAX);
	variables_find(where, site->sym.module, site->addr, &state, seen, VARIABLES_MAX);
}
