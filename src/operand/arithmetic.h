/* SPDX-License-Identifier: GPL-2.0 */
/* arithmetic.h - what an instruction computes, as an expression in C; internal to operand/ */
#ifndef LBRSNOOP_OPERAND_ARITHMETIC_H
#define LBRSNOOP_OPERAND_ARITHMETIC_H

#include <stdbool.h>

#include "symbolize/variable/variable.h"

/** arithmetic_is_number() - is it one that C computes with, and no pointer? */
bool arithmetic_is_number(const struct cexpr *e);

/**
 * arithmetic_fit() - make it an operand of @bits
 * C's own promotions do what the instruction does, as long as nothing has to get wider than int.
 * Return: 0; -ENOENT if it has fewer bits, or its text does not fit.
 */
int arithmetic_fit(struct cexpr *e, unsigned int bits);

/**
 * arithmetic_combine() - "left + right", of @bits
 * @left: becomes it; undefined on failure
 * @operation: as of struct insn_operand
 * Return: 0; -ENOENT if these are no numbers, or it does not fit.
 */
int arithmetic_combine(struct cexpr *left, char operation, const struct cexpr *right,
		       unsigned int bits);

#endif
