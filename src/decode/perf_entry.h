/* SPDX-License-Identifier: GPL-2.0 */
/* perf_entry.h - the kernel's struct perf_branch_entry → branch, without its made-up values */
#ifndef LBRSNOOP_DECODE_PERF_ENTRY_H
#define LBRSNOOP_DECODE_PERF_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/snapshot.h"

struct lbr_model;

/**
 * perf_entry_decode() - one entry of bpf_get_branch_snapshot() or of a perf sample
 * @model: LBR of the CPU it was taken on, as lbr_model_of_host() gives it (borrowed)
 * @from: first 64-bit word of struct perf_branch_entry
 * @to: second word
 * @flags: third word, the bit fields; new_type and priv are not used on x86
 * @ret_branch: set on success only
 *
 * Only what @model reports gets a value. Where the driver knows less than the hardware:
 * - mispred: "not reported" where it leaves mispred = predicted = 0. On architectural LBR without
 *   CPUID.1CH:ECX[0] it says "predicted" of everything, which @model masks.
 * - cycles: on architectural LBR it gives 0 where CYC_CNT_VALID is clear, so that 0 is "not
 *   reported" there; elsewhere 0 is 0.
 * - in_tx, abort: always 0 without TSX, which @model masks.
 * - type: of architectural LBR alone, and only from events with PERF_SAMPLE_BRANCH_TYPE_SAVE
 *   (before Linux 6.1 the field holds the raw BR_TYPE otherwise). BR_TYPE OTHER is classified by
 *   reading the text: SYSCALL and SYSRET are reported, far branches, interrupts and IRET are 0,
 * thus "not reported". The type that Linux finds by disassembly on other CPUs is not the CPU's
 *   report, and is left out.
 * - AMD BRS: from is as recorded, to is sign-extended.
 * - from 0: real without a filter, a fault after a call to NULL is recorded so. Linux's software
 *   filter marks what it throws away by it, too, and the driver of architectural LBR stops at it:
 *   with a filter the caller leaves such entries out.
 *
 * Return: 0; -ENODATA if the entry is empty: from and to are 0.
 * Source: include/uapi/linux/perf_event.h; Linux arch/x86/events/intel/lbr.c, amd/lbr.c,
 * events/utils.c (common_branch_type).
 */
int perf_entry_decode(const struct lbr_model *model, uint64_t from, uint64_t to, uint64_t flags,
		      struct branch *ret_branch);

/**
 * perf_entries_decode() - the entries of one snapshot, turned around
 * @raw: newest first, @count of them, at most BRANCHES_MAX
 * @filtered: Linux sorted entries out, and left holes whose from is 0
 * @own: what is left out here, see lbr_filter_wants()
 * @ret_branches: oldest first, without those that are empty
 * Return: entries of @ret_branches.
 */
uint32_t perf_entries_decode(const struct lbr_model *model, const struct raw_branch *raw,
			     uint32_t count, bool filtered, uint64_t own,
			     struct branch *ret_branches);

#endif
