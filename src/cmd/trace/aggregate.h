/* SPDX-License-Identifier: GPL-2.0 */
/* aggregate.h - what is made of all snapshots together: the summary, the trace for Perfetto,
 * the page, exports */
#ifndef LBRSNOOP_CMD_TRACE_AGGREGATE_H
#define LBRSNOOP_CMD_TRACE_AGGREGATE_H

#include "cmd/view.h"
#include "export/finding.h"
#include "path/path.h"
#include "render/story/story.h"

struct aggregate;

/** aggregate_wanted() - do the options ask for any of it? */
bool aggregate_wanted(const struct view_options *opts);

/**
 * aggregate_create() - prepare what the options ask for
 * @opts, @out: borrowed until aggregate_destroy()
 * @ret: set on success; shared by the views of several files
 * Return: 0; negative errno, with @msg: a file cannot be written.
 */
int aggregate_create(const struct view_options *opts, FILE *out, struct aggregate **ret,
		     struct errmsg *msg);

/** aggregate_destroy() - free; NULL is fine */
void aggregate_destroy(struct aggregate *aggregate);

/** aggregate_wants_path() - is a snapshot's path needed? Of a path known already it is not. */
bool aggregate_wants_path(struct aggregate *aggregate, uint64_t ident);

/**
 * aggregate_snapshot() - take one
 * @path: or NULL
 * @kernel: that it is of
 * @story: how its story is drawn
 * Return: 0; -ENOMEM; -EIO.
 */
int aggregate_snapshot(struct aggregate *aggregate, const struct snapshot *snap, uint64_t ident,
		       const struct path *path, const struct finding_kernel *kernel,
		       const struct story_view *story, uint64_t lost);

/** aggregate_add_lost() - events lost behind the last snapshot */
void aggregate_add_lost(struct aggregate *aggregate, uint64_t lost);

/**
 * aggregate_tick() - --interval: print the summary and begin anew, if it is time
 * @now_ns: CLOCK_REALTIME, of the snapshots if they come from a file
 * Return: as aggregate_snapshot().
 */
int aggregate_tick(struct aggregate *aggregate, uint64_t now_ns);

/** aggregate_finish() - print what is printed at the end; 0, or negative errno with @msg */
int aggregate_finish(struct aggregate *aggregate, struct errmsg *msg);

#endif
