// SPDX-License-Identifier: GPL-2.0
/* src/why/run/unpatched: text that reads as it was before kprobes were armed in it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../text_bytes.h"
#include "why/run/unpatched.h"

#define BASE 0xffffffff81000000ULL
#define SIZE 32u

static uint8_t text[SIZE];
static const struct text_bytes listing = {BASE, text, sizeof(text)};

static int open_text(void **state)
{
	static struct unpatched unpatched;

	for (unsigned int i = 0; i < SIZE; i++)
		text[i] = (uint8_t)i;
	unpatched = (struct unpatched){.text = {.read = text_bytes_read, .ctx = (void *)&listing}};
	*state = &unpatched;
	return 0;
}

static int close_text(void **state)
{
	unpatched_forget(*state);
	return 0;
}

/* As an optimized kprobe does. */
static void patch(unsigned int at)
{
	for (unsigned int i = 0; i < 5 && at + i < SIZE; i++)
		text[at + i] = 0xcc;
}

/* All reads within [@from, @to) give what was there. */
static void check(struct unpatched *unpatched, unsigned int from, unsigned int to)
{
	struct text_source source = unpatched_source(unpatched);

	for (unsigned int at = from; at < to; at++)
		for (unsigned int len = 1; at + len <= to; len++) {
			uint8_t bytes[SIZE];

			assert_int_equal(source.read(source.ctx, BASE + at, bytes, len), 0);
			for (unsigned int i = 0; i < len; i++)
				assert_int_equal(bytes[i], at + i);
		}
}

static void unpatched_reads_of_any_part(void **state)
{
	assert_int_equal(unpatched_keep(*state, BASE + 10), 0);
	patch(10);
	check(*state, 0, SIZE);
}

/* The second one stands on the jump of the first. */
static void unpatched_kprobes_side_by_side(void **state)
{
	assert_int_equal(unpatched_keep(*state, BASE + 10), 0);
	patch(10);
	assert_int_equal(unpatched_keep(*state, BASE + 12), 0);
	patch(12);
	assert_int_equal(unpatched_keep(*state, BASE + 7), 0);
	patch(7);
	check(*state, 0, SIZE);
}

static void unpatched_at_the_end_of_the_text(void **state)
{
	assert_int_equal(unpatched_keep(*state, BASE + SIZE - 2), 0);
	patch(SIZE - 2);
	assert_int_equal(unpatched_keep(*state, BASE + SIZE), 0);
	check(*state, 0, SIZE);
}

/* Others change the text, too: what is kept is ours alone. */
static void unpatched_what_others_change_is_read(void **state)
{
	struct text_source source = unpatched_source(*state);
	uint8_t byte;

	assert_int_equal(unpatched_keep(*state, BASE + 10), 0);
	text[9] = text[15] = 0x90;
	assert_int_equal(source.read(source.ctx, BASE + 9, &byte, 1), 0);
	assert_int_equal(byte, 0x90);
	assert_int_equal(source.read(source.ctx, BASE + 15, &byte, 1), 0);
	assert_int_equal(byte, 0x90);
	unpatched_forget(*state);
	text[10] = 0x91;
	assert_int_equal(source.read(source.ctx, BASE + 10, &byte, 1), 0);
	assert_int_equal(byte, 0x91);
	assert_int_not_equal(source.read(source.ctx, BASE + SIZE, &byte, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unpatched_reads_of_any_part, open_text, close_text),
		cmocka_unit_test_setup_teardown(unpatched_kprobes_side_by_side, open_text,
						close_text),
		cmocka_unit_test_setup_teardown(unpatched_at_the_end_of_the_text, open_text,
						close_text),
		cmocka_unit_test_setup_teardown(unpatched_what_others_change_is_read, open_text,
						close_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
