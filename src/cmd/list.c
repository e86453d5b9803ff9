// SPDX-License-Identifier: GPL-2.0
/* list.c - what can be traced here, and by which trigger */
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/kprobes.h"
#include "capture/multi.h"
#include "cmd/cmd.h"
#include "host/capabilities.h"
#include "symbolize/symbolize.h"
#include "target/kinds/perf_event.h"
#include "target/target.h"
#include "util/errno_name.h"
#include "util/log.h"

/** struct listing - @kinds: what this kernel has, one bit (1 << kind) each */
struct listing {
	size_t count;
	unsigned int kinds;
};

static int print_item(const char *module, const char *name, enum return_class ret,
		      unsigned int kinds, void *ctx)
{
	const char *between = "\t";
	struct listing *listing = ctx;

	kinds &= listing->kinds;
	if (kinds & 1u << TRIGGER_TRACEPOINT)
		printf("tracepoint:%s:%s", module, name);
	else
		printf("%s%s%s", module, *module ? ":" : "", name);
	for (int kind = TRIGGER_FENTRY; kind < TRIGGER_KIND_COUNT; kind++)
		if (kinds & 1u << kind) {
			printf("%s%s", between, trigger_kind_name(kind));
			between = kinds & 1u << TRIGGER_TRACEPOINT ? "\t" : ",";
		}
	if (!kinds)
		fputs("\tnone", stdout);
	if (!(kinds & 1u << TRIGGER_TRACEPOINT))
		fputs(ret == RETURN_NONE ? "\treturns no errno\n" : "\t\n", stdout);
	else
		fputs("\n", stdout);
	listing->count++;
	return stop_requested || ferror(stdout);
}

static int print_target(const char *const columns[TARGET_COLUMNS], void *ctx)
{
	size_t *count = ctx;

	for (size_t i = 0; i < TARGET_COLUMNS; i++)
		printf("%s%c", columns[i], i + 1 < TARGET_COLUMNS ? '\t' : '\n');
	++*count;
	return ferror(stdout);
}

static int list_targets(void)
{
	struct target_syntax syntax;

	for (size_t i = 0; target_syntax_at(i, &syntax); i++)
		printf("%s\t%s\t%s\t%s\n", syntax.prefix, syntax.written, syntax.what, syntax.list);
	return ferror(stdout) ? EXIT_ERROR : EXIT_SEEN;
}

static int list_events(void)
{
	const struct perf_event_name *event;

	for (size_t i = 0; (event = perf_event_at(i)); i++) {
		struct errmsg why = {};
		int err = perf_event_there(event->type, event->config, event->period, &why);

		printf("perf:%s\t%s\t%s\t%s%s\n", event->name,
		       perf_event_of_software(event->type) ? "software" : "pmu", event->what,
		       !err		? ""
		       : err == -ENOENT ? "not here"
					: "not here: ",
		       err && err != -ENOENT ? why.text : "");
	}
	return ferror(stdout) ? EXIT_ERROR : EXIT_SEEN;
}

/* Numbers beyond those that a system call returns are the kernel's own; all are below 600. */
static int list_errnos(void)
{
	for (int err = 1; err < 600; err++)
		if (errno_name(err))
			printf("%s\t%d\t%s\n", errno_name(err), err, errno_text(err));
	return ferror(stdout) ? EXIT_ERROR : EXIT_SEEN;
}

/* What is no glob. Return: exit status; -1: there is no such list. */
static int list_word(const char *word)
{
	struct errmsg msg = {};
	size_t count = 0;
	int err;

	if (!strcmp(word, "targets"))
		return list_targets();
	if (!strcmp(word, "perf"))
		return list_events();
	if (!strcmp(word, "errnos"))
		return list_errnos();
	err = target_list(word, print_target, &count, &msg);
	if (err == -ENOENT)
		return -1;
	if (err < 0) {
		log_error("%s", msg.text[0] ? msg.text : strerror(-err));
		return exit_status_of(err);
	}
	return ferror(stdout) ? EXIT_ERROR : count ? EXIT_SEEN : EXIT_NONE;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	const char **glob = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (*glob)
			argp_error(state, "one glob at a time");
		*glob = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "expected a glob, as in: lbrsnoop list '*openat*'");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_list(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse_option,
		.args_doc = "GLOB",
		.doc = "List kernel functions and tracepoints whose name matches, and the triggers "
		       "that work for each. MODULE:GLOB and tracepoint:CATEGORY:GLOB are "
		       "understood, "
		       "too. 'targets' lists how targets are written, and the lists that there are "
		       "of "
		       "some: 'presets' what preset: knows, and from where in the kernel; 'perf' "
		       "the events of perf:, and which of them this machine has. 'errnos' lists "
		       "what -e knows.",
	};
	struct resolve_options opts = {};
	struct resolver *resolver = NULL;
	struct symbols *symbols = NULL;
	const char *glob = NULL;
	struct errmsg msg = {};
	struct listing listing = {.kinds = ~0u};
	int err, status;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &glob);
	status = list_word(glob);
	if (status >= 0)
		return status;
	install_stop_handlers();
	err = symbols_open(NULL, &symbols);
	if (err) {
		log_error("/proc/kallsyms: %s", kallsyms_error(err));
		return exit_status_of(err);
	}
	opts.symbols = symbols;
	if (multi_check(NULL) == -EOPNOTSUPP)
		listing.kinds &= ~(1u << TRIGGER_MULTI);
	if (!kernel_has_kprobes())
		listing.kinds &= ~(1u << TRIGGER_KPROBE | 1u << TRIGGER_KRETPROBE);
	err = resolver_create(&opts, &resolver, &msg);
	if (!err)
		err = resolver_list(resolver, glob, print_item, &listing);
	if (err < 0)
		log_error("%s", msg.text[0] ? msg.text : strerror(-err));
	resolver_destroy(resolver);
	symbols_close(symbols);
	if (err < 0)
		return exit_status_of(err);
	return listing.count ? EXIT_SEEN : EXIT_NONE;
}
