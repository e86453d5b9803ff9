// SPDX-License-Identifier: GPL-2.0
#include "disasm/emulate.h"

#include <stdbool.h>

#include "disasm/dataflow.h"
#include "disasm/zydis.h"

#define RSP	   4
#define FLAGS	   (INSN_CF | INSN_ZF | INSN_SF | INSN_OF)
#define HIGH_BYTE  8
#define WORD_BYTES 8

/** struct value - of an operand; @bits: its width */
struct value {
	uint64_t value;
	unsigned int bits;
	bool known;
};

/** struct emulation - of one instruction; @next: the address behind it */
struct emulation {
	const ZydisDecodedInstruction *zi;
	const ZydisDecodedOperand *ops;
	const struct insn_state *before;
	struct insn_state *state;
	uint64_t next;
};

static uint64_t mask_of(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static uint64_t sign_of(unsigned int bits)
{
	return 1ull << (bits - 1);
}

static uint64_t sign_extended(uint64_t value, unsigned int bits)
{
	uint64_t sign = sign_of(bits);

	return ((value & mask_of(bits)) ^ sign) - sign;
}

static bool is_high_byte(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
}

static struct value read_register(const struct insn_state *state, ZydisRegister reg,
				  unsigned int bits)
{
	int number = zydis_general_register(reg);
	struct value value = {.bits = bits};

	if (number < 0)
		return value;
	value.known = state->known >> number & 1;
	value.value = state->regs[number] >> (is_high_byte(reg) ? HIGH_BYTE : 0) & mask_of(bits);
	return value;
}

static struct value read_operand(const struct emulation *em, int index)
{
	const ZydisDecodedOperand *op = &em->ops[index];

	if (op->type == ZYDIS_OPERAND_TYPE_REGISTER)
		return read_register(em->before, op->reg.value, op->size);
	if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return (struct value){
			.value = op->imm.value.u, .bits = em->ops[0].size, .known = true};
	return (struct value){.bits = op->size};
}

/* LEA: neither a segment nor memory is looked at. */
static struct value address_of(const struct emulation *em, const ZydisDecodedOperand *op)
{
	struct value value = {.bits = 64, .known = em->zi->address_width == 64};

	if (op->mem.disp.has_displacement)
		value.value = (uint64_t)op->mem.disp.value;
	if (op->mem.base == ZYDIS_REGISTER_RIP) {
		value.value += em->next;
	} else if (op->mem.base != ZYDIS_REGISTER_NONE) {
		struct value base = read_register(em->before, op->mem.base, 64);

		value.value += base.value;
		value.known &= base.known;
	}
	if (op->mem.index != ZYDIS_REGISTER_NONE) {
		struct value index = read_register(em->before, op->mem.index, 64);

		value.value += index.value * op->mem.scale;
		value.known &= index.known;
	}
	return value;
}

/* Of a register, the upper half becomes zero with the lower; bytes and words leave the rest. */
static void write_register(const struct emulation *em, ZydisRegister reg, const struct value *value)
{
	int number = zydis_general_register(reg);
	struct insn_state *state = em->state;
	unsigned int shift = is_high_byte(reg) ? HIGH_BYTE : 0;
	uint64_t mask = mask_of(value->bits) << shift;

	if (number < 0)
		return;
	if (value->bits >= 32)
		state->regs[number] = value->value & mask;
	else
		state->regs[number] =
			(state->regs[number] & ~mask) | (value->value << shift & mask);
	if (value->known)
		state->known |= value->bits >= 32 ? 1u << number : em->before->known & 1u << number;
}

static void write_first(const struct emulation *em, struct value value)
{
	value.bits = em->ops[0].size;
	if (em->ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		write_register(em, em->ops[0].reg.value, &value);
}

static void set_flag(struct insn_state *state, uint16_t flag, bool set)
{
	state->flags = set ? state->flags | flag : state->flags & ~flag;
	state->flags_known |= flag;
}

static void set_result_flags(const struct emulation *em, const struct value *result)
{
	if (!result->known)
		return;
	set_flag(em->state, INSN_ZF, !(result->value & mask_of(result->bits)));
	set_flag(em->state, INSN_SF, result->value & sign_of(result->bits));
}

/* ADD, SUB, CMP, INC, DEC, NEG. */
static void add_or_subtract(const struct emulation *em, struct value a, struct value b, bool sub,
			    bool carry)
{
	uint64_t mask = mask_of(em->ops[0].size), sign = sign_of(em->ops[0].size);
	struct value result = {.bits = em->ops[0].size, .known = a.known && b.known};

	a.value &= mask;
	b.value &= mask;
	result.value = (sub ? a.value - b.value : a.value + b.value) & mask;
	set_result_flags(em, &result);
	if (result.known) {
		uint64_t overflow = sub ? (a.value ^ b.value) & (a.value ^ result.value)
					: (a.value ^ result.value) & (b.value ^ result.value);

		set_flag(em->state, INSN_OF, overflow & sign);
		if (carry)
			set_flag(em->state, INSN_CF,
				 sub ? a.value < b.value : result.value < a.value);
	}
	if (em->zi->mnemonic != ZYDIS_MNEMONIC_CMP)
		write_first(em, result);
}

/* AND, TEST, OR, XOR. */
static void combine(const struct emulation *em, struct value a, struct value b)
{
	struct value result = {.bits = em->ops[0].size, .known = a.known && b.known};

	switch (em->zi->mnemonic) {
	case ZYDIS_MNEMONIC_OR:
		result.value = a.value | b.value;
		break;
	case ZYDIS_MNEMONIC_XOR:
		result.value = a.value ^ b.value;
		break;
	default:
		result.value = a.value & b.value;
	}
	set_result_flags(em, &result);
	if (result.known) {
		set_flag(em->state, INSN_CF, false);
		set_flag(em->state, INSN_OF, false);
	}
	if (em->zi->mnemonic != ZYDIS_MNEMONIC_TEST)
		write_first(em, result);
}

/*
 * SHL, SHR, SAR. A count of 0 leaves the flags; the overflow flag is defined for one of 1 only, and
 * not followed; the carry of a count beyond the operand's width is not defined.
 */
static void shift(const struct emulation *em, struct value a, struct value count)
{
	unsigned int bits = em->ops[0].size;
	unsigned int by = count.value & (bits == 64 ? 63 : 31);
	struct value result = {.bits = bits, .known = a.known && count.known};

	if (count.known && !by) {
		em->state->flags = em->before->flags;
		em->state->flags_known = em->before->flags_known;
		write_first(em, a);
		return;
	}
	if (by >= bits)
		result.known = false;
	if (result.known) {
		uint64_t wide = sign_extended(a.value, bits);

		switch (em->zi->mnemonic) {
		case ZYDIS_MNEMONIC_SHL:
			result.value = a.value << by;
			set_flag(em->state, INSN_CF, a.value >> (bits - by) & 1);
			break;
		case ZYDIS_MNEMONIC_SHR:
			result.value = a.value >> by;
			set_flag(em->state, INSN_CF, a.value >> (by - 1) & 1);
			break;
		default:
			result.value = (uint64_t)((int64_t)wide >> by);
			set_flag(em->state, INSN_CF, (int64_t)wide >> (by - 1) & 1);
		}
		result.value &= mask_of(bits);
	}
	set_result_flags(em, &result);
	write_first(em, result);
}

/* Of two operands or three: the lower half of the product, whatever the signs. */
static void multiply(const struct emulation *em)
{
	int first = em->zi->operand_count_visible == 3 ? 1 : 0;
	struct value a = read_operand(em, first), b = read_operand(em, first + 1);

	if (em->zi->operand_count_visible < 2)
		return;
	a.value *= b.value;
	a.known &= b.known;
	write_first(em, a);
}

static void move_stack_pointer(const struct emulation *em)
{
	struct value value = read_register(em->before, ZYDIS_REGISTER_RSP, 64);
	bool down = em->zi->mnemonic == ZYDIS_MNEMONIC_PUSH ||
		    em->zi->mnemonic == ZYDIS_MNEMONIC_PUSHFQ ||
		    em->zi->mnemonic == ZYDIS_MNEMONIC_CALL;

	/* "ret $8", a push of 16 bits, and what pops RSP itself. */
	if (em->zi->operand_width != 64 ||
	    (em->zi->mnemonic == ZYDIS_MNEMONIC_RET && em->zi->operand_count_visible) ||
	    (em->zi->mnemonic == ZYDIS_MNEMONIC_POP &&
	     em->ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	     zydis_general_register(em->ops[0].reg.value) == RSP))
		return;
	value.value += (uint64_t)(down ? -WORD_BYTES : WORD_BYTES);
	write_register(em, ZYDIS_REGISTER_RSP, &value);
}

/* All that the instruction writes; what is known of it is said afterwards. */
static void forget(const struct emulation *em)
{
	const ZydisAccessedFlags *f = em->zi->cpu_flags;

	for (int i = 0; i < em->zi->operand_count; i++) {
		int reg = em->ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER
				  ? zydis_general_register(em->ops[i].reg.value)
				  : -1;

		if (reg >= 0 && em->ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			em->state->known &= ~(1u << reg);
	}
	if (f)
		em->state->flags_known &=
			~((f->modified | f->set_0 | f->set_1 | f->undefined) & FLAGS);
}

/* XOR and SUB of a register with itself: zero, whatever it was. */
static bool is_zeroed(const struct emulation *em)
{
	return em->ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       em->ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       em->ops[0].reg.value == em->ops[1].reg.value;
}

static void execute(const struct emulation *em)
{
	struct value a = read_operand(em, 0), b = read_operand(em, 1);
	const struct value zero = {.bits = em->ops[0].size, .known = true},
			   one = {.value = 1, .bits = em->ops[0].size, .known = true};

	switch (em->zi->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
		write_first(em, b);
		return;
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		b.value = sign_extended(b.value, b.bits);
		write_first(em, b);
		return;
	case ZYDIS_MNEMONIC_LEA:
		write_first(em, address_of(em, &em->ops[1]));
		return;
	case ZYDIS_MNEMONIC_ADD:
		add_or_subtract(em, a, b, false, true);
		return;
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_CMP:
		add_or_subtract(em, is_zeroed(em) ? zero : a, is_zeroed(em) ? zero : b, true, true);
		return;
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		add_or_subtract(em, a, one, em->zi->mnemonic == ZYDIS_MNEMONIC_DEC, false);
		return;
	case ZYDIS_MNEMONIC_NEG:
		add_or_subtract(em, zero, a, true, true);
		return;
	case ZYDIS_MNEMONIC_NOT:
		a.value = ~a.value;
		write_first(em, a);
		return;
	case ZYDIS_MNEMONIC_XOR:
		combine(em, is_zeroed(em) ? zero : a, is_zeroed(em) ? zero : b);
		return;
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_OR:
		combine(em, a, b);
		return;
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
		shift(em, a, b);
		return;
	case ZYDIS_MNEMONIC_IMUL:
		multiply(em);
		return;
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHFQ:
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_POPFQ:
	case ZYDIS_MNEMONIC_CALL:
	case ZYDIS_MNEMONIC_RET:
		move_stack_pointer(em);
		return;
	default:
		return;
	}
}

int insn_emulate(const void *bytes, size_t len, uint64_t addr, struct insn_state *state)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT] = {};
	const struct insn_state before = *state;
	ZydisDecodedInstruction zi;
	int err = zydis_decode_whole(bytes, len, &zi, ops);
	struct emulation em = {.zi = &zi, .ops = ops, .before = &before, .state = state};

	if (err)
		return err;
	em.next = addr + zi.length;
	forget(&em);
	execute(&em);
	return 0;
}

int insn_emulate_branch(const void *bytes, size_t len, const struct insn_state *state)
{
	struct insn insn;

	if (insn_decode(bytes, len, 0, &insn) || insn.class != INSN_COND ||
	    insn.flags_read & ~state->flags_known)
		return -1;
	return insn_branch_taken(bytes, len, state->flags);
}
