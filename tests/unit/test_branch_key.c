// SPDX-License-Identifier: GPL-2.0
/* Conditions as disasm/condition.c writes them, and what each asks, by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare/branch_key.h"

static void asks(const char *condition, const char *plain, bool negated)
{
	char words[128];
	bool is = !negated;

	if (branch_condition(condition, words, sizeof(words), &is))
		fail_msg("%s: nothing is asked", condition);
	assert_string_equal(words, plain);
	assert_int_equal(is, negated);
}

static void asks_nothing(const char *condition)
{
	char words[128];
	bool negated;

	assert_int_equal(branch_condition(condition, words, sizeof(words), &negated), -ENOENT);
}

static void where_an_operand_lies_is_the_compilers(void **state)
{
	(void)state;
	asks("%cx == 0xa000", "x == 0xa000", false);
	asks("0x28(%rax) == 0xa000", "x == 0xa000", false);
	asks("-0x8(%rbp,%rcx,8) == 5", "x == 5", false);
	asks("(%dl & 2) == 0", "(x & 2) == 0", false);
	asks("(0xd(%rax) & 64) == 0", "(x & 64) == 0", false);
	asks("((%rax) & 64) == 0", "(x & 64) == 0", false);
	asks("%gs:0x351c8 == 0", "x == 0", false);
	asks("%rdi == 0xffffffff82a41c00", "x == x", false);
	asks("%rbx == %rax", "x == x", false);
	asks("(0xffffffff8242e040) != 0", "x == 0", true);
	asks("((0xffffffff8242e040) & 64) == 0", "(x & 64) == 0", false);
}

static void a_constant_is_the_sources(void **state)
{
	(void)state;
	asks("%eax == -22", "x == -22", false);
	asks("%eax == 0x400000", "x == 0x400000", false);
	asks("%rdi < 0xfffffffffffff001 (unsigned)", "x < 0xfffffffffffff001 (unsigned)", false);
}

static void one_question_has_two_answers(void **state)
{
	(void)state;
	asks("%eax != 0x400000", "x == 0x400000", true);
	asks("%eax >= 0", "x < 0", true);
	asks("%rdx < %rdi", "x < x", false);
	asks("%rdx >= %rdi", "x < x", true);
}

/* "jbe 0x6000" and "jb 0x6001" are one question. */
static void at_most_is_less_than_the_next(void **state)
{
	(void)state;
	asks("%cx <= 0x6000 (unsigned)", "x < 0x6001 (unsigned)", false);
	asks("%cx > 0x6000 (unsigned)", "x < 0x6001 (unsigned)", true);
	asks("%edx <= 3", "x < 4", false);
	asks("%edx > -5", "x < -4", true);
	asks("%rdi <= 0xfffffffffffff000 (unsigned)", "x < 0xfffffffffffff001 (unsigned)", false);
	/* What is written in decimal, and its next in hexadecimal. */
	asks("%edx <= 4095", "x < 0x1000", false);
}

static void what_compares_nothing_asks_nothing(void **state)
{
	(void)state;
	asks_nothing("");
	asks_nothing("bit %r15 of (%rax) is clear");
	asks_nothing("compare-and-exchange of (%rdi) succeeded");
	/* "b < a" of the other build would be its contrary. */
	asks_nothing("%rax <= %rdx");
	asks_nothing("%rax > %rdx");
	asks_nothing("%rax <= 0xffffffffffffffff (unsigned)");
}

static void what_is_too_long_asks_nothing(void **state)
{
	char condition[300], words[8];
	bool negated;

	(void)state;
	memset(condition, 'y', sizeof(condition));
	strcpy(condition + sizeof(condition) - 6, " == 5");
	asks_nothing(condition);
	assert_int_equal(branch_condition("%eax == 0x400000", words, sizeof(words), &negated),
			 -ENOENT);
	assert_int_equal(branch_condition("%eax <= 0x400000", words, sizeof(words), &negated),
			 -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_an_operand_lies_is_the_compilers),
		cmocka_unit_test(a_constant_is_the_sources),
		cmocka_unit_test(one_question_has_two_answers),
		cmocka_unit_test(at_most_is_less_than_the_next),
		cmocka_unit_test(what_compares_nothing_asks_nothing),
		cmocka_unit_test(what_is_too_long_asks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
