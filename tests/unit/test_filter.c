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

static struct lbr_filter_plan plan;
static uint64_t refused;

static int plan_of(const struct lbr_model *model, const char *list)
{
	uint64_t bits;

	memset(&plan, 0, sizeof(plan));
	refused = 0;
	assert_int_equal(lbr_filter_parse(list, &bits, NULL), 0);
	return lbr_filter_plan(model, bits, &plan, &refused);
}

static bool supported(const char *model, const char *list)
{
	int err = plan_of(lbr_model_by_name(model), list);

	assert_true(err == 0 || (err == -EOPNOTSUPP && refused));
	return err == 0;
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

static void lbr_filter_plan_core2_has_no_filter_linux_sorts_out(void **state)
{
	(void)state;
	assert_int_equal(lbr_model_filters(lbr_model_by_name("core2")), PERF_SAMPLE_BRANCH_ANY);
	assert_true(supported("core2", "any"));
	assert_false(plan.software);
	assert_true(supported("core2", "any,k"));
	assert_true(plan.software);
	assert_true(supported("atom", "cond"));
	assert_true(plan.software);
	assert_int_equal(plan.kernel, PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_USER |
					      PERF_SAMPLE_BRANCH_KERNEL);
	assert_false(supported("core2", "any,call_stack"));
	assert_int_equal(refused, PERF_SAMPLE_BRANCH_CALL_STACK);
	assert_true(supported("nehalem", "cond"));
	assert_false(plan.software);
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
	assert_false(supported("haswell", "any,hv"));
	assert_int_equal(refused, PERF_SAMPLE_BRANCH_HV);
}

static bool wants(enum tri in_tx, enum tri aborted)
{
	struct branch branch = {.in_tx = in_tx, .abort = aborted};

	return lbr_filter_wants(plan.own, &branch);
}

/* Linux forgets these beside "any" (X86_BR_ALL), and LBR_SELECT has none of them. */
static void lbr_filter_plan_tsx_is_sorted_out_here(void **state)
{
	struct lbr_model without = *lbr_model_by_name("haswell");

	(void)state;
	assert_true(supported("haswell", "in_tx"));
	assert_int_equal(plan.kernel, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
					      PERF_SAMPLE_BRANCH_KERNEL);
	assert_true(wants(TRI_SET, TRI_CLEAR));
	assert_false(wants(TRI_CLEAR, TRI_CLEAR));
	assert_true(supported("haswell", "no_tx,k"));
	assert_true(wants(TRI_CLEAR, TRI_CLEAR));
	assert_false(wants(TRI_SET, TRI_CLEAR));
	assert_true(supported("skylake", "in_tx,no_tx,cond"));
	assert_true(wants(TRI_SET, TRI_CLEAR) && wants(TRI_CLEAR, TRI_CLEAR));
	assert_true(supported("skylake", "abort_tx"));
	assert_true(wants(TRI_SET, TRI_SET));
	assert_false(wants(TRI_SET, TRI_CLEAR));
	assert_false(supported("skylake", "abort_tx,call")); /* aborts are no calls */
	assert_int_equal(refused, PERF_SAMPLE_BRANCH_ABORT_TX);
	assert_false(supported("nehalem", "in_tx"));
	lbr_model_set_tsx(&without, false);
	assert_int_equal(plan_of(&without, "in_tx"), -EOPNOTSUPP);
}

/* What a capture file says of its filter */
static void lbr_filter_own_of_a_list(void **state)
{
	(void)state;
	assert_int_equal(lbr_filter_own(""), 0);
	assert_int_equal(lbr_filter_own("any,u,k"), 0);
	assert_int_equal(lbr_filter_own("u,k,in_tx"), PERF_SAMPLE_BRANCH_IN_TX);
	assert_int_equal(lbr_filter_own("frob"), 0);
}

/* Linux 6.0 and older: "HW raw branch type encoding may leak" without it */
static void lbr_filter_plan_arch_asks_for_the_type(void **state)
{
	(void)state;
	assert_true(supported("sapphirerapids", "any"));
	assert_true(plan.kernel & PERF_SAMPLE_BRANCH_TYPE_SAVE);
	assert_true(supported("skylake", "any"));
	assert_false(plan.kernel & PERF_SAMPLE_BRANCH_TYPE_SAVE);
}

static void lbr_filter_plan_amd_has_no_call_stack(void **state)
{
	(void)state;
	assert_true(supported("zen4", "any_call,any_ret,ind_call,ind_jmp,call,cond,u,k"));
	assert_false(supported("zen4", "call_stack"));
}

/* They say what to record of a branch; without flags lbrsnoop would tell cycles that are none. */
static void lbr_filter_plan_modifiers_are_refused(void **state)
{
	(void)state;
	assert_false(supported("skylake", "any,no_flags"));
	assert_false(supported("skylake", "any,no_cycles,save_type,hw_index,priv"));
}

static void lbr_filter_plan_arch_without_filtering_refuses_types(void **state)
{
	struct lbr_model model = *lbr_model_by_name("sapphirerapids");

	(void)state;
	assert_int_equal(plan_of(&model, "call_stack"), 0);
	model.select &= ~LBR_SELECT_TYPES; /* CPUID.1CH:EBX[1] clear */
	assert_int_equal(plan_of(&model, "cond"), -EOPNOTSUPP);
	assert_int_equal(plan_of(&model, "u"), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lbr_filter_parse_list_gives_all_bits),
		cmocka_unit_test(lbr_filter_parse_unknown_name_is_pointed_at),
		cmocka_unit_test(lbr_filter_format_names_each_bit_once),
		cmocka_unit_test(lbr_filter_plan_core2_has_no_filter_linux_sorts_out),
		cmocka_unit_test(lbr_filter_plan_tsx_is_sorted_out_here),
		cmocka_unit_test(lbr_filter_own_of_a_list),
		cmocka_unit_test(lbr_filter_plan_arch_asks_for_the_type),
		cmocka_unit_test(table_17_11_nehalem_filters),
		cmocka_unit_test(table_17_13_haswell_has_call_stack),
		cmocka_unit_test(lbr_filter_plan_amd_has_no_call_stack),
		cmocka_unit_test(lbr_filter_plan_modifiers_are_refused),
		cmocka_unit_test(lbr_filter_plan_arch_without_filtering_refuses_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
