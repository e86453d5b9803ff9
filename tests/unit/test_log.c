// SPDX-License-Identifier: GPL-2.0
/* test_log - messages with what others chose: no byte of it is a command to a terminal */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/log.h"

/* What log_info() writes of @text to standard error. */
static void expect_line(const char *text, const char *line)
{
	FILE *file = tmpfile();
	char said[256] = {};
	int before = dup(STDERR_FILENO);

	assert_non_null(file);
	assert_true(before >= 0);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
	log_info("%s", text);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	close(before);
	rewind(file);
	assert_true(fread(said, 1, sizeof(said) - 1, file) > 0);
	fclose(file);
	assert_string_equal(said, line);
}

static void log_has_no_control_characters(void **state)
{
	(void)state;
	expect_line("a\tb", "lbrsnoop: a\tb\n");
	expect_line("a\x1b[2J\x7f\nb", "lbrsnoop: a\\x1b[2J\\x7f\\x0ab\n");
	/* U+009B, both of its bytes: a terminal of 8 bits obeys the second alone. U+00E4 is none.
	 */
	expect_line("a\xc2\x9b"
		    "2J",
		    "lbrsnoop: a\\xc2\\x9b2J\n");
	expect_line("\xc3\xa4", "lbrsnoop: \xc3\xa4\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_has_no_control_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
