/* SPDX-License-Identifier: GPL-2.0 */
/*
 * finding.h - what of a snapshot leaves the host, and each path counted
 *
 * What a user has written is not in it: no argument of a call, no name of a file, no command line,
 * no register, no line of the kernel's log. The name of the task is only if that was asked for.
 */
#ifndef LBRSNOOP_EXPORT_FINDING_H
#define LBRSNOOP_EXPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/path_counts.h"
#include "path/path.h"
#include "snapshot/snapshot.h"
#include "symbolize/build_id.h"
#include "symbolize/dwarf.h"
#include "symbolize/symbolize.h"

#define FINDING_NAME_BYTES  128
#define FINDING_PLACE_BYTES 256

/**
 * struct finding_kernel - the kernel that snapshots are of; all borrowed
 * @lines: its debug information, or NULL
 * @release: "" if it is not known
 * @host: name of its machine, or NULL
 */
struct finding_kernel {
	struct symbols *symbols;
	struct lines *lines;
	const struct build_id *build_id;
	const char *release;
	const char *host;
};

/**
 * struct finding_path - one path
 * @function: that was traced, or the target where that is no function; of a program: without the
 *            program's name
 * @origin: of the instruction that made the errno: "fs/namei.c:3669", or "may_open+0x12" where
 *          there are no source lines; "" if it is not in the record
 * @origin_function: that this is in; "" if it is not known
 * @sink_ns, @sink_count: for whoever sends it: when it did last, and how many it told of
 */
struct finding_path {
	struct path_count taken;
	char *function;
	char *origin;
	char *origin_function;
	char *build_id;
	char *release;
	char *model;
	uint64_t sink_ns;
	uint64_t sink_count;
};

/**
 * struct finding - one snapshot; borrowed from it, its kernel and its path
 * @path: NULL: there are too many paths, this one is only counted
 * @lost: events lost before it
 */
struct finding {
	const struct snapshot *snap;
	const struct finding_kernel *kernel;
	struct finding_path *path;
	uint64_t lost;
};

struct findings;

/** findings_create() - an empty table; NULL if there is no memory; findings_destroy() */
struct findings *findings_create(void);

/** findings_destroy() - free; NULL is fine */
void findings_destroy(struct findings *findings);

/** findings_know() - is the path known? Then findings_add() needs none. */
bool findings_know(const struct findings *findings, uint64_t ident);

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

/** finding_errno() - "ENOENT", a number where it has no name; "" if it is no error; @buf: 24 bytes
 */
const char *finding_errno(const struct finding_path *path, char *buf);

#endif
