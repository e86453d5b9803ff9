/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_compute.h - the branches of a function that the registers at its call decide
 *
 * For code where the kernel allows no breakpoint, and that branches more often than a record holds:
 * memset() of Linux 6.12. Which way each branch goes follows from the registers alone, or the
 * function is not computed.
 */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_COMPUTE_H
#define LBRSNOOP_WHY_DEEP_DEEP_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "why_event.h"

/**
 * deep_call_before() - the direct call that returns to @addr
 * @ret_call: address of its instruction, set on success
 * Return: true if one stands there.
 */
bool deep_call_before(const struct text_source *text, uint64_t addr, uint64_t *ret_call);

/**
 * deep_compute() - all taken branches from a call up to the return from it
 * @regs: struct pt_regs before the call instruction, of which PTREG_IP is the address
 * @ret_branches: oldest first: the call, ..., the return; free()
 * Return: 0; -ENODATA if the registers do not decide them, or they are too many; -ENOMEM.
 */
int deep_compute(const struct text_source *text, const uint64_t *regs,
		 struct why_branch **ret_branches, size_t *ret_count);

#endif
