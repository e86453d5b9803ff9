// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * REP MOVS and REP STOS, many iterations at once.
 *
 * TCG executes one iteration a block: a page that the kernel clears is 4,096 blocks. Here all
 * iterations but the last that lie within a page of plain memory are made before the first block;
 * everything else (an end of the page, a fault, a watchpoint, MMIO, text that was translated,
 * overlapping operands, a segment prefix) is left to the block as it was. What counts instructions
 * or logs branches sees no difference: a repeated iteration is neither.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "exec/exec-all.h"
#include "exec/cpu_ldst.h"

/* Bytes up to the end of the page of @addr. */
static target_ulong page_left(target_ulong addr)
{
	return TARGET_PAGE_SIZE - (addr & ~TARGET_PAGE_MASK);
}

static void fill(uint8_t *to, target_ulong count, MemOp size, uint64_t value)
{
	switch (size) {
	case MO_8:
		memset(to, value, count);
		break;
	case MO_16:
		for (; count; count--, to += 2)
			stw_le_p(to, value);
		break;
	case MO_32:
		for (; count; count--, to += 4)
			stl_le_p(to, value);
		break;
	default:
		for (; count; count--, to += 8)
			stq_le_p(to, value);
	}
}

/* In 64-bit mode, with 64-bit addresses and without a segment base. */
void helper_rep_string(CPUX86State *env, uint32_t size, uint32_t is_movs, uint32_t mmu_idx)
{
	target_ulong to = env->regs[R_EDI], from = env->regs[R_ESI], count = env->regs[R_ECX];
	void *to_host, *from_host = NULL;

	/* The last iteration is the block's. The lower bound is what looking costs. */
	if (count < 4 || env->df != 1)
		return;
	count = MIN(count - 1, page_left(to) >> size);
	if (is_movs) {
		count = MIN(count, page_left(from) >> size);
		/* Iterations that read what earlier ones wrote */
		if (to - from < count << size)
			return;
		/* A load that faults comes before the store, which is then not made. */
		from_host = count ? tlb_vaddr_to_host(env, from, MMU_DATA_LOAD, mmu_idx) : NULL;
		if (!from_host)
			return;
	}
	to_host = count ? tlb_vaddr_to_host(env, to, MMU_DATA_STORE, mmu_idx) : NULL;
	if (!to_host)
		return;
	if (is_movs) {
		/* Two addresses may be of the same memory. */
		if ((uintptr_t)to_host - (uintptr_t)from_host < count << size)
			return;
		memmove(to_host, from_host, count << size);
		env->regs[R_ESI] += count << size;
	} else {
		fill(to_host, count, size, env->regs[R_EAX]);
	}
	env->regs[R_EDI] += count << size;
	env->regs[R_ECX] -= count;
}
