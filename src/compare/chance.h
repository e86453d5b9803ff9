/* SPDX-License-Identifier: GPL-2.0 */
/* chance.h - how likely it is that what tells calls apart does so by accident */
#ifndef LBRSNOOP_COMPARE_CHANCE_H
#define LBRSNOOP_COMPARE_CHANCE_H

#include <stdint.h>

/* What chance does more often is no finding. */
#define CHANCE_MOST 0.02

/**
 * chance_of_branch() - a branch that goes either way by halves tells calls apart, either way round
 * @calls: of both kinds; @exceptions of them go the other kind's way, at most
 * Return: probability: of a binomial distribution, both tails.
 */
double chance_of_branch(uint64_t calls, uint64_t exceptions);

/**
 * chance_of_order() - of values that have nothing to do with it all of one kind of calls are less
 * than all of the other, either way round Return: probability: two of (@failing + @passing over
 * @failing) orders.
 */
double chance_of_order(uint64_t failing, uint64_t passing);

#endif
