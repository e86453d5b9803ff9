// SPDX-License-Identifier: GPL-2.0
/* compare.c - captures of failing and of passing calls in, the decisions that tell them apart out
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capfile/format.h"
#include "capfile/reader.h"
#include "cmd/option_args.h"
#include "cmd/cmd.h"
#include "cmd/html_file.h"
#include "cmd/output.h"
#include "cmd/filter_options.h"
#include "compare/ranking.h"
#include "path/path.h"
#include "path/story.h"
#include "pipeline/pipeline.h"
#include "render/compare_view.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/vector.h"

/* A function's first instructions: ENDBR64 and the tracer's call stand before what is jumped to. */
#define ENTRY_BYTES 16
#define COMPARE_TOP 3

/** enum side - which calls a file is of */
enum side {
	SIDE_BOTH, /* the value that each call returned tells */
	SIDE_GOOD,
	SIDE_BAD,
};

/** struct compare_file - @path and what the user said of it */
struct compare_file {
	char *path;
	enum side side;
};

struct compare_options {
	struct compare_file *files;
	size_t file_count;
	enum side side; /* of the files that follow */
	bool top_given;
	struct filter_options wanted;
};

/**
 * struct compare - what is under way
 * @first: the first file, whose kernel the others have to be of
 * @view: of @first, for source lines
 * @file: that is read now
 * @blank: calls without a path; @left_out: calls of too many kinds; @untold: snapshots without a
 *         returned value
 */
struct compare {
	const struct compare_options *opts;
	struct ranking *ranking;
	struct capfile *first;
	struct capfile *file;
	struct view *view;
	enum side side;
	FILE *out;
	struct progress *progress;
	uint64_t calls;
	uint64_t blank;
	uint64_t left_out;
	uint64_t untold;
	bool damaged;
};

enum {
	OPT_GOOD = 0x100,
	OPT_BAD,
};

static const struct argp_option options[] = {
	{"good", OPT_GOOD, 0, 0, "The files that follow are of passing calls", 1},
	{"bad", OPT_BAD, 0, 0, "The files that follow are of failing calls", 1},
	{0},
};

static const char doc[] =
	"Which decisions tell failing calls from passing ones: those of capture files, of one host "
	"or "
	"many with the same kernel.\v"
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

static error_t check(const struct compare_options *opts)
{
	const struct view_options *view = &opts->wanted.view;
	bool good = false, bad = false, both = false;

	if (view->summary || view->trace_json || view->dot || view->svg || view->raw ||
	    view->insns || view->branches || view->interval_ms || export_wanted(&view->export))
		return args_usage(
			"compare prints a ranking: without --summary, --interval, --trace-json, "
			"--dot, --svg, --raw, --insns, --branches, --otlp and --metrics");
	for (size_t i = 0; i < opts->file_count; i++) {
		good |= opts->files[i].side == SIDE_GOOD;
		bad |= opts->files[i].side == SIDE_BAD;
		both |= opts->files[i].side == SIDE_BOTH;
	}
	if (both && (good || bad))
		return args_usage("compare: say of all files, or of none, whether they are --good "
				  "or --bad");
	for (size_t i = 0; i < opts->file_count; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(opts->files[i].path, opts->files[k].path) ||
			    args_same_file(opts->files[i].path, opts->files[k].path))
				return args_usage("compare: %s is given twice: its calls would "
						  "count twice",
						  opts->files[i].path);
	if (both && opts->wanted.filter.errno_filter)
		return args_usage(
			"compare: -e leaves the passing calls out; it goes with --good and "
			"--bad");
	if (good != bad)
		return args_usage("compare: --good FILE... and --bad FILE... go together");
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct compare_options *opts = state->input;

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
	case ARGP_KEY_ARG:
		return add_file(opts, arg);
	case ARGP_KEY_END:
		return opts->file_count ? check(opts) : 0;
	case ARGP_KEY_NO_ARGS:
		return args_usage(
			"compare: which capture files? For example: lbrsnoop compare x.lbr");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &filter_options_argp}, {0}};

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE...\n--good FILE... --bad FILE...",
	.doc = doc,
};

static struct ranking_place place_of(struct symbols *symbols, uint64_t addr, struct symbol *sym)
{
	if (symbols_find(symbols, addr, sym))
		return (struct ranking_place){};
	return (struct ranking_place){
		.function = sym->name, .module = sym->module ?: "", .off = addr - sym->addr};
}

/*
 * Index of the call's first decision, if the record goes back to the function's entry; of several
 * the newest entry is that of the call. PATH_NONE: it does not.
 */
static uint32_t first_of_call(const struct snapshot *snap, const struct path *path)
{
	uint64_t entry = snap->trigger ? snap->trigger->func_addr : 0;
	uint32_t block = PATH_NONE, first = 0;

	if (!entry || path->gap_count)
		return PATH_NONE;
	for (uint32_t i = 0; i < path->block_count; i++)
		if (path->blocks[i].start >= entry && path->blocks[i].start < entry + ENTRY_BYTES)
			block = i;
	if (block == PATH_NONE)
		return PATH_NONE;
	while (first < path->decision_count && path->decisions[first].block < block)
		first++;
	return first;
}

/*
 * Source lines are looked up in the first file's kernel, which may have been loaded elsewhere; its
 * modules lay elsewhere, too.
 */
static void place_in_first(const struct compare *compare, struct ranking_decision *item)
{
	uint64_t stext = capfile_meta(compare->file)->stext;

	if (!*item->place.module) {
		item->rel = item->addr - stext;
		item->addr = item->rel + capfile_meta(compare->first)->stext;
	} else if (compare->file != compare->first) {
		item->addr = 0;
	}
}

static int add_decisions(struct compare *compare, struct symbols *symbols, const struct path *path,
			 uint32_t first, uint32_t end)
{
	for (uint32_t i = 0; i < end; i++) {
		const struct path_decision *decision = &path->decisions[i];
		const struct path_block *block = &path->blocks[decision->block];
		char condition[RANKING_TEXT_MAX] = "";
		struct symbol sym;
		struct ranking_decision item = {
			.place = place_of(symbols, decision->addr, &sym),
			.addr = decision->addr,
			.taken = decision->taken,
			.before_entry = first != PATH_NONE && i < first,
			.distance = end - 1 - i,
			.condition = condition,
		};

		/* An interrupt came by chance, and a tracer is ours. */
		if (!item.place.function || block->tracing || block->interrupt)
			continue;
		place_in_first(compare, &item);
		if (path_condition(path, decision, condition, sizeof(condition)))
			condition[0] = '\0';
		if (ranking_decision(compare->ranking, &item))
			return -ENOMEM;
	}
	return 0;
}

static int add_path(struct compare *compare, const struct event *event, const struct path *path)
{
	const struct snapshot *snap = event->snap;
	struct symbols *symbols = event->source->symbols;
	uint32_t insn = PATH_NONE, key = PATH_NONE, end = path->decision_count;
	uint32_t first = first_of_call(snap, path);
	struct symbol made = {};
	struct ranking_call call = {
		.failing = compare->side == SIDE_BOTH ? snap->err != 0 : compare->side == SIDE_BAD,
		.function = snap->trigger && snap->trigger->function ? snap->trigger->function
			    : snap->trigger			     ? snap->trigger->target
								     : "?",
		.err = snap->err,
		.complete = first != PATH_NONE,
	};
	int err;

	if (call.failing && snap->err)
		path_find_error(path, snap->err, &insn, &key);
	if (insn != PATH_NONE) {
		call.made_at = place_of(symbols, path_insn_addr(path, insn), &made);
		/* What follows the error is its consequence. */
		if (key != PATH_NONE)
			end = key + 1;
		for (uint32_t i = 0; key == PATH_NONE && i < path->decision_count; i++)
			if (path->decisions[i].insn > insn) {
				end = i;
				break;
			}
	}
	err = ranking_call(compare->ranking, &call);
	if (err == -E2BIG) {
		compare->left_out++;
		return 0;
	}
	err = err ?: add_decisions(compare, symbols, path, first, end);
	ranking_call_end(compare->ranking);
	return err;
}

static int on_event(void *ctx, const struct event *event)
{
	struct compare *compare = ctx;
	struct path_options opts = {.place = place_by_symbols,
				    .same_function = same_function_by_symbols,
				    .place_ctx = event->source->symbols};
	struct path *path = NULL;
	int err = 0;

	compare->calls++;
	/* An entry, a tracepoint: whether the call fails is not known. */
	if (compare->side == SIDE_BOTH && !event->snap->has_retval && !event->snap->err) {
		compare->untold++;
		return 0;
	}
	if (event->source->text.read && event->snap->stale != TRI_SET)
		err = path_build(event->snap, &event->source->text, &opts, &path);
	if (err == -ENOMEM)
		return err;
	if (err || !path || path_is_blank(path)) {
		compare->blank++;
		path_free(path);
		return 0;
	}
	err = add_path(compare, event, path);
	path_free(path);
	return err;
}

static bool is_wanted(void *ctx, const struct snapshot *snap)
{
	const struct compare *compare = ctx;

	return snapshot_wanted(&compare->opts->wanted.filter, snap);
}

static int check_kernel(const struct compare *compare, struct capfile *file, const char *path,
			struct errmsg *msg)
{
	const struct capfile_meta *meta = capfile_meta(file), *first = capfile_meta(compare->first);

	if (!meta->build_id.len || !first->build_id.len)
		return errmsg_set(msg, -EINVAL,
				  "%s has no build ID of its kernel, so nobody knows whether two "
				  "files are of one: compare it by itself",
				  meta->build_id.len ? compare->opts->files[0].path : path);
	if (meta->build_id.len == first->build_id.len &&
	    !memcmp(meta->build_id.bytes, first->build_id.bytes, meta->build_id.len))
		return 0;
	return errmsg_set(msg, -EINVAL,
			  "%s is of Linux %s, %s of %s: two builds of the kernel, whose branches "
			  "lie elsewhere; compare captures of one build",
			  path, meta->release, compare->opts->files[0].path, first->release);
}

/* Source lines are those of the first file's kernel: the others are of the same. */
static int begin_file(struct compare *compare, const char *path, struct errmsg *msg)
{
	if (compare->first)
		return check_kernel(compare, compare->file, path, msg);
	compare->first = compare->file;
	return view_create_for_capture(&compare->opts->wanted.view, compare->out, compare->file,
				       NULL, &compare->view, msg);
}

static void say_end(struct compare *compare, const char *path, uint64_t lost)
{
	char why[256];

	capfile_end_text(compare->file, why, sizeof(why));
	if (*why)
		log_warning("%s: %s", path, why);
	compare->damaged |= capfile_ended(compare->file) == CAPFILE_END_DAMAGED;
	lost += capfile_lost(compare->file);
	if (lost)
		log_warning("%s: %llu events were lost when they were captured", path,
			    (unsigned long long)lost);
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
	err = capfile_open(from->path, &compare->file, msg);
	if (err)
		return err;
	pipeline.source = capfile_source(compare->file);
	pipeline_add_sink(&pipeline, &sink);
	compare->side = from->side;
	err = begin_file(compare, from->path, msg);
	if (!err) {
		err = pipeline_fill(&run, &pipeline) ?: pipeline_run(&run);
		if (err && err != -ENOMEM)
			errmsg_set(msg, err, "%s: %s", from->path, strerror(-err));
	}
	if (!err)
		say_end(compare, from->path, run.lost);
	pipeline_deinit(&pipeline);
	if (compare->file != compare->first)
		capfile_close(compare->file);
	compare->file = NULL;
	return err;
}

static void say_left_out(const struct compare *compare)
{
	if (stop_requested)
		log_warning("stopped after %llu calls: not all are compared",
			    (unsigned long long)compare->calls);
	if (compare->blank)
		log_warning(
			"%llu of %llu calls have no path, and are left out: the record was cut, "
			"filtered or overwritten, or the capture has no text",
			(unsigned long long)compare->blank, (unsigned long long)compare->calls);
	if (compare->untold)
		log_warning(
			"%llu of %llu snapshots tell of no return, and are left out: a function "
			"has to be traced by name, or --good and --bad say what files are of",
			(unsigned long long)compare->untold, (unsigned long long)compare->calls);
	if (compare->left_out)
		log_warning("%llu calls are left out: of more kinds than %d failing "
			    "and %d passing",
			    (unsigned long long)compare->left_out, RANKING_FAILING_MAX,
			    RANKING_PASSING_MAX);
}

static int write_page(struct compare *compare, const struct ranking_reason *reasons, size_t count,
		      const struct compare_view *view, struct errmsg *msg)
{
	const struct compare_options *opts = compare->opts;
	_cleanup_free_ const char **names = calloc(opts->file_count, sizeof(const char *));
	const struct compare_page page = {
		.names = names,
		.name_count = opts->file_count,
		.reasons = reasons,
		.reason_count = count,
		.calls = compare->calls,
	};
	struct html_out to;
	int err;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < opts->file_count; i++)
		names[i] = opts->files[i].path;
	err = html_out_open(&to, opts->wanted.view.html, msg);
	if (err)
		return err;
	err = html_out_finish(&to, render_comparison_page(to.out, &page, view), msg);
	html_out_deinit(&to);
	return err;
}

/* Return: as main()'s; negative errno, with @msg. */
static int print_ranking(struct compare *compare, struct errmsg *msg)
{
	const struct compare_options *opts = compare->opts;
	const struct compare_view view = {
		.json = opts->wanted.view.json,
		.color = view_color(compare->view),
		.top = opts->top_given ? opts->wanted.view.top : COMPARE_TOP,
		.lines = view_lines(compare->view),
	};
	struct ranking_reason *reasons = NULL;
	char hint[512];
	int err, status = EXIT_NONE;
	size_t count = 0;

	err = ranking_reasons(compare->ranking, &reasons, &count);
	if (!err && opts->wanted.view.html) {
		err = write_page(compare, reasons, count, &view, msg);
		if (err) {
			ranking_reasons_free(reasons, count);
			return err;
		}
	}
	for (size_t i = 0; i < count && !err; i++) {
		if (!opts->wanted.view.html)
			err = render_comparison(compare->out, &reasons[i], &view);
		if (reasons[i].passing)
			status = EXIT_SEEN;
	}
	ranking_reasons_free(reasons, count);
	if (*view_hint(compare->view, hint, sizeof(hint)))
		log_info("%s", hint);
	if (err)
		return output_failed(opts->wanted.output, err, msg);
	if (!count)
		log_warning("no failing call among %llu: nothing to compare",
			    (unsigned long long)compare->calls);
	return status;
}

/* Nothing is written, and no file emptied, before all is read. */
static int compare_all(struct compare *compare, struct errmsg *msg)
{
	const struct compare_options *opts = compare->opts;
	uint64_t max = opts->wanted.count;
	int err = 0;

	compare->ranking = ranking_create();
	if (!compare->ranking)
		return -ENOMEM;
	compare->progress = output_progress(compare->out, true, "reading captures", "calls");
	for (size_t i = 0; i < opts->file_count && !err && !stop_requested; i++)
		if (!max || compare->calls < max)
			err = read_file(compare, &opts->files[i], msg);
	progress_end(compare->progress);
	if (err)
		return err;
	say_left_out(compare);
	if (!compare->view)
		return EXIT_NONE;
	err = output_begin(compare->out);
	if (err)
		return output_failed(opts->wanted.output, err, msg);
	return print_ranking(compare, msg);
}

int cmd_compare(int argc, char **argv)
{
	struct compare_options opts = {.wanted = FILTER_OPTIONS_DEFAULT};
	struct compare compare = {.opts = &opts, .out = stdout};
	struct errmsg msg = {};
	int err, status;

	argp_err_exit_status = EXIT_USAGE;
	/* --good and --bad are of the files behind them. */
	opts.wanted.view.top = UINT32_MAX;
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
	if (opts.wanted.output)
		compare.out = output_open(opts.wanted.output);
	if (!compare.out) {
		log_error("%s: %s", opts.wanted.output, strerror(errno));
		free(opts.files);
		return EXIT_ERROR;
	}
	install_reader_stop_handlers();
	status = compare_all(&compare, &msg);
	err = output_end(compare.out, opts.wanted.output, status < 0 ? status : 0, &msg);
	if (err)
		log_error("%s", msg.text[0] ? msg.text : strerror(-err));
	view_destroy(compare.view);
	capfile_close(compare.first);
	ranking_destroy(compare.ranking);
	free(opts.files);
	return err || compare.damaged ? EXIT_ERROR : status;
}
