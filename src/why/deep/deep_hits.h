/* SPDX-License-Identifier: GPL-2.0 */
/* deep_hits.h - gathers the hits of breakpoints and kprobes by the call that they were in */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_HITS_H
#define LBRSNOOP_WHY_DEEP_DEEP_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why/deep/deep_place.h"

struct deep_call;
struct deep_thread;

/**
 * struct deep_hits - of one run; begin with @code and @place set and the rest zero
 * @code: borrowed
 * @place: or NULL; only calls are kept in which a hit counts (borrowed)
 * @calls: that failed, the newest last
 * @threads: that hit something, each with the hits of its newest call
 * @points: how many WHY_POINT events came
 */
struct deep_hits {
	const struct deep_code *code;
	const struct deep_place *place;
	struct deep_call *calls;
	size_t call_count;
	struct deep_thread *threads;
	size_t thread_count;
	size_t points;
};

/** deep_hits_add() - take an event; ignores events of other kinds; 0; -ENOMEM */
int deep_hits_add(struct deep_hits *hits, const struct why_event *event);

/**
 * deep_hits_of() - the hits of one failed call, oldest first
 * @seq: of its event
 * Return: NULL if it had none.
 */
const struct deep_hit *deep_hits_of(const struct deep_hits *hits, uint64_t seq, size_t *ret_count);

/**
 * deep_hits_in_open_call() - has a call that did not end a hit that counts?
 * Ask only if @place is set, and no call that ended has such a hit.
 */
bool deep_hits_in_open_call(const struct deep_hits *hits);

/** deep_hits_clear() - free all; @code and @place stay */
void deep_hits_clear(struct deep_hits *hits);

#endif
