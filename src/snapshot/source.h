/* SPDX-License-Identifier: GPL-2.0 */
/*
 * source.h - where events come from: the ring buffer, a capture file, a flight recorder
 *
 * Behind this interface nothing knows which of them it is.
 */
#ifndef LBRSNOOP_SNAPSHOT_SOURCE_H
#define LBRSNOOP_SNAPSHOT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

struct symbols;

/**
 * struct source_ops - what a source can do; each but @next may be NULL
 * @next: the next event. 1; 0 at the end; negative errno. @ret_lost: events lost before it. NULL:
 * the source hands events on as they come
 * @position: how far it got, of @ret_size; both 0 where nobody knows
 * @prepare: called before names and text are asked for. A live source reads what is gone later. May
 * text or symbols differ from those of the event before? NULL: never
 * @needs_class: is the event to be classified although no sink asks for it? Changes nothing
 * @classified: called when the event is classified. A live source repairs what makes it stale
 */
struct source_ops {
	int (*next)(void *ctx, struct snapshot *ret_snap, uint64_t *ret_lost);
	uint64_t (*position)(void *ctx, uint64_t *ret_size);
	bool (*prepare)(void *ctx, struct snapshot *snap);
	bool (*needs_class)(const void *ctx, const struct snapshot *snap);
	void (*classified)(void *ctx, const struct snapshot *snap);
};

/**
 * struct source - one source
 * @ctx: handed to @ops
 * @symbols: of the kernel, and of the process, that the last event is of; borrowed
 * @text: of the same; .read is NULL if there is none
 * @raw_faults: faults of the kernel are still where the kernel tells of them
 */
struct source {
	const struct source_ops *ops;
	void *ctx;
	struct symbols *symbols;
	struct text_source text;
	bool raw_faults;
};

#endif
