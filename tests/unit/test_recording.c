// SPDX-License-Identifier: GPL-2.0
/* src/cmd/recording: what is moved away before the first file is begun */
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

#include "cmd/trace/recording.h"
#include "symbolize/symbols.h"

static char folder[] = "/tmp/lbrsnoop-recording.XXXXXX";
static char path[64], moved[80];

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	(void)ctx;
	(void)addr;
	(void)buf;
	(void)len;
	return -1;
}

/* A file with something in it; its descriptor. */
static int make_file(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "kept", 4), 4);
	return fd;
}

static void begin_and_end(void)
{
	static const struct lbr_info lbr = {.model = "skylake", .format = 5, .depth = 32};
	struct recording_options opts = {
		.recorder = {.path = path,
			     .command = "record",
			     .tool = "test",
			     .text = {.read = read_text},
			     .lbr = &lbr,
			     .filter = "any"},
		.max_bytes = 1 << 20,
		.max_files = 3,
	};
	struct recording *recording;
	struct symbols *symbols;

	assert_int_equal(symbols_open_empty(&symbols), 0);
	opts.recorder.symbols = symbols;
	assert_int_equal(recording_open(&opts, &recording, NULL), 0);
	assert_int_equal(recording_close(recording, 0, NULL), 0);
	symbols_close(symbols);
}

static void recording_moves_away_what_is_there(void **state)
{
	close(make_file());
	begin_and_end();
	assert_int_equal(access(moved, F_OK), 0);
	unlink(moved);
}

/* Its name may be a device node's, /dev/stdout. */
static void recording_moves_no_file_of_standard_output(void **state)
{
	int fd = make_file(), before = dup(STDOUT_FILENO);

	assert_true(before >= 0);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	begin_and_end();
	dup2(before, STDOUT_FILENO);
	close(before);
	close(fd);
	assert_int_equal(access(moved, F_OK), -1);
}

static int set_up(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/f", folder);
	snprintf(moved, sizeof(moved), "%s.1", path);
	return 0;
}

static int tear_down(void **state)
{
	unlink(path);
	unlink(moved);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recording_moves_away_what_is_there),
		cmocka_unit_test(recording_moves_no_file_of_standard_output),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
