/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_json.h - snapshots for Perfetto and chrome://tracing
 *
 * Each snapshot is a process of the trace, its functions are slices by call depth, its straight
 * runs are slices in them. What is wide is not what took long, unless the CPU reported cycles: then
 * 1 us of the trace is one core cycle; else 1 us is one branch, and its order is all that is known.
 * The name of each process says which.
 *
 * Format: "Trace Event Format", object form; Perfetto takes it, too.
 */
#ifndef LBRSNOOP_RENDER_TRACE_JSON_H
#define LBRSNOOP_RENDER_TRACE_JSON_H

#include <stdio.h>

#include "path/path.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

struct trace_json;

/** trace_json_create() - begin; NULL if there is no memory. @out is borrowed */
struct trace_json *trace_json_create(FILE *out);

/**
 * trace_json_add() - one snapshot
 * @path: rebuilt from it, or NULL: its branches alone
 * Return: 0; -ENOMEM; -EIO if @out does not take it.
 */
int trace_json_add(struct trace_json *trace, const struct snapshot *snap, const struct path *path,
		   struct symbols *symbols);

/** trace_json_finish() - end, free; NULL is fine. 0, or -EIO */
int trace_json_finish(struct trace_json *trace);

#endif
