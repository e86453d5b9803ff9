/* SPDX-License-Identifier: GPL-2.0 */
/* hit_snapshot.h - a hit of an errno site as a snapshot: what the views of the other commands show
 */
#ifndef LBRSNOOP_WHY_HIT_SNAPSHOT_H
#define LBRSNOOP_WHY_HIT_SNAPSHOT_H

#include "decode/model.h"
#include "snapshot/probe.h"
#include "snapshot/snapshot.h"
#include "why/failures.h"
#include "why/sites.h"

/** struct hit_snapshot - @snap borrows from the other members, and from the hit */
struct hit_snapshot {
	struct lbr_model model;
	struct lbr_info lbr;
	struct probe probe;
	struct trigger triggers[TRIGGER_KIND_COUNT];
	struct record rec;
	char target[32];
	struct snapshot snap;
};

/**
 * hit_snapshot_make() - registers and stack of a hit, and its branches where it has them
 * @hit: borrowed as long as @ret->snap is used
 * @failure: the call that it is of
 * @ret: must not move afterwards
 */
void hit_snapshot_make(const struct why_hit *hit, const struct site *site,
		       const struct failure *failure, struct hit_snapshot *ret);

#endif
