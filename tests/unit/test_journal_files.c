// SPDX-License-Identifier: GPL-2.0
/*
 * Which journal files of a directory are read, in which order, and which of them together.
 *
 * Offsets: https://systemd.io/JOURNAL_FILE_FORMAT/, struct Header
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/journal_files.h"

#define MACHINE "0123456789abcdef0123456789abcdef"

enum {
	AT_FILE_ID = 24,
	AT_SEQNUM_ID = 72,
	AT_HEADER_SIZE = 88,
	AT_TAIL_SEQNUM = 160,
	AT_HEAD_SEQNUM = 168,
	HEADER_SIZE = 240, /* of systemd 246 */
};

static void fill(uint8_t *header, uint8_t id, uint8_t sequence, uint64_t first, uint64_t last)
{
	uint64_t size = HEADER_SIZE;

	memset(header, 0x5a, HEADER_SIZE);
	memcpy(header, "LPKSHHRH", 8);
	memset(header + AT_FILE_ID, id, 16);
	memset(header + AT_SEQNUM_ID, sequence, 16);
	memcpy(header + AT_HEADER_SIZE, &size, 8);
	memcpy(header + AT_TAIL_SEQNUM, &last, 8);
	memcpy(header + AT_HEAD_SEQNUM, &first, 8);
}

static void store(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static void store_journal(const char *path, uint8_t id, uint8_t sequence, uint64_t first,
			  uint64_t last)
{
	uint8_t header[HEADER_SIZE];

	fill(header, id, sequence, first, last);
	store(path, header, sizeof(header));
}

static int begin(void **state)
{
	char *dir = strdup("/tmp/test_journal_files.XXXXXX");

	if (!dir || !mkdtemp(dir) || chdir(dir))
		return -1;
	*state = dir;
	return 0;
}

static int end(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", (char *)*state);
	free(*state);
	return chdir("/") || system(command) ? -1 : 0; /* NOLINT(cert-env33-c) */
}

static void journal_header_parse_of_other_files_is_refused(void **state)
{
	uint8_t header[HEADER_SIZE];
	struct journal_file file = {};
	uint64_t size = 100;

	fill(header, 1, 2, 3, 4);
	assert_int_equal(journal_header_parse(header, &file), 0);
	assert_int_equal(file.id[0], 1);
	assert_int_equal(file.id[15], 1);
	assert_int_equal(file.sequence[0], 2);
	assert_int_equal(file.sequence[15], 2);
	assert_int_equal(file.first, 3);
	assert_int_equal(file.last, 4);
	memcpy(header + AT_HEADER_SIZE, &size, 8);
	assert_int_equal(journal_header_parse(header, &file), -EBADMSG);
	fill(header, 1, 2, 3, 4);
	header[7] = 'h';
	assert_int_equal(journal_header_parse(header, &file), -EBADMSG);
}

/* Those with numbers that overlap may hold the same entries; those behind each other may not. */
static void journal_files_group_of_overlapping_numbers(void **state)
{
	struct journal_files files;

	mkdir(MACHINE, 0700);
	mkdir("other", 0700);
	store_journal("system@1.journal", 1, 1, 1, 10);
	store_journal(MACHINE "/user.journal", 2, 1, 5, 20);
	store_journal("b.journal~", 3, 1, 20, 20);
	store_journal("c.journal", 4, 1, 21, 30);
	store_journal("d.journal", 5, 2, 1, 30);
	store_journal("e.journal", 6, 3, 1, 30);
	store_journal("other/f.journal", 7, 4, 1, 30);
	store_journal("g.journal.bak", 8, 4, 1, 30);
	store_journal(".journal", 9, 4, 1, 30);
	assert_int_equal(journal_files_list(".", &files), 0);
	assert_int_equal(files.unreadable, 0);
	assert_int_equal(files.count, 6);
	for (size_t i = 0; i < files.count; i++)
		assert_int_equal(files.items[i].id[0], i + 1);
	assert_int_equal(journal_files_group(&files, 0), 3);
	assert_int_equal(journal_files_group(&files, 3), 1);
	assert_int_equal(journal_files_group(&files, 4), 1);
	assert_int_equal(journal_files_group(&files, 5), 1);
	assert_int_equal(journal_files_group(&files, 6), 0);
	journal_files_deinit(&files);
}

static void journal_files_list_damaged_files_are_counted(void **state)
{
	struct journal_files files;

	store_journal("a.journal", 1, 1, 1, 10);
	store("b.journal", "LPKSHHRH", 8);
	store("c.journal", "", 0);
	assert_int_equal(symlink("none", "d.journal"), 0);
	assert_int_equal(journal_files_list(".", &files), 0);
	assert_int_equal(files.count, 1);
	assert_int_equal(files.unreadable, 2);
	assert_int_equal(files.example_err, -EBADMSG);
	assert_true(!strcmp(files.example, "./b.journal") || !strcmp(files.example, "./c.journal"));
	journal_files_deinit(&files);
	assert_int_equal(journal_files_list("none", &files), -ENOENT);
	assert_int_equal(journal_files_list("a.journal", &files), -ENOTDIR);
}

/* The longest: it has what the other has. */
static void journal_files_list_of_copies_takes_one(void **state)
{
	struct journal_files files;

	store_journal("a.journal", 1, 1, 1, 10);
	store_journal("b.journal", 1, 1, 1, 12);
	store_journal("c.journal", 2, 1, 1, 11);
	store_journal("d.journal", 1, 1, 1, 9);
	assert_int_equal(journal_files_list(".", &files), 0);
	assert_int_equal(files.count, 2);
	assert_string_equal(files.items[0].path, "./b.journal");
	assert_string_equal(files.items[1].path, "./c.journal");
	journal_files_deinit(&files);
}

/* It is full: it is renamed, and another one takes its place. */
static void journal_files_open_of_a_renamed_file_finds_it(void **state)
{
	uint8_t header[HEADER_SIZE] = {};
	struct journal_files files;
	int fd;

	store_journal("a.journal", 1, 1, 1, 10);
	assert_int_equal(journal_files_list(".", &files), 0);
	assert_int_equal(files.count, 1);
	assert_int_equal(rename("a.journal", "a@1.journal"), 0);
	fd = journal_files_open(".", &files.items[0]);
	assert_true(fd >= 0);
	close(fd);
	assert_string_equal(files.items[0].path, "./a@1.journal");
	assert_int_equal(rename("a@1.journal", "a@2.journal"), 0);
	store_journal("a@1.journal", 2, 1, 11, 12);
	fd = journal_files_open(".", &files.items[0]);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, header, sizeof(header), 0), sizeof(header));
	assert_int_equal(header[AT_FILE_ID], 1);
	close(fd);
	assert_int_equal(unlink("a@2.journal"), 0);
	assert_int_equal(journal_files_open(".", &files.items[0]), -ENOENT);
	journal_files_deinit(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(journal_header_parse_of_other_files_is_refused),
		cmocka_unit_test_setup_teardown(journal_files_group_of_overlapping_numbers, begin,
						end),
		cmocka_unit_test_setup_teardown(journal_files_list_damaged_files_are_counted, begin,
						end),
		cmocka_unit_test_setup_teardown(journal_files_list_of_copies_takes_one, begin, end),
		cmocka_unit_test_setup_teardown(journal_files_open_of_a_renamed_file_finds_it,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
