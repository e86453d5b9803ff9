// SPDX-License-Identifier: GPL-2.0
#include "cmd/compare/compare_live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/compare/comparison.h"
#include "cmd/output.h"
#include "cmd/why/why_advice.h"
#include "compare/call.h"
#include "compare/conditions.h"
#include "compare/ranking.h"
#include "compare/sample.h"
#include "util/bitset.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/log.h"

/**
 * struct compare_live - what is under way
 * @view: for source lines and colours; shows no snapshot
 * @page: of --html; begun before anything is captured
 * @conditions: of all decisions seen
 * @comm: of a task that failed, "" if none did
 * @calls: that were drawn; @blank of them have no path
 * @other: returns of an errno that -e does not name; @untold: of no value; @kinds_left_out: of too
 *         many kinds
 * @err: what failed where nobody can be told: -ENOMEM or 0
 */
struct compare_live {
	const struct trace_options *opts;
	FILE *out;
	struct view *view;
	struct html_out page;
	struct sample *sample;
	struct progress *progress;
	struct conditions conditions;
	char comm[COMM_LEN];
	uint64_t calls;
	uint64_t blank;
	uint64_t other;
	uint64_t untold;
	uint64_t kinds_left_out;
	int err;
};

int compare_live_create(const struct trace_options *opts, FILE *out, struct symbols *symbols,
			struct compare_live **ret, struct errmsg *msg)
{
	struct compare_live *live = calloc(1, sizeof(*live));
	int err = -ENOMEM;

	if (live) {
		live->opts = opts;
		live->out = out;
		live->sample = sample_create(opts->compare.failing, opts->compare.passing,
					     clock_ns(CLOCK_MONOTONIC));
	}
	if (live && live->sample)
		err = view_create(&opts->view, out, symbols, NULL, NULL, &live->view, msg);
	if (!err && opts->view.html)
		err = html_out_open(&live->page, opts->view.html, msg);
	if (err) {
		compare_live_destroy(live);
		return err;
	}
	*ret = live;
	return 0;
}

/* Is it one of the failures that are asked for, or no failure? */
static bool is_asked_for(const struct compare_live *live, const struct snapshot *snap)
{
	const struct capture_options *capture = &live->opts->capture;

	return !snap->err || capture->errno_any || bitset_has(capture->errnos, snap->err);
}

void compare_live_tick(struct compare_live *live)
{
	char what[256];

	if (!live->progress)
		return;
	snprintf(what, sizeof(what),
		 "%" PRIu64 " failing and %" PRIu64 " passing returns, of %u and %u",
		 sample_total(live->sample, true), sample_total(live->sample, false),
		 live->opts->compare.failing, live->opts->compare.passing);
	progress_say(live->progress, what);
}

static bool draw(void *ctx, const struct snapshot *snap)
{
	struct compare_live *live = ctx;
	int drawn;

	if (!snap->has_retval && !snap->err) {
		live->untold++;
		return false;
	}
	if (!is_asked_for(live, snap)) {
		live->other++;
		return false;
	}
	drawn = sample_draw(live->sample, call_function(snap), snap->err);
	if (drawn == -ENOMEM)
		live->err = drawn;
	live->kinds_left_out += drawn == -E2BIG;
	if (snap->err && !*live->comm)
		memcpy(live->comm, snap->comm, sizeof(live->comm));
	return drawn == 1;
}

static int on_call(void *ctx, const struct ranking_call *call)
{
	struct compare_live *live = ctx;

	return sample_call(live->sample, call);
}

static int on_decision(void *ctx, const struct ranking_decision *decision)
{
	struct compare_live *live = ctx;

	return sample_decision(live->sample, decision);
}

static struct lines *lines_of(void *ctx)
{
	struct compare_live *live = ctx;

	return view_lines(live->view);
}

static int on_event(void *ctx, const struct event *event)
{
	struct compare_live *live = ctx;
	struct symbols *symbols = event->source->symbols;
	const struct call_taker to = {.call = on_call,
				      .decision = on_decision,
				      .ctx = live,
				      .conditions = &live->conditions,
				      .lines = lines_of};
	struct path *path;
	int err;

	live->calls++;
	path = call_path(event->snap, symbols, &event->source->text, &err);
	if (path)
		err = call_of_snapshot(event->snap, path, symbols, event->snap->err != 0, &to);
	else if (!err)
		err = call_without_path(event->snap, event->snap->err != 0, &to);
	path_free(path);
	live->blank += err == -ENODATA;
	return err == -ENODATA ? 0 : err;
}

struct sink compare_live_sink(struct compare_live *live)
{
	return (struct sink){.event = on_event, .wants = draw, .ctx = live};
}

void compare_live_begin(struct compare_live *live)
{
	live->progress = output_progress(live->out, true, "waiting for returns", "calls");
}

bool compare_live_full(const struct compare_live *live)
{
	return live->err || (sample_total(live->sample, true) >= live->opts->compare.failing &&
			     sample_total(live->sample, false) >= live->opts->compare.passing);
}

bool compare_live_has_calls(const struct compare_live *live)
{
	return sample_total(live->sample, true) || sample_total(live->sample, false);
}

static void say_left_out(const struct compare_live *live, uint64_t left_out)
{
	if (live->blank)
		log_warning("%llu of %llu calls have no path, and are left out: the record was "
			    "filtered or overwritten, or /proc/kcore cannot be read",
			    (unsigned long long)live->blank, (unsigned long long)live->calls);
	if (live->untold)
		log_warning("%llu events tell of no return, and are left out: compare takes "
			    "functions by name",
			    (unsigned long long)live->untold);
	if (live->other)
		log_info("%llu returns of other errors than those of -e are left out",
			 (unsigned long long)live->other);
	if (left_out)
		log_warning("%llu calls are left out: of more kinds than %d failing and %d "
			    "passing; -e chooses errors",
			    (unsigned long long)left_out, RANKING_FAILING_MAX, RANKING_PASSING_MAX);
	if (live->opts->command && !live->opts->capture.follow && !sample_total(live->sample, true))
		log_info("calls of processes that the command starts are left out; -f follows "
			 "them");
}

/* "lbrsnoop why --deep -- cat /none" */
static const char *further_back(const struct compare_live *live, char buf[WHY_ADVICE_MAX + 8])
{
	static const char why[] = "lbrsnoop why";
	char advice[WHY_ADVICE_MAX];

	why_advice(live->opts, live->comm, advice);
	/* --deep runs a command again and again. */
	if (!live->opts->command)
		snprintf(buf, WHY_ADVICE_MAX + 8, "%s --deep -- COMMAND", why);
	else
		snprintf(buf, WHY_ADVICE_MAX + 8, "%s --deep%s", why, advice + strlen(why));
	return buf;
}

int compare_live_finish(struct compare_live *live, uint64_t lost, struct errmsg *msg)
{
	const struct trace_options *opts = live->opts;
	_cleanup_free_ const char **names = calloc(opts->target_count, sizeof(const char *));
	struct ranking *ranking = ranking_create();
	char further[WHY_ADVICE_MAX + 8];
	const struct compare_build build = {.lines = view_lines(live->view)};
	struct comparison comparison = {
		.ranking = ranking,
		.calls = sample_total(live->sample, true) + sample_total(live->sample, false),
		.names = names,
		.name_count = opts->target_count,
		.sample = live->sample,
		.page = opts->view.html ? &live->page : NULL,
		.further = further_back(live, further),
		.missing = {.no_path = live->blank, .no_return = live->untold, .lost = lost},
		.no_values = opts->no_values,
		.opts = &opts->view,
		.top = opts->compare.top_given ? opts->view.top : COMPARISON_TOP,
		.builds = &build,
		.build_count = 1,
		.view = live->view,
		.out = live->out,
		.output = opts->output,
	};
	uint64_t left_out = 0;
	int err = live->err;

	progress_end(live->progress);
	live->progress = NULL;
	if (!names || !ranking)
		err = -ENOMEM;
	err = err ?: sample_rank(live->sample, ranking, &left_out);
	if (!err) {
		for (size_t i = 0; i < opts->target_count; i++)
			names[i] = opts->targets[i].text;
		comparison.missing.kinds = live->kinds_left_out + left_out;
		say_left_out(live, comparison.missing.kinds);
		err = comparison_print(&comparison, msg);
	}
	ranking_destroy(ranking);
	return err;
}

void compare_live_destroy(struct compare_live *live)
{
	if (!live)
		return;
	progress_end(live->progress);
	html_out_deinit(&live->page);
	view_destroy(live->view);
	sample_destroy(live->sample);
	conditions_deinit(&live->conditions);
	free(live);
}
