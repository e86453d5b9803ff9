/* SPDX-License-Identifier: GPL-2.0 */
/* dominators.h - what a function has executed whenever it comes to an instruction */
#ifndef LBRSNOOP_CFG_DOMINATORS_H
#define LBRSNOOP_CFG_DOMINATORS_H

#include <stddef.h>
#include <stdint.h>

#include "cfg/code.h"

/**
 * struct dominator - the first instruction of a basic block
 * @branches: that are taken from it to the instruction, at least
 */
struct dominator {
	uint64_t addr;
	unsigned int branches;
};

/**
 * dominators_find() - basic blocks that all ways from the entry to an instruction come by
 *
 * A block begins behind a call, too. Indirect jumps and faults are ways that are not known.
 * @addr: of the instruction; 0: any return
 * @call_branches: that a call counts as, with those of the function that it calls
 * @max: those with more branches are left out
 * @ret: the nearest first, @ret_count; free(). None if no way is known.
 * Return: 0; -ENOMEM.
 */
int dominators_find(const struct code *code, uint64_t addr, unsigned int call_branches,
		    unsigned int max, struct dominator **ret, size_t *ret_count);

#endif
