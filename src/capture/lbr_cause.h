/* SPDX-License-Identifier: GPL-2.0 */
/* lbr_cause.h - why there is no LBR here, in words, and what would help */
#ifndef LBRSNOOP_CAPTURE_LBR_CAUSE_H
#define LBRSNOOP_CAPTURE_LBR_CAUSE_H

#include <stdint.h>

#include "util/errmsg.h"

/**
 * lbr_cause() - explain a failed perf_event_open() or enable of an event with a branch stack
 * @err: negative errno of it
 * @cpu: for which CPU
 * @branch_types: PERF_SAMPLE_BRANCH_* that were asked for
 * Return: -EPERM, -EBUSY, -EINVAL, or -ENODEV for "no usable LBR".
 */
int lbr_cause(int err, int cpu, uint64_t branch_types, struct errmsg *msg);

/**
 * lbr_cause_empty() - explain an LBR that opens, but of which the snapshot helper reads nothing
 * @read: what bpf_get_branch_snapshot() returned
 */
int lbr_cause_empty(int read, int cpu, struct errmsg *msg);

#endif
