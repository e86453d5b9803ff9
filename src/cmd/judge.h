/* SPDX-License-Identifier: GPL-2.0 */
/* judge.h - what a snapshot is worth, before it is shown */
#ifndef LBRSNOOP_CMD_JUDGE_H
#define LBRSNOOP_CMD_JUDGE_H

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * snapshot_judge() - find out which entries are the tracing's own (snapshot_trim()), and whether
 * the newest ends where the trigger was (snapshot_judge_fresh())
 * @symbols: of the kernel that it was taken on
 * @text: of that kernel, as it was then
 */
void snapshot_judge(struct snapshot *snap, struct symbols *symbols, const struct text_source *text);

#endif
