/* SPDX-License-Identifier: GPL-2.0 */
/* trace_say.h - what is said on stderr of a trace as a whole */
#ifndef LBRSNOOP_CMD_TRACE_TRACE_SAY_H
#define LBRSNOOP_CMD_TRACE_TRACE_SAY_H

#include "cmd/trace/trace_state.h"

/** trace_say_armed() - what is armed now, by which trigger, and what is not */
void trace_say_armed(const struct trace *trace);

/** trace_say_error() - the one line of what ended it; where an LBR is missing, what needs none */
void trace_say_error(const struct trace *trace, int err, const struct errmsg *msg);

/** trace_say_guard() - what the guard of the breakpoints has done since it was asked last */
void trace_say_guard(const struct trace *trace);

/** trace_say_summary() - at the end: how many were captured and lost, and where they are */
void trace_say_summary(struct trace *trace);

#endif
