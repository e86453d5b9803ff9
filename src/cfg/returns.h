/* SPDX-License-Identifier: GPL-2.0 */
/*
 * returns.h - where a function returns, and where it makes its errors
 *
 * For hardware breakpoints: on each return the return value is in hand, and on the instruction
 * that loads an errno the LBR ends at the decision.
 */
#ifndef LBRSNOOP_CFG_RETURNS_H
#define LBRSNOOP_CFG_RETURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfg/code.h"

/**
 * struct return_site - an instruction that returns from the function
 * @addr: where a breakpoint goes
 * @thunk: a jump to the return thunk, not RET itself
 */
struct return_site {
	uint64_t addr;
	bool thunk;
};

/**
 * struct tail_call - a jump out of the function; it returns from there
 * @addr: of the jump
 * @target: where to
 * @conditional: the jump is
 */
struct tail_call {
	uint64_t addr;
	uint64_t target;
	bool conditional;
};

/**
 * struct errno_site - an instruction that makes a constant negative errno
 * @addr: where a breakpoint goes; it fires before the instruction
 * @err: positive errno, 1 to 4095
 * @reg: register it is loaded into, 0 (rax) to 15 (r15); INSN_NO_REG for memory
 * @uncertain: may be no errno at all, or be made only if a condition holds: "or $-1", or "and"
 *             with what SBB left (all ones or zero)
 */
struct errno_site {
	uint64_t addr;
	uint16_t err;
	uint8_t reg;
	bool uncertain;
};

/**
 * struct function_exits - the ways out of one function
 * @code: its instructions
 * @returns: by address
 * @tail_calls: by address
 * @errnos: by address
 * @calls: entries of the functions that it calls by name, by the address of the call
 * @indirect_calls: calls through pointers
 * @indirect_jumps: jumps whose targets are not in the text: jump tables, or indirect tail calls
 */
struct function_exits {
	struct code *code;
	struct return_site *returns;
	size_t return_count;
	struct tail_call *tail_calls;
	size_t tail_call_count;
	struct errno_site *errnos;
	size_t errno_count;
	uint64_t *calls;
	size_t call_count;
	size_t indirect_calls;
	size_t indirect_jumps;
};

/**
 * function_exits_find() - find the ways out of a function in its text
 * @text, @addr, @size, @context: as of code_load()
 * @ret: set on success only; free with function_exits_free()
 * Return: 0; errors of code_load().
 */
int function_exits_find(const struct text_source *text, uint64_t addr, uint64_t size,
			const struct code_context *context, struct function_exits **ret);

/** function_exits_free() - free; NULL is fine */
void function_exits_free(struct function_exits *exits);

#endif
