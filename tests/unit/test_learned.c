// SPDX-License-Identifier: GPL-2.0
/* src/why/learned: what is written is read again; what others may have written is not */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "why/learned.h"

static char folder[] = "/tmp/lbrsnoop-learned.XXXXXX";
static char path[64], deep[80];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	snprintf(deep, sizeof(deep), "%s/new/file", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command) != 0;
}

static void put(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	chmod(path, 0644);
}

static void learned_is_read_as_written(void **state)
{
	struct site items[] = {
		{.addr = 1, .sym = {.name = "vfs_rmdir", .module = ""}, .err = EBUSY},
		{.addr = 2, .sym = {.name = "vfs_rmdir", .module = ""}, .err = EBUSY},
		{.addr = 3, .sym = {.name = "xfs_remove", .module = "xfs"}, .err = EBUSY},
		{.addr = 4, .sym = {.name = "other", .module = ""}, .err = EINVAL},
	};
	struct sites sites = {.items = items, .count = ARRAY_SIZE(items)};
	struct learned learned, again;

	(void)state;
	assert_int_equal(learned_read(deep, &learned), 0);
	assert_int_equal(learned.count, 0);
	assert_int_equal(learned_add(&learned, 84, EBUSY, &sites), 0);
	assert_int_equal(learned.count, 2); /* each function once, of this errno alone */
	assert_int_equal(learned_write(&learned, deep), 0);
	assert_int_equal(learned_read(deep, &again), 0);
	assert_int_equal(again.count, 2);
	assert_int_equal(again.items[1].nr, 84);
	assert_int_equal(again.items[1].err, EBUSY);
	assert_string_equal(again.items[1].function, "xfs_remove");
	assert_string_equal(again.items[1].module, "xfs");
	assert_string_equal(again.items[0].module, "");
	/* Nothing new: nothing is written. */
	assert_int_equal(learned_add(&again, 84, EBUSY, &sites), 0);
	assert_false(again.changed);
	learned_deinit(&learned);
	learned_deinit(&again);
}

static void learned_malformed_lines_are_skipped(void **state)
{
	struct learned learned;

	(void)state;
	put("84 16 - vfs_rmdir\nnonsense\n84 0 - x\n84 5000 - x\n84 16\n84 16 - x more\n\n"
	    "83 17 ext4 ext4_mkdir\n84 16 - cut");
	assert_int_equal(learned_read(path, &learned), 0);
	assert_int_equal(learned.count, 2);
	assert_string_equal(learned.items[0].function, "vfs_rmdir");
	assert_string_equal(learned.items[1].module, "ext4");
	learned_deinit(&learned);
}

static void learned_file_of_others_is_not_used(void **state)
{
	char link[96];
	struct learned learned;

	(void)state;
	put("84 16 - vfs_rmdir\n");
	chmod(path, 0666);
	assert_int_equal(learned_read(path, &learned), -EPERM);
	assert_int_equal(learned.count, 0);
	learned_deinit(&learned);
	chmod(path, 0644);
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(learned_read(link, &learned), 0);
	assert_int_equal(learned.count, 0);
	learned_deinit(&learned);
}

static void learned_oldest_go_where_there_are_too_many(void **state)
{
	struct learned learned = {};
	char name[32];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct site item = {.sym = {.name = name, .module = ""}, .err = EIO};
		struct sites sites = {.items = &item, .count = 1};

		snprintf(name, sizeof(name), "function_%d", i);
		assert_int_equal(learned_add(&learned, 1, EIO, &sites), 0);
	}
	assert_int_equal(learned.count, 4096);
	assert_string_equal(learned.items[4095].function, "function_4999");
	assert_string_equal(learned.items[0].function, "function_904");
	learned_deinit(&learned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learned_is_read_as_written),
		cmocka_unit_test(learned_malformed_lines_are_skipped),
		cmocka_unit_test(learned_file_of_others_is_not_used),
		cmocka_unit_test(learned_oldest_go_where_there_are_too_many),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
