/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TLBs of several address spaces of one CPU: what PCID promises the guest, in QEMU's TLB. */
#ifndef TARGET_I386_TLB_CONTEXTS_H
#define TARGET_I386_TLB_CONTEXTS_H

/**
 * tlb_context_switch() - keep the TLB of one address space, and go on with that of another
 * @cpu: the vCPU; called in its thread
 * @from: PCID of the entries that are in the TLB
 * @to: PCID to go on with, may be @from
 * @flush: forget the entries of @to
 *
 * Entries that are kept go with each tlb_flush() of the CPU, and with each tlb_flush_page() of
 * their page: more than INVLPG must forget, never less.
 */
void tlb_context_switch(CPUState *cpu, target_ulong from, target_ulong to, bool flush);

#endif
