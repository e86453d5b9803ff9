// SPDX-License-Identifier: GPL-2.0
/*
 * doctor.c - does the LBR work here, and how much of it does each trigger leave?
 *
 * The table is measured, not known: a child makes a system call that fails, over and over, and
 * each kind of trigger captures it in turn. What is newer in the LBR than the traced function's
 * own last branch, the capture has spent.
 */
#include <argp.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include "capture/attach.h"
#include "capture/breakpoint.h"
#include "capture/capture.h"
#include "capture/budget/holders.h"
#include "cmd/child.h"
#include "cmd/cmd.h"
#include "decode/model.h"
#include "host/capabilities.h"
#include "render/branch_list.h"
#include "render/json_writer.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/text.h"
#include "symbolize/trim.h"
#include "target/choose.h"
#include "target/switches.h"
#include "target/target.h"
#include "util/cleanup.h"
#include "util/log.h"

#define HITS_WANTED 10
#define PATIENCE_MS 5000

/* A file descriptor that is not open: read() fails in ksys_read(), after a few branches. */
#define BAD_FD 1000000

struct measurement {
	const char *label;
	const char *target;
	enum trigger_kind force;
	size_t hits;
	uint32_t depth;
	uint32_t left[HITS_WANTED];
	uint64_t hit_ns;
	struct errmsg error;
};

struct doctor {
	bool json;
	struct symbols *symbols;
	struct text *text_live;
	struct text_source text;
	struct lbr_model model;
	bool model_known;
	struct lbr_info lbr;
	struct errmsg why_not;
	int status;
	int free_registers;
	int breakpoint_err; /* of breakpoint_check() */
	struct errmsg breakpoint;
	struct switches switches;
	char others[200]; /* processes that may use the PMU or debug registers */
};

static int make_failing_calls(void *ctx)
{
	char byte;

	(void)ctx;
	for (int i = 0; i < 100000; i++) {
		if (read(BAD_FD, &byte, 1) != -1)
			return 1;
		usleep(2000);
	}
	return 0;
}

static int on_snapshot(struct snapshot *snap, void *ctx)
{
	struct measurement *m = ((void **)ctx)[0];
	struct doctor *doctor = ((void **)ctx)[1];

	if (!snap)
		return 0;
	symbols_follow(doctor->symbols, snap);
	snapshot_trim(snap, doctor->symbols);
	m->depth = snap->lbr->depth;
	m->left[m->hits++] = snap->count - snap->wasted;
	return m->hits == HITS_WANTED;
}

static const char *no_breakpoints(const struct doctor *doctor)
{
	return doctor->breakpoint_err == -EOPNOTSUPP ? doctor->breakpoint.text : NULL;
}

static int resolve(struct doctor *doctor, struct measurement *m, struct resolver **ret_resolver,
		   struct probe_list *probes)
{
	struct resolve_options opts = {
		.symbols = doctor->symbols, .force = m->force, .errors_only = true};
	struct choose_options choose = {.symbols = doctor->symbols,
					.text = &doctor->text,
					.no_breakpoints = no_breakpoints(doctor)};
	struct target_spec spec;
	int err = target_parse(m->target, &spec, &m->error);

	if (err)
		return err;
	err = resolver_create(&opts, ret_resolver, &m->error);
	if (!err)
		err = resolver_add(*ret_resolver, &spec, probes, &m->error);
	target_spec_deinit(&spec);
	if (err || m->force != TRIGGER_HW)
		return err;
	if (!doctor->text_live && !choose.no_breakpoints)
		return errmsg_set(&m->error, -ENOENT, "the kernel's text cannot be read");
	return choose_triggers(&choose, probes, &m->error);
}

static int capture_hits(struct doctor *doctor, struct measurement *m, struct probe_list *probes)
{
	struct capture_options opts = {
		.errno_filter = true,
		.errno_any = true,
		.branch_types = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
				PERF_SAMPLE_BRANCH_KERNEL,
		.filter_name = "any,u,k",
	};
	void *ctx[] = {m, doctor};
	struct capture *capture = NULL;
	struct child child = {};
	struct symbol sym;
	int err = child_fork(&child, make_failing_calls, NULL);

	if (err)
		return errmsg_set(&m->error, err, "fork: %s", strerror(-err));
	opts.pid = child.pid;
	opts.no_breakpoints = no_breakpoints(doctor);
	if (!symbols_by_name(doctor->symbols, "", "__x64_sys_getppid", 0, &sym))
		opts.getppid_addr = sym.addr;
	opts.percpu_offsets = symbols_single(doctor->symbols, SYMBOLS_PER_CPU_OFFSET);
	opts.cpu_hw_events = symbols_single(doctor->symbols, SYMBOLS_CPU_HW_EVENTS);
	err = capture_create(&opts, probes, &capture, &m->error);
	if (!err)
		err = capture_start(capture, &m->error);
	if (!err) {
		capture_begin(capture);
		m->hit_ns = capture_hit_ns(capture);
		child_go(&child);
		for (int waited = 0; waited < PATIENCE_MS && m->hits < HITS_WANTED; waited += 100)
			if (capture_poll(capture, 100, on_snapshot, ctx) || stop_requested)
				break;
	}
	capture_destroy(capture);
	child_kill(&child);
	return err;
}

static int measure(struct doctor *doctor, struct measurement *m)
{
	struct resolver *resolver = NULL;
	struct probe_list probes = {};
	int err = resolve(doctor, m, &resolver, &probes);

	if (!err)
		err = capture_hits(doctor, m, &probes);
	if (!err && !m->hits)
		err = errmsg_set(&m->error, -ENODATA, "it was never hit");
	probe_list_deinit(&probes);
	resolver_destroy(resolver);
	return err;
}

static int by_value(const void *a, const void *b)
{
	return (int)*(const uint32_t *)a - (int)*(const uint32_t *)b;
}

static uint32_t median_left(struct measurement *m)
{
	qsort(m->left, m->hits, sizeof(m->left[0]), by_value);
	return m->left[m->hits / 2];
}

static const char *trim_line(char *text)
{
	text[strcspn(text, "\n")] = 0;
	return text;
}

static const char *read_line(const char *path, char *buf, size_t len)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	return f && fgets(buf, len, f) ? trim_line(buf) : NULL;
}

static void print_header(struct doctor *doctor)
{
	char fields[80], line[64];
	struct utsname host;

	uname(&host);
	printf("kernel        Linux %s\n", host.release);
	if (doctor->model_known) {
		printf("CPU           %s (%s)\n", doctor->model.title, doctor->model.name);
		printf("LBR           %u entries", doctor->lbr.depth);
		if (doctor->lbr.format >= 0)
			printf(", format %02XH", doctor->lbr.format);
		printf("; reports %s\n",
		       lbr_supported_text(doctor->lbr.supported, fields, sizeof(fields)));
		if (*doctor->model.errata)
			printf("errata        %s\n", doctor->model.errata);
	} else {
		printf("CPU           not in lbrsnoop's table\n");
	}
	if (doctor->status == EXIT_SEEN)
		printf("usable        yes\n");
	else
		printf("usable        no: %s\n", doctor->why_not.text);
	if (read_line("/proc/sys/kernel/nmi_watchdog", line, sizeof(line)))
		printf("NMI watchdog  %s\n",
		       strcmp(line, "1") ? "off" : "on: it holds one counter of each CPU");
	printf("breakpoints   %s\n", doctor->breakpoint_err
					     ? doctor->breakpoint.text
					     : "fire: one was set in this program, and hit");
	if (doctor->free_registers >= 0)
		printf("debug regs    %d of %d free on CPU 0%s\n", doctor->free_registers,
		       HW_SITES_MAX,
		       doctor->free_registers == HW_SITES_MAX ? ""
		       : doctor->others[0] ? ": one of those below holds the rest"
					   : ": kgdb holds the rest");
	if (doctor->switches.kprobes_off)
		printf("kprobes       switched off, they never fire: " SWITCH_KPROBES_ON "\n");
	if (doctor->switches.ftrace_off)
		printf("ftrace        switched off, nothing fires at the entry of a function but "
		       "breakpoints: " SWITCH_FTRACE_ON "\n");
	printf("other users   %s\n",
	       doctor->others[0] ? doctor->others
				 : "none seen: nobody has perf events open or traces a process");
	printf("kernel text   %s\n", doctor->text_live ? "readable (/proc/kcore)"
						       : "not readable: no hardware breakpoints on "
							 "returns, and no path");
}

static void put_measurement(struct json_writer *w, struct measurement *m, int err)
{
	jw_open(w, '{');
	jw_put_string(w, "trigger", m->label);
	jw_put_string(w, "target", m->target);
	jw_put_integer(w, "hits", m->hits);
	jw_put_known(w, "depth", m->depth, m->depth);
	jw_put_known(w, "left", !err, err ? 0 : median_left(m));
	jw_put_known(w, "wasted", !err, err ? 0 : (int64_t)m->depth - median_left(m));
	jw_put_known(w, "hit_ns", m->hit_ns, (int64_t)m->hit_ns);
	jw_put_string(w, "error", err ? m->error.text : NULL);
	jw_close(w, '}');
}

static void print_measurement(struct measurement *m, int err)
{
	if (err) {
		printf("  %-26s %s\n", m->label, m->error.text);
		return;
	}
	printf("  %-26s %5u of %-3u %8u", m->label, median_left(m), m->depth,
	       m->depth - median_left(m));
	if (m->hit_ns)
		printf("    %.1f us a hit, wanted or not", m->hit_ns / 1e3);
	fputc('\n', stdout);
}

static void measure_all(struct doctor *doctor, struct json_writer *rows)
{
	struct measurement table[] = {
		{.label = "hw, on the return", .target = "ksys_read", .force = TRIGGER_HW},
		{.label = "hw, on the entry", .target = "hw:ksys_read"},
		{.label = "fentry", .target = "fentry:ksys_read"},
		{.label = "fexit", .target = "fexit:ksys_read"},
		{.label = "kprobe", .target = "kprobe:ksys_read"},
		{.label = "kretprobe", .target = "kretprobe:ksys_read"},
		{.label = "kprobe.multi", .target = "kprobe.multi:ksys_read"},
		{.label = "tracepoint", .target = "tracepoint:syscalls:sys_exit_read"},
		{.label = "rawtracepoint", .target = "rawtracepoint:sys_exit"},
	};

	if (!rows)
		printf("\n  %-26s %12s %8s\n", "trigger (read of a bad fd)", "entries left",
		       "spent");
	for (size_t i = 0; i < ARRAY_SIZE(table) && !stop_requested; i++) {
		int err = measure(doctor, &table[i]);

		if (rows)
			put_measurement(rows, &table[i], err);
		else
			print_measurement(&table[i], err);
		fflush(stdout);
	}
}

static int print_json(struct doctor *doctor)
{
	bool usable = doctor->status == EXIT_SEEN;
	struct json_writer w = {0};
	struct utsname host;

	uname(&host);
	jw_open(&w, '{');
	jw_put_string(&w, "schema", "lbrsnoop.doctor/1");
	jw_put_string(&w, "kernel", host.release);
	jw_key(&w, "lbr");
	if (doctor->model_known) {
		jw_open(&w, '{');
		jw_put_string(&w, "model", doctor->lbr.model);
		jw_put_known(&w, "format", doctor->lbr.format >= 0, doctor->lbr.format);
		jw_put_integer(&w, "depth", doctor->lbr.depth);
		jw_close(&w, '}');
	} else {
		jw_null(&w);
	}
	jw_put_bool(&w, "usable", usable);
	jw_put_string(&w, "why_not", usable ? NULL : doctor->why_not.text);
	jw_key(&w, "triggers");
	jw_open(&w, '[');
	if (usable)
		measure_all(doctor, &w);
	jw_close(&w, ']');
	jw_put_known(&w, "debug_registers_free", doctor->free_registers >= 0,
		     doctor->free_registers);
	jw_key(&w, "breakpoints_fire");
	if (doctor->breakpoint_err && !no_breakpoints(doctor))
		jw_null(&w);
	else
		jw_bool(&w, !doctor->breakpoint_err);
	jw_put_bool(&w, "kprobes_off", doctor->switches.kprobes_off);
	jw_put_bool(&w, "ftrace_off", doctor->switches.ftrace_off);
	jw_put_text(&w, "other_users", doctor->others);
	jw_close(&w, '}');
	if (json_writer_flush(&w, stdout))
		doctor->status = EXIT_ERROR;
	return doctor->status;
}

/* Asks the kernel for breakpoints on a place that is never reached, until it refuses. */
static int count_free_registers(struct doctor *doctor)
{
	int fds[HW_SITES_MAX], count = 0, fd;
	struct symbol sym;

	if (symbols_by_name(doctor->symbols, "", "panic", 0, &sym))
		return -1;
	while (count < HW_SITES_MAX && (fd = open_breakpoint(sym.addr, 0)) >= 0)
		fds[count++] = fd;
	for (int i = 0; i < count; i++)
		close(fds[i]);
	/* Anything but "no space" says nothing about who holds them. */
	return count < HW_SITES_MAX && fd != -ENOSPC ? -1 : count;
}

/* Opens everything, notes what fails; only what the table needs is an error of the host. */
static void examine(struct doctor *doctor)
{
	const char *missing = missing_capabilities();
	struct capture *capture = NULL;
	struct capture_options opts = {.branch_types = PERF_SAMPLE_BRANCH_ANY |
						       PERF_SAMPLE_BRANCH_USER |
						       PERF_SAMPLE_BRANCH_KERNEL};
	struct probe_list none = {};
	int err;

	doctor->free_registers = -1;
	doctor->breakpoint_err = breakpoint_check(&doctor->breakpoint);
	doctor->switches = switches_read();
	debug_register_holders(doctor->others, sizeof(doctor->others));
	doctor->model_known = !lbr_model_of_host(&doctor->model);
	if (doctor->model_known)
		lbr_model_info(&doctor->model, lbr_depth(), &doctor->lbr);
	if (missing) {
		errmsg_set(&doctor->why_not, 0, "not permitted without %s; %s", missing,
			   missing_capabilities_remedy());
		doctor->status = EXIT_PERMISSION;
		return;
	}
	err = symbols_open(NULL, &doctor->symbols);
	if (err) {
		errmsg_set(&doctor->why_not, 0, "/proc/kallsyms: %s", kallsyms_error(err));
		doctor->status = exit_status_of(err);
		return;
	}
	if (!text_live_open(NULL, &doctor->text_live))
		doctor->text = text_source(doctor->text_live);
	doctor->free_registers = count_free_registers(doctor);
	err = capture_create(&opts, &none, &capture, &doctor->why_not);
	if (!err)
		err = capture_start(capture, &doctor->why_not);
	capture_destroy(capture);
	doctor->status = err ? exit_status_of(err) : EXIT_SEEN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct doctor *doctor = state->input;

	switch (key) {
	case 'j':
		doctor->json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "doctor takes no argument ('%s')", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_doctor(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"json", 'j', 0, 0, "One JSON object, schema lbrsnoop.doctor/1", 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.doc = "Does the LBR work here? Measure how many of its entries each kind of "
		       "trigger "
		       "leaves, on this host.",
	};
	struct doctor doctor = {};

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &doctor);
	install_stop_handlers();
	examine(&doctor);
	if (doctor.json) {
		print_json(&doctor);
	} else {
		print_header(&doctor);
		if (doctor.status == EXIT_SEEN)
			measure_all(&doctor, NULL);
	}
	text_close(doctor.text_live);
	symbols_close(doctor.symbols);
	return doctor.status;
}
