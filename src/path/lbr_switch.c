// SPDX-License-Identifier: GPL-2.0
/* lbr_switch.c - which MSR does this WRMSR write? */
#include "path/lbr_switch.h"

#include "util/cleanup.h"

/* A kernel sets ECX within a few instructions, or a call or two, before WRMSR. */
#define LOOK_BACK_MAX 200

#define REG_RCX 1

/* MSRs whose writes can stop or start the recording of branches. */
static const struct {
	uint32_t msr;
	const char *name;
} switches[] = {
	{0x000001d9, "IA32_DEBUGCTL"}, /* SDM vol. 4, table 2-2: bit 0, LBR */
	{0x000014ce, "IA32_LBR_CTL"},  /* SDM vol. 4: bit 0, LBREn */
	{0xc000010f, "DBG_EXTN_CFG"},  /* AMD APM vol. 2, 13.1.1.8: bit 6, LBRV2EN */
};

/* First instruction after the newest gap: nothing before it is known to lead to @index. */
static uint32_t known_from(const struct path *path, uint32_t index)
{
	for (uint32_t i = path->block_count; i > 0; i--) {
		const struct path_block *block = &path->blocks[i - 1];

		if (block->gap || index - block->first_insn > LOOK_BACK_MAX)
			return block->first_insn;
	}
	return 0;
}

bool recording_may_stop(const struct path *path, uint32_t index)
{
	uint32_t first = known_from(path, index), steps = 0;
	uint8_t reg = REG_RCX;

	for (uint32_t i = index; i > first && steps < LOOK_BACK_MAX; i--, steps++) {
		const struct path_insn *pi = &path->insns[i - 1];
		uint64_t value;
		uint8_t from;

		switch (insn_register_write(pi->bytes, pi->len, reg, &value, &from)) {
		case INSN_KEEPS:
			break;
		case INSN_COPIES:
			reg = from;
			break;
		case INSN_SETS:
			for (size_t s = 0; s < ARRAY_SIZE(switches); s++) {
				if (switches[s].msr == (uint32_t)value)
					return true;
			}
			return false;
		default:
			return true;
		}
	}
	return true;
}
