// SPDX-License-Identifier: GPL-2.0
#include "cfg/rejoin.h"

#include "cfg/walk.h"
#include "disasm/insn.h"

static unsigned int stop_at(void *ctx, const struct insn *in, const uint8_t *bytes, void *state)
{
	if (in->addr == *(const uint64_t *)ctx)
		return 0;
	return insn_goes_on(in->class) ? WALK_ALL : WALK_STOP;
}

static unsigned int leave_elsewhere(void *ctx, enum leave how, const void *state)
{
	return WALK_STOP;
}

bool rejoin_all_ways(const struct code *code, uint64_t from, uint64_t to)
{
	const struct walk walk = {
		.text = walk_text_of(code),
		.step = stop_at,
		.leave = leave_elsewhere,
		.each_way = true,
		.ctx = &to,
		.steps_max = REJOIN_STEPS_MAX,
	};

	return walk_from(&walk, from, NULL) == WALKED_ALL;
}
