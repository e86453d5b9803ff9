/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLBs of several address spaces of one CPU; included by accel/tcg/cputlb.c alone.
 *
 * QEMU 7.2 forgets the whole TLB when CR3 is written. With page-table isolation a guest writes it
 * twice in each system call and interrupt, and then most of QEMU's time goes into filling the TLB
 * and the cache of jump targets again. So the guest has PCID (SDM vol. 3A, 4.10.1): each PCID has a
 * TLB of its own here, and CR3 with bit 63 set exchanges them.
 */
#ifndef TARGET_I386_TLB_KEPT_H
#define TARGET_I386_TLB_KEPT_H

#include "tcg/sysemu/tlb-contexts.h"

/* A TLB that is kept is never flushed, and it is at a flush that QEMU gives it another size. */
#define TLB_GROWS_TO 4096

/* Linux uses 6 PCIDs of the kernel, and 6 of user space (TLB_NR_DYN_ASIDS). */
#define TLB_CONTEXTS 12

struct tlb_context {
	bool valid;
	target_ulong pcid;
	uint64_t used; /* number of the switch away from it */
	uint64_t jumps;
	uint16_t dirty;
	CPUTLBDesc d[NB_MMU_MODES];
	CPUTLBDescFast f[NB_MMU_MODES];
};

struct tlb_contexts {
	uint64_t switches;
	struct tlb_context kept[TLB_CONTEXTS];
};

/* The following functions are called with tlb_c.lock held. */

static struct tlb_contexts *tlb_contexts_make(CPUArchState *env)
{
	struct tlb_contexts *contexts = g_new0(struct tlb_contexts, 1);
	int64_t now = get_clock_realtime();

	for (size_t i = 0; i < TLB_CONTEXTS; i++) {
		for (int idx = 0; idx < NB_MMU_MODES; idx++)
			tlb_mmu_init(&contexts->kept[i].d[idx], &contexts->kept[i].f[idx], now);
	}
	return contexts;
}

static void tlb_contexts_free(CPUArchState *env)
{
	struct tlb_contexts *contexts = env_tlb(env)->c.contexts;

	for (size_t i = 0; contexts && i < TLB_CONTEXTS; i++) {
		for (int idx = 0; idx < NB_MMU_MODES; idx++) {
			g_free(contexts->kept[i].f[idx].table);
			g_free(contexts->kept[i].d[idx].fulltlb);
		}
	}
	g_free(contexts);
}

/* Their entries are flushed when they are used again. */
static void tlb_contexts_forget(CPUArchState *env)
{
	struct tlb_contexts *contexts = env_tlb(env)->c.contexts;

	for (size_t i = 0; contexts && i < TLB_CONTEXTS; i++)
		contexts->kept[i].valid = false;
}

static void tlb_context_flush_page(CPUTLBDesc *desc, CPUTLBDescFast *fast, target_ulong page)
{
	size_t index = (page >> TARGET_PAGE_BITS) & (tlb_n_entries(fast) - 1);

	if ((page & desc->large_page_mask) == desc->large_page_addr) {
		tlb_mmu_flush_locked(desc, fast);
		return;
	}
	if (tlb_flush_entry_locked(&fast->table[index], page))
		desc->n_used_entries--;
	for (size_t i = 0; i < CPU_VTLB_SIZE; i++) {
		if (tlb_flush_entry_locked(&desc->vtable[i], page))
			desc->n_used_entries--;
	}
}

static void tlb_contexts_flush_page(CPUArchState *env, target_ulong page)
{
	struct tlb_contexts *contexts = env_tlb(env)->c.contexts;

	for (size_t i = 0; contexts && i < TLB_CONTEXTS; i++) {
		struct tlb_context *kept = &contexts->kept[i];

		for (uint16_t work = kept->valid ? kept->dirty : 0; work; work &= work - 1)
			tlb_context_flush_page(&kept->d[ctz32(work)], &kept->f[ctz32(work)], page);
	}
}

static void tlb_contexts_reset_dirty(CPUArchState *env, ram_addr_t start, ram_addr_t length)
{
	struct tlb_contexts *contexts = env_tlb(env)->c.contexts;

	for (size_t i = 0; contexts && i < TLB_CONTEXTS; i++) {
		struct tlb_context *kept = &contexts->kept[i];

		for (uint16_t work = kept->valid ? kept->dirty : 0; work; work &= work - 1) {
			CPUTLBDescFast *fast = &kept->f[ctz32(work)];

			for (size_t j = 0; j < tlb_n_entries(fast); j++)
				tlb_reset_dirty_range_locked(&fast->table[j], start, length);
			for (size_t j = 0; j < CPU_VTLB_SIZE; j++)
				tlb_reset_dirty_range_locked(&kept->d[ctz32(work)].vtable[j], start,
							     length);
		}
	}
}

/* The entries of @pcid, or what is needed least: one that is not valid, or the oldest. */
static struct tlb_context *tlb_context_find(struct tlb_contexts *contexts, target_ulong pcid)
{
	struct tlb_context *least = &contexts->kept[0];

	for (size_t i = 0; i < TLB_CONTEXTS; i++) {
		struct tlb_context *kept = &contexts->kept[i];

		if (kept->valid && kept->pcid == pcid)
			return kept;
		if (least->valid && (!kept->valid || kept->used < least->used))
			least = kept;
	}
	return least;
}

/* Has a mode that was used so much that its entries are in each other's way? */
static bool tlb_context_crowded(const CPUTLB *tlb)
{
	for (uint16_t work = tlb->c.dirty; work; work &= work - 1) {
		size_t size = tlb_n_entries((CPUTLBDescFast *)&tlb->f[ctz32(work)]);

		if (size < TLB_GROWS_TO && tlb->d[ctz32(work)].n_used_entries * 100 / size > 70)
			return true;
	}
	return false;
}

/* Modes that neither has used are clean in both. */
static void tlb_context_exchange(CPUTLB *tlb, struct tlb_context *kept)
{
	uint16_t dirty;

	for (uint16_t work = tlb->c.dirty | kept->dirty; work; work &= work - 1) {
		int idx = ctz32(work);
		CPUTLBDesc desc = tlb->d[idx];
		CPUTLBDescFast fast = tlb->f[idx];

		tlb->d[idx] = kept->d[idx];
		kept->d[idx] = desc;
		tlb->f[idx] = kept->f[idx];
		kept->f[idx] = fast;
	}
	dirty = tlb->c.dirty;
	tlb->c.dirty = kept->dirty;
	kept->dirty = dirty;
}

void tlb_context_switch(CPUState *cpu, target_ulong from, target_ulong to, bool flush)
{
	CPUArchState *env = cpu->env_ptr;
	CPUTLB *tlb = env_tlb(env);
	CPUJumpCache *jumps = cpu->tb_jmp_cache;
	uint64_t generation = jumps->generation;

	qemu_spin_lock(&tlb->c.lock);
	if (!tlb->c.contexts)
		tlb->c.contexts = tlb_contexts_make(env);
	if (from != to) {
		struct tlb_context *kept = tlb_context_find(tlb->c.contexts, to);

		flush |= !kept->valid || kept->pcid != to;
		tlb_context_exchange(tlb, kept);
		jumps->generation = kept->jumps;
		kept->jumps = generation;
		kept->pcid = from;
		kept->valid = true;
		kept->used = ++tlb->c.contexts->switches;
	}
	if (flush || tlb_context_crowded(tlb)) {
		int64_t now = get_clock_realtime();

		for (; tlb->c.dirty; tlb->c.dirty &= tlb->c.dirty - 1)
			tlb_flush_one_mmuidx_locked(env, ctz32(tlb->c.dirty), now);
		tb_jmp_cache_renew(jumps);
	}
	qemu_spin_unlock(&tlb->c.lock);
}

#endif
