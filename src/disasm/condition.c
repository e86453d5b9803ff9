// SPDX-License-Identifier: GPL-2.0
/* condition.c - what a conditional branch found, in words */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "disasm/insn.h"
#include "disasm/operand.h"
#include "disasm/zydis.h"
#include "util/cleanup.h"

/* What a branch asks of the comparison a ? b, or of a result against 0. */
struct relation {
	const char *taken;
	const char *not_taken;
	bool is_unsigned;
};

static const struct relation *relation_of(ZydisMnemonic branch)
{
	static const struct relation eq = {"==", "!=", false}, ne = {"!=", "==", false},
				     lt = {"<", ">=", false}, ge = {">=", "<", false},
				     le = {"<=", ">", false}, gt = {">", "<=", false},
				     below = {"<", ">=", true}, above_eq = {">=", "<", true},
				     below_eq = {"<=", ">", true}, above = {">", "<=", true};

	switch (branch) {
	case ZYDIS_MNEMONIC_JZ:
		return &eq;
	case ZYDIS_MNEMONIC_JNZ:
		return &ne;
	case ZYDIS_MNEMONIC_JL:
		return &lt;
	case ZYDIS_MNEMONIC_JNL:
		return &ge;
	case ZYDIS_MNEMONIC_JLE:
		return &le;
	case ZYDIS_MNEMONIC_JNLE:
		return &gt;
	case ZYDIS_MNEMONIC_JB:
		return &below;
	case ZYDIS_MNEMONIC_JNB:
		return &above_eq;
	case ZYDIS_MNEMONIC_JBE:
		return &below_eq;
	case ZYDIS_MNEMONIC_JNBE:
		return &above;
	default:
		return NULL;
	}
}

/* The instruction that set the flags. @named: its operands are in the names of the source */
struct setter {
	ZydisDecodedInstruction zi;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	struct insn_operand_text op[2];
	bool named;
};

/* How an immediate operand is meant. */
enum sense {
	SENSE_SIGNED,
	SENSE_BITS, /* an unsigned number, a mask */
};

/* A C programmer's number: as wide as what it is compared with. */
static void immediate_text(const struct setter *s, int op, enum sense sense, char *buf, size_t size)
{
	unsigned int unused = 64 - (unsigned int)s->ops[0].size;
	uint64_t bits = s->ops[op].imm.value.u << unused >> unused;
	int64_t value = (int64_t)(bits << unused) >> unused;
	bool positive = sense == SENSE_BITS || value >= 0;

	if (sense == SENSE_BITS && s->zi.mnemonic == ZYDIS_MNEMONIC_TEST && value < 0 &&
	    value >= -4096 && s->ops[0].size >= 32)
		snprintf(buf, size, "~%" PRId64, ~value);
	else if (positive ? bits < 4096 : value > -4096)
		snprintf(buf, size, "%" PRId64, positive ? (int64_t)bits : value);
	else
		snprintf(buf, size, "0x%" PRIx64, bits);
}

/* A place in memory without a register: in a condition its bare address would be a number. */
static bool is_bare_address(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.index == ZYDIS_REGISTER_NONE &&
	       (op->mem.base == ZYDIS_REGISTER_NONE || op->mem.base == ZYDIS_REGISTER_RIP) &&
	       op->mem.segment != ZYDIS_REGISTER_FS && op->mem.segment != ZYDIS_REGISTER_GS;
}

static int operand_words(const struct setter *s, const ZydisDecodedOperand *op, uint64_t addr,
			 char *buf, size_t size)
{
	char text[INSN_OPERAND_TEXT_MAX];
	int err = zydis_operand_text(&s->zi, op, addr, text, sizeof(text));

	if (!err)
		snprintf(buf, size, is_bare_address(op) ? "(%s)" : "%s", text);
	return err;
}

static int setter_read(const void *bytes, size_t len, uint64_t addr, enum sense sense,
		       struct setter *s)
{
	int err = zydis_decode_whole(bytes, len, &s->zi, s->ops);

	for (int i = 0; !err && i < 2; i++) {
		s->op[i].text[0] = '\0';
		if (i >= s->zi.operand_count_visible)
			continue;
		if (s->ops[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			immediate_text(s, i, sense, s->op[i].text, sizeof(s->op[i].text));
		else
			err = operand_words(s, &s->ops[i], addr, s->op[i].text,
					    sizeof(s->op[i].text));
	}
	return err;
}

static bool same_register(const struct setter *s)
{
	return s->ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       s->ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       s->ops[0].reg.value == s->ops[1].reg.value;
}

/* After a logic instruction CF and OF are 0: the sign alone decides js, jl and jge. */
static const char *zero_relation(ZydisMnemonic branch, bool logic, bool taken)
{
	switch (branch) {
	case ZYDIS_MNEMONIC_JZ:
		return taken ? "==" : "!=";
	case ZYDIS_MNEMONIC_JNZ:
		return taken ? "!=" : "==";
	case ZYDIS_MNEMONIC_JS:
		return taken ? "<" : ">=";
	case ZYDIS_MNEMONIC_JNS:
		return taken ? ">=" : "<";
	default:
		break;
	}
	if (!logic)
		return NULL;
	switch (branch) {
	case ZYDIS_MNEMONIC_JL:
		return taken ? "<" : ">=";
	case ZYDIS_MNEMONIC_JNL:
		return taken ? ">=" : "<";
	case ZYDIS_MNEMONIC_JLE:
		return taken ? "<=" : ">";
	case ZYDIS_MNEMONIC_JNLE:
		return taken ? ">" : "<=";
	case ZYDIS_MNEMONIC_JBE:
		return taken ? "==" : "!=";
	case ZYDIS_MNEMONIC_JNBE:
		return taken ? "!=" : "==";
	default:
		return NULL;
	}
}

/* include/linux/err.h: IS_ERR_VALUE() is x >= (unsigned long)-MAX_ERRNO. */
static bool is_error_limit(const struct setter *s, const struct relation *r)
{
	bool or_equal = r->taken[1] == '=' && r->taken[0] == '>';

	if (!r->is_unsigned || s->ops[0].size != 64 ||
	    s->ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return false;
	or_equal |= r->taken[0] == '<' && r->taken[1] != '=';
	return s->ops[1].imm.value.s == (or_equal ? -4095 : -4096);
}

static bool asks_for_sign(const char *relation)
{
	return !strcmp(relation, "<") || !strcmp(relation, ">=");
}

/* "a == 0"; "(a & 0x80) != 0" for "a < 0" of what has no sign in C. @words: made of operand 0 */
static void against_zero(const struct setter *s, const char *words, const char *relation, char *buf,
			 size_t size)
{
	if (s->op[0].no_sign && asks_for_sign(relation))
		snprintf(buf, size, "(%s & 0x%llx) %s 0", words, 1ULL << (s->ops[0].size - 1),
			 relation[0] == '<' ? "!=" : "==");
	else
		snprintf(buf, size, "%s %s 0", words, relation);
}

/*
 * "a == 0"; of a pointer or a bool as one says it in C: "!a". What has blanks in it would need
 * parentheses.
 */
static void zero_words(const struct setter *s, const char *relation, char *buf, size_t size)
{
	const struct insn_operand_text *op = &s->op[0];
	bool equal = !strcmp(relation, "==");

	if (op->zero[0] != '0' && equal && !strchr(op->text, ' '))
		snprintf(buf, size, "!%s", op->text);
	else if (op->zero[0] == 'f' && !strcmp(relation, "!="))
		snprintf(buf, size, "%s", op->text);
	else if (op->zero[0] != '0')
		snprintf(buf, size, "%s %s %s", op->text, relation, op->zero);
	else
		against_zero(s, op->text, relation, buf, size);
}

/* "a == b"; "memcmp(p, "base", 4) == 0" for what compilers make of it. */
static void equality_words(const struct setter *s, const char *relation, char *buf, size_t size)
{
	if (s->op[0].bytes[0] && s->op[1].bytes[0])
		snprintf(buf, size, "memcmp(%s, %s, %u) %s 0", s->op[0].bytes, s->op[1].bytes,
			 s->ops[0].size / 8, relation);
	else
		snprintf(buf, size, "%s %s %s", s->op[0].text, relation, s->op[1].text);
}

/* The sign of a difference: how counters that wrap around are compared. */
static int difference_words(const struct setter *s, ZydisMnemonic branch, bool taken, char *buf,
			    size_t size)
{
	const char *relation = zero_relation(branch, false, taken);
	char words[2 * INSN_OPERAND_TEXT_MAX + 8];

	if (branch != ZYDIS_MNEMONIC_JS && branch != ZYDIS_MNEMONIC_JNS)
		return -ENOENT;
	snprintf(words, sizeof(words), "%s - %s", s->op[0].text, s->op[1].text);
	against_zero(s, s->named && !strcmp(s->op[1].text, "0") ? s->op[0].text : words, relation,
		     buf, size);
	return 0;
}

static int compare_words(const struct setter *s, ZydisMnemonic branch, bool taken, char *buf,
			 size_t size)
{
	const struct relation *r = relation_of(branch);
	const char *relation;

	if (!r)
		return difference_words(s, branch, taken, buf, size);
	if (s->named && is_error_limit(s, r)) {
		bool is = (r->taken[0] == '>') == taken;

		snprintf(buf, size, "%sIS_ERR(%s)", is ? "" : "!", s->op[0].text);
		return 0;
	}
	relation = taken ? r->taken : r->not_taken;
	if (s->named && s->op[0].zero[0] != '0' && !strcmp(s->op[1].text, s->op[0].zero) &&
	    relation[1] == '=' && relation[0] != '<' && relation[0] != '>')
		zero_words(s, relation, buf, size);
	else if (relation[1] == '=' && relation[0] != '<' && relation[0] != '>')
		equality_words(s, relation, buf, size);
	else if (!r->is_unsigned && !strcmp(s->op[1].text, "0"))
		against_zero(s, s->op[0].text, relation, buf, size);
	else
		snprintf(buf, size, "%s %s %s%s", s->op[0].text, relation, s->op[1].text,
			 r->is_unsigned ? " (unsigned)" : "");
	return 0;
}

/* "test $0x80,%al": the sign of the result is the bit that is asked for. */
static bool is_sign_mask(const struct setter *s)
{
	return s->ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       s->ops[1].imm.value.u << (64 - s->ops[0].size) == 1ULL << 63;
}

/*
 * After such a TEST. The result is below zero where the bit is set, but as C has it, it is above.
 * NULL: no branch that asks for one or the other.
 */
static const char *sign_relation(ZydisMnemonic branch, bool taken)
{
	switch (branch) {
	case ZYDIS_MNEMONIC_JS:
	case ZYDIS_MNEMONIC_JL:
		return taken ? "!=" : "==";
	case ZYDIS_MNEMONIC_JNS:
	case ZYDIS_MNEMONIC_JNL:
		return taken ? "==" : "!=";
	case ZYDIS_MNEMONIC_JLE:
	case ZYDIS_MNEMONIC_JNLE:
		return NULL;
	default:
		return zero_relation(branch, true, taken);
	}
}

static int test_words(const struct setter *s, ZydisMnemonic branch, bool taken, char *buf,
		      size_t size)
{
	const char *relation =
		is_sign_mask(s) ? sign_relation(branch, taken) : zero_relation(branch, true, taken);
	char words[2 * INSN_OPERAND_TEXT_MAX + 8];

	if (!relation)
		return -ENOENT;
	snprintf(words, sizeof(words), "(%s & %s)", s->op[0].text, s->op[1].text);
	if (same_register(s) || s->op[0].whole)
		zero_words(s, relation, buf, size);
	else
		against_zero(s, words, relation, buf, size);
	return 0;
}

static int bit_words(const struct setter *s, ZydisMnemonic branch, bool taken, char *buf,
		     size_t size)
{
	if (branch != ZYDIS_MNEMONIC_JB && branch != ZYDIS_MNEMONIC_JNB)
		return -ENOENT;
	if (s->op[0].whole) {
		snprintf(buf, size, "%s %s 0", s->op[0].text,
			 (branch == ZYDIS_MNEMONIC_JB) == taken ? "!=" : "==");
		return 0;
	}
	/* All but BT change the bit: what the branch asks for is how it was before. */
	snprintf(buf, size, "bit %s of %s %s %s", s->op[1].text, s->op[0].text,
		 s->zi.mnemonic == ZYDIS_MNEMONIC_BT ? "is" : "was",
		 (branch == ZYDIS_MNEMONIC_JB) == taken ? "set" : "clear");
	return 0;
}

/* An instruction whose result is left in its first operand. */
static int result_words(const struct setter *s, ZydisMnemonic branch, bool logic, bool taken,
			char *buf, size_t size)
{
	const char *relation = zero_relation(branch, logic, taken);

	if (!relation)
		return -ENOENT;
	snprintf(buf, size, "%s %s 0", s->op[0].text, relation);
	return 0;
}

/* Bytes and words are seldom below zero in kernel code, unless they are compared like that. */
static enum sense sense_of(const ZydisDecodedInstruction *setter, ZydisMnemonic branch)
{
	const struct relation *r = relation_of(branch);
	bool equality = branch == ZYDIS_MNEMONIC_JZ || branch == ZYDIS_MNEMONIC_JNZ;

	if (setter->mnemonic == ZYDIS_MNEMONIC_TEST || (r && r->is_unsigned))
		return SENSE_BITS;
	return equality && setter->operand_width < 32 ? SENSE_BITS : SENSE_SIGNED;
}

static int words(const struct setter *s, ZydisMnemonic branch, bool taken, char *buf, size_t size)
{
	switch (s->zi.mnemonic) {
	case ZYDIS_MNEMONIC_CMP:
		return compare_words(s, branch, taken, buf, size);
	case ZYDIS_MNEMONIC_TEST:
		return test_words(s, branch, taken, buf, size);
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
		return bit_words(s, branch, taken, buf, size);
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
		return result_words(s, branch, true, taken, buf, size);
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_NEG:
		return result_words(s, branch, false, taken, buf, size);
	case ZYDIS_MNEMONIC_CMPXCHG:
		if (branch != ZYDIS_MNEMONIC_JZ && branch != ZYDIS_MNEMONIC_JNZ)
			return -ENOENT;
		snprintf(buf, size, "compare-and-exchange of %s %s", s->op[0].text,
			 (branch == ZYDIS_MNEMONIC_JZ) == taken ? "succeeded" : "failed");
		return 0;
	default:
		return -ENOENT;
	}
}

int insn_condition(const void *setter, size_t setter_len, uint64_t setter_addr, const void *branch,
		   size_t branch_len, bool taken, char *buf, size_t size)
{
	struct setter s = {.op[0].zero = "0"};
	ZydisDecodedInstruction zi;
	ZydisDecoderContext ctx;

	snprintf(buf, size, "%s", "");
	if (!setter || zydis_decode(setter, setter_len, &ctx, &s.zi) ||
	    zydis_decode(branch, branch_len, &ctx, &zi) ||
	    setter_read(setter, setter_len, setter_addr, sense_of(&s.zi, zi.mnemonic), &s))
		return -ENOENT;
	return words(&s, zi.mnemonic, taken, buf, size);
}

/*
 * In the names of the source
 */

static const char *equality(ZydisMnemonic branch, bool taken)
{
	if (branch != ZYDIS_MNEMONIC_JZ && branch != ZYDIS_MNEMONIC_JNZ)
		return NULL;
	return zero_relation(branch, false, taken);
}

/* Of an instruction that computes, its operands have names before it: the words are of these. */
static int named_words(const struct setter *s, ZydisMnemonic branch, bool taken, char *buf,
		       size_t size)
{
	const char *relation;

	switch (s->zi.mnemonic) {
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
	case ZYDIS_MNEMONIC_CMPXCHG:
		return words(s, branch, taken, buf, size);
	case ZYDIS_MNEMONIC_AND:
		return test_words(s, branch, taken, buf, size);
	default:
		break;
	}
	relation = equality(branch, taken);
	if (!relation)
		return -ENOENT;
	switch (s->zi.mnemonic) {
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_XOR:
		equality_words(s, relation, buf, size);
		return 0;
	case ZYDIS_MNEMONIC_OR:
		snprintf(buf, size, "(%s | %s) %s 0", s->op[0].text, s->op[1].text, relation);
		return 0;
	case ZYDIS_MNEMONIC_SHR:
		snprintf(buf, size, "(%s >> %s) %s 0", s->op[0].text, s->op[1].text, relation);
		return 0;
	case ZYDIS_MNEMONIC_DEC:
		snprintf(buf, size, "%s %s 1", s->op[0].text, relation);
		return 0;
	case ZYDIS_MNEMONIC_INC:
		snprintf(buf, size, "%s %s -1", s->op[0].text, relation);
		return 0;
	default:
		return -ENOENT;
	}
}

/* What is asked of its first operand alone. */
static bool has_one_operand(ZydisMnemonic setter)
{
	return setter == ZYDIS_MNEMONIC_DEC || setter == ZYDIS_MNEMONIC_INC ||
	       setter == ZYDIS_MNEMONIC_CMPXCHG;
}

static int operands_to_name(const struct setter *s)
{
	return same_register(s) || has_one_operand(s->zi.mnemonic) ? 1 : 2;
}

/* What is asked of an operand, and which of its bits decide. */
static enum insn_use use_of(const struct setter *s, int op, uint64_t *ret_bits)
{
	const ZydisDecodedOperand *other = &s->ops[!op];
	/* A short immediate is extended to what it is compared with. */
	bool immediate = s->ops[op].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	unsigned int size = s->ops[immediate ? 0 : op].size;
	bool constant = other->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	*ret_bits = size < 64 ? (1ull << size) - 1 : UINT64_MAX;
	switch (s->zi.mnemonic) {
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_AND:
		if (same_register(s))
			return INSN_USE_VALUE;
		if (constant)
			*ret_bits &= other->imm.value.u;
		return INSN_USE_MASK;
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
		if (constant)
			*ret_bits = 1ull << (other->imm.value.u & (size - 1));
		return INSN_USE_BIT;
	default:
		return INSN_USE_VALUE;
	}
}

int insn_condition_named(const void *setter, size_t setter_len, uint64_t setter_addr,
			 const void *branch, size_t branch_len, bool taken, insn_operand_fn *name,
			 void *ctx, char *buf, size_t size)
{
	struct setter s = {.named = true};
	ZydisDecodedInstruction zi;
	ZydisDecoderContext decoder;

	snprintf(buf, size, "%s", "");
	if (zydis_decode(branch, branch_len, &decoder, &zi) ||
	    zydis_decode_whole(setter, setter_len, &s.zi, s.ops) ||
	    s.zi.operand_count_visible < (has_one_operand(s.zi.mnemonic) ? 1 : 2))
		return -ENOENT;
	for (int i = 0; i < operands_to_name(&s); i++) {
		struct insn_operand operand;
		enum insn_use use;
		uint64_t bits;

		zydis_operand_of(&s.zi, &s.ops[i], setter_addr, &operand);
		use = use_of(&s, i, &bits);
		s.op[i].zero = "0";
		if (operand.kind == INSN_OPERAND_NONE ||
		    !name(ctx, i, &operand, use, bits, &s.op[i]))
			return -ENOENT;
	}
	if (named_words(&s, zi.mnemonic, taken, buf, size)) {
		buf[0] = '\0';
		return -ENOENT;
	}
	return 0;
}
