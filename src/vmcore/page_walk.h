/* SPDX-License-Identifier: GPL-2.0 */
/* page_walk.h - virtual addresses of x86-64, by its page tables (SDM vol. 3, 4.5) */
#ifndef LBRSNOOP_VMCORE_PAGE_WALK_H
#define LBRSNOOP_VMCORE_PAGE_WALK_H

#include <stdint.h>

#define PAGE_TABLE_ENTRIES 512

/**
 * struct page_tables - of one address space
 * @root: physical address of the uppermost table
 * @levels: 4 or 5
 * @encryption: bits of an entry that are no part of the address (AMD's SME)
 * @read: a table's entries; 0, or negative errno
 */
struct page_tables {
	uint64_t root;
	unsigned int levels;
	uint64_t encryption;
	int (*read)(void *ctx, uint64_t phys, uint64_t entries[PAGE_TABLE_ENTRIES]);
	void *ctx;
};

/** page_walk() - the physical address of @addr; 0; -EFAULT: not mapped; or what @read returns */
int page_walk(const struct page_tables *tables, uint64_t addr, uint64_t *ret_phys);

#endif
