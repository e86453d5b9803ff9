// SPDX-License-Identifier: GPL-2.0
/* Expected values: computed by hand from the tables that tests and data files name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "decode/dump.h"
#include "decode/stack.h"
#include "util/cleanup.h"

#define DATA_DIR "tests/data/decode/"

static struct dump dump;
static struct notes notes;
static struct stack_result result;

static int teardown(void **state)
{
	dump_deinit(&dump);
	notes_deinit(&notes);
	return 0;
}

static void parse_text(const char *text)
{
	assert_int_equal(dump_parse(text, strlen(text), DUMP_FORM_AUTO, NULL, &dump, &notes), 0);
}

static void parse_file(const char *name)
{
	_cleanup_fclose_ FILE *f = fopen(name, "re");
	static char text[1 << 16];
	size_t len;

	assert_non_null(f);
	len = fread(text, 1, sizeof(text), f);
	assert_true(len > 0 && len < sizeof(text));
	assert_int_equal(dump_parse(text, len, DUMP_FORM_AUTO, NULL, &dump, &notes), 0);
}

/* Decodes the @index-th CPU of the dump. */
static int decode(const char *cpu, unsigned int index, int64_t tos)
{
	struct stack_options opts = {.tos = tos};
	const struct lbr_model *given = NULL;
	struct lbr_model model;
	size_t start = 0;

	if (cpu)
		assert_int_equal(lbr_model_by_text(cpu, &given), 0);
	assert_int_equal(dump_choose_model(&dump, given, &model, &notes), 0);
	while (index--)
		start = dump_cpu_end(&dump, start);
	assert_true(start < dump.count);
	return stack_decode(&model, dump.records + start, dump_cpu_end(&dump, start) - start, &opts,
			    &result, &notes);
}

static const struct branch *at(uint32_t i, uint64_t from, uint64_t to)
{
	assert_true(i < result.snap.count);
	assert_int_equal(result.snap.branches[i].from, from);
	assert_int_equal(result.snap.branches[i].to, to);
	return &result.snap.branches[i];
}

static void expect_note(const char *text)
{
	for (size_t i = 0; i < notes.count; i++) {
		if (strstr(notes.items[i].text, text))
			return;
	}
	fail_msg("no note says \"%s\"; the first of %zu: %s", text, notes.count,
		 notes.count ? notes.items[0].text : "");
}

static void expect_no_notes(void)
{
	if (notes.count)
		fail_msg("line %zu: %s", notes.items[0].line, notes.items[0].text);
}

static void figure_17_15_core_duo_dump(void **state)
{
	parse_file(DATA_DIR "core-duo-17-36.txt");
	assert_int_equal(decode(NULL, 0, -1), 0);
	expect_no_notes();
	assert_string_equal(result.lbr.model, "core");
	assert_int_equal(result.snap.count, 4);
	assert_int_equal(result.snap.dropped, 4);
	at(0, 0x08048010, 0x08048100);
	at(1, 0x08048110, 0xc0100000);
	at(2, 0xc0100020, 0x08048112);
	at(3, 0x08048120, 0x08048200);
}

static void table_16_3_core2_dump(void **state)
{
	parse_file(DATA_DIR "core2-16-3.txt");
	assert_int_equal(decode(NULL, 0, -1), 0);
	expect_no_notes();
	assert_int_equal(result.lbr.depth, 4);
	assert_int_equal(result.lbr.supported, 0);
	assert_string_equal(result.snap.filter, "any");
	assert_int_equal(result.snap.count, 4);
	at(0, UINT64_C(0xffffffff80200100), UINT64_C(0xffffffff80200180));
	at(1, UINT64_C(0xffffffff80200200), UINT64_C(0xffffffff80200280));
	at(2, UINT64_C(0xffffffff80200300), UINT64_C(0xffffffff80200380));
	at(3, UINT64_C(0xffffffff80200400), UINT64_C(0xffffffff80200500));
}

static void table_16_3_atom_dump(void **state)
{
	parse_file(DATA_DIR "atom-16-3.csv");
	assert_int_equal(decode(NULL, 0, -1), 0);
	expect_no_notes();
	assert_int_equal(result.lbr.depth, 8);
	assert_int_equal(result.snap.count, 7);
	assert_int_equal(result.snap.dropped, 1);
	for (uint32_t i = 0; i < 7; i++)
		at(i, 0x1000 + i * 0x100, 0x1010 + i * 0x100);
}

static void table_17_8_nehalem_dump(void **state)
{
	parse_file(DATA_DIR "nehalem-17-8.txt");
	assert_int_equal(decode(NULL, 0, -1), 0);
	expect_no_notes();
	assert_string_equal(result.lbr.model, "nehalem");
	assert_string_equal(result.snap.filter, "any");
	assert_true(result.snap.path_ok);
	assert_int_equal(result.snap.count, 16);
	for (uint32_t i = 0; i < 16; i++) {
		uint64_t entry = (i + 5) % 16;
		const struct branch *b = at(i, UINT64_C(0xffffffff81000000) + entry * 0x100,
					    UINT64_C(0xffffffff81000040) + entry * 0x100);

		assert_int_equal(b->mispred, entry == 3 || entry == 9 ? TRI_SET : TRI_CLEAR);
		assert_int_equal(b->cycles, CYCLES_NOT_REPORTED);
	}
}

static void table_17_14_haswell_dump(void **state)
{
	parse_file(DATA_DIR "haswell-17-14.txt");
	assert_int_equal(decode(NULL, 0, -1), 0);
	expect_no_notes();
	assert_int_equal(result.snap.cpu, 2);
	assert_string_equal(result.snap.filter, "any,u");
	assert_false(result.snap.path_ok);
	assert_int_equal(result.snap.count, 16);
	for (uint32_t i = 0; i < 16; i++) {
		const struct branch *b = at(i, UINT64_C(0x7f0000400000) + i * 0x100,
					    UINT64_C(0x7f0000400040) + i * 0x100);

		assert_int_equal(b->mispred, i == 2 ? TRI_SET : TRI_CLEAR);
		assert_int_equal(b->in_tx, i == 5 || i == 6 ? TRI_SET : TRI_CLEAR);
		assert_int_equal(b->abort, i == 6 ? TRI_SET : TRI_CLEAR);
	}
}

static void table_17_16_skylake_rdmsr_session(void **state)
{
	parse_file(DATA_DIR "skylake-17-16.txt");
	assert_int_equal(decode(NULL, 0, -1), 0);
	expect_no_notes();
	assert_int_equal(result.snap.cpu, 0);
	assert_null(result.snap.filter); /* no LBR_SELECT in the dump */
	assert_false(result.snap.path_ok);
	assert_int_equal(result.snap.count, 32);
	for (uint32_t i = 0; i < 32; i++) {
		const struct branch *b = at(i, UINT64_C(0xffffffffa0000000) + i * 0x1000,
					    UINT64_C(0xffffffffa0000800) + i * 0x1000);

		assert_int_equal(b->mispred, i == 1 ? TRI_SET : TRI_CLEAR);
		assert_int_equal(b->in_tx, i == 2 || i == 3 ? TRI_SET : TRI_CLEAR);
		assert_int_equal(b->abort, i == 3 ? TRI_SET : TRI_CLEAR);
		assert_int_equal(b->cycles, i == 0   ? 23
					    : i == 1 ? 1
					    : i == 2 ? 65535
					    : i == 3 ? 3
						     : 10);
	}
	assert_int_equal(decode(NULL, 1, -1), 0);
	assert_int_equal(result.snap.cpu, 1);
	assert_int_equal(result.snap.count, 0);
	assert_int_equal(result.snap.dropped, 32);
}

static void arch_lbr_sapphirerapids_dump(void **state)
{
	const struct branch *b;

	parse_file(DATA_DIR "sapphirerapids-arch.json");
	assert_int_equal(decode(NULL, 0, -1), 0);
	expect_no_notes();
	assert_int_equal(result.snap.cpu, 5);
	assert_int_equal(result.lbr.depth, 8);
	assert_string_equal(result.snap.filter, "any,k");
	assert_int_equal(result.snap.count, 4);
	assert_int_equal(result.snap.dropped, 4);
	b = at(0, UINT64_C(0x7f0000001000), UINT64_C(0xffffffff81800000));
	assert_int_equal(b->type, BRANCH_FAR);
	assert_int_equal(b->cycles, 1024);
	b = at(1, UINT64_C(0xffffffff81000030), UINT64_C(0xffffffff81000300));
	assert_int_equal(b->type, BRANCH_RET);
	assert_int_equal(b->cycles, CYCLES_NOT_REPORTED);
	b = at(2, UINT64_C(0xffffffff81000020), UINT64_C(0xffffffff81000200));
	assert_int_equal(b->type, BRANCH_COND);
	assert_int_equal(b->mispred, TRI_SET);
	assert_int_equal(b->cycles, 25);
	b = at(3, UINT64_C(0xffffffff81000010), UINT64_C(0xffffffff81000100));
	assert_int_equal(b->type, BRANCH_CALL);
	assert_int_equal(b->mispred, TRI_CLEAR);
	assert_int_equal(b->cycles, 7);
}

static void amd_lbr_v2_zen4_dump(void **state)
{
	const struct branch *b;

	parse_file(DATA_DIR "zen4-lbrextv2.json");
	assert_int_equal(decode(NULL, 0, -1), 0);
	expect_note("12 of 16 entries are not in the dump; the first is MSR C0010308H");
	assert_string_equal(result.lbr.model, "zen4");
	assert_int_equal(result.snap.count, 3);
	assert_int_equal(result.snap.dropped, 1);
	assert_int_equal(result.snap.missing, 12);
	b = at(0, UINT64_C(0xffffffff81000030), UINT64_C(0xffffffff81000300));
	assert_int_equal(b->spec, BRANCH_SPEC_WRONG_PATH);
	b = at(1, UINT64_C(0xffffffff81000020), UINT64_C(0xffffffff81000200));
	assert_int_equal(b->spec, BRANCH_SPEC_CORRECT);
	assert_int_equal(b->mispred, TRI_SET);
	b = at(2, UINT64_C(0xffffffff81000010), UINT64_C(0xffffffff81000100));
	assert_int_equal(b->spec, BRANCH_SPEC_NON_SPEC_CORRECT);
	assert_int_equal(b->mispred, TRI_CLEAR);
}

/* AMD erratum 1452, Linux commit 29297ffffb0b: an entry with TO[61] is no branch */
static void amd_erratum_1452_entry_is_left_out_and_said(void **state)
{
	parse_text("c0010300 = 7fffffff81000010\nc0010301 = ffffffff81000100\n"
		   "c0010302 = 7fffffff81000020\nc0010303 = dfffffff81000200\n");
	assert_int_equal(decode("zen4", 0, -1), 0);
	expect_note("TO[61] is set in 1 entries: no branches (AMD erratum 1452), left out");
	assert_int_equal(result.snap.count, 1);
	assert_int_equal(result.snap.dropped, 1);
	at(0, UINT64_C(0xffffffff81000020), UINT64_C(0xffffffff81000200));
}

/* amd_brs_drain(): 0 is the oldest, MSROFF (19:16) the next to be written, VB bit 5 */
static void amd_brs_valid_up_to_msroff(void **state)
{
	parse_text("c0010300 = 1000\nc0010301 = 1010\nc0010302 = 2000\nc0010303 = 2010\n"
		   "c0010304 = 3000\nc0010305 = 3010\nc000010f = 20038\n");
	assert_int_equal(decode("zen3", 0, -1), 0);
	assert_int_equal(result.snap.count, 2);
	at(0, 0x1000, 0x1010);
	at(1, 0x2000, 0x2010);
}

static void amd_brs_poison_ends_what_is_ours(void **state)
{
	parse_text("c0010300 = 1000\nc0010301 = fffffffffffffffe\nc0010302 = 2000\n"
		   "c0010303 = 2010\nc000010f = 20038\n");
	assert_int_equal(decode("zen3", 0, -1), 0);
	assert_int_equal(result.snap.count, 1);
	at(0, 0x2000, 0x2010);
}

static void amd_brs_without_config_is_an_error(void **state)
{
	parse_text("c0010300 = 1000\nc0010301 = 1010\n");
	assert_int_equal(decode("zen3", 0, -1), -EINVAL);
	expect_note("add MSR C000010FH");
}

/* page 17-36: Core Duo duplicates P6's LastExceptionFromIP and LastExceptionToIP */
static void page_17_36_last_exception_record(void **state)
{
	parse_text("40 = 200000001000\n1c9 = 0\n1dd = 8048010\n1de = c0100000\n");
	assert_int_equal(decode("core", 0, -1), 0);
	assert_true(result.has_ler);
	assert_int_equal(result.ler_from, 0x08048010);
	assert_int_equal(result.ler_to, 0xc0100000u);
	assert_int_equal(result.snap.count, 1);
}

static const char core2[] = "40 = 1000\n41 = 1100\n42 = 1200\n43 = 1300\n"
			    "60 = 1010\n61 = 1110\n62 = 1210\n63 = 1310\n";

static void stack_decode_tos_missing_is_an_error_with_remedy(void **state)
{
	parse_text(core2);
	assert_int_equal(decode("core2", 0, -1), -EINVAL);
	expect_note("add MSR 1C9H, or give its value with --tos");
	assert_int_equal(notes.errors, 1);
}

static void stack_decode_tos_given_orders_the_entries(void **state)
{
	parse_text(core2);
	assert_int_equal(decode("core2", 0, 1), 0);
	expect_no_notes();
	at(0, 0x1200, 0x1210);
	at(3, 0x1100, 0x1110);
}

/*
 * Tables 16-3, 17-10 and 17-15, "Range of TOS Pointer", and page 17-36, "bits 2-0": whatever it is
 * within the range, that entry is the newest, and the one above it, around the end, the oldest.
 */
static void check_tos_range(const char *cpu, uint32_t from, uint32_t to, uint32_t last)
{
	for (uint32_t tos = 0; tos <= last; tos++) {
		char text[64 * 32];
		int len = snprintf(text, sizeof(text), "1c9 = %x\n", tos);

		for (uint32_t i = 0; i <= last; i++) {
			len += snprintf(text + len, sizeof(text) - (size_t)len, "%x = %x\n",
					from + i, 0x1000 + i);
			if (to)
				len += snprintf(text + len, sizeof(text) - (size_t)len, "%x = %x\n",
						to + i, 0x2000 + i);
		}
		teardown(NULL);
		parse_text(text);
		assert_int_equal(decode(cpu, 0, -1), 0);
		assert_int_equal(result.snap.count, last + 1);
		for (uint32_t i = 0; i <= last; i++) {
			uint32_t entry = (tos + 1 + i) % (last + 1);

			at(i, 0x1000 + entry, to ? 0x2000 + entry : 0);
		}
	}
}

static void table_16_3_tos_range(void **state)
{
	check_tos_range("06_1EH", 0x680, 0x6c0, 15);
	check_tos_range("06_17H", 0x40, 0x60, 3);
	check_tos_range("06_0FH", 0x40, 0x60, 3);
	check_tos_range("06_1CH", 0x40, 0x60, 7);
}

static void table_17_10_tos_range(void **state)
{
	check_tos_range("06_1AH", 0x680, 0x6c0, 15);
}

static void table_17_15_tos_range(void **state)
{
	check_tos_range("06_4EH", 0x680, 0x6c0, 31);
	check_tos_range("06_5EH", 0x680, 0x6c0, 31);
}

static void page_17_36_tos_range(void **state)
{
	check_tos_range("06_0EH", 0x40, 0, 7);
}

static void stack_decode_tos_beyond_the_stack_is_said(void **state)
{
	parse_text(core2);
	assert_int_equal(decode("core2", 0, 5), 0);
	expect_note("TOS is 5, a stack of 4 entries has 0 to 3");
	at(3, 0x1100, 0x1110);
}

static void stack_decode_half_an_entry_is_left_out_and_said(void **state)
{
	parse_text("40 = 1000\n41 = 1100\n43 = 1300\n60 = 1010\n62 = 1210\n63 = 1310\n1c9 = 3\n");
	assert_int_equal(decode("core2", 0, -1), 0);
	expect_note("entry 1 has no TO: left out; add MSR 61H");
	expect_note("entry 2 has no FROM: left out; add MSR 42H");
	assert_int_equal(result.snap.count, 2);
	at(0, 0x1000, 0x1010);
	at(1, 0x1300, 0x1310);
	assert_int_equal(result.snap.missing, 2);
	assert_int_equal(result.snap.dropped, 0);
	assert_string_equal(result.snap.filter, "any");
	assert_false(result.snap.path_ok); /* with holes they are not contiguous */
}

static void stack_decode_surplus_entries_are_left_out_and_said(void **state)
{
	char text[512];

	snprintf(text, sizeof(text), "%s44 = 5000\n64 = 5010\n1c9 = 3\n", core2);
	parse_text(text);
	assert_int_equal(decode("core2", 0, -1), 0);
	expect_note("MSR 44H is entry 4, but core2 has 4: 1 surplus entries left out");
	assert_int_equal(result.snap.count, 4);
}

static void stack_decode_info_missing_reports_no_flags(void **state)
{
	parse_text("680 = 1000\n6c0 = 1010\ndc1 = 8000000000000005\n681 = 2000\n6c1 = 2010\n"
		   "1c9 = 1\n");
	assert_int_equal(decode("skylake", 0, -1), 0);
	expect_note("1 entries have no INFO: no flags for them; the first is MSR DC0H");
	assert_int_equal(at(0, 0x1000, 0x1010)->mispred, TRI_NOT_REPORTED);
	assert_int_equal(at(0, 0x1000, 0x1010)->cycles, CYCLES_NOT_REPORTED);
	assert_int_equal(at(1, 0x2000, 0x2010)->mispred, TRI_SET);
	assert_int_equal(at(1, 0x2000, 0x2010)->cycles, 5);
}

static void stack_decode_not_canonical_is_said_with_its_register(void **state)
{
	parse_text("40 = 1234567890abcdef\n60 = 1010\n1c9 = 0\n");
	assert_int_equal(decode("core2", 0, -1), 0);
	expect_note("MSR 40H = 0x1234567890abcdef holds no canonical 48-bit address");
	at(0, UINT64_C(0x1234567890abcdef), 0x1010);
}

static void stack_decode_same_register_twice_with_two_values_is_an_error(void **state)
{
	parse_text("40 = 1000\n60 = 1010\n1c9 = 0\n40 = 1004\n");
	assert_int_equal(decode("core2", 0, -1), -EINVAL);
	expect_note("MSR 40H is 0x1004, and was 0x1000 in line 1");
}

static void stack_decode_same_register_twice_with_one_value_is_a_warning(void **state)
{
	parse_text("40 = 1000\n60 = 1010\n1c9 = 0\n40 = 1000\n");
	assert_int_equal(decode("core2", 0, -1), 0);
	expect_note("MSR 40H again");
	assert_int_equal(notes.errors, 0);
}

static void stack_decode_format_row_takes_base_and_depth_from_the_dump(void **state)
{
	parse_text("40 = 7fffffff81000010\n41 = ffffffff81000020\n60 = 1010\n61 = 2010\n1c9 = 1\n");
	assert_int_equal(decode("format-03h", 0, -1), 0);
	expect_note("2 entries, as many as the dump has");
	assert_int_equal(at(0, UINT64_C(0xffffffff81000010), 0x1010)->mispred, TRI_CLEAR);
	assert_int_equal(at(1, UINT64_C(0xffffffff81000020), 0x2010)->mispred, TRI_SET);
}

static void stack_decode_format_row_with_a_ring_of_three_is_an_error(void **state)
{
	parse_text("680 = 1000\n681 = 2000\n682 = 3000\n6c0 = 1\n6c1 = 2\n6c2 = 3\n1c9 = 1\n");
	assert_int_equal(decode("format-05h", 0, -1), -EINVAL);
	expect_note("the last FROM register is number 2");
}

static void stack_decode_format_row_with_tos_beyond_the_dump_is_an_error(void **state)
{
	parse_text("680 = 1000\n6c0 = 1010\n681 = 2000\n6c1 = 2010\n1c9 = 5\n");
	assert_int_equal(decode("format-05h", 0, -1), -EINVAL);
	expect_note("TOS is 5, so the stack is deeper than the 2 entries of the dump");
}

static void stack_decode_format_row_without_from_is_not_called_empty(void **state)
{
	parse_text("6c0 = 1010\n6c1 = 2010\n1c9 = 0\n");
	assert_int_equal(decode("format-05h", 0, -1), 0);
	expect_note("entry 0 has no FROM: left out; add MSR 680H");
	assert_int_equal(result.lbr.depth, 2);
	assert_int_equal(result.snap.missing, 2);
}

/* Tables 17-11 and 17-13: all CPUs of formats 03H to 07H have LBR_SELECT at 1C8H. */
static void stack_decode_format_row_does_not_invent_a_filter(void **state)
{
	parse_text("680 = 1000\n6c0 = 1010\ndc0 = 0\n1c9 = 0\n");
	assert_int_equal(decode("format-05h", 0, -1), 0);
	assert_null(result.snap.filter);
	assert_int_equal(decode("format-01h", 0, -1), 0);
	assert_null(result.snap.filter);
	assert_false(result.snap.path_ok);
}

static void stack_decode_format_row_heeds_lbr_select(void **state)
{
	parse_text("680 = 1000\n6c0 = 1010\ndc0 = 0\n1c9 = 0\n1c8 = 1fb\n");
	assert_int_equal(decode("format-05h", 0, -1), 0);
	assert_null(result.snap.filter); /* both rings kept out: nothing was to be recorded */
	dump_deinit(&dump);
	parse_text("680 = 1000\n6c0 = 1010\ndc0 = 0\n1c9 = 0\n1c8 = 1f9\n");
	assert_int_equal(decode("format-05h", 0, -1), 0);
	assert_string_equal(result.snap.filter, "cond,u");
}

static void stack_decode_tos_option_against_the_dump_is_said(void **state)
{
	parse_text("40 = 1000\n60 = 1010\n1c9 = 0\n");
	assert_int_equal(decode("core2", 0, 2), 0);
	expect_note("the dump has a TOS, 0: --tos 2 is not heeded");
	dump_deinit(&dump);
	parse_text("1500 = 1000\n1600 = 1010\n1200 = 0\n");
	assert_int_equal(decode("sapphirerapids", 0, 2), 0);
	expect_note("sapphirerapids has no TOS: --tos is not heeded");
}

/* Figure 17-15: format 00H has both addresses in one register, so TO registers contradict it. */
static void stack_decode_format_00h_with_to_registers_is_not_heeded(void **state)
{
	parse_text("345 = 0\n40 = ffffffff81000010\n60 = ffffffff81000020\n1c9 = 0\n");
	assert_int_equal(decode("core2", 0, -1), 0);
	expect_note("format 00H, which has no TO registers, but the dump has them");
	at(0, UINT64_C(0xffffffff81000010), UINT64_C(0xffffffff81000020));
}

static void stack_decode_last_exception_that_is_no_address_is_said(void **state)
{
	parse_text("680 = 1000\n6c0 = 1010\n1c9 = 0\n1dd = 9fffffff81000010\n"
		   "1de = ffffffff81000020\n");
	assert_int_equal(decode("haswell", 0, -1), 0);
	expect_note("MSR 1DDH = 0x9fffffff81000010 holds no canonical 48-bit address");
}

static void stack_decode_capabilities_settle_silvermont(void **state)
{
	parse_text("40 = ffffffff81000010\n60 = 1010\n1c9 = 0\n345 = 3\n");
	assert_int_equal(decode("silvermont", 0, -1), 0);
	assert_int_equal(result.lbr.format, 3);
	assert_int_equal(at(0, UINT64_C(0xffffffff81000010), 0x1010)->mispred, TRI_SET);
}

static void stack_decode_capabilities_that_differ_are_said(void **state)
{
	parse_text("680 = 1000\n6c0 = 1010\ndc0 = 5\n1c9 = 0\n345 = 4\n");
	assert_int_equal(decode("skylake", 0, -1), 0);
	expect_note("says format 04H, model skylake has 05H");
	assert_int_equal(at(0, 0x1000, 0x1010)->cycles, 5);
}

static void stack_decode_call_stack_mode_is_named(void **state)
{
	/* page 17-30: JCC, NEAR_IND_JMP, NEAR_REL_JMP, FAR_BRANCH, EN_CALLSTACK set; CPL_NEQ_0 */
	parse_text("680 = 1000\n6c0 = 1010\n1c9 = 0\n1c8 = 3c6\n");
	assert_int_equal(decode("haswell", 0, -1), 0);
	assert_string_equal(result.snap.filter, "call_stack,k");
	assert_false(result.snap.path_ok);
}

/* One entry, and MSR_LBR_SELECT; which branches it says were recorded */
static const char *recorded(const char *cpu, unsigned int select)
{
	static char filter[64];
	char text[80];

	notes_deinit(&notes);
	dump_deinit(&dump);
	snprintf(text, sizeof(text), "680 = 1000\n6c0 = 1010\n1c9 = 0\n1c8 = %x\n", select);
	parse_text(text);
	assert_int_equal(decode(cpu, 0, -1), 0);
	snprintf(filter, sizeof(filter), "%s", result.snap.filter ? result.snap.filter : "none");
	return filter;
}

/* A bit that is set keeps its class out. */
static void table_17_11_select_each_bit(void **state)
{
	assert_string_equal(recorded("06_1AH", 0x000), "any");
	assert_string_equal(recorded("06_1AH", 0x001), "any,u");
	assert_string_equal(recorded("06_1AH", 0x002), "any,k");
	assert_string_equal(recorded("06_1AH", 0x004), "call,ind_call,ret,ind_jmp,jmp,far");
	assert_string_equal(recorded("06_1AH", 0x008), "cond,ind_call,ret,ind_jmp,jmp,far");
	assert_string_equal(recorded("06_1AH", 0x010), "cond,call,ret,ind_jmp,jmp,far");
	assert_string_equal(recorded("06_1AH", 0x020), "cond,call,ind_call,ind_jmp,jmp,far");
	assert_string_equal(recorded("06_1AH", 0x040), "cond,call,ind_call,ret,jmp,far");
	assert_string_equal(recorded("06_1AH", 0x080), "cond,call,ind_call,ret,ind_jmp,far");
	assert_string_equal(recorded("06_1AH", 0x100), "cond,call,ind_call,ret,ind_jmp,jmp");
}

/* p. 17-30: JCC, NEAR_IND_JMP, NEAR_REL_JMP, FAR_BRANCH and EN_CALLSTACK set: 3C4H */
static void table_17_13_select_call_stack_and_its_valid_combinations(void **state)
{
	static const unsigned int invalid[] = {0x200, 0x3c0, 0x384, 0x344, 0x2c4,
					       0x3cc, 0x3d4, 0x3e4, 0x3c7};

	assert_string_equal(recorded("06_3CH", 0x3c4), "call_stack");
	for (size_t i = 0; i < notes.count; i++)
		assert_null(strstr(notes.items[i].text, "EN_CALLSTACK"));
	assert_string_equal(recorded("06_3CH", 0x3c5), "call_stack,u");
	assert_string_equal(recorded("06_3CH", 0x3c6), "call_stack,k");
	for (size_t i = 0; i < notes.count; i++)
		assert_null(strstr(notes.items[i].text, "EN_CALLSTACK"));
	for (size_t i = 0; i < ARRAY_SIZE(invalid); i++) {
		recorded("06_3CH", invalid[i]);
		expect_note(
			"EN_CALLSTACK in a combination that the manual (p. 17-30) calls invalid");
	}
}

static void stack_decode_select_names_what_was_captured(void **state)
{
	/* Table 17-11: all but JCC and FAR_BRANCH suppressed */
	parse_text("680 = 1000\n6c0 = 1010\n1c9 = 0\n1c8 = f8\n");
	assert_int_equal(decode("nehalem", 0, -1), 0);
	assert_string_equal(result.snap.filter, "cond,far");
}

static void stack_decode_no_lbr_register_is_an_error(void **state)
{
	parse_text("10 = 1000\n1c9 = 0\n");
	assert_int_equal(decode("core2", 0, -1), -EINVAL);
	expect_note("none of its 2 MSRs is an entry of the LBR of core2");
}

static void dump_choose_model_nothing_known_is_an_error(void **state)
{
	struct lbr_model model;

	parse_text(core2);
	assert_int_equal(dump_choose_model(&dump, NULL, &model, &notes), -ENODATA);
	expect_note("Name the CPU with --cpu");
}

static void dump_choose_model_capabilities_name_a_format(void **state)
{
	struct lbr_model model;

	parse_text("680 = 1000\n345 = 32c5\n");
	assert_int_equal(dump_choose_model(&dump, NULL, &model, &notes), 0);
	assert_string_equal(model.name, "format-05h");
}

static void dump_choose_model_users_word_wins_and_is_said(void **state)
{
	const struct lbr_model *haswell = lbr_model_by_name("haswell");
	struct lbr_model model;

	parse_text("model: skylake\n680 = 1000\n");
	assert_int_equal(dump_choose_model(&dump, haswell, &model, &notes), 0);
	assert_string_equal(model.name, "haswell");
	expect_note("the dump is of a skylake, you said haswell");
}

static void dump_choose_model_flags_without_tsx_drop_it(void **state)
{
	struct lbr_model model;

	parse_text("vendor_id : GenuineIntel\ncpu family : 6\nmodel : 60\nflags : fpu vme\n\n"
		   "680 = 1000\n");
	assert_int_equal(dump_choose_model(&dump, NULL, &model, &notes), 0);
	assert_string_equal(model.name, "haswell");
	assert_int_equal(model.supported, LBR_HAS_MISPRED);
}

#define TEST(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(figure_17_15_core_duo_dump),
		TEST(table_16_3_core2_dump),
		TEST(table_16_3_atom_dump),
		TEST(table_17_8_nehalem_dump),
		TEST(table_17_14_haswell_dump),
		TEST(table_17_16_skylake_rdmsr_session),
		TEST(arch_lbr_sapphirerapids_dump),
		TEST(amd_lbr_v2_zen4_dump),
		TEST(amd_erratum_1452_entry_is_left_out_and_said),
		TEST(amd_brs_valid_up_to_msroff),
		TEST(amd_brs_poison_ends_what_is_ours),
		TEST(amd_brs_without_config_is_an_error),
		TEST(page_17_36_last_exception_record),
		TEST(stack_decode_tos_missing_is_an_error_with_remedy),
		TEST(stack_decode_tos_given_orders_the_entries),
		TEST(table_16_3_tos_range),
		TEST(table_17_10_tos_range),
		TEST(table_17_15_tos_range),
		TEST(page_17_36_tos_range),
		TEST(stack_decode_tos_beyond_the_stack_is_said),
		TEST(stack_decode_half_an_entry_is_left_out_and_said),
		TEST(stack_decode_surplus_entries_are_left_out_and_said),
		TEST(stack_decode_info_missing_reports_no_flags),
		TEST(stack_decode_not_canonical_is_said_with_its_register),
		TEST(stack_decode_same_register_twice_with_two_values_is_an_error),
		TEST(stack_decode_same_register_twice_with_one_value_is_a_warning),
		TEST(stack_decode_format_row_takes_base_and_depth_from_the_dump),
		TEST(stack_decode_format_row_with_a_ring_of_three_is_an_error),
		TEST(stack_decode_format_row_with_tos_beyond_the_dump_is_an_error),
		TEST(stack_decode_format_row_without_from_is_not_called_empty),
		TEST(stack_decode_format_row_does_not_invent_a_filter),
		TEST(stack_decode_format_row_heeds_lbr_select),
		TEST(stack_decode_tos_option_against_the_dump_is_said),
		TEST(stack_decode_format_00h_with_to_registers_is_not_heeded),
		TEST(stack_decode_last_exception_that_is_no_address_is_said),
		TEST(stack_decode_capabilities_settle_silvermont),
		TEST(stack_decode_capabilities_that_differ_are_said),
		TEST(stack_decode_call_stack_mode_is_named),
		TEST(table_17_11_select_each_bit),
		TEST(table_17_13_select_call_stack_and_its_valid_combinations),
		TEST(stack_decode_select_names_what_was_captured),
		TEST(stack_decode_no_lbr_register_is_an_error),
		TEST(dump_choose_model_nothing_known_is_an_error),
		TEST(dump_choose_model_capabilities_name_a_format),
		TEST(dump_choose_model_users_word_wins_and_is_said),
		TEST(dump_choose_model_flags_without_tsx_drop_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
