/* SPDX-License-Identifier: GPL-2.0 */
/* reasons.h - the branches that decided for the place that an answer names */
#ifndef LBRSNOOP_WHY_DECISION_REASONS_H
#define LBRSNOOP_WHY_DECISION_REASONS_H

#include <stddef.h>

#include "snapshot/snapshot.h"
#include "why/answer.h"
#include "why/decision/decision.h"
#include "why/values/variables.h"

/**
 * reasons_find() - the branch that decided, and those before it in the same function, newest first
 * By the branches where there are some, or else by the text alone; with the values of the hit.
 * Tests of the clean-up that the text has last come behind the one that decided: cleanup_test.h.
 * That needs room for both.
 * @snap: of the hit, or NULL
 * Return: how many, at most @max; below 1 if there is no telling.
 */
int reasons_find(const struct decision_code *where, const struct answer *answer,
		 const struct snapshot *snap, struct decision *ret, size_t max);

/* Ways that lead to one place, of which values leave some. */
#define REASONS_WAYS_MAX 64

/**
 * reasons_one_of() - where they tell nothing: of each way the one that decided; decisions_one_of()
 * Return: as that; -E2BIG if the values leave more than @max of REASONS_WAYS_MAX.
 */
int reasons_one_of(const struct decision_code *where, const struct answer *answer,
		   struct decision *ret, size_t max);

/** reasons_variables() - what variables held there; variables_find() */
size_t reasons_variables(const struct decision_code *where, const struct answer *answer,
			 struct variable_seen *ret, size_t max);

#endif
