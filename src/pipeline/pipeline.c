// SPDX-License-Identifier: GPL-2.0
#include "pipeline/pipeline.h"

#include <assert.h>

#include "pipeline/classify.h"

void pipeline_add_sink(struct pipeline *pipeline, const struct sink *sink)
{
	assert(pipeline->sink_count < PIPELINE_SINKS_MAX);
	pipeline->sinks[pipeline->sink_count++] = *sink;
}

/* Bit n: sink n wants it. */
static uint32_t who_wants(const struct pipeline *pipeline, const struct snapshot *snap)
{
	uint32_t wanted = 0;

	for (size_t i = 0; i < pipeline->sink_count; i++) {
		const struct sink *sink = &pipeline->sinks[i];

		wanted |= (uint32_t)(!sink->wants || sink->wants(sink->ctx, snap)) << i;
	}
	return wanted;
}

/* To those before the classification, or behind it. */
static void hand_on(struct pipeline *pipeline, const struct event *event, uint32_t wanted,
		    bool as_captured, int *err)
{
	for (size_t i = 0; i < pipeline->sink_count; i++) {
		const struct sink *sink = &pipeline->sinks[i];
		int sink_err;

		if (sink->as_captured != as_captured || !(wanted >> i & 1))
			continue;
		sink_err = sink->event(sink->ctx, event);
		*err = *err ?: sink_err;
	}
}

static bool has_to_classify(const struct pipeline *pipeline, const struct snapshot *snap,
			    uint32_t wanted)
{
	const struct source *source = &pipeline->source;

	for (size_t i = 0; i < pipeline->sink_count; i++)
		if (!pipeline->sinks[i].as_captured && wanted >> i & 1)
			return true;
	return source->ops->needs_class && source->ops->needs_class(source->ctx, snap);
}

int pipeline_event(struct pipeline *pipeline, struct snapshot *snap, uint64_t lost)
{
	struct source *source = &pipeline->source;
	const struct source_ops *ops = source->ops;
	struct event event = {.snap = snap, .source = source, .lost = lost};
	uint32_t wanted = who_wants(pipeline, snap);
	int err = 0;

	event.code_changed = ops->prepare && ops->prepare(source->ctx, snap);
	if (source->raw_faults)
		fault_place(&pipeline->faults, source->symbols, &source->text, snap);
	/* Written first: what a reader of our output has seen is in the file, whatever happens. */
	hand_on(pipeline, &event, wanted, true, &err);
	if (has_to_classify(pipeline, snap, wanted)) {
		snapshot_classify(snap, source->symbols, &source->text);
		if (ops->classified)
			ops->classified(source->ctx, snap);
	}
	hand_on(pipeline, &event, wanted, false, &err);
	return err;
}

int pipeline_fill(const struct pipeline_run *run, struct pipeline *pipeline)
{
	const struct source *source = &pipeline->source;
	int got;

	do {
		uint64_t lost = 0;

		got = source->ops->next(source->ctx, &pipeline->next, &lost);
		pipeline->lost += lost;
	} while (got > 0 && !(run->stop && *run->stop) && run->wanted &&
		 !run->wanted(run->ctx, &pipeline->next));
	pipeline->filled = got > 0;
	return got < 0 ? got : 0;
}

static struct pipeline *oldest(const struct pipeline_run *run)
{
	struct pipeline *found = NULL;

	for (size_t i = 0; i < run->count; i++) {
		struct pipeline *item = &run->items[i];

		if (item->filled && (!found || item->next.ts_ns < found->next.ts_ns))
			found = item;
	}
	return found;
}

/* Asking each of a thousand sources costs more than an event. */
#define TELL_EVERY 256

static void tell_progress(const struct pipeline_run *run)
{
	uint64_t done = 0, total = 0;

	progress_count(run->progress, run->taken);
	if (!run->progress || run->taken % TELL_EVERY)
		return;
	for (size_t i = 0; i < run->count; i++) {
		const struct source *source = &run->items[i].source;
		uint64_t size = 0;

		if (!source->ops || !source->ops->position)
			continue;
		done += source->ops->position(source->ctx, &size);
		total += size;
	}
	progress_set(run->progress, done, total);
}

int pipeline_run(struct pipeline_run *run)
{
	struct pipeline *item;

	while (!(run->stop && *run->stop) && (item = oldest(run))) {
		int err = pipeline_event(item, &item->next, item->lost);

		if (err) {
			run->sink_failed = true;
			return err;
		}
		run->lost += item->lost;
		item->lost = 0;
		run->last = item;
		++run->taken;
		tell_progress(run);
		if (run->taken == run->max)
			return 0;
		err = pipeline_fill(run, item);
		if ((err || !item->filled) && run->ended)
			err = run->ended(run->ctx, item, err);
		if (err)
			return err;
	}
	return 0;
}

void pipeline_deinit(struct pipeline *pipeline)
{
	faults_deinit(&pipeline->faults);
}
