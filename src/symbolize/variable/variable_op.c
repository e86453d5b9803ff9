// SPDX-License-Identifier: GPL-2.0
#include "symbolize/variable/variable_op.h"

#include <dwarf.h>
#include <stdlib.h>

/* x86-64 psABI, figure 3.36: DWARF's numbers of the general registers, by the CPU's. */
const uint8_t variable_dwarf_number[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

/* The register and offset that the canonical frame address is at @pc. */
static bool frame_address(struct debugimage *image, uint64_t pc, uint8_t *ret_dwarf_reg,
			  int64_t *ret_offset)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t count;
	bool ok = false;
	Dwarf_CFI *cfi = debugimage_cfi(image);

	if (!cfi || dwarf_cfi_addrframe(cfi, pc, &frame))
		return false;
	if (!dwarf_frame_cfa(frame, &ops, &count) && count == 1) {
		if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg15) {
			*ret_dwarf_reg = ops[0].atom - DW_OP_breg0;
			*ret_offset = (int64_t)ops[0].number;
			ok = true;
		} else if (ops[0].atom == DW_OP_bregx && ops[0].number < 16) {
			*ret_dwarf_reg = (uint8_t)ops[0].number;
			*ret_offset = (int64_t)ops[0].number2;
			ok = true;
		}
	}
	free(frame);
	return ok;
}

static bool base_is_frame(Dwarf_Die *function, uint64_t pc)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;

	return function && dwarf_attr_integrate(function, DW_AT_frame_base, &attr) &&
	       dwarf_getlocation_addr(&attr, pc, &ops, &count, 1) == 1 && count == 1 &&
	       ops[0].atom == DW_OP_call_frame_cfa;
}

bool variable_op_memory(struct debugimage *image, uint64_t pc, Dwarf_Die *function,
			const Dwarf_Op *op, uint8_t *ret_dwarf_reg, int64_t *ret_offset)
{
	uint8_t reg;
	int64_t offset;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg15) {
		reg = op->atom - DW_OP_breg0;
		offset = (int64_t)op->number;
	} else if (op->atom != DW_OP_fbreg || !base_is_frame(function, pc) ||
		   !frame_address(image, pc, &reg, &offset) ||
		   __builtin_add_overflow(offset, (int64_t)op->number, &offset)) {
		return false;
	}
	*ret_dwarf_reg = reg;
	*ret_offset = offset;
	return true;
}

bool variable_op_register(const Dwarf_Op *ops, size_t count, uint8_t *ret_dwarf_reg)
{
	if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg15)
		*ret_dwarf_reg = ops[0].atom - DW_OP_reg0;
	else if (count == 1 && ops[0].atom == DW_OP_regx && ops[0].number < 16)
		*ret_dwarf_reg = (uint8_t)ops[0].number;
	else if (count == 2 && ops[1].atom == DW_OP_stack_value && ops[0].atom >= DW_OP_breg0 &&
		 ops[0].atom <= DW_OP_breg15 && !ops[0].number)
		*ret_dwarf_reg = ops[0].atom - DW_OP_breg0;
	else
		return false;
	return true;
}
