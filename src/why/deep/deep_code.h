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

#endif
