/* SPDX-License-Identifier: GPL-2.0 */
/* why_options.h - command line of "lbrsnoop why" */
#ifndef LBRSNOOP_CMD_WHY_WHY_OPTIONS_H
#define LBRSNOOP_CMD_WHY_WHY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "cmd/view.h"
#include "host/cgroup.h"

struct target_spec;

/**
 * struct why_options - what the user asked for
 * @filter: the errnos, and what runs already
 * @command: its words, NULL-terminated; NULL or empty: what runs already
 * @cgroup: its ID is 0: none
 * @timeout_ms: 0: none
 * @syscall: number; -1: any
 * @private: @no_values is set, too
 * @deep_runs: 0: not asked for
 * @target: of lbrsnoop --deep: the way there is shown, and no error explained; borrowed; or NULL
 * @advice: the command for a machine without an LBR; borrowed; or NULL
 */
struct why_options {
	struct view_options view;
	struct capture_options filter;
	char **command;
	const char *output;
	const char *record;
	struct cgroup cgroup;
	uint64_t timeout_ms;
	int syscall;
	bool all;
	bool once;
	bool no_lbr;
	bool no_values;
	bool private;
	uint64_t deep_runs;
	const struct target_spec *target;
	const char *advice;
};

/**
 * why_options_parse() - what is wrong with them is said
 * Return: 0, or EXIT_USAGE.
 */
int why_options_parse(int argc, char **argv, struct why_options *opts);

/** why_attaches() - is what runs already meant? */
bool why_attaches(const struct why_options *opts);

#endif
