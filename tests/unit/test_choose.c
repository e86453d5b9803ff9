// SPDX-License-Identifier: GPL-2.0
/* Functions written by hand; expected values are read off the listing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "target/choose.h"

#define BASE 0xffffffff81000000ULL

/*
 * one:   00 jmp other      two:   10 test %eax,%eax     other:  30 ret
 *                                 12 js other
 *                                 14 jmp other
 * three: 20 js other
 *        22 jmp one
 */
static const uint8_t code[0x40] = "\xeb\x2e\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\x85\xc0\x78\x1c\xeb\x1a\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\x78\x0e\xeb\xdc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static const char table[] = "ffffffff81000000 T one\n"
			    "ffffffff81000010 T two\n"
			    "ffffffff81000020 T three\n"
			    "ffffffff81000030 T other\n"
			    "ffffffff81000040 T end\n";

static const struct text_bytes listing = {BASE, code, sizeof(code)};

static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};

static int open_table(void **state)
{
	*state = symbol_table(table);
	return *state ? 0 : -1;
}

static int close_table(void **state)
{
	symbols_close(*state);
	return 0;
}

/* A function whose trigger is ours to choose. */
static struct probe candidate(uint64_t addr, uint64_t size)
{
	return (struct probe){
		.trigger = {.kind = TRIGGER_FEXIT, .func_addr = addr, .func_size = size},
		.fallback = true};
}

static void choose_triggers_return_gets_a_breakpoint(void **state)
{
	struct choose_options opts = {.symbols = *state, .text = &text};
	struct probe probe = candidate(BASE + 0x30, 0x10);
	struct probe_list list = {.items = &probe, .count = 1};
	struct errmsg msg = {};

	assert_int_equal(choose_triggers(&opts, &list, &msg), 0);
	assert_int_equal(probe.trigger.kind, TRIGGER_HW);
	assert_int_equal(probe.site_count, 1);
	assert_true(probe.sites[0] == BASE + 0x30);
	assert_string_equal(probe.hw_reason, "");
}

static void choose_triggers_tail_calls_are_told(void **state)
{
	static const struct {
		uint64_t offset, size;
		const char *said;
	} cases[] = {
		{0x00, 0x10, "it leaves by 1 tail call, which returns elsewhere: trace other"},
		{0x10, 0x10, "it leaves by 2 tail calls, which return elsewhere: trace other"},
		{0x20, 0x10, "it leaves by 2 tail calls, which return elsewhere"},
	};

	for (size_t i = 0; i < 3; i++) {
		struct choose_options opts = {.symbols = *state, .text = &text};
		struct probe probe = candidate(BASE + cases[i].offset, cases[i].size);
		struct probe_list list = {.items = &probe, .count = 1};
		struct errmsg msg = {};

		assert_int_equal(choose_triggers(&opts, &list, &msg), 0);
		assert_int_equal(probe.trigger.kind, TRIGGER_FEXIT);
		assert_string_equal(probe.hw_reason, cases[i].said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choose_triggers_return_gets_a_breakpoint),
		cmocka_unit_test(choose_triggers_tail_calls_are_told),
	};

	return cmocka_run_group_tests_name("choose", tests, open_table, close_table);
}
