// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>

#include "disasm/fetch.h"
#include "path/fused.h"

/*
 * The branch behind FROM must be direct and go to TO. So an interrupt before a compare stays what
 * it is; and only branches whose target is part of them are fused.
 */
static bool fused_with(const struct text_source *text, const struct insn *first, uint64_t to)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn next;

	return first->class == INSN_OTHER &&
	       !insn_fetch(text, first->addr + first->len, bytes, &next) && next.has_target &&
	       next.target == to;
}

uint32_t snapshot_repair_fused(struct snapshot *snap, const struct text_source *text)
{
	uint32_t unknown = 0;

	if (!snap->lbr || !(snap->lbr->supported & LBR_HAS_SPEC))
		return 0;
	for (uint32_t i = 0; i < snap->count; i++) {
		struct branch *branch = &snap->branches[i];
		uint8_t bytes[INSN_LEN_MAX];
		struct insn in;
		int err = insn_fetch(text, branch->from, bytes, &in);

		if (err == -EFAULT)
			unknown++;
		else if (!err && fused_with(text, &in, branch->to))
			branch->from += in.len;
	}
	return unknown;
}
