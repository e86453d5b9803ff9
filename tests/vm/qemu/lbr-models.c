// SPDX-License-Identifier: GPL-2.0-or-later
/* The LBR of each CPU model: one row a model. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "lbr-internal.h"

#define LBR_SELECT_NEHALEM 0x1ff /* SDM vol. 3B, Table 17-11: bits 8:0 */
#define LBR_SELECT_HASWELL 0x3ff /* SDM vol. 3B, Table 17-13: and EN_CALLSTACK */

/* SDM vol. 3B, 18.2.1 and 18.2.2; vol. 4, Table 2-2 */
#define INTEL_PMU(n, v, frozen)                                                                    \
	{                                                                                          \
		.counters = n, .select_msr = 0x186, .counter_msr = 0xc1, .step = 1, .fixed = 3,    \
		.status_msr = 0x38e, .control_msr = 0x38f, .status_clear_msr = 0x390,              \
		.version = v, .lvtpc_masked = true, .frozen_bit = frozen,                          \
	}

static const struct pmu_layout pmu_two = INTEL_PMU(2, 2, false);
static const struct pmu_layout pmu_four = INTEL_PMU(4, 2, false);

/* SDM vol. 3B, 18.2.4: from version 4 on, freezing sets LBR_FRZ in IA32_PERF_GLOBAL_STATUS. */
static const struct pmu_layout pmu_eight = INTEL_PMU(8, 5, true);

/* AMD APM vol. 2, 13.2, "Performance Monitoring Counters", and appendix A */
static const struct pmu_layout pmu_amd = {
	.counters = 6,
	.select_msr = 0xc0010200,
	.counter_msr = 0xc0010201,
	.step = 2,
	.status_msr = 0xc0000300,
	.control_msr = 0xc0000301,
	.status_clear_msr = 0xc0000302,
	.full_width = true,
	.frozen_bit = true,
};

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
		.step = 1,
		.tos_msr = 0x1c9,
		.capabilities = 0x01,
		.pmu = &pmu_two,
	},
	{
		/* 06_1CH, Bonnell */
		.name = "atom",
		.layout = LBR_PLAIN,
		.depth = 8,
		.from_msr = 0x40,
		.to_msr = 0x60,
		.step = 1,
		.tos_msr = 0x1c9,
		.capabilities = 0x01,
		.pmu = &pmu_two,
	},
	{
		/* 06_1AH */
		.name = "nehalem",
		.layout = LBR_FROM_MISPRED,
		.depth = 16,
		.from_msr = 0x680,
		.to_msr = 0x6c0,
		.step = 1,
		.tos_msr = 0x1c9,
		.select_msr = 0x1c8,
		.select_mask = LBR_SELECT_NEHALEM,
		.capabilities = 0x03,
		.pmu = &pmu_four,
	},
	{
		/* 06_2AH */
		.name = "sandybridge",
		.layout = LBR_FROM_MISPRED,
		.depth = 16,
		.from_msr = 0x680,
		.to_msr = 0x6c0,
		.step = 1,
		.tos_msr = 0x1c9,
		.select_msr = 0x1c8,
		.select_mask = LBR_SELECT_NEHALEM,
		.capabilities = 0x03,
		.pmu = &pmu_four,
	},
	{
		/* 06_3CH */
		.name = "haswell",
		.layout = LBR_FROM_TSX,
		.depth = 16,
		.from_msr = 0x680,
		.to_msr = 0x6c0,
		.step = 1,
		.tos_msr = 0x1c9,
		.select_msr = 0x1c8,
		.select_mask = LBR_SELECT_HASWELL,
		.capabilities = 0x04,
		.pmu = &pmu_four,
	},
	{
		/* 06_5EH */
		.name = "skylake",
		.layout = LBR_INFO,
		.depth = 32,
		.from_msr = 0x680,
		.to_msr = 0x6c0,
		.info_msr = 0xdc0,
		.step = 1,
		.tos_msr = 0x1c9,
		.select_msr = 0x1c8,
		.select_mask = LBR_SELECT_HASWELL,
		.capabilities = 0x05,
		.pmu = &pmu_four,
	},
	{
		/* 06_8FH: SDM vol. 3B, "Last Branch Records", IA32_LBR_x_FROM_IP... */
		.name = "sapphirerapids",
		.layout = LBR_ARCH,
		.depth = 32,
		.from_msr = 0x1500,
		.to_msr = 0x1600,
		.info_msr = 0x1200,
		.step = 1,
		.capabilities = 0x3f,
		.pmu = &pmu_eight,
	},
	{
		/* Family 19H, models 10H on: AMD APM vol. 2, 13.1.1, "Last Branch Stack" */
		.name = "zen4",
		.layout = LBR_AMD_V2,
		.depth = 16,
		.from_msr = 0xc0010300,
		.to_msr = 0xc0010301,
		.step = 2,
		.select_msr = 0xc000010e,
		.select_mask = LBR_SELECT_NEHALEM,
		.pmu = &pmu_amd,
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

bool lbr_swallows_breakpoints(void)
{
	const char *swallow = getenv("LBR_SWALLOW_BREAKPOINTS");

	return swallow && !strcmp(swallow, "1");
}

bool lbr_tsx(void)
{
	static int enabled = -1;

	if (enabled < 0) {
		const char *tsx = getenv("LBR_TSX");

		enabled = tsx && !strcmp(tsx, "1") &&
			  (lbr_model()->layout == LBR_FROM_TSX || lbr_model()->layout == LBR_INFO ||
			   lbr_model()->layout == LBR_ARCH);
	}
	return enabled;
}
