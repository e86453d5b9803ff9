/* SPDX-License-Identifier: GPL-2.0 */
/* capture_state.h - what capture.c and rearm.c share; nobody else looks into it */
#ifndef LBRSNOOP_CAPTURE_CAPTURE_STATE_H
#define LBRSNOOP_CAPTURE_CAPTURE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/attach.h"
#include "capture/capture.h"
#include "capture/flight.h"
#include "capture/budget/guard.h"
#include "capture/lbr/lbr_events.h"
#include "capture/maps.h"
#include "capture/multi.h"
#include "capture/ring/ring_reader.h"
#include "capture/ring/ring_record.h"
#include "record.h"
#include "lbrsnoop.skel.h"
#include "util/cleanup.h"
#include "util/errmsg_queue.h"
#include "util/clock.h"

/* CPUS_MAX of bpf/state.bpf.h */
#define CPUS ARRAY_SIZE(((struct lbrsnoop_bpf__bss *)NULL)->hw_hits)

struct capture {
	struct capture_options opts;
	struct probe_list *probes;
	struct lbrsnoop_bpf *skel;
	struct ring_reader *ring;
	bool no_tracing; /* no program of that type: what a user left to us is armed without */
	bool no_typed;	 /* no program on the tracepoint of all system calls' exits */
	struct lbr_events *events;
	struct map_events *maps;
	struct multi multi;
	struct bpf_link *stepped; /* for user functions, see bpf/uprobe.bpf.c */
	struct armed *armed;
	struct trigger *triggers; /* see struct record_context */
	size_t armed_count;
	struct lbr_model model;
	struct lbr_filter_plan plan;
	struct lbr_info lbr;
	struct record_context record;
	struct clock_offset clock;
	struct errmsg warning;
	struct errmsg swallowed; /* what opts.no_breakpoints points to, if arming them showed it */
	struct flight_files flight;
	uint32_t flight_header_pages;
	struct symbols *flight_symbols; /* borrowed */
	struct guard guard;
	struct guard event_guard;
	uint32_t group_now; /* of the probes that take turns, 0 if none do */
	uint32_t group_count;
	struct errmsg_queue said;
	uint64_t last_look_ns;
	uint64_t missed;
	uint64_t missed_armed; /* by what is armed, as of @asked_ns; 0: not asked yet */
	uint64_t asked_ns;
	uint64_t twice; /* records of what another trigger has told, see told_by_the_other() */
	uint64_t skipped;
	uint64_t unseen;
	uint64_t throttled;
	uint64_t hw_fired; /* hits of breakpoints that are disarmed again, as the kernel counted */
	uint64_t events_fired; /* the same of software's perf events, if each of them fires */
	uint64_t malformed;
	capture_fn *fn;
	void *fn_ctx;
	int fn_result;
	bool changed;	 /* what is armed: a flight recorder must keep it again */
	bool handed_out; /* since the callback was last told that nothing more is waiting */
	bool starting;	 /* what comes is from before the LBR was on */
	struct capture_stats before;
	uint64_t pause_ns; /* CLOCK_MONOTONIC: then even a full ring buffer has to wait */
};

#endif
