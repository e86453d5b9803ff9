// SPDX-License-Identifier: GPL-2.0
/* Expected values: the manual pages in the seeds, and CPUID of well-known CPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "decode/model.h"
#include "util/cleanup.h"

static const struct lbr_model *by_text(const char *text)
{
	const struct lbr_model *model = NULL;

	assert_int_equal(lbr_model_by_text(text, &model), 0);
	return model;
}

static void check_stack(const char *text, const char *name, uint32_t depth, uint32_t from,
			uint32_t to, uint32_t tos)
{
	const struct lbr_model *model = by_text(text);

	assert_string_equal(model->name, name);
	assert_int_equal(model->depth, depth);
	assert_int_equal(model->msr_from, from);
	assert_int_equal(model->msr_to, to);
	assert_int_equal(model->msr_order, tos);
	assert_int_equal(model->order, LBR_ORDER_TOS);
}

static void table_16_3_stack_size_of_each_cpu(void **state)
{
	(void)state;
	check_stack("06_1AH", "nehalem", 16, 0x680, 0x6c0, 0x1c9);
	check_stack("06_1EH", "nehalem", 16, 0x680, 0x6c0, 0x1c9);
	check_stack("06_1FH", "nehalem", 16, 0x680, 0x6c0, 0x1c9);
	check_stack("06_2EH", "nehalem", 16, 0x680, 0x6c0, 0x1c9);
	check_stack("06_17H", "core2", 4, 0x40, 0x60, 0x1c9);
	check_stack("06_1DH", "core2", 4, 0x40, 0x60, 0x1c9);
	check_stack("06_0FH", "core2", 4, 0x40, 0x60, 0x1c9);
	check_stack("06_1CH", "atom", 8, 0x40, 0x60, 0x1c9);
}

static void page_17_36_core_duo_is_eight_msrs_at_40h(void **state)
{
	const struct lbr_model *model = by_text("06_0EH");

	(void)state;
	assert_string_equal(model->name, "core");
	assert_int_equal(model->depth, 8);
	assert_int_equal(model->msr_from, 0x40);
	assert_int_equal(model->msr_to, MSR_LBR_NONE);
	assert_int_equal(model->msr_order, 0x1c9);
	assert_int_equal(model->supported, 0);
}

static void table_17_10_nehalem_has_16_entries(void **state)
{
	(void)state;
	check_stack("06_1AH", "nehalem", 16, 0x680, 0x6c0, 0x1c9);
}

static void table_17_15_skylake_has_32_entries(void **state)
{
	(void)state;
	check_stack("06_4EH", "skylake", 32, 0x680, 0x6c0, 0x1c9);
	check_stack("06_5EH", "skylake", 32, 0x680, 0x6c0, 0x1c9);
	assert_int_equal(by_text("06_5EH")->msr_info, 0xdc0);
	assert_int_equal(by_text("06_5EH")->format, 5);
}

static void page_17_30_haswell_is_format_4_with_16_entries(void **state)
{
	(void)state;
	check_stack("06_3CH", "haswell", 16, 0x680, 0x6c0, 0x1c9);
	assert_int_equal(by_text("06_3CH")->format, 4);
	assert_int_equal(by_text("06_3CH")->supported, LBR_HAS_MISPRED | LBR_HAS_TSX);
}

static void lbr_model_by_text_every_spelling_finds_the_row(void **state)
{
	static const char *const spellings[] = {"06_5EH",   "06_5eh",  "06_5E",	       "6_5E",
						"0x6_0x5E", "06H_5EH", "intel:06_5EH", "0x506E3",
						"506e3",    "skylake", "Skylake"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
		assert_string_equal(by_text(spellings[i])->name, "skylake");
}

static void lbr_model_by_text_vendor_prefix_decides_family_0fh(void **state)
{
	(void)state;
	assert_string_equal(by_text("0F_04H")->name, "prescott");
	assert_string_equal(by_text("intel:0F_04H")->name, "prescott");
	assert_string_equal(by_text("amd:0F_04H")->name, "amd_single");
	assert_string_equal(by_text("19_11H")->name, "zen4");
	assert_string_equal(by_text("19_01H")->name, "zen3");
	assert_string_equal(by_text("19_30H")->name, "zen3"); /* Trento: Linux cpu/amd.c */
	assert_string_equal(by_text("1A_02H")->name, "zen5");
}

static void lbr_model_by_text_nonsense_is_einval(void **state)
{
	static const char *const bad[] = {"",	   "06",      "06_",	"_5E",		"06_5EHX",
					  "06-5E", "skylak",  "intel:", "06_123456789", "h_h",
					  "0x",	   "amd:zen4"};
	const struct lbr_model *model = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(lbr_model_by_text(bad[i], &model), -EINVAL);
	assert_null(model);
}

static void lbr_model_by_text_unknown_cpu_is_enoent(void **state)
{
	const struct lbr_model *model = NULL;

	(void)state;
	assert_int_equal(lbr_model_by_text("06_FEH", &model), -ENOENT);
	assert_int_equal(lbr_model_by_text("amd:06_5EH", &model), -ENOENT);
	assert_int_equal(lbr_model_by_text("intel:19_11H", &model), -ENOENT);
}

static void cpu_signature_split_extended_fields_are_added(void **state)
{
	unsigned int family, model;

	(void)state;
	cpu_signature_split(0x000506e3, &family, &model); /* Skylake-S */
	assert_int_equal(family, 0x06);
	assert_int_equal(model, 0x5e);
	cpu_signature_split(0x00a60f12, &family, &model); /* Raphael, Zen 4 */
	assert_int_equal(family, 0x19);
	assert_int_equal(model, 0x61);
	cpu_signature_split(0x00000f29, &family, &model); /* Northwood */
	assert_int_equal(family, 0x0f);
	assert_int_equal(model, 0x02);
}

static void lbr_model_by_format_every_defined_one_has_a_row(void **state)
{
	(void)state;
	for (unsigned int format = 0; format <= 7; format++)
		assert_int_equal(lbr_model_by_format(format)->format, format);
	assert_int_equal(lbr_model_by_format(0x3f)->msr_info, 0x1200);
	assert_null(lbr_model_by_format(8));
	assert_null(lbr_model_by_format(0x3e));
}

static void lbr_model_set_format_open_row_takes_it(void **state)
{
	struct lbr_model model = *by_text("06_37H");

	(void)state;
	assert_int_equal(model.supported, 0);
	assert_int_equal(lbr_model_set_format(&model, 3), 0);
	assert_int_equal(model.supported, LBR_HAS_MISPRED);
	assert_int_equal(model.msr_from, 0x40);
	assert_int_equal(model.format, 3);
	assert_int_equal(lbr_model_set_format(&model, 0x2a), -EINVAL);
}

static void lbr_model_set_format_conflict_changes_nothing(void **state)
{
	struct lbr_model model = *by_text("skylake");

	(void)state;
	assert_int_equal(lbr_model_set_format(&model, 0), -EEXIST);
	assert_memory_equal(&model, by_text("skylake"), sizeof(model));
	model = *by_text("knights"); /* says 01H, has MISPRED: Linux intel_pmu_lbr_init_knl() */
	assert_int_equal(lbr_model_set_format(&model, 1), 0);
	assert_int_equal(model.supported, LBR_HAS_MISPRED);
}

/* Fields must tile bits 63 to 0: a gap or overlap is a typing error in a table. */
static void check_layout(const struct lbr_layout *layout)
{
	int next = 63;

	assert_non_null(layout->table);
	for (size_t i = 0; i < layout->count; i++) {
		assert_int_equal(layout->fields[i].hi, next);
		assert_true(layout->fields[i].lo <= layout->fields[i].hi);
		next = layout->fields[i].lo - 1;
	}
	assert_int_equal(next, -1);
}

static void lbr_models_every_row_is_complete(void **state)
{
	size_t count;
	const struct lbr_model *models = lbr_models(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct lbr_model *m = &models[i];

		assert_ptr_equal(lbr_model_by_name(m->name), m);
		assert_true(strlen(m->name) < sizeof(((struct lbr_info *)0)->model));
		assert_true(m->title && m->errata && m->source && m->source[0]);
		assert_true(m->depth <= BRANCHES_MAX && (m->depth & (m->depth - 1)) == 0);
		assert_true(m->stride > 0 && m->addr_bits >= 32);
		assert_int_equal(m->to == NULL, m->msr_to == MSR_LBR_NONE);
		assert_int_equal(m->info == NULL, m->msr_info == MSR_LBR_NONE);
		assert_int_equal(m->msr_order == MSR_LBR_NONE, m->order == LBR_ORDER_NEWEST);
		assert_int_equal(m->select == 0, m->select_layout == NULL);
		assert_int_equal(m->vendor == CPU_VENDOR_NONE, m->cpu_count == 0);
		check_layout(m->from);
		if (m->to)
			check_layout(m->to);
		if (m->info)
			check_layout(m->info);
		if (m->select_layout)
			check_layout(m->select_layout);
	}
}

static void lbr_models_no_cpu_is_in_two_rows(void **state)
{
	size_t count;
	const struct lbr_model *models = lbr_models(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < models[i].cpu_count; j++) {
			const struct cpu_range *cpu = &models[i].cpus[j];

			for (unsigned int m = cpu->model_first; m <= cpu->model_last; m++)
				assert_ptr_equal(lbr_model_by_cpu(models[i].vendor, cpu->family, m),
						 &models[i]);
		}
	}
}

static void lbr_model_info_given_depth_wins(void **state)
{
	struct lbr_info info;

	(void)state;
	lbr_model_info(by_text("sapphirerapids"), 16, &info);
	assert_string_equal(info.model, "sapphirerapids");
	assert_int_equal(info.format, 0x3f);
	assert_int_equal(info.depth, 16);
	assert_int_equal(info.supported,
			 LBR_HAS_MISPRED | LBR_HAS_CYCLES | LBR_HAS_TSX | LBR_HAS_TYPE);
	lbr_model_info(by_text("zen4"), 0, &info);
	assert_int_equal(info.format, -1);
	assert_int_equal(info.depth, 16);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_16_3_stack_size_of_each_cpu),
		cmocka_unit_test(page_17_36_core_duo_is_eight_msrs_at_40h),
		cmocka_unit_test(table_17_10_nehalem_has_16_entries),
		cmocka_unit_test(table_17_15_skylake_has_32_entries),
		cmocka_unit_test(page_17_30_haswell_is_format_4_with_16_entries),
		cmocka_unit_test(lbr_model_by_text_every_spelling_finds_the_row),
		cmocka_unit_test(lbr_model_by_text_vendor_prefix_decides_family_0fh),
		cmocka_unit_test(lbr_model_by_text_nonsense_is_einval),
		cmocka_unit_test(lbr_model_by_text_unknown_cpu_is_enoent),
		cmocka_unit_test(cpu_signature_split_extended_fields_are_added),
		cmocka_unit_test(lbr_model_by_format_every_defined_one_has_a_row),
		cmocka_unit_test(lbr_model_set_format_open_row_takes_it),
		cmocka_unit_test(lbr_model_set_format_conflict_changes_nothing),
		cmocka_unit_test(lbr_models_every_row_is_complete),
		cmocka_unit_test(lbr_models_no_cpu_is_in_two_rows),
		cmocka_unit_test(lbr_model_info_given_depth_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
