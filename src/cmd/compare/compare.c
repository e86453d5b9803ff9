// SPDX-License-Identifier: GPL-2.0
/*
 * compare.c - captures of failing and of passing calls in, the decisions that tell them apart out
 *
 * Where a TARGET stands in place of files it is a trace: compare_live.c.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capfile/format.h"
#include "capfile/reader.h"
#include "cmd/option_args.h"
#include "cmd/cmd.h"
#include "cmd/export_args.h"
#include "cmd/compare/builds.h"
#include "cmd/compare/comparison.h"
#include "cmd/compare/given_twice.h"
#include "cmd/output.h"
#include "cmd/watch/journal_inputs.h"
#include "cmd/trace/filter_options.h"
#include "compare/branch_key.h"
#include "compare/call.h"
#include "compare/ranking.h"
#include "pipeline/pipeline.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/vector.h"

/* Files of a build in which names are looked up; each reads the index of the debug information. */
#define FILES_NAMED_MAX 16

/**
 * struct compare_file - @path and what the user said of it
 * @capture: out of a journal, @path is its name; NULL: a file
 */
struct compare_file {
	char *path;
	enum side side;
	const struct journal_capture_file *capture;
};

/**
 * struct compare_options - what the user asked for
 * @side: of the files that follow
 * @journal_side: of journals where no --host is; @host_sides: of each of them
 * @captures: of the journals, which are among @files
 */
struct compare_options {
	struct compare_file *files;
	size_t file_count;
	enum side side;
	struct journal_args journal;
	enum side journal_side;
	enum side host_sides[JOURNAL_HOSTS_MAX];
	struct journal_captures captures;
	bool top_given;
	bool no_values;
	struct filter_options wanted;
};

/**
 * struct compare - what is under way
 * @builds: the kernels that the files are of
 * @page: of --html
 * @file: that is read now, of @build of them
 * @view: for names of the source in @file; NULL: the build's, or there are none
 * @named: were names looked up in @file? @files_named: in so many that have a view of their own
 * @event: that is read now; @addr of its present decision
 * @missing: what is left out
 */
struct compare {
	const struct compare_options *opts;
	struct ranking *ranking;
	struct builds builds;
	struct capfile *file;
	size_t build;
	struct view *view;
	bool named;
	unsigned int files_named;
	const struct event *event;
	uint64_t addr;
	struct html_out page;
	enum side side;
	FILE *out;
	struct progress *progress;
	uint64_t calls;
	struct compare_missing missing;
	bool damaged;
};

enum {
	OPT_GOOD = 0x100,
	OPT_BAD,
	OPT_NO_VALUES,
	OPT_JOURNAL,
	OPT_HOST,
	OPT_LIVE, /* one of live_options */
};

static const struct argp_option options[] = {
	{"good", OPT_GOOD, 0, 0, "The files that follow are of passing calls", 1},
	{"bad", OPT_BAD, 0, 0, "The files that follow are of failing calls", 1},
	{"no-values", OPT_NO_VALUES, 0, 0, "Without the values that calls had and returned", 1},
	{"journal", OPT_JOURNAL, "DIR", OPTION_ARG_OPTIONAL,
	 "The captures that messages of 'lbrsnoop watch' hold, as files: out of this machine's "
	 "journal, or of the journals in DIR",
	 1},
	{"host", OPT_HOST, "NAME", 0,
	 "With --journal: only captures of this host, of passing calls after --good, of failing "
	 "ones after --bad; may be given several times",
	 1},
	{0},
};

/* Those of a trace that make sense where a ranking is printed: trace_options.c parses them. */
static const struct argp_option live_options[] = {
	{0, 0, 0, 0, "With TARGET:", 2},
	{"follow", 'f', 0, 0, "Also the children of the process, or of COMMAND", 0},
	{"timeout", 't', "SECONDS", 0, "Compare what has come after so many seconds", 0},
	{"trigger", 'T', "KIND", 0, "How to trigger; as of a trace", 0},
	{"branch-filter", 'j', "LIST", 0, "Branches to record; as of a trace", 0},
	{"rotate", OPT_LIVE, 0, 0, "As of a trace", 0},
	{"max-overhead", OPT_LIVE, "PERCENT", 0, "As of a trace", 0},
	{"max-rate", OPT_LIVE, "N", 0, "As of a trace", 0},
	{"record", OPT_LIVE, "FILE", 0, "Also write a capture file, of all returns", 2},
	{"max-size", OPT_LIVE, "BYTES", 0, "Of a capture file; as of a trace", 2},
	{"max-files", OPT_LIVE, "N", 0, "As of a trace", 2},
	{"ring-bytes", OPT_LIVE, "BYTES", 0, "Size of the ring buffer (default 16 MiB)", 2},
	{"no-lbr", OPT_LIVE, 0, OPTION_HIDDEN, "As of a trace", 2},
	{0},
};

static const char doc[] =
	"Which decisions tell failing calls from passing ones: returns of a function, captured "
	"now; or those of capture files, of one host or many.\v"
	"With TARGET both kinds are captured, until there are 100 failing and 1000 passing "
	"returns (-n FAILING[:PASSING] says how many), COMMAND ends, or Ctrl-C. Of a kind that is "
	"frequent they are drawn from all that were seen, which are counted; -e says which errors "
	"are failures.\n\n"
	"  lbrsnoop compare do_sys_openat2\n\n"
	"Of COMMAND these are the calls of its own process; with -f also those of the processes "
	"that it starts.\n\n"
	"A name of a file or a directory that is there, one that ends in .lbr, or with a / is a "
	"FILE.\n\n"
	"Without --good and --bad the returned values tell: record both with -e none, for "
	"example\n\n"
	"  lbrsnoop record -e none -n 1000 -o x.lbr may_open\n"
	"  lbrsnoop compare x.lbr\n\n"
	"Decisions are ranked by balanced accuracy, 1 if they tell all calls apart, 0.5 by chance. "
	"A "
	"call whose record does not reach back to a decision does not count for it.\n\n"
	"Exit status: 0 failing and passing calls were compared, 1 there are none of one kind, 2 "
	"error, 64 usage.";

static int add_file(struct compare_options *opts, char *arg)
{
	if (vector_grow(&opts->files, opts->file_count, sizeof(*opts->files)))
		return ENOMEM;
	opts->files[opts->file_count++] = (struct compare_file){.path = arg, .side = opts->side};
	return 0;
}

/* Thousands of files, of a fleet's hosts, may be given: each is looked up once. */
static error_t check_twice(const struct compare_options *opts)
{
	_cleanup_free_ const char **paths = calloc(opts->file_count, sizeof(*paths));
	const char *twice;
	int err;

	if (opts->file_count && !paths)
		return ENOMEM;
	for (size_t i = 0; i < opts->file_count; i++)
		paths[i] = opts->files[i].path;
	err = file_given_twice(paths, opts->file_count, &twice);
	if (err || !twice)
		return -err;
	return args_usage("compare: %s is given twice: its calls would count twice", twice);
}

static error_t check(const struct compare_options *opts)
{
	const struct view_options *view = &opts->wanted.view;
	bool sides[] = {[SIDE_BOTH] = false, [SIDE_GOOD] = false, [SIDE_BAD] = false};
	bool good, bad, both;
	const char *host;
	error_t err;

	if (view->summary || view->trace_json || view->dot || view->svg || view->raw ||
	    view->insns || view->branches || view->interval_ms || export_wanted(&view->export))
		return args_usage(
			"compare prints a ranking: without --summary, --interval, --trace-json, "
			"--dot, --svg, --raw, --insns, --branches, --otlp and --metrics");
	for (size_t i = 0; i < opts->file_count; i++) {
		sides[opts->files[i].side] = true;
	}
	for (size_t i = 0; i < opts->journal.wanted.host_count; i++)
		sides[opts->host_sides[i]] = true;
	if (opts->journal.given && !opts->journal.wanted.host_count)
		sides[opts->journal_side] = true;
	good = sides[SIDE_GOOD];
	bad = sides[SIDE_BAD];
	both = sides[SIDE_BOTH];
	if (both && (good || bad))
		return args_usage("compare: say of all files, or of none, whether they are --good "
				  "or --bad");
	host = host_of_both_sides(opts->journal.hosts, opts->host_sides,
				  opts->journal.wanted.host_count);
	if (host)
		return args_usage("compare: --host '%s' is given twice, as of passing and of "
				  "failing calls; without --good and --bad the returned values "
				  "tell them apart",
				  host);
	err = check_twice(opts);
	if (err)
		return err;
	if (opts->wanted.count && (good || bad))
		return args_usage(
			"compare: -n counts the calls of all files, in their order, so that it "
			"would leave out those of the last ones, a whole kind; leave -n away with "
			"--good and --bad");
	if (both && opts->wanted.filter.errno_filter)
		return args_usage(
			"compare: -e leaves the passing calls out; with --good and --bad it is of "
			"the --bad files alone");
	if (good != bad)
		return args_usage("compare: --good FILE... and --bad FILE... go together; with "
				  "--journal, --good --host NAME and --bad --host NAME");
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct compare_options *opts = state->input;
	error_t err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->wanted;
		return 0;
	case OPT_GOOD:
		opts->side = SIDE_GOOD;
		return 0;
	case OPT_BAD:
		opts->side = SIDE_BAD;
		return 0;
	case OPT_NO_VALUES:
		opts->no_values = true;
		return 0;
	case OPT_JOURNAL:
		opts->journal_side = opts->side;
		return journal_args_add(&opts->journal, arg);
	case OPT_HOST:
		err = journal_args_add_host(&opts->journal, arg);
		if (!err)
			opts->host_sides[opts->journal.wanted.host_count - 1] = opts->side;
		return err;
	case ARGP_KEY_ARG:
		return add_file(opts, arg);
	case ARGP_KEY_END:
		err = journal_args_check(&opts->journal);
		return !err && (opts->file_count || opts->journal.given) ? check(opts) : err;
	case ARGP_KEY_NO_ARGS:
		if (opts->journal.given)
			return 0;
		return args_usage(
			"compare: which function, or which capture files? For example: lbrsnoop "
			"compare may_open, or lbrsnoop compare x.lbr");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Here the command line has files: with a TARGET they are trace_options.c's. */
static error_t refuse_live(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	if (key != OPT_LIVE && key != 't' && key != 'T' && key != 'j' && key != 'f')
		return ARGP_ERR_UNKNOWN;
	return args_usage(
		"compare: -t, -T, -j, -f, --record and what else captures need a TARGET to "
		"capture now, and here are files");
}

static const struct argp live_argp = {.options = live_options, .parser = refuse_live};
static const struct argp_child children[] = {
	{.argp = &filter_options_argp}, {.argp = &live_argp}, {0}};

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse_option,
	.args_doc = "TARGET... [-- COMMAND [ARG]...]\nFILE...\n--good FILE... --bad FILE...\n"
		    "--journal[=DIR] [--good --host NAME... --bad --host NAME...]",
	.doc = doc,
};

static const struct build *build_of(const struct compare *compare)
{
	return &compare->builds.items[compare->build];
}

/*
 * Source lines are looked up in the first file of a build, whose kernel may have been loaded
 * elsewhere; its modules lay elsewhere, too.
 */
static void place_in_build(const struct compare *compare, struct ranking_decision *item)
{
	const struct capfile *first = build_of(compare)->file;

	if (!*item->place.module)
		item->addr = item->rel + capfile_meta(first)->stext;
	else if (compare->file != first)
		item->addr = 0;
}

/* Names are looked up in the file that is read: its kernel and its modules lie where it says. */
static struct lines *lines_of_file(void *ctx)
{
	struct compare *compare = ctx;
	struct lines *lines;

	if (compare->file == build_of(compare)->file)
		return view_lines(build_of(compare)->view);
	lines = compare->view ? view_lines(compare->view) : NULL;
	if (lines && !compare->named) {
		compare->named = true;
		compare->files_named++;
	}
	return compare->files_named <= FILES_NAMED_MAX ? lines : NULL;
}

static int keys_of(void *ctx, const struct ranking_decision *decision, struct ranking_keys *ret)
{
	const struct compare *compare = ctx;
	const struct branch_code code = {
		.symbols = compare->event->source->symbols,
		.text = &compare->event->source->text,
		.addr = compare->addr,
		.lines_addr = decision->addr,
		.lines = view_lines(build_of(compare)->view),
	};

	return branch_keys(&code, decision, ret);
}

static int on_call(void *ctx, const struct ranking_call *call)
{
	struct compare *compare = ctx;
	struct ranking_call item = *call;
	int err;

	item.build = (unsigned int)compare->build;
	if (item.decided.place.function)
		place_in_build(compare, &item.decided);
	err = ranking_call(compare->ranking, &item);
	if (err != -E2BIG)
		return err;
	compare->missing.kinds++;
	return -ENOENT;
}

static int on_decision(void *ctx, const struct ranking_decision *decision)
{
	struct compare *compare = ctx;
	struct ranking_decision item = *decision;

	compare->addr = item.addr;
	place_in_build(compare, &item);
	return ranking_decision(compare->ranking, &item);
}

static void on_call_end(void *ctx)
{
	struct compare *compare = ctx;

	ranking_call_end(compare->ranking);
}

static int on_event(void *ctx, const struct event *event)
{
	struct compare *compare = ctx;
	struct symbols *symbols = event->source->symbols;
	const struct snapshot *snap = event->snap;
	const struct call_taker to = {
		.call = on_call,
		.decision = on_decision,
		.end = on_call_end,
		.ctx = compare,
		.base = capfile_meta(compare->file)->stext,
		.conditions = &compare->builds.items[compare->build].conditions,
		.lines = lines_of_file,
	};
	struct path *path;
	bool failing;
	int err;

	compare->calls++;
	compare->event = event;
	/* An entry, a tracepoint: whether the call fails is not known. */
	if (compare->side == SIDE_BOTH && !snap->has_retval && !snap->err) {
		compare->missing.no_return++;
		return 0;
	}
	failing = compare->side == SIDE_BOTH ? snap->err != 0 : compare->side == SIDE_BAD;
	path = call_path(snap, symbols, &event->source->text, &err);
	if (path)
		err = call_of_snapshot(snap, path, symbols, failing, &to);
	else if (!err)
		err = call_without_path(snap, failing, &to);
	path_free(path);
	compare->missing.no_path += err == -ENODATA;
	return err == -ENODATA ? 0 : err;
}

static bool is_wanted(void *ctx, const struct snapshot *snap)
{
	const struct compare *compare = ctx;
	struct capture_options filter = compare->opts->wanted.filter;

	/* -e says which errors are failures: it has no say of calls that pass. */
	if (compare->side == SIDE_GOOD)
		filter.errno_filter = false;
	return snapshot_wanted(&filter, snap);
}

static void say_end(struct compare *compare, const char *path, uint64_t lost)
{
	char why[256];

	capfile_end_text(compare->file, why, sizeof(why));
	if (*why) {
		compare->missing.cut++;
		log_warning("%s: %s", path, why);
	}
	compare->damaged |= capfile_ended(compare->file) == CAPFILE_END_DAMAGED;
	lost += capfile_lost(compare->file);
	compare->missing.lost += lost;
	if (lost)
		log_warning("%s: %llu events were lost when they were captured", path,
			    (unsigned long long)lost);
}

/* The first file of a build has the build's. */
static int open_view(struct compare *compare, struct errmsg *msg)
{
	const struct build *build = build_of(compare);

	compare->named = false;
	if (compare->file == build->file || !view_lines(build->view))
		return 0;
	return view_create_for_capture(&build->opts, compare->out, compare->file,
				       compare->builds.pool, NULL, &compare->view, msg);
}

static int read_file(struct compare *compare, const struct compare_file *from, struct errmsg *msg)
{
	struct pipeline pipeline = {};
	const struct sink sink = {.event = on_event, .ctx = compare};
	uint64_t max = compare->opts->wanted.count;
	struct pipeline_run run = {.items = &pipeline,
				   .count = 1,
				   .wanted = is_wanted,
				   .ctx = compare,
				   .max = max ? max - compare->calls : 0,
				   .stop = &stop_requested,
				   .progress = compare->progress};
	char what[256];
	int err;

	snprintf(what, sizeof(what), "reading %s", from->path);
	progress_say(compare->progress, what);
	if (from->capture)
		err = capfile_open_fd(from->capture->fd, from->path, &compare->file, msg);
	else
		err = capfile_open(from->path, &compare->file, msg);
	if (err)
		return err;
	pipeline.source = capfile_source(compare->file);
	pipeline_add_sink(&pipeline, &sink);
	compare->side = from->side;
	err = builds_find(&compare->builds, compare->file, from->path, &compare->opts->wanted.view,
			  compare->out, &compare->build, msg);
	err = err ?: open_view(compare, msg);
	if (!err) {
		err = pipeline_fill(&run, &pipeline) ?: pipeline_run(&run);
		if (err && err != -ENOMEM)
			errmsg_set(msg, err, "%s: %s", from->path, strerror(-err));
	}
	if (!err)
		say_end(compare, from->path, run.lost);
	pipeline_deinit(&pipeline);
	view_destroy(compare->view);
	compare->view = NULL;
	if (!compare->builds.count || compare->file != build_of(compare)->file)
		capfile_close(compare->file);
	compare->file = NULL;
	return err;
}

static void say_left_out(const struct compare *compare)
{
	if (compare->missing.stopped)
		log_warning("stopped after %llu calls: not all are compared",
			    (unsigned long long)compare->calls);
	if (compare->missing.no_path)
		log_warning(
			"%llu of %llu calls have no path, and are left out: the record was cut, "
			"filtered or overwritten, or the capture has no text",
			(unsigned long long)compare->missing.no_path,
			(unsigned long long)compare->calls);
	if (compare->missing.no_return)
		log_warning(
			"%llu of %llu snapshots tell of no return, and are left out: a function "
			"has to be traced by name, or --good and --bad say what files are of",
			(unsigned long long)compare->missing.no_return,
			(unsigned long long)compare->calls);
	if (compare->missing.kinds)
		log_warning("%llu calls are left out: of more kinds than %d failing "
			    "and %d passing",
			    (unsigned long long)compare->missing.kinds, RANKING_FAILING_MAX,
			    RANKING_PASSING_MAX);
}

/* Return: as main()'s; negative errno, with @msg. */
static int print_ranking(struct compare *compare, struct errmsg *msg)
{
	const struct compare_options *opts = compare->opts;
	_cleanup_free_ const char **names = calloc(opts->file_count, sizeof(const char *));
	struct compare_build builds[RANKING_BUILDS_MAX];
	const struct comparison comparison = {
		.ranking = compare->ranking,
		.calls = compare->calls,
		.names = names,
		.name_count = opts->file_count,
		.page = opts->wanted.view.html ? &compare->page : NULL,
		.missing = compare->missing,
		.no_values = opts->no_values,
		.opts = &opts->wanted.view,
		.top = opts->top_given ? opts->wanted.view.top : COMPARISON_TOP,
		.builds = builds,
		.build_count = compare->builds.count,
		.view = compare->builds.items[0].view,
		.out = compare->out,
		.output = opts->wanted.output,
	};

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < opts->file_count; i++)
		names[i] = opts->files[i].path;
	for (size_t i = 0; i < compare->builds.count; i++)
		builds[i] =
			(struct compare_build){.name = compare->builds.items[i].name,
					       .lines = view_lines(compare->builds.items[i].view)};
	return comparison_print(&comparison, msg);
}

static bool may_differ(const struct compare_options *opts)
{
	_cleanup_free_ const char **paths = calloc(opts->file_count, sizeof(const char *));

	for (size_t i = 0; paths && i < opts->file_count; i++)
		paths[i] = opts->files[i].path;
	return paths && builds_may_differ(paths, opts->file_count);
}

/* No file is emptied before all is read: a page takes the place of another when it is complete. */
static int compare_all(struct compare *compare, struct errmsg *msg)
{
	const struct compare_options *opts = compare->opts;
	uint64_t max = opts->wanted.count;
	int err = 0;

	compare->ranking = ranking_create();
	if (!compare->ranking)
		return -ENOMEM;
	if (may_differ(opts))
		ranking_set_keys(compare->ranking, keys_of, compare);
	if (opts->wanted.view.html)
		err = html_out_open(&compare->page, opts->wanted.view.html, msg);
	compare->progress = output_progress(compare->out, true, "reading captures", "calls");
	for (size_t i = 0; i < opts->file_count && !err && !stop_requested; i++)
		if (!max || compare->calls < max)
			err = read_file(compare, &opts->files[i], msg);
		else
			log_warning("%s is not read: -n %llu calls have come before it",
				    opts->files[i].path, (unsigned long long)max);
	progress_end(compare->progress);
	if (err)
		return err;
	compare->missing.stopped = stop_requested;
	say_left_out(compare);
	if (!compare->builds.count)
		return EXIT_NONE;
	if (compare->builds.count > 1 && ranking_match_builds(compare->ranking))
		return -ENOMEM;
	err = output_begin(compare->out);
	if (err)
		return output_failed(opts->wanted.output, err, msg);
	return print_ranking(compare, msg);
}

/**
 * struct forms - what stands on a command line
 * @file, @target: one of them, or NULL
 * @sides: --good or --bad, behind which there are files alone
 * @journal: --journal, which is read as files are
 */
struct forms {
	const char *file;
	const char *target;
	bool sides;
	bool journal;
};

/* uprobe:/bin/true:main, hw:fs/namei.c:3000: a slash behind a colon is no file's. */
static bool is_file(const char *arg)
{
	size_t len = strlen(arg);
	struct stat st;

	return !strcmp(arg, "-") || arg[strcspn(arg, "/:")] == '/' ||
	       (len > 4 && !strcmp(arg + len - 4, ".lbr")) ||
	       (!stat(arg, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)));
}

static error_t look_at(int key, char *arg, struct argp_state *state)
{
	struct forms *forms = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		*(forms->sides || is_file(arg) ? &forms->file : &forms->target) = arg;
		return 0;
	case OPT_GOOD:
	case OPT_BAD:
		forms->sides = true;
		return 0;
	case OPT_JOURNAL:
		forms->journal = true;
		return 0;
	default:
		/* Whatever else the options say, and of ARGP_KEY_ those that do not matter. */
		return 0;
	}
}

static error_t look_past(int key, char *arg, struct argp_state *state)
{
	(void)key;
	(void)arg;
	(void)state;
	return 0;
}

/*
 * -EINVAL: it is neither, and said. 0, and what is wrong with the options is said by who parses
 * them for good.
 */
static int look_for_forms(int argc, char **argv, struct forms *ret_forms)
{
	/* Without their parsers: values of options mean nothing yet. */
	const struct argp filter = {filter_options_argp.options, look_past, 0},
			  view = {view_argp.options, look_past, 0},
			  export = {export_argp.options, look_past, 0},
			  live = {live_options, look_past, 0};
	const struct argp_child all[] = {
		{.argp = &filter}, {.argp = &view}, {.argp = &export}, {.argp = &live}, {0}};
	const struct argp look = {.options = options, .parser = look_at, .children = all};

	*ret_forms = (struct forms){};
	argp_parse(&look, argc, argv, ARGP_IN_ORDER | ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP,
		   NULL, ret_forms);
	if (ret_forms->journal && ret_forms->target)
		return -args_usage("compare: --journal has what was captured before, and '%s' is "
				   "to be captured now",
				   ret_forms->target);
	if (!ret_forms->file || !ret_forms->target)
		return 0;
	return -args_usage("compare: capture files, or what is to be captured now: %s is of the "
			   "former, '%s' of the latter",
			   ret_forms->file, ret_forms->target);
}

/* Return: exit status; -1: no TARGET is on the command line. */
static int compare_live(int argc, char **argv)
{
	_cleanup_free_ char **copy = NULL;
	struct forms forms;
	int end = 1;

	while (end < argc && strcmp(argv[end], "--"))
		end++;
	/* getopt() changes the order. */
	copy = args_copy(end, argv);
	if (!copy) {
		log_error("%s", strerror(ENOMEM));
		return EXIT_ERROR;
	}
	if (look_for_forms(end, copy, &forms))
		return EXIT_USAGE;
	if ((forms.file || forms.sides || forms.journal) && end < argc) {
		args_usage("compare: a command behind '--' is captured now, not read from a file "
			   "as %s is",
			   forms.file
				   ?: forms.journal ? "--journal"
						    : "--good FILE... --bad FILE...");
		return EXIT_USAGE;
	}
	return forms.target || end < argc ? cmd_compare_live(argc, argv) : -1;
}

static enum side side_of(const struct compare_options *opts, const char *host)
{
	for (size_t i = 0; i < opts->journal.wanted.host_count; i++)
		if (!strcmp(opts->journal.hosts[i], host))
			return opts->host_sides[i];
	return opts->journal_side;
}

/* Behind the files. */
static int add_captures(struct compare_options *opts, struct errmsg *msg)
{
	int err =
		opts->journal.given ? journal_inputs_read(&opts->journal, &opts->captures, msg) : 0;

	for (size_t i = 0; i < opts->captures.count && !err; i++) {
		const struct journal_capture_file *file = &opts->captures.items[i];

		opts->side = side_of(opts, file->host);
		err = -add_file(opts, file->name);
		if (!err)
			opts->files[opts->file_count - 1].capture = file;
	}
	return err;
}

int cmd_compare(int argc, char **argv)
{
	struct compare_options opts = {.wanted = FILTER_OPTIONS_DEFAULT};
	struct compare compare = {.opts = &opts, .out = stdout};
	struct errmsg msg = {};
	int err, status;

	argp_err_exit_status = EXIT_USAGE;
	status = compare_live(argc, argv);
	if (status >= 0)
		return status;
	/* --good and --bad are of the files behind them. */
	opts.wanted.view.top = UINT32_MAX;
	opts.wanted.view.ranking = true;
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &opts)) {
		free(opts.files);
		return EXIT_USAGE;
	}
	opts.top_given = opts.wanted.view.top != UINT32_MAX;
	for (size_t i = 0; i < opts.file_count; i++) {
		status = filter_options_check_outputs(&opts.wanted, &opts.files[i].path, 1,
						      "capture");
		if (status) {
			free(opts.files);
			return status;
		}
	}
	status = opts.journal.given ? journal_args_check_outputs(&opts.journal, &opts.wanted) : 0;
	if (status) {
		free(opts.files);
		return status;
	}
	if (opts.wanted.output)
		compare.out = output_open(opts.wanted.output);
	if (!compare.out) {
		log_error("%s: %s", opts.wanted.output, strerror(errno));
		free(opts.files);
		return EXIT_ERROR;
	}
	install_reader_stop_handlers();
	status = add_captures(&opts, &msg);
	if (!status)
		status = opts.file_count ? compare_all(&compare, &msg) : EXIT_NONE;
	compare.damaged |= opts.captures.damaged;
	err = output_end(compare.out, opts.wanted.output, status < 0 ? status : 0, &msg);
	if (err)
		log_error("%s", msg.text[0] ? msg.text : strerror(-err));
	builds_deinit(&compare.builds);
	html_out_deinit(&compare.page);
	ranking_destroy(compare.ranking);
	journal_captures_deinit(&opts.captures);
	free(opts.files);
	return err || compare.damaged ? EXIT_ERROR : status;
}
