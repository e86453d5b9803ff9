// SPDX-License-Identifier: GPL-2.0
/* trace.c - arm, capture, print: the default command */
#include <argp.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "cmd/option_args.h"
#include "cmd/cmd.h"
#include "cmd/postmortem/flight_show.h"
#include "host/capabilities.h"
#include "host/notify.h"
#include "cmd/trace/trace_prepare.h"
#include "cmd/trace/trace_run.h"
#include "cmd/trace/trace_say.h"
#include "cmd/trace/trace_snapshot.h"
#include "cmd/trace/trace_state.h"
#include "cmd/why/why.h"
#include "cmd/why/why_advice.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/log.h"

#define POLL_MS 200

static uint64_t mono_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
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
	return !err || err == -EPIPE ? 0 : output_failed(trace->opts->output, err, msg);
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
		err = trace_end_symbols(trace, msg);
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
	if (trace->opts->output && trace->idle.waits) {
		flush_out(trace);
		err = output_idle_reopen(&trace->idle, trace->opts->output);
		if (err)
			return errmsg_set(msg, -EIO, "%s: %s", trace->opts->output, strerror(-err));
	} else if (trace->opts->output) {
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
	if (!trace->opts->count || stats.written < trace->opts->count)
		return false;
	trace->printed = trace->opts->count;
	return true;
}

static void drop(const struct trace *trace)
{
	const struct trace_options *opts = trace->opts;
	const char *files[] = {opts->output,
			       opts->record,
			       opts->view.dot,
			       opts->view.svg,
			       opts->view.export.metrics,
			       opts->view.html};
	int err = drop_privileges(trace_needs_admin(trace), trace->opts->user, files,
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

static bool stopped_by_other(const struct trace *trace)
{
	if (!capture_flight_stopped(trace->capture))
		return false;
	log_info("%s: somebody disarms the recorder: that is the end", trace->opts->flight);
	return true;
}

/*
 * To read all names takes seconds while most functions of the kernel are traced, and nobody could
 * end us meanwhile. A kprobe.multi has no trampolines: the programs are all that has come.
 */
static void name_programs(struct trace *trace)
{
	symbols_add_programs(trace->symbols);
	symbols_freeze(trace->symbols);
}

/*
 * What still waits is of the time when our programs and trampolines were there; what was captured
 * before the end belongs to the user, unless he asked for fewer.
 */
static void end_capture(struct trace *trace, bool read_on)
{
	symbols_freeze(trace->symbols);
	capture_stop(trace->capture);
	if (read_on)
		capture_poll(trace->capture, 0, trace_snapshot, trace);
	/* Some are known only now that nothing fires any more, and then no snapshot comes. */
	trace_ask_lost(trace);
	flush_out(trace);
}

/* Several times a second: what is due is printed. */
static void tick(struct trace *trace)
{
	if (trace->aggregate)
		trace->write_err =
			trace->write_err
				?: aggregate_tick(trace->aggregate, clock_ns(CLOCK_REALTIME));
	if (trace->compare)
		compare_live_tick(trace->compare);
	flush_out(trace);
}

static void count(struct trace *trace, struct trace_counts *ret)
{
	struct capture_stats stats;
	uint64_t seen;

	capture_stats(trace->capture, &stats);
	*ret = (struct trace_counts){
		.captured = stats.written - stats.malformed + stats.gated,
		.shown = trace->printed,
		.left_out = stats.gated + trace->left_out + trace->left_at_end,
		.lost = trace_lost(&stats),
		.lost_told = trace->lost_told,
	};
	/* Now means now: what still waits in the ring buffer stays there. */
	seen = ret->shown + ret->left_out;
	if ((stop_requested > 1 || trace->write_err) && ret->captured > seen)
		ret->left_out += ret->captured - seen;
}

/* True if it goes on. */
static bool ask_watcher(struct trace *trace, bool last)
{
	const struct trace_watcher *watcher = trace->opts->watcher;
	struct trace_counts counts;

	if (!watcher)
		return true;
	count(trace, &counts);
	return watcher->tick(watcher->ctx, trace->capture, &counts, last);
}

static void tell_armed(struct trace *trace)
{
	const struct trace_watcher *watcher = trace->opts->watcher;

	if (watcher) {
		watcher->armed(watcher->ctx, trace->capture, capture_armed(trace->capture));
		return;
	}
	drop(trace);
	notify_send("READY=1");
}

static void tell_stopping(const struct trace *trace)
{
	if (!trace->opts->watcher)
		notify_send("STOPPING=1");
}

static void tell_end(struct trace *trace)
{
	if (trace->opts->watcher)
		ask_watcher(trace, true);
	else
		trace_say_summary(trace);
}

static void install_handlers(const struct trace *trace)
{
	if (trace->opts->watcher)
		return;
	install_stop_handlers();
	if (trace->opts->output || trace->opts->record)
		install_reopen_handler();
}

static void say_armed(struct trace *trace)
{
	trace_say_armed(trace);
	if (trace->compare)
		compare_live_begin(trace->compare);
}

static int run(struct trace *trace, struct errmsg *msg)
{
	uint64_t end = UINT64_MAX;
	int err;

	install_handlers(trace);
	err = describe_flight(trace);
	err = err ?: capture_start(trace->capture, msg);
	err = err ?: trace_refuse_switched_off(trace, msg);
	if (err)
		return err;
	err = output_begin(trace->out);
	if (err)
		return errmsg_set(msg, err, "%s: %s", trace->opts->output, strerror(-err));
	err = start_recording(trace, msg);
	if (err)
		return err;
	trace_start_pipeline(trace);
	/* Before anybody is told: what he does then is not to be dropped. */
	if (!trace->child.watched)
		capture_begin(trace->capture);
	say_armed(trace);
	err = trace_end_symbols(trace, msg);
	if (err)
		return err;
	if (trace->wide)
		name_programs(trace);
	tell_armed(trace);
	/*
	 * BPF programs and trampolines have come: read now, not when an event waits. Armed is
	 * armed: what comes meanwhile finds room in the ring buffer. But a command can wait.
	 */
	symbols_refresh(trace->symbols);
	start_command(trace);
	/* What it took to arm is not of the user's time. */
	if (trace->opts->timeout_ms)
		end = mono_ms() + trace->opts->timeout_ms;
	while (!stop_requested && !trace->disarmed && !stopped_by_other(trace) && mono_ms() < end) {
		uint64_t left = end - mono_ms();

		if (child_ended(&trace->child) || !ask_watcher(trace, false))
			break;
		if (reopen_requested && !trace->opts->watcher) {
			err = reopen(trace, msg);
			if (err)
				return err;
		}
		err = capture_poll(trace->capture, left < POLL_MS ? left : POLL_MS, trace_snapshot,
				   trace);
		tick(trace);
		if (trace->opts->capture.flight_only && flight_full(trace))
			break;
		trace_say_guard(trace);
		if (err > 0 || trace->write_err)
			break;
		if (err < 0 && err != -EINTR)
			return errmsg_set(msg, err, "reading the ring buffer: %s", strerror(-err));
		trace->disarmed = !capture_armed(trace->capture);
	}
	tell_stopping(trace);
	/*
	 * What the command did last, while all is still armed: its path leads through trampolines,
	 * and calls of them, whose text is gone once they are. One that still runs might never let
	 * us come to an end.
	 */
	if (trace->child.ended && err <= 0 && !trace->write_err)
		err = capture_poll(trace->capture, 0, trace_snapshot, trace);
	end_capture(trace, err <= 0 && !trace->write_err);
	if (trace->opts->capture.flight_only)
		flight_full(trace);
	trace_say_guard(trace);
	tell_end(trace);
	if (trace->disarmed)
		log_error("nothing is armed any more");
	return 0;
}

/* A reader of our output that has stopped does not stop the guard of the breakpoints. */
static void on_idle(void *ctx)
{
	const struct trace *trace = ctx;

	if (trace->capture)
		capture_watch(trace->capture);
}

/* Exit status of a trace that went well. */
static int status_of(const struct trace *trace, int compared)
{
	if (trace->disarmed)
		return EXIT_ERROR;
	if (trace->compare)
		return compared;
	return trace->printed ? EXIT_SEEN : EXIT_NONE;
}

/* No trace: the runs are those of why. */
static int show_way(const struct trace_options *opts)
{
	char advice[WHY_ADVICE_MAX];
	const struct why_options why = {
		.view = opts->view,
		.filter = opts->capture,
		.command = opts->command,
		.output = opts->output,
		.syscall = -1,
		.deep_runs = opts->deep_runs,
		.target = opts->targets,
		.advice = opts->capture.errno_filter ? why_advice(opts, NULL, advice) : NULL,
	};

	return why_run(&why);
}

static int trace_main(int argc, char **argv, char **original, enum trace_mode mode)
{
	struct trace_options opts;
	struct trace_end end = {};
	int err = trace_options_parse(argc, argv, mode, &opts);

	if (err)
		return err;
	if (opts.view.export.journal)
		args_hide(argc, original);
	if (opts.flight_stop) {
		err = flight_stop(opts.flight, opts.flight_discard);
		trace_options_deinit(&opts);
		return err;
	}
	if (opts.deep_runs) {
		err = show_way(&opts);
		trace_options_deinit(&opts);
		return err;
	}
	/* Arming thousands of functions takes its time; a program that dies disarms, too. */
	install_early_stop_handlers();
	err = trace_run(&opts, &end);
	trace_options_deinit(&opts);
	return err ? (int)exit_status_of(err) : end.status;
}

/*
 * Of a capture that ended in an error, as --record's disk is full, the calls are ranked that came
 * before: it may have taken hours. That error is the caller's to tell of.
 */
static int rank_calls(struct trace *trace, int err, struct errmsg *msg, int *ret_compared)
{
	bool failed = err || trace->write_err;
	struct errmsg other = {};
	int compared;

	if (failed && !compare_live_has_calls(trace->compare))
		return err;
	compared = compare_live_finish(trace->compare, trace->lost_now, failed ? &other : msg);
	if (failed && *other.text)
		log_error("%s", other.text);
	if (compared >= 0)
		*ret_compared = compared;
	return failed || compared >= 0 ? err : compared;
}

int trace_run(const struct trace_options *opts, struct trace_end *ret)
{
	struct trace trace = {.opts = opts, .out = stdout};
	struct errmsg msg = {};
	int close_err, err, compared = EXIT_NONE;

	if (opts->output) {
		trace.out = output_open(opts->output);
		if (!trace.out) {
			log_error("%s: %s", opts->output, strerror(errno));
			return -EIO;
		}
	}
	trace.rate.per_second = opts->max_rate;
	trace.idle = (struct output_idle){.idle = on_idle, .ctx = &trace};
	trace.out = output_idle_open(&trace.idle, trace.out);
	err = trace_prepare(&trace, &msg);
	if (!err)
		err = run(&trace, &msg);
	if (trace.compare)
		err = rank_calls(&trace, err, &msg, &compared);
	if (!err && trace.view)
		err = view_finish(trace.view, &msg);
	if (!err && !trace.write_err && trace.aggregate)
		err = aggregate_finish(trace.aggregate, &msg);
	close_err = close_out(&trace, err ? NULL : &msg);
	err = err ?: close_err;
	if (err)
		trace_say_error(&trace, err, &msg);
	*ret = (struct trace_end){.status = status_of(&trace, compared),
				  .disarmed = trace.disarmed};
	child_end(&trace.child);
	capture_destroy(trace.capture);
	klog_close(trace.klog);
	probe_list_deinit(&trace.probes);
	resolver_destroy(trace.resolver);
	text_close(trace.text_live);
	free(trace.image_path);
	view_destroy(trace.view);
	compare_live_destroy(trace.compare);
	aggregate_destroy(trace.aggregate);
	advice_deinit(&trace.advice);
	symbols_close(trace.symbols);
	user_destroy(trace.user);
	pipeline_deinit(&trace.pipeline);
	return err;
}

static int trace_copied(int argc, char **argv, enum trace_mode mode)
{
	_cleanup_free_ char **copy = args_copy(argc, argv);

	if (!copy) {
		log_error("%s", strerror(ENOMEM));
		return EXIT_ERROR;
	}
	return trace_main(argc, copy, argv, mode);
}

int cmd_trace(int argc, char **argv)
{
	return trace_copied(argc, argv, TRACE_SHOW);
}

int cmd_record(int argc, char **argv)
{
	return trace_copied(argc, argv, TRACE_RECORD);
}

int cmd_compare_live(int argc, char **argv)
{
	return trace_copied(argc, argv, TRACE_COMPARE);
}
