// SPDX-License-Identifier: GPL-2.0
#include "decode/perf_entry.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "decode/filter.h"
#include "decode/model.h"
#include "util/cleanup.h"

/* Bits of the third word, by hand: C leaves the order of bit fields to the ABI. */
#define ENTRY_MISPRED	   (UINT64_C(1) << 0)
#define ENTRY_PREDICTED	   (UINT64_C(1) << 1)
#define ENTRY_IN_TX	   (UINT64_C(1) << 2)
#define ENTRY_ABORT	   (UINT64_C(1) << 3)
#define ENTRY_CYCLES(word) (((word) >> 4) & 0xffff)
#define ENTRY_TYPE(word)   (((word) >> 20) & 0xf)
#define ENTRY_SPEC(word)   (((word) >> 24) & 0x3)

static const enum branch_type types[16] = {
	[PERF_BR_UNKNOWN] = BRANCH_NOT_REPORTED,
	[PERF_BR_COND] = BRANCH_COND,
	[PERF_BR_UNCOND] = BRANCH_JMP,
	[PERF_BR_IND] = BRANCH_IJMP,
	[PERF_BR_CALL] = BRANCH_CALL,
	[PERF_BR_IND_CALL] = BRANCH_ICALL,
	[PERF_BR_RET] = BRANCH_RET,
	[PERF_BR_SYSCALL] = BRANCH_SYSCALL,
	[PERF_BR_SYSRET] = BRANCH_SYSRET,
	[PERF_BR_ERET] = BRANCH_IRET,
	[PERF_BR_IRQ] = BRANCH_IRQ, /* the others do not occur on x86 */
};

static const enum branch_spec specs[4] = {
	[PERF_BR_SPEC_NA] = BRANCH_SPEC_NOT_REPORTED,
	[PERF_BR_SPEC_WRONG_PATH] = BRANCH_SPEC_WRONG_PATH,
	[PERF_BR_NON_SPEC_CORRECT_PATH] = BRANCH_SPEC_NON_SPEC_CORRECT,
	[PERF_BR_SPEC_CORRECT_PATH] = BRANCH_SPEC_CORRECT,
};

_Static_assert(ARRAY_SIZE(specs) == PERF_BR_SPEC_MAX, "every outcome perf knows");

static enum tri tri_of(uint64_t bit)
{
	return bit ? TRI_SET : TRI_CLEAR;
}

int perf_entry_decode(const struct lbr_model *model, uint64_t from, uint64_t to, uint64_t flags,
		      struct branch *ret_branch)
{
	uint64_t cycles = ENTRY_CYCLES(flags);
	struct branch branch = {.from = from, .to = to, .cycles = CYCLES_NOT_REPORTED};

	if (!from && !to)
		return -ENODATA;
	if ((model->supported & LBR_HAS_MISPRED) && (flags & (ENTRY_MISPRED | ENTRY_PREDICTED)))
		branch.mispred = tri_of(flags & ENTRY_MISPRED);
	if (model->supported & LBR_HAS_TSX) {
		branch.in_tx = tri_of(flags & ENTRY_IN_TX);
		branch.abort = tri_of(flags & ENTRY_ABORT);
	}
	if ((model->supported & LBR_HAS_CYCLES) && (cycles || model->format != LBR_FORMAT_ARCH))
		branch.cycles = (int32_t)cycles;
	if (model->supported & LBR_HAS_TYPE)
		branch.type = types[ENTRY_TYPE(flags)];
	if (model->supported & LBR_HAS_SPEC)
		branch.spec = specs[ENTRY_SPEC(flags)];
	*ret_branch = branch;
	return 0;
}

uint32_t perf_entries_decode(const struct lbr_model *model, const struct raw_branch *raw,
			     uint32_t count, bool filtered, uint64_t own,
			     struct branch *ret_branches)
{
	uint32_t valid = 0;

	for (uint32_t i = count; i-- > 0;) {
		/* Without a filter, a call to NULL. */
		if (!raw[i].from && filtered)
			continue;
		if (!perf_entry_decode(model, raw[i].from, raw[i].to, raw[i].info,
				       &ret_branches[valid]) &&
		    lbr_filter_wants(own, &ret_branches[valid]))
			valid++;
	}
	return valid;
}
