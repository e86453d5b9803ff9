/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_compute.h - computes a function's branches from the registers at its call
 *
 * This is for code where the kernel allows no breakpoint, and which branches more often than a
 * record holds, such as memset() of Linux 6.12. If the registers alone do not decide a branch, the
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
 * Return: true if there is one.
 */
bool deep_call_before(const struct text_source *text, uint64_t addr, uint64_t *ret_call);

/* A probe may be this many instructions after the beginning of a way, at most. */
#define DEEP_FURTHER_MAX 4

/** deep_goes_on() - the instruction that is always executed next; 0: the text does not tell */
uint64_t deep_goes_on(const struct text_source *text, uint64_t addr);

/** deep_skip_unfit() - @addr, or the first instruction behind it that is fit for a kprobe */
uint64_t deep_skip_unfit(const struct text_source *text, uint64_t addr);

/**
 * deep_compute() - all taken branches from a call up to the return from it
 * @regs: struct pt_regs before the call instruction, whose address is PTREG_IP
 * @ret_branches: oldest first: the call, ..., the return; free()
 * Return: 0; -ENODATA if the registers do not decide them, or they are too many; -ENOMEM.
 */
int deep_compute(const struct text_source *text, const uint64_t *regs,
		 struct why_branch **ret_branches, size_t *ret_count);

#endif
