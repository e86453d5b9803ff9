/* SPDX-License-Identifier: GPL-2.0 */
/* deep_code.h - where the kernel's entry code is, and what switches tasks */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_CODE_H
#define LBRSNOOP_WHY_DEEP_DEEP_CODE_H

#include "symbolize/symbolize.h"
#include "why/deep/deep_join.h"

/**
 * deep_code_find() - find the code that shows where a system call begins, and where tasks switch
 * @symbols: of the running kernel (borrowed)
 * @ret_code: set on success only
 * Return: 0; -ENOENT if the kernel's symbols do not have the entry code, do_syscall_64(), or the
 * code that switches tasks.
 */
int deep_code_find(struct symbols *symbols, struct deep_code *ret_code);

/** enum deep_call_kind - is a call left out of the path, and why? */
enum deep_call_kind {
	DEEP_CALL_OTHER,  /* it is not left out */
	DEEP_CALL_WAITS,  /* it calls the scheduler: a task can wait in it */
	DEEP_CALL_YIELDS, /* the same, but it seldom waits: treated as an interrupt */
	DEEP_CALL_WAKES,  /* it wakes another task: how depends on what else runs */
};

/** deep_code_call() - the kind of the direct call that returns to @addr */
enum deep_call_kind deep_code_call(const struct deep_code *code, uint64_t addr);

/** deep_code_left() - the kind of the direct call that @branch returns from */
enum deep_call_kind deep_code_left(const struct deep_code *code, const struct why_branch *branch);

#endif
