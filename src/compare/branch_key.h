/* SPDX-License-Identifier: GPL-2.0 */
/* branch_key.h - what a branch is called in every build of its code */
#ifndef LBRSNOOP_COMPARE_BRANCH_KEY_H
#define LBRSNOOP_COMPARE_BRANCH_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/ranking.h"
#include "snapshot/snapshot.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"

/**
 * branch_condition() - what a condition asks, whichever registers and offsets a compiler chose
 * Registers, memory and the kernel's addresses are "x"; "%eax != 5" is "x == 5", negated, and
 * "%cx <= 0x6000" is "x < 0x6001".
 * @condition: of path_condition()
 * @ret_negated: @buf is what does not hold
 * Return: 0; -ENOENT if it compares nothing.
 */
int branch_condition(const char *condition, char *buf, size_t len, bool *ret_negated);

/**
 * struct branch_code - where a branch stands
 * @addr: of the branch, in @symbols and @text
 * @lines_addr: in @lines; 0: none
 * @lines: debug information of its build, or NULL
 */
struct branch_code {
	struct symbols *symbols;
	const struct text_source *text;
	uint64_t addr;
	uint64_t lines_addr;
	struct lines *lines;
};

/**
 * branch_keys() - what names it in other builds
 * @ret: all empty; its keys are set, as far as there are any
 * Return: 0; -ENOMEM.
 */
int branch_keys(const struct branch_code *code, const struct ranking_decision *decision,
		struct ranking_keys *ret);

#endif
