/* SPDX-License-Identifier: GPL-2.0 */
/*
 * emulate.h - one instruction executed on registers, as far as their values are known
 *
 * Memory is not emulated: what is loaded is unknown. Nothing is guessed: what an instruction that
 * is not known here writes is unknown, too.
 */
#ifndef LBRSNOOP_DISASM_EMULATE_H
#define LBRSNOOP_DISASM_EMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"

/**
 * struct insn_state - registers by the CPU's number, 0 = rax ... 15 = r15
 * @known: bit n: the value of register n is known
 * @flags: INSN_CF, INSN_ZF, INSN_SF, INSN_OF
 * @flags_known: those that are known
 */
struct insn_state {
	uint64_t regs[16];
	uint16_t known;
	uint16_t flags;
	uint16_t flags_known;
};

/**
 * insn_emulate() - what the instruction at the start of @bytes makes of @state
 * A call and a return move the stack pointer; where a branch goes is not told.
 * @addr: where it is
 * Return: 0; -ENODATA if @len ends inside the instruction; -EILSEQ if it is none. Source: Intel SDM
 * vol. 2.
 */
int insn_emulate(const void *bytes, size_t len, uint64_t addr, struct insn_state *state);

/**
 * insn_emulate_branch() - which way a conditional branch goes
 * Return: 1 taken; 0 not taken; -1: that is not known, or it is no such branch.
 */
int insn_emulate_branch(const void *bytes, size_t len, const struct insn_state *state);

#endif
