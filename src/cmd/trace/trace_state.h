/* SPDX-License-Identifier: GPL-2.0 */
/* trace_state.h - what the parts of a trace share: trace.c and trace_*.c; nobody else looks into it
 */
#ifndef LBRSNOOP_CMD_TRACE_TRACE_STATE_H
#define LBRSNOOP_CMD_TRACE_TRACE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/capture.h"
#include "cmd/trace/aggregate.h"
#include "cmd/child.h"
#include "cmd/advice.h"
#include "cmd/compare/compare_live.h"
#include "host/klog.h"
#include "cmd/output.h"
#include "pipeline/rate_limit.h"
#include "cmd/trace/recording.h"
#include "cmd/trace/trace_options.h"
#include "cmd/view.h"
#include "pipeline/pipeline.h"
#include "pipeline/user_place.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/text.h"
#include "target/target.h"

#define TRACE_CPUS 256 /* looked after apart; further ones share */

struct trace {
	const struct trace_options *opts;
	struct symbols *symbols;
	struct text *text_live;
	struct text_source kernel_text; /* and that of programs, where they are traced */
	struct user *user;		/* NULL: none are */
	int text_err;			/* why there is none; negative errno */
	char *image_path;		/* then, where returns were found; NULL: nowhere */
	struct errmsg no_breakpoints;	/* see breakpoint_check() */
	struct resolver *resolver;
	struct probe_list probes;
	struct capture *capture;
	FILE *out;
	struct output_idle idle;
	struct view *view; /* NULL: record only */
	struct aggregate *aggregate;
	struct recording *recording;  /* NULL: show only */
	struct compare_live *compare; /* NULL: another command */
	struct advice advice;
	struct klog *klog; /* of presets */
	bool symbols_read;
	struct pipeline pipeline;
	struct child child;
	uint64_t printed;
	uint64_t lost_now;
	uint64_t lost_told;
	uint64_t text_read_ns;
	uint64_t looked_ns[TRACE_CPUS];
	struct rate_limit rate;
	uint64_t left_out;
	uint64_t stop_ns; /* when the signal to end was seen first; 0: not yet */
	uint64_t left_at_end;
	bool wide;     /* kprobe.multi is in use */
	bool disarmed; /* the last place is */
	int write_err; /* negative errno */
};

#endif
