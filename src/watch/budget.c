// SPDX-License-Identifier: GPL-2.0
#include "watch/budget.h"

#define SECOND_NS 1000000000
#define MILLI	  1000

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

void watch_budget_begin(struct watch_budget *budget, uint64_t now_ns, uint64_t cpu_ns,
			uint64_t taken)
{
	budget->last_ns = now_ns;
	budget->last_cpu_ns = cpu_ns;
	budget->last_taken = taken;
	budget->credit_ns = (int64_t)(budget->share * SECOND_NS);
	budget->tokens = (int64_t)budget->per_s * MILLI;
	budget->cost_ns = budget->cost_ns ?: WATCH_COST_NS;
}

/* The price follows slowly: that of a path seen for the first time is many times higher. */
static void learn_cost(struct watch_budget *budget, int64_t used_ns, uint64_t count)
{
	if (count)
		budget->cost_ns = clamp((3 * budget->cost_ns + used_ns / (int64_t)count) / 4, 1000,
					SECOND_NS);
}

int64_t watch_budget_grant(struct watch_budget *budget, uint64_t now_ns, uint64_t cpu_ns,
			   uint64_t taken)
{
	double passed_ns = (double)(now_ns - budget->last_ns);
	int64_t used_ns = (int64_t)(cpu_ns - budget->last_cpu_ns);
	uint64_t count = taken - budget->last_taken;
	int64_t second_ns = (int64_t)(budget->share * SECOND_NS);
	int64_t grant = INT64_MAX;

	learn_cost(budget, used_ns, count);
	if (budget->share > 0) {
		budget->credit_ns += (int64_t)(budget->share * passed_ns) - used_ns;
		budget->credit_ns =
			clamp(budget->credit_ns, -second_ns * WATCH_DEBT_SECONDS, second_ns);
		/* What is above 0 is enough for one, which may cost more than that. */
		grant = budget->credit_ns > 0 ? 1 + budget->credit_ns / budget->cost_ns : 0;
	}
	if (budget->per_s) {
		double earned = passed_ns / SECOND_NS * (double)budget->per_s * MILLI;

		budget->tokens += (int64_t)earned - (int64_t)count * MILLI;
		budget->tokens = clamp(budget->tokens, -(int64_t)budget->per_s * MILLI,
				       (int64_t)budget->per_s * MILLI);
		if (budget->tokens / MILLI < grant)
			grant = budget->tokens > 0 ? budget->tokens / MILLI : 0;
	}
	budget->last_ns = now_ns;
	budget->last_cpu_ns = cpu_ns;
	budget->last_taken = taken;
	return grant;
}

static uint64_t arming_debt(const struct watch_arming *arming, double share, uint64_t now_ns)
{
	double paid = share * (double)(now_ns - arming->at_ns);

	return paid < (double)arming->debt_ns ? arming->debt_ns - (uint64_t)paid : 0;
}

void watch_arming_add(struct watch_arming *arming, double share, uint64_t now_ns, uint64_t cpu_ns)
{
	arming->debt_ns = arming_debt(arming, share, now_ns) + cpu_ns;
	arming->at_ns = now_ns;
}

bool watch_arming_allowed(const struct watch_arming *arming, double share, uint64_t now_ns)
{
	return !(share > 0) ||
	       (double)arming_debt(arming, share, now_ns) <= share * SECOND_NS * WATCH_DEBT_SECONDS;
}
