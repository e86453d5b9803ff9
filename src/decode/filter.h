/* SPDX-License-Identifier: GPL-2.0 */
/* filter.h - branch filters (-j) by perf's names, and which of them a CPU's hardware has */
#ifndef LBRSNOOP_DECODE_FILTER_H
#define LBRSNOOP_DECODE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/branch.h"

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

/** lbr_filters_offered() - filters that -j takes on a CPU of this model, by whatever means */
uint64_t lbr_filters_offered(const struct lbr_model *model);

/**
 * struct lbr_filter_plan - who keeps branches out
 * @kernel: for perf_event_attr.branch_sample_type
 * @own: PERF_SAMPLE_BRANCH_IN_TX, _NO_TX, _ABORT_TX: applied by lbr_filter_wants(). Linux forgets
 *       them beside "any", and no hardware has them.
 * @software: the CPU records every branch, and Linux throws out entries afterwards
 */
struct lbr_filter_plan {
	uint64_t kernel;
	uint64_t own;
	bool software;
};

/**
 * lbr_filter_plan() - how the filters asked for are met
 * @model: as lbr_model_of_host() gives it (borrowed)
 * @bits: from lbr_filter_parse()
 * @ret_plan: set on success only
 * @ret_refused: bits that cannot be had on this CPU; set on -EOPNOTSUPP only
 * Return: 0; -EOPNOTSUPP.
 * Source: Linux arch/x86/events/intel/lbr.c, intel_pmu_setup_lbr_filter(), and amd/lbr.c.
 */
int lbr_filter_plan(const struct lbr_model *model, uint64_t bits, struct lbr_filter_plan *ret_plan,
		    uint64_t *ret_refused);

/** lbr_filter_own() - struct lbr_filter_plan.own of a list of names that was accepted; 0 for "" */
uint64_t lbr_filter_own(const char *list);

/**
 * lbr_filter_wants() - is a branch let through?
 * @own: bits as in struct lbr_filter_plan; others are not looked at
 */
bool lbr_filter_wants(uint64_t own, const struct branch *branch);

#endif
