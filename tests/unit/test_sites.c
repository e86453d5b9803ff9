// SPDX-License-Identifier: GPL-2.0
/* src/why/sites: which instructions can have made an error. Code by GNU as. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "why/sites.h"

#define BASE 0xffffffff81000000ULL

/*
 * Of those that load -EINVAL, the tracer knows "traced" alone:
 * jumps:     00 nopl (fentry)      05 test %edi,%edi       07 je always           0d js traced
 *            13 mov $-5,%eax       18 jmp sometimes
 * always:    20 mov $-22,%eax      25 ret
 * sometimes: 30 test %edi,%edi      32 jne further         38 mov $-22,%eax       3d ret
 * traced:    40 nopl (fentry)      45 mov $-22,%eax       4a ret
 * further:   50 mov $-22,%eax      55 ret
 * caller:    60 nopl (fentry)      65 call jumps          6a mov $-5,%eax        6f ret
 */
static const uint8_t machine_code[] =
	"\x0f\x1f\x44\x00\x00\x85\xff\x0f\x84\x13\x00\x00\x00\x0f\x88\x2d"
	"\x00\x00\x00\xb8\xfb\xff\xff\xff\xe9\x13\x00\x00\x00\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x85\xff\x0f\x85\x18\x00\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc\xcc"
	"\x0f\x1f\x44\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x0f\x1f\x44\x00\x00\xe8\x96\xff\xff\xff\xb8\xfb\xff\xff\xff\xc3";

static const char table[] = "ffffffff81000000 T jumps\n"
			    "ffffffff81000020 T always\n"
			    "ffffffff81000030 T sometimes\n"
			    "ffffffff81000040 T traced\n"
			    "ffffffff81000050 T further\n"
			    "ffffffff81000060 T caller\n"
			    "ffffffff81000070 T end\n";

static const struct text_bytes code = {BASE, machine_code, sizeof(machine_code) - 1};
static const struct text_source source = {.read = text_bytes_read, .ctx = (void *)&code};

/* The sites of a call that failed with EINVAL, in which the function at @offset alone was seen. */
static void find_in(struct symbols *symbols, uint32_t nr, uint32_t offset, struct sites *ret)
{
	uint32_t funcs[] = {(uint32_t)BASE + offset};
	struct failure failure = {.err = EINVAL, .funcs = funcs, .func_count = 1, .call.nr = nr};
	struct candidates candidates = {};

	assert_int_equal(candidates_find(&source, symbols, NULL, &candidates), 0);
	assert_int_equal(candidates.count, 6);
	for (size_t i = 0; i < candidates.count; i++)
		assert_int_equal(candidates.items[i].traced,
				 candidates.items[i].sym.addr == BASE ||
					 candidates.items[i].sym.addr == BASE + 0x40 ||
					 candidates.items[i].sym.addr == BASE + 0x60);
	assert_int_equal(sites_find(&failure, &candidates, &source, symbols, ret), 0);
	candidates_deinit(&candidates);
}

static void find(struct symbols *symbols, uint32_t offset, struct sites *ret)
{
	find_in(symbols, UINT32_MAX, offset, ret);
}

/*
 * A jump to another function is a call of it. A traced one was not entered: it would have been
 * seen. One that is not traced jumps further, as kstrtoull() does. The nearest come first.
 */
static void sites_find_untraced_functions_that_are_jumped_to(void **state)
{
	struct sites sites = {};

	find(*state, 0, &sites);
	assert_int_equal(sites.count, 3);
	assert_true(sites_has(&sites, BASE + 0x20));
	assert_true(sites_has(&sites, BASE + 0x38));
	assert_int_equal(sites.items[2].addr, BASE + 0x50);
	assert_false(sites.items[0].further);
	assert_false(sites.items[1].further);
	assert_true(sites.items[2].further);
	sites_deinit(&sites);
}

/* One that the tracer knows was entered only if it was seen: what it jumps to as well. */
static void sites_find_of_a_traced_function_that_is_called_none(void **state)
{
	struct sites sites = {};

	find(*state, 0x60, &sites);
	assert_int_equal(sites.count, 0);
	sites_deinit(&sites);
}

/* Of a file of sysfs the store function is no candidate: it hands kstrtoul()'s error on. */
static void sites_find_number_parsers_where_the_kernel_takes_text(void **state)
{
	static const char with_parser[] = "ffffffff81000000 T jumps\n"
					  "ffffffff81000020 T always\n"
					  "ffffffff81000030 T sometimes\n"
					  "ffffffff81000040 T traced\n"
					  "ffffffff81000050 t _kstrtoull\n"
					  "ffffffff81000060 T caller\n"
					  "ffffffff81000070 T end\n";
	struct symbols *symbols = symbol_table(with_parser);
	struct sites sites = {};

	(void)state;
	find_in(symbols, SYS_ioctl, 0x40, &sites);
	assert_int_equal(sites.count, 1);
	assert_int_equal(sites.items[0].addr, BASE + 0x45);
	sites_deinit(&sites);
	find_in(symbols, SYS_write, 0x40, &sites);
	assert_int_equal(sites.count, 2);
	assert_int_equal(sites.items[1].addr, BASE + 0x50);
	assert_true(sites.items[1].further);
	sites_deinit(&sites);
	symbols_close(symbols);
}

static int open_table(void **state)
{
	return symbol_table_setup(state, table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sites_find_untraced_functions_that_are_jumped_to,
						open_table, symbol_table_teardown),
		cmocka_unit_test_setup_teardown(sites_find_of_a_traced_function_that_is_called_none,
						open_table, symbol_table_teardown),
		cmocka_unit_test(sites_find_number_parsers_where_the_kernel_takes_text),
	};

	return cmocka_run_group_tests_name("sites", tests, NULL, NULL);
}
