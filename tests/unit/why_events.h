/* SPDX-License-Identifier: GPL-2.0 */
/* why_events.h - made-up events of "lbrsnoop why": calls that failed, messages, ends of processes
 */
#ifndef LBRSNOOP_TESTS_WHY_EVENTS_H
#define LBRSNOOP_TESTS_WHY_EVENTS_H

#include <stdlib.h>
#include <string.h>

#include "why/failures.h"

static uint64_t next_seq;

/* A call whose argument @arg is @path; NULL: of none is anything known. */
static inline void failed_via(struct failures *failures, uint32_t tgid, enum why_via via,
			      uint32_t nr, uint32_t err, const char *path, size_t arg)
{
	struct why_failed *event = calloc(1, sizeof(*event));

	assert_non_null(event);
	event->head.kind = WHY_FAILED;
	event->head.seq = next_seq++;
	event->head.tgid = event->head.tid = tgid;
	event->via = via;
	event->err = err;
	event->call.nr = nr;
	if (path) {
		event->call.args[arg] = 0x1000;
		event->call.blobs[arg].status = SYSCALL_BLOB_READ;
		event->call.blobs[arg].len = strlen(path);
		memcpy(event->call.bytes[arg], path, strlen(path));
	}
	assert_int_equal(failures_add(failures, &event->head), 0);
	free(event);
}

static inline void failed(struct failures *failures, uint32_t tgid, uint32_t nr, uint32_t err,
			  const char *path, size_t arg)
{
	failed_via(failures, tgid, WHY_VIA_SYSCALL, nr, err, path, arg);
}

static inline void said(struct failures *failures, uint32_t tgid, const char *text)
{
	struct why_said event = {.head.kind = WHY_SAID, .len = strlen(text)};

	event.head.seq = next_seq++;
	event.head.tgid = tgid;
	memcpy(event.bytes, text, strlen(text));
	assert_int_equal(failures_add(failures, &event.head), 0);
}

/* @code: as waitpid() gives it */
static inline void ended(struct failures *failures, uint32_t tgid, uint32_t code)
{
	struct why_exited event = {.head.kind = WHY_EXITED, .code = code};

	event.head.seq = next_seq++;
	event.head.tgid = tgid;
	assert_int_equal(failures_add(failures, &event.head), 0);
}

#endif
