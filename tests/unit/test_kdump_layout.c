// SPDX-License-Identifier: GPL-2.0
/*
 * src/vmcore/kdump_layout.c: files of a few pages, as makedumpfile's IMPLEMENTATION has them
 *
 * Frames 3, 64, 65 and 130 are dumped. In the first bitmap, of all memory, frame 2 is set, too.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kdump_file.h"
#include "vmcore/kdump_layout.h"

#define BITS	   (8 * PAGE) /* of a bitmap of one block */
#define TABLE_AT   (4 * PAGE)
#define DATA_AT	   (5 * PAGE)
#define PAGE_DATA  100u /* bytes of a compressed page */
#define PAGES	   4u
#define FILE_BYTES (DATA_AT + PAGES * PAGE_DATA)

static const uint64_t dumped[PAGES] = {3, 64, 65, 130};
static uint8_t file[FILE_BYTES];
static int dump;

static void put32(size_t at, uint32_t value)
{
	memcpy(file + at, &value, sizeof(value));
}

static void put64(size_t at, uint64_t value)
{
	memcpy(file + at, &value, sizeof(value));
}

static void put_bit(size_t bitmap_at, uint64_t frame)
{
	file[bitmap_at + frame / 8] |= (uint8_t)(1u << frame % 8);
}

static size_t descriptor(unsigned int page)
{
	return TABLE_AT + page * 24;
}

/* Its data is all in the file. */
static void make_too_large(unsigned int page)
{
	put64(descriptor(page), 0);
	put32(descriptor(page) + 8, 3 * PAGE);
}

static int make_file(void **state)
{
	memset(file, 0, sizeof(file));
	memcpy(file, "KDUMP   ", 8);
	put32(VERSION, 6);
	put32(BLOCK_BYTES, PAGE);
	put32(SUB_BLOCKS, 1);
	put32(BITMAPS, 2);
	put32(MAX_MAPNR, 131);
	put64(MAX_MAPNR6, 131);
	put_bit(BITMAPS_AT, 2);
	for (unsigned int i = 0; i < PAGES; i++) {
		put_bit(BITMAPS_AT, dumped[i]);
		put_bit(BITMAPS_AT + PAGE, dumped[i]);
		put64(descriptor(i), DATA_AT + i * PAGE_DATA);
		put32(descriptor(i) + 8, PAGE_DATA);
	}
	return 0;
}

/* Of the first @bytes */
static int read_cut(struct kdump_layout *ret, size_t bytes)
{
	assert_int_equal(ftruncate(dump, 0), 0);
	assert_int_equal(pwrite(dump, file, bytes, 0), bytes);
	return kdump_layout_read(dump, bytes, ret);
}

/* Which of the dumped frames libkdumpfile can be asked for, a bit each */
static unsigned int readable(const struct kdump_layout *layout)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < PAGES; i++)
		bits |= (unsigned int)kdump_layout_has(layout, dump, dumped[i]) << i;
	return bits;
}

static void expect(size_t bytes, unsigned int bits, uint64_t too_large, uint64_t behind_end)
{
	struct kdump_layout layout;

	assert_int_equal(read_cut(&layout, bytes), 0);
	assert_true(layout.kdump);
	assert_int_equal(layout.too_large, too_large);
	assert_int_equal(layout.behind_end, behind_end);
	assert_int_equal(readable(&layout), bits);
	free(layout.unreadable);
}

static void expect_error(size_t bytes, int err)
{
	struct kdump_layout layout;

	assert_int_equal(read_cut(&layout, bytes), err);
}

static void layout_whole_file_is_read(void **state)
{
	struct kdump_layout layout;

	expect(FILE_BYTES, 0xf, 0, 0);
	assert_int_equal(read_cut(&layout, FILE_BYTES), 0);
	assert_false(layout.split || layout.one_bitmap);
	assert_null(layout.unreadable);
	assert_int_equal(layout.frames.end, 131);
	/* Memory, but not dumped; not dumped; behind the last one */
	assert_false(kdump_layout_has(&layout, dump, 2));
	assert_false(kdump_layout_has(&layout, dump, 63));
	assert_false(kdump_layout_has(&layout, dump, 131));
	put32(VERSION, 5);
	put64(MAX_MAPNR6, 0);
	expect(FILE_BYTES, 0xf, 0, 0);
}

static void layout_descriptor_of_more_than_a_page_is_left_out(void **state)
{
	struct kdump_layout layout;

	for (unsigned int i = 0; i < PAGES; i++) {
		put32(descriptor(i) + 8, PAGE);
		put64(descriptor(i), 0);
		expect(FILE_BYTES, 0xf, 0, 0);
		put32(descriptor(i) + 8, PAGE + 1);
		expect(FILE_BYTES, 0xfu & ~(1u << i), 1, 0);
		make_file(NULL);
	}
	for (unsigned int i = 0; i < PAGES; i++)
		make_too_large(i);
	expect(FILE_BYTES, 0, PAGES, 0);
	/* Of a large dump that was cut there are millions, one behind the other. */
	assert_int_equal(read_cut(&layout, FILE_BYTES), 0);
	assert_int_equal(layout.unreadable_count, 3);
	free(layout.unreadable);
}

static void layout_data_behind_the_end_is_left_out(void **state)
{
	static const uint64_t offsets[] = {FILE_BYTES - PAGE_DATA + 1,
					   FILE_BYTES,
					   1ull << 40,
					   INT64_MAX,
					   1ull << 63,
					   UINT64_MAX,
					   UINT64_MAX - 50};

	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		put64(descriptor(1), offsets[i]);
		expect(FILE_BYTES, 0xd, 0, 1);
	}
	make_file(NULL);
	expect(FILE_BYTES - 1, 0x7, 0, 1);
	expect(DATA_AT + 2 * PAGE_DATA, 0x3, 0, 2);
	expect(DATA_AT + 2 * PAGE_DATA - 1, 0x1, 0, 3);
}

static void layout_cut_table_has_no_pages_behind(void **state)
{
	/* Their data, too, is behind the end then. */
	expect(descriptor(2), 0, 0, PAGES);
	for (unsigned int i = 0; i < PAGES; i++)
		put64(descriptor(i), 0);
	expect(descriptor(2), 0x3, 0, 2);
	expect(descriptor(2) - 1, 0x1, 0, 3);
	expect(descriptor(0), 0, 0, PAGES);
}

/* diskdump.c of libkdumpfile 0.5.1, read_bitmap(): frame 2 has the first descriptor then. */
static void layout_more_frames_than_half_the_bits_take_both_bitmaps(void **state)
{
	struct kdump_layout layout;

	put64(MAX_MAPNR6, BITS + 1);
	make_too_large(0);
	assert_int_equal(read_cut(&layout, FILE_BYTES), 0);
	assert_true(layout.one_bitmap);
	assert_false(kdump_layout_has(&layout, dump, 2));
	assert_int_equal(readable(&layout), 0xf);
	assert_int_equal(layout.too_large, 1);
	free(layout.unreadable);
	put64(MAX_MAPNR6, BITS);
	expect(FILE_BYTES, 0xe, 1, 0);
	put64(MAX_MAPNR6, UINT64_MAX);
	assert_int_equal(read_cut(&layout, FILE_BYTES), 0);
	assert_int_equal(layout.frames.end, 2 * BITS);
	free(layout.unreadable);
}

static void expect_split(uint32_t version, size_t first_at, size_t end_at)
{
	struct kdump_layout layout;

	put32(VERSION, version);
	put32(SPLIT, 1);
	put64(first_at, 64);
	put64(end_at, 66);
	make_too_large(0);
	expect(FILE_BYTES, 0x4, 1, 0);
	make_file(NULL);
	put32(VERSION, version);
	put32(SPLIT, 1);
	put64(first_at, 65);
	put64(end_at, UINT64_MAX);
	make_too_large(1);
	expect(FILE_BYTES, 0x4, 1, 0);
	assert_int_equal(read_cut(&layout, FILE_BYTES), 0);
	assert_true(layout.split);
	free(layout.unreadable);
	put64(first_at, 64);
	put64(end_at, 65);
	expect(FILE_BYTES, 0x2, 0, 0);
	put64(first_at, 1000);
	expect(FILE_BYTES, 0, 0, 0);
}

static void layout_split_file_begins_with_its_first_frame(void **state)
{
	expect_split(6, SPLIT_FIRST6, SPLIT_END6);
	make_file(NULL);
	expect_split(5, SPLIT_FIRST, SPLIT_END);
}

static void layout_parts_behind_the_end_are_refused(void **state)
{
	struct kdump_layout layout;

	expect_error(TABLE_AT - 1, -ENODATA);
	expect_error(BITMAPS_AT - 1, -ENODATA);
	expect_error(SUB_AT + 20, -ENODATA);
	expect_error(SUB_AT, -ENODATA);
	expect_error(MAX_MAPNR + 3, -ENODATA);
	expect_error(VERSION, -ENODATA);
	/* Too short for the signature */
	assert_int_equal(read_cut(&layout, VERSION - 1), 0);
	assert_false(layout.kdump);
	put32(BITMAPS, 0x3fffffff);
	expect_error(FILE_BYTES, -ENODATA);
	put32(BITMAPS, UINT32_MAX);
	expect_error(FILE_BYTES, -ENODATA);
	make_file(NULL);
	put64(NOTE + 8, 1ull << 33);
	expect_error(FILE_BYTES, -ENODATA);
	put64(NOTE, UINT64_MAX);
	put64(NOTE + 8, 2);
	expect_error(FILE_BYTES, -ENODATA);
	put64(NOTE, FILE_BYTES - 2);
	expect(FILE_BYTES, 0xf, 0, 0);
}

/* By diskdump.c of libkdumpfile 0.5.1: what a header of an older version has not. */
static void layout_older_headers_have_less(void **state)
{
	/* Frame 2 of the first bitmap, were max_mapnr_64 heard; the first frame, were split. */
	for (uint32_t version = 0; version < 6; version++) {
		make_file(NULL);
		put32(VERSION, version);
		put64(MAX_MAPNR6, UINT64_MAX);
		make_too_large(0);
		expect(FILE_BYTES, 0xe, 1, 0);
	}
	for (uint32_t version = 0; version < 6; version++) {
		make_file(NULL);
		put32(VERSION, version);
		put32(SPLIT, 1);
		put64(SPLIT_FIRST, 64);
		put64(SPLIT_END, 1000);
		make_too_large(0);
		expect(FILE_BYTES, version < 2 ? 0xe : 0xc, 1, 0);
	}
	/* Notes from version 4 on, VMCOREINFO without them in version 3 alone */
	for (uint32_t version = 0; version < 7; version++) {
		make_file(NULL);
		put32(VERSION, version);
		put64(NOTE, FILE_BYTES);
		put64(NOTE + 8, 1);
		if (version < 4)
			expect(FILE_BYTES, 0xf, 0, 0);
		else
			expect_error(FILE_BYTES, -ENODATA);
		put64(NOTE + 8, 0);
		put64(INFO, FILE_BYTES);
		put64(INFO + 8, 1);
		if (version != 3)
			expect(FILE_BYTES, 0xf, 0, 0);
		else
			expect_error(FILE_BYTES, -ENODATA);
	}
}

/* The block of the sub-header is read by the version, and not by how many blocks there are. */
static void layout_sub_header_of_no_blocks_is_read(void **state)
{
	struct kdump_layout layout;

	put32(SUB_BLOCKS, 0);
	put64(NOTE + 8, 1ull << 33);
	expect_error(FILE_BYTES, -ENODATA);
	put32(VERSION, 0);
	assert_int_equal(read_cut(&layout, FILE_BYTES), 0);
	free(layout.unreadable);
}

/* The header of 32 bits has its size of blocks where microseconds are, and is tried first. */
static void layout_time_that_is_a_size_of_blocks_is_refused(void **state)
{
	static const uint32_t others[] = {4095, 4097, 2048, 524288, 999999, 12288};

	put32(STATUS, 1);
	put32(MICROSECONDS, 4096);
	expect_error(FILE_BYTES, -ENOTUNIQ);
	put32(MICROSECONDS, __builtin_bswap32(65536));
	expect_error(FILE_BYTES, -ENOTUNIQ);
	put32(STATUS, 0);
	expect(FILE_BYTES, 0xf, 0, 0);
	put32(STATUS, 1);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		put32(MICROSECONDS, others[i]);
		expect(FILE_BYTES, 0xf, 0, 0);
	}
}

static void layout_other_blocks_are_refused(void **state)
{
	put32(BLOCK_BYTES, 65536);
	expect_error(FILE_BYTES, -EINVAL);
	make_file(NULL);
	put32(SUB_BLOCKS, UINT32_MAX);
	expect_error(FILE_BYTES, -EINVAL);
}

static void layout_other_format_is_not_looked_at(void **state)
{
	struct kdump_layout layout;

	put32(BLOCK_BYTES, 0);
	memcpy(file, "\177ELF", 4);
	assert_int_equal(read_cut(&layout, FILE_BYTES), 0);
	assert_false(layout.kdump);
	assert_true(kdump_layout_has(&layout, dump, 1ull << 40));
}

static void vmcoreinfo_is_read_where_the_header_has_it(void **state)
{
	static const char text[] = "OSRELEASE=6.1\n";
	char *got;

	memcpy(file + DATA_AT, text, sizeof(text) - 1);
	put64(INFO, DATA_AT);
	put64(INFO + 8, sizeof(text) - 1);
	assert_int_equal(pwrite(dump, file, FILE_BYTES, 0), FILE_BYTES);
	got = kdump_vmcoreinfo(dump);
	assert_string_equal(got, text);
	free(got);
	put64(INFO, FILE_BYTES - 1);
	assert_int_equal(pwrite(dump, file, FILE_BYTES, 0), FILE_BYTES);
	assert_null(kdump_vmcoreinfo(dump));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(layout_whole_file_is_read, make_file),
		cmocka_unit_test_setup(layout_descriptor_of_more_than_a_page_is_left_out,
				       make_file),
		cmocka_unit_test_setup(layout_data_behind_the_end_is_left_out, make_file),
		cmocka_unit_test_setup(layout_cut_table_has_no_pages_behind, make_file),
		cmocka_unit_test_setup(layout_more_frames_than_half_the_bits_take_both_bitmaps,
				       make_file),
		cmocka_unit_test_setup(layout_split_file_begins_with_its_first_frame, make_file),
		cmocka_unit_test_setup(layout_parts_behind_the_end_are_refused, make_file),
		cmocka_unit_test_setup(layout_older_headers_have_less, make_file),
		cmocka_unit_test_setup(layout_sub_header_of_no_blocks_is_read, make_file),
		cmocka_unit_test_setup(layout_time_that_is_a_size_of_blocks_is_refused, make_file),
		cmocka_unit_test_setup(layout_other_blocks_are_refused, make_file),
		cmocka_unit_test_setup(layout_other_format_is_not_looked_at, make_file),
		cmocka_unit_test_setup(vmcoreinfo_is_read_where_the_header_has_it, make_file),
	};

	dump = memfd_create("dump", MFD_CLOEXEC);
	return dump < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
