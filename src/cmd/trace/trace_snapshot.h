/* SPDX-License-Identifier: GPL-2.0 */
/* trace_snapshot.h - what becomes of a snapshot of a trace: shown, recorded, left out */
#ifndef LBRSNOOP_CMD_TRACE_TRACE_SNAPSHOT_H
#define LBRSNOOP_CMD_TRACE_TRACE_SNAPSHOT_H

#include "cmd/trace/trace_state.h"

/** trace_start_pipeline() - the ring buffer as a source, with the sinks that the options ask for */
void trace_start_pipeline(struct trace *trace);

/**
 * trace_snapshot() - one snapshot: shown, or written, as the options say; for capture_poll()
 * @snap: NULL: the ring buffer is empty for now
 * @ctx: the struct trace
 * Return: 0; 1 if that was enough, or could not be written, see @write_err of the trace.
 */
int trace_snapshot(struct snapshot *snap, void *ctx);

/** trace_ask_lost() - how many events have no snapshot by now? */
void trace_ask_lost(struct trace *trace);

/** trace_lost() - events without a snapshot */
uint64_t trace_lost(const struct capture_stats *stats);

#endif
