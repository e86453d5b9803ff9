// SPDX-License-Identifier: GPL-2.0
/* postmortem.c - flight records out of a crash dump */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/option_args.h"
#include "cmd/cmd.h"
#include "cmd/postmortem/flight_show.h"
#include "cmd/output.h"
#include "cmd/postmortem/postmortem_pages.h"
#include "cmd/trace/supervise.h"
#include "render/escape.h"
#include "symbolize/debug/debugfile.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "vmcore/vmcore.h"
#include "vmcore/ksyms.h"
#include "vmcore/printk.h"

#define LOG_LINES 60

enum {
	OPT_LOG = 0x100,
	OPT_ALL,
};

/**
 * struct postmortem_options - what the user asked for
 * @log_lines: of the kernel's log
 * @all: all recorders, discarded ones, too
 */
struct postmortem_options {
	char *dump;
	uint64_t log_lines;
	bool all;
	struct filter_options wanted;
};

struct postmortem {
	const struct postmortem_options *opts;
	FILE *out;
	volatile uint64_t *beat;
	struct progress *progress;
	struct dump *dump;
	struct flight_collector *collector;
	struct build_id build_id;
	char release[128];
	uint64_t stext, kaslr;
	uint64_t printed;
	uint64_t log_lines;
};

static const struct argp_option options[] = {
	{"log", OPT_LOG, "N", 0, "The last N lines of the kernel's log (default 60; 0: none)", 1},
	{"all", OPT_ALL, 0, 0,
	 "All recorders; what is left of discarded ones, too: each page is searched. Default: "
	 "the one armed last",
	 1},
	{0},
};

static const char doc[] =
	"Print what a flight recorder ('lbrsnoop record --flight') holds in the dump of a crashed "
	"kernel, and the end of the kernel's log.\v"
	"VMCORE: an ELF or kdump-compressed dump of kdump, makedumpfile or QEMU; one that was "
	"filtered (makedumpfile -d 31) still has the recorder's pages. Names come out of the dump; "
	"source lines stand where the kernel's debug information is found by its build ID.\n\n"
	"Exit status: 0 at least one snapshot, 1 none, 2 error, 64 usage.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct postmortem_options *opts = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &opts->wanted;
		return 0;
	case OPT_LOG:
		return args_number("--log", arg, UINT32_MAX, &opts->log_lines);
	case OPT_ALL:
		opts->all = true;
		return 0;
	case ARGP_KEY_ARG:
		if (opts->dump)
			return args_usage("postmortem: one dump at a time, not '%s', too", arg);
		opts->dump = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		return args_usage("postmortem: which dump? For example: lbrsnoop postmortem "
				  "/var/crash/vmcore");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &filter_options_argp}, {0}};

static const struct argp argp = {
	.children = children,
	.options = options,
	.parser = parse_option,
	.args_doc = "VMCORE",
	.doc = doc,
};

/* What the dump says of its kernel. */
static void identify(struct postmortem *pm)
{
	char text[2 * BUILD_ID_MAX + 1];

	if (!dump_info(pm->dump, "OSRELEASE", pm->release, sizeof(pm->release)))
		pm->release[0] = '\0';
	if (dump_symbol(pm->dump, "_stext", &pm->stext))
		pm->stext = 0;
	if (dump_info_number(pm->dump, "KERNELOFFSET", 16, &pm->kaslr))
		pm->kaslr = 0;
	if (dump_info(pm->dump, "BUILD-ID", text, sizeof(text)))
		build_id_parse(text, &pm->build_id);
}

/* VMCOREINFO counts; without one, what the recorder knew. */
static void identify_by_header(struct postmortem *pm, struct flight_session *session)
{
	const struct flight_header *header;

	if (flight_session_header(session, &header))
		return;
	if (!pm->release[0])
		snprintf(pm->release, sizeof(pm->release), "%s", header->release);
	if (!pm->stext)
		pm->stext = header->stext;
	if (pm->build_id.len || header->build_id_len > BUILD_ID_MAX)
		return;
	memcpy(pm->build_id.bytes, header->build_id, header->build_id_len);
	pm->build_id.len = header->build_id_len;
}

/* Out of vmlinux: its path. */
static int open_image_symbols(struct postmortem *pm, struct symbols **ret_symbols)
{
	const struct view_options *view = &pm->opts->wanted.view;
	_cleanup_free_ char *found = NULL;
	const char *path = view->vmlinux;

	if (!path && !debugfile_find_kernel(view->debug_dir, pm->release, &pm->build_id, &found))
		path = found;
	return path ? symbols_open_elf(path, pm->kaslr, ret_symbols) : -ENOENT;
}

static void say_modules(const struct postmortem *pm, const struct ksyms_modules *modules)
{
	if (modules->err && modules->err != -ENODATA)
		log_warning("%s: the list of its modules %s: addresses in modules may have no "
			    "names",
			    pm->opts->dump,
			    modules->err == -EFAULT ? "is not all there" : "makes no sense");
	if (modules->failed)
		log_warning("%s: the symbols of %u modules are not all there: addresses in them "
			    "may have no names",
			    pm->opts->dump, modules->failed);
}

static int open_symbols(struct postmortem *pm, struct symbols **ret_symbols)
{
	struct ksyms_modules modules;
	int err = ksyms_open(pm->dump, &modules, ret_symbols);
	const char *why = err == -ENODATA  ? "it does not tell where its symbol table is"
			  : err == -EFAULT ? "pages of its symbol table are missing"
					   : "its symbol table makes no sense";

	if (!err)
		say_modules(pm, &modules);
	if (!err || err == -ENOMEM)
		return err;
	err = open_image_symbols(pm, ret_symbols);
	if (!err || err == -ENOMEM)
		return err;
	log_warning("%s: %s, and vmlinux is not here: addresses have no names; --vmlinux or "
		    "--debug-dir tell where it is",
		    pm->opts->dump, why);
	return symbols_open_empty(ret_symbols);
}

/* BPF programs and trampolines: no image has them. */
static int add_recorded_symbols(struct flight_session *session, struct symbols *symbols)
{
	const struct flight_header *header;
	int err = 0;

	if (flight_session_header(session, &header))
		return 0;
	for (size_t i = 0; i < header->symbol_count && !err; i++) {
		struct symbol sym = {
			.name = header->symbols[i].name,
			.module = "bpf",
			.addr = header->symbols[i].addr,
			.size = header->symbols[i].size,
		};

		err = symbols_add(symbols, &sym);
		if (err != -ENOMEM)
			err = 0;
	}
	return err;
}

static void say_session(const struct postmortem *pm, struct flight_session *session)
{
	const struct flight_header *header;
	struct flight_session_state state;
	uint64_t kept;

	flight_session_state(session, &state);
	kept = state.written < state.slots ? state.written : state.slots;
	log_info("flight recorder: %u snapshots found%s%s", state.records,
		 pm->release[0] ? ", Linux " : "", pm->release);
	if (state.records + state.empty < state.slots)
		log_warning("%u of the recorder's %u record pages are not in the dump, or damaged: "
			    "%s",
			    state.slots - state.records - state.empty, state.slots,
			    kept > state.records ? "snapshots are missing"
			    : state.written || state.headers == state.header_pages
				    ? "no snapshot is missing that is known of"
				    : "how many snapshots are missing is not known");
	if (state.lost)
		log_warning("%llu events were lost when they were captured",
			    (unsigned long long)state.lost);
	if (flight_session_header(session, &header))
		log_warning("%u of the recorder's %u header pages are missing or damaged: what "
			    "triggered, the LBR's model and the time are not known",
			    state.header_pages - state.headers, state.header_pages);
}

/* From here on there is output. */
static void end_progress(struct postmortem *pm)
{
	progress_end(pm->progress);
	pm->progress = NULL;
}

/* What is printed may take longer than a hang: each text that is read tells that it goes on. */
static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct postmortem *pm = ctx;

	++*pm->beat;
	return dump_read(pm->dump, addr, buf, len);
}

static int show_session(struct postmortem *pm, struct flight_session *session, struct errmsg *msg)
{
	struct flight_show show = {
		.wanted = &pm->opts->wanted,
		.count = pm->opts->wanted.count ? pm->opts->wanted.count - pm->printed : 0,
		.out = pm->out,
		.text = {.read = dump_text(pm->dump).read ? read_text : NULL, .ctx = pm},
	};
	struct lines_options kernel = {};
	int err;

	identify_by_header(pm, session);
	say_session(pm, session);
	progress_set(pm->progress, 0, 0);
	progress_say(pm->progress, "the dump's symbols, debug information");
	kernel.release = pm->release;
	kernel.build_id = pm->build_id.bytes;
	kernel.build_id_len = pm->build_id.len;
	kernel.stext = pm->stext;
	err = open_symbols(pm, &show.symbols);
	err = err ?: add_recorded_symbols(session, show.symbols);
	err = err
		      ?: view_create(&pm->opts->wanted.view, pm->out, show.symbols, &kernel, NULL,
				     &show.view, msg);
	end_progress(pm);
	err = err ?: flight_show_session(&show, session, msg);
	err = err ?: view_finish(show.view, msg);
	pm->printed += show.printed;
	view_destroy(show.view);
	symbols_close(show.symbols);
	return err;
}

static int show_sessions(struct postmortem *pm, struct errmsg *msg)
{
	size_t count = flight_collector_sessions(pm->collector);
	int err = 0;

	if (count > 1 && !pm->opts->all)
		log_info("there are pages of %zu more flight recorders, armed before or "
			 "beside; --all prints them, too",
			 count - 1);
	if (!pm->opts->all && count)
		count = 1;
	/* The one armed last is the first. */
	while (count-- > 0 && !err &&
	       (!pm->opts->wanted.count || pm->printed < pm->opts->wanted.count))
		err = show_session(pm, flight_collector_session(pm->collector, count), msg);
	return err;
}

static int on_message(uint64_t seq, uint64_t ts_ns, const char *text, void *ctx)
{
	struct postmortem *pm = ctx;
	char escaped[4096];

	if (!pm->log_lines++)
		fprintf(pm->out, "The kernel's log, its last lines:\n");
	while (text) {
		size_t len = strcspn(text, "\n");
		char line[2048];

		snprintf(line, sizeof(line), "%.*s", (int)(len < 2047 ? len : 2047), text);
		fprintf(pm->out, "  [%5llu.%06llu] %s\n", (unsigned long long)(ts_ns / 1000000000),
			(unsigned long long)(ts_ns / 1000 % 1000000),
			escape_text(line, escaped, sizeof(escaped)));
		text = text[len] ? text + len + 1 : NULL;
		if (!text)
			return 0;
	}
	fprintf(pm->out, "  [%5llu.%06llu] (message %llu is not in the dump)\n",
		(unsigned long long)(ts_ns / 1000000000),
		(unsigned long long)(ts_ns / 1000 % 1000000), (unsigned long long)seq);
	return 0;
}

static void show_log(struct postmortem *pm)
{
	const struct view_options *view = &pm->opts->wanted.view;
	int err;

	/* Behind a page it would be no part of it. */
	if (view->json || (view->html && args_is_stdout(view->html)) || !pm->opts->log_lines)
		return;
	err = printk_tail(pm->dump, (uint32_t)pm->opts->log_lines, on_message, pm);
	if (err)
		log_warning("%s: no kernel log: %s", pm->opts->dump,
			    err == -ENODATA  ? "the dump does not tell where it is (VMCOREINFO)"
			    : err == -EFAULT ? "its pages are not in the dump"
					     : "it is damaged");
}

static int run(struct postmortem *pm, struct errmsg *msg)
{
	char what[256];
	int err;

	snprintf(what, sizeof(what), "searching %s", pm->opts->dump);
	pm->progress = output_progress(pm->out, true, what, NULL);
	err = dump_open(pm->opts->dump, &pm->dump, msg);
	if (err)
		return err;
	pm->collector = flight_collector_create();
	if (!pm->collector)
		return -ENOMEM;
	err = postmortem_pages(pm->dump, pm->opts->all, pm->beat, pm->progress, &pm->collector,
			       msg);
	if (err)
		return err;
	++*pm->beat;
	identify(pm);
	if (!dump_has_info(pm->dump))
		log_warning("%s: it has no VMCOREINFO: no text, no path, no kernel log",
			    pm->opts->dump);
	err = output_begin(pm->out);
	if (err)
		return errmsg_set(msg, err, "%s: %s", pm->opts->wanted.output, strerror(-err));
	err = show_sessions(pm, msg);
	end_progress(pm);
	if (!err && stop_requested)
		return errmsg_set(msg, -EINTR, "%s: stopped before all of it was printed",
				  pm->opts->dump);
	if (!err)
		show_log(pm);
	return err;
}

static int run_and_report(void *ctx, volatile uint64_t *beat)
{
	const struct postmortem_options *opts = ctx;
	struct postmortem pm = {.opts = opts, .out = stdout, .beat = beat};
	struct errmsg msg = {};
	int err;

	if (opts->wanted.output)
		pm.out = output_open(opts->wanted.output);
	if (!pm.out) {
		log_error("%s: %s", opts->wanted.output, strerror(errno));
		return EXIT_ERROR;
	}
	err = run(&pm, &msg);
	end_progress(&pm);
	flight_collector_destroy(pm.collector);
	dump_close(pm.dump);
	err = output_end(pm.out, opts->wanted.output, err, &msg);
	if (err) {
		log_error("%s", msg.text[0] ? msg.text : strerror(-err));
		return EXIT_ERROR;
	}
	return pm.printed ? EXIT_SEEN : EXIT_NONE;
}

int cmd_postmortem(int argc, char **argv)
{
	struct postmortem_options opts = {.wanted = FILTER_OPTIONS_DEFAULT, .log_lines = LOG_LINES};
	int status;

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &opts))
		return EXIT_USAGE;
	if (opts.all && opts.wanted.view.html) {
		args_usage("--html writes a page of one flight recorder: without --all");
		return EXIT_USAGE;
	}
	opts.wanted.view.html_inputs = &opts.dump;
	opts.wanted.view.html_input_count = 1;
	status = filter_options_check_outputs(&opts.wanted, &opts.dump, 1, "dump");
	if (status)
		return status;
	install_stop_handlers();
	status = supervise(run_and_report, &opts);
	if (status >= 0)
		return status;
	if (status == -EINTR)
		log_error("%s: stopped before all of it was read", opts.dump);
	else if (status == -EFAULT || status == -ETIMEDOUT)
		log_error("%s: %s while it was read: it is damaged; nothing more can be had from "
			  "it",
			  opts.dump,
			  status == -ETIMEDOUT ? "libkdumpfile does not come to an end"
					       : "libkdumpfile crashed");
	else
		log_error("%s: the process that reads it: %s", opts.dump,
			  status == -ENOMEM ? "killed, or there is no memory for it"
					    : strerror(-status));
	return EXIT_ERROR;
}
