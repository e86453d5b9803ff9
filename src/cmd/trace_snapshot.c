// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace_snapshot.h"

#include <time.h>

#include "cmd/cmd.h"
#include "cmd/judge.h"
#include "util/clock.h"

/*
 * Where nothing is shown, text is read again and the LBR looked after this often, however many
 * snapshots come; both take longer than writing one.
 */
#define LOOK_NS 20000000ull
#define END_NS	200000000ull

static uint64_t lost_so_far(struct trace *trace)
{
	struct capture_stats stats;

	capture_stats(trace->capture, &stats);
	/* A capture file has one number: at most so many. */
	return stats.ring_full + stats.no_slot + stats.missed + stats.skipped + stats.malformed;
}

/* Of a preset: the kernel tells more about it than a plain error. */
static void ask_log(struct trace *trace, struct snapshot *snap)
{
	if (trace->klog && snap->trigger->preset)
		snap->log = klog_around(trace->klog, snap->ts_ns);
}

/* New names come now, or with the next snapshot: what is printed is what is recorded. */
static void hold_names(struct trace *trace, const struct snapshot *snap)
{
	struct symbol sym;

	symbols_find(trace->symbols, snap->ip, &sym);
	for (uint32_t i = 0; i < snap->count; i++) {
		symbols_find(trace->symbols, snap->branches[i].from, &sym);
		symbols_find(trace->symbols, snap->branches[i].to, &sym);
	}
	for (uint32_t i = 0; i < snap->stack_count; i++)
		symbols_find(trace->symbols, snap->stack[i], &sym);
	symbols_hold(trace->symbols, true);
}

static int show(struct trace *trace, struct snapshot *snap)
{
	int err = 0, write_err;

	ask_log(trace, snap);
	text_live_invalidate(trace->text_live);
	user_place(trace->user, snap);
	hold_names(trace, snap);
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
	write_err = output_check(trace->out, view_snapshot(trace->view, snap, &trace->kernel_text,
							   trace->lost_now - trace->lost_told));
	if (write_err)
		trace->write_err = write_err;
	else if (view_error_passed_on(trace->view))
		closer_say(&trace->closer, trace->opts, snap, &trace->kernel_text, trace->symbols);
	symbols_hold(trace->symbols, false);
	return err;
}

static int record(struct trace *trace, struct snapshot *snap)
{
	bool read_again = snap->ts_ns - trace->text_read_ns >= LOOK_NS;
	uint64_t *judged_ns = &trace->judged_ns[snap->cpu % TRACE_CPUS];

	ask_log(trace, snap);
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

/* The ring buffer is empty for now: a good time to write, and to ask what was lost. */
static int on_empty(struct trace *trace)
{
	int err = trace->recording ? recording_flush(trace->recording) : 0;

	if (err)
		trace->write_err = err;
	trace->lost_now = lost_so_far(trace);
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
