// SPDX-License-Identifier: GPL-2.0
/* The same path has the same number wherever the kernel was loaded, another one has another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "path/ident.h"

#define LINKED 0xffffffff81000000ull

static const uint8_t build_id[20] = {1, 2, 3};

/* alpha, beta and a trampoline, @slide bytes from where they were linked to */
static struct symbols *kernel(uint64_t slide, const char *trampoline)
{
	const struct symbol syms[] = {
		{"alpha", "", LINKED + slide, 0x100},
		{"beta", "", LINKED + slide + 0x100, 0x100},
		{trampoline, "bpf", 0xffffffffc0000000 + 3 * slide, 0x100},
	};
	struct symbols *symbols;

	assert_int_equal(symbols_open_empty(&symbols), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(symbols_add(symbols, &syms[i]), 0);
	return symbols;
}

static struct trigger trigger = {.target = (char *)"alpha",
				 .kind = TRIGGER_FEXIT,
				 .function = (char *)"alpha",
				 .module = (char *)""};

static struct snapshot path(uint64_t slide)
{
	return (struct snapshot){
		.trigger = &trigger,
		.err = ENOENT,
		.count = 4,
		.wasted = 1,
		.branches = {{.from = 0x7f0000001234 + slide, .to = LINKED + slide},
			     {.from = LINKED + slide + 0x10, .to = LINKED + slide + 0x110},
			     {.from = LINKED + slide + 0x120, .to = 0xffffffffc0000010 + 3 * slide},
			     {.from = 1, .to = 2}},
	};
}

static uint64_t ident(const struct snapshot *snap, uint64_t slide, const char *trampoline)
{
	struct symbols *symbols = kernel(slide, trampoline);
	uint64_t number = path_ident(snap, symbols, build_id, sizeof(build_id));

	symbols_close(symbols);
	return number;
}

static void ident_other_load_address_is_the_same(void **state)
{
	struct snapshot here = path(0), there = path(0x12345000);

	assert_true(ident(&here, 0, "bpf_trampoline_1") ==
		    ident(&there, 0x12345000, "bpf_trampoline_999"));
}

static void ident_what_is_not_the_path_does_not_count(void **state)
{
	struct snapshot here = path(0), there = path(0);

	there.branches[1].mispred = TRI_SET;
	there.branches[1].cycles = 1000;
	there.branches[3].from = 77; /* spent by the capture */
	there.pid = 5;
	there.cpu = 3;
	there.ts_ns = 9;
	assert_true(ident(&here, 0, "bpf_trampoline_1") == ident(&there, 0, "bpf_trampoline_1"));
}

static void ident_another_path_is_another(void **state)
{
	struct snapshot here = path(0), there;
	uint64_t number = ident(&here, 0, "bpf_trampoline_1");
	struct symbols *symbols = kernel(0, "bpf_trampoline_1");

	there = path(0);
	there.branches[1].to++;
	assert_true(ident(&there, 0, "bpf_trampoline_1") != number);
	there = path(0);
	there.err = EACCES;
	assert_true(ident(&there, 0, "bpf_trampoline_1") != number);
	there = path(0);
	there.shown_from = 1;
	assert_true(ident(&there, 0, "bpf_trampoline_1") != number);
	assert_true(ident(&here, 0, "some_bpf_program") != number);
	assert_true(path_ident(&here, symbols, "other", 5) != number);
	symbols_close(symbols);
}

static void symbols_add_overlapping_replaces(void **state)
{
	struct symbols *symbols = kernel(0, "x");
	struct symbol sym, other = {"gamma", "mod", LINKED + 0xf0, 0x20};

	assert_int_equal(symbols_add(symbols, &other), 0);
	assert_int_equal(symbols_find(symbols, LINKED + 0x10, &sym), -ENOENT);
	assert_int_equal(symbols_find(symbols, LINKED + 0x108, &sym), 0);
	assert_string_equal(sym.name, "gamma");
	assert_string_equal(sym.module, "mod");
	assert_int_equal(symbols_find(symbols, LINKED + 0x110, &sym), -ENOENT);
	assert_int_equal(symbols_by_name(symbols, NULL, "beta", 0, &sym), -ENOENT);
	other = (struct symbol){"", "", LINKED, 1};
	assert_int_equal(symbols_add(symbols, &other), -EINVAL);
	other = (struct symbol){"end", "", UINT64_MAX, 2};
	assert_int_equal(symbols_add(symbols, &other), -EINVAL);
	/* A label within a function takes its place, as any other does. */
	other = (struct symbol){"label", "", LINKED + 0xf8, 0};
	assert_int_equal(symbols_add(symbols, &other), 0);
	assert_int_equal(symbols_find(symbols, LINKED + 0x108, &sym), -ENOENT);
	symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ident_other_load_address_is_the_same),
		cmocka_unit_test(ident_what_is_not_the_path_does_not_count),
		cmocka_unit_test(ident_another_path_is_another),
		cmocka_unit_test(symbols_add_overlapping_replaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
