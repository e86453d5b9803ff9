// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/filter_options.h"

#include <string.h>

#include "cmd/option_args.h"
#include "cmd/cmd.h"
#include "util/bitset.h"
#include "util/cleanup.h"
#include "util/log.h"

enum {
	OPT_HTML = 0x400,
};

static const struct argp_option options[] = {
	{0, 0, 0, 0, "What to print:", 1},
	{"errno", 'e', "LIST", 0, "Error returns: ENOENT,-EINVAL,any; none: every return (default)",
	 0},
	{"pid", 'p', "PID", 0, "Only this process", 0},
	{"comm", 'c', "NAME", 0, "Only tasks of this name", 0},
	{"cpu", 'C', "LIST", 0, "Only of these CPUs: 0,2-4", 0},
	{"count", 'n', "N", 0, "The first N snapshots", 0},
	{0, 0, 0, 0, "How to print it:", 3},
	{"output", 'o', "FILE", 0, "Print into FILE", 0},
	{"html", OPT_HTML, "FILE", 0,
	 "Instead, a page for a browser: the answers, each path, when and where; in one file that "
	 "needs no network; -: on standard output",
	 0},
	{"branches", 'b', 0, 0, "The plain list of branches", 0},
	{"verbose", 'v', 0, 0, "Say more", 0},
	{"quiet", 'q', 0, 0, "No status on stderr, only warnings and errors", 0},
	{0},
};

/* A page is no text, and stands alone. */
static error_t check_html(struct filter_options *wanted)
{
	struct view_options *view = &wanted->view;

	if (!view->html)
		return 0;
	if (view->json || view->branches || (wanted->output && !view->summary))
		return args_usage("--html writes a page instead of text: without --json, "
				  "--branches, and -o but for --summary");
	if (args_is_stdout(view->html) && view->summary && !wanted->output)
		return args_usage("--html %s: the page and --summary would be on one output; -o "
				  "FILE takes the summary",
				  view->html);
	if (args_is_stdout(view->html) && view->export.otlp && args_is_stdout(view->export.otlp))
		return args_usage("--html %s and --otlp %s would be on one output", view->html,
				  view->export.otlp);
	view->silent = true;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct filter_options *wanted = state->input;
	error_t err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &wanted->view;
		return 0;
	case 'n':
		err = args_number("--count", arg, UINT64_MAX, &wanted->count);
		return err || wanted->count ? err
					    : args_usage("--count 0: leave it out to see all");
	case 'o':
		wanted->output = arg;
		return 0;
	case OPT_HTML:
		wanted->view.html = arg;
		return 0;
	case ARGP_KEY_END:
		return check_html(wanted);
	case 'b':
		wanted->view.branches = true;
		return 0;
	default:
		err = args_filter(&wanted->filter, key, arg);
		return err == ARGP_ERR_UNKNOWN ? args_status(key) : err;
	}
}

static const struct argp_child children[] = {{.argp = &view_argp}, {0}};

const struct argp filter_options_argp = {
	.children = children,
	.options = options,
	.parser = parse_option,
};

static bool errno_wanted(const struct capture_options *filter, const struct snapshot *snap)
{
	if (!filter->errno_filter)
		return true;
	if (!snap->err)
		return false;
	return filter->errno_any || bitset_has(filter->errnos, snap->err);
}

bool snapshot_wanted(const struct capture_options *filter, const struct snapshot *snap)
{
	if (filter->pid && snap->pid != filter->pid)
		return false;
	if (filter->comm && strncmp(snap->comm, filter->comm, COMM_LEN - 1))
		return false;
	if (filter->cpu_filter &&
	    (snap->cpu >= CPU_WORDS * 64 || !bitset_has(filter->cpus, snap->cpu)))
		return false;
	return errno_wanted(filter, snap);
}

/* "-" is no file of that name. */
static const char *file_of(const char *output)
{
	return output && !strcmp(output, "-") ? "/dev/stdout" : output;
}

int filter_options_check_outputs(const struct filter_options *wanted, char *const *inputs,
				 size_t count, const char *what)
{
	const struct view_options *view = &wanted->view;
	const char *outputs[] = {
		wanted->output,	    view->trace_json,		view->dot,
		view->svg,	    file_of(view->export.otlp), view->export.metrics,
		file_of(view->html)};
	const char *shared = args_shared_output(outputs, ARRAY_SIZE(outputs));

	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++)
		for (size_t k = 0; k < count && outputs[i]; k++)
			if (args_same_file(outputs[i], inputs[k])) {
				log_error("%s: the %s itself; what is printed needs another file",
					  outputs[i], what);
				return EXIT_ERROR;
			}
	if (shared)
		log_error("%s: two outputs cannot be one file", shared);
	return shared ? EXIT_USAGE : 0;
}
