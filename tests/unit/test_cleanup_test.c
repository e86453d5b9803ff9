// SPDX-License-Identifier: GPL-2.0
/* src/why/decision/cleanup_test.c: functions of our own, whose lines are as GCC leaves them when it
 * threads a jump through a clean-up */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"
#include "why/decision/cleanup_test.h"
#include "why/decision/decision.h"

#define SELF "/proc/self/exe"

/*
 * 10: error = -EXDEV;
 * 11: if (a == b) {
 * 13:         error = work(); }
 * 20: if (c)
 * 21:         error = ...;
 * 25: return error;
 *
 * @copied: the line of the second test of c; @skipped: that of work(); @compared: that of "a == b".
 * Both sides of @either come to the load where it is set.
 */
#define FLOW(name, compared, skipped, copied, either)                                              \
	__asm__ volatile(".globl " #name "\n.type " #name ", @function\n" #name ":\n"              \
			 ".loc 1 " #compared "\n cmp %rsi, %rdi\n je 1f\n"                         \
			 ".loc 1 19\n xor %ecx, %ecx\n"                                            \
			 ".loc 1 20\n test %rdx, %rdx\n je 2f\n"                                   \
			 "3:\n.loc 1 21\n mov $-5, %eax\n ret\n"                                   \
			 "2:\n.loc 1 10\n mov $-18, %eax\n"                                        \
			 ".loc 1 25\n ret\n"                                                       \
			 "1:\n.loc 1 " #skipped "\n mov $-7, %eax\n"                               \
			 ".if " #either "\n cmp $9, %r8\n je 2b\n .endif\n"                        \
			 ".loc 1 " #copied "\n test %rdx, %rdx\n jne 3b\n"                         \
			 ".loc 1 25\n ret\n"                                                       \
			 ".size " #name ", . - " #name "\n")

/* Never called. In a function the assembler knows file number 1, and the lines are this unit's. */
__attribute__((used, noinline)) static void flows(void)
{
	FLOW(threaded, 11, 13, 20, 0);
	FLOW(other_line, 11, 13, 22, 0);      /* the other test is no copy */
	FLOW(before_it, 9, 13, 20, 0);	      /* decided before the assignment */
	FLOW(nothing_skipped, 11, 24, 20, 0); /* "if (a != b) goto out; if (c) goto out;" */
	FLOW(not_needed, 11, 13, 20, 1);      /* the other side comes to the load, too */
	/* Two tests in a line are no copies of each other: "if (c || d)". */
	__asm__ volatile(".globl two_tests\n.type two_tests, @function\ntwo_tests:\n"
			 ".loc 1 11\n cmp %rsi, %rdi\n je 1f\n"
			 ".loc 1 20\n test %rdx, %rdx\n je 2f\n"
			 ".loc 1 21\n mov $-5, %eax\n ret\n"
			 "2:\n.loc 1 10\n mov $-18, %eax\n"
			 ".loc 1 25\n ret\n"
			 "1:\n.loc 1 13\n mov $-7, %eax\n"
			 ".loc 1 20\n test %rcx, %rcx\n jne 2f\n"
			 "2:\n.loc 1 25\n ret\n"
			 ".size two_tests, . - two_tests\n");
}

extern const char threaded[];

struct self {
	struct lines *lines;
	struct symbols *symbols;
	uint64_t bias;
};

static int own_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct self *self = ctx;

	memcpy(buf, (const void *)(uintptr_t)(addr + self->bias), len);
	return 0;
}

static int open_self(void **state)
{
	struct lines_options opts = {.vmlinux = SELF, .release = "no-kernel"};
	struct self *self = calloc(1, sizeof(*self));
	struct symbol sym;

	if (!self || lines_open(&opts, &self->lines) || symbols_open_elf(SELF, 0, &self->symbols) ||
	    symbols_by_name(self->symbols, "", "threaded", 0, &sym))
		return -1;
	self->bias = (uintptr_t)threaded - sym.addr;
	*state = self;
	return 0;
}

static int close_self(void **state)
{
	struct self *self = *state;

	lines_close(self->lines);
	symbols_close(self->symbols);
	free(self);
	return 0;
}

static int line_at(struct self *self, uint64_t addr)
{
	struct srcline line;

	return lines_find(self->lines, "", addr, false, &line, 1) == 1 ? line.line : 0;
}

/* The lines of the decisions before "mov $-18, %eax", the first one first; @ret_later of each. */
static size_t decide(struct self *self, const char *name, bool with_lines, int *ret_lines,
		     bool *ret_later)
{
	static const uint8_t load[] = {0xb8, 0xee, 0xff, 0xff, 0xff};
	struct text_source text = {.read = own_text, .ctx = self};
	struct decision_code where = {
		.text = &text, .symbols = self->symbols, .lines = with_lines ? self->lines : NULL};
	struct decision all[4];
	struct symbol func;
	const uint8_t *at;
	int count;

	assert_int_equal(symbols_by_name(self->symbols, "", name, 0, &func), 0);
	at = memmem((const void *)(uintptr_t)(func.addr + self->bias), func.size, load,
		    sizeof(load));
	assert_non_null(at);
	count = decisions_find(&where, &func, (uintptr_t)at - self->bias, NULL, NULL, all, 4);
	assert_true(count > 0);
	cleanup_tests_last(&where, &func, (uintptr_t)at - self->bias, all, (size_t)count);
	for (int i = 0; i < count; i++) {
		ret_lines[i] = line_at(self, all[i].addr);
		ret_later[i] = all[i].later;
	}
	return (size_t)count;
}

static void cleanup_copied_test_comes_behind_the_one_that_decided(void **state)
{
	int lines[4];
	bool later[4];

	assert_int_equal(decide(*state, "threaded", true, lines, later), 2);
	assert_int_equal(lines[0], 11);
	assert_false(later[0]);
	assert_int_equal(lines[1], 20);
	assert_true(later[1]);
}

static void cleanup_without_evidence_stays(void **state)
{
	static const char *const names[] = {"other_line", "before_it", "nothing_skipped",
					    "two_tests"};
	int lines[4];
	bool later[4];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(decide(*state, names[i], true, lines, later), 2);
		assert_int_equal(lines[0], 20);
		assert_false(later[0] || later[1]);
	}
	assert_int_equal(decide(*state, "threaded", false, lines, later), 2);
	assert_int_equal(lines[0], 20);
	assert_false(later[0] || later[1]);
}

/* Two ways lead to the load: which was taken the text does not tell. */
static void cleanup_other_side_may_come_too(void **state)
{
	struct self *self = *state;
	struct text_source text = {.read = own_text, .ctx = self};
	struct decision_code where = {
		.text = &text, .symbols = self->symbols, .lines = self->lines};
	struct decision all[2] = {};
	struct symbol func;
	uint64_t site;
	const uint8_t *code;

	assert_int_equal(symbols_by_name(self->symbols, "", "not_needed", 0, &func), 0);
	code = (const uint8_t *)(uintptr_t)(func.addr + self->bias);
	/* cmp, je, xor, test, je, mov, ret, mov: branches were seen to go this way. */
	all[0] = (struct decision){.addr = func.addr + 10, .taken = true};
	all[1] = (struct decision){.addr = func.addr + 3, .taken = false};
	site = func.addr + 18;
	assert_int_equal(code[18], 0xb8);
	assert_int_equal(code[19], 0xee);
	assert_int_equal(line_at(self, all[0].addr), 20);
	assert_int_equal(line_at(self, all[1].addr), 11);
	cleanup_tests_last(&where, &func, site, all, 2);
	assert_int_equal(all[0].addr, func.addr + 10);
	assert_false(all[0].later);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cleanup_copied_test_comes_behind_the_one_that_decided),
		cmocka_unit_test(cleanup_without_evidence_stays),
		cmocka_unit_test(cleanup_other_side_may_come_too),
	};

	return cmocka_run_group_tests(tests, open_self, close_self);
}
