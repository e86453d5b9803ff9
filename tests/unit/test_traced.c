// SPDX-License-Identifier: GPL-2.0
/* src/target/traced: which functions the kernel's tracer knows */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "target/traced.h"
#include "util/cleanup.h"

static struct traced read_text(const char *text)
{
	_cleanup_fclose_ FILE *file = fmemopen((void *)text, strlen(text), "r");
	struct traced traced;

	assert_non_null(file);
	assert_int_equal(traced_read(file, &traced), 0);
	return traced;
}

static void finds_what_is_listed(void **state)
{
	/* Modules come as they were loaded: not ascending. */
	struct traced traced = read_text("ffffffff81000044 with_endbr\n"
					 "ffffffffc0001000 of_module [ext4]\n"
					 "ffffffff81000100 without_endbr\n");

	(void)state;
	assert_int_equal(traced.count, 3);
	assert_true(traced_has(&traced, 0xffffffff81000040));
	assert_true(traced_has(&traced, 0xffffffff81000100));
	assert_true(traced_has(&traced, 0xffffffffc0001000));
	assert_false(traced_has(&traced, 0xffffffff81000048));
	assert_false(traced_has(&traced, 0xffffffff81000200));
	assert_false(traced_has(&traced, 0));
	traced_deinit(&traced);
}

static void skips_malformed_lines(void **state)
{
	struct traced traced = read_text("\nnot an address\nffffffff81000100\n"
					 "ffffffff81000200 last without newline");

	(void)state;
	assert_int_equal(traced.count, 2);
	assert_true(traced_has(&traced, 0xffffffff81000200));
	traced_deinit(&traced);
}

static void knows_nothing_of_an_empty_list(void **state)
{
	struct traced traced = {};

	(void)state;
	assert_false(traced_has(&traced, 0));
	assert_false(traced_has(&traced, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_is_listed),
		cmocka_unit_test(skips_malformed_lines),
		cmocka_unit_test(knows_nothing_of_an_empty_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
