/* SPDX-License-Identifier: GPL-2.0 */
/* errmsg_queue.h - what a library has to tell later, when its caller asks; none hides another */
#ifndef LBRSNOOP_UTIL_ERRMSG_QUEUE_H
#define LBRSNOOP_UTIL_ERRMSG_QUEUE_H

#include <stddef.h>

#include "util/errmsg.h"

/* Messages kept until somebody asks: 64 KiB. */
#define ERRMSG_QUEUE_MAX 64

/**
 * struct errmsg_queue - zeroed is empty
 * @left_out: messages there was no room for, reported as a number
 */
struct errmsg_queue {
	struct errmsg *items;
	size_t count;
	size_t next;
	size_t left_out;
};

/** errmsg_queue_add() - append a message */
void errmsg_queue_add(struct errmsg_queue *queue, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * errmsg_queue_next() - take the oldest
 * Return: its text, good until the next call; NULL: there is none, and the next one added is the
 * first again.
 */
const char *errmsg_queue_next(struct errmsg_queue *queue);

/** errmsg_queue_deinit() - free what is left */
void errmsg_queue_deinit(struct errmsg_queue *queue);

#endif
