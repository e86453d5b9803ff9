// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/aggregate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/html_file.h"
#include "cmd/output.h"
#include "export/export.h"
#include "pipeline/rate_limit.h"
#include "render/summary.h"
#include "render/trace_json.h"

/** struct aggregate - @since_ns: when the interval began, 0: with the first snapshot */
struct aggregate {
	const struct view_options *opts;
	FILE *out;
	struct summary *summary;
	FILE *trace_file;
	struct trace_json *trace;
	struct export *export;
	struct html_file *html;
	uint64_t since_ns;
};

bool aggregate_wanted(const struct view_options *opts)
{
	return opts->summary || opts->trace_json || (opts->html && !opts->ranking) ||
	       opts->exporter || export_wanted(&opts->export);
}

int aggregate_create(const struct view_options *opts, FILE *out, struct aggregate **ret,
		     struct errmsg *msg)
{
	struct summary_options how = {
		.top = opts->top ?: 10,
		.json = opts->json,
		.color = view_wants_color(opts, out),
	};
	struct aggregate *aggregate = calloc(1, sizeof(*aggregate));
	int err = 0;

	if (!aggregate)
		return -ENOMEM;
	aggregate->opts = opts;
	aggregate->out = out;
	if (opts->summary) {
		aggregate->summary = summary_create(&how);
		err = aggregate->summary ? 0 : -ENOMEM;
	}
	if (!err && opts->trace_json) {
		aggregate->trace_file = fopen(opts->trace_json, "we");
		if (!aggregate->trace_file)
			err = errmsg_set(msg, errno == ENOMEM ? -ENOMEM : -EINVAL, "%s: %s",
					 opts->trace_json, strerror(errno));
	}
	if (!err && aggregate->trace_file) {
		aggregate->trace = trace_json_create(aggregate->trace_file);
		err = aggregate->trace ? 0 : -ENOMEM;
	}
	if (!err && opts->html)
		err = html_file_open(opts, &aggregate->html, msg);
	aggregate->export = opts->exporter;
	if (!err && !opts->exporter && export_wanted(&opts->export))
		err = export_create(&opts->export, out, &aggregate->export, msg);
	if (err)
		aggregate_destroy(aggregate);
	else
		*ret = aggregate;
	return err;
}

void aggregate_destroy(struct aggregate *aggregate)
{
	if (!aggregate)
		return;
	summary_destroy(aggregate->summary);
	trace_json_finish(aggregate->trace);
	if (!aggregate->opts->exporter)
		export_destroy(aggregate->export);
	html_file_destroy(aggregate->html);
	if (aggregate->trace_file)
		fclose(aggregate->trace_file);
	free(aggregate);
}

bool aggregate_wants_path(struct aggregate *aggregate, uint64_t ident)
{
	return aggregate->trace ||
	       (aggregate->summary && !summary_find(aggregate->summary, ident)) ||
	       (aggregate->html && html_file_wants_path(aggregate->html, ident)) ||
	       (aggregate->export && export_wants_path(aggregate->export, ident));
}

int aggregate_snapshot(struct aggregate *aggregate, const struct snapshot *snap, uint64_t ident,
		       const struct path *path, const struct finding_kernel *kernel,
		       const struct story_view *story, uint64_t lost)
{
	int err = 0;

	if (aggregate->summary)
		err = aggregate_tick(aggregate, snap->ts_ns)
			      ?: summary_add(aggregate->summary, snap, ident, path, kernel->symbols,
					     kernel->host, lost);
	if (!err && aggregate->trace)
		err = trace_json_add(aggregate->trace, snap, path, kernel->symbols);
	if (!err && aggregate->html)
		err = html_file_add(aggregate->html, snap, ident, path, kernel, story, lost);
	if (!err && aggregate->export)
		err = export_add(aggregate->export, snap, ident, path, kernel, lost);
	return err;
}

void aggregate_add_lost(struct aggregate *aggregate, uint64_t lost)
{
	if (aggregate->summary)
		summary_add_lost(aggregate->summary, lost, 0);
	if (aggregate->html)
		html_file_add_lost(aggregate->html, lost);
}

/* The clock was: not a snapshot that comes late, or the present interval would last till then. */
static bool is_set_back(uint64_t since_ns, uint64_t now_ns)
{
	return now_ns < since_ns && since_ns - now_ns > RATE_LIMIT_LATE_NS;
}

int aggregate_tick(struct aggregate *aggregate, uint64_t now_ns)
{
	uint64_t interval_ns = aggregate->opts->interval_ms * 1000000;
	int err;

	if (!aggregate->since_ns || is_set_back(aggregate->since_ns, now_ns))
		aggregate->since_ns = now_ns;
	if (!aggregate->summary || !interval_ns || now_ns < aggregate->since_ns + interval_ns)
		return 0;
	aggregate->since_ns += (now_ns - aggregate->since_ns) / interval_ns * interval_ns;
	err = output_check(aggregate->out, summary_print(aggregate->summary, aggregate->out));
	summary_forget(aggregate->summary);
	return err ?: output_flush(aggregate->out);
}

static int finish_trace(struct aggregate *aggregate, struct errmsg *msg)
{
	int err = trace_json_finish(aggregate->trace);
	int close_err = output_close(aggregate->trace_file);

	aggregate->trace = NULL;
	aggregate->trace_file = NULL;
	if (close_err)
		err = close_err;
	return err ? errmsg_set(msg, -EIO, "%s: %s", aggregate->opts->trace_json, strerror(-err))
		   : 0;
}

/* One that cannot be written does not take the others with it: the first error is told. */
int aggregate_finish(struct aggregate *aggregate, struct errmsg *msg)
{
	struct errmsg later = {};
	int err = 0, other;

	if (aggregate->summary)
		err = output_check(aggregate->out,
				   summary_print(aggregate->summary, aggregate->out));
	if (aggregate->trace) {
		other = finish_trace(aggregate, err ? &later : msg);
		err = err ?: other;
	}
	if (aggregate->html) {
		other = html_file_finish(aggregate->html, err ? &later : msg);
		err = err ?: other;
	}
	if (aggregate->export && !aggregate->opts->exporter) {
		other = export_finish(aggregate->export, err ? &later : msg);
		err = err ?: other;
	}
	return err;
}
