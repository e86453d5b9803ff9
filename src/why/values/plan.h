/* SPDX-License-Identifier: GPL-2.0 */
/* plan.h - what is to be read in memory where an error is made */
#ifndef LBRSNOOP_WHY_VALUES_PLAN_H
#define LBRSNOOP_WHY_VALUES_PLAN_H

#include "why/decision/decision.h"
#include "why/sites.h"

/**
 * plan_reads() - what the decisions that may have led to a site compared
 * @ret: the reads; none where the site is seen behind its instruction only
 */
void plan_reads(const struct decision_code *where, const struct site *site,
		struct why_read_table *ret);

#endif
