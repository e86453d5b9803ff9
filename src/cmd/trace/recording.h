/* SPDX-License-Identifier: GPL-2.0 */
/* recording.h - the capture files of a trace: one after the other, none too large */
#ifndef LBRSNOOP_CMD_TRACE_RECORDING_H
#define LBRSNOOP_CMD_TRACE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "capfile/recorder.h"
#include "util/errmsg.h"

struct recording;

/**
 * struct recording_options - borrowed until recording_close()
 * @recorder: for each file
 * @max_bytes: of a file, after which the next begins; 0: no limit
 * @max_files: of all, the newest included: FILE, FILE.1 (the one before it), FILE.2, ...
 */
struct recording_options {
	struct recorder_options recorder;
	uint64_t max_bytes;
	uint32_t max_files;
};

/**
 * recording_open() - start the first file
 * With @max_bytes a FILE with snapshots that is there already becomes FILE.1, and so on.
 * Return: 0, or negative errno with @msg.
 */
int recording_open(const struct recording_options *opts, struct recording **ret,
		   struct errmsg *msg);

/**
 * recording_add() - write a snapshot
 * @text_read_again: the text was forgotten since the last one: text_live_invalidate()
 * @lost: events lost since the one before
 * Return: 0; negative errno, recording_error() says it.
 */
int recording_add(struct recording *recording, const struct snapshot *snap, bool text_read_again,
		  uint64_t lost);

/** recording_flush() - what was added survives our death; begins the next file if it is time */
int recording_flush(struct recording *recording);

/** recording_reopen() - end the file, begin another of the same name: somebody has moved it away */
int recording_reopen(struct recording *recording);

/** recording_count() - snapshots in all files; @ret_bytes, if not NULL: size of the newest */
uint64_t recording_count(const struct recording *recording, uint64_t *ret_bytes);

/** recording_error() - what failed */
const char *recording_error(const struct recording *recording);

/** recording_close() - end the file; NULL is fine; 0, or negative errno with @msg */
int recording_close(struct recording *recording, uint64_t lost, struct errmsg *msg);

#endif
