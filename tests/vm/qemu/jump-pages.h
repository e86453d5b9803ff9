/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Direct jumps from page to page of the kernel's text.
 *
 * QEMU 7.2 chains blocks within a page alone: the mapping of another page may change, or have a
 * breakpoint. So each call and each jump to a return thunk looks for its block, and with the return
 * itself that was a fifth of a guest's time. The text of Linux's image is mapped once and never
 * remapped (Documentation/arch/x86/x86_64/mm.rst: "kernel text mapping"; modules, BPF programs and
 * trampolines are above it), so there blocks of two pages are chained, too. What is written there
 * invalidates blocks as ever.
 *
 * Not with a thread for each vCPU: breakpoints of all of them are looked at.
 */
#ifndef TARGET_I386_JUMP_PAGES_H
#define TARGET_I386_JUMP_PAGES_H

#include "exec/exec-all.h"
#include "hw/core/cpu.h"

/* START_KERNEL_map, and MODULES_VADDR of a kernel that can be relocated (CONFIG_RANDOMIZE_BASE) */
#define KERNEL_IMAGE_FIRST 0xffffffff80000000ull
#define KERNEL_IMAGE_END   0xffffffffc0000000ull

static inline bool in_kernel_image(uint64_t addr)
{
	return addr >= KERNEL_IMAGE_FIRST && addr < KERNEL_IMAGE_END;
}

/**
 * jump_between_pages() - may a block at @from jump directly to @to, on whatever page?
 * @tb: that is being translated (borrowed)
 */
static inline bool jump_between_pages(const TranslationBlock *tb, uint64_t from, uint64_t to)
{
	return in_kernel_image(from) && in_kernel_image(to) &&
	       !(tb_cflags(tb) & (CF_NO_GOTO_TB | CF_PARALLEL));
}

/**
 * jump_may_be_chained() - may @from go on to @to, at @pc, without a look at breakpoints?
 * @from, @to: blocks (borrowed)
 */
static inline bool jump_may_be_chained(TranslationBlock *from, TranslationBlock *to, uint64_t pc)
{
	CPUBreakpoint *breakpoint;
	CPUState *cpu;

	if (tb_page_addr0(from) == tb_page_addr0(to) || (tb_cflags(from) & CF_PARALLEL))
		return true;
	CPU_FOREACH(cpu)
	{
		QTAILQ_FOREACH(breakpoint, &cpu->breakpoints, entry)
		if (!((breakpoint->pc ^ pc) & TARGET_PAGE_MASK))
			return false;
	}
	return true;
}

/**
 * jump_breakpoint_set() - no block goes on to the page of a new breakpoint without a look at it
 * @cpu: the vCPU that has it (borrowed)
 * @pc: linear address
 */
void jump_breakpoint_set(CPUState *cpu, uint64_t pc);

#endif
