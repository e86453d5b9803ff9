// SPDX-License-Identifier: GPL-2.0
/* insn.c - what one instruction does to control flow */
#include "disasm/insn.h"

#include <errno.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "disasm/zydis.h"
#include "util/cleanup.h"

/* Largest errno that the kernel returns as a negative pointer or value (include/linux/err.h). */
#define MAX_ERRNO 4095

/* What follows the opcode is at most three condition-flag bits more than these. */
#define COND_FLAGS (INSN_CF | INSN_PF | INSN_ZF | INSN_SF | INSN_OF)

int zydis_decode(const void *bytes, size_t len, ZydisDecoderContext *ret_ctx,
		 ZydisDecodedInstruction *ret_zi)
{
	ZydisDecoder decoder;
	ZyanStatus status;

	status = ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(status))
		return -EILSEQ;
	status = ZydisDecoderDecodeInstruction(&decoder, ret_ctx, bytes, len, ret_zi);
	if (status == ZYDIS_STATUS_NO_MORE_DATA)
		return -ENODATA;
	return ZYAN_SUCCESS(status) ? 0 : -EILSEQ;
}

int zydis_decode_operands(const ZydisDecoderContext *ctx, const ZydisDecodedInstruction *zi,
			  ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT])
{
	ZydisDecoder decoder;

	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder, ctx, zi, ops, zi->operand_count)))
		return -EILSEQ;
	return 0;
}

int zydis_decode_whole(const void *bytes, size_t len, ZydisDecodedInstruction *ret_zi,
		       ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT])
{
	ZydisDecoderContext ctx;

	return zydis_decode(bytes, len, &ctx, ret_zi) ?: zydis_decode_operands(&ctx, ret_zi, ops);
}

const struct newer_insn *newer_insn_find(const void *bytes, size_t len)
{
	static const struct newer_insn all[] = {
		{"eretu", "\xf3\x0f\x01\xca", 4, INSN_IRET},
		{"erets", "\xf2\x0f\x01\xca", 4, INSN_IRET},
		{"wrmsrns", "\x0f\x01\xc6", 3, INSN_OTHER, INSN_F_WRMSR},
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (len >= all[i].len && !memcmp(bytes, all[i].bytes, all[i].len))
			return &all[i];
	return NULL;
}

static enum insn_class class_of_jump(const ZydisDecodedInstruction *zi)
{
	bool direct = zi->raw.imm[0].is_relative;

	if (zi->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return INSN_FAR;
	if (zi->mnemonic == ZYDIS_MNEMONIC_CALL)
		return direct ? INSN_CALL : INSN_ICALL;
	return direct ? INSN_JMP : INSN_IJMP;
}

static enum insn_class class_of(const ZydisDecodedInstruction *zi)
{
	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_CALL:
		return class_of_jump(zi);
	case ZYDIS_MNEMONIC_RET:
		return zi->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ? INSN_FAR : INSN_RET;
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
		return INSN_SYSCALL;
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
		return INSN_SYSRET;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
		return INSN_IRET;
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT3:
		return INSN_INT;
	case ZYDIS_MNEMONIC_HLT:
		return INSN_HLT;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return INSN_UD;
	case ZYDIS_MNEMONIC_RSM:
	case ZYDIS_MNEMONIC_UIRET:
		return INSN_FAR;
	case ZYDIS_MNEMONIC_XBEGIN: /* goes on to the next one; an abort is no branch of its own */
		return INSN_OTHER;
	default:
		return zi->meta.category == ZYDIS_CATEGORY_COND_BR ? INSN_COND : INSN_OTHER;
	}
}

/* "sbb %eax,%eax": minus one if there was a borrow, else zero. */
static void find_sbb(const ZydisDecoderContext *ctx, const ZydisDecodedInstruction *zi,
		     struct insn *ret)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZyanI8 id;

	if (zydis_decode_operands(ctx, zi, ops) || zi->operand_count_visible != 2 ||
	    ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER || ops[0].reg.value != ops[1].reg.value ||
	    ops[0].size < 32)
		return;
	id = ZydisRegisterGetId(ops[0].reg.value);
	if (id < 0 || id > 15)
		return;
	ret->flags |= INSN_F_ONES;
	ret->err_reg = (uint8_t)id;
}

/* "sar $0x1f,%eax": minus one if it was negative, else zero; "not %eax" of that. */
static void find_sar_or_not(const ZydisDecoderContext *ctx, const ZydisDecodedInstruction *zi,
			    struct insn *ret)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	bool shifts = zi->mnemonic == ZYDIS_MNEMONIC_SAR;
	ZyanI8 id;

	if (zydis_decode_operands(ctx, zi, ops) || ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    ops[0].size < 32)
		return;
	if (shifts && (ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
		       ops[1].imm.value.u != (ZyanU64)ops[0].size - 1))
		return;
	id = ZydisRegisterGetId(ops[0].reg.value);
	if (id < 0 || id > 15)
		return;
	ret->flags |= shifts ? INSN_F_ONES : INSN_F_NOT;
	ret->err_reg = (uint8_t)id;
}

/* Set @ret->err if the instruction puts a constant from -4095 to -1 somewhere. */
static void find_errno(const ZydisDecoderContext *ctx, const ZydisDecodedInstruction *zi,
		       struct insn *ret)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	int64_t value;

	/* Cheap tests first: this runs for every instruction of a path. */
	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_SBB:
		find_sbb(ctx, zi, ret);
		return;
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_NOT:
		find_sar_or_not(ctx, zi, ret);
		return;
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_AND:
		break;
	default:
		return;
	}
	if (!zi->raw.imm[0].size || zi->operand_width < 32)
		return;
	if (zydis_decode_operands(ctx, zi, ops) || zi->operand_count_visible != 2)
		return;
	if (ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE || ops[0].size < 32)
		return;
	/* "mov $0xffffffea,%eax": the constant is as wide as the register it goes to. */
	value = ops[0].size == 32 ? (int32_t)ops[1].imm.value.u : ops[1].imm.value.s;
	if (value >= 0 || value < -MAX_ERRNO)
		return;
	if (zi->mnemonic == ZYDIS_MNEMONIC_OR) {
		if (value != -1) /* sets bits, the rest stays: no constant */
			return;
		ret->flags |= INSN_F_ERR_MAYBE;
	}
	if (zi->mnemonic == ZYDIS_MNEMONIC_AND)
		ret->flags |= INSN_F_ERR_MAYBE | INSN_F_ERR_MASK;
	if (ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		ZyanI8 id = ZydisRegisterGetId(ops[0].reg.value);

		if (id < 0 || id > 15)
			return;
		ret->err_reg = (uint8_t)id;
	} else if (ops[0].type == ZYDIS_OPERAND_TYPE_MEMORY) {
		ret->flags |= INSN_F_ERR_MEM;
	} else {
		return;
	}
	ret->err = (uint16_t)-value;
}

static uint16_t other_flags(const ZydisDecodedInstruction *zi)
{
	uint16_t flags = 0;

	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
		flags |= INSN_F_NOP;
		break;
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_ENDBR32:
		flags |= INSN_F_ENDBR;
		break;
	case ZYDIS_MNEMONIC_INT3:
		flags |= INSN_F_INT3;
		break;
	case ZYDIS_MNEMONIC_WRMSR:
		flags |= INSN_F_WRMSR;
		break;
	case ZYDIS_MNEMONIC_VMLAUNCH:
	case ZYDIS_MNEMONIC_VMRESUME:
		flags |= INSN_F_VMENTRY;
		break;
	default:
		break;
	}
	if (zi->attributes &
	    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		flags |= INSN_F_REP;
	return flags;
}

int insn_decode(const void *bytes, size_t len, uint64_t addr, struct insn *ret)
{
	ZydisDecodedInstruction zi;
	ZydisDecoderContext ctx;
	struct insn in = {.addr = addr, .err_reg = INSN_NO_REG};
	const struct newer_insn *newer;
	int err;

	err = zydis_decode(bytes, len, &ctx, &zi);
	newer = err ? newer_insn_find(bytes, len) : NULL;
	if (newer) {
		in.len = newer->len;
		in.class = newer->class;
		in.flags = newer->flags;
		*ret = in;
		return 0;
	}
	if (err)
		return err;
	in.len = zi.length;
	in.class = class_of(&zi);
	in.flags = other_flags(&zi);
	if (zi.raw.imm[0].is_relative &&
	    (in.class == INSN_COND || in.class == INSN_JMP || in.class == INSN_CALL)) {
		in.has_target = true;
		in.target = addr + zi.length + (uint64_t)zi.raw.imm[0].value.s;
	}
	if (zi.cpu_flags) {
		const ZydisAccessedFlags *f = zi.cpu_flags;

		in.flags_written = (f->modified | f->set_0 | f->set_1 | f->undefined) & COND_FLAGS;
		if (in.class == INSN_COND)
			in.flags_read = f->tested & COND_FLAGS;
	}
	find_errno(&ctx, &zi, &in);
	*ret = in;
	return 0;
}

bool insn_makes_errno(const struct insn *in, const struct insn *prev, const struct insn *earlier)
{
	if (!in->err)
		return false;
	if (!(in->flags & INSN_F_ERR_MASK))
		return true;
	if (prev && prev->flags & INSN_F_NOT && prev->err_reg == in->err_reg)
		prev = earlier;
	return prev && (prev->flags & INSN_F_ONES) && !(in->flags & INSN_F_ERR_MEM) &&
	       prev->err_reg == in->err_reg;
}

bool insn_loads_errno(const struct insn *in)
{
	return in->err && in->err_reg < 16 &&
	       !(in->flags & (INSN_F_ERR_MAYBE | INSN_F_ERR_MASK | INSN_F_ERR_MEM));
}

bool insn_falls_through(enum insn_class class)
{
	return class == INSN_OTHER || class == INSN_COND || class == INSN_HLT;
}

bool insn_goes_on(enum insn_class class)
{
	return insn_falls_through(class) || class == INSN_CALL || class == INSN_ICALL ||
	       class == INSN_SYSCALL;
}

const char *insn_reg_name(uint8_t reg)
{
	static const char *const names[] = {
		"%rax", "%rcx", "%rdx", "%rbx", "%rsp", "%rbp", "%rsi", "%rdi",
		"%r8",	"%r9",	"%r10", "%r11", "%r12", "%r13", "%r14", "%r15",
	};

	return reg < ARRAY_SIZE(names) ? names[reg] : "";
}

int zydis_general_register(ZydisRegister reg)
{
	ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (full < ZYDIS_REGISTER_RAX || full > ZYDIS_REGISTER_R15)
		return -1;
	return (int)(full - ZYDIS_REGISTER_RAX);
}

static int general_register(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER ? zydis_general_register(op->reg.value) : -1;
}

static bool operand_reads(const ZydisDecodedOperand *op, int reg)
{
	if (op->type == ZYDIS_OPERAND_TYPE_REGISTER)
		return (op->actions &
			(ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE)) &&
		       general_register(op) == reg;
	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY)
		return false;
	return zydis_general_register(op->mem.base) == reg ||
	       zydis_general_register(op->mem.index) == reg;
}

bool insn_register_read(const void *bytes, size_t len, uint8_t reg)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (zydis_decode_whole(bytes, len, &zi, ops))
		return true;
	if (zi.mnemonic == ZYDIS_MNEMONIC_TEST || zi.mnemonic == ZYDIS_MNEMONIC_CMP)
		return false;
	if ((zi.mnemonic == ZYDIS_MNEMONIC_XOR || zi.mnemonic == ZYDIS_MNEMONIC_SUB) &&
	    zi.operand_width >= 32 && general_register(&ops[0]) == reg &&
	    general_register(&ops[1]) == reg)
		return false;
	for (int i = 0; i < zi.operand_count; i++)
		if (operand_reads(&ops[i], reg))
			return true;
	return false;
}

bool insn_register_tested(const void *bytes, size_t len, uint8_t reg)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;

	if (zydis_decode_whole(bytes, len, &zi, ops))
		return false;
	return (zi.mnemonic == ZYDIS_MNEMONIC_TEST || zi.mnemonic == ZYDIS_MNEMONIC_CMP) &&
	       general_register(&ops[0]) == reg &&
	       (ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE || general_register(&ops[1]) == reg);
}

bool insn_is_pop(const void *bytes, size_t len)
{
	ZydisDecodedInstruction zi;
	ZydisDecoderContext ctx;

	return !zydis_decode(bytes, len, &ctx, &zi) &&
	       (zi.mnemonic == ZYDIS_MNEMONIC_POP || zi.mnemonic == ZYDIS_MNEMONIC_LEAVE);
}

enum insn_write insn_register_write(const void *bytes, size_t len, uint8_t reg, uint64_t *ret_value,
				    uint8_t *ret_from)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;
	bool writes = false, simple;
	int from;

	if (zydis_decode_whole(bytes, len, &zi, ops))
		return INSN_CLOBBERS;
	for (int i = 0; i < zi.operand_count; i++) {
		if ((ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
		    general_register(&ops[i]) == reg)
			writes = true;
	}
	if (!writes)
		return INSN_KEEPS;
	simple = zi.operand_count_visible == 2 && zi.operand_width >= 32;
	from = simple ? general_register(&ops[1]) : -1;
	if (simple && zi.mnemonic == ZYDIS_MNEMONIC_MOV &&
	    ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		*ret_value = ops[0].size == 32 ? (uint32_t)ops[1].imm.value.u : ops[1].imm.value.u;
		return INSN_SETS;
	}
	if (simple && zi.mnemonic == ZYDIS_MNEMONIC_XOR && from == reg) {
		*ret_value = 0;
		return INSN_SETS;
	}
	if (simple && zi.mnemonic == ZYDIS_MNEMONIC_MOV && from >= 0 && ops[1].size >= 32) {
		*ret_from = (uint8_t)from;
		return INSN_COPIES;
	}
	return INSN_CLOBBERS;
}
