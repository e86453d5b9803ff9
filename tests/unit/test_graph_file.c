// SPDX-License-Identifier: GPL-2.0
/* Drawing a graph with programs that take dot's place: what they do, and how long, is told. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/graph_file.h"
#include "util/clock.h"

static char dir[] = "/tmp/test_graph_file.XXXXXX";

/* A shell script is "dot" from now on. */
static void set_dot(const char *script)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/dot", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static int draw(uint32_t limit_ms, struct errmsg *msg)
{
	msg->text[0] = '\0';
	return graph_write("digraph {}", 10, NULL, "x.svg", limit_ms, msg);
}

static void graph_write_dot_takes_too_long_is_killed(void **state)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	struct errmsg msg;

	(void)state;
	set_dot("exec /bin/sleep 100");
	assert_int_equal(draw(50, &msg), -ETIMEDOUT);
	assert_non_null(strstr(msg.text, "--dot FILE"));
	assert_true(clock_ns(CLOCK_MONOTONIC) - start < 50000000000);
}

static void graph_write_dot_fails_status_is_told(void **state)
{
	struct errmsg msg;

	(void)state;
	set_dot("exit 3");
	assert_int_equal(draw(60000, &msg), -EIO);
	assert_non_null(strstr(msg.text, "exit status 3"));
	set_dot("kill -TERM $$");
	assert_int_equal(draw(60000, &msg), -EIO);
	assert_non_null(strstr(msg.text, "ended by signal 15"));
}

static void graph_write_dot_draws_reads_the_graph(void **state)
{
	struct errmsg msg;

	(void)state;
	set_dot("read text; [ \"$text\" = 'digraph {}' ]");
	assert_int_equal(draw(60000, &msg), 0);
}

/* Smaller and larger than a buffer of stdio: the reason is the same. */
static void graph_write_disk_is_full_is_the_reason(void **state)
{
	const size_t lens[] = {10, 1 << 20};
	char *text = calloc(1, 1 << 20);
	struct errmsg msg;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(graph_write(text, lens[i], "/dev/full", NULL, 0, &msg), -ENOSPC);
	assert_non_null(strstr(msg.text, "/dev/full"));
	free(text);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) && !setenv("PATH", dir, 1) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/dot", dir);
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graph_write_dot_takes_too_long_is_killed),
		cmocka_unit_test(graph_write_dot_fails_status_is_told),
		cmocka_unit_test(graph_write_dot_draws_reads_the_graph),
		cmocka_unit_test(graph_write_disk_is_full_is_the_reason),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
