// SPDX-License-Identifier: GPL-2.0
/* Configuration files. Source of their syntax: systemd.syntax(7) */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "watch/config.h"
#include "watch/ini.h"

/* What was read, as one text: "[Section]", "LINE NAME=VALUE;", "LINE !;" */
static int put(const struct ini_line *line, void *ctx)
{
	char *text = ctx;
	size_t len = strlen(text);

	if (line->what == INI_SECTION)
		snprintf(text + len, 1000 - len, "[%s]", line->name);
	else if (line->what == INI_VALUE)
		snprintf(text + len, 1000 - len, "%u %s=%s;", line->number, line->name,
			 line->value);
	else
		snprintf(text + len, 1000 - len, "%u !;", line->number);
	return 0;
}

static void ini_read_syntax(void **state)
{
	static const char *const files[][2] = {
		{"", ""},
		{"\n\n  \n", ""},
		{"[A]\nb=c", "[A]2 b=c;"},
		{"[ A ]\n b = c d \r\n", "[A]2 b=c d;"},
		{"# a=b\n;c=d\n  # e=f\ng=h # i\n", "4 g=h # i;"},
		{"a=\nb==c\n", "1 a=;2 b==c;"},
		/* "a backslash is replaced by a space character", comments in between are left out
		 */
		{"a=b\\\nc\nd=e\n", "1 a=b c;3 d=e;"},
		{"a=b\\\n# x\\\n; y\n  c  \nd=e\n", "1 a=b c;5 d=e;"},
		{"a=b\\\n\nc=d", "1 a=b;3 c=d;"},
		{"a=b\\", "1 a=b;"},
		{"\\\n\\\n\\", ""},
		{"\\", ""},
		{"[A\n]\n[]\n=\n=x\nx\n[ ]", "1 !;2 !;3 !;4 !;5 !;6 !;7 !;"},
		{"\xef\xbb\xbf[A]\nb=c", "[A]2 b=c;"},
		{"\xef\xbb\xbf", ""},
		{"\xef\xbb[A]\n\xef\xbb\xbf[A]", "1 !;2 !;"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char text[1000] = "", *file = strdup(files[i][0]);

		assert_non_null(file);
		assert_int_equal(ini_read(file, strlen(file), put, text), 0);
		assert_string_equal(text, files[i][1]);
		free(file);
	}
}

static int parse(const char *text, struct watch_config *config, struct errmsg_queue *errors)
{
	char *file = strdup(text);
	int err;

	assert_non_null(file);
	err = watch_config_parse("f", file, strlen(file), config, errors);
	free(file);
	return err;
}

static void watch_config_parse_takes_all_keys(void **state)
{
	struct errmsg_queue errors = {};
	struct watch_config config;

	(void)state;
	assert_int_equal(parse("[Watch]\nTarget=a\nTarget=\nTarget=vfs_open\nTarget=preset:oom\n"
			       "Learned=on\nErrno=ENOENT,5\nComm=c\nUnit=u\nCPUs=1,3-4\n"
			       "SourceLines=1\n[Budget]\nCPUShare=2.5%\nBreakpointShare=0%\n"
			       "Memory=64M\nSnapshotsPerSec=7\nRecordsPerSec=8\nBytesPerSec=9K\n"
			       "CaptureBytes=10K\n"
			       "[Export]\nJournal=true\nOTLP=/o\nMetrics=/m\nMaxSeries=10\n"
			       "CountIntervalSec=11\nExportComm=yes\n",
			       &config, &errors),
			 0);
	assert_null(errmsg_queue_next(&errors));
	assert_int_equal(config.target_count, 2);
	assert_string_equal(config.targets[0], "vfs_open");
	assert_string_equal(config.targets[1], "preset:oom");
	assert_true(config.learned && config.source_lines);
	assert_true(config.filter.errno_filter && !config.filter.errno_any);
	assert_int_equal(config.filter.errnos[0], 1 << ENOENT | 1 << EIO);
	assert_true(config.filter.cpu_filter);
	assert_int_equal(config.filter.cpus[0], 1 << 1 | 1 << 3 | 1 << 4);
	assert_string_equal(config.filter.comm, "c");
	assert_string_equal(config.unit, "u");
	assert_null(config.cgroup);
	assert_true(config.cpu_share > 0.0249 && config.cpu_share < 0.0251);
	assert_true(config.filter.max_overhead == 0);
	assert_int_equal(config.memory, 64 << 20);
	assert_int_equal(config.per_s, 7);
	assert_int_equal(config.export.records_per_s, 8);
	assert_int_equal(config.export.bytes_per_s, 9 << 10);
	assert_int_equal(config.export.capture_bytes, 10 << 10);
	assert_true(config.export.journal && config.export.comm && config.export.service);
	assert_string_equal(config.export.otlp, "/o");
	assert_string_equal(config.export.metrics, "/m");
	assert_int_equal(config.export.series, 10);
	assert_int_equal(config.interval_s, 11);
	watch_config_deinit(&config);
	errmsg_queue_deinit(&errors);
}

/* No limit is off, and nothing private leaves, unless it is written there. */
static void watch_config_parse_without_keys_is_careful(void **state)
{
	struct errmsg_queue errors = {};
	struct watch_config config;

	(void)state;
	assert_int_equal(parse("[Watch]\nTarget=a\n[Export]\nJournal=yes\n", &config, &errors), 0);
	assert_true(config.cpu_share > 0 && config.filter.max_overhead > 0);
	assert_true(config.memory && config.per_s && config.interval_s);
	assert_true(config.export.records_per_s && config.export.bytes_per_s);
	/* As lbrsnoop(8) has it */
	assert_int_equal(config.export.capture_bytes, 64 << 10);
	assert_false(config.export.comm);
	assert_true(config.filter.errno_filter && config.filter.errno_any);
	watch_config_deinit(&config);
	errmsg_queue_deinit(&errors);
}

static void watch_config_parse_refused_sets_nothing(void **state)
{
	struct errmsg_queue errors = {};
	struct watch_config config;

	(void)state;
	memset(&config, 0x5a, sizeof(config));
	assert_int_equal(parse("[Watch]\nTarget=a\nComm=b\nErrno=EWHAT\nCPUs=\n[Export]\nOTLP=/o\n",
			       &config, &errors),
			 -EINVAL);
	for (size_t i = 0; i < sizeof(config); i++)
		assert_int_equal(((unsigned char *)&config)[i], 0x5a);
	assert_non_null(strstr(errmsg_queue_next(&errors), "f:4: Errno: 'EWHAT'"));
	assert_null(errmsg_queue_next(&errors));
	errmsg_queue_deinit(&errors);
}

/* A line of as many parts as a file can have: to join them takes time by their number, not its
 * square: milliseconds, where that took half a minute.
 */
static void ini_read_of_many_joined_lines_is_linear(void **state)
{
	size_t count = WATCH_CONFIG_BYTES / 4;
	char *file = malloc(4 * count + 1);
	char text[1000] = "";
	clock_t begin;

	assert_non_null(file);
	for (size_t i = 0; i < count; i++)
		memcpy(file + 4 * i, i ? "b \\\n" : "a=\\\n", 4);
	file[4 * count] = '\0';
	begin = clock();
	assert_int_equal(ini_read(file, 4 * count, put, text), 0);
	assert_true(clock() - begin < 2 * CLOCKS_PER_SEC);
	assert_memory_equal(text, "1 a=b  b  b  b", 14);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ini_read_syntax),
		cmocka_unit_test(ini_read_of_many_joined_lines_is_linear),
		cmocka_unit_test(watch_config_parse_takes_all_keys),
		cmocka_unit_test(watch_config_parse_without_keys_is_careful),
		cmocka_unit_test(watch_config_parse_refused_sets_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
