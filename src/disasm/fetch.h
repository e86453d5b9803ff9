/* SPDX-License-Identifier: GPL-2.0 */
/* fetch.h - one instruction out of text, decoded */
#ifndef LBRSNOOP_DISASM_FETCH_H
#define LBRSNOOP_DISASM_FETCH_H

#include <stdint.h>

#include "disasm/insn.h"
#include "snapshot/snapshot.h"

/**
 * insn_fetch() - read and decode the instruction at @addr
 * @text: its @read may be NULL: there is no text
 * @bytes: at least @ret->len of them are set on success; the text may end behind the instruction
 * Return: 0; -EFAULT if nothing can be read there; -ENODATA if the text ends inside the
 * instruction; -EILSEQ if it is none.
 */
int insn_fetch(const struct text_source *text, uint64_t addr, uint8_t bytes[INSN_LEN_MAX],
	       struct insn *ret);

#endif
