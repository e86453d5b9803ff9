/* SPDX-License-Identifier: GPL-2.0 */
/*
 * extable.h - exception tables: where control goes on after an instruction that faulted
 *
 * Source: arch/x86/include/asm/extable.h, struct exception_table_entry; the kernel sorts its tables
 * by the address of the instruction (lib/extable.c, sort_extable()).
 */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_EXTABLE_H
#define LBRSNOOP_SYMBOLIZE_TEXT_EXTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * struct fixup_question - can control come to @fixup from an instruction that faulted?
 * @addr, @size: of the text that the instruction lies in
 * @above: 0; or the instruction straight above @fixup, which does not count: after a fault in it
 *         control goes on as without one, only a register tells
 */
struct fixup_question {
	uint64_t fixup;
	uint64_t addr;
	uint64_t size;
	uint64_t above;
};

/**
 * extable_search() - does one table have such an entry?
 * @memory: where the table is
 * @start, @end: addresses of the table; it ends early where no entry can be read, or where the
 *               entries are not in order
 */
bool extable_search(const struct text_source *memory, uint64_t start, uint64_t end,
		    const struct fixup_question *question);

/**
 * extable_has_fixup() - does the running kernel's, or its module's?
 * Return: false, too, where the table cannot be read.
 */
bool extable_has_fixup(struct symbols *symbols, const struct text_source *memory,
		       const struct fixup_question *question);

#endif
