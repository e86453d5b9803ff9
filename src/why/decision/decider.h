/* SPDX-License-Identifier: GPL-2.0 */
/*
 * decider.h - which of several branches led to the place where an error was made
 *
 * Each call that comes to the place has gone through one of the branches that it is control
 * dependent on. Watched as the place itself is, the one executed last is known, and by the flags
 * which way it went.
 */
#ifndef LBRSNOOP_WHY_DECISION_DECIDER_H
#define LBRSNOOP_WHY_DECISION_DECIDER_H

#include "why/answer.h"
#include "why/run/probes.h"

/**
 * decider_sites() - the place of @answer, and the branches to be watched with it
 * @ret: none if one branch is certain, or not all of them are known
 * Return: 0 or -ENOMEM.
 */
int decider_sites(const struct probes *probes, const struct answer *answer, struct sites *ret);

/**
 * decider_choose() - the branch that decided in @failure, while decider_sites() were watched
 * Sets @answer->decider, and the hit of the place in the same call, but keeps one that has the
 * branches before it; nothing if what was seen is not that of one branch. Return: 0 or -ENOMEM.
 */
int decider_choose(const struct probes *probes, const struct failure *failure,
		   struct answer *answer);

#endif
