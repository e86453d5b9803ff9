/* SPDX-License-Identifier: GPL-2.0 */
/* filter.h - branch filters (-j) by perf's names, and which of them a CPU's hardware has */
#ifndef LBRSNOOP_DECODE_FILTER_H
#define LBRSNOOP_DECODE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lbr_model;

/**
 * lbr_filter_parse() - PERF_SAMPLE_BRANCH_* bits of a list of names
 * @list: perf's names joined by commas: any, any_call, any_ret, ind_call, ind_jmp, call, cond,
 *        call_stack (perf says "stack"), u, k, hv, in_tx, no_tx, abort_tx, ...
 * @ret_bad: where in @list the unknown name starts; may be NULL
 * Return: 0; -EINVAL for an unknown or empty name.
 */
int lbr_filter_parse(const char *list, uint64_t *ret_bits, const char **ret_bad);

/** lbr_filter_format() - names of @bits joined by commas; "" for none. Returns @buf. */
char *lbr_filter_format(uint64_t bits, char *buf, size_t len);

/**
 * lbr_model_filters() - filters that the hardware of a model applies by itself
 * Return: PERF_SAMPLE_BRANCH_* bits. On a CPU without LBR_SELECT it is PERF_SAMPLE_BRANCH_ANY
 * alone: everything else is Linux throwing away entries of the full stack afterwards.
 * Source: Tables 17-11 and 17-13; IA32_LBR_CTL; the *_lbr_sel_map tables of Linux
 * arch/x86/events/intel/lbr.c and amd/lbr.c.
 */
uint64_t lbr_model_filters(const struct lbr_model *model);

/**
 * lbr_filter_supported() - does the hardware of a model apply all filters of @branch_sample_type?
 * What is no filter (no_flags, no_cycles, save_type, ...) is not looked at.
 */
bool lbr_filter_supported(const struct lbr_model *model, uint64_t branch_sample_type);

#endif
