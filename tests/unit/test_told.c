// SPDX-License-Identifier: GPL-2.0
/* Which paths were sent, kept in a file: what it forgets, how long it gets, a disk that is full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/told.h"

#define NOW_NS 1795570000000000000ull
#define MINUTE 60000000000ull

static int begin(void **state)
{
	char *dir = strdup("/tmp/test_told.XXXXXX");

	if (!dir || !mkdtemp(dir))
		return -1;
	*state = dir;
	return 0;
}

static int end(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", (char *)*state);
	free(*state);
	return system(command) ? -1 : 0; /* NOLINT(cert-env33-c) */
}

static struct told *open_told(const char *dir, uint64_t now_ns)
{
	struct errmsg msg = {};
	struct told *told = NULL;

	assert_int_equal(told_open(dir, now_ns, &told, &msg), 0);
	assert_string_equal(msg.text, "");
	assert_non_null(told);
	return told;
}

static off_t size_of(const char *dir)
{
	char path[100];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, TOLD_FILE);
	return stat(path, &st) ? -1 : st.st_size;
}

static void told_when_of_senders_and_hours(void **state)
{
	struct told *told = open_told(*state, NOW_NS);

	assert_int_equal(told_when(told, 1, "journal"), 0);
	told_note(told, 1, "journal", NOW_NS);
	told_note(told, 1, "otlp-0", NOW_NS + 30 * MINUTE);
	told_note(told, UINT64_MAX, "journal", NOW_NS + 30 * MINUTE);
	told_close(told);
	told = open_told(*state, NOW_NS + 59 * MINUTE);
	assert_int_equal(told_when(told, 1, "journal"), NOW_NS);
	assert_int_equal(told_when(told, 1, "otlp-0"), NOW_NS + 30 * MINUTE);
	assert_int_equal(told_when(told, 1, "otlp-1"), 0);
	assert_int_equal(told_when(told, UINT64_MAX, "journal"), NOW_NS + 30 * MINUTE);
	told_note(told, 1, "journal", NOW_NS + 59 * MINUTE);
	assert_int_equal(told_when(told, 1, "journal"), NOW_NS + 59 * MINUTE);
	told_close(told);
	told = open_told(*state, NOW_NS + 100 * MINUTE);
	assert_int_equal(told_when(told, 1, "journal"), NOW_NS + 59 * MINUTE);
	assert_int_equal(told_when(told, 1, "otlp-0"), 0);
	told_close(told);
}

/* The same paths once an hour, for months: the file has the last hour. */
static void told_note_for_months_stays_short(void **state)
{
	struct told *told = open_told(*state, NOW_NS);
	struct errmsg msg = {};

	for (uint64_t hour = 0; hour < 3000; hour++)
		for (uint64_t path = 0; path < 10; path++)
			told_note(told, hour % 2 * 100 + path, "journal",
				  NOW_NS + hour * 60 * MINUTE);
	assert_int_equal(told_error(told, NOW_NS + 3000 * 60 * MINUTE, &msg), 0);
	/* A line is 45 bytes, there are 4,096 and twice those that count at most. */
	assert_in_range(size_of(*state), 10 * 45, (4096 + 2 * 20 + 1) * 45);
	told_close(told);
}

/* Snapshots of several CPUs come out of order; the file is written anew in between. */
static void told_note_of_a_moment_later_stays(void **state)
{
	struct told *told = open_told(*state, NOW_NS);

	told_note(told, 1, "journal", NOW_NS + 1000000000);
	for (int i = 0; i < 10000; i++)
		told_note(told, 2, "journal", NOW_NS);
	assert_int_equal(told_when(told, 1, "journal"), NOW_NS + 1000000000);
	told_close(told);
	told = open_told(*state, NOW_NS + 2000000000);
	assert_int_equal(told_when(told, 1, "journal"), NOW_NS + 1000000000);
	told_close(told);
}

static void told_note_on_a_full_disk_is_written_later(void **state)
{
	struct told *told = open_told(*state, NOW_NS);
	struct rlimit limit, all;
	struct errmsg msg = {};

	told_note(told, 1, "journal", NOW_NS);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
	limit = all;
	limit.rlim_cur = 60; /* a line and a third */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	told_note(told, 2, "journal", NOW_NS);
	told_note(told, 3, "journal", NOW_NS);
	assert_true(told_error(told, NOW_NS, &msg) < 0);
	assert_non_null(strstr(msg.text, "sent: "));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	told_note(told, 4, "journal", NOW_NS);
	assert_int_equal(told_error(told, NOW_NS, &msg), 0);
	told_note(told, 5, "journal", NOW_NS);
	told_close(told);
	told = open_told(*state, NOW_NS);
	for (uint64_t path = 1; path <= 5; path++)
		assert_int_equal(told_when(told, path, "journal"), NOW_NS);
	told_close(told);
}

/* Neither followed nor written to: root's own, in a directory of root's. */
static void told_open_of_a_link_or_a_pipe_leaves_it_alone(void **state)
{
	struct errmsg msg = {};
	struct told *told;
	char path[100], other[100], text[8] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", (char *)*state, TOLD_FILE);
	snprintf(other, sizeof(other), "%s/other", (char *)*state);
	file = fopen(other, "we");
	assert_non_null(file);
	fputs("mine", file);
	fclose(file);
	assert_int_equal(symlink(other, path), 0);
	told = (struct told *)1;
	assert_int_equal(told_open(*state, NOW_NS, &told, &msg), 0);
	assert_null(told);
	assert_non_null(strstr(msg.text, "no regular file; remove it"));
	file = fopen(other, "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	assert_string_equal(text, "mine");
	fclose(file);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	told = (struct told *)1;
	assert_int_equal(told_open(*state, NOW_NS, &told, &msg), 0);
	assert_null(told);
	assert_int_equal(unlink(path), 0);

	/* One that comes later is not followed either when the file is written anew. */
	told = open_told(*state, NOW_NS);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	for (int i = 0; i < 5000; i++)
		told_note(told, 1, "journal", NOW_NS);
	assert_true(told_error(told, NOW_NS, &msg) < 0);
	told_close(told);
	file = fopen(other, "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	assert_string_equal(text, "mine");
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(told_when_of_senders_and_hours, begin, end),
		cmocka_unit_test_setup_teardown(told_note_for_months_stays_short, begin, end),
		cmocka_unit_test_setup_teardown(told_note_of_a_moment_later_stays, begin, end),
		cmocka_unit_test_setup_teardown(told_note_on_a_full_disk_is_written_later, begin,
						end),
		cmocka_unit_test_setup_teardown(told_open_of_a_link_or_a_pipe_leaves_it_alone,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
