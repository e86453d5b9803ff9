// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/trace_snapshot.h"

#include <time.h>

#include "cmd/cmd.h"
#include "util/clock.h"

/*
 * Where nothing is shown, text is read again and the LBR looked after this often, however many
 * snapshots come; both take longer than writing one.
 */
#define LOOK_NS 20000000ull
#define END_NS	200000000ull

uint64_t trace_lost(const struct capture_stats *stats)
{
	/* A capture file has one number: at most so many. */
	return stats->ring_full + stats->no_slot + stats->missed + stats->skipped + stats->unseen +
	       stats->malformed;
}

static uint64_t lost_so_far(struct trace *trace)
{
	struct capture_stats stats;

	capture_stats(trace->capture, &stats);
	return trace_lost(&stats);
}

void trace_ask_lost(struct trace *trace)
{
	trace->lost_now = lost_so_far(trace);
}

/* Of a preset: the kernel tells more about it than a plain error. */
static void ask_log(struct trace *trace, struct snapshot *snap)
{
	if (trace->klog && snap->trigger->preset)
		snap->log = klog_around(trace->klog, snap->ts_ns);
}

/* Where nothing is shown, text is read again only from time to time. */
static bool prepare(void *ctx, struct snapshot *snap)
{
	struct trace *trace = ctx;
	bool read_again = trace->view || snap->ts_ns - trace->text_read_ns >= LOOK_NS;

	ask_log(trace, snap);
	if (read_again) {
		trace->text_read_ns = snap->ts_ns;
		text_live_invalidate(trace->text_live);
	}
	user_place(trace->user, snap);
	symbols_follow(trace->symbols, snap);
	return read_again;
}

static bool needs_class(const void *ctx, const struct snapshot *snap)
{
	const struct trace *trace = ctx;

	return snap->ts_ns - trace->looked_ns[snap->cpu % TRACE_CPUS] >= LOOK_NS;
}

/* Somebody has switched the LBR off. */
static void classified(void *ctx, const struct snapshot *snap)
{
	struct trace *trace = ctx;

	trace->looked_ns[snap->cpu % TRACE_CPUS] = snap->ts_ns;
	if (snap->stale == TRI_SET)
		capture_revive(trace->capture, snap->cpu);
}

static int record_event(void *ctx, const struct event *event)
{
	struct trace *trace = ctx;
	int err = recording_add(trace->recording, event->snap, event->code_changed, event->lost);

	return err || !trace->view ? err : recording_flush(trace->recording);
}

static int advise(void *ctx, const struct event *event)
{
	struct trace *trace = ctx;

	if (!ferror(trace->out) && view_error_passed_on(trace->view))
		advice_say(&trace->advice, trace->opts, event->snap, &event->source->text,
			   event->source->symbols);
	return 0;
}

void trace_start_pipeline(struct trace *trace)
{
	static const struct source_ops live = {
		.prepare = prepare,
		.needs_class = needs_class,
		.classified = classified,
	};
	struct pipeline *pipeline = &trace->pipeline;
	struct sink view, compare;

	pipeline->source = (struct source){
		.ops = &live,
		.ctx = trace,
		.symbols = trace->symbols,
		.text = trace->kernel_text,
		.raw_faults = true,
	};
	if (trace->recording)
		pipeline_add_sink(
			pipeline,
			&(struct sink){.event = record_event, .ctx = trace, .as_captured = true});
	if (trace->compare) {
		compare = compare_live_sink(trace->compare);
		pipeline_add_sink(pipeline, &compare);
	}
	if (!trace->view)
		return;
	view = view_sink(trace->view);
	pipeline_add_sink(pipeline, &view);
	if (!trace->opts->record_only && !trace->opts->watcher)
		pipeline_add_sink(pipeline, &(struct sink){.event = advise, .ctx = trace});
}

/* The ring buffer is empty for now: a good time to write, and to ask what was lost. */
static int on_empty(struct trace *trace)
{
	int err = trace->recording ? recording_flush(trace->recording) : 0;

	if (err)
		trace->write_err = err;
	trace_ask_lost(trace);
	return err ? 1 : 0;
}

/*
 * Of many functions more may wait than can be shown in the time that a user gives us after the
 * first Ctrl-C.
 */
static bool too_late(struct trace *trace)
{
	uint64_t now;

	if (!trace->wide || !stop_requested)
		return false;
	now = clock_ns(CLOCK_MONOTONIC);
	if (!trace->stop_ns)
		trace->stop_ns = now;
	return now - trace->stop_ns > END_NS;
}

int trace_snapshot(struct snapshot *snap, void *ctx)
{
	struct trace *trace = ctx;
	int err;

	if (!snap)
		return on_empty(trace);
	if (too_late(trace)) {
		trace->left_at_end++;
		return stop_requested > 1;
	}
	if (rate_limit_exceeded(&trace->rate, snap->ts_ns)) {
		trace->left_out++;
		return stop_requested > 1;
	}
	if (trace->view)
		trace->lost_now = lost_so_far(trace);
	err = pipeline_event(&trace->pipeline, snap, trace->lost_now - trace->lost_told);
	err = err ?: output_event_done(trace->out);
	if (err)
		trace->write_err = err;
	trace->lost_told = trace->lost_now;
	trace->printed++;
	if (trace->write_err)
		return 1;
	if (trace->opts->count && trace->printed >= trace->opts->count)
		return 1;
	if (trace->compare && compare_live_full(trace->compare))
		return 1;
	/* After the first Ctrl-C, what is captured already is still printed. */
	return stop_requested > 1;
}
