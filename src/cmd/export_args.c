// SPDX-License-Identifier: GPL-2.0
#include "cmd/export_args.h"

#include <stdint.h>

#include "cmd/option_args.h"
#include "export/export.h"

enum {
	OPT_OTLP = 0x300,
	OPT_METRICS,
	OPT_MAX_SERIES,
	OPT_EXPORT_COMM,
};

static const struct argp_option options[] = {
	{0, 0, 0, 0, "For other systems; no argument, path or command line is in it:", 6},
	{"otlp", OPT_OTLP, "FILE", 0,
	 "Also write a log record of OpenTelemetry a snapshot, a line of JSON each, for a "
	 "collector's file receiver; -: these alone, on standard output",
	 0},
	{"metrics", OPT_METRICS, "FILE", 0,
	 "Also write, at the end, counts by function, errno and path id for node_exporter's "
	 "textfile collector; FILE is replaced as a whole",
	 0},
	{"max-series", OPT_MAX_SERIES, "N", 0,
	 "At most so many paths in it, the most frequent ones (default 1000)", 0},
	{"export-comm", OPT_EXPORT_COMM, 0, 0, "The names of tasks leave this machine, too", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct export_options *opts = state->input;
	uint64_t value;
	error_t err;

	switch (key) {
	case OPT_OTLP:
		opts->otlp = arg;
		return 0;
	case OPT_METRICS:
		opts->metrics = arg;
		return 0;
	case OPT_MAX_SERIES:
		err = args_number("--max-series", arg, PATH_COUNTS_MAX, &value);
		if (!err && !value)
			return args_usage("--max-series 0: one at least is needed");
		opts->series = (uint32_t)value;
		return err;
	case OPT_EXPORT_COMM:
		opts->comm = true;
		return 0;
	case ARGP_KEY_END:
		if (opts->series && !opts->metrics)
			return args_usage("--max-series is for --metrics FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp export_argp = {.options = options, .parser = parse_option};
