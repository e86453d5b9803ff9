/* SPDX-License-Identifier: GPL-2.0 */
/* trace_prepare.h - from the command line to all that a trace needs to arm */
#ifndef LBRSNOOP_CMD_TRACE_TRACE_PREPARE_H
#define LBRSNOOP_CMD_TRACE_TRACE_PREPARE_H

#include "cmd/trace/trace_state.h"

/**
 * trace_prepare() - resolve the targets, choose their triggers, and open what they need
 * @trace: opts is set; what has been made when it fails is there to be freed by its owner
 * Return: 0, and capture_start() arms them; negative errno with @msg.
 */
int trace_prepare(struct trace *trace, struct errmsg *msg);

/**
 * trace_refuse_switched_off() - what the administrator has switched off is armed without an error,
 * and never fires
 *
 * Where breakpoints need it alone to check what they saw, they move to the returns. To be asked
 * again after arming, which may have fallen back to another kind.
 * Return: 0; -EOPNOTSUPP, @msg names the target, the reason and the remedy.
 */
int trace_refuse_switched_off(struct trace *trace, struct errmsg *msg);

/**
 * trace_end_symbols() - read the kernel's symbols to their end, if that has waited
 * Return: 0; negative errno with @msg.
 */
int trace_end_symbols(struct trace *trace, struct errmsg *msg);

/**
 * trace_needs_admin() - is CAP_SYS_ADMIN needed, to follow a CPU that comes?
 *
 * The kernel asks for it at each hardware breakpoint in its text (hw_breakpoint_parse() of
 * kernel/events/hw_breakpoint.c), Debian's at each perf event (events_need_admin()).
 */
bool trace_needs_admin(const struct trace *trace);

#endif
