// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "count/path_counts.h"

static bool no_memory;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	return no_memory ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return no_memory ? NULL : __real_realloc(old, size);
}

/** struct named - what a caller keeps of a path */
struct named {
	struct path_count taken;
	char *name;
};

static void free_name(void *path)
{
	free(((struct named *)path)->name);
}

static struct named *take(struct path_counts *counts, uint64_t ident, uint64_t count,
			  uint64_t ts_ns)
{
	struct named *found = path_counts_find(counts, ident);
	struct named made = {.taken = {.ident = ident, .err = 2}};

	if (!found && !path_counts_full(counts)) {
		made.name = strdup("path");
		assert_non_null(made.name);
		found = path_counts_new(counts, &made.taken);
		assert_non_null(found);
	}
	path_counts_add(counts, found ? &found->taken : NULL, count, ts_ns);
	return found;
}

static void path_counts_add_counts_and_keeps_first_and_last(void **state)
{
	struct path_counts counts = {.size = sizeof(struct named)};
	struct named *path;

	(void)state;
	take(&counts, 7, 1, 500);
	take(&counts, 8, 4, 100);
	take(&counts, 7, 1, 300);
	path = take(&counts, 7, 1, 400);
	assert_int_equal(path->taken.count, 3);
	assert_int_equal(path->taken.first_ns, 300);
	assert_int_equal(path->taken.last_ns, 500);
	assert_int_equal(path->taken.err, 2);
	assert_string_equal(path->name, "path");
	assert_int_equal(counts.paths.count, 2);
	assert_int_equal(counts.snapshots, 7);
	path_counts_deinit(&counts, free_name);
}

static void path_counts_sorted_order_is_one(void **state)
{
	/* ident, count, time, in the order that is expected */
	static const uint64_t paths[][3] = {{9, 5, 30}, {4, 2, 10}, {3, 2, 20}, {5, 2, 20}};

	(void)state;
	for (size_t first = 0; first < 4; first++) {
		struct path_counts counts = {.size = sizeof(struct named)};
		void **order;

		for (size_t i = 0; i < 4; i++) {
			const uint64_t *path = paths[(first + i) % 4];

			take(&counts, path[0], path[1], path[2]);
		}
		order = path_counts_sorted(&counts);
		assert_non_null(order);
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(((struct named *)order[i])->taken.ident, paths[i][0]);
		free(order);
		path_counts_deinit(&counts, free_name);
	}
}

static void path_counts_add_too_many_are_left_out(void **state)
{
	struct path_counts counts = {.size = sizeof(struct named)};

	(void)state;
	for (uint64_t i = 0; i < PATH_COUNTS_MAX; i++)
		assert_non_null(take(&counts, i << 20 | i, 1, 0));
	assert_null(take(&counts, 1, 3, 0));
	assert_int_equal(take(&counts, 0, 1, 0)->taken.count, 2);
	assert_int_equal(counts.paths.count, PATH_COUNTS_MAX);
	assert_int_equal(counts.left_out, 3);
	assert_int_equal(counts.snapshots, PATH_COUNTS_MAX + 4);
	path_counts_clear(&counts, free_name);
	assert_int_equal(counts.left_out, 0);
	assert_int_equal(counts.snapshots, 0);
	assert_null(path_counts_find(&counts, 0));
	assert_int_equal(take(&counts, 1, 3, 0)->taken.count, 3);
	path_counts_deinit(&counts, free_name);
}

static void path_counts_new_no_memory_knows_no_path(void **state)
{
	struct path_counts counts = {.size = sizeof(struct named)};
	struct named made = {.taken = {.ident = 1}};

	(void)state;
	no_memory = true;
	assert_null(path_counts_new(&counts, &made.taken));
	assert_null(path_counts_sorted(&counts));
	no_memory = false;
	assert_null(path_counts_find(&counts, 1));
	assert_int_equal(take(&counts, 1, 1, 0)->taken.count, 1);
	path_counts_deinit(&counts, free_name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_counts_add_counts_and_keeps_first_and_last),
		cmocka_unit_test(path_counts_sorted_order_is_one),
		cmocka_unit_test(path_counts_add_too_many_are_left_out),
		cmocka_unit_test(path_counts_new_no_memory_knows_no_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
