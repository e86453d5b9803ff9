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
 * read it, so it went this way. A branch whose other side loads the same errno again, and fails
 * with it, is none of them.
 * @site: of @code; loads a constant errno into a register
 * @ret: @max of them, in the order of execution
 * Return: how many; 0: it was decided before @site was executed; -ENOENT: it was decided behind it,
 * and there is no telling by what.
 */
int kept_branches(const struct code *code, const struct insn *site, struct kept_branch *ret,
		  size_t max);

/**
 * kept_branches_alike() - the same, with those whose other side fails with the same errno
 * All there is to tell of where nothing was decided before @site.
 */
int kept_branches_alike(const struct code *code, const struct insn *site, struct kept_branch *ret,
			size_t max);

/** enum kept_effect - what an instruction does to a value in a register */
enum kept_effect {
	KEPT_AS_IS,   /* the register still holds it */
	KEPT_WRITTEN, /* it is written and not read */
	KEPT_READ,    /* it is read, or nothing is known */
};

/** kept_effect() - what @in does to @reg; a call counts for what the ABI has it keep */
enum kept_effect kept_effect(const struct code *code, const struct insn *in, uint8_t reg);

/** kept_ends() - straight on from @addr to a function that does not return: the stack protector's
 */
bool kept_ends(const struct code *code, uint64_t addr);

/**
 * kept_way() - which way a branch goes that asks for an errno itself
 * @reg: its lower half holds the errno; the branch asks for no more
 * @err: positive errno
 * Return: 1 taken, 0 not taken; -1: it asks for something else.
 */
int kept_way(const struct code *code, const struct insn *branch, uint8_t reg, uint16_t err);

#endif
