/* SPDX-License-Identifier: GPL-2.0 */
/* staleness.h - are the branches of a snapshot those of its event? */
#ifndef LBRSNOOP_PATH_STALENESS_H
#define LBRSNOOP_PATH_STALENESS_H

#include "path/path.h"

/**
 * snapshot_classify_stale() - set snap->stale
 *
 * Any debug exception switches the LBR off, and only a snapshot switches it on again: another
 * user of debug registers (gdb, perf) on the same CPU leaves it off, holding what was there
 * then. So the newest entry is asked for its connection to the event: from it, straight on, the
 * CPU must have reached the breakpoint; and where the trigger is software, the newest entries
 * must be that software (snap->wasted, set by snapshot_trim() before).
 * @text: kernel text, or NULL: breakpoints cannot be classified
 */
void snapshot_classify_stale(struct snapshot *snap, const struct text_source *text,
			     const struct path_options *opts);

#endif
