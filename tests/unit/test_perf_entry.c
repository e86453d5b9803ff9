// SPDX-License-Identifier: GPL-2.0
/*
 * Expected values: struct perf_branch_entry of include/uapi/linux/perf_event.h, computed by hand
 * (bit 0 mispred, 1 predicted, 2 in_tx, 3 abort, 19:4 cycles, 23:20 type, 25:24 spec), and once
 * through the compiler's own bit fields.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>
#include <linux/perf_event.h>

#include <cmocka.h>

#include "decode/model.h"
#include "decode/perf_entry.h"

#define FROM UINT64_C(0xffffffff81000010)
#define TO   UINT64_C(0xffffffff81000100)

static struct branch decode(const char *name, uint64_t flags)
{
	struct branch b = {0};

	assert_int_equal(perf_entry_decode(lbr_model_by_name(name), FROM, TO, flags, &b), 0);
	assert_int_equal(b.from, FROM);
	assert_int_equal(b.to, TO);
	return b;
}

static void perf_entry_decode_core2_reports_no_flag(void **state)
{
	struct branch b = decode("core2", 0);

	(void)state;
	assert_int_equal(b.mispred, TRI_NOT_REPORTED);
	assert_int_equal(b.in_tx, TRI_NOT_REPORTED);
	assert_int_equal(b.abort, TRI_NOT_REPORTED);
	assert_int_equal(b.cycles, CYCLES_NOT_REPORTED);
	assert_int_equal(b.type, BRANCH_NOT_REPORTED);
	assert_int_equal(b.spec, BRANCH_SPEC_NOT_REPORTED);
}

static void perf_entry_decode_nehalem_reports_mispred_alone(void **state)
{
	(void)state;
	assert_int_equal(decode("nehalem", 0x1).mispred, TRI_SET);
	assert_int_equal(decode("nehalem", 0x2).mispred, TRI_CLEAR);
	assert_int_equal(decode("nehalem", 0x2).cycles, CYCLES_NOT_REPORTED);
	assert_int_equal(decode("nehalem", 0x2).in_tx, TRI_NOT_REPORTED);
}

static void perf_entry_decode_neither_mispred_nor_predicted_is_not_reported(void **state)
{
	(void)state;
	assert_int_equal(decode("skylake", 0).mispred, TRI_NOT_REPORTED);
}

static void perf_entry_decode_haswell_tsx_bits(void **state)
{
	struct branch b = decode("haswell", 0x1 | 0x4 | 0x8);

	(void)state;
	assert_int_equal(b.mispred, TRI_SET);
	assert_int_equal(b.in_tx, TRI_SET);
	assert_int_equal(b.abort, TRI_SET);
	b = decode("haswell", 0x2);
	assert_int_equal(b.in_tx, TRI_CLEAR);
	assert_int_equal(b.abort, TRI_CLEAR);
	assert_int_equal(b.cycles, CYCLES_NOT_REPORTED);
}

static void perf_entry_decode_no_tsx_on_this_cpu_is_not_reported(void **state)
{
	struct lbr_model model = *lbr_model_by_name("haswell");
	struct branch b;

	(void)state;
	lbr_model_set_tsx(&model, false);
	assert_int_equal(perf_entry_decode(&model, FROM, TO, 0x2, &b), 0);
	assert_int_equal(b.in_tx, TRI_NOT_REPORTED);
	assert_int_equal(b.abort, TRI_NOT_REPORTED);
	assert_int_equal(b.mispred, TRI_CLEAR);
}

static void perf_entry_decode_skylake_cycles(void **state)
{
	(void)state;
	assert_int_equal(decode("skylake", 0x2 | (UINT64_C(0x1234) << 4)).cycles, 0x1234);
	assert_int_equal(decode("skylake", 0x2 | (UINT64_C(0xffff) << 4)).cycles, 65535);
	assert_int_equal(decode("skylake", 0x2).cycles, 0);
}

static void perf_entry_decode_skylake_type_is_linux_not_the_cpu(void **state)
{
	(void)state;
	assert_int_equal(decode("skylake", 0x2 | ((uint64_t)PERF_BR_CALL << 20)).type,
			 BRANCH_NOT_REPORTED);
}

static void perf_entry_decode_arch_cycles_zero_is_not_reported(void **state)
{
	(void)state;
	assert_int_equal(decode("sapphirerapids", 0x2).cycles, CYCLES_NOT_REPORTED);
	assert_int_equal(decode("sapphirerapids", 0x2 | (7 << 4)).cycles, 7);
}

static void perf_entry_decode_arch_types(void **state)
{
	static const struct {
		unsigned int perf;
		enum branch_type type;
	} types[] = {
		{PERF_BR_UNKNOWN, BRANCH_NOT_REPORTED},
		{PERF_BR_COND, BRANCH_COND},
		{PERF_BR_UNCOND, BRANCH_JMP},
		{PERF_BR_IND, BRANCH_IJMP},
		{PERF_BR_CALL, BRANCH_CALL},
		{PERF_BR_IND_CALL, BRANCH_ICALL},
		{PERF_BR_RET, BRANCH_RET},
		{PERF_BR_SYSCALL, BRANCH_SYSCALL},
		{PERF_BR_SYSRET, BRANCH_SYSRET},
		{PERF_BR_ERET, BRANCH_IRET},
		{PERF_BR_IRQ, BRANCH_IRQ},
		{PERF_BR_EXTEND_ABI, BRANCH_NOT_REPORTED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		assert_int_equal(
			decode("sapphirerapids", 0x2 | ((uint64_t)types[i].perf << 20)).type,
			types[i].type);
}

static void perf_entry_decode_zen4_spec(void **state)
{
	(void)state;
	assert_int_equal(decode("zen4", 0x2).spec, BRANCH_SPEC_NOT_REPORTED);
	assert_int_equal(decode("zen4", 0x2 | (1u << 24)).spec, BRANCH_SPEC_WRONG_PATH);
	assert_int_equal(decode("zen4", 0x2 | (2u << 24)).spec, BRANCH_SPEC_NON_SPEC_CORRECT);
	assert_int_equal(decode("zen4", 0x1 | (3u << 24)).spec, BRANCH_SPEC_CORRECT);
	assert_int_equal(decode("zen4", 0x1 | (3u << 24)).mispred, TRI_SET);
	assert_int_equal(decode("zen4", 0x1 | (9 << 4)).cycles, CYCLES_NOT_REPORTED);
}

static void perf_entry_decode_zen3_reports_no_flag(void **state)
{
	(void)state;
	assert_int_equal(decode("zen3", 0).mispred, TRI_NOT_REPORTED);
	assert_int_equal(decode("zen3", 0).spec, BRANCH_SPEC_NOT_REPORTED);
}

static void perf_entry_decode_compilers_bit_fields_agree(void **state)
{
	struct perf_branch_entry e = {.from = FROM,
				      .to = TO,
				      .predicted = 1,
				      .abort = 1,
				      .cycles = 513,
				      .type = PERF_BR_RET};
	uint64_t words[3];
	struct branch b;

	(void)state;
	_Static_assert(sizeof(e) == sizeof(words), "three words");
	memcpy(words, &e, sizeof(words));
	assert_int_equal(perf_entry_decode(lbr_model_by_name("sapphirerapids"), words[0], words[1],
					   words[2], &b),
			 0);
	assert_int_equal(b.mispred, TRI_CLEAR);
	assert_int_equal(b.in_tx, TRI_CLEAR);
	assert_int_equal(b.abort, TRI_SET);
	assert_int_equal(b.cycles, 513);
	assert_int_equal(b.type, BRANCH_RET);
}

static void perf_entry_decode_empty_entry_is_enodata(void **state)
{
	struct branch b;

	(void)state;
	memset(&b, 0x5a, sizeof(b));
	assert_int_equal(perf_entry_decode(lbr_model_by_name("skylake"), 0, 0, 2, &b), -ENODATA);
	assert_int_equal(b.from, UINT64_C(0x5a5a5a5a5a5a5a5a));
}

static void perf_entry_decode_from_zero_alone_is_a_fault_at_null(void **state)
{
	struct branch b;

	(void)state;
	assert_int_equal(perf_entry_decode(lbr_model_by_name("skylake"), 0, TO, 2, &b), 0);
	assert_int_equal(b.from, 0);
	assert_int_equal(b.to, TO);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_entry_decode_core2_reports_no_flag),
		cmocka_unit_test(perf_entry_decode_nehalem_reports_mispred_alone),
		cmocka_unit_test(perf_entry_decode_neither_mispred_nor_predicted_is_not_reported),
		cmocka_unit_test(perf_entry_decode_haswell_tsx_bits),
		cmocka_unit_test(perf_entry_decode_no_tsx_on_this_cpu_is_not_reported),
		cmocka_unit_test(perf_entry_decode_skylake_cycles),
		cmocka_unit_test(perf_entry_decode_skylake_type_is_linux_not_the_cpu),
		cmocka_unit_test(perf_entry_decode_arch_cycles_zero_is_not_reported),
		cmocka_unit_test(perf_entry_decode_arch_types),
		cmocka_unit_test(perf_entry_decode_zen4_spec),
		cmocka_unit_test(perf_entry_decode_zen3_reports_no_flag),
		cmocka_unit_test(perf_entry_decode_compilers_bit_fields_agree),
		cmocka_unit_test(perf_entry_decode_empty_entry_is_enodata),
		cmocka_unit_test(perf_entry_decode_from_zero_alone_is_a_fault_at_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
