/* SPDX-License-Identifier: GPL-2.0 */
/* filter_options.h - which of the snapshots that were captured already are printed, and where to */
#ifndef LBRSNOOP_CMD_TRACE_FILTER_OPTIONS_H
#define LBRSNOOP_CMD_TRACE_FILTER_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "cmd/view.h"
#include "snapshot/snapshot.h"

/**
 * struct filter_options - what the user asked for
 * @filter: errno, pid, comm and cpu are used
 * @count: stop after so many snapshots, 0: never
 * @output: file, NULL: stdout
 */
struct filter_options {
	struct capture_options filter;
	uint64_t count;
	const char *output;
	struct view_options view;
};

/** FILTER_OPTIONS_DEFAULT - for what the user does not say */
#define FILTER_OPTIONS_DEFAULT                                                                     \
	{                                                                                          \
		.view = VIEW_OPTIONS_DEFAULT                                                       \
	}

/* For argp's children, those of view_argp included; the child's input is a struct filter_options.
 */
extern const struct argp filter_options_argp;

/** snapshot_wanted() - by errno, pid, comm and cpu of @filter */
bool snapshot_wanted(const struct capture_options *filter, const struct snapshot *snap);

/**
 * filter_options_check_outputs() - no output may be one of @inputs, or two outputs one file
 * To be asked before any of them is opened: an option of what made a capture, used again to read
 * it, is not to cost the evidence.
 * @what: the inputs are, "capture"
 * Return: 0; the exit status, after saying so.
 */
int filter_options_check_outputs(const struct filter_options *wanted, char *const *inputs,
				 size_t count, const char *what);

#endif
