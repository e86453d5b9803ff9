/* SPDX-License-Identifier: GPL-2.0 */
/* raw_msr.h - FROM, TO and INFO registers → branch */
#ifndef LBRSNOOP_DECODE_RAW_MSR_H
#define LBRSNOOP_DECODE_RAW_MSR_H

#include <stdint.h>

#include "snapshot/snapshot.h"

struct lbr_model;

/* What is odd about an entry that was decoded all the same */
#define RAW_DOUBT_FROM_CANONICAL (1u << 0) /* FROM is no address this CPU can have */
#define RAW_DOUBT_TO_CANONICAL	 (1u << 1)
#define RAW_DOUBT_RESERVED	 (1u << 2) /* a reserved bit is set: another layout? */
#define RAW_DOUBT_TSX_SIGN_EXT	 (1u << 3) /* both TSX flags set where they may be sign extension */
#define RAW_DOUBT_TYPE		 (1u << 4) /* a branch type the manual reserves */

/**
 * raw_msr_decode() - turn one LBR MSR triplet into a branch
 * @model: LBR layout of the CPU (borrowed)
 * @raw: FROM, TO, INFO as read; members the model has no register for are not looked at
 * @ret_branch: cycles in core clocks, saturating at 65535; set on success only
 * @ret_doubts: RAW_DOUBT_* bits; set on success only
 *
 * Flags are cut off first, then the address is sign-extended from its top bit (47 before 5-level
 * paging), so that a wrong sign extension is a doubt and no wrong address.
 *
 * Return: 0; -ENODATA if the entry is empty: FROM and TO are 0, or with AMD LbrExtV2 neither
 * valid nor spec is set. FROM alone may be 0: a fault after a call to NULL is recorded so.
 * -EBADMSG if the CPU marks the entry as no branch: AMD erratum 1452, TO[61].
 * Source: the tables named in @model's layouts.
 */
int raw_msr_decode(const struct lbr_model *model, const struct raw_branch *raw,
		   struct branch *ret_branch, uint32_t *ret_doubts);

#endif
