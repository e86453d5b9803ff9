/* SPDX-License-Identifier: GPL-2.0 */
/* summary.h - identical paths counted once: what a long run comes to */
#ifndef LBRSNOOP_RENDER_SUMMARY_H
#define LBRSNOOP_RENDER_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "path/path.h"
#include "render/text.h"
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
 * summary_print() - a table, most frequent first; or a JSON line each, schema lbrsnoop.summary/1
 * Return: 0; -ENOMEM; -EIO if @out does not take it.
 */
int summary_print(struct summary *summary, FILE *out);

/** summary_forget() - begin anew: for the next interval */
void summary_forget(struct summary *summary);

#endif
