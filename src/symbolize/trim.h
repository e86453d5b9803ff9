/* SPDX-License-Identifier: GPL-2.0 */
/* trim.h - which branches of a snapshot are the story, and which the capture's own */
#ifndef LBRSNOOP_SYMBOLIZE_TRIM_H
#define LBRSNOOP_SYMBOLIZE_TRIM_H

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * snapshot_trim() - set @snap->wasted, @snap->shown_from, @snap->tracing
 * @snap: with decoded branches; nothing else is changed but their @tracing
 * @syms: of the kernel that the branches are of
 *
 * Wasted are the newest branches, taken on the way from what triggered to where the branches were
 * saved. The last one that is not wasted is:
 *   fexit, kretprobe, kprobe.multi: the function's return, return thunks included; where the
 *     function ended with a jump to another, that one's
 *   fentry, kprobe: the branch that led to the function, or in it to the probed instruction
 *   tracepoint: the call of the tracepoint's code
 *   hw: the last one. The CPU stops recording by itself; where it does not, the last one before the
 *     exception
 *   fault: the last one before the exception, or before the call that prints a WARN's text
 *   uprobe, uretprobe: the last one that ended in user space
 * Shown is from the last entry into the kernel on, that entry included; of a user function, all is.
 */
void snapshot_trim(struct snapshot *snap, struct symbols *syms);

#endif
