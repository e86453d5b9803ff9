/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code emitted into translation blocks while branches are tracked; included by translate.c alone.
 *
 * A block falls through from instruction to instruction, so it is enough to look at its ends: the
 * first instruction asks whether it is the one that should have come (if not, a branch was taken);
 * the last one leaves its own address and the one that follows, and counts all of them.
 * Everything is computed from EIP at run time, because a block may be executed at several virtual
 * addresses (TARGET_TB_PCREL).
 */
#ifndef TARGET_I386_LBR_TRANSLATE_H
#define TARGET_I386_LBR_TRANSLATE_H

#include "tcg/sysemu/lbr.h"

#define LBR_FLOW(field) (offsetof(CPUX86State, lbr) + offsetof(struct lbr_flow, field))

extern bool lbr_log_insns;

/* The ops that become wrong or unneeded once the instruction is decoded. */
struct lbr_ops {
	TCGOp *load_count;
	TCGOp *add_count;
	TCGOp *store_count;
	TCGOp *add_len;
	TCGOp *store_from;
	TCGOp *store_next;
	TCGOp *store_kind;
};

static bool lbr_tracking(const DisasContext *s)
{
	return s->base.tb->flags & HF_LBR_MASK;
}

/* Linear address of the code at @pc, wherever the block is mapped. */
static TCGv lbr_gen_address(DisasContext *s, target_ulong pc)
{
	TCGv addr = tcg_temp_new();

	tcg_gen_addi_tl(addr, cpu_eip, pc - s->pc_save + s->cs_base);
	return addr;
}

/* What QEMU keeps of the start of an instruction, for when the block is left there. */
static target_ulong lbr_insn_start_word(const DisasContext *s)
{
	target_ulong number = lbr_tracking(s) ? s->base.num_insns : 0;

	QEMU_BUILD_BUG_ON(CC_OP_NB > 1 << LBR_WORD_SHIFT);
	return s->cc_op | number << LBR_WORD_SHIFT;
}

/* Count the instructions of the block so far. */
static void lbr_gen_count(DisasContext *s, struct lbr_ops *ops)
{
	TCGv count = tcg_temp_new();

	tcg_gen_ld_tl(count, cpu_env, LBR_FLOW(insns));
	ops->load_count = tcg_last_op();
	tcg_gen_addi_tl(count, count, s->base.num_insns);
	ops->add_count = tcg_last_op();
	tcg_gen_st_tl(count, cpu_env, LBR_FLOW(insns));
	ops->store_count = tcg_last_op();
	tcg_temp_free(count);
}

/* Ask at the head of a block: is this the instruction that should have come? */
static void lbr_gen_arrive(DisasContext *s)
{
	TCGLabel *expected = gen_new_label();
	TCGv addr = lbr_gen_address(s, s->base.pc_next);
	TCGv next = tcg_temp_new();

	tcg_gen_ld_tl(next, cpu_env, LBR_FLOW(next));
	tcg_gen_brcond_tl(TCG_COND_EQ, next, addr, expected);
	tcg_temp_free(next);
	tcg_temp_free(addr);
	addr = lbr_gen_address(s, s->base.pc_next);
	gen_helper_lbr_arrive(cpu_env, addr);
	tcg_temp_free(addr);
	gen_set_label(expected);
	tcg_gen_st_tl(tcg_constant_tl(LBR_NEXT_INSIDE), cpu_env, LBR_FLOW(next));
}

/* Log the instruction that comes next, if it is in the list. */
static void lbr_gen_listed(DisasContext *s)
{
	TCGv addr;

	if (!lbr_listed(s->base.pc_next + s->cs_base))
		return;
	addr = lbr_gen_address(s, s->base.pc_next);
	gen_helper_lbr_listed(cpu_env, addr);
	tcg_temp_free(addr);
}

static struct lbr_ops lbr_gen_insn_start(DisasContext *s)
{
	struct lbr_ops ops = {};
	TCGv addr, next;

	if (lbr_tracking(s) && s->base.num_insns == 1)
		lbr_gen_arrive(s);
	lbr_gen_listed(s);
	if (!lbr_tracking(s))
		return ops;
	lbr_gen_count(s, &ops);
	addr = lbr_gen_address(s, s->base.pc_next);
	if (lbr_log_insns)
		gen_helper_lbr_insn(cpu_env, addr);
	tcg_gen_st_tl(addr, cpu_env, LBR_FLOW(from));
	ops.store_from = tcg_last_op();
	next = tcg_temp_new();
	tcg_gen_add_tl(next, addr, tcg_constant_tl(0));
	ops.add_len = tcg_last_op();
	tcg_gen_st_tl(next, cpu_env, LBR_FLOW(next));
	ops.store_next = tcg_last_op();
	tcg_gen_st_i32(tcg_constant_i32(0), cpu_env, LBR_FLOW(kind));
	ops.store_kind = tcg_last_op();
	tcg_temp_free(next);
	tcg_temp_free(addr);
	return ops;
}

static enum lbr_kind lbr_kind_0f(uint8_t op)
{
	switch (op) {
	case 0x80 ... 0x8f: /* Jcc rel32 */
		return KIND_COND;
	case 0x05: /* SYSCALL */
	case 0x07: /* SYSRET */
	case 0x34: /* SYSENTER */
	case 0x35: /* SYSEXIT */
	case 0xaa: /* RSM */
		return KIND_FAR;
	default:
		return KIND_LINEAR;
	}
}

static enum lbr_kind lbr_kind_ff(uint8_t modrm)
{
	static const enum lbr_kind by_reg[8] = {
		[2] = KIND_ICALL,
		[3] = KIND_FAR,
		[4] = KIND_IJMP,
		[5] = KIND_FAR,
	};

	return by_reg[(modrm >> 3) & 7];
}

static bool lbr_is_prefix(const DisasContext *s, uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64 ... 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	case 0x40 ... 0x4f: /* REX */
		return CODE64(s);
	default:
		return false;
	}
}

/*
 * Classify the instruction between pc_next and pc: the decoder has just read those bytes, so
 * reading them again cannot fault. Opcodes: Intel SDM vol. 2, appendix A, "Opcode Map".
 */
static enum lbr_kind lbr_classify(CPUX86State *env, DisasContext *s)
{
	target_ulong pc = s->base.pc_next;
	uint8_t op = 0;

	while (pc < s->pc) {
		op = translator_ldub(env, &s->base, pc++);
		if (!lbr_is_prefix(s, op))
			break;
	}
	switch (op) {
	case 0x70 ... 0x7f: /* Jcc rel8 */
	case 0xe0 ... 0xe3: /* LOOPcc, JrCXZ */
		return KIND_COND;
	case 0xe8:
		return KIND_CALL;
	case 0xe9:
	case 0xeb:
		return KIND_JMP;
	case 0xc2:
	case 0xc3:
		return KIND_RET;
	case 0x9a: /* far CALL */
	case 0xca: /* far RET */
	case 0xcb:
	case 0xcc: /* INT3, INT n, INTO, IRET */
	case 0xcd:
	case 0xce:
	case 0xcf:
	case 0xea: /* far JMP */
		return KIND_FAR;
	case 0x0f:
		return pc < s->pc ? lbr_kind_0f(translator_ldub(env, &s->base, pc)) : KIND_LINEAR;
	case 0xff:
		return pc < s->pc ? lbr_kind_ff(translator_ldub(env, &s->base, pc)) : KIND_LINEAR;
	default:
		return KIND_LINEAR;
	}
}

/* After decoding: keep and complete the stores if this instruction ends the block. */
static void lbr_gen_insn_end(CPUX86State *env, DisasContext *s, struct lbr_ops *ops)
{
	uint32_t len = s->pc - s->base.pc_next;
	enum lbr_kind kind;

	if (!lbr_tracking(s))
		return;
	s->lbr_counted = s->base.is_jmp != DISAS_NEXT && s->base.is_jmp != DISAS_TOO_MANY;
	if (!s->lbr_counted) {
		tcg_op_remove(tcg_ctx, ops->load_count);
		tcg_op_remove(tcg_ctx, ops->add_count);
		tcg_op_remove(tcg_ctx, ops->store_count);
		tcg_op_remove(tcg_ctx, ops->store_from);
		tcg_op_remove(tcg_ctx, ops->store_next);
		tcg_op_remove(tcg_ctx, ops->store_kind);
		return;
	}
	kind = lbr_classify(env, s);
	ops->add_len->args[2] = tcgv_i64_arg(tcg_constant_tl(len));
	if (kind != KIND_LINEAR)
		ops->store_next->args[0] = tcgv_i64_arg(tcg_constant_tl(LBR_NEXT_BRANCH));
	ops->store_kind->args[0] = tcgv_i32_arg(tcg_constant_i32(kind | len << 8));
}

/* The block ends here for no reason of the program's: the next one must go on at pc_next. */
static void lbr_gen_continue(DisasContext *s)
{
	struct lbr_ops ops;
	TCGv addr;

	if (!lbr_tracking(s))
		return;
	if (!s->lbr_counted)
		lbr_gen_count(s, &ops);
	addr = lbr_gen_address(s, s->base.pc_next);
	tcg_gen_st_tl(addr, cpu_env, LBR_FLOW(next));
	tcg_gen_st_tl(tcg_constant_tl(LBR_NEXT_INSIDE), cpu_env, LBR_FLOW(from));
	tcg_temp_free(addr);
}

/* On the path of a conditional branch that is not taken. */
static void lbr_gen_not_taken(DisasContext *s)
{
	TCGv addr;

	if (!lbr_tracking(s))
		return;
	addr = lbr_gen_address(s, s->pc);
	gen_helper_lbr_not_taken(cpu_env, addr);
	tcg_temp_free(addr);
}

#endif
