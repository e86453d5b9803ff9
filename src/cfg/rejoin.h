/* SPDX-License-Identifier: GPL-2.0 */
/* rejoin.h - where the two sides of a branch meet again */
#ifndef LBRSNOOP_CFG_REJOIN_H
#define LBRSNOOP_CFG_REJOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cfg/code.h"

/* Instructions until they do: what meets further on is not looked for. */
#define REJOIN_STEPS_MAX 48

/**
 * rejoin_all_ways() - do all ways from @from come to @to?
 * Calls are passed over. False, too, where that is further than REJOIN_STEPS_MAX, or there is a
 * loop.
 */
bool rejoin_all_ways(const struct code *code, uint64_t from, uint64_t to);

#endif
