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

/* Is there something to be done: a block to be invalidated, or a page that has none any more? */
static bool text_is_written(tb_page_addr_t addr, unsigned int len)
{
	PageDesc *page = page_find(addr >> TARGET_PAGE_BITS);
	tb_page_addr_t first, end;
	TranslationBlock *tb;
	unsigned int n;
	bool found;

	if (!page)
		return false;
	page_lock(page);
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
	}
	page_unlock(page);
	return found;
}

#endif
