/* SPDX-License-Identifier: GPL-2.0 */
/* classify.h - which entries of a snapshot are the tracing's own, and whether it is stale */
#ifndef LBRSNOOP_PIPELINE_CLASSIFY_H
#define LBRSNOOP_PIPELINE_CLASSIFY_H

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * snapshot_classify() - find out which entries are the tracing's own (snapshot_trim()), and whether
 * the newest ends where the trigger was (snapshot_classify_stale())
 * @symbols: of the kernel that it was taken on
 * @text: of that kernel, as it was then
 */
void snapshot_classify(struct snapshot *snap, struct symbols *symbols,
		       const struct text_source *text);

/** snapshot_unclassify() - the snapshot as it was before that */
void snapshot_unclassify(struct snapshot *snap);

#endif
