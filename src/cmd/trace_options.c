// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace_options.h"

#include <argp.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>

#include "cmd/cmd.h"
#include "decode/filter.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "util/log.h"

enum {
	OPT_BRANCHES = 0x100,
	OPT_RING_BYTES,
	OPT_NO_LBR,
	OPT_MAX_OVERHEAD,
	OPT_AT,
	OPT_ROTATE,
};

static const struct argp_option options[] = {
	{0, 0, 0, 0, "What to capture:", 1},
	{"errno", 'e', "LIST", 0,
	 "Error returns to capture: ENOENT,-EINVAL,any (default: any error); none: every return",
	 0},
	{"pid", 'p', "PID", 0, "Only this process", 0},
	{"comm", 'c', "NAME", 0, "Only tasks of this name", 0},
	{"cpu", 'C', "LIST", 0, "Only on these CPUs: 0,2-4", 0},
	{"branch-filter", 'j', "LIST", 0,
	 "Branches to record, by perf's names: any, any_call, any_ret, ind_call, cond, call, u, k "
	 "(default: any,u,k)",
	 0},
	{"trigger", 'T', "KIND", 0, "How to trigger: auto (default), hw, fexit, kretprobe", 0},
	{"at", OPT_AT, "PLACE", 0,
	 "errno: break where the function loads the errno, so that the LBR ends at the decision; "
	 "return (default)",
	 0},
	{"rotate", OPT_ROTATE, 0, 0,
	 "More hardware breakpoints than the four registers of a CPU take turns, a second each", 0},
	{"max-overhead", OPT_MAX_OVERHEAD, "PERCENT", 0,
	 "Share of each CPU's time that hardware breakpoints may cost before a cheaper trigger "
	 "takes "
	 "over (default 1; 0: no limit)",
	 0},
	{0, 0, 0, 0, "When to end:", 2},
	{"count", 'n', "N", 0, "After N snapshots", 0},
	{"timeout", 't', "SECONDS", 0, "After so many seconds (0.5 is fine)", 0},
	{0, 0, 0, 0, "What to print:", 3},
	{"output", 'o', "FILE", 0, "Print into FILE", 0},
	{"branches", OPT_BRANCHES, "LIST", OPTION_ARG_OPTIONAL,
	 "The plain list of branches; with =LIST only those are recorded, as with -j", 0},
	{"verbose", 'v', 0, 0, "Say more; twice: libbpf's and the verifier's words too", 0},
	{"quiet", 'q', 0, 0, "No status on stderr, only warnings and errors", 0},
	{"ring-bytes", OPT_RING_BYTES, "BYTES", 0, "Size of the ring buffer (default: 4 MiB)", 3},
	{"no-lbr", OPT_NO_LBR, 0, OPTION_HIDDEN, "Arm without LBR (for tests)", 3},
	{0},
};

static const char doc[] =
	"Show the branches that led to an error return of a kernel function.\v"
	"TARGET: NAME or GLOB (a kernel function, on its error return), MODULE:NAME, fentry:NAME, "
	"fexit:NAME, kprobe:NAME[+OFFSET], kretprobe:NAME, hw:NAME[+OFFSET] (hardware breakpoint), "
	"tracepoint:CATEGORY:NAME, rawtracepoint:NAME.\n\n"
	"COMMAND is started when everything is armed, and is traced alone.\n\n"
	"Other commands: list GLOB, decode, help. 'lbrsnoop help COMMAND' explains each.\n\n"
	"Exit status: 0 at least one snapshot, 1 none, 2 error, 3 no usable LBR, 4 not permitted, "
	"64 usage.";

static int usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int usage(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	log_error("%s", text);
	return EINVAL;
}

static int parse_number(const char *name, const char *arg, uint64_t max, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(arg, &end, 0);
	if (*arg < '0' || *arg > '9' || *end || errno || *ret > max)
		return usage("%s '%s': a number from 0 to %llu is wanted", name, arg,
			     (unsigned long long)max);
	return 0;
}

static int parse_errnos(struct capture_options *capture, const char *arg)
{
	_cleanup_free_ char *copy = strdup(arg);
	char *rest = copy, *item;

	if (!copy)
		return ENOMEM;
	capture->errno_any = false;
	memset(capture->errnos, 0, sizeof(capture->errnos));
	if (!strcmp(arg, "none")) {
		capture->errno_filter = false;
		return 0;
	}
	capture->errno_filter = true;
	while ((item = strsep(&rest, ","))) {
		int err;

		if (!*item)
			return usage(
				"--errno '%s': name errnos, as in -e ENOENT,EACCES; or any, or "
				"none",
				arg);
		if (!strcmp(item, "any")) {
			capture->errno_any = true;
			continue;
		}
		err = errno_parse(item);
		if (err < 0)
			return usage("--errno '%s': no such errno; write it as ENOENT or 2, see "
				     "errno(3); any: every error; none: every return",
				     item);
		capture->errnos[err / 64] |= 1ULL << (err % 64);
	}
	return 0;
}

static int parse_cpus(struct capture_options *capture, const char *arg)
{
	const char *p = arg;

	memset(capture->cpus, 0, sizeof(capture->cpus));
	capture->cpu_filter = true;
	do {
		char *end;
		long first, last;

		if (*p < '0' || *p > '9')
			break;
		first = last = strtol(p, &end, 10);
		if (*end == '-' && end[1] >= '0' && end[1] <= '9')
			last = strtol(end + 1, &end, 10);
		if (last < first || last >= CPU_WORDS * 64 || (*end && *end != ','))
			break;
		for (long cpu = first; cpu <= last; cpu++)
			capture->cpus[cpu / 64] |= 1ULL << (cpu % 64);
		if (!*end)
			return 0;
		p = end + 1;
	} while (true);
	return usage("--cpu '%s': a list of CPUs is wanted, as in 0,2-4", arg);
}

static int parse_branches(struct trace_options *opts, const char *arg)
{
	uint64_t priv = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL;
	const char *bad = "";
	uint64_t bits;

	if (lbr_filter_parse(arg, &bits, &bad))
		return usage(
			"--branches '%s': '%s' is no branch filter; those of perf record -j are "
			"known: any, any_call, any_ret, ind_call, ind_jmp, cond, call, "
			"call_stack, u, k",
			arg, bad);
	/* Only a ring was named, or only classes: the rest is the default. */
	if (!(bits & ~(uint64_t)(priv | PERF_SAMPLE_BRANCH_HV)))
		bits |= PERF_SAMPLE_BRANCH_ANY;
	if (!(bits & priv))
		bits |= priv;
	opts->capture.branch_types = bits;
	return 0;
}

static int parse_trigger(struct trace_options *opts, const char *arg)
{
	static const enum trigger_kind kinds[] = {TRIGGER_HW, TRIGGER_FEXIT, TRIGGER_KRETPROBE};

	opts->trigger = TRIGGER_NONE;
	if (!strcmp(arg, "auto"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(arg, trigger_kind_name(kinds[i]))) {
			opts->trigger = kinds[i];
			return 0;
		}
	return usage("--trigger '%s': one of auto, hw, fexit, kretprobe is wanted", arg);
}

static int parse_timeout(struct trace_options *opts, const char *arg)
{
	char *end;
	double seconds = strtod(arg, &end);

	if (end == arg || *end || !(seconds > 0) || seconds > 1e9)
		return usage("--timeout '%s': a number of seconds is wanted", arg);
	opts->timeout_ms = seconds * 1000 < 1 ? 1 : seconds * 1000;
	return 0;
}

static int parse_overhead(struct trace_options *opts, const char *arg)
{
	char *end;
	double percent = strtod(arg, &end);

	if (end == arg || *end || !(percent >= 0 && percent <= 100))
		return usage("--max-overhead '%s': a percentage from 0 (no limit) to 100 is wanted",
			     arg);
	opts->capture.max_overhead = percent / 100;
	return 0;
}

static int parse_comm(struct trace_options *opts, const char *arg)
{
	if (!*arg)
		return usage("--comm '': a task name is wanted, as ps -o comm shows it");
	if (strlen(arg) >= COMM_LEN)
		log_warning(
			"--comm '%s': the kernel keeps 15 bytes of a task's name; comparing with "
			"'%.15s'",
			arg, arg);
	opts->capture.comm = arg;
	return 0;
}

static int parse_ring_bytes(struct trace_options *opts, const char *arg)
{
	uint64_t value;
	int err = parse_number("--ring-bytes", arg, 1u << 30, &value);

	if (err)
		return err;
	if (value < 4096 || value & (value - 1))
		return usage("--ring-bytes '%s': a power of two from 4096 to 1 GiB is wanted", arg);
	opts->capture.ring_bytes = value;
	return 0;
}

static int add_target(struct trace_options *opts, const char *arg)
{
	struct target_spec spec, *targets;
	struct errmsg msg = {};
	int err = target_parse(arg, &spec, &msg);

	if (err) {
		log_error("%s", msg.text);
		return -err;
	}
	targets = reallocarray(opts->targets, opts->target_count + 1, sizeof(*targets));
	if (!targets)
		return ENOMEM;
	targets[opts->target_count++] = spec;
	opts->targets = targets;
	return 0;
}

static int parse_pid(struct trace_options *opts, const char *arg)
{
	uint64_t value;
	int err = parse_number("--pid", arg, 1 << 22, &value);

	if (err)
		return err;
	if (!value)
		return usage("--pid 0: no process has this number");
	opts->capture.pid = value;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct trace_options *opts = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->view;
		return 0;
	case 'e':
		return parse_errnos(&opts->capture, arg);
	case 'p':
		return parse_pid(opts, arg);
	case 'c':
		return parse_comm(opts, arg);
	case 'C':
		return parse_cpus(&opts->capture, arg);
	case 'j':
		return parse_branches(opts, arg);
	case OPT_BRANCHES:
		opts->view.branches = true;
		return arg ? parse_branches(opts, arg) : 0;
	case 'T':
		return parse_trigger(opts, arg);
	case 'n':
		return parse_number("--count", arg, UINT64_MAX, &opts->count);
	case 't':
		return parse_timeout(opts, arg);
	case 'o':
		opts->output = arg;
		return 0;
	case OPT_RING_BYTES:
		return parse_ring_bytes(opts, arg);
	case OPT_AT:
		if (strcmp(arg, "errno") && strcmp(arg, "return"))
			return usage("--at '%s': errno or return is wanted", arg);
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
	case 'v':
		log_set_level(log_get_level() == LOG_VERBOSE ? LOG_DEBUG : LOG_VERBOSE);
		return 0;
	case 'q':
		log_set_level(LOG_QUIET);
		return 0;
	case ARGP_KEY_ARG:
		return add_target(opts, arg);
	case ARGP_KEY_NO_ARGS:
		return usage("what is to be traced? For example: lbrsnoop do_sys_openat2");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &view_argp}, {0}};

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse_option,
	.args_doc = "TARGET... [-- COMMAND [ARG]...]",
	.doc = doc,
};

int trace_options_parse(int argc, char **argv, struct trace_options *ret_opts)
{
	struct trace_options *opts = ret_opts;

	*opts = (struct trace_options){
		.capture = {.errno_filter = true,
			    .errno_any = true,
			    .max_overhead = 0.01,
			    .branch_types = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
					    PERF_SAMPLE_BRANCH_KERNEL},
	};
	argp_err_exit_status = EXIT_USAGE;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			opts->command = argv + i + 1;
			argc = i;
			break;
		}
	if (opts->command && !opts->command[0]) {
		usage("no command behind '--'");
		return EXIT_USAGE;
	}
	if (argp_parse(&argp, argc, argv, 0, NULL, opts)) {
		trace_options_deinit(opts);
		return EXIT_USAGE;
	}
	lbr_filter_format(opts->capture.branch_types, opts->filter_name, sizeof(opts->filter_name));
	opts->capture.filter_name = opts->filter_name;
	return 0;
}

void trace_options_deinit(struct trace_options *opts)
{
	for (size_t i = 0; i < opts->target_count; i++)
		target_spec_deinit(&opts->targets[i]);
	free(opts->targets);
	opts->targets = NULL;
	opts->target_count = 0;
}
