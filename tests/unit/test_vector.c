// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/vector.h"

static bool no_memory;
static size_t room_bytes;

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size)
{
	void *now = no_memory ? NULL : __real_realloc(old, size);

	if (now)
		room_bytes = size;
	return now;
}

static void vector_grow_each_element_has_room(void **state)
{
	uint32_t *items = NULL;

	(void)state;
	for (size_t count = 0; count < 5000; count++) {
		assert_int_equal(vector_grow(&items, count, sizeof(*items)), 0);
		assert_true(room_bytes >= (count + 1) * sizeof(*items));
		items[count] = (uint32_t)count;
	}
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(items[i], i);
	free(items);
}

/* Elements go, and others come in their place. */
static void vector_grow_after_fewer_elements_has_room(void **state)
{
	uint32_t *items = NULL;
	size_t count = 0;

	(void)state;
	for (int round = 1; round < 200; round++) {
		for (int i = 0; i < round; i++) {
			assert_int_equal(vector_grow(&items, count, sizeof(*items)), 0);
			assert_true(room_bytes >= (count + 1) * sizeof(*items));
			items[count++] = 1;
		}
		count -= (size_t)round / 2;
	}
	free(items);
}

static void vector_grow_no_memory_changes_nothing(void **state)
{
	uint32_t *items = NULL, *before;

	(void)state;
	for (size_t count = 0; count < 8; count++) {
		assert_int_equal(vector_grow(&items, count, sizeof(*items)), 0);
		items[count] = (uint32_t)count;
	}
	before = items;
	no_memory = true;
	assert_int_equal(vector_grow(&items, 8, sizeof(*items)), -ENOMEM);
	no_memory = false;
	assert_ptr_equal(items, before);
	assert_int_equal(items[7], 7);
	free(items);
}

static void vector_grow_too_large_is_no_memory(void **state)
{
	char *items = NULL;

	(void)state;
	assert_int_equal(vector_grow(&items, (size_t)1 << 62, 16), -ENOMEM);
	assert_int_equal(vector_grow(&items, (size_t)1 << 63, 1), -ENOMEM);
	assert_null(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vector_grow_each_element_has_room),
		cmocka_unit_test(vector_grow_after_fewer_elements_has_room),
		cmocka_unit_test(vector_grow_no_memory_changes_nothing),
		cmocka_unit_test(vector_grow_too_large_is_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
