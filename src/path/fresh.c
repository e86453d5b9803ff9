// SPDX-License-Identifier: GPL-2.0
#include "path/fresh.h"

#include <stdlib.h>

/* Is there a straight run from the newest branch to the breakpoint? */
static enum tri reaches_trigger(const struct snapshot *snap, const struct text_source *text,
				const struct path_options *opts)
{
	struct snapshot *newest = malloc(sizeof(*newest));
	enum tri reaches = TRI_NOT_REPORTED;
	struct path *path;

	if (!newest)
		return reaches;
	*newest = *snap;
	newest->count = 1;
	newest->branches[0] = snap->branches[snap->count - snap->wasted - 1];
	newest->wasted = 0;
	if (!path_build(newest, text, opts, &path)) {
		reaches = path->gap_count ? TRI_CLEAR : TRI_SET;
		/* Text that cannot be read proves nothing. */
		for (uint32_t i = 0; i < path->block_count; i++)
			if (path->blocks[i].gap == PATH_GAP_NO_TEXT)
				reaches = TRI_NOT_REPORTED;
		path_free(path);
	}
	free(newest);
	return reaches;
}

void snapshot_judge_fresh(struct snapshot *snap, const struct text_source *text,
			  const struct path_options *opts)
{
	snap->stale = TRI_NOT_REPORTED;
	if (!snap->trigger || !snap->path_ok || !snap->count)
		return;
	if (snap->trigger->kind != TRIGGER_HW)
		snap->stale = snap->wasted ? TRI_CLEAR : TRI_SET;
	/* An LBR that goes on in the exception (AMD's may) can have lost all that led to it. */
	else if (text && text->read && snap->wasted < snap->count &&
		 !(snap->lbr->supported & LBR_HAS_SPEC))
		switch (reaches_trigger(snap, text, opts)) {
		case TRI_SET:
			snap->stale = TRI_CLEAR;
			break;
		case TRI_CLEAR:
			snap->stale = TRI_SET;
			break;
		default:
			break;
		}
}
