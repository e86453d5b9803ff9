/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_counts.h - how often each path was taken
 *
 * Memory is bounded: snapshots of further paths are only counted.
 */
#ifndef LBRSNOOP_COUNT_PATH_COUNTS_H
#define LBRSNOOP_COUNT_PATH_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash_table.h"

#define PATH_COUNTS_MAX 65536u

/* JSON has no larger ones. Sums that would be, of what others have counted, stay there. */
#define COUNT_MOST ((uint64_t)INT64_MAX)

/** count_sum() - @a + @b, each at most COUNT_MOST, and so is the sum */
static inline uint64_t count_sum(uint64_t a, uint64_t b)
{
	return a > COUNT_MOST - b ? COUNT_MOST : a + b;
}

/**
 * struct path_count - one path: the first member of what a caller knows of it
 * @ident: by path_ident()
 * @count: snapshots
 * @first_ns, @last_ns: of the oldest and the newest of them, CLOCK_REALTIME
 * @err: positive errno, 0 if it was none
 * @kind: how it was armed; not freed
 */
struct path_count {
	uint64_t ident;
	uint64_t count;
	uint64_t first_ns;
	uint64_t last_ns;
	int err;
	const char *kind;
};

/**
 * struct path_counts - {.size = ...} is an empty one
 * @paths: elements of @size bytes, each begins with a struct path_count
 * @snapshots: all of them, those left out too
 * @lost: events of which there is no snapshot
 * @left_out: snapshots of paths beyond PATH_COUNTS_MAX
 */
struct path_counts {
	struct hash_table paths;
	size_t size;
	uint64_t snapshots;
	uint64_t lost;
	uint64_t left_out;
};

/** path_counts_find() - valid until the next path_counts_new(); NULL if it was not taken yet */
void *path_counts_find(const struct path_counts *counts, uint64_t ident);

/** path_counts_full() - no more paths: path_counts_add() takes NULL for others */
bool path_counts_full(const struct path_counts *counts);

/**
 * path_counts_new() - a path that was not taken yet
 * @path: of @counts->size bytes, copied; its ident, err and kind are set, its numbers need not be
 * Return: the copy, as of path_counts_find(), with a count of 0; NULL if there is no memory.
 */
void *path_counts_new(struct path_counts *counts, const struct path_count *path);

/** path_counts_add() - @count snapshots more, taken at @ts_ns; @path: NULL: they are left out */
void path_counts_add(struct path_counts *counts, struct path_count *path, uint64_t count,
		     uint64_t ts_ns);

/**
 * path_counts_sorted() - most frequent first, then the one taken first: whatever order they came in
 * Return: an array of @counts->paths.count elements that are not to be freed, it is; NULL if there
 * is no memory.
 */
void **path_counts_sorted(const struct path_counts *counts);

/**
 * path_counts_clear() - all at 0, no paths
 * @destroy: called for each path before; frees what it owns
 */
void path_counts_clear(struct path_counts *counts, void (*destroy)(void *path));

/** path_counts_deinit() - the same, and free the memory */
void path_counts_deinit(struct path_counts *counts, void (*destroy)(void *path));

#endif
