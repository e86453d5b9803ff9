// SPDX-License-Identifier: GPL-2.0
#include "decode/raw_msr.h"

#include <errno.h>
#include <stdbool.h>

#include "decode/model.h"
#include "util/address.h"

/* IA32_LBR_x_INFO.BR_TYPE; 6 and 7 are reserved, 8 to 15 are "other": far, interrupt, ... */
static const enum branch_type arch_types[16] = {
	[0] = BRANCH_COND, [1] = BRANCH_IJMP, [2] = BRANCH_JMP,	 [3] = BRANCH_ICALL,
	[4] = BRANCH_CALL, [5] = BRANCH_RET,  [8] = BRANCH_FAR,	 [9] = BRANCH_FAR,
	[10] = BRANCH_FAR, [11] = BRANCH_FAR, [12] = BRANCH_FAR, [13] = BRANCH_FAR,
	[14] = BRANCH_FAR, [15] = BRANCH_FAR,
};

/* AMD LbrExtV2, indexed by valid << 1 | spec: Linux arch/x86/events/amd/lbr.c */
static const enum branch_spec amd_specs[4] = {
	[0] = BRANCH_SPEC_NOT_REPORTED, /* an empty entry */
	[1] = BRANCH_SPEC_WRONG_PATH,
	[2] = BRANCH_SPEC_NON_SPEC_CORRECT,
	[3] = BRANCH_SPEC_CORRECT,
};

/* What the registers say, before it is known what of it means something */
struct fields {
	struct branch branch;
	bool cycles_valid;
	bool has_spec;
	unsigned int spec; /* index of amd_specs */
	bool bogus;
	uint32_t doubts;
};

static uint64_t sign_extend(uint64_t value, unsigned int top_bit)
{
	unsigned int shift = 63 - top_bit;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static bool is_canonical(uint64_t addr, unsigned int addr_bits)
{
	if (addr_bits == 32)
		return addr >> 32 == 0;
	return sign_extend(addr, addr_bits - 1) == addr;
}

static enum tri tri_of(uint64_t bit)
{
	return bit ? TRI_SET : TRI_CLEAR;
}

static void take_flag(const struct lbr_field *field, uint64_t bits, struct fields *out)
{
	struct branch *b = &out->branch;

	switch ((enum lbr_field_kind)field->kind) {
	case LBR_FIELD_TO32:
		b->to = bits;
		break;
	case LBR_FIELD_MISPRED:
		b->mispred = tri_of(bits);
		break;
	case LBR_FIELD_ABORT:
		b->abort = tri_of(bits);
		break;
	case LBR_FIELD_IN_TX:
		b->in_tx = tri_of(bits);
		break;
	case LBR_FIELD_CYCLES:
		b->cycles = (int32_t)bits;
		break;
	case LBR_FIELD_CYCLES_VALID:
		out->cycles_valid = bits != 0;
		break;
	case LBR_FIELD_TYPE:
		b->type = arch_types[bits & 0xf];
		if (b->type == BRANCH_NOT_REPORTED)
			out->doubts |= RAW_DOUBT_TYPE;
		break;
	case LBR_FIELD_SPEC:
		out->spec |= bits ? 1 : 0;
		break;
	case LBR_FIELD_VALID:
		out->has_spec = true;
		out->spec |= bits ? 2 : 0;
		break;
	case LBR_FIELD_BOGUS:
		out->bogus = bits != 0;
		break;
	case LBR_FIELD_RESERVED:
		if (bits)
			out->doubts |= RAW_DOUBT_RESERVED;
		break;
	case LBR_FIELD_ADDR:
	case LBR_FIELD_ADDR32:
	case LBR_FIELD_SIGN_EXT:
	case LBR_FIELD_FLAG:
	case LBR_FIELD_VALUE:
		break;
	}
}

/* All of a register; @addr is its address, @doubt what to say of one that is none. */
static void take_register(const struct lbr_layout *layout, uint64_t value, uint64_t *addr,
			  uint32_t doubt, struct fields *out)
{
	const struct lbr_field *sign_ext = NULL;

	for (size_t i = 0; i < layout->count; i++) {
		const struct lbr_field *field = &layout->fields[i];
		uint64_t bits = lbr_field_get(field, value);

		if (field->kind == LBR_FIELD_ADDR)
			*addr = sign_extend(bits, field->hi);
		else if (field->kind == LBR_FIELD_ADDR32)
			*addr = bits;
		else if (field->kind == LBR_FIELD_SIGN_EXT)
			sign_ext = field;
		else
			take_flag(field, bits, out);
	}
	if (sign_ext && lbr_field_get(sign_ext, value) != lbr_field_get(sign_ext, *addr))
		out->doubts |= doubt;
}

/* Keeps only what the model reports; the rest is bits that happen to be there. */
static void mask_unsupported(const struct lbr_model *model, struct fields *out)
{
	struct branch *b = &out->branch;

	if (!(model->supported & LBR_HAS_MISPRED))
		b->mispred = TRI_NOT_REPORTED;
	if (!(model->supported & LBR_HAS_TSX)) {
		b->in_tx = TRI_NOT_REPORTED;
		b->abort = TRI_NOT_REPORTED;
	}
	if (!(model->supported & LBR_HAS_CYCLES) || !out->cycles_valid)
		b->cycles = CYCLES_NOT_REPORTED;
	if (!(model->supported & LBR_HAS_TYPE))
		b->type = BRANCH_NOT_REPORTED;
	else if (b->type == BRANCH_FAR && b->abort == TRI_SET)
		b->type = BRANCH_ABORT; /* the manual counts aborts among the "other" */
	if (model->supported & LBR_HAS_SPEC)
		b->spec = amd_specs[out->spec];
}

int raw_msr_decode(const struct lbr_model *model, const struct raw_branch *raw,
		   struct branch *ret_branch, uint32_t *ret_doubts)
{
	struct fields out = {.branch.cycles = CYCLES_NOT_REPORTED, .cycles_valid = true};
	struct branch *b = &out.branch;
	uint64_t no_addr = 0;

	take_register(model->from, raw->from, &b->from, RAW_DOUBT_FROM_CANONICAL, &out);
	if (model->to)
		take_register(model->to, raw->to, &b->to, RAW_DOUBT_TO_CANONICAL, &out);
	if (model->info)
		take_register(model->info, raw->info, &no_addr, 0, &out);
	if ((b->from == 0 && b->to == 0) || (out.has_spec && out.spec == 0))
		return -ENODATA;
	if (out.bogus)
		return -EBADMSG;
	if (!is_canonical(b->from, model->addr_bits))
		out.doubts |= RAW_DOUBT_FROM_CANONICAL;
	if (!is_canonical(b->to, model->addr_bits))
		out.doubts |= RAW_DOUBT_TO_CANONICAL;
	if ((model->quirks & LBR_QUIRK_TSX_SIGN_EXT) && b->in_tx == TRI_SET &&
	    b->abort == TRI_SET && address_is_kernel(b->from) && (model->supported & LBR_HAS_TSX))
		out.doubts |= RAW_DOUBT_TSX_SIGN_EXT;
	mask_unsupported(model, &out);
	*ret_branch = out.branch;
	*ret_doubts = out.doubts;
	return 0;
}
