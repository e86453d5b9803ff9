/* SPDX-License-Identifier: GPL-2.0 */
/* kept.h - the branches that decide for an errno which was loaded before it was decided on */
#ifndef LBRSNOOP_CFG_KEPT_H
#define LBRSNOOP_CFG_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfg/code.h"

/**
 * struct kept_branch - a conditional branch, and the way that it went
 * @addr: of it
 * @row: what was executed from there on up to the branch is in memory in a row
 */
struct kept_branch {
	uint64_t addr;
	uint64_t row;
	bool taken;
};

/**
 * kept_branches() - the branches behind an instruction whose value became the function's result
 *
 * "err = -EINVAL; if (a) goto out; if (b) goto out; err = ...": compilers load a constant early. On
 * the other side of such a branch the register is certain to be written again before anything has
 * read it, so it went this way.
 * @site: of @code; loads a constant errno into a register
 * @ret: @max of them, in the order of execution
 * Return: how many; 0: it was decided before @site was executed; -ENOENT: it was decided behind it,
 * and there is no telling by what.
 */
int kept_branches(const struct code *code, const struct insn *site, struct kept_branch *ret,
		  size_t max);

#endif
