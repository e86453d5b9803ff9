/* SPDX-License-Identifier: GPL-2.0 */
/* chance.h - how likely it is that what tells calls apart does so by accident */
#ifndef LBRSNOOP_COMPARE_CHANCE_H
#define LBRSNOOP_COMPARE_CHANCE_H

#include <stdint.h>

/* What chance does more often is no finding. */
#define CHANCE_MOST 0.02

/**
 * chance_of_table() - what is true of so many calls is true of as many failing ones, by accident
 * Whichever share of calls it is true of: Fisher's exact test, one tail.
 * @failing_true: of @failing calls, @passing_true of @passing ones
 * Return: probability: of a hypergeometric distribution, that it is true of @failing_true or more.
 */
double chance_of_table(uint64_t failing_true, uint64_t failing, uint64_t passing_true,
		       uint64_t passing);

/**
 * chance_of_order() - of values that have nothing to do with it all of one kind of calls are less
 * than all of the other, either way round Return: probability: two of (@failing + @passing over
 * @failing) orders.
 */
double chance_of_order(uint64_t failing, uint64_t passing);

#endif
