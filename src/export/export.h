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
 * @live: the tasks of the snapshots may still be there
 * @comm: the names of tasks, too
 */
struct export_options {
	const char *otlp;
	const char *metrics;
	uint32_t series;
	bool journal;
	bool live;
	bool comm;
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
 * Return: 0; negative errno, with @msg.
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

/** export_finish() - what is written at the end; 0; negative errno, with @msg */
int export_finish(struct export *export, struct errmsg *msg);

/** export_destroy() - free; NULL is fine */
void export_destroy(struct export *export);

#endif
