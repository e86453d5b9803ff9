/* SPDX-License-Identifier: GPL-2.0 */
/* summary.h - identical paths counted once: what a long run comes to */
#ifndef LBRSNOOP_RENDER_SUMMARY_H
#define LBRSNOOP_RENDER_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "path/path.h"
#include "render/branch_list.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

struct summary;

/** struct summary_options - @top: rows printed, the others are counted */
struct summary_options {
	uint32_t top;
	bool json;
	bool color;
};

/** summary_create() - an empty one; NULL if there is no memory; summary_destroy() */
struct summary *summary_create(const struct summary_options *opts);

/** summary_destroy() - free; NULL is fine */
void summary_destroy(struct summary *summary);

/**
 * summary_find() - is a path known already?
 * Return: true if so: summary_add() needs no @path then.
 */
bool summary_find(struct summary *summary, uint64_t ident);

/**
 * summary_add() - count a snapshot
 * Memory is bounded: beyond 65,536 paths, and beyond 16 processes and 16 machines of a path,
 * further ones are only counted.
 * @ident: by path_ident()
 * @path: rebuilt from it, or NULL: tells where the error was made, when it is the first
 * @symbols: of the kernel that it is of
 * @host: name of the machine that it is of, or NULL
 * @lost: events lost since the one before
 * Return: 0; -ENOMEM.
 */
int summary_add(struct summary *summary, const struct snapshot *snap, uint64_t ident,
		const struct path *path, struct symbols *symbols, const char *host, uint64_t lost);

/**
 * struct summary_count - a path that somebody else has counted
 * @ts_ns: when it was taken, once at least
 * @function: that was traced; @kind: how it was armed; "" if not known
 * @err: positive errno, or 0
 * @error: where it was made, "" if not known
 * @host: or NULL
 */
struct summary_count {
	uint64_t ident;
	uint64_t count;
	uint64_t ts_ns;
	const char *function;
	const char *kind;
	int err;
	const char *error;
	const char *host;
};

/** summary_add_count() - add it; bounds as of summary_add(); 0, or -ENOMEM */
int summary_add_count(struct summary *summary, const struct summary_count *counted);

/**
 * summary_add_host() - there is this machine, whether a path of it is counted or not
 * A path that one machine alone has is marked where there are others. 0, or -ENOMEM.
 */
int summary_add_host(struct summary *summary, const char *host);

/** summary_add_lost() - events of which there is no snapshot; @left_out: snapshots of no path here
 */
void summary_add_lost(struct summary *summary, uint64_t lost, uint64_t left_out);

/**
 * summary_print() - a table, most frequent first; or a JSON line each, schema lbrsnoop.summary/1
 * Return: 0; -ENOMEM; -EIO if @out does not take it.
 */
int summary_print(struct summary *summary, FILE *out);

/** summary_forget() - begin anew: for the next interval */
void summary_forget(struct summary *summary);

#endif
