// SPDX-License-Identifier: GPL-2.0
/*
 * Expected values: computed by hand from the tables that the test names. K_FROM and K_TO are a
 * kernel's addresses, bit 47 set; U_FROM and U_TO are a program's, bit 47 clear.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "decode/model.h"
#include "decode/raw_msr.h"

#define K_FROM UINT64_C(0xffffffff81000010)
#define K_TO   UINT64_C(0xffffffff81000100)
#define U_FROM UINT64_C(0x00007f0012345678)
#define U_TO   UINT64_C(0x0000555555554000)

static uint32_t doubts;

static struct branch decode(const char *name, uint64_t from, uint64_t to, uint64_t info)
{
	struct raw_branch raw = {.from = from, .to = to, .info = info};
	struct branch b;

	memset(&b, 0x5a, sizeof(b));
	doubts = 0xdead;
	assert_int_equal(raw_msr_decode(lbr_model_by_name(name), &raw, &b, &doubts), 0);
	return b;
}

static int decode_error(const char *name, uint64_t from, uint64_t to, uint64_t info)
{
	struct raw_branch raw = {.from = from, .to = to, .info = info};
	struct branch b;

	return raw_msr_decode(lbr_model_by_name(name), &raw, &b, &doubts);
}

static void check_flags(const struct branch *b, enum tri mispred, enum tri in_tx, enum tri abort,
			int32_t cycles)
{
	assert_int_equal(b->mispred, mispred);
	assert_int_equal(b->in_tx, in_tx);
	assert_int_equal(b->abort, abort);
	assert_int_equal(b->cycles, cycles);
	assert_int_equal(b->type, BRANCH_NOT_REPORTED);
	assert_int_equal(b->spec, BRANCH_SPEC_NOT_REPORTED);
}

/* Figure 17-15: TO in 63:32, FROM in 31:0 */
static void figure_17_15_core_duo_halves(void **state)
{
	struct branch b = decode("core", UINT64_C(0xc0102030c0405060), 0, 0);

	assert_int_equal(b.from, 0xc0405060u);
	assert_int_equal(b.to, 0xc0102030u);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_NOT_REPORTED, TRI_NOT_REPORTED, TRI_NOT_REPORTED, CYCLES_NOT_REPORTED);
}

static void figure_17_15_core_duo_each_bit_lands_in_its_half(void **state)
{
	for (unsigned int bit = 0; bit < 64; bit++) {
		struct branch b = decode("core", UINT64_C(1) << bit, 0, 0);

		assert_int_equal(b.from, bit < 32 ? UINT64_C(1) << bit : 0);
		assert_int_equal(b.to, bit < 32 ? 0 : UINT64_C(1) << (bit - 32));
	}
}

/* Table 16-3 and Figure 16-4 of 253668-032US: 64-bit addresses, no flags */
static void table_16_3_core2_address_is_the_whole_register(void **state)
{
	struct branch b = decode("core2", K_FROM, U_TO, 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(b.to, U_TO);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_NOT_REPORTED, TRI_NOT_REPORTED, TRI_NOT_REPORTED, CYCLES_NOT_REPORTED);
}

static void table_16_3_atom_address_is_the_whole_register(void **state)
{
	struct branch b = decode("atom", U_FROM, K_TO, 0);

	assert_int_equal(b.from, U_FROM);
	assert_int_equal(b.to, K_TO);
	check_flags(&b, TRI_NOT_REPORTED, TRI_NOT_REPORTED, TRI_NOT_REPORTED, CYCLES_NOT_REPORTED);
}

/* Table 17-8: DATA 47:0, SIGN_EXT 62:48, MISPRED 63 */
static void table_17_8_from_ip_mispred_bit63_clear(void **state)
{
	struct branch b = decode("nehalem", UINT64_C(0x7fffffff81000010), K_TO, 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(b.to, K_TO);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_CLEAR, TRI_NOT_REPORTED, TRI_NOT_REPORTED, CYCLES_NOT_REPORTED);
}

static void table_17_8_from_ip_mispred_bit63_set(void **state)
{
	struct branch b = decode("nehalem", UINT64_C(0xffffffff81000010), K_TO, 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_SET, TRI_NOT_REPORTED, TRI_NOT_REPORTED, CYCLES_NOT_REPORTED);
}

static void table_17_8_from_ip_user_address_mispred(void **state)
{
	struct branch b = decode("sandybridge", UINT64_C(0x80007f0012345678), U_TO, 0);

	assert_int_equal(b.from, U_FROM);
	assert_int_equal(b.mispred, TRI_SET);
	assert_int_equal(doubts, 0);
}

static void table_17_8_from_ip_data_each_bit(void **state)
{
	for (unsigned int bit = 0; bit < 47; bit++) {
		struct branch b = decode("nehalem", UINT64_C(1) << bit, U_TO, 0);

		assert_int_equal(b.from, UINT64_C(1) << bit);
		assert_int_equal(doubts, 0);
	}
	/* bit 47 alone: an address 0xffff800000000000 whose sign extension is missing */
	assert_int_equal(decode("nehalem", UINT64_C(1) << 47, U_TO, 0).from,
			 UINT64_C(0xffff800000000000));
	assert_int_equal(doubts, RAW_DOUBT_FROM_CANONICAL);
}

static void table_17_8_from_ip_sign_ext_each_bit_must_copy_bit47(void **state)
{
	for (unsigned int bit = 48; bit <= 62; bit++) {
		struct branch b = decode("nehalem", U_FROM | UINT64_C(1) << bit, U_TO, 0);

		assert_int_equal(b.from, U_FROM);
		assert_int_equal(doubts, RAW_DOUBT_FROM_CANONICAL);
		b = decode("nehalem", UINT64_C(0x7fffffff81000010) & ~(UINT64_C(1) << bit), K_TO,
			   0);
		assert_int_equal(b.from, K_FROM);
		assert_int_equal(doubts, RAW_DOUBT_FROM_CANONICAL);
	}
}

/* Table 17-9: DATA 47:0, SIGN_EXT 63:48 */
static void table_17_9_to_ip_sign_ext_each_bit_must_copy_bit47(void **state)
{
	for (unsigned int bit = 48; bit <= 63; bit++) {
		struct branch b = decode("nehalem", U_FROM, U_TO | UINT64_C(1) << bit, 0);

		assert_int_equal(b.to, U_TO);
		assert_int_equal(doubts, RAW_DOUBT_TO_CANONICAL);
	}
	assert_int_equal(decode("nehalem", U_FROM, K_TO, 0).to, K_TO);
	assert_int_equal(doubts, 0);
}

/* Table 17-14: DATA 47:0, SIGN_EXT 60:48, TSX_ABORT 61, IN_TSX 62; MISPRED 63 as in Table 17-8 */
static void table_17_14_from_ip_no_flag_set(void **state)
{
	struct branch b = decode("haswell", UINT64_C(0x1fffffff81000010), K_TO, 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_CLEAR, TRI_CLEAR, TRI_CLEAR, CYCLES_NOT_REPORTED);
}

static void table_17_14_from_ip_tsx_abort_bit61(void **state)
{
	struct branch b = decode("haswell", UINT64_C(0x3fffffff81000010), K_TO, 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_CLEAR, TRI_CLEAR, TRI_SET, CYCLES_NOT_REPORTED);
}

static void table_17_14_from_ip_in_tsx_bit62(void **state)
{
	struct branch b = decode("broadwell", UINT64_C(0x5fffffff81000010), K_TO, 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_CLEAR, TRI_SET, TRI_CLEAR, CYCLES_NOT_REPORTED);
}

static void table_17_14_from_ip_mispred_bit63(void **state)
{
	struct branch b = decode("haswell", UINT64_C(0x80007f0012345678), U_TO, 0);

	assert_int_equal(b.from, U_FROM);
	check_flags(&b, TRI_SET, TRI_CLEAR, TRI_CLEAR, CYCLES_NOT_REPORTED);
}

static void table_17_14_from_ip_sign_ext_is_60_to_48(void **state)
{
	for (unsigned int bit = 48; bit <= 60; bit++) {
		assert_int_equal(decode("haswell", U_FROM | UINT64_C(1) << bit, U_TO, 0).from,
				 U_FROM);
		assert_int_equal(doubts, RAW_DOUBT_FROM_CANONICAL);
	}
	assert_int_equal(decode("haswell", U_FROM | UINT64_C(3) << 61, U_TO, 0).from, U_FROM);
	assert_int_equal(doubts, 0);
}

static void table_17_14_from_ip_both_tsx_bits_of_a_kernel_address_is_doubted(void **state)
{
	struct branch b = decode("haswell", UINT64_C(0x7fffffff81000010), K_TO, 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(doubts, RAW_DOUBT_TSX_SIGN_EXT);
}

/* The quirk: restored by WRMSR on a CPU without TSX, 62:61 are sign extension */
static void raw_msr_decode_haswell_without_tsx_ignores_bits_61_and_62(void **state)
{
	struct lbr_model model = *lbr_model_by_name("haswell");
	struct raw_branch raw = {.from = UINT64_C(0x7fffffff81000010), .to = K_TO};
	struct branch b;

	lbr_model_set_tsx(&model, false);
	assert_int_equal(raw_msr_decode(&model, &raw, &b, &doubts), 0);
	assert_int_equal(b.from, K_FROM);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_CLEAR, TRI_NOT_REPORTED, TRI_NOT_REPORTED, CYCLES_NOT_REPORTED);
}

static void raw_msr_decode_haswell_with_tsx_doubts_no_flags(void **state)
{
	struct lbr_model model = *lbr_model_by_name("haswell");
	struct raw_branch raw = {.from = UINT64_C(0x7fffffff81000010), .to = K_TO};
	struct branch b;

	lbr_model_set_tsx(&model, true);
	assert_int_equal(raw_msr_decode(&model, &raw, &b, &doubts), 0);
	assert_int_equal(b.from, K_FROM);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_CLEAR, TRI_SET, TRI_SET, CYCLES_NOT_REPORTED);
}

/* Table 17-16: cycles 15:0, reserved 60:16, TSX_ABORT 61, IN_TSX 62, MISPRED 63 */
static void table_17_16_info_cycles_each_bit(void **state)
{
	for (unsigned int bit = 0; bit < 16; bit++) {
		struct branch b = decode("skylake", K_FROM, K_TO, UINT64_C(1) << bit);

		check_flags(&b, TRI_CLEAR, TRI_CLEAR, TRI_CLEAR, 1 << bit);
		assert_int_equal(doubts, 0);
	}
}

static void table_17_16_info_cycles_saturated(void **state)
{
	assert_int_equal(decode("skylake", K_FROM, K_TO, 0xffff).cycles, 65535);
}

static void table_17_16_info_zero_is_zero_cycles_and_predicted(void **state)
{
	struct branch b = decode("skylake", K_FROM, K_TO, 0);

	check_flags(&b, TRI_CLEAR, TRI_CLEAR, TRI_CLEAR, 0);
	assert_int_equal(b.from, K_FROM);
	assert_int_equal(b.to, K_TO);
}

static void table_17_16_info_reserved_each_bit_is_doubted(void **state)
{
	for (unsigned int bit = 16; bit <= 60; bit++) {
		struct branch b = decode("skylake", K_FROM, K_TO, UINT64_C(1) << bit);

		check_flags(&b, TRI_CLEAR, TRI_CLEAR, TRI_CLEAR, 0);
		assert_int_equal(doubts, RAW_DOUBT_RESERVED);
	}
}

static void table_17_16_info_tsx_abort_bit61(void **state)
{
	struct branch b = decode("skylake", K_FROM, K_TO, UINT64_C(0x2000000000000011));

	check_flags(&b, TRI_CLEAR, TRI_CLEAR, TRI_SET, 17);
}

static void table_17_16_info_in_tsx_bit62(void **state)
{
	struct branch b = decode("skylake", K_FROM, K_TO, UINT64_C(0x4000000000000001));

	check_flags(&b, TRI_CLEAR, TRI_SET, TRI_CLEAR, 1);
}

static void table_17_16_info_mispred_bit63(void **state)
{
	struct branch b = decode("skylake", K_FROM, K_TO, UINT64_C(0x8000000000000100));

	check_flags(&b, TRI_SET, TRI_CLEAR, TRI_CLEAR, 256);
}

/* Table 17-9 holds for FROM, too: bit 63 is sign extension on Skylake, no flag */
static void table_17_9_skylake_from_ip_bit63_is_no_flag(void **state)
{
	struct branch b = decode("skylake", UINT64_C(0x80007f0012345678), U_TO, 0);

	assert_int_equal(b.from, U_FROM);
	assert_int_equal(b.mispred, TRI_CLEAR);
	assert_int_equal(doubts, RAW_DOUBT_FROM_CANONICAL);
}

static void raw_msr_decode_icelake_57_bit_address_is_canonical(void **state)
{
	struct branch b = decode("icelake", UINT64_C(0xff11000000001000), K_TO, 5);

	assert_int_equal(b.from, UINT64_C(0xff11000000001000));
	assert_int_equal(b.cycles, 5);
	assert_int_equal(doubts, 0);
	decode("icelake", UINT64_C(0xfe11000000001000), K_TO, 5);
	assert_int_equal(doubts, RAW_DOUBT_FROM_CANONICAL);
}

/* Format 06H: MISPRED in FROM[63], cycles in TO[63:48], address in TO[47:0] */
static void format_06h_goldmont_cycles_in_to(void **state)
{
	struct branch b =
		decode("goldmont", UINT64_C(0xffffffff81000010), UINT64_C(0x0123ffff81000100), 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(b.to, K_TO);
	check_flags(&b, TRI_SET, TRI_NOT_REPORTED, TRI_NOT_REPORTED, 0x123);
	assert_int_equal(doubts, 0);
}

/* Format 07H: as Table 17-16 without TSX */
static void format_07h_goldmont_plus_has_no_tsx(void **state)
{
	struct branch b = decode("goldmont_plus", K_FROM, K_TO, UINT64_C(0x8000000000000020));

	check_flags(&b, TRI_SET, TRI_NOT_REPORTED, TRI_NOT_REPORTED, 32);
	assert_int_equal(doubts, 0);
	decode("goldmont_plus", K_FROM, K_TO, UINT64_C(0x6000000000000020));
	assert_int_equal(doubts, RAW_DOUBT_RESERVED);
}

/* IA32_LBR_x_INFO: cycles 15:0, BR_TYPE 59:56, CYC_CNT_VALID 60, 61 to 63 as in Table 17-16 */
static void arch_lbr_info_cycles_need_their_valid_bit(void **state)
{
	assert_int_equal(decode("sapphirerapids", K_FROM, K_TO, 0x1234).cycles,
			 CYCLES_NOT_REPORTED);
	assert_int_equal(
		decode("sapphirerapids", K_FROM, K_TO, UINT64_C(0x1000000000001234)).cycles,
		0x1234);
	assert_int_equal(
		decode("sapphirerapids", K_FROM, K_TO, UINT64_C(0x1000000000000000)).cycles, 0);
}

static void arch_lbr_info_branch_types(void **state)
{
	static const enum branch_type types[16] = {
		BRANCH_COND, BRANCH_IJMP, BRANCH_JMP,	       BRANCH_ICALL,
		BRANCH_CALL, BRANCH_RET,  BRANCH_NOT_REPORTED, BRANCH_NOT_REPORTED,
		BRANCH_FAR,  BRANCH_FAR,  BRANCH_FAR,	       BRANCH_FAR,
		BRANCH_FAR,  BRANCH_FAR,  BRANCH_FAR,	       BRANCH_FAR,
	};

	for (uint64_t type = 0; type < 16; type++) {
		assert_int_equal(decode("sapphirerapids", K_FROM, K_TO, type << 56).type,
				 types[type]);
		assert_int_equal(doubts, type == 6 || type == 7 ? RAW_DOUBT_TYPE : 0);
	}
}

static void arch_lbr_info_flags(void **state)
{
	struct branch b = decode("alderlake", K_FROM, K_TO, UINT64_C(0xe800000000000000));

	assert_int_equal(b.mispred, TRI_SET);
	assert_int_equal(b.in_tx, TRI_SET);
	assert_int_equal(b.abort, TRI_SET);
	assert_int_equal(b.type, BRANCH_ABORT);
	b = decode("alderlake", K_FROM, K_TO, UINT64_C(0x0000000000000000));
	assert_int_equal(b.mispred, TRI_CLEAR);
	assert_int_equal(b.in_tx, TRI_CLEAR);
	assert_int_equal(b.abort, TRI_CLEAR);
}

/* amd/lbr.c: FROM 57:0, sign 62:58, mispredict 63; TO 57:0, sign 60:58, 61 reserved, spec, valid */
static void amd_lbr_v2_valid_and_spec_pairs(void **state)
{
	struct branch b =
		decode("zen4", UINT64_C(0x7fffffff81000010), UINT64_C(0x5fffffff81000100), 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(b.to, K_TO);
	assert_int_equal(b.spec, BRANCH_SPEC_WRONG_PATH);
	assert_int_equal(doubts, 0);
	b = decode("zen4", UINT64_C(0x7fffffff81000010), UINT64_C(0x9fffffff81000100), 0);
	assert_int_equal(b.spec, BRANCH_SPEC_NON_SPEC_CORRECT);
	assert_int_equal(b.mispred, TRI_CLEAR);
	b = decode("zen5", UINT64_C(0xffffffff81000010), UINT64_C(0xdfffffff81000100), 0);
	assert_int_equal(b.spec, BRANCH_SPEC_CORRECT);
	assert_int_equal(b.mispred, TRI_SET);
	assert_int_equal(b.cycles, CYCLES_NOT_REPORTED);
	assert_int_equal(b.in_tx, TRI_NOT_REPORTED);
}

static void amd_lbr_v2_neither_valid_nor_spec_is_empty(void **state)
{
	assert_int_equal(
		decode_error("zen4", UINT64_C(0x7fffffff81000010), UINT64_C(0x1fffffff81000100), 0),
		-ENODATA);
}

static void amd_erratum_1452_is_no_branch(void **state)
{
	assert_int_equal(
		decode_error("zen4", UINT64_C(0x7fffffff81000010), UINT64_C(0xffffffff81000100), 0),
		-EBADMSG);
}

/* amd/brs.c: no flags; TO 63:61 reserved */
static void amd_brs_to_is_sign_extended(void **state)
{
	struct branch b = decode("zen3", K_FROM, UINT64_C(0x1fffffff81000100), 0);

	assert_int_equal(b.from, K_FROM);
	assert_int_equal(b.to, K_TO);
	assert_int_equal(doubts, 0);
	check_flags(&b, TRI_NOT_REPORTED, TRI_NOT_REPORTED, TRI_NOT_REPORTED, CYCLES_NOT_REPORTED);
}

static void p6_two_registers_of_32_bits(void **state)
{
	struct branch b = decode("p6", 0xc0405060u, 0xc0102030u, 0);

	assert_int_equal(b.from, 0xc0405060u);
	assert_int_equal(b.to, 0xc0102030u);
	assert_int_equal(doubts, 0);
}

/* 16.4.8.2 of 253668-032US: To in the high half, From in the low half */
static void section_16_4_8_2_netburst_halves(void **state)
{
	struct branch b = decode("netburst", UINT64_C(0xc0102030c0405060), 0, 0);

	assert_int_equal(b.from, 0xc0405060u);
	assert_int_equal(b.to, 0xc0102030u);
}

static void raw_msr_decode_both_zero_is_enodata(void **state)
{
	assert_int_equal(decode_error("core", 0, 0, 0), -ENODATA);
	assert_int_equal(decode_error("nehalem", 0, 0, 0), -ENODATA);
	assert_int_equal(decode_error("nehalem", UINT64_C(1) << 63, 0, 0), -ENODATA);
	assert_int_equal(decode_error("skylake", 0, 0, 0xffff), -ENODATA);
}

static void raw_msr_decode_from_zero_alone_is_a_fault_at_null(void **state)
{
	assert_int_equal(decode("skylake", 0, K_TO, 3).from, 0);
	assert_int_equal(decode("skylake", K_FROM, 0, 3).to, 0);
	assert_int_equal(doubts, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_17_15_core_duo_halves),
		cmocka_unit_test(figure_17_15_core_duo_each_bit_lands_in_its_half),
		cmocka_unit_test(table_16_3_core2_address_is_the_whole_register),
		cmocka_unit_test(table_16_3_atom_address_is_the_whole_register),
		cmocka_unit_test(table_17_8_from_ip_mispred_bit63_clear),
		cmocka_unit_test(table_17_8_from_ip_mispred_bit63_set),
		cmocka_unit_test(table_17_8_from_ip_user_address_mispred),
		cmocka_unit_test(table_17_8_from_ip_data_each_bit),
		cmocka_unit_test(table_17_8_from_ip_sign_ext_each_bit_must_copy_bit47),
		cmocka_unit_test(table_17_9_to_ip_sign_ext_each_bit_must_copy_bit47),
		cmocka_unit_test(table_17_14_from_ip_no_flag_set),
		cmocka_unit_test(table_17_14_from_ip_tsx_abort_bit61),
		cmocka_unit_test(table_17_14_from_ip_in_tsx_bit62),
		cmocka_unit_test(table_17_14_from_ip_mispred_bit63),
		cmocka_unit_test(table_17_14_from_ip_sign_ext_is_60_to_48),
		cmocka_unit_test(table_17_14_from_ip_both_tsx_bits_of_a_kernel_address_is_doubted),
		cmocka_unit_test(raw_msr_decode_haswell_without_tsx_ignores_bits_61_and_62),
		cmocka_unit_test(raw_msr_decode_haswell_with_tsx_doubts_no_flags),
		cmocka_unit_test(table_17_16_info_cycles_each_bit),
		cmocka_unit_test(table_17_16_info_cycles_saturated),
		cmocka_unit_test(table_17_16_info_zero_is_zero_cycles_and_predicted),
		cmocka_unit_test(table_17_16_info_reserved_each_bit_is_doubted),
		cmocka_unit_test(table_17_16_info_tsx_abort_bit61),
		cmocka_unit_test(table_17_16_info_in_tsx_bit62),
		cmocka_unit_test(table_17_16_info_mispred_bit63),
		cmocka_unit_test(table_17_9_skylake_from_ip_bit63_is_no_flag),
		cmocka_unit_test(raw_msr_decode_icelake_57_bit_address_is_canonical),
		cmocka_unit_test(format_06h_goldmont_cycles_in_to),
		cmocka_unit_test(format_07h_goldmont_plus_has_no_tsx),
		cmocka_unit_test(arch_lbr_info_cycles_need_their_valid_bit),
		cmocka_unit_test(arch_lbr_info_branch_types),
		cmocka_unit_test(arch_lbr_info_flags),
		cmocka_unit_test(amd_lbr_v2_valid_and_spec_pairs),
		cmocka_unit_test(amd_lbr_v2_neither_valid_nor_spec_is_empty),
		cmocka_unit_test(amd_erratum_1452_is_no_branch),
		cmocka_unit_test(amd_brs_to_is_sign_extended),
		cmocka_unit_test(p6_two_registers_of_32_bits),
		cmocka_unit_test(section_16_4_8_2_netburst_halves),
		cmocka_unit_test(raw_msr_decode_both_zero_is_enodata),
		cmocka_unit_test(raw_msr_decode_from_zero_alone_is_a_fault_at_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
