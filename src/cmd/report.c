// SPDX-License-Identifier: GPL-2.0
/* report.c - capture files in, everything that a trace can print out */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capfile/format.h"
#include "capfile/reader.h"
#include "cmd/trace/aggregate.h"
#include "cmd/option_args.h"
#include "cmd/cmd.h"
#include "cmd/postmortem/flight_show.h"
#include "cmd/watch/journal_show.h"
#include "cmd/output.h"
#include "cmd/trace/filter_options.h"
#include "cmd/view.h"
#include "pipeline/pipeline.h"
#include "render/perf/perf_data.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/vector.h"

/**
 * struct report_options - what the user asked for
 * @flight: this machine's flight recorder instead of files
 * @journal: journals instead of files; @story: the captures in them are shown as @files are,
 *           which these are then the names of; of files it is the view's alone
 * @captures: those
 * @perf_data: directory to make for perf, instead of printing; or NULL
 */
struct report_options {
	char **files;
	size_t file_count;
	const char *flight;
	struct journal_args journal;
	bool story;
	struct journal_captures captures;
	const char *perf_data;
	struct filter_options wanted;
};

/** struct input - one file */
struct input {
	const char *path;
	struct capfile *file;
	struct view *view;
};

/**
 * struct report - what is under way
 * @inputs: one for each file, as @run.items
 * @lost: events that the files' ends tell of
 * @msg: of what failed while @run was under way
 */
struct report {
	const struct report_options *opts;
	struct input *inputs;
	struct pipeline_run run;
	FILE *out;
	uint64_t printed;
	uint64_t lost;
	struct errmsg *msg;
	struct perf_data *perf_data;
	struct aggregate *aggregate;
	struct progress *progress;
	struct lines_pool *pool;
	bool damaged; /* some of what was asked for could not be read */
};

enum {
	OPT_FLIGHT = 0x100,
	OPT_PERF_DATA,
	OPT_JOURNAL,
	OPT_JOURNAL_SEND,
	OPT_CAPTURE_BYTES,
	OPT_STORY,
	OPT_HOST,
	OPT_PATH_ID,
};

static const struct argp_option options[] = {
	{"flight", OPT_FLIGHT, "DIR", OPTION_ARG_OPTIONAL,
	 "What this machine's flight recorder holds (in " FLIGHT_DIR_DEFAULT "), instead of a file",
	 1},
	{"journal", OPT_JOURNAL, "DIR", OPTION_ARG_OPTIONAL,
	 "What traces have sent with --journal, as a summary: out of this machine's journal, or of "
	 "the journals in DIR, which may be of many",
	 1},
	{"story", OPT_STORY, 0, 0,
	 "Of a capture of why: the full account, with the branches. With --journal: instead of the "
	 "summary, the captures that the messages hold, as those of files; one for each path and "
	 "host, and again after a reboot",
	 1},
	{"host", OPT_HOST, "NAME", 0,
	 "With --journal: only messages of this host; may be given several times", 1},
	{"path-id", OPT_PATH_ID, "ID", 0, "With --journal: only messages of this path", 1},
	{"capture-bytes", OPT_CAPTURE_BYTES, "N", OPTION_HIDDEN, "As of the trace (for tests)", 1},
	{"journal-send", OPT_JOURNAL_SEND, 0, OPTION_HIDDEN, "As the trace's --journal (for tests)",
	 1},
	{"perf-data", OPT_PERF_DATA, "DIR", 0,
	 "Print nothing, but make DIR for perf: perf script -i DIR -F +brstackinsn; perf annotate "
	 "-i DIR -k DIR/vmlinux",
	 3},
	{0},
};

static const char doc[] =
	"Print capture files, as the trace would have done that made them; those of several by "
	"time.\v"
	"A file holds what is needed: neither its kernel nor an LBR has to be here. Source lines "
	"stand where debug information with the same build ID is found.\n\n"
	"FILE -: standard input.\n\n"
	"Exit status: 0 at least one snapshot, 1 none, 2 error, 64 usage.";

static int add_file(struct report_options *opts, char *arg)
{
	if (vector_grow(&opts->files, opts->file_count, sizeof(*opts->files)))
		return ENOMEM;
	opts->files[opts->file_count++] = arg;
	return 0;
}

/* What would be asked for and not be done. */
static error_t check_perf_data(const struct report_options *opts)
{
	const struct view_options *view = &opts->wanted.view;

	if (!opts->perf_data)
		return 0;
	if (opts->flight || opts->file_count > 1)
		return args_usage("--perf-data takes one FILE: symbols and text are of one kernel");
	if (opts->wanted.output || view->json || view->summary || view->trace_json || view->dot ||
	    view->svg || view->html || export_wanted(&view->export))
		return args_usage(
			"--perf-data makes a directory for perf and prints nothing: "
			"without -o, --json, --summary, --trace-json, --dot, --svg, --html, --otlp "
			"and --metrics");
	return 0;
}

static error_t check(const struct report_options *opts)
{
	const struct journal_args *journal = &opts->journal;
	error_t err = journal_args_check(journal);

	if (err)
		return err;
	if (journal->given && (opts->flight || opts->file_count))
		return args_usage("report: either --journal or --flight or a file");
	if (opts->flight && opts->file_count)
		return args_usage("report: either --flight or a file, not both");
	if (journal->given && opts->perf_data)
		return args_usage("--perf-data takes one FILE: symbols and text are of one kernel");
	return journal->given && !opts->story ? journal_show_check(&opts->wanted)
					      : check_perf_data(opts);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct report_options *opts = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->wanted;
		return 0;
	case OPT_PERF_DATA:
		opts->perf_data = arg;
		return 0;
	case ARGP_KEY_ARG:
		return add_file(opts, arg);
	case OPT_FLIGHT:
		opts->flight = arg ?: FLIGHT_DIR_DEFAULT;
		return 0;
	case OPT_JOURNAL:
		return journal_args_add(&opts->journal, arg);
	case OPT_STORY:
		opts->story = true;
		return 0;
	case OPT_HOST:
		return journal_args_add_host(&opts->journal, arg);
	case OPT_PATH_ID:
		return journal_args_path(&opts->journal, arg);
	case OPT_CAPTURE_BYTES:
		return args_capture_bytes(arg, &opts->wanted.view.export.capture_bytes);
	case OPT_JOURNAL_SEND:
		opts->wanted.view.export.journal = true;
		return 0;
	case ARGP_KEY_END:
		opts->wanted.view.story = opts->story;
		/* Of files, stories are what is printed in any case. */
		opts->story &= opts->journal.given;
		return check(opts);
	case ARGP_KEY_NO_ARGS:
		if (opts->flight || opts->journal.given)
			return 0;
		return args_usage("report: which capture file? For example: lbrsnoop report x.lbr");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &filter_options_argp}, {0}};

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE...",
	.doc = doc,
};

static bool is_wanted(void *ctx, const struct snapshot *snap)
{
	const struct report *report = ctx;

	return snapshot_wanted(&report->opts->wanted.filter, snap);
}

static int say_unreadable(const struct input *input, int err, struct errmsg *msg)
{
	return errmsg_set(msg, err == -EACCES || err == -EPERM ? -EIO : err, "%s: %s", input->path,
			  strerror(-err));
}

static int open_input(struct report *report, size_t index, struct errmsg *msg)
{
	struct input *input = &report->inputs[index];
	struct pipeline *pipeline = &report->run.items[index];
	const struct capfile_meta *meta;
	struct sink sink;
	int err;

	if (report->opts->story)
		err = capfile_open_fd(report->opts->captures.items[index].fd, input->path,
				      &input->file, msg);
	else
		err = capfile_open(input->path, &input->file, msg);
	if (err)
		return err;
	pipeline->source = capfile_source(input->file);
	meta = capfile_meta(input->file);
	err = view_create_for_capture(&report->opts->wanted.view, report->out, input->file,
				      report->pool, report->aggregate, &input->view, msg);
	if (err)
		return err;
	if (!report->opts->perf_data) {
		sink = view_sink(input->view);
		pipeline_add_sink(pipeline, &sink);
	}
	log_verbose("%s: %s, Linux %s, LBR %s, filter %s; %s", input->path, meta_get(meta, "host"),
		    meta->release, meta->lbr.model, meta->filter, meta_get(meta, "command"));
	err = pipeline_fill(&report->run, pipeline);
	return err ? say_unreadable(input, err, msg) : 0;
}

/* What the user must know of a file that did not end as it should. */
static void say_end(struct report *report, struct input *input)
{
	char why[256];

	report->lost += capfile_lost(input->file);
	if (report->aggregate)
		aggregate_add_lost(report->aggregate, capfile_lost(input->file));
	capfile_end_text(input->file, why, sizeof(why));
	if (*why)
		log_warning("%s: %s", input->path, why);
	report->damaged |= capfile_ended(input->file) == CAPFILE_END_DAMAGED ||
			   capfile_ended(input->file) == CAPFILE_END_FOLLOWED;
}

/* The others are shown although one of them cannot be read any further. */
static int on_ended(void *ctx, struct pipeline *pipeline, int err)
{
	struct report *report = ctx;
	struct input *input = &report->inputs[pipeline - report->run.items];
	struct errmsg msg = {};

	if (!err) {
		say_end(report, input);
		return 0;
	}
	if (report->opts->file_count == 1 || err == -ENOMEM)
		return say_unreadable(input, err, report->msg);
	say_unreadable(input, err, &msg);
	log_error("%s", msg.text);
	report->damaged = true;
	return 0;
}

static void say_opening(const struct report *report, const char *path)
{
	char what[256];

	snprintf(what, sizeof(what), "%s: symbols, debug information", path);
	progress_say(report->progress, what);
}

static void say_reading(const struct report *report)
{
	char what[256];
	size_t count = report->opts->file_count;

	if (count > 1)
		snprintf(what, sizeof(what), "reading %zu captures", count);
	else
		snprintf(what, sizeof(what), "reading %s", report->opts->files[0]);
	progress_say(report->progress, what);
}

static int print_all(struct report *report, struct errmsg *msg)
{
	int err;

	report->msg = msg;
	report->run.progress = report->progress;
	say_reading(report);
	err = pipeline_run(&report->run);
	report->printed = report->run.taken;
	report->lost += report->run.lost;
	return report->run.sink_failed ? output_failed(report->opts->wanted.output, err, msg) : err;
}

static int perf_event(void *ctx, const struct event *event)
{
	return perf_data_add(ctx, event->snap);
}

static int start_perf_data(struct report *report, struct errmsg *msg)
{
	struct sink sink = {.event = perf_event};
	int err = perf_data_create(report->opts->perf_data, capfile_meta(report->inputs[0].file),
				   &report->perf_data, msg);

	if (err)
		return err;
	sink.ctx = report->perf_data;
	pipeline_add_sink(&report->run.items[0], &sink);
	return 0;
}

/* Of several machines, each snapshot says which it is of. */
static int name_hosts(struct report *report)
{
	const char *first = NULL;
	bool several = false;
	int err = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < report->opts->file_count && !err; i++) {
			struct input *input = &report->inputs[i];
			const char *host;

			if (!input->view)
				continue;
			/* As the summary of the journal, and --host, call it. */
			host = report->opts->story
				       ? report->opts->captures.items[i].host
				       : meta_get(capfile_meta(input->file), CAPFILE_META_HOST);
			first = first ?: host;
			several |= strcmp(first, host) != 0;
			if (pass)
				err = view_set_host(input->view, host, several);
		}
	return err;
}

/* Nothing is printed before all is read. */
static bool prints_late(const struct report_options *opts)
{
	const struct view_options *view = &opts->wanted.view;

	if (export_takes_output(&view->export))
		return false;
	return opts->perf_data || ((view->silent || view->summary) && !view->interval_ms);
}

/* The others are shown although one of them cannot be read. */
static int open_inputs(struct report *report, struct errmsg *msg)
{
	size_t opened = 0, count = report->opts->file_count;

	allow_files(count);
	for (size_t i = 0; i < count; i++) {
		struct input *input = &report->inputs[i];
		int err;

		input->path = report->opts->files[i];
		say_opening(report, input->path);
		err = open_input(report, i, msg);
		/* What the user said of the view is wrong for all of them. */
		if (err && (count == 1 || err == -ENOMEM || (input->file && !input->view)))
			return err;
		if (err) {
			log_error("%s", msg->text);
			*msg = (struct errmsg){};
			report->damaged = true;
			continue;
		}
		opened++;
		report->run.last = report->run.last ?: &report->run.items[i];
		if (!report->run.items[i].filled)
			say_end(report, input);
	}
	return opened ? name_hosts(report)
		      : errmsg_set(msg, -EINVAL, "none of the %zu files can be read", count);
}

static void end_progress(struct report *report)
{
	progress_end(report->progress);
	report->progress = NULL;
}

static int report_all(struct report *report, struct errmsg *msg)
{
	size_t count = report->opts->file_count;
	int err = 0;

	report->inputs = calloc(count, sizeof(*report->inputs));
	report->run = (struct pipeline_run){
		.items = calloc(count, sizeof(*report->run.items)),
		.count = count,
		.wanted = is_wanted,
		.ended = on_ended,
		.ctx = report,
		.max = report->opts->wanted.count,
		.stop = &stop_requested,
	};
	report->pool = lines_pool_create();
	if (!report->inputs || !report->run.items || !report->pool)
		return -ENOMEM;
	report->progress = output_progress(report->out, prints_late(report->opts),
					   "reading captures", "snapshots");
	if (aggregate_wanted(&report->opts->wanted.view))
		err = aggregate_create(&report->opts->wanted.view, report->out, &report->aggregate,
				       msg);
	err = err ?: open_inputs(report, msg);
	err = err ?: output_begin(report->out);
	if (!err && report->opts->perf_data)
		err = start_perf_data(report, msg);
	err = err ?: print_all(report, msg);
	if (!report->perf_data)
		end_progress(report);
	if (!err && stop_requested)
		log_warning("stopped after %llu snapshots: not all are shown",
			    (unsigned long long)report->printed);
	if (!err && report->perf_data)
		err = perf_data_finish(report->perf_data, capfile_symbols(report->inputs[0].file),
				       capfile_text(report->inputs[0].file), msg);
	else if (!err)
		err = view_finish(report->inputs[report->run.last - report->run.items].view, msg);
	if (!err && report->aggregate && !report->perf_data)
		err = aggregate_finish(report->aggregate, msg);
	if (!err && report->lost)
		log_warning("%llu snapshots shown; %llu events were lost when they were captured",
			    (unsigned long long)report->printed, (unsigned long long)report->lost);
	return err;
}

static void close_inputs(struct report *report)
{
	end_progress(report);
	aggregate_destroy(report->aggregate);
	perf_data_destroy(report->perf_data);
	for (size_t i = 0; report->inputs && i < report->opts->file_count; i++) {
		view_destroy(report->inputs[i].view);
		capfile_close(report->inputs[i].file);
		if (report->run.items)
			pipeline_deinit(&report->run.items[i]);
	}
	lines_pool_destroy(report->pool);
	free(report->inputs);
	free(report->run.items);
}

/* The captures take the place of files, whose names are theirs. */
static int use_captures(struct report_options *opts, struct errmsg *msg)
{
	int err = journal_inputs_read(&opts->journal, &opts->captures, msg);

	for (size_t i = 0; i < opts->captures.count && !err; i++)
		err = -add_file(opts, opts->captures.items[i].name);
	opts->wanted.view.html_inputs = opts->files;
	opts->wanted.view.html_input_count = opts->file_count;
	return err;
}

static int report_main(int argc, char **argv, char **original)
{
	struct report_options opts = {.wanted = FILTER_OPTIONS_DEFAULT};
	struct report report = {.opts = &opts, .out = stdout};
	struct errmsg msg = {};
	int err;

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &opts)) {
		free(opts.files);
		return EXIT_USAGE;
	}
	if (opts.wanted.view.export.journal)
		args_hide(argc, original);
	opts.wanted.view.html_inputs = opts.files;
	opts.wanted.view.html_input_count = opts.file_count;
	if (opts.journal.given)
		err = journal_args_check_outputs(&opts.journal, &opts.wanted);
	else
		err = filter_options_check_outputs(&opts.wanted, opts.files, opts.file_count,
						   "capture");
	if (err) {
		free(opts.files);
		return err;
	}
	if (opts.wanted.output)
		report.out = output_open(opts.wanted.output);
	if (!report.out) {
		log_error("%s: %s", opts.wanted.output, strerror(errno));
		free(opts.files);
		return EXIT_ERROR;
	}
	install_reader_stop_handlers();
	if (opts.flight) {
		struct flight_show show = {
			.wanted = &opts.wanted,
			.count = opts.wanted.count,
			.out = report.out,
		};

		err = flight_show_live(&show, opts.flight, &msg);
		report.printed = show.printed;
	} else if (opts.journal.given && !opts.story) {
		err = journal_show(&opts.wanted, &opts.journal, report.out, &report.printed, &msg);
	} else {
		err = opts.story ? use_captures(&opts, &msg) : 0;
		report.damaged = opts.captures.damaged;
		if (!err && opts.file_count)
			err = report_all(&report, &msg);
	}
	close_inputs(&report);
	journal_captures_deinit(&opts.captures);
	err = output_end(report.out, opts.wanted.output, err, &msg);
	if (err)
		log_error("%s", msg.text[0] ? msg.text : strerror(-err));
	free(opts.files);
	if (err == -EPERM && opts.flight)
		return EXIT_PERMISSION;
	if (err || report.damaged)
		return EXIT_ERROR;
	return report.printed ? EXIT_SEEN : EXIT_NONE;
}

int cmd_report(int argc, char **argv)
{
	_cleanup_free_ char **copy = args_copy(argc, argv);

	if (!copy) {
		log_error("%s", strerror(ENOMEM));
		return EXIT_ERROR;
	}
	return report_main(argc, copy, argv);
}
