/* SPDX-License-Identifier: GPL-2.0 */
/* closer.h - what to trace next, when an error was made further in than the record reaches */
#ifndef LBRSNOOP_CMD_CLOSER_H
#define LBRSNOOP_CMD_CLOSER_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/trace_options.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "target/callgraph.h"

/* Functions and errors that were spoken of; beyond these, silence. */
#define CLOSER_TOLD_MAX 64

/** struct closer - zeroed to start with; @graph: what is known of the functions looked at so far */
struct closer {
	struct {
		uint64_t func_addr;
		int err;
	} told[CLOSER_TOLD_MAX];
	size_t told_count;
	struct callgraph *graph;
};

/**
 * closer_say() - log, once for each function and error, the "lbrsnoop why" that finds its place,
 * and which functions can have made it
 * @opts: of the trace
 * @snap: of a function that passed the error on
 * @text, @symbols: the same at each call (borrowed until closer_deinit())
 */
void closer_say(struct closer *closer, const struct trace_options *opts,
		const struct snapshot *snap, const struct text_source *text,
		struct symbols *symbols);

/** closer_deinit() - free what it holds */
void closer_deinit(struct closer *closer);

#endif
