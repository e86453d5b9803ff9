// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/hash_table.h"

/* The nth request for memory from now on fails; 0: none does. */
static unsigned int failing_request;

static bool fails(void)
{
	return failing_request && !--failing_request;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

struct pair {
	uint64_t key;
	uint64_t value;
};

static bool is_pair(const void *element, const void *key)
{
	return ((const struct pair *)element)->key == *(const uint64_t *)key;
}

static struct pair *find(const struct hash_table *table, uint32_t hash, uint64_t key)
{
	return hash_table_find(table, sizeof(struct pair), hash, is_pair, &key);
}

static struct pair *add(struct hash_table *table, uint32_t hash, uint64_t key, uint64_t value)
{
	struct pair pair = {.key = key, .value = value};

	return hash_table_add(table, sizeof(pair), hash, &pair);
}

static void hash_table_find_empty_finds_nothing(void **state)
{
	struct hash_table table = {0};

	(void)state;
	assert_null(find(&table, 0, 0));
	hash_table_clear(&table);
	hash_table_deinit(&table);
}

/* Keys far apart and next to each other, as addresses of pages are. */
static void hash_table_add_many_finds_each_in_order(void **state)
{
	struct hash_table table = {0};
	const struct pair *pairs;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		assert_non_null(add(&table, hash_number(i << 12), i << 12, i));
	assert_int_equal(table.count, 20000);
	for (uint64_t i = 0; i < 20000; i++) {
		const struct pair *pair = find(&table, hash_number(i << 12), i << 12);

		assert_non_null(pair);
		assert_int_equal(pair->value, i);
		assert_null(find(&table, hash_number((i << 12) + 1), (i << 12) + 1));
	}
	pairs = table.items;
	for (uint64_t i = 0; i < 20000; i++)
		assert_int_equal(pairs[i].value, i);
	hash_table_deinit(&table);
	assert_null(find(&table, hash_number(0), 0));
}

/* UINT32_MAX: the last slot, from which the search goes on at the first. */
static void hash_table_add_same_hash_keeps_them_apart(void **state)
{
	static const uint32_t hashes[] = {0, 1, 63, UINT32_MAX};

	(void)state;
	for (size_t k = 0; k < sizeof(hashes) / sizeof(hashes[0]); k++) {
		struct hash_table table = {0};

		for (uint64_t i = 0; i < 200; i++)
			assert_non_null(add(&table, hashes[k], i, ~i));
		for (uint64_t i = 0; i < 200; i++)
			assert_int_equal(find(&table, hashes[k], i)->value, ~i);
		assert_null(find(&table, hashes[k], 200));
		assert_null(find(&table, hashes[k] ^ 0x10000, 0));
		hash_table_deinit(&table);
	}
}

static void hash_table_clear_finds_nothing_and_takes_again(void **state)
{
	struct hash_table table = {0};

	(void)state;
	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 1000; i++)
			assert_non_null(add(&table, hash_number(i), i, i + round));
		for (uint64_t i = 0; i < 1000; i++)
			assert_int_equal(find(&table, hash_number(i), i)->value, i + round);
		hash_table_clear(&table);
		assert_int_equal(table.count, 0);
		assert_null(find(&table, hash_number(1), 1));
	}
	hash_table_deinit(&table);
}

/* Both the elements and the index grow at some of these. */
static void hash_table_add_no_memory_changes_nothing(void **state)
{
	unsigned int failures = 0;

	(void)state;
	for (unsigned int nth = 1; nth <= 2; nth++) {
		struct hash_table table = {0};

		for (uint64_t i = 0; i < 1000; i++) {
			failing_request = nth;
			if (!add(&table, hash_number(i), i, i)) {
				failures++;
				assert_int_equal(table.count, i);
				assert_null(find(&table, hash_number(i), i));
				failing_request = 0;
				assert_non_null(add(&table, hash_number(i), i, i));
			}
			failing_request = 0;
			for (uint64_t k = 0; k <= i; k++)
				assert_int_equal(find(&table, hash_number(k), k)->value, k);
		}
		hash_table_deinit(&table);
	}
	assert_true(failures >= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_table_find_empty_finds_nothing),
		cmocka_unit_test(hash_table_add_many_finds_each_in_order),
		cmocka_unit_test(hash_table_add_same_hash_keeps_them_apart),
		cmocka_unit_test(hash_table_clear_finds_nothing_and_takes_again),
		cmocka_unit_test(hash_table_add_no_memory_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
