/* SPDX-License-Identifier: GPL-2.0 */
/* trace_options.h - command line of a trace */
#ifndef LBRSNOOP_CMD_TRACE_OPTIONS_H
#define LBRSNOOP_CMD_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "cmd/view.h"
#include "target/target.h"

/**
 * struct trace_options - what the user asked for
 * @targets, @target_count: parsed; free with trace_options_deinit()
 * @trigger: -T; TRIGGER_NONE for auto
 * @at_errno: --at errno
 * @rotate: --rotate
 * @capture: filters, LBR and ring buffer
 * @count: stop after so many snapshots, 0: never
 * @timeout_ms: stop then, 0: never
 * @output: file, NULL: stdout
 * @command: what stood behind "--", NULL if nothing did: run it, trace it alone, end with it
 */
struct trace_options {
	struct target_spec *targets;
	size_t target_count;
	enum trigger_kind trigger;
	bool at_errno;
	bool rotate;
	struct capture_options capture;
	char filter_name[128];
	uint64_t count;
	uint64_t timeout_ms;
	const char *output;
	char **command;
	struct view_options view;
};

/**
 * trace_options_parse() - parse, complain on stderr
 * Return: 0; EXIT_USAGE. --help and --version end the program.
 */
int trace_options_parse(int argc, char **argv, struct trace_options *ret_opts);
void trace_options_deinit(struct trace_options *opts);

#endif
