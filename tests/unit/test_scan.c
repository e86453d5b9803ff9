// SPDX-License-Identifier: GPL-2.0
/* The search of a dump's pages: each is looked at once, by however many threads. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "opened_dump.h"
#include "vmcore/scan.h"

#define MARK	  0x1d2c3b4a59687786ULL
#define STRETCHES 3
#define FILE_AT	  4096 /* of the first page */

static const struct {
	uint64_t first; /* frame */
	uint64_t count;
} stretches[STRETCHES] = {{0, 160}, {256, 60000}, {1 << 20, 9001}};

static char path[] = "/tmp/test_scan.XXXXXX";
static uint64_t page_count;

/* A page that is told of begins with MARK, and its frame's number. */
static bool marked(uint64_t index)
{
	return index % 997 == 0 || index == page_count - 1;
}

struct seen {
	uint8_t *times; /* by the page's place in the file */
	uint64_t progress_last;
	int ends_after;
};

static bool wanted(const void *start)
{
	uint64_t mark;

	memcpy(&mark, start, sizeof(mark));
	return mark == MARK;
}

static int on_page(const void *page, void *ctx)
{
	struct seen *seen = ctx;
	uint64_t index;

	memcpy(&index, (const uint8_t *)page + 8, sizeof(index));
	assert_true(index < page_count);
	seen->times[index]++;
	return seen->ends_after && !--seen->ends_after ? -ECANCELED : 0;
}

static int on_progress(uint64_t done, uint64_t of, void *ctx)
{
	struct seen *seen = ctx;

	assert_int_equal(of, page_count);
	assert_true(done >= seen->progress_last && done <= of);
	seen->progress_last = done;
	return 0;
}

static int stop_at_once(uint64_t done, uint64_t of, void *ctx)
{
	(void)done;
	(void)of;
	(void)ctx;
	return -EINTR;
}

/* @seen: free() its times */
static int scan_it(struct seen *seen, struct dump_scan *scan)
{
	struct dump *dump = opened_dump(path);
	int err;

	seen->times = calloc(page_count, 1);
	assert_non_null(seen->times);
	scan->wanted = wanted;
	scan->ctx = seen;
	err = dump_scan(dump, scan);
	dump_close(dump);
	return err;
}

static void dump_scan_each_page_is_told_once(void **state)
{
	struct seen seen = {0};
	struct dump_scan scan = {.page = on_page, .progress = on_progress};

	(void)state;
	assert_int_equal(scan_it(&seen, &scan), 0);
	assert_int_equal(scan.pages, page_count);
	assert_int_equal(scan.missing, 0);
	assert_int_equal(scan.skipped, 0);
	assert_int_equal(seen.progress_last, page_count);
	for (uint64_t i = 0; i < page_count; i++)
		assert_int_equal(seen.times[i], marked(i));
	free(seen.times);
}

static void dump_scan_page_fails_ends_the_search(void **state)
{
	struct seen seen = {.ends_after = 3};
	struct dump_scan scan = {.page = on_page};
	uint64_t told = 0;

	(void)state;
	assert_int_equal(scan_it(&seen, &scan), -ECANCELED);
	for (uint64_t i = 0; i < page_count; i++)
		told += seen.times[i];
	assert_int_equal(told, 3);
	free(seen.times);
}

static void dump_scan_progress_fails_ends_the_search(void **state)
{
	struct seen seen = {0};
	struct dump_scan scan = {.page = on_page, .progress = stop_at_once};

	(void)state;
	assert_int_equal(scan_it(&seen, &scan), -EINTR);
	free(seen.times);
}

/* An ELF core, sparse: pages are zeros, but for the marked ones. */
static int make_dump(void **state)
{
	int fd = mkstemp(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = STRETCHES,
	};

	(void)state;
	if (!file || fwrite(&head, sizeof(head), 1, file) != 1)
		return -1;
	for (int i = 0; i < STRETCHES; i++) {
		uint64_t bytes = stretches[i].count * DUMP_PAGE_BYTES;
		Elf64_Phdr segment = {
			.p_type = PT_LOAD,
			.p_offset = FILE_AT + page_count * DUMP_PAGE_BYTES,
			.p_paddr = stretches[i].first * DUMP_PAGE_BYTES,
			.p_vaddr = 0xffff888000000000ULL + stretches[i].first * DUMP_PAGE_BYTES,
			.p_filesz = bytes,
			.p_memsz = bytes,
		};

		page_count += stretches[i].count;
		if (fwrite(&segment, sizeof(segment), 1, file) != 1)
			return -1;
	}
	if (fflush(file) || ftruncate(fd, (off_t)(FILE_AT + page_count * DUMP_PAGE_BYTES)))
		return -1;
	for (uint64_t i = 0; i < page_count; i++) {
		uint64_t start[2] = {MARK, i};

		if (marked(i) && pwrite(fd, start, sizeof(start),
					(off_t)(FILE_AT + i * DUMP_PAGE_BYTES)) != sizeof(start))
			return -1;
	}
	return fclose(file);
}

static int remove_dump(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dump_scan_each_page_is_told_once),
		cmocka_unit_test(dump_scan_page_fails_ends_the_search),
		cmocka_unit_test(dump_scan_progress_fails_ends_the_search),
	};

	return cmocka_run_group_tests(tests, make_dump, remove_dump);
}
