/* SPDX-License-Identifier: GPL-2.0 */
/* deep_code.h - where the kernel's entry code lies, and what changes tasks */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_CODE_H
#define LBRSNOOP_WHY_DEEP_DEEP_CODE_H

#include "symbolize/symbolize.h"
#include "why/deep/deep_join.h"

/**
 * deep_code_find() - look the code up that tells where a system call begins, and a task ends
 * @symbols: of the running kernel (borrowed)
 * @ret_code: set on success only
 * Return: 0; -ENOENT if the kernel's symbols do not have the entry code, do_syscall_64(), or the
 * code that changes tasks.
 */
int deep_code_find(struct symbols *symbols, struct deep_code *ret_code);

/** enum deep_call_kind - what a call is for, as far as what it does is left out of a path */
enum deep_call_kind {
	DEEP_CALL_OTHER,  /* it is not */
	DEEP_CALL_WAITS,  /* of the scheduler, by other code: a task can wait in it */
	DEEP_CALL_YIELDS, /* the same, and it seldom does: as an interrupt, it is not the path's */
	DEEP_CALL_WAKES,  /* it wakes another task: how depends on what else runs */
};

/** deep_code_call() - the kind of the direct call that returns to @addr */
enum deep_call_kind deep_code_call(const struct deep_code *code, uint64_t addr);

/** deep_code_left() - the kind of the direct call that @branch returns from */
enum deep_call_kind deep_code_left(const struct deep_code *code, const struct why_branch *branch);

#endif
