// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "symbolize/cold_part.h"

/* Two static functions of one name, one of another module, a clone by GCC and a part by Clang. */
static const char table[] = "ffffffff81000000 t probe\n"
			    "ffffffff81000100 t other\n"
			    "ffffffff81000200 t probe\n"
			    "ffffffff81000300 t scan.isra.0\n"
			    "ffffffff81000400 t coldish\n"
			    "ffffffff81000500 t probe.cold\n"
			    "ffffffff81000520 t scan.isra.0.cold\n"
			    "ffffffff81000540 t clang.cold.1\n"
			    "ffffffff81000560 t gone.cold\n"
			    "ffffffff81000580 t clang.cold.12\n"
			    "ffffffff810005a0 t clang.coldish\n"
			    "ffffffff810005c0 t clang\n"
			    "ffffffff81000600 t end\n"
			    "ffffffffc0a00000 t probe\t[mod]\n"
			    "ffffffffc0a00100 t probe.coldish\t[mod]\n"
			    "ffffffffc0a00200 t probe.cold\t[mod]\n";

static struct symbols *symbols;

static struct symbol at(uint64_t addr)
{
	struct symbol sym;

	assert_int_equal(symbols_find(symbols, addr, &sym), 0);
	return sym;
}

static void prefix_ends_at_suffix(void **state)
{
	(void)state;
	assert_int_equal(cold_part_prefix("probe.cold"), 5);
	assert_int_equal(cold_part_prefix("scan.isra.0.cold"), 11);
	assert_int_equal(cold_part_prefix("clang.cold.1"), 5);
	assert_int_equal(cold_part_prefix("probe"), 0);
	assert_int_equal(cold_part_prefix("probe.coldish"), 0);
	assert_int_equal(cold_part_prefix("a.coldish.cold"), 9);
}

static void part_is_of_function_of_module(void **state)
{
	struct symbol kernel = at(0xffffffff81000500), module = at(0xffffffffc0a00200);
	struct symbol probe = at(0xffffffff81000000), other = at(0xffffffff81000100);
	struct symbol ish = at(0xffffffffc0a00100), of_module = at(0xffffffffc0a00000);

	(void)state;
	assert_true(cold_part_is_of(&kernel, &probe));
	assert_true(cold_part_is_of(&module, &of_module));
	assert_false(cold_part_is_of(&module, &probe));
	assert_false(cold_part_is_of(&kernel, &other));
	assert_false(cold_part_is_of(&ish, &of_module));
	assert_false(cold_part_is_of(&probe, &kernel));
}

static void part_of_function_is_found(void **state)
{
	struct symbol probe = at(0xffffffffc0a00000), other = at(0xffffffff81000100), cold;

	(void)state;
	assert_int_equal(symbols_cold_part(symbols, &probe, 0, &cold), 0);
	assert_int_equal(cold.addr, 0xffffffffc0a00200);
	assert_int_equal(symbols_cold_part(symbols, &probe, 1, &cold), -ENOENT);
	assert_int_equal(symbols_cold_part(symbols, &other, 0, &cold), -ENOENT);
}

/* A number says nothing of how many there are: GCC 8 counts them in a file, not in a function. */
static void numbered_parts_of_function_are_found(void **state)
{
	struct symbol clang = at(0xffffffff810005c0), cold;

	(void)state;
	assert_int_equal(symbols_cold_part(symbols, &clang, 0, &cold), 0);
	assert_string_equal(cold.name, "clang.cold.1");
	assert_int_equal(symbols_cold_part(symbols, &clang, 1, &cold), 0);
	assert_string_equal(cold.name, "clang.cold.12");
	assert_int_equal(symbols_cold_part(symbols, &clang, 2, &cold), -ENOENT);
	/* By its own name one is found as before. */
	assert_int_equal(symbols_by_name(symbols, "", "clang.cold.12", 0, &cold), 0);
	assert_int_equal(cold.addr, 0xffffffff81000580);
	assert_int_equal(symbols_by_name(symbols, "", "clang.cold", 0, &cold), -ENOENT);
}

/* Nobody tells which of two functions a part is of: both are handed out. */
static void functions_of_part_are_found(void **state)
{
	struct symbol cold = at(0xffffffff81000500), gone = at(0xffffffff81000560);
	struct symbol other = at(0xffffffff81000100), whole;

	(void)state;
	assert_int_equal(cold_part_whole(symbols, &cold, 0, &whole), 0);
	assert_int_equal(whole.addr, 0xffffffff81000000);
	assert_int_equal(cold_part_whole(symbols, &cold, 1, &whole), 0);
	assert_int_equal(whole.addr, 0xffffffff81000200);
	assert_int_equal(cold_part_whole(symbols, &cold, 2, &whole), -ENOENT);
	assert_int_equal(cold_part_whole(symbols, &gone, 0, &whole), -ENOENT);
	assert_int_equal(cold_part_whole(symbols, &other, 0, &whole), -ENOENT);
}

/* As long as a name may be at all, and longer: no function, no crash. */
static void long_names_have_no_part(void **state)
{
	char name[2048];
	struct symbol sym = {.name = name, .module = ""}, found;

	(void)state;
	memset(name, 'x', sizeof(name));
	strcpy(name + sizeof(name) - 8, ".cold");
	assert_int_equal(cold_part_whole(symbols, &sym, 0, &found), -ENOENT);
	name[sizeof(name) - 8] = '\0';
	assert_int_equal(symbols_cold_part(symbols, &sym, 0, &found), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefix_ends_at_suffix),
		cmocka_unit_test(part_is_of_function_of_module),
		cmocka_unit_test(part_of_function_is_found),
		cmocka_unit_test(numbered_parts_of_function_are_found),
		cmocka_unit_test(functions_of_part_are_found),
		cmocka_unit_test(long_names_have_no_part),
	};
	int failed;

	symbols = symbol_table(table);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	symbols_close(symbols);
	return failed;
}
