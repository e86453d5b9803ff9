/* SPDX-License-Identifier: GPL-2.0 */
/*
 * returns.h - where a function returns, and where it makes its errors
 *
 * For hardware breakpoints: on each return the return value is in hand, and on the instruction
 * that loads an errno the LBR ends at the decision.
 */
#ifndef LBRSNOOP_TARGET_RETURNS_H
#define LBRSNOOP_TARGET_RETURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/place.h"
#include "symbolize/symbolize.h"

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
 * @target: where to; 0 if the jump is indirect through a thunk
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
 * @returns: by address
 * @tail_calls: by address
 * @errnos: by address
 * @parts: of the function: its own range first, then the cold ones found to be jumped to
 * @calls: entries of the functions that it calls by name, in the order of the calls
 * @indirect_calls: calls through pointers
 * @indirect_jumps: jumps whose targets are not in the text: jump tables, or indirect tail calls
 * @truncated: some of the text could not be read or decoded: there may be more of everything
 * @breakpoint: a breakpoint instruction stands in the function (kprobe, or text being patched):
 *              what it hides is not known
 * @runs_on: control runs over its end into what stands behind it, as where assembly has a symbol
 *           in the middle of a function
 */
struct function_exits {
	struct return_site *returns;
	size_t return_count;
	struct tail_call *tail_calls;
	size_t tail_call_count;
	struct errno_site *errnos;
	size_t errno_count;
	struct function_part {
		uint64_t addr;
		uint64_t size;
	} * parts;
	size_t part_count;
	uint64_t *calls;
	size_t call_count;
	size_t indirect_calls;
	size_t indirect_jumps;
	bool truncated;
	bool breakpoint;
	bool runs_on;
};

/**
 * struct exits_options - what must be known beside the text
 * @place: or NULL; without it a return through a thunk looks like a tail call
 * @place_ctx: handed to @place
 * @symbols: or NULL; without it cold parts look like tail calls (borrowed)
 */
struct exits_options {
	place_fn *place;
	void *place_ctx;
	struct symbols *symbols;
};

/**
 * function_exits_find() - find the ways out of a function in its text
 * @text: as it runs, or will run
 * @addr: entry of the function
 * @size: bytes, 1 to 1 MiB
 * @opts: may be NULL
 * @ret: set on success only; free with function_exits_free()
 * Return: 0; -EINVAL if @size is out of range; -EFAULT if none of the text can be read; -ENOMEM.
 */
int function_exits_find(const struct text_source *text, uint64_t addr, uint64_t size,
			const struct exits_options *opts, struct function_exits **ret);

/** function_exits_free() - free; NULL is fine */
void function_exits_free(struct function_exits *exits);

/**
 * function_has_insn() - does an instruction of the function start at this address?
 * For breakpoints where the user says: FUNCTION+OFFSET.
 * Return: 1; 0 if @where is inside an instruction or outside the function; -EFAULT if the text
 * cannot be read; -EINVAL if @size is out of range.
 */
int function_has_insn(const struct text_source *text, uint64_t addr, uint64_t size, uint64_t where);

#endif
