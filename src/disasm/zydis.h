/* SPDX-License-Identifier: GPL-2.0 */
/* zydis.h - the only calls into the Zydis decoder; private to disasm/ */
#ifndef LBRSNOOP_DISASM_ZYDIS_H
#define LBRSNOOP_DISASM_ZYDIS_H

#include <stddef.h>

#include <Zydis/Zydis.h>

#include "disasm/insn.h"
#include "disasm/operand.h"

/**
 * zydis_decode() - decode as 64-bit code, without operands
 * Return: 0; -ENODATA if @len ends inside the instruction; -EILSEQ if it is none.
 */
int zydis_decode(const void *bytes, size_t len, ZydisDecoderContext *ret_ctx,
		 ZydisDecodedInstruction *ret_zi);

/**
 * zydis_decode_operands() - the operands of an instruction just decoded, the visible ones first
 * Return: 0; -EILSEQ.
 */
int zydis_decode_operands(const ZydisDecoderContext *ctx, const ZydisDecodedInstruction *zi,
			  ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT]);

/**
 * struct newer_insn - an instruction that Zydis 4.0 does not know, in Linux 6.9 and newer
 * Source: Intel SDM vol. 2, "ERETS", "ERETU", "WRMSRNS".
 */
struct newer_insn {
	const char *name;
	const char *bytes;
	uint8_t len;
	enum insn_class class;
	uint16_t flags;
};

/** newer_insn_find() - which one begins here; NULL: none */
const struct newer_insn *newer_insn_find(const void *bytes, size_t len);

/** zydis_decode_whole() - both of these; errors as of either */
int zydis_decode_whole(const void *bytes, size_t len, ZydisDecodedInstruction *ret_zi,
		       ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT]);

/** zydis_general_register() - number of the whole register, 0 (rax) to 15 (r15), or -1 */
int zydis_general_register(ZydisRegister reg);

/**
 * zydis_operand_text() - an operand in AT&T syntax
 * @addr: of the instruction
 * Return: 0; -EILSEQ.
 */
int zydis_operand_text(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op,
		       uint64_t addr, char *buf, size_t size);

/** zydis_operand_of() - an operand as struct insn_operand; @addr: of the instruction */
void zydis_operand_of(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *op,
		      uint64_t addr, struct insn_operand *ret);

#endif
