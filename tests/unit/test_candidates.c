// SPDX-License-Identifier: GPL-2.0
/* src/why: which bytes may load an errno, and which functions have them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../seed.h"
#include "branching_code.h"
#include "disasm/insn.h"
#include "util/cleanup.h"
#include "why/candidates.h"

/* Each instruction alone; written with the SDM's opcode map at hand (vol. 2, appendix A). */
static void may_load_errno_each_form(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		bool expected;
	} rows[] = {
		{"\xb8\xea\xff\xff\xff", 5, true},			    /* mov $-22,%eax */
		{"\xb8\x01\xf0\xff\xff", 5, true},			    /* mov $-4095,%eax */
		{"\xb8\x00\xf0\xff\xff", 5, false},			    /* mov $-4096,%eax */
		{"\x41\xbd\xfe\xff\xff\xff", 6, true},			    /* mov $-2,%r13d */
		{"\x48\xc7\xc0\xf4\xff\xff\xff", 7, true},		    /* mov $-12,%rax */
		{"\xc7\x44\x24\x08\xea\xff\xff\xff", 8, true},		    /* movl $-22,8(%rsp) */
		{"\xc7\x84\x24\x80\x00\x00\x00\xea\xff\xff\xff", 11, true}, /* 0x80(%rsp) */
		{"\x83\xc8\xff", 3, true},				    /* or $-1,%eax */
		{"\x83\xc8\xfe", 3, false},				    /* or $-2,%eax */
		{"\x19\xc0\x83\xe0\xea", 5, true},			    /* sbb; and $-22,%eax */
		{"\xc1\xf8\x1f\x83\xe0\xf9", 6, true},	   /* sar $31; and $-7,%eax */
		{"\x19\xc0\xf7\xd0\x83\xe0\xf9", 7, true}, /* sbb; not; and $-7,%eax */
		/* sar $31,%r8d; not %r8d; and $-75,%r8d, and with prefixes that do nothing */
		{"\x41\xc1\xf8\x1f\x41\xf7\xd0\x41\x81\xe0\xb5\xff\xff\xff", 14, true},
		{"\xc1\xf8\x1f\xf7\xd0\x4d\x36\x25\xb5\xff\xff\xff", 12, true},
		{"\x83\xe0\xf0", 3, false},			   /* and $-16,%eax */
		{"\x3d\xea\xff\xff\xff", 5, false},		   /* cmp $-22,%eax */
		{"\xe8\x10\xff\xff\xff", 5, false},		   /* call back */
		{"\xb8\x16\x00\x00\x00", 5, false},		   /* mov $22,%eax */
		{"\x0f\xb6\xc0\xf7\xd8", 5, true},		   /* movzbl %al,%eax; neg %eax */
		{"\x0f\x95\xc0\x0f\xb6\xc0\x83\xe8\x01", 9, true}, /* setne; movzbl; sub $1 */
		{"\x83\xe0\x01\x83\xe8\x01", 6, true},		   /* and $1; sub $1 */
		{"\x89\xf8\xf7\xd8", 4, false},			   /* mov %edi,%eax; neg */
		{"\x89\xf8\x83\xe8\x02", 5, false},		   /* mov; sub $2 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (may_load_errno((const uint8_t *)rows[i].bytes, rows[i].len) != rows[i].expected)
			fail_msg("row %zu", i);
}

/* It is found wherever it stands, and not where a byte of it is missing. */
static void may_load_errno_at_any_place(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{"\xb8\xea\xff\xff\xff", 5},		 /* mov $-22,%eax */
		{"\xc7\x44\x24\x08\xea\xff\xff\xff", 8}, /* movl $-22,8(%rsp) */
		{"\x83\xc8\xff", 3},			 /* or $-1,%eax */
		{"\x83\x4c\x24\x08\xff", 5},		 /* orl $-1,8(%rsp) */
		{"\x19\xc0\x83\xe0\xf0", 5},		 /* sbb %eax,%eax; and $-16,%eax */
		{"\x0f\xb6\xc0\xf7\xd8", 5},		 /* movzbl %al,%eax; neg %eax */
		{"\x83\xe0\x01\x83\xe8\x01", 6},	 /* and $1; sub $1 */
	};
	uint8_t bytes[80];

	(void)state;
	for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
		for (size_t at = 0; at + rows[row].len <= sizeof(bytes); at++) {
			size_t end = at + rows[row].len;

			memset(bytes, 0x90, sizeof(bytes)); /* nop */
			memcpy(bytes + at, rows[row].bytes, rows[row].len);
			if (!may_load_errno(bytes, sizeof(bytes)) || !may_load_errno(bytes, end))
				fail_msg("row %zu at %zu is not found", row, at);
			if (may_load_errno(bytes, end - 1))
				fail_msg("row %zu at %zu is found, and is not there", row, at);
		}
}

/* What the decoder takes for an errno that is made, the search by bytes must not miss. */
static void may_load_errno_misses_nothing_that_is_decoded(void **state)
{
	unsigned int made = 0;

	srandom(seed_take(stdout, 20261122));
	for (int round = 0; round < 2000000; round++) {
		uint8_t bytes[24];
		struct insn in, prev, earlier = {};
		size_t off = 0;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = random() & 1 ? (uint8_t)random() : 0xff;
		/* Of four one begins with SBB of a register with itself, one with its SAR. */
		if (round & 1) {
			uint8_t reg = random() & 7;
			bool sar = round & 2;

			bytes[0] = sar ? 0xc1 : 0x19;
			bytes[1] = sar ? 0xf8 | reg : 0xc0 | reg << 3 | reg;
			bytes[2] = sar ? 31 : bytes[2];
			if (round & 4) {
				bytes[2 + sar] = 0xf7;
				bytes[3 + sar] = 0xd0 | reg;
			}
		}
		prev = (struct insn){};
		if (!insn_decode(bytes, sizeof(bytes), 0x1000, &prev))
			off = prev.len;
		if (round & 1 && round & 4) {
			earlier = prev;
			if (!insn_decode(bytes + off, sizeof(bytes) - off, 0x1000 + off, &prev))
				off += prev.len;
		}
		if (insn_decode(bytes + off, sizeof(bytes) - off, 0x1000 + off, &in) ||
		    !insn_makes_errno(&in, off ? &prev : NULL, earlier.len ? &earlier : NULL))
			continue;
		made++;
		if (!may_load_errno(bytes, off + in.len))
			fail_msg("round %d: %02x %02x %02x %02x %02x %02x at %zu", round,
				 bytes[off], bytes[off + 1], bytes[off + 2], bytes[off + 3],
				 bytes[off + 4], bytes[off + 5], off);
	}
	assert_true(made > 1000);
}

static void candidates_are_functions_and_those_of_cold_parts(void **state)
{
	/* As kprobe_ftrace_handler() is: traced, and not to be interrupted. */
	static const char blacklist[] = "0xffffffff81000000-0xffffffff81000010\tone\n"
					"0xffffffff81000020-0xffffffff81000036\ttwo\n";
	struct candidates found = {};
	struct probeable *probeable;
	FILE *list;

	assert_int_equal(candidates_find(&text, *state, NULL, &found), 0);
	assert_int_equal(found.count, 6);
	assert_string_equal(found.items[0].sym.name, "one");
	assert_true(found.items[0].traced);
	assert_string_equal(found.items[1].sym.name, "two");
	assert_false(found.items[1].traced);
	assert_ptr_equal(candidates_entered(&found, 0x81000020), &found.items[1]);
	assert_null(candidates_entered(&found, 0x81000021));
	candidates_deinit(&found);
	/* Neither may be interrupted: "one", which is traced, is no candidate either. */
	list = fmemopen((void *)blacklist, strlen(blacklist), "r");
	assert_non_null(list);
	assert_int_equal(probeable_create(NULL, list, "6.1", &probeable), 0);
	fclose(list);
	assert_int_equal(candidates_find(&text, *state, probeable, &found), 0);
	assert_int_equal(found.count, 4);
	assert_string_equal(found.items[0].sym.name, "three");
	candidates_deinit(&found);
	probeable_destroy(probeable);
}

/*
 * Each at the next multiple of 16 returns -EINVAL behind its first instructions:
 * free: ENDBR, NOP of 5 bytes   by_ftrace: call ftrace_caller   by_code: ENDBR, call into the area
 * of modules   own: call own_too   own_too: ENDBR, call of data, which is no function of the tracer
 * 60 ftrace_caller: ret         data, behind the text: mov $-22,%eax  ret
 */
static const uint8_t entries[0x80] =
	"\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc"
	"\xe8\x4b\x00\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc"
	"\xf3\x0f\x1e\xfa\xe8\xd7\xff\xff\x3e\xb8\xea\xff\xff\xff\xc3\xcc"
	"\xe8\x0b\x00\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc"
	"\xf3\x0f\x1e\xfa\xe8\x27\x00\x00\x00\xb8\xea\xff\xff\xff\xc3\xcc"
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static int open_entries(void **state)
{
	return symbol_table_setup(state, "ffffffff81000000 T free\n"
					 "ffffffff81000010 T by_ftrace\n"
					 "ffffffff81000020 T by_code\n"
					 "ffffffff81000030 t own\n"
					 "ffffffff81000040 t own_too\n"
					 "ffffffff81000060 T ftrace_caller\n"
					 "ffffffff81000070 T _etext\n"
					 "ffffffff81000070 t data\n"
					 "ffffffff81000080 D end\n");
}

/* kprobe.multi on a function that the tracer does not know is refused for all functions at once. */
static void candidates_a_call_at_the_entry_need_not_be_the_tracers(void **state)
{
	static const struct text_bytes bytes = {BASE, entries, sizeof(entries)};
	static const struct text_source source = {.read = text_bytes_read, .ctx = (void *)&bytes};
	static const struct {
		const char *name;
		bool traced;
	} wanted[] = {
		{"free", true}, {"by_ftrace", true}, {"by_code", true},
		{"own", false}, {"own_too", false},
	};
	struct candidates found = {};

	assert_int_equal(candidates_find(&source, *state, NULL, &found), 0);
	assert_int_equal(found.count, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < found.count; i++) {
		assert_string_equal(found.items[i].sym.name, wanted[i].name);
		assert_int_equal(found.items[i].traced, wanted[i].traced);
	}
	candidates_deinit(&found);
}

static int open_entries_of_arming(void **state)
{
	return symbol_table_setup(state, "ffffffff81000000 T insn_decode\n"
					 "ffffffff81000010 T by_ftrace\n"
					 "ffffffff81000060 T ftrace_caller\n"
					 "ffffffff81000070 T _etext\n"
					 "ffffffff81000080 D end\n");
}

/* The kernel calls it for each function that is armed. It stays a candidate, for it may have run.
 */
static void candidates_of_the_arming_itself_are_not_watched(void **state)
{
	static const struct text_bytes bytes = {BASE, entries, sizeof(entries)};
	static const struct text_source source = {.read = text_bytes_read, .ctx = (void *)&bytes};
	const struct candidate *item;
	struct candidates found = {};

	assert_int_equal(candidates_find(&source, *state, NULL, &found), 0);
	item = candidates_at(&found, BASE);
	assert_non_null(item);
	assert_false(item->traced);
	item = candidates_at(&found, BASE + 0x10);
	assert_non_null(item);
	assert_true(item->traced);
	candidates_deinit(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(may_load_errno_each_form),
		cmocka_unit_test(may_load_errno_at_any_place),
		cmocka_unit_test(may_load_errno_misses_nothing_that_is_decoded),
		cmocka_unit_test_setup_teardown(candidates_are_functions_and_those_of_cold_parts,
						open_table, symbol_table_teardown),
		cmocka_unit_test_setup_teardown(
			candidates_a_call_at_the_entry_need_not_be_the_tracers, open_entries,
			symbol_table_teardown),
		cmocka_unit_test_setup_teardown(candidates_of_the_arming_itself_are_not_watched,
						open_entries_of_arming, symbol_table_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
