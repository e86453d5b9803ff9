/* SPDX-License-Identifier: GPL-2.0 */
/* export.h - findings on their way to other systems: one front for all sinks */
#ifndef LBRSNOOP_EXPORT_EXPORT_H
#define LBRSNOOP_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "export/finding.h"
#include "util/errmsg.h"

/**
 * struct export_options - what goes where; no sink: {0}
 * @otlp: file for log records, "-": standard output; or NULL
 * @metrics: file for Prometheus; or NULL
 * @series: at most in it, 0: EXPORT_SERIES
 * @journal: journald gets them, too
 * @capture_bytes: of the capture of a path, at most, that goes there with it; 0: none does
 * @live: the tasks of the snapshots may still be there
 * @comm: the names of tasks, too
 * @records_per_s, @bytes_per_s: that may leave at most, by @journal and @otlp; 0: any number
 * @state: directory in which a service keeps which paths were sent; or NULL
 * @service: it goes on for long: @otlp is appended to and has each path once an hour, and
 *           export_tell() is called
 */
struct export_options {
	const char *otlp;
	const char *metrics;
	uint32_t series;
	bool journal;
	uint64_t capture_bytes;
	bool live;
	bool comm;
	uint64_t records_per_s;
	uint64_t bytes_per_s;
	const char *state;
	bool service;
};

/* A path is a series: Prometheus keeps each for as long as its data. */
#define EXPORT_SERIES 1000

/** export_wanted() - is there a sink? */
bool export_wanted(const struct export_options *opts);

/** export_takes_output() - does one of them have standard output for itself? */
bool export_takes_output(const struct export_options *opts);

struct export;

/**
 * export_create() - open what is written to
 * @opts, @out: borrowed until export_destroy()
 * @out: for "-"
 * Return: 0; with @msg, if that is no reason not to begin: @state cannot be used. Negative errno,
 * with @msg.
 */
int export_create(const struct export_options *opts, FILE *out, struct export **ret_export,
		  struct errmsg *msg);

/** export_wants_path() - is the path of a snapshot needed? */
bool export_wants_path(const struct export *export, uint64_t ident);

/**
 * export_add() - one snapshot; arguments as findings_add() has them
 * Return: 0; -ENOMEM; -EIO.
 */
int export_add(struct export *export, const struct snapshot *snap, uint64_t ident,
	       const struct path *path, const struct finding_kernel *kernel, uint64_t lost);

/** export_add_left_out() - snapshots that were captured, and that a budget has left out */
void export_add_left_out(struct export *export, uint64_t count);

/** export_add_lost() - events lost behind the last snapshot */
void export_add_lost(struct export *export, uint64_t lost);

/** export_close() - no paths that are not known are added from now on, or they are again */
void export_close(struct export *export, bool closed);

/** export_pace() - of a service, some times a second: send what a budget allows now */
void export_pace(struct export *export);

/**
 * export_tell() - of a service: write and send what has not been told yet
 * @last: it ends: what still cannot leave is told as left out
 * Return: 0; negative errno with @msg: something could not be written. It is tried again.
 */
int export_tell(struct export *export, bool last, struct errmsg *msg);

/**
 * struct export_totals - how far an export is
 * @paths: that are known
 * @taken: snapshots, @left_out among them
 * @left_out: in no path's count
 * @lost: events without a snapshot
 * @waiting: snapshots that the sender which is behind most has not told of yet
 * @captures: sent; @captures_left_out: paths that were told in full without one
 */
struct export_totals {
	uint64_t paths;
	uint64_t taken;
	uint64_t left_out;
	uint64_t lost;
	uint64_t waiting;
	uint64_t captures;
	uint64_t captures_left_out;
};

/** export_totals() - by now */
struct export_totals export_totals(const struct export *export);

/** export_finish() - what is written at the end; 0; negative errno, with @msg */
int export_finish(struct export *export, struct errmsg *msg);

/** export_destroy() - free; NULL is fine */
void export_destroy(struct export *export);

#endif
