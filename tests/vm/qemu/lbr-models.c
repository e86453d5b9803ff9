// SPDX-License-Identifier: GPL-2.0-or-later
/* The LBR of each CPU model: one row a model. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "lbr-internal.h"

#define LBR_SELECT_NEHALEM 0x1ff /* SDM vol. 3B, Table 17-11: bits 8:0 */
#define LBR_SELECT_HASWELL 0x3ff /* SDM vol. 3B, Table 17-13: and EN_CALLSTACK */

/*
 * MSR numbers: SDM vol. 4 (vol. 3C chapter 35 in older editions), the table of each model.
 * Depths: SDM vol. 3B, "LBR Stack Size and TOS Pointer Range" (Tables 17-4, 17-10, 17-15).
 * IA32_PERF_CAPABILITIES[5:0]: SDM vol. 3B, 17.4.8.1, "LBR Stack and Intel 64 Processors".
 */
static const struct lbr_model models[] = {
	{
		/* 06_17H. Format: the manual names its MSRs ..._TO_LIP: 64-bit linear addresses. */
		.name = "core2",
		.layout = LBR_PLAIN,
		.depth = 4,
		.from_msr = 0x40,
		.to_msr = 0x60,
		.entry_step = 1,
		.tos_msr = 0x1c9,
		.capabilities = 0x01,
		.gp_counters = 2,
		.db_stops = true,
	},
	{
		/* 06_1CH, Bonnell */
		.name = "atom",
		.layout = LBR_PLAIN,
		.depth = 8,
		.from_msr = 0x40,
		.to_msr = 0x60,
		.entry_step = 1,
		.tos_msr = 0x1c9,
		.capabilities = 0x01,
		.gp_counters = 2,
		.db_stops = true,
	},
	{
		/* 06_1AH */
		.name = "nehalem",
		.layout = LBR_FROM_MISPRED,
		.depth = 16,
		.from_msr = 0x680,
		.to_msr = 0x6c0,
		.entry_step = 1,
		.tos_msr = 0x1c9,
		.select_msr = 0x1c8,
		.select_mask = LBR_SELECT_NEHALEM,
		.capabilities = 0x03,
		.gp_counters = 4,
		.db_stops = true,
	},
	{
		/* 06_2AH */
		.name = "sandybridge",
		.layout = LBR_FROM_MISPRED,
		.depth = 16,
		.from_msr = 0x680,
		.to_msr = 0x6c0,
		.entry_step = 1,
		.tos_msr = 0x1c9,
		.select_msr = 0x1c8,
		.select_mask = LBR_SELECT_NEHALEM,
		.capabilities = 0x03,
		.gp_counters = 4,
		.db_stops = true,
	},
	{
		/* 06_3CH */
		.name = "haswell",
		.layout = LBR_FROM_TSX,
		.depth = 16,
		.from_msr = 0x680,
		.to_msr = 0x6c0,
		.entry_step = 1,
		.tos_msr = 0x1c9,
		.select_msr = 0x1c8,
		.select_mask = LBR_SELECT_HASWELL,
		.capabilities = 0x04,
		.gp_counters = 4,
		.db_stops = true,
	},
	{
		/* 06_5EH */
		.name = "skylake",
		.layout = LBR_INFO,
		.depth = 32,
		.from_msr = 0x680,
		.to_msr = 0x6c0,
		.info_msr = 0xdc0,
		.entry_step = 1,
		.tos_msr = 0x1c9,
		.select_msr = 0x1c8,
		.select_mask = LBR_SELECT_HASWELL,
		.capabilities = 0x05,
		.gp_counters = 4,
		.db_stops = true,
	},
};

static const struct lbr_model *find_model(void)
{
	const char *name = getenv("LBR_MODEL");

	if (!name || !*name || !strcmp(name, "none"))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(models[i].name, name))
			return &models[i];
	fprintf(stderr, "lbr: unknown LBR_MODEL=%s\n", name);
	exit(1);
}

const struct lbr_model *lbr_model(void)
{
	static const struct lbr_model *model;
	static gsize once;

	if (g_once_init_enter(&once)) {
		model = find_model();
		g_once_init_leave(&once, 1);
	}
	return model;
}
