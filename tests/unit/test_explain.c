// SPDX-License-Identifier: GPL-2.0
/* Expected values: the tables that each test names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "decode/explain.h"
#include "decode/model.h"

static const struct lbr_layout *explain(const char *model, uint32_t msr, const char *name)
{
	const struct lbr_layout *layout = NULL;
	char text[40];

	assert_int_equal(msr_explain(lbr_model_by_name(model), msr, text, sizeof(text), &layout),
			 0);
	assert_string_equal(text, name);
	return layout;
}

static const struct lbr_field *field(const struct lbr_layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->count; i++) {
		if (!strcmp(layout->fields[i].name, name))
			return &layout->fields[i];
	}
	fail_msg("no field %s", name);
	return NULL;
}

static void check_bits(const struct lbr_layout *layout, const char *name, uint8_t hi, uint8_t lo)
{
	assert_int_equal(field(layout, name)->hi, hi);
	assert_int_equal(field(layout, name)->lo, lo);
}

static void check_words(const struct lbr_layout *layout, const char *name, uint64_t value,
			const char *words)
{
	const struct lbr_field *f = field(layout, name);
	char text[80];

	assert_string_equal(field_explain(f, value, text, sizeof(text)), words);
}

static void msr_explain_names_each_register(void **state)
{
	explain("nehalem", 0x683, "MSR_LASTBRANCH_3_FROM_IP");
	explain("nehalem", 0x6cf, "MSR_LASTBRANCH_15_TO_IP");
	explain("skylake", 0xddf, "MSR_LBR_INFO_31");
	explain("skylake", 0x1c9, "MSR_LASTBRANCH_TOS");
	explain("skylake", 0x1c8, "MSR_LBR_SELECT");
	explain("skylake", 0x1d9, "IA32_DEBUGCTL");
	explain("skylake", 0x345, "IA32_PERF_CAPABILITIES");
	explain("core", 0x47, "MSR_LASTBRANCH_7");
	explain("sapphirerapids", 0x1501, "IA32_LBR_1_FROM_IP");
	explain("sapphirerapids", 0x121f, "IA32_LBR_31_INFO");
	explain("sapphirerapids", 0x14ce, "IA32_LBR_CTL");
	explain("sapphirerapids", 0x14cf, "IA32_LBR_DEPTH");
	explain("zen4", 0xc0010305, "SAMP_BR_TO_2");
	explain("zen4", 0xc000010f, "DBG_EXTN_CFG");
	explain("p6", 0x1db, "LastBranchFromIP");
	explain("core", 0x1dd, "MSR_LER_FROM_LIP");
	explain("core", 0x1de, "MSR_LER_TO_LIP");
	explain("netburst", 0x1d8, "MSR_LER_TO_LIP");
	explain("netburst", 0x1dd, "MSR_LASTBRANCH_2");
	explain("p6", 0x1de, "LastExceptionToIP");
	explain("amd_single", 0x1dc, "LastBranchToIP");
}

static void msr_explain_foreign_register_is_enoent(void **state)
{
	const struct lbr_layout *layout = NULL;
	char text[40];

	assert_int_equal(
		msr_explain(lbr_model_by_name("core2"), 0x680, text, sizeof(text), &layout),
		-ENOENT);
	/* Table 17-15: 32 entries, 680H to 69FH; Table 17-10: 16 */
	assert_int_equal(
		msr_explain(lbr_model_by_name("skylake"), 0x6a0, text, sizeof(text), &layout),
		-ENOENT);
	assert_int_equal(
		msr_explain(lbr_model_by_name("nehalem"), 0x6d0, text, sizeof(text), &layout),
		-ENOENT);
	assert_int_equal(msr_explain(lbr_model_by_name("zen4"), 0x345, text, sizeof(text), &layout),
			 -ENOENT);
	assert_null(layout);
}

static void table_17_8_fields(void **state)
{
	const struct lbr_layout *layout = explain("nehalem", 0x680, "MSR_LASTBRANCH_0_FROM_IP");

	check_bits(layout, "Data", 47, 0);
	check_bits(layout, "SIGN_EXT", 62, 48);
	check_bits(layout, "MISPRED", 63, 63);
	assert_non_null(strstr(layout->table, "Table 17-8"));
	check_words(layout, "Data", UINT64_C(0x7fffffff81000010), "address 0xffffffff81000010");
	check_words(layout, "MISPRED", UINT64_C(0x7fffffff81000010), "predicted");
}

static void table_17_9_fields(void **state)
{
	const struct lbr_layout *layout = explain("nehalem", 0x6c0, "MSR_LASTBRANCH_0_TO_IP");

	check_bits(layout, "Data", 47, 0);
	check_bits(layout, "SIGN_EXT", 63, 48);
	assert_non_null(strstr(layout->table, "Table 17-9"));
}

static void table_17_11_fields(void **state)
{
	static const char *const names[] = {"CPL_EQ_0",	     "CPL_NEQ_0",     "JCC",
					    "NEAR_REL_CALL", "NEAR_IND_CALL", "NEAR_RET",
					    "NEAR_IND_JMP",  "NEAR_REL_JMP",  "FAR_BRANCH"};
	const struct lbr_layout *layout = explain("nehalem", 0x1c8, "MSR_LBR_SELECT");

	for (uint8_t bit = 0; bit < 9; bit++)
		check_bits(layout, names[bit], bit, bit);
	check_bits(layout, "Reserved", 63, 9);
	assert_non_null(strstr(layout->table, "Table 17-11"));
}

static void table_17_13_fields(void **state)
{
	const struct lbr_layout *layout = explain("haswell", 0x1c8, "MSR_LBR_SELECT");

	check_bits(layout, "EN_CALLSTACK", 9, 9);
	check_bits(layout, "FAR_BRANCH", 8, 8);
	check_bits(layout, "Reserved", 63, 10);
	assert_non_null(strstr(layout->table, "Table 17-13"));
	check_words(layout, "EN_CALLSTACK", 0x200, "set");
}

static void table_17_14_fields(void **state)
{
	const struct lbr_layout *layout = explain("haswell", 0x680, "MSR_LASTBRANCH_0_FROM_IP");

	check_bits(layout, "Data", 47, 0);
	check_bits(layout, "SIGN_EXT", 60, 48);
	check_bits(layout, "TSX_ABORT", 61, 61);
	check_bits(layout, "IN_TSX", 62, 62);
	check_bits(layout, "MISPRED", 63, 63);
	assert_non_null(strstr(layout->table, "Table 17-14"));
}

static void table_17_16_fields(void **state)
{
	const struct lbr_layout *layout = explain("skylake", 0xdc0, "MSR_LBR_INFO_0");

	check_bits(layout, "Cycle Count", 15, 0);
	check_bits(layout, "Reserved", 60, 16);
	check_bits(layout, "TSX_ABORT", 61, 61);
	check_bits(layout, "IN_TSX", 62, 62);
	check_bits(layout, "MISPRED", 63, 63);
	assert_non_null(strstr(layout->table, "Table 17-16"));
	check_words(layout, "Cycle Count", 23, "23 core clocks");
	check_words(layout, "Cycle Count", 0xffff, "65535 core clocks or more");
	check_words(layout, "Reserved", 1 << 16, "not 0: is the model right?");
}

static void figure_17_15_fields(void **state)
{
	const struct lbr_layout *layout = explain("core", 0x40, "MSR_LASTBRANCH_0");

	check_bits(layout, "From Linear Address", 31, 0);
	check_bits(layout, "To Linear Address", 63, 32);
	check_words(layout, "To Linear Address", UINT64_C(0xc0102030c0405060),
		    "address 0xc0102030");
}

static void figure_17_14_fields(void **state)
{
	const struct lbr_layout *layout = explain("core", 0x1d9, "IA32_DEBUGCTL");

	check_bits(layout, "LBR", 0, 0);
	check_bits(layout, "BTF", 1, 1);
	check_bits(layout, "TR", 6, 6);
	check_bits(layout, "BTS", 7, 7);
	check_bits(layout, "BTINT", 8, 8);
	assert_non_null(strstr(layout->table, "Figure 17-14"));
	check_words(layout, "BTS", 0x80, "set");
	check_words(layout, "TR", 0x80, "clear");
}

/* Table 16-3; page 17-36: "a 3-bit pointer (bits 2-0)" */
static void table_16_3_tos_has_as_many_bits_as_the_stack_needs(void **state)
{
	check_bits(explain("core", 0x1c9, "MSR_LASTBRANCH_TOS"), "TOS", 2, 0);
	check_bits(explain("core2", 0x1c9, "MSR_LASTBRANCH_TOS"), "TOS", 1, 0);
	check_bits(explain("nehalem", 0x1c9, "MSR_LASTBRANCH_TOS"), "TOS", 3, 0);
	check_bits(explain("skylake", 0x1c9, "MSR_LASTBRANCH_TOS"), "TOS", 4, 0);
	check_bits(explain("netburst", 0x1da, "MSR_LASTBRANCH_TOS"), "TOS", 1, 0);
	check_bits(explain("format-05h", 0x1c9, "MSR_LASTBRANCH_TOS"), "TOS", 63, 0);
	check_words(explain("core", 0x1c9, "MSR_LASTBRANCH_TOS"), "Reserved", 9,
		    "not 0: is the model right?");
}

static void table_17_9_sign_extension_that_is_none_is_said(void **state)
{
	const struct lbr_layout *layout = explain("nehalem", 0x6c0, "MSR_LASTBRANCH_0_TO_IP");

	check_words(layout, "SIGN_EXT", UINT64_C(0xffff800000000000), "set");
	check_words(layout, "SIGN_EXT", UINT64_C(0x00007fffffffffff), "clear");
	check_words(layout, "SIGN_EXT", UINT64_C(0xffff000000000000),
		    "not so: no canonical address");
	check_words(layout, "SIGN_EXT", UINT64_C(0x7fff800000000000),
		    "not so: no canonical address");
	check_words(layout, "SIGN_EXT", UINT64_C(0x0000800000000000),
		    "not so: no canonical address");
}

/* Linux amd/brs.c, union amd_debug_extn_cfg; erratum 1452 of amd/lbr.c */
static void amd_fields(void **state)
{
	const struct lbr_layout *layout = explain("zen3", 0xc000010f, "DBG_EXTN_CFG");

	check_bits(layout, "MSROFF", 19, 16);
	check_words(layout, "MSROFF", 0x20038, "2");
	check_words(layout, "VB", 0x20038, "set");
	assert_int_equal(layout->fields[7].lo, 3); /* "reserved - must be 3": no reason to doubt */
	check_words(&(struct lbr_layout){.fields = &layout->fields[7], .count = 1}, "Reserved",
		    0x20038, "3");
	layout = explain("zen4", 0xc0010301, "SAMP_BR_TO_0");
	assert_int_equal(layout->fields[2].lo, 61);
	check_words(&(struct lbr_layout){.fields = &layout->fields[2], .count = 1}, "Reserved",
		    UINT64_C(1) << 61, "set: this is no branch");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(msr_explain_names_each_register),
		cmocka_unit_test(msr_explain_foreign_register_is_enoent),
		cmocka_unit_test(table_17_8_fields),
		cmocka_unit_test(table_17_9_fields),
		cmocka_unit_test(table_17_11_fields),
		cmocka_unit_test(table_17_13_fields),
		cmocka_unit_test(table_17_14_fields),
		cmocka_unit_test(table_17_16_fields),
		cmocka_unit_test(figure_17_15_fields),
		cmocka_unit_test(figure_17_14_fields),
		cmocka_unit_test(table_16_3_tos_has_as_many_bits_as_the_stack_needs),
		cmocka_unit_test(table_17_9_sign_extension_that_is_none_is_said),
		cmocka_unit_test(amd_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
