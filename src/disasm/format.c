// SPDX-License-Identifier: GPL-2.0
/* format.c - instructions as text, as objdump and kernel developers write them */
#include "disasm/insn.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "disasm/zydis.h"
#include "util/cleanup.h"

/* Condition names: Zydis follows one half of the SDM's synonyms, binutils the other. */
static const struct {
	const char *zydis;
	const char *binutils;
} synonyms[] = {
	{"jz", "je"},	      {"jnz", "jne"},	    {"jnb", "jae"},	  {"jnbe", "ja"},
	{"jnl", "jge"},	      {"jnle", "jg"},	    {"setz", "sete"},	  {"setnz", "setne"},
	{"setnb", "setae"},   {"setnbe", "seta"},   {"setnl", "setge"},	  {"setnle", "setg"},
	{"cmovz", "cmove"},   {"cmovnz", "cmovne"}, {"cmovnb", "cmovae"}, {"cmovnbe", "cmova"},
	{"cmovnl", "cmovge"}, {"cmovnle", "cmovg"},
};

/* Longest-match rename of the mnemonic that @text starts with; a width suffix is kept. */
static void use_binutils_name(char *text, size_t size)
{
	size_t word = strcspn(text, " ");

	if (text[0] != 'j' && strncmp(text, "set", 3) && strncmp(text, "cmov", 4))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(synonyms); i++) {
		size_t old = strlen(synonyms[i].zydis), new = strlen(synonyms[i].binutils);
		bool suffixed = old + 1 == word && strchr("bwlq", text[old]) &&
				text[0] == 'c'; /* cmov with a memory operand */

		if (strncmp(text, synonyms[i].zydis, old) || (old != word && !suffixed))
			continue;
		if (strlen(text) - old + new >= size)
			return;
		memmove(text + new, text + old, strlen(text) - old + 1);
		memcpy(text, synonyms[i].binutils, new);
		return;
	}
}

/* "mov %eax, %ebx" → "mov %eax,%ebx" */
static void squeeze_commas(char *text)
{
	char *out = text;

	for (const char *in = text; *in; in++) {
		*out++ = *in;
		if (*in == ',' && in[1] == ' ')
			in++;
	}
	*out = '\0';
}

static void formatter_init(ZydisFormatter *f, enum insn_syntax syntax)
{
	ZydisFormatterInit(f, syntax == INSN_INTEL ? ZYDIS_FORMATTER_STYLE_INTEL
						   : ZYDIS_FORMATTER_STYLE_ATT);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_IMM_SIGNEDNESS,
				  ZYDIS_SIGNEDNESS_UNSIGNED);
}

/* "jmp %rax" → "jmp *%rax", as GNU as wants it */
static void star_indirect(const ZydisDecodedInstruction *zi, char *text, size_t size)
{
	size_t word, len = strlen(text);

	if ((zi->mnemonic != ZYDIS_MNEMONIC_JMP && zi->mnemonic != ZYDIS_MNEMONIC_CALL) ||
	    zi->raw.imm[0].is_relative || zi->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return;
	for (word = len; word && text[word - 1] != ' '; word--)
		;
	if (!word || text[word] == '*' || len + 2 > size)
		return;
	memmove(text + word + 1, text + word, len - word + 1);
	text[word] = '*';
}

static bool is_direct(const ZydisDecodedInstruction *zi)
{
	return zi->raw.imm[0].is_relative && zi->mnemonic != ZYDIS_MNEMONIC_XBEGIN;
}

int insn_format(const void *bytes, size_t len, uint64_t addr, enum insn_syntax syntax,
		insn_name_fn *name, void *ctx, char *buf, size_t size)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zi;
	ZydisFormatter formatter;
	int err;

	err = zydis_decode_whole(bytes, len, &zi, ops);
	if (!err) {
		formatter_init(&formatter, syntax);
		if (!size ||
		    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
			    &formatter, &zi, ops, zi.operand_count_visible, buf, size, addr, NULL)))
			err = -EILSEQ;
	}
	if (err) {
		snprintf(buf, size, "(bad)");
		return err;
	}
	use_binutils_name(buf, size);
	squeeze_commas(buf);
	if (syntax == INSN_ATT)
		star_indirect(&zi, buf, size);
	if (is_direct(&zi) && name) {
		char *target = strrchr(buf, ' ');
		size_t room = target ? size - (size_t)(target + 1 - buf) : 0;
		char where[128];

		if (room > 1 && name(ctx, addr + zi.length + (uint64_t)zi.raw.imm[0].value.s, where,
				     sizeof(where)))
			snprintf(target + 1, room, "%s", where);
	}
	return 0;
}

/*
 * Conditions in words
 */

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

/* The instruction that set the flags, its operands as text. */
struct setter {
	ZydisDecodedInstruction zi;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	char op[2][64];
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

static int setter_read(const void *bytes, size_t len, uint64_t addr, enum sense sense,
		       struct setter *s)
{
	ZydisFormatter formatter;
	int err;

	err = zydis_decode_whole(bytes, len, &s->zi, s->ops);
	if (err)
		return err;
	formatter_init(&formatter, INSN_ATT);
	for (int i = 0; i < 2; i++) {
		s->op[i][0] = '\0';
		if (i >= s->zi.operand_count_visible)
			continue;
		if (s->ops[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			immediate_text(s, i, sense, s->op[i], sizeof(s->op[i]));
		else if (!ZYAN_SUCCESS(ZydisFormatterFormatOperand(&formatter, &s->zi, &s->ops[i],
								   s->op[i], sizeof(s->op[i]), addr,
								   NULL)))
			return -EILSEQ;
		squeeze_commas(s->op[i]);
	}
	return 0;
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

static int compare_words(const struct setter *s, ZydisMnemonic branch, bool taken, char *buf,
			 size_t size)
{
	const struct relation *r = relation_of(branch);

	if (!r)
		return -ENOENT;
	snprintf(buf, size, "%s %s %s%s", s->op[0], taken ? r->taken : r->not_taken, s->op[1],
		 r->is_unsigned ? " (unsigned)" : "");
	return 0;
}

/* "test $0x80,%al": the sign of the result is the bit that is asked for. */
static bool is_sign_mask(const struct setter *s)
{
	return s->ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       s->ops[1].imm.value.u << (64 - s->ops[0].size) == 1ULL << 63;
}

static int test_words(const struct setter *s, ZydisMnemonic branch, bool taken, char *buf,
		      size_t size)
{
	const char *relation = zero_relation(branch, true, taken);

	if (is_sign_mask(s) && (branch == ZYDIS_MNEMONIC_JS || branch == ZYDIS_MNEMONIC_JNS))
		relation = (branch == ZYDIS_MNEMONIC_JS) == taken ? "!=" : "==";
	if (!relation)
		return -ENOENT;
	if (same_register(s))
		snprintf(buf, size, "%s %s 0", s->op[0], relation);
	else
		snprintf(buf, size, "(%s & %s) %s 0", s->op[0], s->op[1], relation);
	return 0;
}

static int bit_words(const struct setter *s, ZydisMnemonic branch, bool taken, char *buf,
		     size_t size)
{
	if (branch != ZYDIS_MNEMONIC_JB && branch != ZYDIS_MNEMONIC_JNB)
		return -ENOENT;
	/* All but BT change the bit: what the branch asks for is how it was before. */
	snprintf(buf, size, "bit %s of %s %s %s", s->op[1], s->op[0],
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
	snprintf(buf, size, "%s %s 0", s->op[0], relation);
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

int insn_condition(const void *setter, size_t setter_len, uint64_t setter_addr, const void *branch,
		   size_t branch_len, bool taken, char *buf, size_t size)
{
	ZydisDecodedInstruction zi;
	ZydisDecoderContext ctx;
	struct setter s;

	snprintf(buf, size, "%s", "");
	if (!setter || zydis_decode(setter, setter_len, &ctx, &s.zi) ||
	    zydis_decode(branch, branch_len, &ctx, &zi) ||
	    setter_read(setter, setter_len, setter_addr, sense_of(&s.zi, zi.mnemonic), &s))
		return -ENOENT;
	switch (s.zi.mnemonic) {
	case ZYDIS_MNEMONIC_CMP:
		return compare_words(&s, zi.mnemonic, taken, buf, size);
	case ZYDIS_MNEMONIC_TEST:
		return test_words(&s, zi.mnemonic, taken, buf, size);
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC:
		return bit_words(&s, zi.mnemonic, taken, buf, size);
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
		return result_words(&s, zi.mnemonic, true, taken, buf, size);
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_NEG:
		return result_words(&s, zi.mnemonic, false, taken, buf, size);
	case ZYDIS_MNEMONIC_CMPXCHG:
		if (zi.mnemonic != ZYDIS_MNEMONIC_JZ && zi.mnemonic != ZYDIS_MNEMONIC_JNZ)
			return -ENOENT;
		snprintf(buf, size, "compare-and-exchange of %s %s", s.op[0],
			 (zi.mnemonic == ZYDIS_MNEMONIC_JZ) == taken ? "succeeded" : "failed");
		return 0;
	default:
		return -ENOENT;
	}
}
