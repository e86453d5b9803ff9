/* SPDX-License-Identifier: GPL-2.0 */
/* code.h - the instructions of one function of the kernel, with its cold parts */
#ifndef LBRSNOOP_WHY_CODE_H
#define LBRSNOOP_WHY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/** struct code - by address; @text and @symbols are borrowed */
struct code {
	const struct text_source *text;
	struct symbols *symbols;
	struct insn *items;
	size_t count;
	size_t room;
};

/**
 * code_load() - decode a function
 * @func: the function, or a part that was split off it
 * @code: set on success; free with code_unload()
 * Return: 0; -EFAULT if it cannot be read; -EINVAL if it is too large; -ENOMEM.
 */
int code_load(struct code *code, const struct text_source *text, struct symbols *symbols,
	      const struct symbol *func);

/** code_unload() - free */
void code_unload(struct code *code);

/** code_find() - the instruction that begins at @addr, or NULL */
const struct insn *code_find(const struct code *code, uint64_t addr);

/** code_above() - the one before @addr in memory if control goes on from it to @addr, or NULL */
const struct insn *code_above(const struct code *code, uint64_t addr);

/** code_read() - @bytes, INSN_LEN_MAX of them, of an instruction; returns their number, 0: none */
size_t code_read(const struct code *code, const struct insn *in, uint8_t *bytes);

/** code_never_returns() - does it call, or jump to, a function that never returns? */
bool code_never_returns(const struct code *code, const struct insn *in);

/** code_goes_on() - may the next instruction in memory be executed behind it? Calls return */
bool code_goes_on(const struct insn *in);

#endif
