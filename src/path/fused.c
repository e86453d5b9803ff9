// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>

#include "disasm/insn.h"
#include "path/fused.h"

static int decode_at(const struct text_source *text, uint64_t addr, struct insn *ret)
{
	uint8_t bytes[INSN_LEN_MAX];
	size_t len = text->read ? sizeof(bytes) : 0;

	while (len && text->read(text->ctx, addr, bytes, len))
		len--;
	return len ? insn_decode(bytes, len, addr, ret) : -EFAULT;
}

/*
 * The branch behind FROM must be direct and go to TO. So an interrupt before a compare stays what
 * it is; and only branches whose target is part of them are fused.
 */
static bool fused_with(const struct text_source *text, const struct insn *first, uint64_t to)
{
	struct insn next;

	return first->class == INSN_OTHER && !decode_at(text, first->addr + first->len, &next) &&
	       next.has_target && next.target == to;
}

uint32_t snapshot_repair_fused(struct snapshot *snap, const struct text_source *text)
{
	uint32_t unknown = 0;

	if (!snap->lbr || !(snap->lbr->supported & LBR_HAS_SPEC))
		return 0;
	for (uint32_t i = 0; i < snap->count; i++) {
		struct branch *branch = &snap->branches[i];
		struct insn in;
		int err = decode_at(text, branch->from, &in);

		if (err == -EFAULT)
			unknown++;
		else if (!err && fused_with(text, &in, branch->to))
			branch->from += in.len;
	}
	return unknown;
}
