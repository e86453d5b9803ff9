// SPDX-License-Identifier: GPL-2.0
#include "disasm/regs.h"

#include <string.h>

#include "disasm/zydis.h"

static void note_move(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
		      struct insn_regs *regs)
{
	int dst, src;

	if (zi->mnemonic != ZYDIS_MNEMONIC_MOV && zi->mnemonic != ZYDIS_MNEMONIC_MOVSXD &&
	    zi->mnemonic != ZYDIS_MNEMONIC_CDQE)
		return;
	if (zi->mnemonic == ZYDIS_MNEMONIC_CDQE) {
		*regs = (struct insn_regs){.written = 1u << INSN_REG_RAX,
					   .move = true,
					   .from_bits = 32,
					   .to_bits = 64,
					   .dst_bits = 64};
		return;
	}
	if (zi->operand_count_visible != 2 || ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER || ops[0].size < 32 || ops[1].size < 32)
		return;
	dst = zydis_general_register(ops[0].reg.value);
	src = zydis_general_register(ops[1].reg.value);
	if (dst < 0 || src < 0)
		return;
	regs->move = true;
	regs->dst = dst;
	regs->src = src;
	regs->from_bits = ops[1].size;
	regs->to_bits = ops[0].size;
}

int insn_regs_decode(const void *bytes, size_t len, struct insn_regs *ret)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;
	struct insn_regs regs = {};
	int err = zydis_decode_whole(bytes, len, &zi, ops);

	if (err)
		return err;
	for (int i = 0; i < zi.operand_count; i++) {
		int reg;

		if (ops[i].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		reg = zydis_general_register(ops[i].reg.value);
		if (reg < 0)
			continue;
		regs.written |= 1u << reg;
		if (!regs.dst_bits)
			regs.dst_bits = ops[i].size;
	}
	note_move(&zi, ops, &regs);
	*ret = regs;
	return 0;
}
