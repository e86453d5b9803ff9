// SPDX-License-Identifier: GPL-2.0
#include "count/path_counts.h"

#include <stdlib.h>

static bool is_path(const void *element, const void *key)
{
	return ((const struct path_count *)element)->ident == *(const uint64_t *)key;
}

static void *path_at(const struct path_counts *counts, size_t i)
{
	return (char *)counts->paths.items + i * counts->size;
}

/* An ident is a hash already. */
void *path_counts_find(const struct path_counts *counts, uint64_t ident)
{
	return hash_table_find(&counts->paths, counts->size, (uint32_t)ident, is_path, &ident);
}

bool path_counts_full(const struct path_counts *counts)
{
	return counts->paths.count >= PATH_COUNTS_MAX;
}

void *path_counts_new(struct path_counts *counts, const struct path_count *path)
{
	struct path_count *copy =
		hash_table_add(&counts->paths, counts->size, (uint32_t)path->ident, path);

	if (copy) {
		copy->count = 0;
		copy->first_ns = UINT64_MAX;
		copy->last_ns = 0;
	}
	return copy;
}

void path_counts_add(struct path_counts *counts, struct path_count *path, uint64_t count,
		     uint64_t ts_ns)
{
	counts->snapshots = count_sum(counts->snapshots, count);
	if (!path) {
		counts->left_out = count_sum(counts->left_out, count);
		return;
	}
	path->count = count_sum(path->count, count);
	if (ts_ns < path->first_ns)
		path->first_ns = ts_ns;
	if (ts_ns > path->last_ns)
		path->last_ns = ts_ns;
}

static int compare(const void *a, const void *b)
{
	const struct path_count *const *x = a, *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count > (*y)->count ? -1 : 1;
	if ((*x)->first_ns != (*y)->first_ns)
		return (*x)->first_ns < (*y)->first_ns ? -1 : 1;
	return (*x)->ident < (*y)->ident ? -1 : (*x)->ident > (*y)->ident;
}

void **path_counts_sorted(const struct path_counts *counts)
{
	void **order = calloc(counts->paths.count + 1, sizeof(void *));

	for (size_t i = 0; order && i < counts->paths.count; i++)
		order[i] = path_at(counts, i);
	if (order)
		qsort(order, counts->paths.count, sizeof(void *), compare);
	return order;
}

void path_counts_clear(struct path_counts *counts, void (*destroy)(void *path))
{
	for (size_t i = 0; i < counts->paths.count; i++)
		destroy(path_at(counts, i));
	hash_table_clear(&counts->paths);
	counts->snapshots = counts->lost = counts->left_out = 0;
}

void path_counts_deinit(struct path_counts *counts, void (*destroy)(void *path))
{
	path_counts_clear(counts, destroy);
	hash_table_deinit(&counts->paths);
}
