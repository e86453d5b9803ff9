/* SPDX-License-Identifier: GPL-2.0 */
/*
 * finding.h - what of a snapshot leaves the host, and each path counted
 *
 * What a user has written is not in it, nor in a capture of it (capture_field.h): no argument of a
 * call, no name of a file, no command line, no register, no line of the kernel's log. The name of
 * the task is only if that was asked for.
 */
#ifndef LBRSNOOP_EXPORT_FINDING_H
#define LBRSNOOP_EXPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/path_counts.h"
#include "export/told.h"
#include "path/path.h"
#include "snapshot/snapshot.h"
#include "symbolize/build_id.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"

struct capfile;

#define FINDING_NAME_BYTES  128
#define FINDING_PLACE_BYTES 256

/**
 * struct finding_kernel - the kernel that snapshots are of; all borrowed
 * @lines: its debug information, or NULL
 * @release: "" if it is not known
 * @host: name of its machine, or NULL
 * @text: its code, as it was at the snapshot
 * @file: capture file that the snapshots are of; NULL: they are of this machine
 */
struct finding_kernel {
	struct symbols *symbols;
	struct lines *lines;
	const struct build_id *build_id;
	const char *release;
	const char *host;
	const struct text_source *text;
	const struct capfile *file;
};

/* Who sends each path once an hour in full, and counts it otherwise. */
enum finding_sender { FINDING_JOURNAL, FINDING_OTLP, FINDING_SENDERS };

/** struct finding_sent - @ns: when it was sent in full last, 0: never; @count: snapshots told of */
struct finding_sent {
	uint64_t ns;
	uint64_t count;
};

/**
 * struct finding_memory - what is kept over runs of a service; {0}: nothing
 * @told: borrowed
 * @senders: their names there
 * @fresh: who gets a sender's messages has none of those before: all are sent in full
 */
struct finding_memory {
	struct told *told;
	char senders[FINDING_SENDERS][TOLD_SENDER_BYTES];
	bool fresh[FINDING_SENDERS];
};

/**
 * struct finding_path - one path
 * @function: that was traced, or the target where that is no function; of a program: without the
 *            program's name
 * @origin: of the instruction that made the errno: "fs/namei.c:3669", or "may_open+0x12" where
 *          there are no source lines; "" if it is not in the record
 * @origin_function: that this is in; "" if it is not known
 * @sent: what each sender has told of it
 * @metered: snapshots that metrics_write() has told of; @among_others: of these, in the number of
 *           the paths without a series
 * @memory: borrowed from its findings
 */
struct finding_path {
	struct path_count taken;
	char *function;
	char *origin;
	char *origin_function;
	char *build_id;
	char *release;
	char *model;
	struct finding_sent sent[FINDING_SENDERS];
	uint64_t metered;
	uint64_t among_others;
	const struct finding_memory *memory;
};

/**
 * struct finding - one snapshot; borrowed from it, its kernel and its path
 * @snap: NULL: it is of no snapshot in particular
 * @path: NULL: there are too many paths, this one is only counted
 * @lost: events lost before it
 * @count: snapshots that it tells of; 0: its own
 */
struct finding {
	const struct snapshot *snap;
	const struct finding_kernel *kernel;
	struct finding_path *path;
	uint64_t lost;
	uint64_t count;
};

struct findings;

/** findings_create() - an empty table; NULL if there is no memory; findings_destroy() */
struct findings *findings_create(void);

/** findings_remember() - begin with what was told before; no path is there yet; copied */
void findings_remember(struct findings *findings, const struct finding_memory *memory);

/** findings_destroy() - free; NULL is fine */
void findings_destroy(struct findings *findings);

/**
 * findings_add() - count a snapshot
 * @ident: by path_ident()
 * @path: rebuilt from it, or NULL
 * @lost: events lost since the one before
 * @ret_finding: set on success
 * Return: 0; -ENOMEM.
 */
int findings_add(struct findings *findings, const struct snapshot *snap, uint64_t ident,
		 const struct path *path, const struct finding_kernel *kernel, uint64_t lost,
		 struct finding *ret_finding);

/** findings_counts() - counted so far: elements are struct finding_path; borrowed */
const struct path_counts *findings_counts(const struct findings *findings);

/** findings_close() - no paths that are not known are added from now on, or they are again */
void findings_close(struct findings *findings, bool closed);

/** findings_wants_path() - is a path of this number to be rebuilt for findings_add()? */
bool findings_wants_path(const struct findings *findings, uint64_t ident);

/** findings_add_left_out() - snapshots that were captured, and that nobody has looked at */
void findings_add_left_out(struct findings *findings, uint64_t count);

/** findings_add_lost() - events of which there is no snapshot, and behind which none came */
void findings_add_lost(struct findings *findings, uint64_t lost);

/** finding_untold() - snapshots of a path that a sender has not told of yet */
uint64_t finding_untold(const struct finding_path *path, enum finding_sender sender);

/** finding_due() - is a path to be sent in full? @now_ns: CLOCK_REALTIME */
bool finding_due(const struct finding_path *path, enum finding_sender sender, uint64_t now_ns);

/** finding_told() - a sender has told of all snapshots of a path; @full: of the path, too */
void finding_told(struct finding_path *path, enum finding_sender sender, uint64_t now_ns,
		  bool full);

/** findings_untold() - snapshots of all paths that a sender has not told of yet */
uint64_t findings_untold(const struct findings *findings, enum finding_sender sender);

/** finding_errno() - "ENOENT", a number where it has no name; "" if it is no error; @buf: 24 bytes
 */
const char *finding_errno(const struct finding_path *path, char *buf);

#endif
