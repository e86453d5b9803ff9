// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_hits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/snapshot.h"
#include "util/vector.h"

/* Hits of one call. Of more, the newest are kept: hits are counted back from the error. */
#define HITS_MAX 2048
/* Failed calls with hits: the newest are kept. */
#define CALLS_MAX   64
#define THREADS_MAX 256
/* No code runs further than this many bytes without a branch. */
#define STRAIGHT_MAX 0x10000

/** struct deep_call - a call that failed; @seq: of its event */
struct deep_call {
	uint64_t seq;
	struct deep_hit *hits;
	size_t count;
};

/** struct deep_thread - a thread; @call: number of its newest call; @last_ns: of its newest hit */
struct deep_thread {
	uint32_t tid;
	uint32_t call;
	uint64_t last_ns;
	struct deep_hit *hits;
	size_t count;
};

static struct deep_thread *find_thread(struct deep_hits *hits, uint32_t tid)
{
	for (size_t i = 0; i < hits->thread_count; i++)
		if (hits->threads[i].tid == tid)
			return &hits->threads[i];
	return NULL;
}

/* Its calls may have succeeded: only calls that fail are reported. */
static struct deep_thread *silent_longest(struct deep_hits *hits)
{
	struct deep_thread *oldest = &hits->threads[0];

	for (size_t i = 1; i < hits->thread_count; i++)
		if (hits->threads[i].last_ns < oldest->last_ns)
			oldest = &hits->threads[i];
	return oldest;
}

static struct deep_thread *make_thread(struct deep_hits *hits, uint32_t tid)
{
	struct deep_thread *thread = find_thread(hits, tid);

	if (thread)
		return thread;
	if (hits->thread_count == THREADS_MAX) {
		thread = silent_longest(hits);
		free(thread->hits);
	} else {
		if (vector_grow(&hits->threads, hits->thread_count, sizeof(*hits->threads)))
			return NULL;
		thread = &hits->threads[hits->thread_count++];
	}
	*thread = (struct deep_thread){.tid = tid};
	return thread;
}

static int add_hit(struct deep_hits *hits, const struct why_event *head, uint32_t call, uint64_t ip,
		   struct deep_hit **ret)
{
	struct deep_thread *thread = make_thread(hits, head->tid);

	if (!thread)
		return -ENOMEM;
	if (thread->call != call)
		thread->count = 0;
	thread->call = call;
	thread->last_ns = head->mono_ns;
	if (thread->count == HITS_MAX) {
		memmove(thread->hits, thread->hits + HITS_MAX / 2,
			HITS_MAX / 2 * sizeof(*thread->hits));
		thread->count = HITS_MAX / 2;
	}
	if (vector_grow(&thread->hits, thread->count, sizeof(*thread->hits)))
		return -ENOMEM;
	*ret = &thread->hits[thread->count++];
	**ret = (struct deep_hit){.ip = ip, .seq = head->seq, .switches = head->switches};
	return 0;
}

/*
 * Does the newest branch not lead to the code right before the hit? If a breakpoint is hit in a
 * kprobe's handler, the LBR stops, our program does not run, and nothing starts the LBR again. The
 * next hit then has the branches of that time.
 */
static bool is_stale(const struct why_point *event)
{
	uint64_t to = event->branches[0].to;

	return event->count && (to > event->ip || event->ip - to > STRAIGHT_MAX);
}

static int add_point(struct deep_hits *hits, const struct why_point *event)
{
	struct deep_hit *hit;

	if (add_hit(hits, &event->head, event->call, event->ip, &hit))
		return -ENOMEM;
	hits->points++;
	memcpy(hit->regs, event->regs, sizeof(hit->regs));
	hit->top = event->top;
	if (is_stale(event))
		hit->record.end = DEEP_END_STALE;
	else
		deep_record_make(hits->code, event->branches, event->count, &hit->record);
	return 0;
}

/* Keep what the thread hit since the call began. */
static int end_call(struct deep_hits *hits, const struct why_failed *failed)
{
	struct deep_thread *thread = find_thread(hits, failed->head.tid);
	struct deep_call call = {.seq = failed->head.seq};

	if (!thread || !thread->count || thread->last_ns < failed->begin_ns)
		return 0;
	/* All calls that execute the place are reported: keep those with a hit that counts. */
	if (hits->place && !deep_place_newest(hits->place, thread->hits, thread->count))
		return 0;
	call.count = thread->count;
	call.hits = calloc(call.count, sizeof(*call.hits));
	if (!call.hits)
		return -ENOMEM;
	memcpy(call.hits, thread->hits, call.count * sizeof(*call.hits));
	if (hits->call_count == CALLS_MAX) {
		free(hits->calls[0].hits);
		memmove(hits->calls, hits->calls + 1, --hits->call_count * sizeof(*hits->calls));
	} else if (vector_grow(&hits->calls, hits->call_count, sizeof(*hits->calls))) {
		free(call.hits);
		return -ENOMEM;
	}
	hits->calls[hits->call_count++] = call;
	return 0;
}

int deep_hits_add(struct deep_hits *hits, const struct why_event *event)
{
	const struct why_passed *passed = (const struct why_passed *)event;
	struct deep_hit *hit;

	if (event->kind == WHY_PASSED) {
		if (add_hit(hits, event, passed->call, passed->ip, &hit))
			return -ENOMEM;
		memcpy(hit->regs, passed->regs, sizeof(hit->regs));
		/* A hit with the address there can be the end of the path: deep_place.c. */
		hit->regs[PTREG_IP] = 0;
		hit->top = passed->top;
		return 0;
	}
	if (event->kind == WHY_POINT)
		return add_point(hits, (const struct why_point *)event);
	if (event->kind == WHY_FAILED)
		return end_call(hits, (const struct why_failed *)event);
	return 0;
}

const struct deep_hit *deep_hits_of(const struct deep_hits *hits, uint64_t seq, size_t *ret_count)
{
	for (size_t i = 0; i < hits->call_count; i++)
		if (hits->calls[i].seq == seq) {
			*ret_count = hits->calls[i].count;
			return hits->calls[i].hits;
		}
	return NULL;
}

bool deep_hits_in_open_call(const struct deep_hits *hits)
{
	for (size_t i = 0; i < hits->thread_count; i++)
		if (deep_place_newest(hits->place, hits->threads[i].hits, hits->threads[i].count))
			return true;
	return false;
}

void deep_hits_clear(struct deep_hits *hits)
{
	for (size_t i = 0; i < hits->call_count; i++)
		free(hits->calls[i].hits);
	for (size_t i = 0; i < hits->thread_count; i++)
		free(hits->threads[i].hits);
	free(hits->calls);
	free(hits->threads);
	*hits = (struct deep_hits){.code = hits->code, .place = hits->place};
}
