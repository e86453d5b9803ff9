// SPDX-License-Identifier: GPL-2.0
#include "export/capture_queue.h"

#include <string.h>

bool capture_queue_full(const struct capture_queue *queue, uint64_t most)
{
	return queue->count == CAPTURE_QUEUE_MAX || queue->bytes + most > CAPTURE_QUEUE_BYTES;
}

struct capture_waiting *capture_queue_find(struct capture_queue *queue, uint64_t ident)
{
	for (size_t i = 0; i < queue->count; i++)
		if (queue->items[i].ident == ident)
			return &queue->items[i];
	return NULL;
}

void capture_queue_add(struct capture_queue *queue, uint64_t ident, struct capture_field *capture)
{
	queue->items[queue->count++] = (struct capture_waiting){ident, *capture};
	queue->bytes += capture_field_len(capture);
	*capture = (struct capture_field){};
}

void capture_queue_remove(struct capture_queue *queue, struct capture_waiting *item)
{
	size_t behind = (size_t)(queue->items + queue->count - item) - 1;

	queue->bytes -= capture_field_len(&item->capture);
	capture_field_deinit(&item->capture);
	memmove(item, item + 1, behind * sizeof(*item));
	queue->count--;
}

void capture_queue_deinit(struct capture_queue *queue)
{
	while (queue->count)
		capture_queue_remove(queue, &queue->items[queue->count - 1]);
}
