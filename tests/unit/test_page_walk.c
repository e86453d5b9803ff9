// SPDX-License-Identifier: GPL-2.0
/* src/vmcore/page_walk.c: tables in a small physical memory, as SDM vol. 3, 4.5 has them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "vmcore/page_walk.h"

#define PRESENT 1ull
#define LARGE	0x80ull
#define NO_EXEC (1ull << 63)
#define PAT	(1ull << 12) /* in the entry of a large page: no part of the address */
#define TABLES	8u

static uint64_t memory[TABLES][PAGE_TABLE_ENTRIES];

static int read_memory(void *ctx, uint64_t phys, uint64_t entries[PAGE_TABLE_ENTRIES])
{
	if (phys / 4096 >= TABLES)
		return -EIO;
	memcpy(entries, memory[phys / 4096], sizeof(memory[0]));
	return 0;
}

/* Numbers of a walk: 511, 510, 1, 2 are bits 47-39, 38-30, 29-21 and 20-12. */
#define ADDR (0xffffull << 48 | 511ull << 39 | 510ull << 30 | 1ull << 21 | 2ull << 12 | 0x345)

static int make_tables(void **state)
{
	memset(memory, 0, sizeof(memory));
	memory[1][511] = 0x2000 | PRESENT;
	memory[2][510] = 0x3000 | PRESENT;
	memory[3][1] = 0x4000 | PRESENT;
	memory[4][2] = 0x123456789000 | PRESENT | NO_EXEC;
	return 0;
}

static int walk(unsigned int levels, uint64_t root, uint64_t encryption, uint64_t *ret_phys)
{
	const struct page_tables tables = {
		.root = root, .levels = levels, .encryption = encryption, .read = read_memory};

	return page_walk(&tables, ADDR, ret_phys);
}

static void page_walk_four_levels(void **state)
{
	uint64_t phys;

	assert_int_equal(walk(4, 0x1000, 0, &phys), 0);
	assert_int_equal(phys, 0x123456789345);
}

static void page_walk_five_levels(void **state)
{
	uint64_t phys;

	memory[5][511] = 0x1000 | PRESENT;
	assert_int_equal(walk(5, 0x5000, 0, &phys), 0);
	assert_int_equal(phys, 0x123456789345);
}

static void page_walk_large_pages(void **state)
{
	uint64_t phys;

	memory[3][1] = 0x40000000 | PRESENT | LARGE | PAT;
	assert_int_equal(walk(4, 0x1000, 0, &phys), 0);
	assert_int_equal(phys, 0x40002345);
	memory[2][510] = 0x80000000 | PRESENT | LARGE | PAT;
	assert_int_equal(walk(4, 0x1000, 0, &phys), 0);
	assert_int_equal(phys, 0x80202345);
}

/* Bit 7 of the lowest table is about caching, and reserved in the uppermost one. */
static void page_walk_bit_7_elsewhere_is_no_size(void **state)
{
	uint64_t phys;

	memory[1][511] |= LARGE;
	memory[4][2] |= LARGE;
	assert_int_equal(walk(4, 0x1000, 0, &phys), 0);
	assert_int_equal(phys, 0x123456789345);
}

static void page_walk_encryption_is_no_address(void **state)
{
	uint64_t bit = 1ull << 47, phys;

	for (int i = 1; i <= 4; i++)
		for (int entry = 0; entry < PAGE_TABLE_ENTRIES; entry++)
			memory[i][entry] |= memory[i][entry] ? bit : 0;
	assert_int_equal(walk(4, 0x1000, bit, &phys), 0);
	assert_int_equal(phys, 0x123456789345);
	assert_int_equal(walk(4, 0x1000, 0, &phys), -EIO);
}

static void page_walk_not_mapped(void **state)
{
	uint64_t phys;

	for (int i = 1; i <= 4; i++) {
		make_tables(state);
		for (int entry = 0; entry < PAGE_TABLE_ENTRIES; entry++)
			memory[i][entry] &= ~PRESENT;
		assert_int_equal(walk(4, 0x1000, 0, &phys), -EFAULT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(page_walk_four_levels, make_tables),
		cmocka_unit_test_setup(page_walk_five_levels, make_tables),
		cmocka_unit_test_setup(page_walk_large_pages, make_tables),
		cmocka_unit_test_setup(page_walk_bit_7_elsewhere_is_no_size, make_tables),
		cmocka_unit_test_setup(page_walk_encryption_is_no_address, make_tables),
		cmocka_unit_test_setup(page_walk_not_mapped, make_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
