/* SPDX-License-Identifier: GPL-2.0 */
/* code.h - the instructions of one function, with its cold parts */
#ifndef LBRSNOOP_CFG_CODE_H
#define LBRSNOOP_CFG_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"
#include "snapshot/snapshot.h"
#include "symbolize/place.h"
#include "symbolize/symbolize.h"

/* GCC splits at most one cold part off a function. */
#define CODE_PARTS_MAX 4

/**
 * struct code_context - what must be known beside the text
 * @place: or NULL; without it a return through a thunk looks like a tail call
 * @place_ctx: handed to @place
 * @symbols: or NULL; without it cold parts look like tail calls (borrowed)
 */
struct code_context {
	place_fn *place;
	void *place_ctx;
	struct symbols *symbols;
};

/** struct code_part - a range of text; @readable of its @size bytes are in @bytes */
struct code_part {
	uint64_t addr;
	uint64_t size;
	size_t readable;
	uint8_t *bytes;
};

/**
 * struct code - the text of one function, decoded
 * @text: where it was read from
 * @parts: its own range first, then the cold ones that it jumps to
 * @insns: by address, @count of them
 * @truncated: some of the text could not be read or decoded: there may be more of everything
 * @breakpoint: a breakpoint instruction stands in the function (kprobe, or text being patched):
 *              what it hides is not known
 * @runs_on: control runs over its end into what stands behind it, as where assembly has a symbol
 *           in the middle of a function
 */
struct code {
	struct code_context context;
	struct text_source text;
	struct code_part parts[CODE_PARTS_MAX];
	size_t part_count;
	struct insn *insns;
	size_t count;
	bool truncated;
	bool breakpoint;
	bool runs_on;
};

/**
 * code_load() - read and decode the function at @addr
 * @text: as it runs, or will run
 * @size: bytes, 1 to 1 MiB
 * @context: may be NULL; copied
 * @ret: set on success only; free with code_free()
 * Return: 0; -EINVAL if @size is out of range; -EFAULT if none of the text can be read; -ENOMEM.
 */
int code_load(const struct text_source *text, uint64_t addr, uint64_t size,
	      const struct code_context *context, struct code **ret);

/**
 * code_load_symbol() - the same of a kernel function, by its symbol
 * @sym: the function, or a cold part of it
 * Return: as code_load(); -EFAULT if any of the text cannot be read.
 */
int code_load_symbol(const struct text_source *text, struct symbols *symbols,
		     const struct symbol *sym, struct code **ret);

/** code_free() - free; NULL is fine */
void code_free(struct code *code);

/** code_has() - is the address in a part of the function? */
bool code_has(const struct code *code, uint64_t addr);

/** code_find() - the instruction that begins at @addr, or NULL */
const struct insn *code_find(const struct code *code, uint64_t addr);

/** code_bytes() - the bytes of one of its instructions, in->len of them at least */
const uint8_t *code_bytes(const struct code *code, const struct insn *in);

/** code_above() - the one before @addr in memory if control goes on from it to @addr, or NULL
 */
const struct insn *code_above(const struct code *code, uint64_t addr);

/**
 * code_jump_to() - an instruction that jumps to @addr
 * @after: the one before was found; NULL: the first
 * Return: by address; NULL: no more of them. Indirect jumps are not known.
 */
const struct insn *code_jump_to(const struct code *code, uint64_t addr, const struct insn *after);

/**
 * code_is_fixup() - can control come to @addr from an instruction of the function that faulted?
 * No instruction above it, and none that jumps there, was executed then: "return -EFAULT" behind a
 * failed access to user memory. Return: false, too, where the exception table cannot be read.
 */
bool code_is_fixup(const struct code *code, uint64_t addr);

/** code_never_returns() - does it call, or jump to, a function that never returns? */
bool code_never_returns(const struct code *code, const struct insn *in);

/**
 * function_has_insn() - does an instruction of the function start at this address?
 * For breakpoints where the user says: FUNCTION+OFFSET.
 * Return: 1; 0 if @where is inside an instruction or outside the function; -EFAULT if the text
 * cannot be read; -EINVAL if @size is out of range; -ENOMEM.
 */
int function_has_insn(const struct text_source *text, uint64_t addr, uint64_t size, uint64_t where);

#endif
