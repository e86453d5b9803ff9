// SPDX-License-Identifier: GPL-2.0
/* Breakpoints of several functions given up in one look: each is told, not the last one alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "util/errmsg_queue.h"

static void errmsg_queue_two_messages_come_in_order(void **state)
{
	struct errmsg_queue queue = {0};

	(void)state;
	assert_null(errmsg_queue_next(&queue));
	errmsg_queue_add(&queue, "%s: disarmed", "vfs_read");
	errmsg_queue_add(&queue, "%s: disarmed", "vfs_write");
	assert_string_equal(errmsg_queue_next(&queue), "vfs_read: disarmed");
	errmsg_queue_add(&queue, "late");
	assert_string_equal(errmsg_queue_next(&queue), "vfs_write: disarmed");
	assert_string_equal(errmsg_queue_next(&queue), "late");
	assert_null(errmsg_queue_next(&queue));
	errmsg_queue_add(&queue, "again");
	assert_string_equal(errmsg_queue_next(&queue), "again");
	assert_null(errmsg_queue_next(&queue));
	errmsg_queue_deinit(&queue);
}

static void errmsg_queue_full_counts_what_it_leaves_out(void **state)
{
	struct errmsg_queue queue = {0};
	char text[32];

	(void)state;
	for (int i = 0; i < ERRMSG_QUEUE_MAX + 3; i++)
		errmsg_queue_add(&queue, "message %d", i);
	for (int i = 0; i < ERRMSG_QUEUE_MAX; i++) {
		snprintf(text, sizeof(text), "message %d", i);
		assert_string_equal(errmsg_queue_next(&queue), text);
	}
	assert_string_equal(errmsg_queue_next(&queue), "3 more messages like these are left out");
	assert_null(errmsg_queue_next(&queue));
	errmsg_queue_deinit(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errmsg_queue_two_messages_come_in_order),
		cmocka_unit_test(errmsg_queue_full_counts_what_it_leaves_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
