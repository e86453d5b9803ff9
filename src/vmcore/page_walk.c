// SPDX-License-Identifier: GPL-2.0
#include "vmcore/page_walk.h"

#include <errno.h>

#define PAGE_SHIFT    12
#define INDEX_BITS    9
#define ENTRY_PRESENT 1ull
#define ENTRY_LARGE   (1ull << 7)
#define ENTRY_ADDRESS 0x000ffffffffff000ull
/* Entries of 2 MiB and of 1 GiB are those of the second and third table from below. */
#define LARGE_LEVEL_MAX 2

int page_walk(const struct page_tables *tables, uint64_t addr, uint64_t *ret_phys)
{
	uint64_t entries[PAGE_TABLE_ENTRIES], entry, at = tables->root;

	for (unsigned int level = tables->levels; level--;) {
		unsigned int shift = PAGE_SHIFT + level * INDEX_BITS;
		uint64_t offset = (1ull << shift) - 1;
		int err = tables->read(tables->ctx, at, entries);

		if (err)
			return err;
		entry = entries[addr >> shift & (PAGE_TABLE_ENTRIES - 1)];
		if (!(entry & ENTRY_PRESENT))
			return -EFAULT;
		at = entry & ENTRY_ADDRESS & ~tables->encryption;
		if (!level || (level <= LARGE_LEVEL_MAX && entry & ENTRY_LARGE)) {
			*ret_phys = (at & ~offset) | (addr & offset);
			return 0;
		}
	}
	return -EFAULT;
}
