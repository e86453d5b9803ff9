/* SPDX-License-Identifier: GPL-2.0 */
/* advice.h - what to trace next, when an error was made further in than the record reaches */
#ifndef LBRSNOOP_CMD_ADVICE_H
#define LBRSNOOP_CMD_ADVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/trace/trace_options.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "target/callgraph.h"

/* Functions and errors that were spoken of; beyond these, silence. */
#define ADVICE_TOLD_MAX 64

/** struct advice - zeroed to start with; @graph: what is known of the functions looked at so far */
struct advice {
	struct {
		uint64_t func_addr;
		int err;
	} told[ADVICE_TOLD_MAX];
	size_t told_count;
	struct callgraph *graph;
};

/**
 * advice_say() - log, once for each function and error, the "lbrsnoop why" that finds its place,
 * and which functions can have made it
 * @opts: of the trace
 * @snap: of a function that passed the error on
 * @text, @symbols: the same at each call (borrowed until advice_deinit())
 */
void advice_say(struct advice *advice, const struct trace_options *opts,
		const struct snapshot *snap, const struct text_source *text,
		struct symbols *symbols);

/** advice_deinit() - free what it holds */
void advice_deinit(struct advice *advice);

#endif
