// SPDX-License-Identifier: GPL-2.0
/* Lines of the kernel's log, as Documentation/ABI/testing/dev-kmsg describes its records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/klog.h"

/* Of the time to come: no snapshot is so late that it would be too old. */
#define LATE "9000000000000000"

/* One record as the log has it: klog reads a plain file as a whole, as if it were one. */
static void check(const char *record, const char *const *lines, size_t count)
{
	char path[] = "/tmp/lbrsnoop-klog-XXXXXX";
	const struct log_lines *around;
	int fd = mkstemp(path);
	struct klog *klog;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, record, strlen(record)), strlen(record));
	close(fd);
	assert_int_equal(klog_open(path, &klog), 0);
	around = klog_around(klog, 0);
	assert_int_equal(around->count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(around->text[i], lines[i]);
	klog_close(klog);
	unlink(path);
}

static void record_keys_are_left_out(void **state)
{
	static const char *const lines[] = {"usb 1-1: reset"};

	(void)state;
	check("6,339," LATE ",-;usb 1-1: reset\n SUBSYSTEM=usb\n DEVICE=+usb:1-1\n", lines, 1);
}

/* mm/kfence/report.c: pr_err("BUG: KFENCE: ... in %pS\n\n"); the log drops one newline itself. */
static void record_newline_at_the_end_is_no_line(void **state)
{
	static const char *const lines[] = {"BUG: KFENCE: use-after-free read in f+0x1/0x2"};

	(void)state;
	check("3,340," LATE ",-;BUG: KFENCE: use-after-free read in f+0x1/0x2\\x0a\n", lines, 1);
}

static void record_newlines_inside_part_lines(void **state)
{
	static const char *const lines[] = {"one", "", "two"};

	(void)state;
	check("3,340," LATE ",-;one\\x0a\\x0atwo\n", lines, 3);
}

/* Other bytes come back as they were; what only looks escaped is left alone. */
static void record_bytes_come_back(void **state)
{
	static const char *const lines[] = {"C:\\x0a \xc3\xa9 \\x4 \\x00 \\xzz \\"};

	(void)state;
	check("3,340," LATE ",-;C:\\x5cx0a \\xc3\\xa9 \\x4 \\x00 \\xzz \\\n", lines, 1);
}

static void record_without_text_is_an_empty_line(void **state)
{
	static const char *const lines[] = {""};

	(void)state;
	check("3,340," LATE ",-;\n", lines, 1);
}

static void record_damaged_is_none(void **state)
{
	(void)state;
	check("3,340\n", NULL, 0);
	check("3,x," LATE ",-;text\n", NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_keys_are_left_out),
		cmocka_unit_test(record_newline_at_the_end_is_no_line),
		cmocka_unit_test(record_newlines_inside_part_lines),
		cmocka_unit_test(record_bytes_come_back),
		cmocka_unit_test(record_without_text_is_an_empty_line),
		cmocka_unit_test(record_damaged_is_none),
	};

	return cmocka_run_group_tests_name("klog", tests, NULL, NULL);
}
