// SPDX-License-Identifier: GPL-2.0
#include "cmd/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capfile/reader.h"
#include "cmd/why/answer_view.h"
#include "cmd/trace/aggregate.h"
#include "cmd/option_args.h"
#include "cmd/export_args.h"
#include "cmd/graph_file.h"
#include "cmd/output.h"
#include "path/ident.h"
#include "path/path.h"
#include "path/story.h"
#include "render/backtrace.h"
#include "render/escape.h"
#include "render/graph.h"
#include "render/json.h"
#include "render/listing.h"
#include "render/story/story.h"
#include "render/branch_list.h"
#include "symbolize/debug/debugfile.h"
#include "symbolize/place.h"
#include "symbolize/debug/source_file.h"
#include "util/cleanup.h"
#include "util/log.h"

/* A graph that takes dot longer is none that anybody looks at. */
#define DRAW_MS 30000

enum {
	OPT_JSON = 0x200,
	OPT_RAW,
	OPT_INSNS,
	OPT_COLOR,
	OPT_NO_LINES,
	OPT_DOT,
	OPT_SVG,
	OPT_VMLINUX,
	OPT_DEBUG_DIR,
	OPT_SOURCE_DIR,
	OPT_SUMMARY,
	OPT_TOP,
	OPT_INTERVAL,
	OPT_TRACE_JSON,
};

static const struct argp_option options[] = {
	{"json", OPT_JSON, 0, 0,
	 "One JSON object a line, schema lbrsnoop.snapshot/1; of why lbrsnoop.why/1, of compare "
	 "lbrsnoop.compare/1",
	 3},
	{"insns", OPT_INSNS, 0, 0, "Every executed instruction, too; with --branches: a plain list",
	 3},
	{"raw", OPT_RAW, 0, 0,
	 "Trim nothing: what ran before the kernel was entered, what tracers did on the way, lines "
	 "of inlined functions that decide nothing; with --branches also those the capture spent",
	 3},
	{"color", OPT_COLOR, "WHEN", 0, "auto (default), always, never", 3},
	{"dot", OPT_DOT, "FILE", 0,
	 "Also write the control flow of the failing function, with the path drawn through it, for "
	 "Graphviz; of the newest snapshot",
	 3},
	{"svg", OPT_SVG, "FILE", 0, "The same as a picture", 3},
	{"trace-json", OPT_TRACE_JSON, "FILE", 0,
	 "Also write FILE for Perfetto or chrome://tracing", 3},
	{"summary", OPT_SUMMARY, 0, 0,
	 "Instead of each snapshot, at the end a table of their paths: identical ones counted "
	 "once, "
	 "by a path id that is the same on every host with this kernel",
	 3},
	{"top", OPT_TOP, "N", 0, "The N most frequent of them (default 10)", 3},
	{"interval", OPT_INTERVAL, "SECONDS", 0,
	 "A table every so many seconds, of the snapshots since the one before", 3},
	{0, 0, 0, 0, "Where source lines come from:", 4},
	{"vmlinux", OPT_VMLINUX, "FILE", 0, "Debug information of the kernel", 0},
	{"debug-dir", OPT_DEBUG_DIR, "DIR", 0, "Search here before /usr/lib/debug", 0},
	{"source-dir", OPT_SOURCE_DIR, "DIR", 0,
	 "Root of the kernel's sources: show the text"
	 " of lines (why: /usr/src by default)",
	 0},
	{"no-lines", OPT_NO_LINES, 0, 0, "Functions and offsets only", 0},
	{0},
};

static int parse_color(struct view_options *opts, const char *arg)
{
	static const char *const when[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

	for (size_t i = 0; i < ARRAY_SIZE(when); i++)
		if (!strcmp(arg, when[i])) {
			opts->color = (enum color_when)i;
			return 0;
		}
	log_error("--color '%s': expected one of auto, always, never", arg);
	return EINVAL;
}

static int parse_top(struct view_options *opts, const char *arg)
{
	uint64_t value;
	int err = args_number("--top", arg, UINT32_MAX, &value);

	opts->top = (uint32_t)value;
	return err;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct view_options *opts = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->export;
		return 0;
	case ARGP_KEY_END:
		opts->silent |= export_takes_output(&opts->export);
		return 0;
	case OPT_JSON:
		opts->json = true;
		return 0;
	case OPT_RAW:
		opts->raw = true;
		return 0;
	case OPT_INSNS:
		opts->insns = true;
		return 0;
	case OPT_COLOR:
		return parse_color(opts, arg);
	case OPT_NO_LINES:
		opts->no_lines = true;
		return 0;
	case OPT_DOT:
		opts->dot = arg;
		return 0;
	case OPT_SVG:
		opts->svg = arg;
		return 0;
	case OPT_SUMMARY:
		opts->summary = true;
		return 0;
	case OPT_TOP:
		return parse_top(opts, arg);
	case OPT_INTERVAL:
		opts->summary = true;
		return args_seconds("--interval", arg, &opts->interval_ms);
	case OPT_TRACE_JSON:
		opts->trace_json = arg;
		return 0;
	case OPT_VMLINUX:
		opts->vmlinux = arg;
		return 0;
	case OPT_DEBUG_DIR:
		opts->debug_dir = arg;
		return 0;
	case OPT_SOURCE_DIR:
		opts->source_dir = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &export_argp}, {0}};

const struct argp view_argp = {
	.children = children,
	.options = options,
	.parser = parse_option,
};

/**
 * struct view - the showing
 * @file: capture file that the snapshots are of, or NULL
 * @hint: what to install to get source lines; "" once told, or if there is no need
 * @build_id: of the kernel
 * @release: of it
 * @told_filter: that filtered branches make no path
 * @passed_on: view_error_passed_on()
 * @graph: of the newest snapshot, or NULL
 * @graph_err: why there is none
 */
struct view {
	const struct capfile *file;
	const struct view_options *opts;
	FILE *out;
	struct symbols *symbols;
	struct userspace *user;
	struct lines *lines;
	struct sources *sources;
	struct aggregate *aggregate;
	struct aggregate *own_aggregate;
	struct listing *listing;
	struct path_names *names;
	struct build_id build_id;
	char release[sizeof(((struct utsname *)0)->release)];
	struct text_options text;
	char hint[512];
	char *host;
	bool told_filter;
	bool passed_on;
	char *graph;
	size_t graph_len;
	int graph_err;
};

static int open_lines(struct view *view, const struct lines_options *kernel, struct errmsg *msg)
{
	struct lines_options debug =
		kernel ? *kernel : (struct lines_options){.symbols = view->symbols};
	char ids[400], hint[300];
	int err;

	if (view->opts->no_lines || (view->opts->branches && !view->opts->json))
		return 0;
	debug.vmlinux = view->opts->vmlinux ?: debug.vmlinux;
	debug.without_kernel = view->opts->user;
	debug.debug_dir = view->opts->debug_dir ?: debug.debug_dir;
	err = lines_open(&debug, &view->lines);
	if (!err)
		return 0;
	if (err == -ESTALE)
		return errmsg_set(msg, err, "--vmlinux '%s': %s", debug.vmlinux,
				  lines_mismatch(&debug, ids, sizeof(ids)));
	if (view->opts->vmlinux)
		return errmsg_set(msg, err, "--vmlinux '%s': %s", view->opts->vmlinux,
				  err != -ENOENT || access(view->opts->vmlinux, R_OK)
					  ? strerror(err != -ENOENT ? -err : errno)
					  : "no ELF file with debug information (DWARF)");
	if (err != -ENOENT)
		return errmsg_set(msg, err, "debug information: %s", strerror(-err));
	if (kernel)
		snprintf(view->hint, sizeof(view->hint),
			 "the debug information of Linux %s is not here; --vmlinux or --debug-dir "
			 "tell where it is",
			 kernel->release);
	else
		snprintf(view->hint, sizeof(view->hint), "to have them: %s",
			 lines_hint(hint, sizeof(hint)));
	return 0;
}

#define SOURCES_ROOT "/usr/src"

/* Trees are read as the lines are needed; of an archive the caller decides, because it is slow. */
static int open_sources(struct view *view)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/version_signature", "re");
	struct source_version version;
	struct source_tree tree = {};
	char signature[256] = "";
	struct utsname uts;
	int err = 0;

	if (view->opts->installed_sources && !view->opts->source_dir && view->lines &&
	    !uname(&uts)) {
		if (file && fgets(signature, sizeof(signature), file))
			signature[strcspn(signature, "\n")] = '\0';
		version = source_version_of(&uts, signature);
		err = source_tree_find(SOURCES_ROOT, &version, &tree);
	}
	view->sources = err ? NULL : sources_create(view->opts->source_dir ?: tree.dir);
	err = view->sources ? 0 : -ENOMEM;
	if (!err && !tree.dir && tree.archive)
		err = sources_set_archive(view->sources, &tree, &version);
	source_tree_deinit(&tree);
	return err;
}

bool view_wants_color(const struct view_options *opts, FILE *out)
{
	return opts->color == COLOR_ALWAYS || (opts->color == COLOR_AUTO && output_is_colored(out));
}

int view_create(const struct view_options *opts, FILE *out, struct symbols *symbols,
		const struct lines_options *kernel, struct aggregate *aggregate,
		struct view **ret_view, struct errmsg *msg)
{
	struct view *view = calloc(1, sizeof(*view));
	struct utsname uts;
	int err;

	if (!view)
		return -ENOMEM;
	view->graph_err = -ENODATA;
	view->opts = opts;
	view->out = out;
	view->symbols = symbols;
	view->aggregate = aggregate;
	if (!aggregate && aggregate_wanted(opts)) {
		err = aggregate_create(opts, out, &view->own_aggregate, msg);
		if (err)
			goto fail;
		view->aggregate = view->own_aggregate;
	}
	if (kernel && kernel->build_id_len <= BUILD_ID_MAX) {
		memcpy(view->build_id.bytes, kernel->build_id, kernel->build_id_len);
		view->build_id.len = kernel->build_id_len;
	} else if (!kernel) {
		build_id_of_kernel(&view->build_id);
	}
	if (kernel && kernel->release)
		snprintf(view->release, sizeof(view->release), "%s", kernel->release);
	else if (!kernel && !uname(&uts))
		snprintf(view->release, sizeof(view->release), "%s", uts.release);
	view->text = (struct text_options){
		.color = view_wants_color(opts, out),
		.raw = opts->raw,
		.addresses = opts->raw,
	};
	err = view_check_files(opts, msg);
	if (err)
		goto fail;
	err = open_lines(view, kernel, msg);
	if (err)
		goto fail;
	if (!kernel && !uname(&uts)) {
		err = view_set_host(view, uts.nodename, false);
		if (err)
			goto fail;
	}
	err = open_sources(view);
	view->listing = listing_create();
	view->names = path_names_create();
	if (err || !view->listing || !view->names) {
		err = -ENOMEM;
		goto fail;
	}
	*ret_view = view;
	return 0;
fail:
	view_destroy(view);
	return err;
}

static int on_module(const struct capfile_module *module, void *ctx)
{
	return view_set_module(ctx, module);
}

int view_create_for_capture(const struct view_options *opts, FILE *out, struct capfile *file,
			    struct lines_pool *pool, struct aggregate *aggregate,
			    struct view **ret_view, struct errmsg *msg)
{
	const struct capfile_meta *meta = capfile_meta(file);
	const struct lines_options kernel = {
		.release = meta->release,
		.build_id = meta->build_id.bytes,
		.build_id_len = meta->build_id.len,
		.stext = meta->stext,
		.pool = pool,
	};
	int err = view_create(opts, out, capfile_symbols(file), &kernel, aggregate, ret_view, msg);

	if (err)
		return err;
	(*ret_view)->file = file;
	capfile_on_module(file, on_module, *ret_view);
	return 0;
}

void view_set_user(struct view *view, struct userspace *user)
{
	view->user = user;
}

int view_set_host(struct view *view, const char *host, bool show)
{
	char *copy = *host ? strdup(host) : NULL;

	if (*host && !copy)
		return -ENOMEM;
	free(view->host);
	view->host = copy;
	view->text.host = show ? copy ?: "?" : NULL;
	return 0;
}

int view_set_module(struct view *view, const struct capfile_module *module)
{
	int err;

	if (!view->lines)
		return 0;
	path_names_forget(view->names);
	err = lines_set_module(view->lines, module->name, module->build_id.bytes,
			       module->build_id.len);
	for (uint32_t i = 0; i < module->section_count && !err; i++)
		err = lines_place_section(view->lines, module->name, module->sections[i].name,
					  module->sections[i].addr);
	return err == -E2BIG ? 0 : err;
}

static bool is_passed_on(const struct snapshot *snap, const struct path *path)
{
	uint32_t error_insn, decision;

	if (!path || !snap->err)
		return false;
	path_find_error(path, snap->err, &error_insn, &decision);
	return error_insn == PATH_NONE;
}

static struct path_options path_options_of(const struct view *view)
{
	return (struct path_options){.place = place_by_symbols,
				     .same_function = same_function_by_symbols,
				     .place_ctx = view->symbols};
}

static int build_path(struct view *view, const struct snapshot *snap,
		      const struct text_source *text, struct path **ret)
{
	struct path_options opts = path_options_of(view);
	int err;

	/* What the LBR holds may be true, but it is no story of this event. */
	if (!text->read || snap->stale == TRI_SET)
		return 0;
	err = path_build(snap, text, &opts, ret);
	if (err == -EOPNOTSUPP && !view->told_filter) {
		view->told_filter = true;
		if (snap->filter && *snap->filter)
			log_info("only branches of kind '%s' were recorded: what ran between them "
				 "is not known, so there is a list, and no story",
				 snap->filter);
		else
			log_info("which kinds of branches were recorded is not known, nor what ran "
				 "between them: so there is a list, and no story");
	}
	if (!err && path_is_blank(*ret)) {
		path_free(*ret);
		*ret = NULL;
	}
	return err == -EOPNOTSUPP || err == -ENODATA ? 0 : err;
}

static struct story_view story_view_of(const struct view *view)
{
	return (struct story_view){
		.symbols = view->symbols,
		.lines = view->lines,
		.names = view->names,
		.sources = view->sources,
		.insns = view->opts->insns,
		.text = view->text,
	};
}

/*
 * The newest graph replaces the one before; a function without one leaves that. Where more is known
 * of the way than the LBR holds, all of it is drawn.
 */
static int keep_graph(struct view *view, const struct snapshot *snap, const struct path *path,
		      const struct text_source *text)
{
	const struct path_options opts = path_options_of(view);
	struct story_view story = story_view_of(view);
	struct path *way = NULL;
	char *graph = NULL;
	size_t len = 0;
	FILE *out;
	int err = 0;

	if ((!view->opts->dot && !view->opts->svg) || !path)
		return 0;
	if (snap->way.count)
		err = path_build_way(snap, text, &opts, &way);
	if (err == -E2BIG)
		log_info("the way to the error is too long to be drawn, with %zu branches: the "
			 "graph is of those that the LBR held at it",
			 snap->way.count);
	else if (err)
		return err;
	out = open_memstream(&graph, &len);
	if (!out)
		err = -ENOMEM;
	else if (way)
		err = render_graph_way(out, snap, way, text, &story);
	else
		err = render_graph(out, snap, path, text, &story);
	path_free(way);
	if (out && fclose(out) && !err)
		err = -ENOMEM;
	if (err) {
		free(graph);
		view->graph_err = err;
		return err == -ENOMEM ? err : 0;
	}
	free(view->graph);
	view->graph = graph;
	view->graph_len = len;
	return 0;
}

static int show_snapshot(struct view *view, const struct snapshot *snap, const struct path *path,
			 const struct text_source *text, uint64_t ident, uint64_t lost_records)
{
	struct path_json_options json = {
		.symbols = view->symbols,
		.lines = view->lines,
		.names = view->names,
		.insns = view->opts->insns,
		.ident = ident,
		.host = view->host,
	};
	struct story_view story = story_view_of(view);

	if (view->opts->json)
		return render_json_snapshot(view->out, snap, path, &json, lost_records);
	if (path && !view->opts->branches)
		return render_story(view->out, snap, path, &story);
	if (view->opts->branches && view->opts->insns)
		return render_listing(view->listing, view->out, snap, text, view->symbols,
				      &view->text);
	render_text_snapshot(view->out, snap, view->symbols, &view->text);
	return 0;
}

/* Of schema lbrsnoop.snapshot/1, without the newline; "" if there are no branches. */
static int snapshot_line(struct view *view, const struct snapshot *snap, const struct path *path,
			 const struct text_source *text, uint64_t ident, char **ret)
{
	_cleanup_free_ struct snapshot *bare = malloc(sizeof(*bare));
	size_t len = 0;
	FILE *line = bare ? open_memstream(ret, &len) : NULL, *out = view->out;
	int err = 0;

	if (!line)
		return -ENOMEM;
	*bare = *snap;
	bare->regs = NULL;
	bare->stack = NULL;
	bare->stack_count = 0;
	view->out = line;
	if (bare->count)
		err = show_snapshot(view, bare, path, text, ident, 0);
	view->out = out;
	return fclose(line) && !err ? -ENOMEM : err;
}

/* What why found out, as it told it; the story where these options ask for it. */
static int show_answer(struct view *view, const struct snapshot *snap, const struct path *path,
		       const struct text_source *text, uint64_t ident)
{
	_cleanup_free_ char *line = NULL;
	struct answer_view answer = {
		.symbols = view->symbols,
		.lines = view->lines,
		.sources = view->sources,
		.text = text,
		.host = view->text.host,
		.color = view->text.color,
		.story = view->opts->story || view->opts->insns || view->opts->raw,
	};
	int err = view->opts->json ? snapshot_line(view, snap, path, text, ident, &line) : 0;

	answer.snapshot = line;
	err = err ?: answer_view_show(view->out, snap, &answer);
	if (!err && !line && answer.story && snap->count)
		err = show_snapshot(view, snap, path, text, ident, 0);
	return err;
}

/*
 * Registers at a breakpoint on a function of the kernel that tells of an error elsewhere say
 * little: those are for who asks.
 */
static void show_context(const struct view *view, const struct snapshot *snap)
{
	struct backtrace_view backtrace = {
		.symbols = view->symbols,
		.lines = view->lines,
		.text = view->text,
	};
	bool told = snap->trigger && snap->trigger->kind == TRIGGER_HW;

	if (!told || log_get_level() >= LOG_VERBOSE)
		render_registers(view->out, snap, &backtrace);
	render_backtrace(view->out, snap, &backtrace);
}

/* Of an answer that cannot be read (-EBADMSG) what else is in the file is as good as ever. */
static int show(struct view *view, const struct snapshot *snap, const struct path *path,
		const struct text_source *text, uint64_t ident, uint64_t lost_records)
{
	int err;

	if (snap->answer.len && !view->opts->branches) {
		err = show_answer(view, snap, path, text, ident);
		if (err != -EBADMSG)
			return err;
		log_warning("what why found out cannot be read; the rest of the capture is shown");
	}
	err = show_snapshot(view, snap, path, text, ident, lost_records);
	if (!err && !view->opts->json)
		show_context(view, snap);
	return err;
}

static void show_log(const struct view *view, const struct log_lines *log)
{
	char line[1024];

	for (size_t i = 0; i < log->count; i++)
		fprintf(view->out, "  kernel: %s\n", escape_text(log->text[i], line, sizeof(line)));
	if (log->left_out)
		fprintf(view->out, "  kernel: ... and %zu more lines\n", log->left_out);
	if (log->count)
		fputc('\n', view->out);
}

static uint64_t ident_of(const struct view *view, const struct snapshot *snap)
{
	if (!view->aggregate && !view->opts->json)
		return 0;
	return path_ident(snap, view->symbols, view->build_id.bytes, view->build_id.len);
}

int view_snapshot(struct view *view, const struct snapshot *snap, const struct text_source *text,
		  uint64_t lost_records)
{
	bool graph = view->opts->dot || view->opts->svg;
	bool list = view->opts->branches && !view->opts->json && !graph;
	uint64_t ident = ident_of(view, snap);
	bool shown = !view->opts->summary && !view->opts->silent;
	struct finding_kernel kernel = {
		.symbols = view->symbols,
		.lines = view->lines,
		.build_id = &view->build_id,
		.release = view->release,
		.host = view->host,
		.text = text,
		.file = view->file,
	};
	struct story_view story = story_view_of(view);
	struct path *path = NULL;
	int err;

	if (view->user && view->lines && trigger_is_user(snap->trigger)) {
		err = userspace_set_lines(view->user, view->lines);
		if (err)
			return err;
	}
	if (!shown)
		list = !graph;
	if (view->aggregate && aggregate_wants_path(view->aggregate, ident))
		list = false;
	if (!list) {
		err = build_path(view, snap, text, &path);
		if (err)
			return err;
		if (view->hint[0] && shown)
			log_info("no source lines; %s", view->hint);
		view->hint[0] = '\0';
	}
	view->passed_on = is_passed_on(snap, path);
	err = shown ? show(view, snap, path, text, ident, lost_records) : 0;
	if (!err && snap->log && shown && !view->opts->json)
		show_log(view, snap->log);
	/* Though nobody reads what is shown: it happened, and is counted elsewhere. */
	if (view->aggregate) {
		int sum_err = aggregate_snapshot(view->aggregate, snap, ident, path, &kernel,
						 &story, lost_records);

		err = err ?: sum_err;
	}
	if (!err)
		err = keep_graph(view, snap, path, text);
	path_free(path);
	return err;
}

static int show_event(void *ctx, const struct event *event)
{
	struct view *view = ctx;

	if (event->code_changed)
		listing_forget(view->listing);
	return output_check(view->out,
			    view_snapshot(view, event->snap, &event->source->text, event->lost));
}

struct sink view_sink(struct view *view)
{
	return (struct sink){.event = show_event, .ctx = view};
}

bool view_error_passed_on(const struct view *view)
{
	return view->passed_on;
}

struct lines *view_lines(const struct view *view)
{
	return view->lines;
}

struct sources *view_sources(const struct view *view)
{
	return view->sources;
}

FILE *view_set_out(struct view *view, FILE *out)
{
	FILE *before = view->out;

	view->out = out;
	return before;
}

bool view_color(const struct view *view)
{
	return view->text.color;
}

const char *view_hint(struct view *view, char *buf, size_t size)
{
	snprintf(buf, size, "%s", view->hint);
	view->hint[0] = '\0';
	return buf;
}

int view_finish(struct view *view, struct errmsg *msg)
{
	const struct view_options *opts = view->opts;
	int err = view->own_aggregate ? aggregate_finish(view->own_aggregate, msg) : 0;

	if (err || (!opts->dot && !opts->svg))
		return err;
	if (view->graph)
		return graph_write(view->graph, view->graph_len, opts->dot, opts->svg, DRAW_MS,
				   msg);
	log_warning("%s: no graph: %s", opts->dot ?: opts->svg,
		    view->graph_err == -ENODATA	 ? "there was no snapshot with a path"
		    : view->graph_err == -EINVAL ? "the function is too long"
		    : view->graph_err == -EFAULT ? "the function's text cannot be read"
						 : "the snapshot is of no function");
	return 0;
}

void view_destroy(struct view *view)
{
	if (!view)
		return;
	lines_close(view->lines);
	sources_destroy(view->sources);
	listing_destroy(view->listing);
	path_names_destroy(view->names);
	aggregate_destroy(view->own_aggregate);
	free(view->graph);
	free(view->host);
	free(view);
}
