/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bugtable.h - file and line of a WARN or BUG(), from the kernel's own table of them
 *
 * Source: include/asm-generic/bug.h, struct bug_entry with CONFIG_GENERIC_BUG_RELATIVE_POINTERS and
 * CONFIG_DEBUG_BUGVERBOSE; lib/bug.c.
 */
#ifndef LBRSNOOP_SYMBOLIZE_TEXT_BUGTABLE_H
#define LBRSNOOP_SYMBOLIZE_TEXT_BUGTABLE_H

#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

#define BUG_FILE_MAX 256

/** struct bug_place - one entry; @warning: of WARN(), else of BUG() */
struct bug_place {
	char file[BUG_FILE_MAX];
	uint32_t line;
	bool warning;
};

/**
 * bugtable_search() - in one table
 * @memory: where the table and the names of files are
 * @start, @end: addresses of the table; it ends early where no entry can be read
 * @addr: of the ud2
 * Return: 0; -ENOENT if there is no entry for @addr, or none that names a file.
 */
int bugtable_search(const struct text_source *memory, uint64_t start, uint64_t end, uint64_t addr,
		    struct bug_place *ret_place);

/** bugtable_find() - of the running kernel's tables, the one that @addr belongs to; as above */
int bugtable_find(struct symbols *symbols, const struct text_source *memory, uint64_t addr,
		  struct bug_place *ret_place);

#endif
