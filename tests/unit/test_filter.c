// SPDX-License-Identifier: GPL-2.0
/* Expected values: Tables 17-11 and 17-13, and the filter maps of Linux events/{intel,amd}/lbr.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>
#include <linux/perf_event.h>

#include <cmocka.h>

#include "decode/filter.h"
#include "decode/model.h"

static bool supported(const char *model, const char *list)
{
	uint64_t bits;

	assert_int_equal(lbr_filter_parse(list, &bits, NULL), 0);
	return lbr_filter_supported(lbr_model_by_name(model), bits);
}

static void lbr_filter_parse_list_gives_all_bits(void **state)
{
	uint64_t bits;

	(void)state;
	assert_int_equal(lbr_filter_parse("any_call,u,ind_jmp", &bits, NULL), 0);
	assert_int_equal(bits, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER |
				       PERF_SAMPLE_BRANCH_IND_JUMP);
	assert_int_equal(lbr_filter_parse("stack", &bits, NULL), 0);
	assert_int_equal(bits, PERF_SAMPLE_BRANCH_CALL_STACK);
}

static void lbr_filter_parse_unknown_name_is_pointed_at(void **state)
{
	const char *bad = NULL;
	uint64_t bits = 42;

	(void)state;
	assert_int_equal(lbr_filter_parse("any,frob,u", &bits, &bad), -EINVAL);
	assert_string_equal(bad, "frob,u");
	assert_int_equal(lbr_filter_parse("", &bits, &bad), -EINVAL);
	assert_int_equal(lbr_filter_parse("any,", &bits, &bad), -EINVAL);
	assert_int_equal(bits, 42);
}

static void lbr_filter_format_names_each_bit_once(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(
		lbr_filter_format(PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_KERNEL, buf,
				  sizeof(buf)),
		"k,call_stack");
	assert_string_equal(lbr_filter_format(0, buf, sizeof(buf)), "");
	assert_string_equal(lbr_filter_format(~UINT64_C(0), buf, 6), "any,u");
}

static void lbr_filter_supported_core2_has_no_filter(void **state)
{
	(void)state;
	assert_true(supported("core2", "any"));
	assert_false(supported("core2", "any,k"));
	assert_false(supported("atom", "cond"));
	assert_false(supported("zen3", "any_call"));
}

static void table_17_11_nehalem_filters(void **state)
{
	(void)state;
	assert_true(supported("nehalem", "any,u,k,any_call,any_ret,ind_call,ind_jmp,cond"));
	assert_false(supported("nehalem", "call_stack"));
	assert_false(supported("nehalem", "call")); /* erratum: Linux has no entry for it */
	assert_true(supported("sandybridge", "call"));
	assert_false(supported("sandybridge", "call_stack"));
}

static void table_17_13_haswell_has_call_stack(void **state)
{
	(void)state;
	assert_true(supported("haswell", "call_stack,u"));
	assert_true(supported("skylake", "call_stack,k"));
	assert_false(supported("haswell", "in_tx"));
	assert_false(supported("haswell", "any,hv"));
}

static void lbr_filter_supported_amd_has_no_call_stack(void **state)
{
	(void)state;
	assert_true(supported("zen4", "any_call,any_ret,ind_call,ind_jmp,call,cond,u,k"));
	assert_false(supported("zen4", "call_stack"));
}

static void lbr_filter_supported_modifiers_are_not_looked_at(void **state)
{
	(void)state;
	assert_true(supported("core2", "any,no_flags,no_cycles,save_type,hw_index,priv"));
}

static void lbr_filter_supported_arch_without_filtering_refuses_types(void **state)
{
	struct lbr_model model = *lbr_model_by_name("sapphirerapids");

	(void)state;
	assert_true(lbr_filter_supported(&model, PERF_SAMPLE_BRANCH_CALL_STACK));
	model.select &= ~LBR_SELECT_TYPES; /* CPUID.1CH:EBX[1] clear */
	assert_false(lbr_filter_supported(&model, PERF_SAMPLE_BRANCH_COND));
	assert_true(lbr_filter_supported(&model, PERF_SAMPLE_BRANCH_USER));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lbr_filter_parse_list_gives_all_bits),
		cmocka_unit_test(lbr_filter_parse_unknown_name_is_pointed_at),
		cmocka_unit_test(lbr_filter_format_names_each_bit_once),
		cmocka_unit_test(lbr_filter_supported_core2_has_no_filter),
		cmocka_unit_test(table_17_11_nehalem_filters),
		cmocka_unit_test(table_17_13_haswell_has_call_stack),
		cmocka_unit_test(lbr_filter_supported_amd_has_no_call_stack),
		cmocka_unit_test(lbr_filter_supported_modifiers_are_not_looked_at),
		cmocka_unit_test(lbr_filter_supported_arch_without_filtering_refuses_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
