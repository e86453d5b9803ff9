// SPDX-License-Identifier: GPL-2.0
/* Memory that runs out while paths are counted; what is printed is for tests/cli/aggregates.py. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/summary.h"

/* The nth copy of a string from now on fails; 0: none does. */
static unsigned int failing_copy;

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

char *__wrap_strdup(const char *text)
{
	return failing_copy && !--failing_copy ? NULL : __real_strdup(text);
}

static void summary_add_no_memory_frees_once(void **state)
{
	static struct trigger trigger = {.target = "open_it", .function = "open_it"};
	struct snapshot snap = {.trigger = &trigger};
	struct summary_options opts = {.top = 10};

	(void)state;
	for (unsigned int nth = 1; nth <= 2; nth++) {
		struct summary *summary = summary_create(&opts);

		assert_non_null(summary);
		failing_copy = nth;
		assert_int_equal(summary_add(summary, &snap, 1, NULL, NULL, NULL, 0), -ENOMEM);
		assert_false(summary_find(summary, 1));
		assert_int_equal(summary_add(summary, &snap, 2, NULL, NULL, NULL, 0), 0);
		assert_true(summary_find(summary, 2));
		summary_destroy(summary);
	}
}

/* A path that was counted elsewhere: there is no snapshot of it. */
static void summary_add_count_no_memory_frees_once(void **state)
{
	struct summary_count counted = {
		.ident = 1, .count = 5, .function = "open_it", .kind = "hw", .error = ""};
	struct summary_options opts = {.top = 10};

	(void)state;
	for (unsigned int nth = 1; nth <= 2; nth++) {
		struct summary *summary = summary_create(&opts);

		assert_non_null(summary);
		failing_copy = nth;
		assert_int_equal(summary_add_count(summary, &counted), -ENOMEM);
		assert_false(summary_find(summary, 1));
		assert_int_equal(summary_add_count(summary, &counted), 0);
		assert_true(summary_find(summary, 1));
		summary_destroy(summary);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary_add_no_memory_frees_once),
		cmocka_unit_test(summary_add_count_no_memory_frees_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
