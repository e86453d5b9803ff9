// SPDX-License-Identifier: GPL-2.0
/* insn_text.c - instructions as text, as objdump and kernel developers write them */
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
		const struct newer_insn *newer = newer_insn_find(bytes, len);

		snprintf(buf, size, "%s", newer ? newer->name : "(bad)");
		return newer ? 0 : err;
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

int zydis_operand_text(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op,
		       uint64_t addr, char *buf, size_t size)
{
	ZydisFormatter formatter;

	formatter_init(&formatter, INSN_ATT);
	if (!ZYAN_SUCCESS(ZydisFormatterFormatOperand(&formatter, zi, op, buf, size, addr, NULL)))
		return -EILSEQ;
	squeeze_commas(buf);
	return 0;
}
