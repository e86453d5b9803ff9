/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jumps to the page of a breakpoint; included by accel/tcg/tb-maint.c alone. */
#ifndef TARGET_I386_JUMP_UNLINK_H
#define TARGET_I386_JUMP_UNLINK_H

#include "exec/memory.h"
#include "tcg/sysemu/jump-pages.h"

void jump_breakpoint_set(CPUState *cpu, uint64_t pc)
{
	MemTxAttrs attrs;
	hwaddr addr, length = 1;
	MemoryRegion *region;
	TranslationBlock *tb;
	unsigned int n;
	PageDesc *page;

	if (!in_kernel_image(pc))
		return;
	addr = cpu_get_phys_page_attrs_debug(cpu, pc & TARGET_PAGE_MASK, &attrs);
	if (addr == -1) { /* of a debugger, in an address space of user space */
		tb_flush(cpu);
		return;
	}
	RCU_READ_LOCK_GUARD();
	region = address_space_translate(
		cpu_get_address_space(cpu, cpu_asidx_from_attrs(cpu, attrs)), addr, &addr, &length,
		false, attrs);
	if (!memory_region_is_ram(region))
		return;
	page = page_find((memory_region_get_ram_addr(region) + addr) >> TARGET_PAGE_BITS);
	if (!page)
		return;
	page_lock(page);
	PAGE_FOR_EACH_TB(page, tb, n)
	tb_jmp_unlink(tb);
	page_unlock(page);
}

#endif
