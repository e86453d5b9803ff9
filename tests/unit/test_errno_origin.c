// SPDX-License-Identifier: GPL-2.0
/* Five functions written by hand; expected values are read off the listing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <unistd.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "target/errno_origin.h"
#include "util/cleanup.h"

#define BASE 0xffffffff81000000ULL

/*
 * first:  00 call one   05 call two   0a ret
 * one:    10 mov $-2,%eax   15 ret
 * two:    20 call three   25 call *%rax   27 call first   2c jmp four
 * three:  40 mov $-2,%eax   45 mov $-2,%rax   4c ret
 * four:   50 mov $-13,%eax   55 ret
 */
static const uint8_t code[0x60] = "\xe8\x0b\x00\x00\x00\xe8\x16\x00\x00\x00\xc3\xcc\xcc\xcc\xcc\xcc"
				  "\xb8\xfe\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\xe8\x1b\x00\x00\x00\xff\xd0\xe8\xd4\xff\xff\xff\xeb\x22\xcc\xcc"
				  "\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
				  "\xb8\xfe\xff\xff\xff\x48\xc7\xc0\xfe\xff\xff\xff\xc3\xcc\xcc\xcc"
				  "\xb8\xf3\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static const char table[] = "ffffffff81000000 T first\n"
			    "ffffffff81000010 T one\n"
			    "ffffffff81000020 t two\n"
			    "ffffffff81000040 t three\t[ext4]\n"
			    "ffffffff81000050 t four\n"
			    "ffffffff81000060 T end\n"
			    "ffffffff81000070 T further\n";

static const struct text_bytes listing = {BASE, code, sizeof(code)};

static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};

static int open_table(void **state)
{
	return symbol_table_setup(state, table);
}

/* With a graph of its own, which nothing is read into before. */
static int find(struct symbols *symbols, uint64_t addr, int err, struct errno_origins **ret)
{
	struct callgraph *graph;

	assert_int_equal(callgraph_create(&text, symbols, &graph), 0);
	err = errno_origins_find(graph, symbols, addr, err, ret);
	callgraph_destroy(graph);
	return err;
}

static void errno_origins_are_found_nearest_first(void **state)
{
	struct errno_origins *origins;
	char advice[200];

	assert_int_equal(find(*state, BASE, ENOENT, &origins), 0);
	assert_int_equal(origins->functions, 5);
	assert_int_equal(origins->indirect, 1);
	assert_false(origins->truncated);
	assert_int_equal(origins->count, 2);
	assert_string_equal(origins->items[0].sym.name, "one");
	assert_int_equal(origins->items[0].depth, 1);
	assert_int_equal(origins->items[0].sites, 1);
	assert_string_equal(origins->items[1].sym.name, "three");
	assert_int_equal(origins->items[1].depth, 2);
	assert_int_equal(origins->items[1].sites, 2);
	assert_int_equal(errno_origins_advice(origins, ENOENT, advice, sizeof(advice)), 2);
	assert_string_equal(advice, "--at errno -e ENOENT one ext4:three");
	/* cut off, not run over */
	errno_origins_advice(origins, ENOENT, advice, 10);
	assert_int_equal(strlen(advice), 9);
	errno_origins_free(origins);
}

/* three() returned; one() did not run as far as is known. */
static void errno_origins_in_the_record_come_first(void **state)
{
	struct snapshot snap = {.count = 2,
				.branches = {{.from = BASE + 0x2c, .to = BASE + 0x50},
					     {.from = BASE + 0x4c, .to = BASE + 0x25}}};
	struct errno_origins *origins;
	char advice[200];

	assert_int_equal(find(*state, BASE, ENOENT, &origins), 0);
	assert_int_equal(errno_origins_prefer_seen(origins, &snap), 1);
	errno_origins_advice(origins, ENOENT, advice, sizeof(advice));
	assert_string_equal(advice, "--at errno -e ENOENT ext4:three one");
	assert_true(origins->items[0].seen);
	assert_false(origins->items[1].seen);
	/* Of another snapshot the other one; the byte behind a function is not its own. */
	snap.branches[1] = (struct branch){.from = BASE + 0x50, .to = BASE + 0x15};
	assert_int_equal(errno_origins_prefer_seen(origins, &snap), 1);
	errno_origins_advice(origins, ENOENT, advice, sizeof(advice));
	assert_string_equal(advice, "--at errno -e ENOENT one ext4:three");
	snap.count = 0;
	assert_int_equal(errno_origins_prefer_seen(origins, &snap), 0);
	errno_origins_free(origins);
}

static void errno_origins_behind_a_tail_call_are_found(void **state)
{
	struct errno_origins *origins;

	assert_int_equal(find(*state, BASE, EACCES, &origins), 0);
	assert_int_equal(origins->count, 1);
	assert_string_equal(origins->items[0].sym.name, "four");
	assert_int_equal(origins->items[0].depth, 2);
	errno_origins_free(origins);
}

static void an_error_that_nobody_makes_is_made_by_nobody(void **state)
{
	struct errno_origins *origins;
	char advice[200];

	assert_int_equal(find(*state, BASE, EIO, &origins), 0);
	assert_int_equal(origins->count, 0);
	assert_int_equal(errno_origins_advice(origins, EIO, advice, sizeof(advice)), 0);
	assert_string_equal(advice, "");
	errno_origins_free(origins);
}

static void what_cannot_be_read_is_said(void **state)
{
	struct errno_origins *origins;

	assert_int_equal(find(*state, BASE + 0x60, EIO, &origins), -EFAULT);
	assert_int_equal(find(*state, BASE - 0x10, EIO, &origins), -ENOENT);
}

/* struct text_source's read of the listing; @ctx: counts how often it was asked for */
static int counted_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	++*(unsigned int *)ctx;
	return text_bytes_read((void *)&listing, addr, buf, len);
}

static void a_function_is_read_once(void **state)
{
	unsigned int reads = 0;
	struct text_source counted = {.read = counted_read, .ctx = &reads};
	struct callgraph *graph;
	struct errno_origins *origins;

	assert_int_equal(callgraph_create(&counted, *state, &graph), 0);
	assert_int_equal(errno_origins_find(graph, *state, BASE, ENOENT, &origins), 0);
	assert_int_equal(reads, 5);
	errno_origins_free(origins);
	/* Another errno, another start: of functions that are known. */
	assert_int_equal(errno_origins_find(graph, *state, BASE, EACCES, &origins), 0);
	assert_int_equal(origins->functions, 5);
	assert_int_equal(origins->indirect, 1);
	assert_int_equal(origins->count, 1);
	assert_string_equal(origins->items[0].sym.name, "four");
	errno_origins_free(origins);
	assert_int_equal(errno_origins_find(graph, *state, BASE + 0x20, ENOENT, &origins), 0);
	assert_int_equal(origins->count, 2);
	assert_string_equal(origins->items[0].sym.name, "three");
	assert_string_equal(origins->items[1].sym.name, "one");
	errno_origins_free(origins);
	assert_int_equal(reads, 5);
	/* What cannot be read stays so. */
	assert_int_equal(errno_origins_find(graph, *state, BASE + 0x60, EIO, &origins), -EFAULT);
	assert_int_equal(errno_origins_find(graph, *state, BASE + 0x60, EIO, &origins), -EFAULT);
	assert_int_equal(reads, 6);
	callgraph_destroy(graph);
}

/* Two functions: five bytes of "mov $-2,%eax; ret", then of "mov $-13,%eax; ret" there. */
static void after_the_symbols_have_changed_all_is_read_again(void **state)
{
	static const uint8_t before[] = "\xb8\xfe\xff\xff\xff\xc3",
			     after[] = "\xb8\xf3\xff\xff\xff\xc3";
	struct text_bytes bytes = {BASE, before, 6};
	struct text_source changing = {.read = text_bytes_read, .ctx = &bytes};
	struct symbol one = {.addr = BASE, .size = 6, .name = "one", .module = "mod"},
		      two = {.addr = BASE + 0x100, .size = 6, .name = "two", .module = "mod"};
	struct symbols *symbols;
	struct callgraph *graph;
	struct errno_origins *origins;

	assert_int_equal(symbols_open_empty(&symbols), 0);
	assert_int_equal(symbols_add(symbols, &one), 0);
	assert_int_equal(callgraph_create(&changing, symbols, &graph), 0);
	assert_int_equal(errno_origins_find(graph, symbols, BASE, ENOENT, &origins), 0);
	assert_int_equal(origins->count, 1);
	errno_origins_free(origins);
	bytes.bytes = after;
	assert_int_equal(symbols_add(symbols, &two), 0);
	assert_int_equal(errno_origins_find(graph, symbols, BASE, ENOENT, &origins), 0);
	assert_int_equal(origins->count, 0);
	errno_origins_free(origins);
	assert_int_equal(errno_origins_find(graph, symbols, BASE, EACCES, &origins), 0);
	assert_int_equal(origins->count, 1);
	errno_origins_free(origins);
	callgraph_destroy(graph);
	symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errno_origins_are_found_nearest_first),
		cmocka_unit_test(errno_origins_in_the_record_come_first),
		cmocka_unit_test(errno_origins_behind_a_tail_call_are_found),
		cmocka_unit_test(an_error_that_nobody_makes_is_made_by_nobody),
		cmocka_unit_test(what_cannot_be_read_is_said),
		cmocka_unit_test(a_function_is_read_once),
		cmocka_unit_test(after_the_symbols_have_changed_all_is_read_again),
	};

	return cmocka_run_group_tests_name("origins", tests, open_table, symbol_table_teardown);
}
