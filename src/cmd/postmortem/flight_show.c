// SPDX-License-Identifier: GPL-2.0
#include "cmd/postmortem/flight_show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/trace/filter_options.h"
#include "host/capabilities.h"
#include "pipeline/pipeline.h"
#include "symbolize/text/text.h"
#include "util/log.h"

static bool is_wanted(void *ctx, const struct snapshot *snap)
{
	return snapshot_wanted(ctx, snap);
}

int flight_show_session(struct flight_show *show, struct flight_session *session,
			struct errmsg *msg)
{
	struct capture_options filter = show->wanted->filter;
	struct pipeline *pipeline = calloc(1, sizeof(*pipeline));
	struct pipeline_run run = {
		.items = pipeline,
		.count = 1,
		.wanted = is_wanted,
		.ctx = &filter,
		.max = show->count,
		.stop = &stop_requested,
	};
	struct sink sink = view_sink(show->view);
	int err;

	if (!pipeline)
		return -ENOMEM;
	pipeline->source = flight_session_source(session, show->symbols, &show->text);
	pipeline_add_sink(pipeline, &sink);
	err = pipeline_fill(&run, pipeline);
	err = err ?: pipeline_run(&run);
	if (run.sink_failed)
		err = output_failed(show->wanted->output, err, msg);
	show->printed += run.taken;
	pipeline_deinit(pipeline);
	free(pipeline);
	return err;
}

static void say_live(const char *dir, size_t links, const struct flight_session *session)
{
	struct flight_session_state state;

	flight_session_state(session, &state);
	log_info("%s: %s; %llu snapshots since it was armed, %u kept (of %u at most), %llu lost",
		 dir, links ? "armed" : "disarmed", (unsigned long long)state.written,
		 state.records, state.slots, (unsigned long long)state.lost);
}

static int show_live(struct flight_show *show, const char *dir, struct flight_collector *collector,
		     struct errmsg *msg)
{
	struct text *text = NULL;
	size_t links;
	int err = flight_read(dir, collector, &links, msg);

	if (err)
		return err;
	err = symbols_open(NULL, &show->symbols);
	if (err)
		return errmsg_set(msg, err, "/proc/kallsyms: %s", kallsyms_error(err));
	if (!text_live_open(NULL, &text))
		show->text = text_source(text);
	err = view_create(&show->wanted->view, show->out, show->symbols, NULL, NULL, &show->view,
			  msg);
	err = err ?: output_begin(show->out);
	if (!err) {
		say_live(dir, links, flight_collector_session(collector, 0));
		err = flight_show_session(show, flight_collector_session(collector, 0), msg);
	}
	err = err ?: view_finish(show->view, msg);
	view_destroy(show->view);
	text_close(text);
	symbols_close(show->symbols);
	return err;
}

int flight_show_live(struct flight_show *show, const char *dir, struct errmsg *msg)
{
	struct flight_collector *collector = flight_collector_create();
	int err = collector ? show_live(show, dir, collector, msg) : -ENOMEM;

	flight_collector_destroy(collector);
	return err;
}

int flight_stop(const char *dir, bool discard)
{
	struct errmsg msg = {};
	size_t links = 0;
	int err = flight_disarm(dir, discard, &links, &msg);

	if (err) {
		log_error("%s", msg.text);
		return err == -EPERM ? EXIT_PERMISSION : EXIT_ERROR;
	}
	log_info("%s: %s%s", dir, links ? "disarmed" : "it was not armed",
		 discard ? ", and what it held is freed"
			 : "; 'lbrsnoop report --flight' still shows what it holds");
	return EXIT_SEEN;
}
