/* SPDX-License-Identifier: GPL-2.0 */
/*
 * journal.h - findings for journald, through libsystemd, which is loaded when it is needed
 *
 * A path is sent in full when it is first seen, and again when an hour has passed; each message has
 * the number of snapshots since the one before, so that the sum of them is exact. What has not been
 * told at the end goes into short messages. Fields: docs/PRODUCTION.md.
 */
#ifndef LBRSNOOP_EXPORT_JOURNAL_H
#define LBRSNOOP_EXPORT_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "export/finding.h"
#include "export/quota.h"
#include "util/errmsg.h"

/* A path in full; a number of further snapshots. Made by chance; packaging/lbrsnoop.catalog
 * explains them.
 */
#define JOURNAL_ID_PATH	 "0fa067c5e94549c6bac266c297feb233"
#define JOURNAL_ID_COUNT "27577d07b258490283af9e243f8b5689"

#define JOURNAL_NO_LIBRARY "libsystemd.so.0 is not here; install it (Debian: libsystemd0)"
#define JOURNAL_STATIC                                                                             \
	"the static build cannot load libsystemd: use lbrsnoop of the Debian package, or of "      \
	"'make'"

/**
 * struct journal_options
 * @asked: how it was asked for, as errors call it: "--journal"; borrowed
 * @with_comm: the names of tasks, too
 * @live: the tasks may still be there: what unit and control group they are of is asked
 * @capture_bytes: the capture of a path goes with the message that has it in full, if it has so
 *                 many bytes at most; 0: none does
 */
struct journal_options {
	const char *asked;
	bool with_comm;
	bool live;
	uint64_t capture_bytes;
};

struct journal;

/**
 * journal_create() - prepare
 * Return: 0; -EOPNOTSUPP: no libsystemd; -ENOENT: no journald; -ENOMEM; with @msg.
 */
int journal_create(const struct journal_options *opts, struct journal **ret_journal,
		   struct errmsg *msg);

/**
 * journal_limit() - what leaves is within a quota from now on, and a journald that does not read is
 * waited for no longer than a second between two calls of journal_tell(), and five at the end
 * @quota: borrowed
 */
void journal_limit(struct journal *journal, struct quota *quota);

/** journal_add() - one finding; what cannot be sent is counted: journal_finish() tells */
void journal_add(struct journal *journal, const struct finding *finding);

/**
 * journal_pace() - send paths that wait with their captures, as far as the quota allows
 * To be called some times a second: a capture may take all that a second allows.
 */
void journal_pace(struct journal *journal, const struct findings *findings, uint64_t now_ns);

/** struct journal_captures_sent - messages with a path in full: with a capture, and without one */
struct journal_captures_sent {
	uint64_t sent;
	uint64_t left_out;
};

/** journal_captures() - by now */
struct journal_captures_sent journal_captures(const struct journal *journal);

/**
 * journal_tell() - send what has not been told yet, the most frequent paths first
 * What the quota does not allow, and what is not taken, waits for the next call.
 * Return: 0; negative errno with @msg: some messages were not taken.
 */
int journal_tell(struct journal *journal, const struct findings *findings, uint64_t now_ns,
		 struct errmsg *msg);

/**
 * journal_finish() - the same, at the end: what still waits behind it is told as left out
 * Return: 0; negative errno, with @msg, if messages were not taken: at any time, or, of those that
 * journal_limit() was for, now.
 */
int journal_finish(struct journal *journal, const struct findings *findings, struct errmsg *msg);

/** journal_destroy() - free; NULL is fine */
void journal_destroy(struct journal *journal);

/**
 * journal_unit_of() - the systemd unit that a control group is of
 * @cgroup: "/system.slice/a.service/b"
 * Return: @buf, "a.service"; "" if there is none.
 */
const char *journal_unit_of(const char *cgroup, char *buf, size_t len);

#endif
