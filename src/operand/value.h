/* SPDX-License-Identifier: GPL-2.0 */
/* value.h - what a register or memory holds, in the names of the source; internal to operand/ */
#ifndef LBRSNOOP_OPERAND_VALUE_H
#define LBRSNOOP_OPERAND_VALUE_H

#include "disasm/operand.h"
#include "operand/operand.h"

/**
 * struct search - what is followed back; @steps bounds the work
 * @setter, @branch, @taken: the decision that it is for: a constant with which it would have gone
 *                           the other way was not there
 */
struct search {
	const struct operand_way *way;
	const struct operand_insn *setter;
	const struct operand_insn *branch;
	bool taken;
	unsigned int steps;
};

/** value_fact() - tell the listener of @search of an answer of DWARF */
void value_fact(const struct search *search, struct operand_fact fact, const struct cexpr *e);

/** value_code_at() - false: there is no symbol at @addr */
bool value_code_at(const struct search *search, uint64_t addr, struct variable_code *ret);

/**
 * value_narrow() - the lowest bits alone of something larger: "(u8)x", "(int)x"
 * Return: 0; -ENOENT if it does not fit.
 */
int value_narrow(struct cexpr *e, unsigned int bits);

/**
 * value_of_register() - what a register holds before an instruction is executed
 * @at: @search->setter: a value that would have decided otherwise is no answer
 * @bits: of it that are of interest
 * @any_wider: something larger whose lowest bits they are will do, too
 * Return: 0; -ENOENT; -ENOMEM.
 */
int value_of_register(struct search *search, const struct operand_insn *at, uint8_t reg,
		      unsigned int bits, bool any_wider, struct cexpr *ret);

/**
 * value_of_memory() - what memory holds before an instruction is executed
 * @bytes: 0: the address alone is of interest
 * @ret_part: as of variable_member()
 */
int value_of_memory(struct search *search, const struct operand_insn *at,
		    const struct insn_operand *memory, uint32_t bytes, struct cexpr *ret,
		    uint32_t *ret_part);

#endif
