/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dataflow.h - where one instruction takes a value that a register or memory holds
 *
 * Enough to follow a constant through a function. Bytes in, facts out: no symbols, no control flow.
 */
#ifndef LBRSNOOP_DISASM_DATAFLOW_H
#define LBRSNOOP_DISASM_DATAFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum insn_move - what becomes of the value of the source */
enum insn_move {
	INSN_MOVE_NONE = 0, /* it goes nowhere: compared, or none of these */
	INSN_MOVE_COPY,	    /* the destination holds it */
	INSN_MOVE_MAYBE,    /* ... or keeps what it held: CMOVcc, AND, OR */
	INSN_MOVE_XCHG,	    /* source and destination change places */
	INSN_MOVE_PUSH,	    /* onto the stack */
	INSN_MOVE_POP,	    /* from the stack */
};

/** enum insn_truth - what an instruction does with 0 or 1 */
enum insn_truth {
	INSN_TRUTH_NONE = 0,
	INSN_TRUTH_MAKES, /* the register is 0 or 1: SETcc, MOVZX of a byte, AND of 1 */
	INSN_TRUTH_MINUS, /* NEG, or 1 less: of 0 and 1 one becomes -1 */
};

/** enum insn_compare - flags that can be computed if the register is known */
enum insn_compare {
	INSN_COMPARE_NONE = 0,
	INSN_COMPARE_TEST,  /* TEST of the register with itself */
	INSN_COMPARE_CONST, /* CMP of the register with @constant */
};

/** struct insn_memory - an operand in memory. @base: register, or INSN_NO_REG; @index: there is one
 */
struct insn_memory {
	uint8_t base;
	bool index;
	int64_t displacement;
};

/**
 * struct insn_dataflow - registers by the CPU's number, 0 = rax ... 15 = r15
 * @move: INSN_MOVE_*
 * @src, @dst: registers of the move, INSN_NO_REG: memory, a constant, or there is none
 * @src_memory, @dst_memory: the move goes from or to @memory
 * @memory: valid if one of these is set, or @lea
 * @bits: of the value that is moved, 32 or 64; a move of less is none
 * @extends: the 32 bits are sign-extended to 64
 * @negates: NEG of a register
 * @masks: AND
 * @adds: ADD, SUB, XADD
 * @lea: the address of @memory is computed
 * @reads: bit n: register n is read as a value, not as part of an address
 * @writes: bit n: register n is written
 * @writes_memory: memory is written, explicitly or not (STOS), but for PUSH and CALL
 * @stored, @stored_bytes: what is written, where @writes_memory and it is an operand; else 0 bytes
 * @stack: bytes that a constant is added to RSP; meaningful unless @stack_unknown
 * @stack_unknown: RSP is written in another way
 * @compare, @compared: what the flags tell, of which register, in @compare_bits
 */
struct insn_dataflow {
	enum insn_move move;
	uint8_t src;
	uint8_t dst;
	bool src_memory;
	bool dst_memory;
	struct insn_memory memory;
	struct insn_memory stored;
	uint32_t stored_bytes;
	uint8_t bits;
	bool extends;
	bool negates;
	bool masks;
	bool adds;
	bool lea;
	bool writes_memory;
	bool stack_unknown;
	uint8_t compare_bits;
	uint8_t compared;
	enum insn_compare compare;
	uint16_t reads;
	uint16_t writes;
	int64_t stack;
	int64_t constant;
};

/**
 * insn_dataflow() - decode the instruction at the start of @bytes
 * Return: 0; -ENODATA if @len ends inside the instruction; -EILSEQ if it is none.
 */
int insn_dataflow(const void *bytes, size_t len, struct insn_dataflow *ret);

/**
 * insn_branch_taken() - which way a conditional branch goes if the flags are known
 * @flags: INSN_CF, INSN_ZF, INSN_SF, INSN_OF as set by the CPU
 * Return: 1 taken; 0 not taken; -1: it depends on something else, or is no such branch.
 */
int insn_branch_taken(const void *bytes, size_t len, uint16_t flags);

/**
 * insn_truth() - is this a part of "condition ? 0 : -1" as arithmetic?
 * @ret_reg: the register, by the CPU's number
 */
enum insn_truth insn_truth(const void *bytes, size_t len, uint8_t *ret_reg);

/** insn_compare_flags() - the flags that @compare leaves for a @value of 32 or 64 @bits */
uint16_t insn_compare_flags(const struct insn_dataflow *flow, uint64_t value);

#endif
