/* SPDX-License-Identifier: GPL-2.0 */
/* trace_options.h - command line of a trace */
#ifndef LBRSNOOP_CMD_TRACE_TRACE_OPTIONS_H
#define LBRSNOOP_CMD_TRACE_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "cmd/view.h"
#include "target/target.h"

/** enum trace_mode - which command it is that traces */
enum trace_mode {
	TRACE_SHOW,
	TRACE_RECORD,
	TRACE_COMPARE,
};

/**
 * struct trace_compare - of "compare TARGET"
 * @wanted: that is the command: every return is captured, and -e says which are failures
 * @failing, @passing: -n: so many of each
 * @top_given: --top stood on the command line
 */
struct trace_compare {
	bool wanted;
	uint32_t failing;
	uint32_t passing;
	bool top_given;
};

struct capture;

/**
 * struct trace_counts - what became of what was captured
 * @captured: snapshots that matched, those that no budget allowed among them
 * @shown: that went through the pipeline
 * @left_out: of @captured, by a limit
 * @lost: events without a snapshot; @lost_told: those of them that the pipeline knows of
 */
struct trace_counts {
	uint64_t captured;
	uint64_t shown;
	uint64_t left_out;
	uint64_t lost;
	uint64_t lost_told;
};

/**
 * struct trace_watcher - who follows a trace; it installs the handlers of signals itself
 * @armed: everything is armed; @places: so many
 * @tick: five times a second at least, and when all is disarmed, with @last. Return: go on?
 */
struct trace_watcher {
	void (*armed)(void *ctx, struct capture *capture, size_t places);
	bool (*tick)(void *ctx, struct capture *capture, const struct trace_counts *counts,
		     bool last);
	void *ctx;
};

/**
 * struct trace_options - what the user asked for
 * @targets, @target_count: parsed; free with trace_options_deinit()
 * @trigger: -T; TRIGGER_NONE for auto
 * @capture_bytes_given: --capture-bytes is for --journal alone
 * @at_errno: --at errno
 * @rotate: --rotate
 * @branches_given: -j stood on the command line
 * @user: targets are user functions
 * @errno_given: -e stood on the command line
 * @capture: filters, LBR and ring buffer
 * @deep_runs: --deep: 0: not asked for
 * @count: stop after so many snapshots, 0: never
 * @timeout_ms: stop then, 0: never
 * @output: file, NULL: stdout
 * @record: capture file, or NULL
 * @no_values: no arguments of functions are captured
 * @record_only: nothing is shown
 * @compare: failing and passing returns are compared at the end, none is shown
 * @flight: directory of the flight recorder, NULL: none
 * @flight_stop: disarm it, and nothing else; @flight_discard: and free it
 * @max_bytes, @max_files: of capture files, see struct recording_options
 * @max_rate: snapshots a second at most, 0: no limit
 * @command_line: all arguments, for the capture file; free with trace_options_deinit()
 * @skip_unknown: targets that are not there are said, and the others armed
 * @watcher: or NULL
 * @command: what stood behind "--", NULL if nothing did: run it, trace it alone, end with it
 */
struct trace_options {
	struct target_spec *targets;
	size_t target_count;
	enum trigger_kind trigger;
	bool at_errno;
	bool capture_bytes_given;
	bool rotate;
	bool errno_given;
	bool branches_given;
	bool user;
	struct capture_options capture;
	char filter_name[128];
	uint64_t deep_runs;
	uint64_t count;
	uint64_t timeout_ms;
	const char *output;
	const char *record;
	bool no_values;
	bool record_only;
	struct trace_compare compare;
	const char *flight;
	bool flight_stop;
	bool flight_discard;
	uint64_t max_bytes;
	uint32_t max_files;
	uint64_t max_rate;
	char *command_line;
	bool skip_unknown;
	const struct trace_watcher *watcher;
	char **command;
	struct view_options view;
};

/**
 * trace_options_parse() - parse, complain on stderr
 * Return: 0; EXIT_USAGE. --help and --version end the program.
 */
int trace_options_parse(int argc, char **argv, enum trace_mode mode,
			struct trace_options *ret_opts);

/* The parts of it, for who has no command line. */

/** trace_options_init() - what holds where the user does not say */
void trace_options_init(struct trace_options *opts);

/** trace_options_add_target() - @text is borrowed; 0; EINVAL or ENOMEM, after saying so */
int trace_options_add_target(struct trace_options *opts, const char *text);

/** trace_options_settle() - when all targets are there: do they go together? 0; EINVAL, said */
int trace_options_settle(struct trace_options *opts);

void trace_options_deinit(struct trace_options *opts);

#endif
