// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that cannot be unpacked, among more pages than libkdumpfile's cache has room for: the
 * others are read as often as they are asked for.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kdump_file.h"
#include "opened_dump.h"

#define FRAMES	4000u
#define DATA_AT (64 * PAGE)
#define ZLIB	1u /* DUMP_DH_COMPRESSED_ZLIB of makedumpfile's diskdump_mod.h */

static int file;
static char path[32];

static void put(uint64_t at, const void *bytes, size_t len)
{
	assert_int_equal(pwrite(file, bytes, len, (off_t)at), len);
}

static void put32(uint64_t at, uint32_t value)
{
	put(at, &value, sizeof(value));
}

static void put64(uint64_t at, uint64_t value)
{
	put(at, &value, sizeof(value));
}

static bool is_broken(uint32_t frame)
{
	return frame % 100 == 50;
}

/* The data of a page begins with its frame's number, which is no header of zlib's. */
static int make_file(void **state)
{
	(void)state;
	file = memfd_create("dump", MFD_CLOEXEC);
	if (file < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	put(0, "KDUMP   ", 8);
	put32(VERSION, 6);
	put(MACHINE, "x86_64", 7);
	put32(BLOCK_BYTES, PAGE);
	put32(SUB_BLOCKS, 1);
	put32(BITMAPS, 2);
	put32(MAX_MAPNR, FRAMES);
	put64(MAX_MAPNR6, FRAMES);
	for (uint32_t i = 0; i < FRAMES; i++) {
		put64(TABLE_AT + i * 24, DATA_AT + i * PAGE);
		put32(TABLE_AT + i * 24 + 8, PAGE);
		put32(TABLE_AT + i * 24 + 12, is_broken(i) ? ZLIB : 0);
		put64(DATA_AT + i * PAGE, i);
	}
	for (uint32_t i = 0; i < FRAMES / 8; i++) {
		put(BITMAPS_AT + i, "\377", 1);
		put(BITMAPS_AT + PAGE + i, "\377", 1);
	}
	return ftruncate(file, DATA_AT + FRAMES * PAGE);
}

static int close_file(void **state)
{
	(void)state;
	return close(file);
}

static void expect_frame(struct dump *dump, uint32_t frame)
{
	uint64_t page[PAGE / 8];
	int err = dump_read_frame(dump, frame, page, sizeof(page));

	assert_int_equal(err, is_broken(frame) ? -ENXIO : 0);
	if (!err)
		assert_int_equal(page[0], frame);
}

/* Frame 480 has left the cache, whatever its size, but not the list of those that were in it. */
static void dump_cache_page_is_read_again_after_a_broken_one(void **state)
{
	struct dump *dump = opened_dump(path);

	(void)state;
	for (uint32_t i = 0; i < 1520; i++)
		if (!is_broken(i))
			expect_frame(dump, i);
	expect_frame(dump, 1550);
	expect_frame(dump, 480);
	dump_close(dump);
}

static void dump_cache_pages_are_read_in_any_order(void **state)
{
	struct dump *dump = opened_dump(path);
	uint32_t random = 1;

	(void)state;
	for (uint32_t i = 0; i < 40000; i++) {
		random = random * 1664525 + 1013904223;
		/* Those of one half come more often: they are hit in the cache. */
		expect_frame(dump, (random >> 8) % (random >> 31 ? 1000 : FRAMES));
	}
	dump_close(dump);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dump_cache_page_is_read_again_after_a_broken_one),
		cmocka_unit_test(dump_cache_pages_are_read_in_any_order),
	};

	return cmocka_run_group_tests(tests, make_file, close_file);
}
