/* SPDX-License-Identifier: GPL-2.0 */
/* alternatives.h - a value that came from one of two places: "(a or b)"; internal to operand/ */
#ifndef LBRSNOOP_OPERAND_ALTERNATIVES_H
#define LBRSNOOP_OPERAND_ALTERNATIVES_H

#include "symbolize/variable/variable.h"
#include "symbolize/symbolize.h"

/**
 * alternatives_join() - the value is @e, or it is @other
 * @e: becomes "(e or other)"; stays as it is if @other is one of its alternatives already
 * A constant is none, but for the address of a function beside a pointer to one.
 * Return: 0; -ENOENT if they are of two types, or more than two, and @e is as it was.
 */
int alternatives_join(struct symbols *symbols, struct cexpr *e, const struct cexpr *other);

#endif
