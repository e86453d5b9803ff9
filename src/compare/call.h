/* SPDX-License-Identifier: GPL-2.0 */
/* call.h - a snapshot as a call that is to be ranked: what it returned, and its decisions */
#ifndef LBRSNOOP_COMPARE_CALL_H
#define LBRSNOOP_COMPARE_CALL_H

#include <stdbool.h>

#include "compare/conditions.h"
#include "compare/ranking.h"
#include "path/path.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * struct call_taker - who takes a call
 * @call: it begins. 0; -ENOENT: it is not wanted; another negative errno
 * @decision: one of it, oldest first; strings are valid during the call. 0 or negative errno
 * @end: it is complete; NULL: nobody has to know
 * @base: run-time address that @rel counts from; of _stext, or 0 where all calls are of one boot
 * @conditions: of the kernel's build, borrowed
 * @lines: where names of the source are, at this call's addresses; NULL: there are none
 */
struct call_taker {
	int (*call)(void *ctx, const struct ranking_call *call);
	int (*decision)(void *ctx, const struct ranking_decision *decision);
	void (*end)(void *ctx);
	void *ctx;
	uint64_t base;
	struct conditions *conditions;
	conditions_lines_fn *lines;
};

/** call_function() - the function that a snapshot is of: where its trigger stands; "?" */
const char *call_function(const struct snapshot *snap);

/**
 * call_of_snapshot() - hand a call on
 * @path: of the snapshot
 * @symbols: of the kernel that it was taken on
 * @failing: it is one of the failing calls
 * Return: 0, also where it is not wanted; -ENOMEM; negative errno of @to.
 */
int call_of_snapshot(const struct snapshot *snap, const struct path *path, struct symbols *symbols,
		     bool failing, const struct call_taker *to);

/**
 * call_without_path() - hand on a call of which nothing but its arguments is known
 * @snap: without a path
 * Return: as call_of_snapshot(); -ENODATA: it has no arguments, either.
 */
int call_without_path(const struct snapshot *snap, bool failing, const struct call_taker *to);

/**
 * call_path() - the path of a snapshot that can be ranked
 * Return: path_free(); NULL, and @ret_err is 0 if it has none, or -ENOMEM.
 */
struct path *call_path(const struct snapshot *snap, struct symbols *symbols,
		       const struct text_source *text, int *ret_err);

#endif
