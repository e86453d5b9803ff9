// SPDX-License-Identifier: GPL-2.0
/* trace.c - arm, capture, print: the default command */
#include <argp.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "capture/capture.h"
#include "cmd/child.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/trace_options.h"
#include "cmd/view.h"
#include "path/fresh.h"
#include "symbolize/place.h"
#include "symbolize/symbolize.h"
#include "symbolize/text.h"
#include "symbolize/trim.h"
#include "target/choose.h"
#include "target/target.h"
#include "util/cleanup.h"
#include "util/log.h"

#define POLL_MS 200

struct trace {
	const struct trace_options *opts;
	struct symbols *symbols;
	struct text *text_live;
	struct text_source kernel_text;
	struct resolver *resolver;
	struct probe_list probes;
	struct capture *capture;
	FILE *out;
	struct view *view;
	struct child child;
	uint64_t printed;
	uint64_t lost_told;
	int write_err; /* negative errno */
};

static uint64_t mono_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static uint64_t lost_so_far(struct trace *trace)
{
	struct capture_stats stats;

	capture_stats(trace->capture, &stats);
	return stats.ring_full + stats.no_slot + stats.missed + stats.malformed;
}

static int on_snapshot(struct snapshot *snap, void *ctx)
{
	struct trace *trace = ctx;
	struct path_options path_opts = {.place = place_by_symbols, .place_ctx = trace->symbols};
	uint64_t lost;
	int err;

	snapshot_trim(snap, trace->symbols);
	text_live_invalidate(trace->text_live);
	snapshot_judge_fresh(snap, &trace->kernel_text, &path_opts);
	if (snap->stale == TRI_SET)
		capture_revive(trace->capture, snap->cpu);
	errno = 0;
	lost = lost_so_far(trace);
	err = view_snapshot(trace->view, snap, &trace->kernel_text, lost - trace->lost_told);
	trace->lost_told = lost;
	trace->printed++;
	if (err || ferror(trace->out)) {
		trace->write_err = errno ? -errno : -EIO;
		return 1;
	}
	if (trace->opts->count && trace->printed >= trace->opts->count)
		return 1;
	/* After the first Ctrl-C, what is captured already is still printed. */
	return stop_requested > 1;
}

static int resolve_targets(struct trace *trace, struct errmsg *msg)
{
	const struct trace_options *opts = trace->opts;
	struct resolve_options resolve = {
		.symbols = trace->symbols,
		.force = opts->trigger,
		.errors_only = opts->capture.errno_filter,
	};
	int err = resolver_create(&resolve, &trace->resolver, msg);

	if (err)
		return err;
	for (size_t i = 0; i < opts->target_count; i++) {
		err = resolver_add(trace->resolver, &opts->targets[i], &trace->probes, msg);
		if (err)
			return err;
	}
	return 0;
}

static int open_symbols(struct trace *trace, struct errmsg *msg)
{
	int err = symbols_open(NULL, &trace->symbols);

	if (err == -EPERM)
		return errmsg_set(
			msg, err,
			"/proc/kallsyms hides the kernel's addresses; run as root, or with "
			"CAP_SYSLOG (see /proc/sys/kernel/kptr_restrict)");
	if (err)
		return errmsg_set(msg, err, "/proc/kallsyms: %s", strerror(-err));
	return 0;
}

/*
 * Without the live text no return is found for certain: what is on disk differs from what runs
 * in every patched place.
 */
static int choose(struct trace *trace, struct errmsg *msg)
{
	const struct capture_options *filter = &trace->opts->capture;
	bool few = filter->errno_filter && !filter->errno_any;
	struct choose_options choose = {
		.symbols = trace->symbols,
		.text = &trace->kernel_text,
		.at_errno = trace->opts->at_errno,
		.rotate = trace->opts->rotate,
		.errnos = few ? filter->errnos : NULL,
	};
	int err = text_live_open(NULL, &trace->text_live);

	if (err) {
		log_info("/proc/kcore: %s; so no hardware breakpoints on returns, and no path",
			 err == -EPERM ? "forbidden by kernel lockdown" : strerror(-err));
		if (trace->opts->trigger == TRIGGER_HW || trace->opts->at_errno)
			return errmsg_set(msg, err,
					  "hardware breakpoint: the kernel's text cannot be read");
		return 0;
	}
	trace->kernel_text = text_source(trace->text_live);
	return choose_triggers(&choose, &trace->probes, msg);
}

static void say_trigger(const struct trace *trace, const struct probe *probe)
{
	uint64_t hit_ns = capture_hit_ns(trace->capture);
	bool amd = capture_lbr(trace->capture)->supported & LBR_HAS_SPEC;
	const char *loss =
		amd ? "what it loses of AMD's LBR 'lbrsnoop doctor' measures" : "no LBR entry lost";

	if (probe->trigger.kind == TRIGGER_HW && probe->site_kind == SITE_RETURN)
		log_info("%s: hardware breakpoint on %u return%s, %s, %.1f us a call",
			 probe->trigger.target, probe->site_count,
			 probe->site_count == 1 ? "" : "s", loss, hit_ns / 1e3);
	else if (probe->trigger.kind == TRIGGER_HW && probe->site_kind == SITE_ERRNO)
		log_info("%s: hardware breakpoint on %u instruction%s that load%s the errno, %s, "
			 "%.1f us an error",
			 probe->trigger.target, probe->site_count,
			 probe->site_count == 1 ? "" : "s", probe->site_count == 1 ? "s" : "", loss,
			 hit_ns / 1e3);
	else if (probe->trigger.kind == TRIGGER_HW)
		log_info("%s: hardware breakpoint, %s, %.1f us a hit", probe->trigger.target, loss,
			 hit_ns / 1e3);
	else
		log_info("%s: %s%s%s", probe->trigger.target,
			 trigger_kind_name(probe->trigger.kind),
			 probe->hw_reason[0] ? ", which spends LBR entries: " : "",
			 probe->hw_reason);
}

static void say_armed(const struct trace *trace)
{
	size_t armed = capture_armed(trace->capture);
	const struct probe *first = NULL;
	const char *warning = capture_warning(trace->capture);
	bool errors = trace->opts->capture.errno_filter;

	uint32_t groups = 0;

	for (size_t i = 0; i < trace->probes.count; i++) {
		const struct probe *probe = &trace->probes.items[i];

		groups = probe->group > groups ? probe->group : groups;
		if (probe->trigger.kind == TRIGGER_NONE)
			continue;
		first = first ?: probe;
		if (probe->namesakes)
			log_info("'%s': several functions have this name; tracing the one at %#llx",
				 probe->trigger.function,
				 (unsigned long long)probe->trigger.func_addr);
		if (armed <= 8 || log_get_level() >= LOG_VERBOSE)
			say_trigger(trace, probe);
	}
	if (groups)
		log_info("%u groups of hardware breakpoints take turns: each is armed one second "
			 "in %u",
			 groups, groups);
	if (warning)
		log_warning("%zu of %zu targets armed; %s", armed, trace->probes.count, warning);
	if (armed == 1 && first)
		log_info("tracing %s%s; Ctrl-C ends", first->trigger.target,
			 errors ? ", error returns" : "");
	else
		log_info("tracing %zu places%s; Ctrl-C ends", armed,
			 errors ? ", error returns" : "");
}

static void say_summary(struct trace *trace)
{
	struct capture_stats stats;
	uint64_t lost;

	capture_stats(trace->capture, &stats);
	lost = stats.ring_full + stats.no_slot + stats.missed + stats.malformed;
	if (lost)
		log_warning(
			"%llu snapshots captured, %llu lost: %llu ring buffer full, %llu too many "
			"at once, %llu while the program already ran, %llu not understood",
			(unsigned long long)stats.written, (unsigned long long)lost,
			(unsigned long long)stats.ring_full, (unsigned long long)stats.no_slot,
			(unsigned long long)stats.missed, (unsigned long long)stats.malformed);
	else
		log_info("%llu snapshots captured, 0 lost%s", (unsigned long long)trace->printed,
			 trace->printed ? ""
					: "; nothing matched: is the function called, and does it "
					  "fail? '-e none' shows every return");
}

static void flush_out(struct trace *trace)
{
	if (!trace->write_err)
		trace->write_err = output_flush(trace->out);
}

/* What could not be written is an error; a reader that has seen enough is none. */
static int close_out(struct trace *trace, struct errmsg *msg)
{
	int err = output_close(trace->out);

	if (trace->write_err)
		err = trace->write_err;
	if (!err || err == -EPIPE)
		return 0;
	return errmsg_set(msg, -EIO, "%s: %s", trace->opts->output ?: "standard output",
			  strerror(-err));
}

static int run(struct trace *trace, struct errmsg *msg)
{
	uint64_t end = trace->opts->timeout_ms ? mono_ms() + trace->opts->timeout_ms : UINT64_MAX;
	int err;

	/* BPF programs and trampolines have just come: read now, not when the first event waits. */
	symbols_refresh(trace->symbols);
	err = capture_start(trace->capture, msg);
	if (err)
		return err;
	err = output_begin(trace->out);
	if (err)
		return errmsg_set(msg, err, "%s: %s", trace->opts->output, strerror(-err));
	say_armed(trace);
	if (trace->opts->command)
		child_go(&trace->child);
	while (!stop_requested && mono_ms() < end) {
		uint64_t left = end - mono_ms();
		const char *guard;

		if (child_ended(&trace->child))
			break;

		err = capture_poll(trace->capture, left < POLL_MS ? left : POLL_MS, on_snapshot,
				   trace);
		flush_out(trace);
		guard = capture_guard_said(trace->capture);
		if (guard)
			log_warning("%s", guard);
		if (err > 0 || trace->write_err)
			break;
		if (err < 0 && err != -EINTR)
			return errmsg_set(msg, err, "reading the ring buffer: %s", strerror(-err));
	}
	capture_stop(trace->capture);
	/* What was captured before the end belongs to the user, unless he asked for fewer. */
	if (err <= 0 && !trace->write_err)
		capture_poll(trace->capture, 0, on_snapshot, trace);
	flush_out(trace);
	say_summary(trace);
	return 0;
}

/* It waits for child_go(), which comes when everything is armed. */
static int start_command(struct trace *trace, struct errmsg *msg)
{
	_cleanup_free_ char *path = NULL;
	struct child_command command = {.argv = trace->opts->command};
	int err = child_find(command.argv[0], &path);

	command.path = path;
	if (!err)
		err = child_fork(&trace->child, child_exec, &command);
	/* -EACCES is not about us: no exit status 4 */
	return err ? errmsg_set(msg, err == -EACCES ? -EINVAL : err, "%s: %s", command.argv[0],
				strerror(-err))
		   : 0;
}

static int trace_all(struct trace *trace, struct errmsg *msg)
{
	struct capture_options capture_opts = trace->opts->capture;
	const char *missing = missing_capabilities();
	struct symbol getppid;
	int err;

	if (missing)
		return errmsg_set(msg, -EPERM, "not permitted: %s is missing; run as root (sudo)",
				  missing);
	err = open_symbols(trace, msg);
	if (err)
		return err;
	err = resolve_targets(trace, msg);
	if (err)
		return err;
	err = view_create(&trace->opts->view, trace->out, trace->symbols, NULL, &trace->view, msg);
	if (err)
		return err;
	err = choose(trace, msg);
	if (err)
		return err;
	if (!symbols_by_name(trace->symbols, "", "__x64_sys_getppid", 0, &getppid) ||
	    !symbols_by_name(trace->symbols, "", "__do_sys_getppid", 0, &getppid))
		capture_opts.getppid_addr = getppid.addr;
	if (trace->opts->command) {
		err = start_command(trace, msg);
		if (err)
			return err;
		capture_opts.pid = trace->child.pid;
	}
	err = capture_create(&capture_opts, &trace->probes, &trace->capture, msg);
	if (err)
		return err;
	return run(trace, msg);
}

int cmd_trace(int argc, char **argv)
{
	struct trace_options opts;
	struct trace trace = {.opts = &opts, .out = stdout};
	struct errmsg msg = {};
	int close_err, err = trace_options_parse(argc, argv, &opts);

	if (err)
		return err;
	if (opts.output) {
		trace.out = output_open(opts.output);
		if (!trace.out) {
			log_error("%s: %s", opts.output, strerror(errno));
			trace_options_deinit(&opts);
			return EXIT_ERROR;
		}
	}
	install_stop_handlers();
	err = trace_all(&trace, &msg);
	if (!err && trace.view)
		err = view_finish(trace.view, &msg);
	close_err = close_out(&trace, err ? NULL : &msg);
	err = err ?: close_err;
	if (err)
		log_error("%s", msg.text[0] ? msg.text : strerror(-err));
	child_end(&trace.child);
	capture_destroy(trace.capture);
	probe_list_deinit(&trace.probes);
	resolver_destroy(trace.resolver);
	text_close(trace.text_live);
	view_destroy(trace.view);
	symbols_close(trace.symbols);
	trace_options_deinit(&opts);
	if (err)
		return exit_status_of(err);
	return trace.printed ? EXIT_SEEN : EXIT_NONE;
}
