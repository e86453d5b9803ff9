// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/trace_options.h"

#include <argp.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "capture/flight.h"
#include "cmd/option_args.h"
#include "cmd/cmd.h"
#include "cmd/why/why_place.h"
#include "decode/filter.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/number.h"
#include "util/vector.h"

enum {
	OPT_BRANCHES = 0x100,
	OPT_RING_BYTES,
	OPT_NO_LBR,
	OPT_MAX_OVERHEAD,
	OPT_AT,
	OPT_ROTATE,
	OPT_MAX_RATE,
	OPT_MAX_SIZE,
	OPT_MAX_FILES,
	OPT_FLIGHT,
	OPT_KEEP,
	OPT_STOP,
	OPT_DISCARD,
	OPT_RECORD,
	OPT_JOURNAL,
	OPT_CAPTURE_BYTES,
	OPT_HTML,
	OPT_NO_VALUES,
	OPT_DEEP,
};

/* Returns that "compare TARGET" asks for, unless the user does. */
#define COMPARE_FAILING 100
#define COMPARE_PASSING 1000
/* Of more, no decision would be ranked otherwise; each keeps some kilobytes. */
#define COMPARE_MOST 100000

/* Of each CPU's time, for breakpoints. */
#define MAX_OVERHEAD 0.01

/* Snapshots that a flight recorder keeps: a quarter of a megabyte. */
#define FLIGHT_KEEP 64

/*
 * Nobody waits for what is only recorded, and a flood may last: room for 200 ms of 100,000
 * snapshots a second, which is how long a busy machine may keep us from running.
 */
#define RECORD_RING_BYTES (16u << 20)

static const struct argp_option options[] = {
	{0, 0, 0, 0, "What to capture:", 1},
	{"errno", 'e', "LIST", 0,
	 "Error returns to capture: ENOENT,-EINVAL,any (default: any error); none: every return",
	 0},
	{"pid", 'p', "PID", 0, "Only this process", 0},
	{"follow", 'f', 0, 0,
	 "Of this process, or of COMMAND, also the children that it starts, and theirs", 0},
	{"comm", 'c', "NAME", 0, "Only tasks of this name", 0},
	{"cpu", 'C', "LIST", 0, "Only on these CPUs: 0,2-4", 0},
	{"branch-filter", 'j', "LIST", 0,
	 "Branches to record, by perf's names: any, any_call, any_ret, ind_call, cond, call, u, k "
	 "(default: any,u,k; for user functions and page faults etc. any,u)",
	 0},
	{"trigger", 'T', "KIND", 0,
	 "How to trigger: auto (default), hw, fexit, kretprobe, kprobe.multi", 0},
	{"at", OPT_AT, "PLACE", 0,
	 "errno: break where the function loads the errno, so that the LBR ends at the decision; "
	 "return (default)",
	 0},
	{"rotate", OPT_ROTATE, 0, 0,
	 "More hardware breakpoints than the four registers of a CPU take turns, a second each", 0},
	{"deep", OPT_DEEP, "RUNS", OPTION_ARG_OPTIONAL,
	 "The whole way from the system call to the last hit of the one TARGET, further back than "
	 "the LBR reaches; for that the COMMAND is run again, up to RUNS times (40)",
	 0},
	{"max-overhead", OPT_MAX_OVERHEAD, "PERCENT", 0,
	 "Share of each CPU's time that hardware breakpoints may cost before a cheaper trigger "
	 "takes "
	 "over (default 1; 0: no limit)",
	 0},
	{0, 0, 0, 0, "When to end:", 2},
	{"count", 'n', "N", 0, "After N snapshots", 0},
	{"timeout", 't', "SECONDS", 0, "After so many seconds (0.5 is fine)", 0},
	{"max-rate", OPT_MAX_RATE, "N", 0, "At most N snapshots a second; the others are counted",
	 2},
	{0, 0, 0, 0, "What to print:", 3},
	{"output", 'o', "FILE", 0, "Print into FILE; if it ends in .lbr, the same as --record FILE",
	 0},
	{"record", OPT_RECORD, "FILE", 0,
	 "Also write a capture file, which 'lbrsnoop report' reads on any machine", 3},
	{"no-values", OPT_NO_VALUES, 0, 0,
	 "Of a capture file, and of compare: without the arguments of functions, which fexit tells",
	 3},
	{"max-size", OPT_MAX_SIZE, "BYTES", 0,
	 "Size of a capture file (K, M, G are fine): then FILE becomes FILE.1, and another FILE "
	 "begins",
	 3},
	{"journal", OPT_JOURNAL, 0, 0,
	 "Also send each path to journald, in full once an hour, with how often it was taken; "
	 "'lbrsnoop report --journal' reads that",
	 6},
	{"capture-bytes", OPT_CAPTURE_BYTES, "N", 0,
	 "With --journal: also send the capture of each path, if it has at most N bytes (default "
	 "64K; 0: none)",
	 6},
	{"max-files", OPT_MAX_FILES, "N", 0, "Keep so many capture files (default 8)", 3},
	{0, 0, 0, 0, "A recorder in the kernel, which outlives lbrsnoop and the kernel itself:", 5},
	{"flight", OPT_FLIGHT, "DIR", OPTION_ARG_OPTIONAL,
	 "Keep the last snapshots in a BPF map, pinned in DIR (" FLIGHT_DIR_DEFAULT
	 "): 'lbrsnoop report --flight' reads it, 'lbrsnoop postmortem' finds it in a crash dump. "
	 "It stays armed if lbrsnoop is killed",
	 0},
	{"keep", OPT_KEEP, "N", 0, "Snapshots it keeps, a page each (default 64)", 0},
	{"stop", OPT_STOP, 0, 0, "Disarm it; what it holds can still be read", 0},
	{"discard", OPT_DISCARD, 0, 0, "Disarm it, and free what it holds", 0},
	{"branches", OPT_BRANCHES, "LIST", OPTION_ARG_OPTIONAL,
	 "The plain list of branches; with =LIST only those are recorded, as with -j", 3},
	{"verbose", 'v', 0, 0, "Say more; twice: libbpf's and the verifier's words too", 3},
	{"quiet", 'q', 0, 0, "No status on stderr, only warnings and errors", 3},
	{"ring-bytes", OPT_RING_BYTES, "BYTES", 0,
	 "Size of the ring buffer (default: 4 MiB; record: 16 MiB)", 3},
	{"html", OPT_HTML, "FILE", OPTION_HIDDEN, "For compare", 3},
	{"no-lbr", OPT_NO_LBR, 0, OPTION_HIDDEN, "Arm without LBR (for tests)", 3},
	{0},
};

/* Where add_targets() puts the kinds of targets. */
#define TARGETS_HERE "TARGET:"

static const char doc[] =
	"Show the branches that led to an error return of a kernel function.\v" TARGETS_HERE "\n\n"
	"COMMAND is started when everything is armed, and is traced alone.\n\n"
	"Other commands: why, record, watch, report, compare, postmortem, list, doctor, decode, "
	"help. "
	"'lbrsnoop help COMMAND' explains each.\n\n"
	"Exit status: 0 at least one snapshot, 1 none, 2 error, 3 no usable LBR, 4 not permitted, "
	"64 usage.";

/* @name: of the option */
static int parse_branches(struct trace_options *opts, const char *name, const char *arg)
{
	uint64_t priv = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL;
	const char *bad = "";
	uint64_t bits;

	if (lbr_filter_parse(arg, &bits, &bad))
		return args_usage(
			"%s '%s': '%s' is not a branch filter; those of perf record -j are known: "
			"any, any_call, any_ret, ind_call, ind_jmp, cond, call, call_stack, "
			"in_tx, no_tx, abort_tx, u, k",
			name, arg, bad);
	/* Only a ring was named, or only classes: the rest is the default. */
	if (!(bits & ~(uint64_t)(priv | PERF_SAMPLE_BRANCH_HV)))
		bits |= PERF_SAMPLE_BRANCH_ANY;
	if (!(bits & priv))
		bits |= priv;
	opts->capture.branch_types = bits;
	opts->branches_given = true;
	return 0;
}

static int parse_trigger(struct trace_options *opts, const char *arg)
{
	static const enum trigger_kind kinds[] = {TRIGGER_HW, TRIGGER_FEXIT, TRIGGER_KRETPROBE,
						  TRIGGER_MULTI};

	opts->trigger = TRIGGER_NONE;
	if (!strcmp(arg, "auto"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(arg, trigger_kind_name(kinds[i]))) {
			opts->trigger = kinds[i];
			return 0;
		}
	return args_usage(
		"--trigger '%s': expected one of auto, hw, fexit, kretprobe, kprobe.multi", arg);
}

/* FAILING[:PASSING]; PASSING is ten times FAILING unless it is told. */
static int parse_both_counts(struct trace_options *opts, const char *arg)
{
	const char *colon = strchr(arg, ':');
	_cleanup_free_ char *first = strndup(arg, colon ? (size_t)(colon - arg) : strlen(arg));
	uint64_t failing, passing;

	if (!first)
		return ENOMEM;
	if (number_parse(first, "", &failing))
		failing = 0;
	passing = failing * 10 < COMPARE_MOST ? failing * 10 : COMPARE_MOST;
	if (colon && number_parse(colon + 1, "", &passing))
		passing = 0;
	if (!failing || failing > COMPARE_MOST || !passing || passing > COMPARE_MOST)
		return args_usage(
			"--count '%s': expected FAILING or FAILING:PASSING, each from 1 to %d", arg,
			COMPARE_MOST);
	opts->compare.failing = (uint32_t)failing;
	opts->compare.passing = (uint32_t)passing;
	return 0;
}

static int parse_count(struct trace_options *opts, const char *arg)
{
	int err;

	if (opts->compare.wanted)
		return parse_both_counts(opts, arg);
	err = args_number("--count", arg, UINT64_MAX, &opts->count);

	if (!err && !opts->count)
		return args_usage("--count 0: leave it out to go on until Ctrl-C");
	return err;
}

static int parse_overhead(struct trace_options *opts, const char *arg)
{
	char *end;
	double percent = strtod(arg, &end);

	if (end == arg || *end || !(percent >= 0 && percent <= 100))
		return args_usage(
			"--max-overhead '%s': expected a percentage from 0 (no limit) to 100", arg);
	opts->capture.max_overhead = percent / 100;
	return 0;
}

static int parse_ring_bytes(struct trace_options *opts, const char *arg)
{
	uint64_t value;
	int err = args_number("--ring-bytes", arg, 1u << 30, &value);

	if (err)
		return err;
	if (value < 4096 || value & (value - 1))
		return args_usage("--ring-bytes '%s': expected a power of two from 4096 to 1 GiB",
				  arg);
	opts->capture.ring_bytes = value;
	return 0;
}

int trace_options_add_target(struct trace_options *opts, const char *arg)
{
	struct target_spec spec;
	struct errmsg msg = {};
	int err = target_parse(arg, &spec, &msg);

	if (err) {
		log_error("%s", msg.text);
		return -err;
	}
	if (vector_grow(&opts->targets, opts->target_count, sizeof(spec)))
		return ENOMEM;
	opts->targets[opts->target_count++] = spec;
	return 0;
}

/*
 * There is one filter for all of a CPU. With the kernel's branches in it, nothing of a user
 * function is left when its trap has been handled; without them, nothing of a kernel function.
 */
static int settle_user(struct trace_options *opts)
{
	const char *user = NULL, *kernel = NULL;

	for (size_t i = 0; i < opts->target_count; i++)
		*(target_is_user(&opts->targets[i]) ? &user : &kernel) = opts->targets[i].text;
	opts->user = opts->view.user = user;
	if (!user)
		return 0;
	if (opts->flight)
		return args_usage("--flight does not keep which programs were where: '%s' cannot "
				  "be told from it",
				  user);
	if (opts->branches_given)
		return 0;
	if (kernel)
		return args_usage("'%s' needs the branches of user space alone, '%s' those of the "
				  "kernel, and a CPU's LBR has one filter: trace one after the "
				  "other, or say what to record with -j",
				  user, kernel);
	opts->capture.branch_types = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	return 0;
}

static int parse_max_files(struct trace_options *opts, const char *arg)
{
	uint64_t value;
	int err = args_number("--max-files", arg, 10000, &value);

	if (!err && !value)
		return args_usage("--max-files 0: one file at least is needed");
	opts->max_files = (uint32_t)value;
	return err;
}

static int parse_keep(struct trace_options *opts, const char *arg)
{
	uint64_t value;
	int err = args_number("--keep", arg, FLIGHT_SLOTS_MAX, &value);

	if (!err && !value)
		return args_usage("--keep 0: one snapshot at least is needed");
	opts->capture.flight_slots = (uint32_t)value;
	return err;
}

/* 0; ARGP_ERR_UNKNOWN if it is no option of --deep or the flight recorder */
static error_t parse_more(struct trace_options *opts, int key, char *arg)
{
	switch (key) {
	case OPT_DEEP:
		return args_deep(arg, &opts->deep_runs);
	case OPT_FLIGHT:
		opts->flight = arg ?: FLIGHT_DIR_DEFAULT;
		return 0;
	case OPT_KEEP:
		return parse_keep(opts, arg);
	case OPT_STOP:
		opts->flight_stop = true;
		return 0;
	case OPT_DISCARD:
		opts->flight_stop = opts->flight_discard = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct trace_options *opts = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->view;
		return 0;
	case 'e':
		opts->errno_given = true;
		return args_filter(&opts->capture, key, arg);
	case 'p':
	case 'c':
	case 'C':
		return args_filter(&opts->capture, key, arg);
	case 'f':
		opts->capture.follow = true;
		return 0;
	case 'j':
		return parse_branches(opts, "--branch-filter", arg);
	case OPT_BRANCHES:
		opts->view.branches = true;
		return arg ? parse_branches(opts, "--branches", arg) : 0;
	case 'T':
		return parse_trigger(opts, arg);
	case 'n':
		return parse_count(opts, arg);
	case 't':
		return args_seconds("--timeout", arg, &opts->timeout_ms);
	case 'o':
		opts->output = arg;
		return 0;
	case OPT_RING_BYTES:
		return parse_ring_bytes(opts, arg);
	case OPT_MAX_RATE:
		return args_number("--max-rate", arg, UINT64_MAX, &opts->max_rate);
	case OPT_MAX_SIZE:
		return args_size("--max-size", arg, &opts->max_bytes);
	case OPT_MAX_FILES:
		return parse_max_files(opts, arg);
	case OPT_RECORD:
		opts->record = arg;
		return 0;
	case OPT_JOURNAL:
		opts->view.export.journal = opts->view.export.live = true;
		return 0;
	case OPT_CAPTURE_BYTES:
		opts->capture_bytes_given = true;
		return args_capture_bytes(arg, &opts->view.export.capture_bytes);
	case OPT_AT:
		if (strcmp(arg, "errno") && strcmp(arg, "return"))
			return args_usage("--at '%s': expected errno or return", arg);
		opts->at_errno = !strcmp(arg, "errno");
		return 0;
	case OPT_ROTATE:
		opts->rotate = true;
		return 0;
	case OPT_MAX_OVERHEAD:
		return parse_overhead(opts, arg);
	case OPT_NO_LBR:
		opts->capture.without_lbr = true;
		return 0;
	case OPT_NO_VALUES:
		opts->no_values = true;
		return 0;
	case OPT_HTML:
		opts->view.html = arg;
		return 0;
	case 'v':
	case 'q':
		return args_status(key);
	case ARGP_KEY_ARG:
		return trace_options_add_target(opts, arg);
	case ARGP_KEY_NO_ARGS:
		if (opts->flight_stop)
			return 0;
		return args_usage("what is to be traced? For example: lbrsnoop %sdo_sys_openat2",
				  opts->compare.wanted ? "compare " : "");
	default:
		return parse_more(opts, key, arg);
	}
}

/* The kinds of targets, into the text behind the options. */
static char *add_targets(int key, const char *text, void *input)
{
	const char *here =
		text && key == ARGP_KEY_HELP_POST_DOC ? strstr(text, TARGETS_HERE) : NULL;
	struct target_syntax syntax;
	size_t size;
	char *all;
	FILE *out;

	(void)input;
	if (!here)
		return (char *)text;
	out = open_memstream(&all, &size);
	if (!out)
		return (char *)text;
	here += strlen(TARGETS_HERE);
	fwrite(text, 1, (size_t)(here - text), out);
	for (size_t i = 0; target_syntax_at(i, &syntax); i++)
		fprintf(out, "\n  %-28s%s%s", syntax.written,
			strlen(syntax.written) < 28 ? " " : "\n                               ",
			syntax.what);
	fputs(here, out);
	return fclose(out) ? (char *)text : all;
}

static const struct argp_child children[] = {{.argp = &view_argp}, {0}};

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse_option,
	.args_doc = "TARGET... [-- COMMAND [ARG]...]",
	.doc = doc,
	.help_filter = add_targets,
};

/* For the capture file: what was asked for. */
static char *join(int argc, char **argv)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	for (int i = 0; out && i < argc; i++)
		fprintf(out, "%s%.1000s", i ? " " : "", argv[i]);
	return out && !fclose(out) ? text : NULL;
}

static int settle_flight(struct trace_options *opts)
{
	struct capture_options *capture = &opts->capture;

	if (opts->flight_stop && opts->target_count)
		return args_usage("--stop disarms the recorder as a whole: TARGET is not wanted");
	if (opts->rotate)
		return args_usage("--rotate needs somebody who rotates: a flight recorder "
				  "outlives lbrsnoop, so choose one");
	capture->flight_dir = opts->flight;
	capture->flight_slots = capture->flight_slots ?: FLIGHT_KEEP;
	capture->flight_only = opts->record_only && !opts->record;
	capture->flight_limit = capture->flight_only ? opts->count : 0;
	return 0;
}

static int check_outputs(const struct trace_options *opts)
{
	const char *names[] = {
		opts->output,	opts->record,		opts->view.trace_json,	   opts->view.dot,
		opts->view.svg, opts->view.export.otlp, opts->view.export.metrics, opts->view.html};
	const char *shared;
	bool text;

	if (opts->max_bytes && !opts->record)
		return args_usage("--max-size is the size of a capture file, and there is none: "
				  "--record FILE, or 'lbrsnoop record -o FILE'");
	shared = args_shared_output(names, ARRAY_SIZE(names));
	if (shared)
		return args_usage("%s: two outputs cannot be one file", shared);
	text = opts->compare.wanted ? !opts->view.html : !opts->view.silent || opts->view.summary;
	if (opts->record && text && !opts->output && args_is_stdout(opts->record))
		return args_usage("--record %s: %s goes to standard output, too; -o FILE puts it "
				  "elsewhere, and 'lbrsnoop record -o %s' captures alone",
				  opts->record, opts->compare.wanted ? "the ranking" : "the text",
				  opts->record);
	return 0;
}

/* Where the output goes: text, or a capture file. */
static int settle_output(struct trace_options *opts)
{
	size_t len = opts->output ? strlen(opts->output) : 0;
	const struct view_options *view = &opts->view;

	if (!opts->flight && (opts->flight_stop || opts->capture.flight_slots))
		return args_usage("--keep, --stop and --discard are for a recorder: --flight is "
				  "missing");
	if (opts->record_only && !len && !opts->flight)
		return args_usage("record needs -o FILE, the capture file, or --flight");
	if (opts->record_only && (view->json || view->summary || view->trace_json || view->dot ||
				  view->svg || view->export.otlp || view->export.metrics))
		return args_usage("record: --json, --summary, --interval, --trace-json, --dot, "
				  "--svg, --otlp and --metrics are for 'lbrsnoop report', which "
				  "prints what it holds");
	if (opts->capture_bytes_given && !view->export.journal)
		return args_usage("--capture-bytes is for --journal");
	if (opts->record_only && !len && view->export.journal)
		return args_usage("record: --journal needs somebody who reads: a flight recorder "
				  "outlives lbrsnoop; it needs -o FILE beside it");
	opts->view.silent |= opts->record_only;
	if (opts->record_only && opts->record)
		return args_usage("record: -o FILE names the capture file, --record another one");
	if ((opts->record_only && len) ||
	    (!opts->record && len > 4 && !strcmp(opts->output + len - 4, ".lbr"))) {
		opts->record = opts->output;
		opts->output = NULL; /* of text */
	}
	if (opts->record_only && len && !opts->capture.ring_bytes)
		opts->capture.ring_bytes = RECORD_RING_BYTES;
	if (opts->flight) {
		int err = settle_flight(opts);

		if (err)
			return err;
	}
	return check_outputs(opts);
}

/* Which options make no sense for a ranking at the end. */
static int check_compare(const struct trace_options *opts)
{
	const struct view_options *view = &opts->view;

	if (view->summary || view->trace_json || view->dot || view->svg || view->raw ||
	    view->insns || view->branches || view->interval_ms || export_wanted(&view->export) ||
	    view->export.journal)
		return args_usage("compare prints a ranking: without --summary, --interval, "
				  "--trace-json, --dot, --svg, --raw, --insns, --branches, --otlp, "
				  "--metrics and --journal");
	if (opts->at_errno)
		return args_usage("compare: --at errno captures no passing call, which never gets "
				  "there");
	if (opts->flight || opts->flight_stop || opts->capture.flight_slots)
		return args_usage("compare: a flight recorder has no ranking; 'lbrsnoop record "
				  "--flight' and 'lbrsnoop report --flight'");
	if (opts->errno_given && !opts->capture.errno_filter)
		return args_usage("compare captures every return; -e says which errors are "
				  "failures, and none is no failure");
	if (opts->view.html && (view->json || opts->output))
		return args_usage("--html writes a page instead of text: without --json and -o; "
				  "--record FILE keeps the capture");
	for (size_t i = 0; i < opts->target_count; i++) {
		const struct target_spec *target = &opts->targets[i];

		if (target_is_user(target))
			return args_usage("compare: '%s' is of a program, whose returned values "
					  "tell no failure; --good FILE... and --bad FILE... say "
					  "it of captures",
					  target->text);
		if (target_has_no_result(target))
			return args_usage("compare: '%s' is no return of a function, and does not "
					  "tell whether a call failed; give the function's name "
					  "alone, or --good FILE... and --bad FILE... of captures",
					  target->text);
	}
	return 0;
}

/* All returns are captured; -e stays for what is a failure. */
static int settle_compare(struct trace_options *opts)
{
	int err = check_compare(opts);

	if (err)
		return err;
	opts->capture.errno_filter = false;
	if (!opts->capture.ring_bytes)
		opts->capture.ring_bytes = RECORD_RING_BYTES;
	opts->compare.top_given = opts->view.top != UINT32_MAX;
	return 0;
}

static int settle_mode(struct trace_options *opts)
{
	if (opts->compare.wanted)
		return settle_compare(opts);
	if (opts->view.html)
		return args_usage("--html is of report, compare and postmortem: --record FILE, "
				  "then 'lbrsnoop report --html PAGE FILE'");
	return 0;
}

static int check_pid(const struct trace_options *opts)
{
	if (opts->command && opts->capture.pid)
		return args_usage(
			"--pid and a command behind '--': the command is traced alone; leave "
			"one of them out");
	if (opts->capture.follow && !opts->command && !opts->capture.pid)
		return args_usage("--follow: whose children? -p PID, or a command behind '--', is "
				  "missing");
	if (opts->capture.follow && opts->flight)
		return args_usage("--follow: a flight recorder outlives lbrsnoop, which follows "
				  "the children; leave one of them out");
	return 0;
}

/* Beside the place, and which of its hits count, there is nothing to choose. */
static bool has_others(const struct trace_options *opts)
{
	const struct capture_options *capture = &opts->capture;
	const struct view_options *view = &opts->view;

	return capture->max_overhead != MAX_OVERHEAD || capture->ring_bytes || capture->pid ||
	       capture->comm || capture->cpu_filter || capture->without_lbr ||
	       opts->trigger != TRIGGER_NONE || opts->branches_given || opts->at_errno ||
	       opts->rotate || opts->count || opts->timeout_ms || opts->max_rate || opts->record ||
	       opts->max_bytes || opts->flight || opts->no_values || view->html ||
	       view->trace_json || view->dot || view->svg || view->summary || view->interval_ms ||
	       view->raw || view->insns || view->branches || export_wanted(&view->export) ||
	       view->export.journal;
}

static int check_deep(const struct trace_options *opts, enum trace_mode mode)
{
	struct errmsg msg = {};

	if (!opts->deep_runs)
		return 0;
	if (mode != TRACE_SHOW)
		return args_usage("--deep is of 'lbrsnoop TARGET' and of 'lbrsnoop why'");
	if (!opts->command)
		return args_usage("--deep runs a command again and again: write it behind '--', "
				  "as in lbrsnoop --deep do_unlinkat -- unlink /x");
	if (opts->target_count != 1)
		return args_usage("--deep leads to one place: name one TARGET, not %zu",
				  opts->target_count);
	if (why_place_check(&opts->targets[0], &msg))
		return args_usage("%s", msg.text);
	if (opts->record)
		return args_usage("--deep TARGET writes no capture file: leave --record out, or "
				  "name another FILE than *.lbr for -o");
	if (opts->errno_given && opts->targets[0].kind == TRIGGER_HW)
		return args_usage("-e is about what a function returns; '%s' is an instruction, of "
				  "which each hit counts: leave -e out, or name the function",
				  opts->targets[0].text);
	if (has_others(opts))
		return args_usage("--deep shows the way to one place, and nothing else: of the "
				  "other options only -e, -f, -o, -v, -q, --json, --color, "
				  "--no-lines and those that name debug information and sources go "
				  "with it");
	return 0;
}

void trace_options_init(struct trace_options *opts)
{
	*opts = (struct trace_options){
		.view = VIEW_OPTIONS_DEFAULT,
		.capture = {.errno_filter = true,
			    .errno_any = true,
			    .max_overhead = MAX_OVERHEAD,
			    .branch_types = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
					    PERF_SAMPLE_BRANCH_KERNEL},
		.max_files = 8,
	};
}

int trace_options_settle(struct trace_options *opts)
{
	int err = settle_user(opts);

	if (err)
		return err;
	lbr_filter_format(opts->capture.branch_types, opts->filter_name, sizeof(opts->filter_name));
	opts->capture.filter_name = opts->filter_name;
	/* Nothing else keeps or shows them. */
	opts->capture.arguments = !opts->no_values && (opts->record || opts->compare.wanted);
	return 0;
}

int trace_options_parse(int argc, char **argv, enum trace_mode mode, struct trace_options *ret_opts)
{
	struct trace_options *opts = ret_opts;

	trace_options_init(opts);
	argp_err_exit_status = EXIT_USAGE;
	opts->record_only = mode == TRACE_RECORD;
	opts->compare = (struct trace_compare){.wanted = mode == TRACE_COMPARE,
					       .failing = COMPARE_FAILING,
					       .passing = COMPARE_PASSING};
	/* Nobody asks for so many. */
	if (opts->compare.wanted)
		opts->view.top = UINT32_MAX;
	opts->view.ranking = opts->compare.wanted;
	opts->command_line = join(argc, argv);
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			opts->command = argv + i + 1;
			argc = i;
			break;
		}
	if (opts->command && !opts->command[0]) {
		args_usage("no command behind '--'");
		return EXIT_USAGE;
	}
	if (argp_parse(&argp, argc, argv, 0, NULL, opts) || settle_mode(opts) ||
	    settle_output(opts) || check_pid(opts) || check_deep(opts, mode) ||
	    trace_options_settle(opts)) {
		trace_options_deinit(opts);
		return EXIT_USAGE;
	}
	return 0;
}

void trace_options_deinit(struct trace_options *opts)
{
	for (size_t i = 0; i < opts->target_count; i++)
		target_spec_deinit(&opts->targets[i]);
	free(opts->targets);
	free(opts->command_line);
	opts->command_line = NULL;
	opts->targets = NULL;
	opts->target_count = 0;
}
