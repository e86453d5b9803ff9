/* SPDX-License-Identifier: GPL-2.0 */
/* compare_live.h - "compare TARGET": failing and passing returns of a trace, drawn and ranked */
#ifndef LBRSNOOP_CMD_COMPARE_COMPARE_LIVE_H
#define LBRSNOOP_CMD_COMPARE_COMPARE_LIVE_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/trace/trace_options.h"
#include "pipeline/pipeline.h"
#include "symbolize/symbolize.h"
#include "util/errmsg.h"

struct compare_live;

/**
 * compare_live_create() - prepare
 * @opts: of the trace; borrowed until compare_live_destroy(), as are @out and @symbols
 * Return: 0; negative errno, with @msg: debug information of another kernel.
 */
int compare_live_create(const struct trace_options *opts, FILE *out, struct symbols *symbols,
			struct compare_live **ret, struct errmsg *msg);

/** compare_live_sink() - takes the returns of a trace, those that are drawn; borrows @live */
struct sink compare_live_sink(struct compare_live *live);

/** compare_live_begin() - the trace is armed: progress is shown from now on */
void compare_live_begin(struct compare_live *live);

/** compare_live_tick() - now and then: progress is brought up to date */
void compare_live_tick(struct compare_live *live);

/** compare_live_full() - were as many failing and passing returns seen as asked for? */
bool compare_live_full(const struct compare_live *live);

/** compare_live_has_calls() - was any call seen? */
bool compare_live_has_calls(const struct compare_live *live);

/**
 * compare_live_finish() - rank what was captured, and print
 * @lost: events without a snapshot, which the output says
 * Return: as comparison_print().
 */
int compare_live_finish(struct compare_live *live, uint64_t lost, struct errmsg *msg);

/** compare_live_destroy() - free; NULL is fine */
void compare_live_destroy(struct compare_live *live);

#endif
