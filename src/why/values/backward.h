/* SPDX-License-Identifier: GPL-2.0 */
/* backward.h - a way back through a function, and what was not written on it */
#ifndef LBRSNOOP_WHY_VALUES_BACKWARD_H
#define LBRSNOOP_WHY_VALUES_BACKWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "cfg/code.h"
#include "operand/operand.h"
#include "why/values/reads.h"

struct decision_code;

/* In @written, beside one bit for each register. */
#define BACKWARD_MEMORY (1u << 16)

/**
 * struct backward - a way back
 * @state: what is known of the registers where it began
 * @written: registers, by the CPU's number, that the passed instructions write, BACKWARD_MEMORY
 * @from, @until: what was executed from there on up to the branch at @until is in memory in a row;
 *                0: not known
 * @entered: the branch that led to @from; 0: not known
 * @several: this is one of several ways that may have been taken
 */
struct backward {
	const struct decision_code *where;
	struct code *code;
	const struct why_state *state;
	uint32_t written;
	uint64_t from;
	uint64_t until;
	uint64_t entered;
	bool several;
};

/** backward_note() - an instruction was passed: note what it writes */
void backward_note(struct backward *back, const struct insn *in);

/**
 * backward_only() - the one instruction that control came from
 * Return: NULL if there are none or several, or if a fault may have led there.
 */
const struct insn *backward_only(const struct code *code, uint64_t addr, bool *ret_taken);

/** backward_executed() - the one that was executed before @addr, or NULL */
const struct insn *backward_executed(const struct backward *back, uint64_t addr);

/** backward_in_row() - is what is in memory before @addr known to have been executed before it? */
bool backward_in_row(const struct backward *back, uint64_t addr);

/** backward_operand() - an instruction as operand/ takes it */
void backward_operand(const struct backward *back, const struct insn *in, struct operand_insn *ret);

/**
 * struct value_then - what an operand was when an instruction read it
 * @bits: of @value; those above are 0
 * @later: it, or a pointer to it, was read where the way back began, and memory was written in
 *         between
 * @shared: it, or a pointer to it, was read in memory that another CPU may have written to in
 *          between: any but what the stack pointer points to
 */
struct value_then {
	uint64_t value;
	uint8_t bits;
	bool later;
	bool shared;
};

/**
 * backward_value() - what an operand was
 *
 * It is in a register still, or in memory that one points to. Where @back's state has @wanted, the
 * reads that would tell are added to it. Return: 0; -ENOENT if it is not known.
 * @at: reads @operand, and has been noted
 */
int backward_value(const struct backward *back, const struct insn *at,
		   const struct insn_operand *operand, struct value_then *ret);

/** register_of_cpu() - index into struct pt_regs of a register by the CPU's number, 0 to 15 */
unsigned int register_of_cpu(unsigned int reg);

/** register_number() - the CPU's number of a register by its index into struct pt_regs */
uint8_t register_number(unsigned int index);

#endif
