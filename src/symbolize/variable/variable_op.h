/* SPDX-License-Identifier: GPL-2.0 */
/*
 * variable_op.h - where a location of DWARF says that a variable is
 *
 * Internal to symbolize/.
 */
#ifndef LBRSNOOP_SYMBOLIZE_VARIABLE_VARIABLE_OP_H
#define LBRSNOOP_SYMBOLIZE_VARIABLE_VARIABLE_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/debug/debugimage.h"

/* DWARF's numbers of the general registers, by the CPU's. */
extern const uint8_t variable_dwarf_number[16];

/**
 * variable_op_memory() - memory at a register plus an offset
 * @function: that @pc is in, with the frame base; or NULL
 * @pc: address of the file
 * Return: false if the operation says something else.
 */
bool variable_op_memory(struct debugimage *image, uint64_t pc, Dwarf_Die *function,
			const Dwarf_Op *op, uint8_t *ret_dwarf_reg, int64_t *ret_offset);

/** variable_op_register() - a whole register; false if the operations say something else */
bool variable_op_register(const Dwarf_Op *ops, size_t count, uint8_t *ret_dwarf_reg);

#endif
