// SPDX-License-Identifier: GPL-2.0
/* trace.c - arm, capture, print: the default command */
#include <argp.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "capture/capture.h"
#include "cmd/aggregate.h"
#include "cmd/child.h"
#include "cmd/closer.h"
#include "cmd/cmd.h"
#include "cmd/fault.h"
#include "cmd/filters.h"
#include "cmd/flight_show.h"
#include "cmd/judge.h"
#include "cmd/klog.h"
#include "cmd/notify.h"
#include "cmd/output.h"
#include "cmd/probe_say.h"
#include "cmd/recording.h"
#include "cmd/trace_options.h"
#include "cmd/user.h"
#include "cmd/view.h"
#include "symbolize/place.h"
#include "symbolize/symbolize.h"
#include "symbolize/text.h"
#include "symbolize/trim.h"
#include "target/choose.h"
#include "target/target.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/log.h"

#define POLL_MS 200

/*
 * Where nothing is shown, text is read again and the LBR looked after this often, however many
 * snapshots come; both take longer than writing one.
 */
#define LOOK_NS 20000000ull
#define CPUS	256 /* looked after apart; further ones share */

struct trace {
	const struct trace_options *opts;
	struct symbols *symbols;
	struct text *text_live;
	struct text_source kernel_text; /* and that of programs, where they are traced */
	struct user *user;		/* NULL: none are */
	int text_err;			/* why there is none; negative errno */
	struct resolver *resolver;
	struct probe_list probes;
	struct capture *capture;
	FILE *out;
	struct output_idle idle;
	struct view *view; /* NULL: record only */
	struct aggregate *aggregate;
	struct recording *recording; /* NULL: show only */
	struct closer closer;
	struct klog *klog; /* of presets */
	bool symbols_read;
	struct faults faults;
	struct child child;
	uint64_t printed;
	uint64_t lost_now;
	uint64_t lost_told;
	uint64_t text_read_ns;
	uint64_t judged_ns[CPUS];
	uint64_t second_ns; /* of --max-rate: when the present second began */
	uint64_t in_second;
	uint64_t left_out;
	bool disarmed; /* the last place is */
	int write_err; /* negative errno */
};

static uint64_t mono_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static uint64_t lost_so_far(struct trace *trace)
{
	struct capture_stats stats;

	capture_stats(trace->capture, &stats);
	/* A capture file has one number: at most so many. */
	return stats.ring_full + stats.no_slot + stats.missed + stats.skipped + stats.malformed;
}

/* Of a preset: the kernel tells more about it than a plain error. */
static void set_log(struct trace *trace, const struct snapshot *snap, struct klog_lines *log)
{
	bool preset = trace->klog && snap->trigger->preset;

	if (preset)
		klog_around(trace->klog, snap->ts_ns, log);
	view_set_log(trace->view, preset ? log : NULL);
}

static int show(struct trace *trace, struct snapshot *snap)
{
	struct klog_lines log;
	int err = 0;

	text_live_invalidate(trace->text_live);
	user_place(trace->user, snap);
	fault_place(&trace->faults, trace->symbols, &trace->kernel_text, snap);
	trace->lost_now = lost_so_far(trace);
	/* Written first: what a reader of our output has seen is in the file, whatever happens. */
	if (trace->recording) {
		err = recording_add(trace->recording, snap, true,
				    trace->lost_now - trace->lost_told);
		err = err ?: recording_flush(trace->recording);
	}
	snapshot_judge(snap, trace->symbols, &trace->kernel_text);
	if (snap->stale == TRI_SET)
		capture_revive(trace->capture, snap->cpu);
	view_text_changed(trace->view);
	set_log(trace, snap, &log);
	errno = 0;
	if (view_snapshot(trace->view, snap, &trace->kernel_text,
			  trace->lost_now - trace->lost_told) ||
	    ferror(trace->out))
		trace->write_err = errno ? -errno : -EIO;
	else if (view_error_passed_on(trace->view))
		closer_say(&trace->closer, snap, &trace->kernel_text, trace->symbols);
	return err;
}

static int record(struct trace *trace, struct snapshot *snap)
{
	bool read_again = snap->ts_ns - trace->text_read_ns >= LOOK_NS;
	uint64_t *judged_ns = &trace->judged_ns[snap->cpu % CPUS];

	user_place(trace->user, snap);
	fault_place(&trace->faults, trace->symbols, &trace->kernel_text, snap);
	if (read_again) {
		trace->text_read_ns = snap->ts_ns;
		text_live_invalidate(trace->text_live);
	}
	if (snap->ts_ns - *judged_ns >= LOOK_NS) {
		*judged_ns = snap->ts_ns;
		snapshot_judge(snap, trace->symbols, &trace->kernel_text);
		if (snap->stale == TRI_SET)
			capture_revive(trace->capture, snap->cpu);
	}
	return recording_add(trace->recording, snap, read_again,
			     trace->lost_now - trace->lost_told);
}

/* --max-rate: the first ones of each second are taken. */
static bool too_many(struct trace *trace, const struct snapshot *snap)
{
	if (!trace->opts->max_rate)
		return false;
	if (snap->ts_ns - trace->second_ns >= 1000000000) {
		trace->second_ns = snap->ts_ns;
		trace->in_second = 0;
	}
	return ++trace->in_second > trace->opts->max_rate;
}

/* The ring buffer is empty for now: a good time to write, and to ask what was lost. */
static int on_empty(struct trace *trace)
{
	int err = trace->recording ? recording_flush(trace->recording) : 0;

	if (err)
		trace->write_err = err;
	trace->lost_now = lost_so_far(trace);
	return err ? 1 : 0;
}

static int on_snapshot(struct snapshot *snap, void *ctx)
{
	struct trace *trace = ctx;
	int err;

	if (!snap)
		return on_empty(trace);
	if (too_many(trace, snap)) {
		trace->left_out++;
		return stop_requested > 1;
	}
	err = trace->view ? show(trace, snap) : record(trace, snap);
	if (err)
		trace->write_err = err;
	trace->lost_told = trace->lost_now;
	trace->printed++;
	if (trace->write_err)
		return 1;
	if (trace->opts->count && trace->printed >= trace->opts->count)
		return 1;
	/* After the first Ctrl-C, what is captured already is still printed. */
	return stop_requested > 1;
}

/* 0 also where there is none: the target that needs it says so. */
static int open_lines(const struct trace_options *opts, struct lines **ret_lines,
		      struct errmsg *msg)
{
	struct lines_options lines = {.vmlinux = opts->view.vmlinux,
				      .debug_dir = opts->view.debug_dir};
	bool needed = false;
	char text[700];
	int err;

	for (size_t i = 0; i < opts->target_count; i++)
		needed = needed || target_needs_lines(&opts->targets[i]);
	*ret_lines = NULL;
	if (!needed)
		return 0;
	err = lines_open(&lines, ret_lines);
	if (err == -ESTALE)
		return errmsg_set(msg, err, "%s: %s", lines.vmlinux,
				  lines_mismatch(&lines, text, sizeof(text)));
	return err == -ENOMEM ? err : 0;
}

static bool tracepoints_only(const struct trace_options *opts)
{
	for (size_t i = 0; i < opts->target_count; i++)
		if (opts->targets[i].kind != TRIGGER_TRACEPOINT &&
		    opts->targets[i].kind != TRIGGER_RAWTRACEPOINT)
			return false;
	return true;
}

/*
 * The kernel takes tens of milliseconds to make /proc/kallsyms. Tracepoints are armed meanwhile:
 * only what is captured there has to be told by name. With an LBR, the programs are given an
 * address.
 */
static bool symbols_can_wait(const struct trace_options *opts)
{
	return tracepoints_only(opts) && opts->capture.without_lbr && !opts->flight;
}

static int end_symbols(struct trace *trace, struct errmsg *msg)
{
	int err = trace->symbols_read ? 0 : symbols_open_end(trace->symbols);

	trace->symbols_read = true;
	if (err == -EPERM)
		return errmsg_set(
			msg, err,
			"/proc/kallsyms hides the kernel's addresses; run as root, or with "
			"CAP_SYSLOG (see /proc/sys/kernel/kptr_restrict)");
	if (err)
		return errmsg_set(msg, err, "/proc/kallsyms: %s", strerror(-err));
	return 0;
}

/* Of several presets, what is not to be had here is said, and the others are armed. */
static int add_target(struct trace *trace, const struct target_spec *spec, struct errmsg *msg)
{
	int err = resolver_add(trace->resolver, spec, &trace->probes, msg);

	if (err || !msg->text[0])
		return err;
	log_warning("%s", msg->text);
	msg->text[0] = '\0';
	return 0;
}

static int resolve_targets(struct trace *trace, struct errmsg *msg)
{
	const struct trace_options *opts = trace->opts;
	struct resolve_options resolve = {
		.symbols = trace->symbols,
		.force = opts->trigger,
		.pid = opts->capture.pid,
		.debug_dir = opts->view.debug_dir,
		.errors_only = opts->capture.errno_filter,
		.tracepoints_only = tracepoints_only(opts),
	};
	int err = open_lines(opts, &resolve.lines, msg);

	if (!err)
		err = resolver_create(&resolve, &trace->resolver, msg);
	if (!err && !symbols_can_wait(opts))
		err = end_symbols(trace, msg);
	for (size_t i = 0; !err && i < opts->target_count; i++)
		err = add_target(trace, &opts->targets[i], msg);
	/* All line tables of the kernel may be in memory: nothing looks at them again. */
	lines_close(resolve.lines);
	return err ?: probe_list_drop_twins(&trace->probes);
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
		trace->text_err = err;
		if (trace->opts->trigger == TRIGGER_HW || trace->opts->at_errno)
			return errmsg_set(msg, err,
					  "hardware breakpoint: the kernel's text cannot be read");
		return 0;
	}
	trace->kernel_text = text_source(trace->text_live);
	return choose_triggers(&choose, &trace->probes, msg);
}

static void say_armed(const struct trace *trace)
{
	size_t armed = capture_armed(trace->capture);
	const struct probe *first = NULL;
	const char *warning = capture_warning(trace->capture);
	bool errors = trace->opts->capture.errno_filter;
	uint32_t groups = 0;

	if (trace->text_err)
		log_info("/proc/kcore: %s; so no hardware breakpoints on returns, and no path",
			 trace->text_err == -EPERM ? "forbidden by kernel lockdown"
						   : strerror(-trace->text_err));
	for (size_t i = 0; i < trace->probes.count; i++) {
		const struct probe *probe = &trace->probes.items[i];

		groups = probe->group > groups ? probe->group : groups;
		if (probe->trigger.kind == TRIGGER_NONE)
			continue;
		first = first ?: probe;
		errors = errors && probe_filters_errno(probe);
		if (armed > 8 && log_get_level() < LOG_VERBOSE && !probe_gave_way(probe))
			continue;
		if (probe->namesakes)
			log_info("'%s': several functions have this name; tracing the one at %#llx",
				 probe->trigger.function,
				 (unsigned long long)probe->trigger.func_addr);
		probe_say_trigger(trace->capture, probe);
	}
	if (groups)
		log_info("%u groups of hardware breakpoints take turns: each is armed one second "
			 "in %u",
			 groups, groups);
	if (capture_filters_in_software(trace->capture))
		log_info("-j %s: this CPU's LBR has no filter; of its %u entries Linux keeps those "
			 "of "
			 "this kind",
			 trace->opts->filter_name, capture_lbr(trace->capture)->depth);
	if (warning)
		log_warning("%zu of %zu targets armed; %s", armed, trace->probes.count, warning);
	if (trace->opts->flight)
		log_info("flight recorder in %s: the last %u snapshots are kept, in %u KiB; it "
			 "stays armed if lbrsnoop is killed",
			 trace->opts->flight, trace->opts->capture.flight_slots,
			 trace->opts->capture.flight_slots * 4);
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
					: "; nothing matched: is the function called (and not "
					  "inlined into its callers), and does it fail? '-e none' "
					  "shows every return");
	if (stats.skipped)
		log_warning("besides, %llu hit%s of a hardware breakpoint, which the filter may "
			    "have wanted or not: the kernel runs no program there while that of a "
			    "kprobe or tracepoint, or a bpf() call, is under way on the CPU",
			    (unsigned long long)stats.skipped, stats.skipped == 1 ? "" : "s");
	if (trace->left_out)
		log_warning("%llu more were left out (--max-rate %llu)",
			    (unsigned long long)trace->left_out,
			    (unsigned long long)trace->opts->max_rate);
	if (trace->opts->flight)
		log_info("%s: disarmed; 'lbrsnoop report --flight' shows what it holds, "
			 "'lbrsnoop record --flight --discard' frees it",
			 trace->opts->flight);
	if (trace->recording && !recording_flush(trace->recording)) {
		uint64_t bytes, count = recording_count(trace->recording, &bytes);

		log_info("%s: %llu snapshots, %llu bytes; 'lbrsnoop report %s' shows them",
			 trace->opts->record, (unsigned long long)count, (unsigned long long)bytes,
			 trace->opts->record);
	}
}

static void flush_out(struct trace *trace)
{
	if (!trace->write_err)
		trace->write_err = output_flush(trace->out);
}

/* What could not be written is an error; a reader that has seen enough is none. */
static int close_out(struct trace *trace, struct errmsg *msg)
{
	int record_err, err = output_close(trace->out);

	record_err = recording_close(trace->recording, trace->lost_now - trace->lost_told, msg);
	trace->recording = NULL;
	if (record_err)
		return record_err;
	if (trace->write_err)
		err = trace->write_err;
	if (!err || err == -EPIPE)
		return 0;
	return errmsg_set(msg, -EIO, "%s: %s", trace->opts->output ?: "standard output",
			  strerror(-err));
}

static int start_recording(struct trace *trace, struct errmsg *msg)
{
	struct recording_options opts = {
		.recorder =
			{
				.path = trace->opts->record,
				.command = trace->opts->command_line,
				.tool = argp_program_version,
				.symbols = trace->symbols,
				.text = trace->kernel_text,
				.lbr = capture_lbr(trace->capture),
				.filter = trace->opts->capture.filter_name,
			},
		.max_bytes = trace->opts->max_bytes,
		.max_files = trace->opts->max_files,
	};
	int err = 0;

	if (!trace->opts->record)
		return 0;
	/* A capture begins with where the kernel's text is. */
	if (!trace->symbols_read && !symbols_open_peek(trace->symbols))
		err = end_symbols(trace, msg);
	if (err)
		return err;
	capture_filter(trace->capture, &opts.recorder.filtered, &opts.recorder.path_ok);
	return recording_open(&opts, &trace->recording, msg);
}

/* SIGHUP: somebody has moved our files away. */
static int reopen(struct trace *trace, struct errmsg *msg)
{
	int err = 0;

	reopen_requested = 0;
	if (trace->opts->output) {
		FILE *again;

		flush_out(trace);
		again = freopen(trace->opts->output, "ae", trace->out);
		trace->out = again; /* what it was is closed, whatever happened */
		if (!again)
			return errmsg_set(msg, -EIO, "%s: %s", trace->opts->output,
					  strerror(errno));
	}
	if (trace->recording && recording_reopen(trace->recording))
		err = errmsg_set(msg, -EIO, "%s", recording_error(trace->recording));
	return err;
}

/* Where nothing is handed out: what the programs counted. True if that is as many as wanted. */
static bool flight_full(struct trace *trace)
{
	struct capture_stats stats;

	capture_stats(trace->capture, &stats);
	trace->printed = stats.written;
	return trace->opts->count && stats.written >= trace->opts->count;
}

static bool has_breakpoints(const struct trace *trace)
{
	for (size_t i = 0; i < trace->probes.count; i++)
		if (trace->probes.items[i].trigger.kind == TRIGGER_HW)
			return true;
	return false;
}

static void drop(const struct trace *trace)
{
	const struct trace_options *opts = trace->opts;
	const char *files[] = {opts->output, opts->record, opts->view.dot, opts->view.svg};
	int err = drop_privileges(has_breakpoints(trace), trace->opts->user, files,
				  ARRAY_SIZE(files));

	if (err)
		log_warning("capabilities that are not needed any more stay: %s", strerror(-err));
}

/* Of a command, what it does itself counts: neither our own code before it, nor its exec. */
static void start_command(struct trace *trace)
{
	struct child *child = &trace->child;

	if (!trace->opts->command)
		return;
	child_go(child);
	if (!child->watched)
		return;
	capture_begin(trace->capture);
	child_resume(child);
}

/* A flight recorder keeps the names of our programs, too. */
static int describe_flight(struct trace *trace)
{
	if (!trace->opts->flight)
		return 0;
	symbols_refresh(trace->symbols);
	return capture_flight_describe(trace->capture, trace->symbols);
}

static void say_guard(const struct trace *trace)
{
	const char *said;

	while ((said = capture_guard_said(trace->capture)))
		log_warning("%s", said);
}

static int run(struct trace *trace, struct errmsg *msg)
{
	uint64_t end = UINT64_MAX;
	int err;

	install_stop_handlers();
	if (trace->opts->output || trace->opts->record)
		install_reopen_handler();
	err = describe_flight(trace);
	err = err ?: capture_start(trace->capture, msg);
	if (err)
		return err;
	err = output_begin(trace->out);
	if (err)
		return errmsg_set(msg, err, "%s: %s", trace->opts->output, strerror(-err));
	err = start_recording(trace, msg);
	if (err)
		return err;
	/* Before anybody is told: what he does then is not to be dropped. */
	if (!trace->child.watched)
		capture_begin(trace->capture);
	say_armed(trace);
	err = end_symbols(trace, msg);
	if (err)
		return err;
	drop(trace);
	notify_send("READY=1");
	/*
	 * BPF programs and trampolines have come: read now, not when an event waits. Armed is
	 * armed: what comes meanwhile finds room in the ring buffer. But a command can wait.
	 */
	symbols_refresh(trace->symbols);
	start_command(trace);
	/* What it took to arm is not of the user's time. */
	if (trace->opts->timeout_ms)
		end = mono_ms() + trace->opts->timeout_ms;
	while (!stop_requested && !trace->disarmed && mono_ms() < end) {
		uint64_t left = end - mono_ms();

		if (child_ended(&trace->child))
			break;
		if (reopen_requested) {
			err = reopen(trace, msg);
			if (err)
				return err;
		}
		err = capture_poll(trace->capture, left < POLL_MS ? left : POLL_MS, on_snapshot,
				   trace);
		if (trace->aggregate && aggregate_tick(trace->aggregate, clock_ns(CLOCK_REALTIME)))
			trace->write_err = -EIO;
		flush_out(trace);
		if (trace->opts->capture.flight_only && flight_full(trace))
			break;
		say_guard(trace);
		if (err > 0 || trace->write_err)
			break;
		if (err < 0 && err != -EINTR)
			return errmsg_set(msg, err, "reading the ring buffer: %s", strerror(-err));
		trace->disarmed = !capture_armed(trace->capture);
	}
	notify_send("STOPPING=1");
	/*
	 * What the command did last, while all is still armed: its path leads through trampolines,
	 * and calls of them, whose text is gone once they are. One that still runs might never let
	 * us come to an end.
	 */
	if (trace->child.ended && err <= 0 && !trace->write_err)
		err = capture_poll(trace->capture, 0, on_snapshot, trace);
	/* What still waits is of the time when our programs and trampolines were there. */
	symbols_freeze(trace->symbols);
	capture_stop(trace->capture);
	/* What was captured before the end belongs to the user, unless he asked for fewer. */
	if (err <= 0 && !trace->write_err)
		capture_poll(trace->capture, 0, on_snapshot, trace);
	flush_out(trace);
	if (trace->opts->capture.flight_only)
		flight_full(trace);
	say_summary(trace);
	if (trace->disarmed)
		log_error("nothing is armed any more");
	return 0;
}

/* It waits for child_go(), which comes when everything is armed. */
static int prepare_command(struct trace *trace, struct errmsg *msg)
{
	_cleanup_free_ char *path = NULL;
	struct child_command command = {.argv = trace->opts->command};
	int err = child_find(command.argv[0], &path);

	command.path = path;
	if (!err)
		err = child_fork(&trace->child, child_exec, &command);
	if (!err)
		child_watch(&trace->child);
	/* -EACCES is not about us: no exit status 4 */
	return err ? errmsg_set(msg, err == -EACCES ? -EINVAL : err, "%s: %s", command.argv[0],
				strerror(-err))
		   : 0;
}

static void begin_log(struct trace *trace)
{
	bool preset = false;

	for (size_t i = 0; i < trace->opts->target_count; i++)
		preset = preset || trace->opts->targets[i].preset;
	if (preset && trace->view && klog_open("/dev/kmsg", &trace->klog))
		log_info("/dev/kmsg: %s; the kernel's log is not shown", strerror(errno));
}

static int begin_user(struct trace *trace)
{
	int err = user_create(&trace->probes, trace->symbols, trace->opts->view.debug_dir,
			      &trace->user);

	if (err)
		return err;
	trace->kernel_text = user_text(trace->user, &trace->kernel_text);
	if (trace->view)
		view_set_user(trace->view, user_space(trace->user));
	return 0;
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
	err = filters_check(&capture_opts, trace->opts->command != NULL, msg);
	if (err)
		return err;
	err = symbols_open_begin(&trace->symbols);
	if (err)
		return err;
	err = resolve_targets(trace, msg);
	if (err)
		return err;
	if (trace->opts->errno_given && trace->opts->capture.errno_filter)
		probes_warn_unfiltered(&trace->probes);
	if (trace->opts->view.summary || trace->opts->view.trace_json)
		err = aggregate_create(&trace->opts->view, trace->out, &trace->aggregate, msg);
	if (!err && !trace->opts->record_only)
		err = view_create(&trace->opts->view, trace->out, trace->symbols, NULL,
				  trace->aggregate, &trace->view, msg);
	if (err)
		return err;
	err = choose(trace, msg);
	if (err)
		return err;
	begin_log(trace);
	/* Only for breakpoints: the first search for a name takes milliseconds. */
	if (has_breakpoints(trace) &&
	    (!symbols_by_name(trace->symbols, "", "__x64_sys_getppid", 0, &getppid) ||
	     !symbols_by_name(trace->symbols, "", "__do_sys_getppid", 0, &getppid)))
		capture_opts.getppid_addr = getppid.addr;
	capture_opts.percpu_offsets = symbols_single(trace->symbols, SYMBOLS_PER_CPU_OFFSET);
	capture_opts.cpu_hw_events = symbols_single(trace->symbols, SYMBOLS_CPU_HW_EVENTS);
	if (trace->opts->user) {
		err = begin_user(trace);
		if (err)
			return err;
		capture_opts.user = user_space(trace->user);
	}
	if (trace->opts->command) {
		err = prepare_command(trace, msg);
		if (err)
			return err;
		capture_opts.pid = trace->child.pid;
	}
	err = capture_create(&capture_opts, &trace->probes, &trace->capture, msg);
	if (err)
		return err;
	return run(trace, msg);
}

/* A reader of our output that has stopped does not stop the guard of the breakpoints. */
static void on_idle(void *ctx)
{
	const struct trace *trace = ctx;

	if (trace->capture)
		capture_watch(trace->capture);
}

static int trace_main(int argc, char **argv, bool record_only)
{
	struct trace_options opts;
	struct trace trace = {.opts = &opts, .out = stdout};
	struct errmsg msg = {};
	int close_err, err = trace_options_parse(argc, argv, record_only, &opts);

	if (err)
		return err;
	if (opts.flight_stop) {
		err = flight_stop(opts.flight, opts.flight_discard);
		trace_options_deinit(&opts);
		return err;
	}
	/* Arming thousands of functions takes its time; a program that dies disarms, too. */
	install_early_stop_handlers();
	if (opts.output) {
		trace.out = output_open(opts.output);
		if (!trace.out) {
			log_error("%s: %s", opts.output, strerror(errno));
			trace_options_deinit(&opts);
			return EXIT_ERROR;
		}
	} else {
		trace.idle = (struct output_idle){.idle = on_idle, .ctx = &trace};
		trace.out = output_idle_open(&trace.idle) ?: stdout;
	}
	err = trace_all(&trace, &msg);
	if (!err && trace.view)
		err = view_finish(trace.view, &msg);
	if (!err && trace.aggregate)
		err = aggregate_finish(trace.aggregate, &msg);
	close_err = close_out(&trace, err ? NULL : &msg);
	err = err ?: close_err;
	if (err)
		log_error("%s", msg.text[0] ? msg.text : strerror(-err));
	child_end(&trace.child);
	capture_destroy(trace.capture);
	klog_close(trace.klog);
	probe_list_deinit(&trace.probes);
	resolver_destroy(trace.resolver);
	text_close(trace.text_live);
	view_destroy(trace.view);
	aggregate_destroy(trace.aggregate);
	symbols_close(trace.symbols);
	user_destroy(trace.user);
	faults_deinit(&trace.faults);
	trace_options_deinit(&opts);
	if (err)
		return exit_status_of(err);
	if (trace.disarmed)
		return EXIT_ERROR;
	return trace.printed ? EXIT_SEEN : EXIT_NONE;
}

int cmd_trace(int argc, char **argv)
{
	return trace_main(argc, argv, false);
}

int cmd_record(int argc, char **argv)
{
	return trace_main(argc, argv, true);
}
