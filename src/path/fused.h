/* SPDX-License-Identifier: GPL-2.0 */
/* fused.h - branches that the CPU fused with the instruction before them */
#ifndef LBRSNOOP_PATH_FUSED_H
#define LBRSNOOP_PATH_FUSED_H

#include <stdint.h>

#include "snapshot/snapshot.h"

/**
 * snapshot_repair_fused() - move FROM to the branch, where it is the instruction before it
 * @snap: as the registers say; unchanged unless its LBR is AMD's
 * @text: may have no read: then nothing can be repaired
 * Return: the number of entries whose text at FROM cannot be read.
 * Source: AMD APM vol. 2, 13.1.1.9: FROM of a fused branch may be the instruction before it. Linux
 * repairs what its driver reads (amd_pmu_lbr_filter() of arch/x86/events/amd/lbr.c).
 */
uint32_t snapshot_repair_fused(struct snapshot *snap, const struct text_source *text);

#endif
