// SPDX-License-Identifier: GPL-2.0
/* The counters for Prometheus, written again and again: none falls, whichever path has a series. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/metrics.h"

#define NOTHING UINT64_MAX

static char path[] = "/tmp/lbrsnoop-test-XXXXXX";

static void add(struct findings *findings, uint64_t ident, unsigned int times)
{
	const struct finding_kernel kernel = {.release = ""};
	struct trigger trigger = {.target = (char *)"f", .function = (char *)"f", .path = NULL};
	struct snapshot snap = {.trigger = &trigger, .err = 2};
	struct finding finding;

	while (times--)
		assert_int_equal(findings_add(findings, &snap, ident, NULL, &kernel, 0, &finding),
				 0);
}

/* The value of the line that begins with @name, or of the series of path @ident. */
static uint64_t value_of(const char *name, uint64_t ident)
{
	uint64_t value = NOTHING;
	char line[512], wanted[64];
	FILE *file = fopen(path, "re");

	snprintf(wanted, sizeof(wanted), "path_id=\"%016" PRIx64 "\"", ident);
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		const char *number = strrchr(line, ' ');

		if (number && !strncmp(line, name, strlen(name)) &&
		    (!ident || strstr(line, wanted)))
			value = strtoull(number, NULL, 10);
	}
	fclose(file);
	return value;
}

/* What is in the file: the series of 1 and 2, and the others. */
static void assert_written(struct findings *findings, uint32_t series, uint64_t first,
			   uint64_t second, uint64_t others)
{
	struct errmsg msg = {};

	assert_int_equal(metrics_write(path, true, findings, series, &msg), 0);
	assert_int_equal(value_of("lbrsnoop_path_snapshots_total", 1), first);
	assert_int_equal(value_of("lbrsnoop_path_snapshots_total", 2), second);
	assert_int_equal(value_of("lbrsnoop_other_paths_snapshots_total", 0), others);
}

static void path_that_overtakes_another_leaves_its_count_with_the_others(void **state)
{
	struct findings *findings = findings_create();

	(void)state;
	assert_non_null(findings);
	add(findings, 1, 5);
	add(findings, 2, 3);
	assert_written(findings, 1, 5, NOTHING, 3);
	add(findings, 2, 4);
	assert_written(findings, 1, NOTHING, 4, 3);
	assert_written(findings, 1, NOTHING, 4, 3);
	add(findings, 1, 10);
	assert_written(findings, 1, 15, NOTHING, 3);
	add(findings, 2, 1);
	assert_written(findings, 1, 15, NOTHING, 4);
	add(findings, 2, 20);
	assert_written(findings, 1, NOTHING, 24, 4);
	assert_int_equal(value_of("lbrsnoop_snapshots_total", 0), 43);
	findings_destroy(findings);
}

static void all_with_a_series_have_all_of_their_count(void **state)
{
	struct findings *findings = findings_create();

	(void)state;
	assert_non_null(findings);
	add(findings, 1, 1);
	assert_written(findings, 2, 1, NOTHING, 0);
	add(findings, 2, 3);
	assert_written(findings, 2, 1, 3, 0);
	findings_destroy(findings);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_that_overtakes_another_leaves_its_count_with_the_others),
		cmocka_unit_test(all_with_a_series_have_all_of_their_count),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
