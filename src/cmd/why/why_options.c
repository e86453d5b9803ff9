// SPDX-License-Identifier: GPL-2.0
#include "cmd/why/why_options.h"

#include <argp.h>

#include "cmd/cmd.h"
#include "cmd/option_args.h"
#include "syscall/syscall.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "why/session.h"

enum {
	OPT_SYSCALL = 0x100,
	OPT_CGROUP,
	OPT_UNIT,
	OPT_ALL,
	OPT_ONCE,
	OPT_NO_LBR,
	OPT_STORY,
	OPT_DEEP,
	OPT_RECORD,
	OPT_NO_VALUES,
	OPT_PRIVATE,
};

static const struct argp_option options[] = {
	{"errno", 'e', "LIST", 0, "Only calls that fail with these: ENOENT,EINVAL", 0},
	{"syscall", OPT_SYSCALL, "NAME", 0, "Only this system call", 0},
	{"pid", 'p', "PID", 0,
	 "No COMMAND: wait for a call of this process, or of its children, that fails; the second "
	 "one tells the place, or the first, if it has been learned of",
	 0},
	{"comm", 'c', "NAME", 0, "The same of tasks of this name", 0},
	{"cgroup", OPT_CGROUP, "PATH", 0, "The same of a control group (version 2)", 0},
	{"unit", OPT_UNIT, "NAME", 0, "The same of a systemd unit", 0},
	{"timeout", 't', "SECONDS", 0, "Wait no longer than that (0.5 is fine)", 0},
	{"all", OPT_ALL, 0, 0, "List every call that failed, identical ones counted", 0},
	{"once", OPT_ONCE, 0, 0,
	 "Run the COMMAND only once: the place is told if the call fails twice in it, or has been "
	 "learned of",
	 0},
	{"story", OPT_STORY, 0, 0,
	 "The full account: the stack with inlined functions and entry code, and on a machine with "
	 "an LBR the branches that led there (--insns and --raw say so, too)",
	 0},
	{"deep", OPT_DEEP, "RUNS", OPTION_ARG_OPTIONAL,
	 "On a machine with an LBR: the whole way from the system call to the error, further back "
	 "than the LBR reaches; for that the COMMAND is run again, up to RUNS times (40)",
	 0},
	{"no-values", OPT_NO_VALUES, 0, 0,
	 "Neither read nor show what variables held: they may be nobody else's business", 0},
	{"private", OPT_PRIVATE, 0, 0,
	 "An answer that may be sent to others: as with --no-values, and without the arguments of "
	 "system calls, names of tasks, and what the kernel logs or says of them",
	 0},
	{"output", 'o', "FILE", 0, "Write the answer into FILE", 0},
	{"record", OPT_RECORD, "FILE", 0,
	 "Also write a capture file, which 'lbrsnoop report' reads on any machine: the answer, and "
	 "what it was made of",
	 0},
	{"no-lbr", OPT_NO_LBR, 0, 0, "Spare the last run, which is for the branches", 0},
	{"verbose", 'v', 0, 0, "Say more; twice: libbpf's and the verifier's words too", 0},
	{"quiet", 'q', 0, 0, "No status on stderr, only warnings and errors", 0},
	{0},
};

static const char doc[] =
	"Which line of the kernel's source made a command fail, by which condition.\v"
	"COMMAND is run up to three times: to see which call fails and which functions ran in it; "
	"to see which of their instructions made the error; and to have the branches that led "
	"there from the LBR, or, without one, to see which of several branches decided. What the "
	"later runs write is not shown. With --once it is run once, and what runs already (-p, -c, "
	"--cgroup, --unit) is not run at all: then each failing call teaches where the next one of "
	"its kind can be made, and so do earlier uses.\n\n"
	"Exit status: 0 the place was found, 1 the command did not fail by a system call, or the "
	"place was not found, 2 error, 4 not permitted, 64 usage.";

static int parse_cgroup(struct why_options *opts, const char *arg)
{
	if (cgroup_find(arg, &opts->cgroup))
		return args_usage("--cgroup '%s': there is no control group %s", arg,
				  opts->cgroup.path);
	return 0;
}

static int parse_unit(struct why_options *opts, const char *arg)
{
	if (cgroup_find_unit(arg, &opts->cgroup))
		return args_usage("--unit '%s': it does not run, or has a slice of its own, which "
				  "--cgroup names: there is no control group %s",
				  arg, opts->cgroup.path);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct why_options *opts = state->input;
	int err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->view;
		return 0;
	case OPT_SYSCALL:
		opts->syscall = syscall_number(arg);
		if (opts->syscall < 0)
			return args_usage("--syscall '%s': there is no such system call", arg);
		return 0;
	case OPT_ALL:
		opts->all = true;
		return 0;
	case OPT_ONCE:
		opts->once = true;
		return 0;
	case OPT_NO_LBR:
		opts->no_lbr = true;
		return 0;
	case OPT_STORY:
		opts->view.story = true;
		return 0;
	case OPT_NO_VALUES:
		opts->no_values = true;
		return 0;
	case OPT_PRIVATE:
		opts->private = true;
		opts->no_values = true;
		return 0;
	case OPT_DEEP:
		return args_deep(arg, &opts->deep_runs);
	case 'o':
		opts->output = arg;
		return 0;
	case OPT_RECORD:
		opts->record = arg;
		return 0;
	case 'p':
		return args_pid(&opts->filter, arg);
	case 'c':
		return args_comm(&opts->filter, arg);
	case OPT_CGROUP:
		return parse_cgroup(opts, arg);
	case OPT_UNIT:
		return parse_unit(opts, arg);
	case 't':
		return args_seconds("--timeout", arg, &opts->timeout_ms);
	case 'e':
		err = args_errnos(&opts->filter, arg);
		if (!err && !opts->filter.errno_filter)
			return args_usage("--errno none: 'why' looks at errors alone");
		return err;
	case ARGP_KEY_ARGS:
		opts->command = state->argv + state->next;
		return 0;
	default:
		return args_status(key);
	}
}

static int targets(const struct why_options *opts)
{
	return !!opts->filter.pid + !!opts->filter.comm + !!opts->cgroup.id;
}

bool why_attaches(const struct why_options *opts)
{
	return targets(opts) > 0;
}

/* What runs already, or a command: options of the one say nothing of the other. */
static int check_target(const struct why_options *opts)
{
	bool command = opts->command && opts->command[0];

	if (command && why_attaches(opts))
		log_error("why: -p, -c, --cgroup and --unit are for what runs already: "
			  "leave out the COMMAND");
	else if (command && opts->timeout_ms)
		log_error("why: --timeout is for what runs already; a COMMAND is run to its end "
			  "(timeout(1) ends it)");
	else if (!command && !why_attaches(opts))
		log_error("why: name the command that fails: lbrsnoop why -- COMMAND; or what "
			  "runs already, by -p, -c, --cgroup or --unit");
	else if (targets(opts) > 1)
		log_error("why: -p, -c and --cgroup or --unit: one of them at a time");
	else if (!command && opts->once)
		log_error("why: --once is for a COMMAND; what runs already is not run at all");
	else if (opts->deep_runs && (!command || opts->once))
		log_error("why: --deep runs a COMMAND again and again: no --once, and nothing "
			  "that runs already");
	else if (opts->deep_runs && opts->no_lbr)
		log_error("why: --deep is about the LBR's branches: no --no-lbr");
	else
		return 0;
	return EXIT_USAGE;
}

static int check_outputs(const struct why_options *opts)
{
	const struct view_options *view = &opts->view;
	const char *names[] = {opts->output, opts->record, view->dot, view->svg};
	const char *shared = args_shared_output(names, ARRAY_SIZE(names));

	if (shared)
		log_error("why: %s: two outputs cannot be one file", shared);
	else if (opts->record && !opts->output && args_is_stdout(opts->record))
		log_error("why: --record %s: the answer goes to standard output, too; -o FILE puts "
			  "it elsewhere",
			  opts->record);
	else if (opts->record && opts->no_values)
		log_error("why: --record keeps the registers at the error, the command and the "
			  "name of this host: no --no-values, and no --private");
	else if (view->summary || view->trace_json)
		log_error("why: %s is of many events, and this tells of one call: lbrsnoop "
			  "FUNCTION has it",
			  view->summary ? "--summary" : "--trace-json");
	else
		return 0;
	return EXIT_USAGE;
}

int why_options_parse(int argc, char **argv, struct why_options *opts)
{
	static const struct argp_child children[] = {{&view_argp, 0, "What to print:", 3}, {0}};
	static const struct argp argp = {options, parse, "-- COMMAND [ARG]...", doc, children};

	*opts = (struct why_options){.view = VIEW_OPTIONS_DEFAULT, .syscall = -1};
	opts->view.installed_sources = true;
	opts->filter.errno_any = true;
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, opts))
		return EXIT_USAGE;
	if (export_wanted(&opts->view.export)) {
		log_error("why: --otlp and --metrics are of snapshots: a trace has them, and "
			  "'lbrsnoop report'");
		return EXIT_USAGE;
	}
	return check_target(opts) ?: check_outputs(opts);
}
