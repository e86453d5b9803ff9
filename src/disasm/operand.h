/* SPDX-License-Identifier: GPL-2.0 */
/* operand.h - what an instruction compares, and how one defines a register */
#ifndef LBRSNOOP_DISASM_OPERAND_H
#define LBRSNOOP_DISASM_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum insn_operand_kind - what an operand is */
enum insn_operand_kind {
	INSN_OPERAND_NONE = 0, /* none of these: a segment register */
	INSN_OPERAND_REG,
	INSN_OPERAND_HIGH, /* bits 8 to 15 of @reg: %ah, %ch, %dh, %bh */
	INSN_OPERAND_MEM,
	INSN_OPERAND_IMM,
};

/**
 * struct insn_operand - registers by the CPU's number, 0 = rax ... 15 = r15
 * @bits: that are read, 8 to 64
 * @reg: of INSN_OPERAND_REG
 * @base, @index: of memory; INSN_NO_REG: there is none
 * @scale: of @index
 * @percpu: of memory: relative to %gs
 * @absolute: @displacement is an address: there is no base, or it is %rip
 * @displacement: of memory
 * @value: of INSN_OPERAND_IMM, sign-extended
 * @arithmetic: of INSN_DEFINES_ARITHMETIC: '+', '-', '|', '^', '&', '<' (shifted left), '>'
 *              (shifted right); '/', '%': of %rdx and %rax by the operand, whichever register
 *              it is that is asked for
 */
struct insn_operand {
	enum insn_operand_kind kind;
	uint8_t bits;
	uint8_t reg;
	uint8_t base;
	uint8_t index;
	uint8_t scale;
	bool percpu;
	bool absolute;
	int64_t displacement;
	int64_t value;
	char arithmetic;
};

/** enum insn_definition - what a register is after an instruction */
enum insn_definition {
	INSN_DEFINES_NOT = 0,	 /* it is what it was */
	INSN_DEFINES_COPY,	 /* the operand, zero-extended or sign-extended */
	INSN_DEFINES_ADDRESS,	 /* the lowest @bits of the address of the operand: LEA */
	INSN_DEFINES_ARITHMETIC, /* what it was and the operand, by @arithmetic */
	INSN_DEFINES_CHOICE,	 /* what it was, or the operand: CMOV */
	INSN_DEFINES_OTHER,
};

/**
 * insn_define() - how does the instruction at the start of @bytes define a register?
 * @addr: where it is, for operands relative to it
 * @reg: by the CPU's number
 * @bits: of it that are of interest; a definition of fewer is INSN_DEFINES_OTHER
 * @ret: set for INSN_DEFINES_COPY, _ADDRESS, _ARITHMETIC and _CHOICE
 * Return: enum insn_definition; INSN_DEFINES_OTHER if the bytes are no instruction. Calls count for
 * themselves, not for what the function called does.
 */
enum insn_definition insn_define(const void *bytes, size_t len, uint64_t addr, uint8_t reg,
				 unsigned int bits, struct insn_operand *ret);

/** insn_call_operand() - what an indirect call goes through; false: it is none */
bool insn_call_operand(const void *bytes, size_t len, uint64_t addr, struct insn_operand *ret);

/** insn_target_register() - the register that a near call or jump goes to; INSN_NO_REG: none */
uint8_t insn_target_register(const void *bytes, size_t len);

/** insn_is_percpu_dec() - DEC of an int that each CPU has of its own, relative to %gs */
bool insn_is_percpu_dec(const void *bytes, size_t len);

/**
 * insn_stack_change() - by how many bytes an instruction moves the stack pointer
 * @ret: below 0: it pushes; a call counts with the return address alone; set on success only
 * Return: true; false if that does not follow from the instruction, or the bytes are none.
 */
bool insn_stack_change(const void *bytes, size_t len, int64_t *ret);

/** insn_is_memory_dec() - DEC, or SUB of 1, of an int in memory */
bool insn_is_memory_dec(const void *bytes, size_t len);

/** enum insn_use - what is asked of an operand */
enum insn_use {
	INSN_USE_VALUE = 0, /* it is compared as a whole */
	INSN_USE_MASK,	    /* some of its bits: TEST, AND */
	INSN_USE_BIT,	    /* one of them by its number: BT */
};

#define INSN_OPERAND_TEXT_MAX 256

/**
 * struct insn_operand_text - an operand as an expression
 * @zero: how 0 of this type is written, "NULL"; "0" before
 * @whole: the text stands for the bits that are asked for, and for no others
 * @no_sign: its type has no sign in C, so what asks for its sign asks for its highest bit
 * @bytes: of operand 0, a pointer to the memory that @text reads as a number; of operand 1, a
 * number that was written as characters, these as a string of C; "" if it is no such operand
 */
struct insn_operand_text {
	char text[INSN_OPERAND_TEXT_MAX];
	char bytes[INSN_OPERAND_TEXT_MAX];
	const char *zero;
	bool whole;
	bool no_sign;
};

/**
 * typedef insn_operand_fn - writes an operand of a comparison as an expression
 * @index: 0 or 1; 0 is asked for first
 * @bits: of the operand that decide; all that it has for INSN_USE_VALUE
 * Return: true if it has a text; false: there are no words at all then
 */
typedef bool insn_operand_fn(void *ctx, int index, const struct insn_operand *operand,
			     enum insn_use use, uint64_t bits, struct insn_operand_text *ret);

/**
 * insn_condition_named() - insn_condition() with operands as the caller writes them
 * @name: called for each operand, constants included
 * Return: 0; -ENOENT if there are no words for it, or @name has none, then @buf holds "".
 */
int insn_condition_named(const void *setter, size_t setter_len, uint64_t setter_addr,
			 const void *branch, size_t branch_len, bool taken, insn_operand_fn *name,
			 void *ctx, char *buf, size_t size);

#endif
