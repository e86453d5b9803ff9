/* SPDX-License-Identifier: GPL-2.0 */
/* budget.h - how many snapshots a service may ask the kernel for, so that it costs no more than it
 * may */
#ifndef LBRSNOOP_WATCH_BUDGET_H
#define LBRSNOOP_WATCH_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct watch_budget - {.share, .per_s} to begin with
 * @share: of one CPU that our process may use, 0.01 for 1 %; 0: no limit
 * @per_s: snapshots a second; 0: no limit
 * @last_ns, @last_cpu_ns, @last_taken: as of the last watch_budget_grant()
 * @credit_ns: CPU time that may be used now; below 0: it was too much
 * @cost_ns: of one snapshot, as measured
 * @tokens: snapshots that @per_s allows now, in thousandths
 */
struct watch_budget {
	double share;
	uint64_t per_s;
	uint64_t last_ns;
	uint64_t last_cpu_ns;
	uint64_t last_taken;
	int64_t credit_ns;
	int64_t cost_ns;
	int64_t tokens;
};

/* Assumed at first: a path that is not known yet is rebuilt. */
#define WATCH_COST_NS 100000

/* What was used too much is made up for, but for no longer than this. */
#define WATCH_DEBT_SECONDS 60

/** watch_budget_begin() - what was used until now does not count */
void watch_budget_begin(struct watch_budget *budget, uint64_t now_ns, uint64_t cpu_ns,
			uint64_t taken);

/**
 * watch_budget_grant() - how many snapshots may come until the next call
 * @now_ns: CLOCK_MONOTONIC
 * @cpu_ns: CPU time of our process so far
 * @taken: snapshots so far
 * Return: INT64_MAX if there is no limit.
 */
int64_t watch_budget_grant(struct watch_budget *budget, uint64_t now_ns, uint64_t cpu_ns,
			   uint64_t taken);

/**
 * struct watch_arming - what arming for a unit that is started again and again has taken; {} to
 * begin with
 * @debt_ns: CPU time that is not made up for, as of @at_ns
 */
struct watch_arming {
	uint64_t debt_ns;
	uint64_t at_ns;
};

/**
 * watch_arming_add() - it was armed once more
 * @share: of struct watch_budget: as much again is for arming
 * @now_ns: CLOCK_MONOTONIC
 * @cpu_ns: CPU time that it took
 */
void watch_arming_add(struct watch_arming *arming, double share, uint64_t now_ns, uint64_t cpu_ns);

/** watch_arming_allowed() - true if what it took before is less than a minute of the share */
bool watch_arming_allowed(const struct watch_arming *arming, double share, uint64_t now_ns);

#endif
