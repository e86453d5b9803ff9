// SPDX-License-Identifier: GPL-2.0
/* What is read ahead is the file, whole and in order, however little is kept and however it is
 * asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/prefetch.h"

#define FILE_BYTES (3u << 20) /* a dozen chunks */

static char path[] = "/tmp/lbrsnoop-ahead.XXXXXX";
static uint8_t content[FILE_BYTES];

static int setup(void **state)
{
	int fd = mkstemp(path);

	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (uint8_t)(i * 2654435761u >> 13);
	if (fd < 0 || write(fd, content, sizeof(content)) != (ssize_t)sizeof(content))
		return -1;
	return close(fd);
}

static int teardown(void **state)
{
	return unlink(path);
}

static void check_whole(size_t max_bytes, size_t piece)
{
	struct prefetch *ahead = prefetch_start(path, max_bytes);
	uint8_t *got = malloc(sizeof(content) + piece);
	size_t at = 0;
	ssize_t len;

	assert_non_null(ahead);
	while ((len = prefetch_read(ahead, got + at, piece)) > 0) {
		assert_true((size_t)len <= piece);
		at += (size_t)len;
		assert_true(at <= sizeof(content));
	}
	assert_int_equal(len, 0);
	assert_int_equal(prefetch_read(ahead, got, piece), 0);
	assert_int_equal(at, sizeof(content));
	assert_memory_equal(got, content, sizeof(content));
	free(got);
	prefetch_stop(ahead);
}

static void prefetch_read_whole_is_the_file(void **state)
{
	check_whole(FILE_BYTES * 2, 1u << 16);
	check_whole(FILE_BYTES * 2, 1000003);
}

static void prefetch_read_little_is_kept_is_the_file(void **state)
{
	check_whole(1, 77777);
}

static void prefetch_stop_in_the_middle_ends(void **state)
{
	uint8_t byte;

	for (size_t max = 1; max <= FILE_BYTES; max *= 64) {
		struct prefetch *ahead = prefetch_start(path, max);

		assert_non_null(ahead);
		assert_int_equal(prefetch_read(ahead, &byte, 1), 1);
		assert_int_equal(byte, content[0]);
		prefetch_stop(ahead);
		prefetch_stop(prefetch_start(path, max));
	}
	prefetch_stop(NULL);
}

static void prefetch_start_no_file_is_null(void **state)
{
	assert_null(prefetch_start("/nonexistent", 1));
}

/* A directory opens, and does not read. */
static void prefetch_read_directory_says_why(void **state)
{
	struct prefetch *ahead = prefetch_start("/tmp", 1);
	uint8_t byte;

	assert_non_null(ahead);
	assert_true(prefetch_read(ahead, &byte, 1) < 0);
	prefetch_stop(ahead);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefetch_read_whole_is_the_file),
		cmocka_unit_test(prefetch_read_little_is_kept_is_the_file),
		cmocka_unit_test(prefetch_stop_in_the_middle_ends),
		cmocka_unit_test(prefetch_start_no_file_is_null),
		cmocka_unit_test(prefetch_read_directory_says_why),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
