// SPDX-License-Identifier: GPL-2.0
#include "disasm/operand.h"

#include "disasm/insn.h"
#include "disasm/zydis.h"

#define RAX 0
#define RDX 2
#define RSP 4

static bool is_high_byte(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
}

static bool set_memory(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op,
		       uint64_t addr, struct insn_operand *ret)
{
	ret->base = (uint8_t)zydis_general_register(op->mem.base);
	ret->index = (uint8_t)zydis_general_register(op->mem.index);
	ret->scale = op->mem.scale;
	ret->displacement = op->mem.disp.has_displacement ? op->mem.disp.value : 0;
	ret->percpu = op->mem.segment == ZYDIS_REGISTER_GS;
	ret->absolute = op->mem.base == ZYDIS_REGISTER_NONE || op->mem.base == ZYDIS_REGISTER_RIP;
	if (op->mem.base == ZYDIS_REGISTER_RIP)
		ret->displacement += (int64_t)addr + zi->length;
	/* The address of 32 bits, and a selector of %fs, have no use in the kernel. */
	return zi->address_width == 64 && op->mem.segment != ZYDIS_REGISTER_FS;
}

void zydis_operand_of(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op,
		      uint64_t addr, struct insn_operand *ret)
{
	int reg;

	*ret = (struct insn_operand){
		.bits = op->size <= 64 ? (uint8_t)op->size : 0,
		.base = INSN_NO_REG,
		.index = INSN_NO_REG,
	};
	switch (op->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		reg = zydis_general_register(op->reg.value);
		if (reg < 0)
			return;
		ret->kind = is_high_byte(op->reg.value) ? INSN_OPERAND_HIGH : INSN_OPERAND_REG;
		ret->reg = (uint8_t)reg;
		return;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		if (set_memory(zi, op, addr, ret))
			ret->kind = INSN_OPERAND_MEM;
		return;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		ret->kind = INSN_OPERAND_IMM;
		ret->value = op->imm.value.s;
		return;
	default:
		return;
	}
}

static bool writes(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops, uint8_t reg,
		   unsigned int *ret_bits)
{
	for (int i = 0; i < zi->operand_count; i++) {
		if (ops[i].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
		    zydis_general_register(ops[i].reg.value) != reg)
			continue;
		*ret_bits = is_high_byte(ops[i].reg.value) ? 0 : ops[i].size;
		return true;
	}
	return false;
}

static bool is_destination(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
			   uint8_t reg)
{
	return zi->operand_count_visible >= 2 && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       zydis_general_register(ops[0].reg.value) == reg;
}

static char arithmetic_of(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
		return '+';
	case ZYDIS_MNEMONIC_SUB:
		return '-';
	case ZYDIS_MNEMONIC_OR:
		return '|';
	case ZYDIS_MNEMONIC_XOR:
		return '^';
	case ZYDIS_MNEMONIC_AND:
		return '&';
	case ZYDIS_MNEMONIC_SHL:
		return '<';
	case ZYDIS_MNEMONIC_SHR:
		return '>';
	default:
		return '\0';
	}
}

/* XOR and SUB of a register with itself make it zero. */
static bool makes_zero(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops)
{
	return (zi->mnemonic == ZYDIS_MNEMONIC_XOR || zi->mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[0].reg.value == ops[1].reg.value;
}

/* DIV: the quotient goes to RAX, the remainder to RDX. */
static enum insn_definition divides(const ZydisDecodedInstruction *zi,
				    const ZydisDecodedOperand *ops, uint64_t addr, uint8_t reg,
				    unsigned int bits, struct insn_operand *ret)
{
	zydis_operand_of(zi, &ops[0], addr, ret);
	if ((ret->kind != INSN_OPERAND_REG && ret->kind != INSN_OPERAND_MEM) || ret->bits < 32 ||
	    ret->bits < bits || (reg != RAX && reg != RDX))
		return INSN_DEFINES_OTHER;
	ret->arithmetic = reg == RAX ? '/' : '%';
	return INSN_DEFINES_ARITHMETIC;
}

enum insn_definition insn_define(const void *bytes, size_t len, uint64_t addr, uint8_t reg,
				 unsigned int bits, struct insn_operand *ret)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;
	unsigned int written;

	if (zydis_decode_whole(bytes, len, &zi, ops))
		return INSN_DEFINES_OTHER;
	if (!writes(&zi, ops, reg, &written))
		return INSN_DEFINES_NOT;
	if (zi.mnemonic == ZYDIS_MNEMONIC_DIV)
		return divides(&zi, ops, addr, reg, bits, ret);
	/* The upper half of a register is zero after its lower half is written. */
	if (!is_destination(&zi, ops, reg) || (written < bits && written < 32))
		return INSN_DEFINES_OTHER;
	zydis_operand_of(&zi, &ops[1], addr, ret);
	if (ret->kind == INSN_OPERAND_NONE || ret->kind == INSN_OPERAND_HIGH)
		return INSN_DEFINES_OTHER;
	if (makes_zero(&zi, ops)) {
		*ret = (struct insn_operand){.kind = INSN_OPERAND_IMM, .bits = (uint8_t)written};
		return INSN_DEFINES_COPY;
	}
	ret->arithmetic = arithmetic_of(zi.mnemonic);
	switch (zi.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_MOVZX:
		return INSN_DEFINES_COPY;
	case ZYDIS_MNEMONIC_LEA:
		ret->bits = (uint8_t)written;
		return INSN_DEFINES_ADDRESS;
	default:
		if (zi.meta.category == ZYDIS_CATEGORY_CMOV)
			return INSN_DEFINES_CHOICE;
		return ret->arithmetic ? INSN_DEFINES_ARITHMETIC : INSN_DEFINES_OTHER;
	}
}

bool insn_call_operand(const void *bytes, size_t len, uint64_t addr, struct insn_operand *ret)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (zydis_decode_whole(bytes, len, &zi, ops) || zi.mnemonic != ZYDIS_MNEMONIC_CALL)
		return false;
	zydis_operand_of(&zi, &ops[0], addr, ret);
	return ret->kind == INSN_OPERAND_REG || ret->kind == INSN_OPERAND_MEM;
}

bool insn_is_percpu_dec(const void *bytes, size_t len)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	struct insn_operand counter;
	ZydisDecodedInstruction zi;

	if (zydis_decode_whole(bytes, len, &zi, ops) || zi.mnemonic != ZYDIS_MNEMONIC_DEC)
		return false;
	zydis_operand_of(&zi, &ops[0], 0, &counter);
	return counter.kind == INSN_OPERAND_MEM && counter.percpu && counter.bits == 32;
}

/* ADD, SUB and LEA of a number. */
static bool stack_moves_by(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *ops,
			   int64_t *ret)
{
	const ZydisDecodedOperand *by = &ops[1];

	if (ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER || ops[0].reg.value != ZYDIS_REGISTER_RSP)
		return false;
	if (zi->mnemonic == ZYDIS_MNEMONIC_LEA) {
		*ret = by->mem.disp.has_displacement ? by->mem.disp.value : 0;
		return by->mem.base == ZYDIS_REGISTER_RSP && by->mem.index == ZYDIS_REGISTER_NONE;
	}
	if (by->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return false;
	*ret = zi->mnemonic == ZYDIS_MNEMONIC_SUB ? -by->imm.value.s : by->imm.value.s;
	return true;
}

bool insn_stack_change(const void *bytes, size_t len, int64_t *ret)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;
	unsigned int bits;
	int64_t width;

	if (zydis_decode_whole(bytes, len, &zi, ops))
		return false;
	width = zi.operand_width / 8;
	switch (zi.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHFQ:
		*ret = -width;
		return true;
	case ZYDIS_MNEMONIC_POPFQ:
		*ret = width;
		return true;
	case ZYDIS_MNEMONIC_POP:
		*ret = width;
		return ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		       zydis_general_register(ops[0].reg.value) != RSP;
	case ZYDIS_MNEMONIC_CALL:
		*ret = -(int64_t)sizeof(uint64_t);
		return zi.meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR;
	case ZYDIS_MNEMONIC_RET:
		*ret = (int64_t)sizeof(uint64_t) +
		       (zi.operand_count_visible ? (int64_t)ops[0].imm.value.u : 0);
		return zi.meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_LEA:
		if (stack_moves_by(&zi, ops, ret))
			return true;
		break;
	default:
		break;
	}
	*ret = 0;
	return !writes(&zi, ops, RSP, &bits);
}

uint8_t insn_target_register(const void *bytes, size_t len)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (zydis_decode_whole(bytes, len, &zi, ops) ||
	    (zi.mnemonic != ZYDIS_MNEMONIC_CALL && zi.mnemonic != ZYDIS_MNEMONIC_JMP) ||
	    ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
		return INSN_NO_REG;
	return (uint8_t)zydis_general_register(ops[0].reg.value);
}

bool insn_is_memory_dec(const void *bytes, size_t len)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;
	bool one;

	if (zydis_decode_whole(bytes, len, &zi, ops))
		return false;
	one = zi.mnemonic == ZYDIS_MNEMONIC_DEC ||
	      (zi.mnemonic == ZYDIS_MNEMONIC_SUB && ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       ops[1].imm.value.u == 1);
	return one && ops[0].type == ZYDIS_OPERAND_TYPE_MEMORY && ops[0].size == 32;
}
