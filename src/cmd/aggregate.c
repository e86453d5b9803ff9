// SPDX-License-Identifier: GPL-2.0
#include "cmd/aggregate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output.h"
#include "render/summary.h"
#include "render/trace_json.h"

/** struct aggregate - @since_ns: when the interval began, 0: with the first snapshot */
struct aggregate {
	const struct view_options *opts;
	FILE *out;
	struct summary *summary;
	FILE *trace_file;
	struct trace_json *trace;
	uint64_t since_ns;
};

int aggregate_create(const struct view_options *opts, FILE *out, struct aggregate **ret,
		     struct errmsg *msg)
{
	struct summary_options how = {
		.top = opts->top ?: 10,
		.json = opts->json,
		.color = opts->color == COLOR_ALWAYS ||
			 (opts->color == COLOR_AUTO && output_is_colored(out)),
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
	if (aggregate->trace_file)
		fclose(aggregate->trace_file);
	free(aggregate);
}

bool aggregate_wants_path(struct aggregate *aggregate, uint64_t ident)
{
	return aggregate->trace || (aggregate->summary && !summary_find(aggregate->summary, ident));
}

int aggregate_snapshot(struct aggregate *aggregate, const struct snapshot *snap, uint64_t ident,
		       const struct path *path, struct symbols *symbols, const char *host,
		       uint64_t lost)
{
	int err = 0;

	if (aggregate->summary)
		err = aggregate_tick(aggregate, snap->ts_ns)
			      ?: summary_add(aggregate->summary, snap, ident, path, symbols, host,
					     lost);
	if (!err && aggregate->trace)
		err = trace_json_add(aggregate->trace, snap, path, symbols);
	return err;
}

int aggregate_tick(struct aggregate *aggregate, uint64_t now_ns)
{
	uint64_t interval_ns = aggregate->opts->interval_ms * 1000000;
	int err;

	if (!aggregate->since_ns)
		aggregate->since_ns = now_ns;
	if (!aggregate->summary || !interval_ns || now_ns < aggregate->since_ns + interval_ns)
		return 0;
	aggregate->since_ns += (now_ns - aggregate->since_ns) / interval_ns * interval_ns;
	err = output_check(aggregate->out, summary_print(aggregate->summary, aggregate->out));
	summary_forget(aggregate->summary);
	return err ?: output_flush(aggregate->out);
}

int aggregate_finish(struct aggregate *aggregate, struct errmsg *msg)
{
	int err = 0, close_err;

	if (aggregate->summary)
		err = output_check(aggregate->out,
				   summary_print(aggregate->summary, aggregate->out));
	if (err || !aggregate->trace)
		return err;
	err = trace_json_finish(aggregate->trace);
	close_err = output_close(aggregate->trace_file);
	aggregate->trace = NULL;
	aggregate->trace_file = NULL;
	if (close_err)
		err = close_err;
	return err ? errmsg_set(msg, -EIO, "%s: %s", aggregate->opts->trace_json, strerror(-err))
		   : 0;
}
