// SPDX-License-Identifier: GPL-2.0
/* The directory of a flight recorder that is replaced while it is being locked. */
#include <errno.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/flight.h"

static char dir[] = "/tmp/test_flight_files.XXXXXX";
static char path[64], moved[64];
static bool replace; /* when it is locked */

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
int __wrap_statfs(const char *file, struct statfs *buf);

/* Somebody removes it and makes another, once; what failed before is of no interest. */
int __wrap_flock(int fd, int operation)
{
	int err = __real_flock(fd, operation);

	if (replace) {
		replace = false;
		assert_int_equal(rename(path, moved), 0);
		assert_int_equal(mkdir(path, 0700), 0);
		errno = ENOENT;
	}
	return err;
}

/* Wherever the test runs: a BPF file system. */
int __wrap_statfs(const char *file, struct statfs *buf)
{
	(void)file;
	*buf = (struct statfs){.f_type = BPF_FS_MAGIC};
	return 0;
}

static void flight_disarm_replaced_directory_locks_the_new_one(void **state)
{
	struct errmsg msg = {};
	size_t links;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/recorder", dir);
	snprintf(moved, sizeof(moved), "%s/moved", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	replace = true;
	assert_int_equal(flight_disarm(path, false, &links, &msg), 0);
	assert_string_equal(msg.text, "");
	assert_false(replace);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(moved), 0);
	assert_int_equal(rmdir(dir), 0);
}

/* What was recorded before the machine came up again is evidence, until another one records. */
static void flight_files_that_cannot_be_armed_leave_the_records_before(void **state)
{
	char place[] = "/tmp/test_flight_files.XXXXXX", records[64];
	struct flight_header header = {.release = "6.1.0"};
	struct flight_files files = {};
	struct errmsg msg = {};
	struct stat st;
	int map = memfd_create("map", MFD_CLOEXEC);
	FILE *file;

	(void)state;
	assert_true(map >= 0);
	assert_int_equal(ftruncate(map, 8 * 4096), 0);
	assert_non_null(mkdtemp(place));
	snprintf(records, sizeof(records), "%s/records", place);
	file = fopen(records, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(flight_files_begin(&files, place, &msg), 0);
	assert_int_equal(flight_files_map(&files, map, 4, 4, &header, &msg), 0);
	/* Here a trigger is refused. */
	flight_files_deinit(&files);
	assert_int_equal(stat(records, &st), 0);
	assert_int_equal(unlink(records), 0);
	assert_int_equal(rmdir(place), 0);
	close(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flight_files_that_cannot_be_armed_leave_the_records_before),
		cmocka_unit_test(flight_disarm_replaced_directory_locks_the_new_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
