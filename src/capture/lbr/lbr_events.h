/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lbr_events.h - keeps the LBR switched on, on every online CPU
 *
 * One perf event with a branch stack per CPU, counting, not sampling: its only purpose is that
 * the kernel's LBR driver programs the hardware.
 */
#ifndef LBRSNOOP_CAPTURE_LBR_LBR_EVENTS_H
#define LBRSNOOP_CAPTURE_LBR_LBR_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/errmsg.h"

struct lbr_events;

/**
 * lbr_events_open() - open the events, switched off
 * @branch_types: PERF_SAMPLE_BRANCH_* bits
 * @ret_events: free with lbr_events_close()
 * Return: 0, if at least one CPU has an LBR; -ENODEV if none has, @msg says which of the causes
 * it is; -EPERM; -EINVAL if this LBR cannot filter by @branch_types; -EBUSY if other events hold
 * all counters; -ENOMEM.
 */
int lbr_events_open(uint64_t branch_types, struct lbr_events **ret_events, struct errmsg *msg);

/** lbr_events_enable() - switch the LBR on; CPUs that come online later are switched on as well */
int lbr_events_enable(struct lbr_events *events, struct errmsg *msg);

/**
 * lbr_events_update() - follow CPU hotplug
 * @ret_failed: if not NULL, set to a CPU that has none and was not told yet, @msg says why; -1
 * Return: number of CPUs that came or went since the last call, those included that went and came
 * again; negative errno.
 */
int lbr_events_update(struct lbr_events *events, int *ret_failed, struct errmsg *msg);

/** lbr_events_failed() - first CPU without LBR and why ("cpu 3: ..."), or NULL if all have one */
const char *lbr_events_failed(const struct lbr_events *events);

/** lbr_events_renewed() - had @cpu been offline before the last lbr_events_update()? */
bool lbr_events_renewed(const struct lbr_events *events, int cpu);

/** lbr_events_has() - is the LBR on for @cpu? */
int lbr_events_has(const struct lbr_events *events, int cpu);

/**
 * lbr_events_hold() - put a link on each event: who pins it keeps the LBR on without a process
 * CPUs that come online later get one, too.
 * @prog_fd: a perf_event program that never runs; borrowed until lbr_events_close()
 * Return: 0; negative errno of the first CPU that has none.
 */
int lbr_events_hold(struct lbr_events *events, int prog_fd, struct errmsg *msg);

/** lbr_events_link() - that link; -1 if there is none */
int lbr_events_link(const struct lbr_events *events, int cpu);

/** lbr_events_close() - LBR off; NULL is fine */
void lbr_events_close(struct lbr_events *events);

/**
 * event_stands_still() - has its CPU been offline since this was asked last?
 *
 * Linux takes the events off a CPU that goes offline, and does not put them back when it comes
 * again (perf_event_exit_cpu() of kernel/events/core.c); between two looks it may do both.
 * @fd: enabled perf event, read_format PERF_FORMAT_TOTAL_TIME_ENABLED
 * @ran_ns: borrowed from call to call; 0 first
 */
bool event_stands_still(int fd, uint64_t *ran_ns);

/**
 * cpus_online() - read a CPU list such as /sys/devices/system/cpu/online
 * @path: NULL for that file
 * @ret_mask: bit n of byte n / 8; free() it
 * Return: number of bits the mask has room for; negative errno.
 */
int cpus_online(const char *path, uint8_t **ret_mask);

/** cpus_first_online() - the lowest CPU of such a list; 0 if it cannot be read */
int cpus_first_online(const char *path);

/**
 * hybrid_pmu_type() - type of the PMU that @cpu belongs to, where a machine has several kinds of
 * core
 *
 * PERF_TYPE_HARDWARE means the PMU of core 0's kind; else this goes into the upper half of config
 * (perf_event_open(2), PERF_PMU_CAP_EXTENDED_HW_TYPE).
 * Return: 0 if there is one kind.
 */
uint64_t hybrid_pmu_type(int cpu);

#endif
