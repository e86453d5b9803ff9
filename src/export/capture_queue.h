/* SPDX-License-Identifier: GPL-2.0 */
/* capture_queue.h - captures of paths that a budget has not let leave yet */
#ifndef LBRSNOOP_EXPORT_CAPTURE_QUEUE_H
#define LBRSNOOP_EXPORT_CAPTURE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/capture_field.h"

#define CAPTURE_QUEUE_MAX   256
#define CAPTURE_QUEUE_BYTES (4u << 20)

/** struct capture_waiting - of the path @ident */
struct capture_waiting {
	uint64_t ident;
	struct capture_field capture;
};

/** struct capture_queue - oldest first; {0} is an empty one */
struct capture_queue {
	struct capture_waiting items[CAPTURE_QUEUE_MAX];
	size_t count;
	size_t bytes;
};

/** capture_queue_full() - is there no room for one of any size that is allowed? */
bool capture_queue_full(const struct capture_queue *queue, uint64_t most);

/** capture_queue_find() - that of a path, or NULL; valid until one is added or removed */
struct capture_waiting *capture_queue_find(struct capture_queue *queue, uint64_t ident);

/** capture_queue_add() - takes @capture, of a path that has none in it; the queue is not full */
void capture_queue_add(struct capture_queue *queue, uint64_t ident, struct capture_field *capture);

/** capture_queue_remove() - free one */
void capture_queue_remove(struct capture_queue *queue, struct capture_waiting *item);

/** capture_queue_deinit() - free all */
void capture_queue_deinit(struct capture_queue *queue);

#endif
