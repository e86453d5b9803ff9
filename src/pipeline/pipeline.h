/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pipeline.h - an event's way from a source to the sinks
 *
 *     source ─► place ─► sinks that keep it as it is ─► classify ─► sinks that show it
 *
 * Commands choose a source and sinks; the order of the steps is here alone.
 */
#ifndef LBRSNOOP_PIPELINE_PIPELINE_H
#define LBRSNOOP_PIPELINE_PIPELINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pipeline/fault.h"
#include "snapshot/snapshot.h"
#include "snapshot/source.h"
#include "util/progress.h"

#define PIPELINE_SINKS_MAX 8

/**
 * struct event - what sinks are handed
 * @snap: placed; classified if the sink asks for it
 * @source: where it comes from, with symbols and text
 * @lost: events lost since the one before
 * @code_changed: text or symbols may differ from those of the one before
 */
struct event {
	const struct snapshot *snap;
	const struct source *source;
	uint64_t lost;
	bool code_changed;
};

/**
 * struct sink - who takes events
 * @event: takes one; 0 or negative errno
 * @wants: asked once of each event, as it was captured: is it to be handed to @event? What nobody
 *         wants to see costs no classification. NULL: each is
 * @as_captured: it takes events before they are classified
 */
struct sink {
	int (*event)(void *ctx, const struct event *event);
	bool (*wants)(void *ctx, const struct snapshot *snap);
	void *ctx;
	bool as_captured;
};

/**
 * struct pipeline - one source and its sinks; all zero but @source and @sinks at first
 * @filled: pipeline_fill(): the next event is in @next, with @lost before it
 */
struct pipeline {
	struct source source;
	struct sink sinks[PIPELINE_SINKS_MAX];
	size_t sink_count;
	struct faults faults;
	bool filled;
	uint64_t lost;
	struct snapshot next;
};

/** pipeline_add_sink() - append one; there is room for PIPELINE_SINKS_MAX */
void pipeline_add_sink(struct pipeline *pipeline, const struct sink *sink);

/**
 * pipeline_event() - hand an event of the source on
 * All sinks that want it get it, though one of them fails.
 * @lost: events lost before it
 * Return: 0; negative errno of the first sink that failed.
 */
int pipeline_event(struct pipeline *pipeline, struct snapshot *snap, uint64_t lost);

/**
 * struct pipeline_run - events of several sources, in the order of time
 * @items, @count: the sources; those that are not filled (pipeline_fill()) have ended
 * @wanted: is the event handed on? Those that are not are counted as nothing; NULL: all are
 * @ended: a source has ended, @err 0, or failed; another value than 0 ends the run. May be NULL
 * @ctx: handed to @wanted and @ended
 * @max: events, 0: all
 * @stop: set: the run ends; NULL: never
 * @progress: is told how far it is; or NULL
 * @taken: result: events handed on
 * @lost: result: events lost before those
 * @last: result: where the last one came from, or NULL
 * @sink_failed: result: what pipeline_run() returned is of a sink
 */
struct pipeline_run {
	struct pipeline *items;
	size_t count;
	bool (*wanted)(void *ctx, const struct snapshot *snap);
	int (*ended)(void *ctx, struct pipeline *pipeline, int err);
	void *ctx;
	uint64_t max;
	const volatile sig_atomic_t *stop;
	struct progress *progress;
	uint64_t taken;
	uint64_t lost;
	struct pipeline *last;
	bool sink_failed;
};

/**
 * pipeline_fill() - fetch the next event of a source that is wanted
 * Return: 0, and @pipeline->filled says whether there was one; negative errno of the source.
 */
int pipeline_fill(const struct pipeline_run *run, struct pipeline *pipeline);

/**
 * pipeline_run() - hand on the events of all sources that are filled
 * Return: 0; negative errno of a sink; what @ended said.
 */
int pipeline_run(struct pipeline_run *run);

/** pipeline_deinit() - free what it has learned; source and sinks are their owners' */
void pipeline_deinit(struct pipeline *pipeline);

#endif
