// SPDX-License-Identifier: GPL-2.0
#include "cmd/watch/journal_show.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/option_args.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "export/export.h"
#include "export/journal_read.h"
#include "render/summary.h"
#include "util/log.h"

/** struct show - @messages: that are wanted; @shown: snapshots of paths that are */
struct show {
	const struct filter_options *wanted;
	const struct journal_wanted *messages;
	struct summary *summary;
	uint64_t shown;
};

int journal_show_check(const struct filter_options *wanted)
{
	const struct view_options *view = &wanted->view;

	if (wanted->filter.pid || wanted->filter.comm || wanted->filter.cpu_filter || wanted->count)
		return args_usage(
			"report --journal: paths are counted there, not snapshots: of -e, "
			"-p, -c, -C and -n only -e can be asked for; with --story all of them");
	if (view->branches || view->insns || view->dot || view->svg || view->trace_json ||
	    view->interval_ms || view->html || export_wanted(&view->export))
		return args_usage(
			"report --journal: a summary has no branches: --json, --top, -o and -e are "
			"what it takes; with --story the captures are shown, as of files");
	return 0;
}

static int take(const struct journal_row *row, void *ctx)
{
	struct show *show = ctx;
	struct snapshot snap = {.err = row->err};
	struct summary_count counted = {
		.ident = row->ident,
		.count = row->count,
		.ts_ns = row->ts_ns,
		.function = row->function,
		.kind = row->kind,
		.err = row->err,
		.error = row->origin,
		.host = *row->host ? row->host : NULL,
	};

	if (stop_requested)
		return -EINTR;
	if (!journal_is_wanted(show->messages, row))
		return 0;
	if (!row->has_ident) {
		summary_add_lost(show->summary, row->lost, row->left_out);
		return 0;
	}
	if (!snapshot_wanted(&show->wanted->filter, &snap))
		return counted.host ? summary_add_host(show->summary, counted.host) : 0;
	show->shown += row->count;
	return summary_add_count(show->summary, &counted);
}

int journal_show(const struct filter_options *wanted, struct journal_args *args, FILE *out,
		 uint64_t *ret_printed, struct errmsg *msg)
{
	const struct view_options *view = &wanted->view;
	struct summary_options how = {
		.top = view->top,
		.json = view->json,
		.color = view_wants_color(view, out),
	};
	struct show show = {
		.wanted = wanted, .messages = &args->wanted, .summary = summary_create(&how)};
	struct journal_totals totals = {};
	int err;

	if (!show.summary)
		return -ENOMEM;
	args->wanted.hosts = args->hosts;
	err = journal_read(args->dir, false, take, &show, &totals, msg);
	err = err ?: output_begin(out);
	err = err ?: summary_print(show.summary, out);
	summary_destroy(show.summary);
	journal_say_left_out(&totals);
	*ret_printed = show.shown;
	return err;
}
