/* SPDX-License-Identifier: GPL-2.0 */
/* attach_perf.h - perf events as triggers: one on each CPU */
#ifndef LBRSNOOP_CAPTURE_ATTACH_PERF_H
#define LBRSNOOP_CAPTURE_ATTACH_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/attach.h"
#include "snapshot/probe.h"
#include "util/errmsg.h"

/** probe_is_event() - is it armed by a perf event of its own, not by a breakpoint? */
bool probe_is_event(const struct probe *probe);

/** each_event_fires() - is each of software's events told, so that they can be counted? */
bool each_event_fires(const struct probe_list *probes);

/**
 * attach_event() - open the event of a probe on one CPU, and let it run @prog
 * @cookie: what bpf_get_attach_cookie() gives it
 * @ret_site: set on success; hw_site_close() disarms it
 * Return: 0; negative errno, @msg says what this machine lacks.
 */
int attach_event(struct bpf_program *prog, const struct probe *probe, int cpu, uint64_t cookie,
		 struct hw_site *ret_site, struct errmsg *msg);

/** hw_site_close() - disarm a breakpoint or perf event, or nothing */
void hw_site_close(struct hw_site *site);

/**
 * event_throttled() - how many times the kernel has stopped an event until the next tick
 *
 * It does so when there are more interrupts within a tick than kernel.perf_event_max_sample_rate
 * allows (__perf_event_account_interrupt() of kernel/events/core.c). What it would have captured
 * until then is counted by nobody.
 * @site: any; 0 of a breakpoint, and where the kernel gave no room to tell it
 */
uint64_t event_throttled(const struct hw_site *site);

/** events_set_period() - let the events of a probe that is armed fire each @period */
void events_set_period(struct armed *armed, struct probe *probe, uint64_t period);

#endif
