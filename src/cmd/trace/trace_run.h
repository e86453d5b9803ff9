/* SPDX-License-Identifier: GPL-2.0 */
/* trace_run.h - one trace, from its options to its end */
#ifndef LBRSNOOP_CMD_TRACE_TRACE_RUN_H
#define LBRSNOOP_CMD_TRACE_TRACE_RUN_H

#include <stdbool.h>

#include "cmd/trace/trace_options.h"

/** struct trace_end - @status: to exit with; @disarmed: it ended as the last place was disarmed */
struct trace_end {
	int status;
	bool disarmed;
};

/**
 * trace_run() - arm, capture, show, until a signal, a limit or the watcher ends it
 * @opts: borrowed
 * Return: 0; negative errno, after saying so.
 */
int trace_run(const struct trace_options *opts, struct trace_end *ret);

#endif
