/* SPDX-License-Identifier: GPL-2.0 */
/* regs.h - what an instruction does to the general registers */
#ifndef LBRSNOOP_DISASM_REGS_H
#define LBRSNOOP_DISASM_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_REG_RAX 0

/*
 * The kernel's calling convention, as sets of registers: x86-64 psABI, figure 3.4. What is not
 * callee saved does not survive a call.
 */
#define INSN_REG_BIT(reg)   (1u << (reg))
#define INSN_CALLEE_SAVED   0xf038u /* rbx, rsp, rbp, r12 to r15 */
#define INSN_CALL_CLOBBERED 0x0fc7u /* rax, rcx, rdx, rsi, rdi, r8 to r11 */
#define INSN_CALL_ARGUMENTS 0x03c6u /* rdi, rsi, rdx, rcx, r8, r9 */

/**
 * struct insn_regs - registers by the CPU's number, 0 = rax ... 15 = r15
 * @written: bit n: register n is written, in part or whole, explicitly or not
 * @move: it copies register @src to @dst and does nothing else
 * @src, @dst: of the move
 * @from_bits: bits of @src that are copied, 32 or 64
 * @to_bits: bits of @dst that hold the value, sign-extended if more than @from_bits; a 32-bit
 *           move clears the upper half
 * @dst_bits: width of the first register written; 0 if none is
 */
struct insn_regs {
	uint16_t written;
	bool move;
	uint8_t src;
	uint8_t dst;
	uint8_t from_bits;
	uint8_t to_bits;
	uint8_t dst_bits;
};

/**
 * insn_regs_decode() - decode the instruction at the start of @bytes
 * Return: 0; -ENODATA if @len ends inside the instruction; -EILSEQ if it is none.
 */
int insn_regs_decode(const void *bytes, size_t len, struct insn_regs *ret);

#endif
