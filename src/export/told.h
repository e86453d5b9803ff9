/* SPDX-License-Identifier: GPL-2.0 */
/*
 * told.h - which paths were sent in full in the last hour, kept over runs of a service
 *
 * A file of lines, "PATH_ID SENDER NS\n": what was sent, to whom, and when. A line is appended at
 * once, so that a service that is killed has told of all but the last one; at the start, and when
 * most lines are old, the file is replaced as a whole. It has nothing of what users do: only
 * numbers of paths of the kernel. It is for root alone (mode 0600).
 */
#ifndef LBRSNOOP_EXPORT_TOLD_H
#define LBRSNOOP_EXPORT_TOLD_H

#include <stdint.h>

#include "util/errmsg.h"

#define TOLD_FILE "sent"

/* What is older is sent in full again. */
#define TOLD_NS (3600ull * 1000000000)

/* Of "journal", or "otlp-" and a number. */
#define TOLD_SENDER_BYTES 32

struct told;

/**
 * told_open() - read DIR/sent, and begin it anew without what is old
 * @dir: of root or ourselves, as the file has to be, and nobody else may write to either
 * @now_ns: CLOCK_REALTIME; what claims to be of later is old, too: the clock was set back
 * @ret_told: set on success: NULL if @dir is not fit; told_close()
 * @msg: set on success, too, if what is there cannot be used: paths are told in full again
 * Return: 0; -ENOMEM.
 */
int told_open(const char *dir, uint64_t now_ns, struct told **ret_told, struct errmsg *msg);

/** told_when() - when a path was sent in full last, CLOCK_REALTIME; 0: not in the last hour */
uint64_t told_when(const struct told *told, uint64_t ident, const char *sender);

/** told_note() - it was just now; what cannot be written waits for told_error() */
void told_note(struct told *told, uint64_t ident, const char *sender, uint64_t now_ns);

/**
 * told_error() - write what could not be written before, if there is something
 * Return: 0; negative errno with @msg.
 */
int told_error(struct told *told, uint64_t now_ns, struct errmsg *msg);

/** told_close() - free; NULL is fine */
void told_close(struct told *told);

#endif
