// SPDX-License-Identifier: GPL-2.0
#include "disasm/dataflow.h"

#include <errno.h>

#include "disasm/insn.h"
#include "disasm/zydis.h"

#define RSP 4

/* INSN_NO_REG is -1 as a byte. */
_Static_assert((uint8_t)-1 == INSN_NO_REG, "what is no general register");

static uint8_t register_of(const ZydisDecodedOperand *op)
{
	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return INSN_NO_REG;
	return (uint8_t)zydis_general_register(op->reg.value);
}

static struct insn_memory memory_of(const ZydisDecodedOperand *op)
{
	return (struct insn_memory){
		.base = (uint8_t)zydis_general_register(op->mem.base),
		.index = op->mem.index != ZYDIS_REGISTER_NONE,
		.displacement = op->mem.disp.has_displacement ? op->mem.disp.value : 0,
	};
}

static void note_registers(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
			   struct insn_dataflow *ret)
{
	for (int i = 0; i < zi->operand_count; i++) {
		uint8_t reg = register_of(&ops[i]);

		if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    zi->mnemonic != ZYDIS_MNEMONIC_PUSH && zi->mnemonic != ZYDIS_MNEMONIC_CALL) {
			ret->writes_memory = true;
			ret->stored = memory_of(&ops[i]);
			ret->stored_bytes = i < zi->operand_count_visible ? ops[i].size / 8 : 0;
		}
		if (reg == INSN_NO_REG)
			continue;
		if (ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			ret->reads |= 1u << reg;
		if (ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			ret->writes |= 1u << reg;
	}
}

/* Of two visible operands: from the second to the first. */
static void set_move(enum insn_move move, const ZydisDecodedOperand *ops, struct insn_dataflow *ret)
{
	/* What extends is as wide as what it extends. */
	uint16_t size = ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? ops[0].size : ops[1].size;

	if ((size != 32 && size != 64) || ops[0].size < size)
		return;
	ret->move = move;
	ret->bits = (uint8_t)size;
	ret->dst = register_of(&ops[0]);
	ret->src = register_of(&ops[1]);
	ret->dst_memory = ops[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
	ret->src_memory = ops[1].type == ZYDIS_OPERAND_TYPE_MEMORY;
	if (ret->dst_memory || ret->src_memory)
		ret->memory = memory_of(&ops[ret->dst_memory ? 0 : 1]);
}

/* CDQE: the sign of EAX goes to all of RAX. CDQ, CQO leave RAX alone. */
static void set_cdqe(struct insn_dataflow *ret)
{
	ret->move = INSN_MOVE_COPY;
	ret->src = ret->dst = 0;
	ret->bits = 32;
	ret->extends = true;
}

static void set_stack_move(enum insn_move move, const ZydisDecodedOperand *op,
			   struct insn_dataflow *ret)
{
	uint8_t reg = register_of(op);

	ret->move = move;
	ret->bits = 64;
	ret->stack = move == INSN_MOVE_PUSH ? -8 : 8;
	ret->stack_unknown = op->size != 64 || reg == RSP;
	if (move == INSN_MOVE_PUSH) {
		ret->src = reg;
		ret->src_memory = op->type == ZYDIS_OPERAND_TYPE_MEMORY;
	} else {
		ret->dst = reg;
		ret->dst_memory = op->type == ZYDIS_OPERAND_TYPE_MEMORY;
	}
	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
		ret->memory = memory_of(op);
}

static void set_compare(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
			struct insn_dataflow *ret)
{
	uint8_t reg = register_of(&ops[0]);

	if (reg == INSN_NO_REG || ops[0].size < 32)
		return;
	ret->compared = reg;
	ret->compare_bits = (uint8_t)ops[0].size;
	if (ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && zi->mnemonic == ZYDIS_MNEMONIC_CMP) {
		ret->compare = INSN_COMPARE_CONST;
		ret->constant =
			ops[0].size == 32 ? (int32_t)ops[1].imm.value.u : ops[1].imm.value.s;
	} else if (register_of(&ops[1]) == reg) {
		ret->compare = INSN_COMPARE_TEST;
	}
}

static void set_kind(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
		     struct insn_dataflow *ret)
{
	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		set_move(INSN_MOVE_COPY, ops, ret);
		return;
	case ZYDIS_MNEMONIC_MOVSXD:
		set_move(INSN_MOVE_COPY, ops, ret);
		ret->extends = ops[0].size == 64;
		return;
	case ZYDIS_MNEMONIC_CDQE:
		set_cdqe(ret);
		return;
	case ZYDIS_MNEMONIC_AND:
		ret->masks = true;
		set_move(INSN_MOVE_MAYBE, ops, ret);
		return;
	case ZYDIS_MNEMONIC_OR:
		set_move(INSN_MOVE_MAYBE, ops, ret);
		return;
	case ZYDIS_MNEMONIC_XCHG:
	case ZYDIS_MNEMONIC_CMPXCHG:
		set_move(INSN_MOVE_XCHG, ops, ret);
		return;
	case ZYDIS_MNEMONIC_PUSH:
		set_stack_move(INSN_MOVE_PUSH, &ops[0], ret);
		return;
	case ZYDIS_MNEMONIC_POP:
		set_stack_move(INSN_MOVE_POP, &ops[0], ret);
		return;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_XADD:
		ret->adds = true;
		return;
	case ZYDIS_MNEMONIC_NEG:
		ret->negates = true;
		return;
	case ZYDIS_MNEMONIC_LEA:
		ret->lea = true;
		ret->memory = memory_of(&ops[1]);
		return;
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_CMP:
		set_compare(zi, ops, ret);
		return;
	default:
		if (zi->meta.category == ZYDIS_CATEGORY_CMOV)
			set_move(INSN_MOVE_MAYBE, ops, ret);
	}
}

/* "sub $0x10,%rsp"; calls and returns leave RSP as it was, as far as the function can see. */
static void set_stack(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
		      struct insn_dataflow *ret)
{
	bool add = zi->mnemonic == ZYDIS_MNEMONIC_ADD, sub = zi->mnemonic == ZYDIS_MNEMONIC_SUB;

	if (!(ret->writes & 1u << RSP) || ret->move == INSN_MOVE_PUSH ||
	    ret->move == INSN_MOVE_POP || zi->mnemonic == ZYDIS_MNEMONIC_CALL ||
	    zi->mnemonic == ZYDIS_MNEMONIC_RET)
		return;
	if ((add || sub) && ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		ret->stack = add ? ops[1].imm.value.s : -ops[1].imm.value.s;
	else
		ret->stack_unknown = true;
}

int insn_dataflow(const void *bytes, size_t len, struct insn_dataflow *ret)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;
	int err = zydis_decode_whole(bytes, len, &zi, ops);

	if (err)
		return err;
	*ret = (struct insn_dataflow){
		.src = INSN_NO_REG, .dst = INSN_NO_REG, .compared = INSN_NO_REG};
	note_registers(&zi, ops, ret);
	set_kind(&zi, ops, ret);
	set_stack(&zi, ops, ret);
	return 0;
}

int insn_branch_taken(const void *bytes, size_t len, uint16_t flags)
{
	ZydisDecodedInstruction zi;
	ZydisDecoderContext ctx;
	bool cf = flags & INSN_CF, zf = flags & INSN_ZF, sf = flags & INSN_SF, of = flags & INSN_OF;

	if (zydis_decode(bytes, len, &ctx, &zi))
		return -1;
	switch (zi.mnemonic) {
	case ZYDIS_MNEMONIC_JZ:
		return zf;
	case ZYDIS_MNEMONIC_JNZ:
		return !zf;
	case ZYDIS_MNEMONIC_JS:
		return sf;
	case ZYDIS_MNEMONIC_JNS:
		return !sf;
	case ZYDIS_MNEMONIC_JB:
		return cf;
	case ZYDIS_MNEMONIC_JNB:
		return !cf;
	case ZYDIS_MNEMONIC_JBE:
		return cf || zf;
	case ZYDIS_MNEMONIC_JNBE:
		return !cf && !zf;
	case ZYDIS_MNEMONIC_JL:
		return sf != of;
	case ZYDIS_MNEMONIC_JNL:
		return sf == of;
	case ZYDIS_MNEMONIC_JLE:
		return zf || sf != of;
	case ZYDIS_MNEMONIC_JNLE:
		return !zf && sf == of;
	case ZYDIS_MNEMONIC_JO:
		return of;
	case ZYDIS_MNEMONIC_JNO:
		return !of;
	default:
		return -1;
	}
}

static bool is_constant(const ZydisDecodedOperand *op, int64_t value)
{
	return op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op->imm.value.s == value;
}

enum insn_truth insn_truth(const void *bytes, size_t len, uint8_t *ret_reg)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (zydis_decode_whole(bytes, len, &zi, ops) || !zi.operand_count_visible)
		return INSN_TRUTH_NONE;
	*ret_reg = register_of(&ops[0]);
	if (*ret_reg == INSN_NO_REG)
		return INSN_TRUTH_NONE;
	if (zi.meta.category == ZYDIS_CATEGORY_SETCC)
		return INSN_TRUTH_MAKES;
	switch (zi.mnemonic) {
	case ZYDIS_MNEMONIC_MOVZX:
		return ops[1].size == 8 ? INSN_TRUTH_MAKES : INSN_TRUTH_NONE;
	case ZYDIS_MNEMONIC_AND:
		return is_constant(&ops[1], 1) ? INSN_TRUTH_MAKES : INSN_TRUTH_NONE;
	case ZYDIS_MNEMONIC_NEG:
		return ops[0].size >= 32 ? INSN_TRUTH_MINUS : INSN_TRUTH_NONE;
	case ZYDIS_MNEMONIC_SUB:
		return ops[0].size >= 32 && is_constant(&ops[1], 1) ? INSN_TRUTH_MINUS
								    : INSN_TRUTH_NONE;
	default:
		return INSN_TRUTH_NONE;
	}
}

uint16_t insn_compare_flags(const struct insn_dataflow *flow, uint64_t value)
{
	uint64_t mask = flow->compare_bits == 64 ? UINT64_MAX : UINT32_MAX;
	uint64_t sign = (mask >> 1) + 1, a = value & mask, b = (uint64_t)flow->constant & mask;
	uint64_t result;
	uint16_t flags = 0;

	if (flow->compare == INSN_COMPARE_TEST)
		b = 0; /* TEST of a value with itself sets the flags as CMP with 0 does */
	result = (a - b) & mask;
	if (!result)
		flags |= INSN_ZF;
	if (result & sign)
		flags |= INSN_SF;
	if (a < b)
		flags |= INSN_CF;
	if ((a ^ b) & (a ^ result) & sign)
		flags |= INSN_OF;
	return flags;
}
