/* SPDX-License-Identifier: GPL-2.0 */
/* lbr_cause.h - why there is no LBR here, in words, and what would help */
#ifndef LBRSNOOP_CAPTURE_LBR_LBR_CAUSE_H
#define LBRSNOOP_CAPTURE_LBR_LBR_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/errmsg.h"

/**
 * events_need_admin() - does this kernel ask for CAP_SYS_ADMIN at each perf event?
 *
 * Debian's level 3 of kernel.perf_event_paranoid, which CAP_PERFMON is not enough for (its patch
 * "security,perf: Allow further restriction of perf_event_open"). Linux's own ends at 2.
 */
bool events_need_admin(void);

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
