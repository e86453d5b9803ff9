/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes to a page that has translated code; included by accel/tcg/cputlb.c alone.
 *
 * QEMU 7.2 makes a list of all pages that the blocks of such a page lie in, and locks them, before
 * it looks whether a block is written at all. Linux keeps BPF programs side by side in pages, and
 * writes them 8 bytes at a time: 700,000 such writes in a guest of 20 s, hardly one of them to code
 * that has run.
 */
#ifndef TARGET_I386_TEXT_WRITES_H
#define TARGET_I386_TEXT_WRITES_H

#include "accel/tcg/tb-context.h"

/* Where a page was seen without a block, and when. */
struct untranslated {
	PageDesc *page;
	uintptr_t first_tb;   /* another, once a block was added */
	unsigned int flushes; /* of all blocks: only then is their memory used again */
	tb_page_addr_t start, end;
};

/*
 * Is there something to be done: a block to be invalidated, or a page that has none any more? A BPF
 * program is written in order, so most writes go where the one before has found no block.
 */
static bool text_is_written(tb_page_addr_t addr, unsigned int len)
{
	static __thread struct untranslated seen;
	PageDesc *page = page_find(addr >> TARGET_PAGE_BITS);
	unsigned int n, flushes = qatomic_read(&tb_ctx.tb_flush_count);
	tb_page_addr_t first, end;
	TranslationBlock *tb;
	bool found;

	if (!page)
		return false;
	page_lock(page);
	if (page == seen.page && page->first_tb && page->first_tb == seen.first_tb &&
	    flushes == seen.flushes && addr >= seen.start && addr + len <= seen.end) {
		page_unlock(page);
		return false;
	}
	seen = (struct untranslated){
		.page = page,
		.first_tb = page->first_tb,
		.flushes = flushes,
		.start = addr & TARGET_PAGE_MASK,
		.end = (addr & TARGET_PAGE_MASK) + TARGET_PAGE_SIZE,
	};
	found = !page->first_tb;
	PAGE_FOR_EACH_TB(page, tb, n)
	{
		/* In its second page a block begins at the first byte. */
		first = n ? tb_page_addr1(tb) : tb_page_addr0(tb);
		end = tb_page_addr0(tb) + tb->size;
		if (n)
			end = first + (end & ~TARGET_PAGE_MASK);
		if (first < addr + len && end > addr) {
			found = true;
			break;
		}
		if (end <= addr)
			seen.start = MAX(seen.start, end);
		else
			seen.end = MIN(seen.end, first);
	}
	if (found)
		seen.page = NULL;
	page_unlock(page);
	return found;
}

#endif
