// SPDX-License-Identifier: GPL-2.0
#include "util/errmsg_queue.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void errmsg_queue_add(struct errmsg_queue *queue, const char *fmt, ...)
{
	struct errmsg *msg;
	va_list args;

	if (!queue->items)
		queue->items = calloc(ERRMSG_QUEUE_MAX + 1, sizeof(*queue->items));
	if (!queue->items || queue->count == ERRMSG_QUEUE_MAX) {
		queue->left_out++;
		return;
	}
	msg = &queue->items[queue->count++];
	va_start(args, fmt);
	vsnprintf(msg->text, sizeof(msg->text), fmt, args);
	va_end(args);
}

const char *errmsg_queue_next(struct errmsg_queue *queue)
{
	struct errmsg *last;

	if (queue->next < queue->count)
		return queue->items[queue->next++].text;
	queue->next = queue->count = 0;
	if (!queue->left_out)
		return NULL;
	if (!queue->items) {
		queue->left_out = 0;
		return "out of memory: messages are missing here";
	}
	last = &queue->items[ERRMSG_QUEUE_MAX];
	snprintf(last->text, sizeof(last->text), "%zu more messages like these are left out",
		 queue->left_out);
	queue->left_out = 0;
	return last->text;
}

void errmsg_queue_deinit(struct errmsg_queue *queue)
{
	free(queue->items);
	*queue = (struct errmsg_queue){0};
}
