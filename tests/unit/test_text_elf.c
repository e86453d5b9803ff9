// SPDX-License-Identifier: GPL-2.0
/* The ELF file that perf reads: its text is that of the store, by the program headers. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>

#include "render/perf/text_elf.h"

#define START UINT64_C(0xffffffff81000000)
#define PAGES 3

/* Byte @at of the text from START on, in the file @fd. */
static uint8_t byte_of(int fd, uint64_t at)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	uint8_t byte;

	assert_int_equal(pread(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	for (unsigned int i = 0; i < ehdr.e_phnum; i++) {
		assert_int_equal(
			pread(fd, &phdr, sizeof(phdr), (off_t)(ehdr.e_phoff + i * sizeof(phdr))),
			sizeof(phdr));
		if (START + at - phdr.p_vaddr >= phdr.p_filesz)
			continue;
		assert_int_equal(
			pread(fd, &byte, 1, (off_t)(phdr.p_offset + START + at - phdr.p_vaddr)), 1);
		return byte;
	}
	fail_msg("no segment has byte %u", (unsigned int)at);
	return 0;
}

/* Two runs, of which the first page and @end bytes of the last one are known. */
static void write_and_read(size_t end)
{
	struct textstore *store = textstore_create();
	uint8_t page[TEXT_ELF_PAGE_BYTES];
	struct text_elf elf = {0};
	char path[] = "/tmp/lbrsnoop-test-XXXXXX";
	int fd = mkstemp(path);

	assert_non_null(store);
	assert_true(fd >= 0);
	memset(page, 0xcc, sizeof(page));
	assert_int_equal(textstore_write(store, START, page, sizeof(page)), 0);
	assert_int_equal(textstore_write(store, START + 2 * sizeof(page), page, end), 0);
	assert_int_equal(text_elf_add_run(&elf, START, START + sizeof(page)), 0);
	assert_int_equal(
		text_elf_add_run(&elf, START + 2 * sizeof(page), START + PAGES * sizeof(page)), 0);
	text_elf_place(&elf);
	assert_int_equal(text_elf_add_symbol(&elf, "f", START, 16), 0);
	assert_int_equal(text_elf_write(&elf, path, NULL, store), 0);
	assert_int_equal(byte_of(fd, 0), 0xcc);
	assert_int_equal(byte_of(fd, sizeof(page) - 1), 0xcc);
	assert_int_equal(byte_of(fd, 2 * sizeof(page)), 0xcc);
	assert_int_equal(byte_of(fd, 2 * sizeof(page) + end - 1), 0xcc);
	if (end < sizeof(page))
		assert_int_equal(byte_of(fd, PAGES * sizeof(page) - 1), 0);
	text_elf_deinit(&elf);
	textstore_destroy(store);
	close(fd);
	unlink(path);
}

static void last_byte_of_the_text_is_there(void **state)
{
	(void)state;
	write_and_read(TEXT_ELF_PAGE_BYTES);
}

static void unknown_end_of_the_last_page_is_zero(void **state)
{
	(void)state;
	write_and_read(1);
	write_and_read(TEXT_ELF_PAGE_BYTES - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_byte_of_the_text_is_there),
		cmocka_unit_test(unknown_end_of_the_last_page_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
