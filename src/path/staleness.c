// SPDX-License-Identifier: GPL-2.0
#include "path/staleness.h"
#include "util/address.h"

#include <stdlib.h>

/*
 * What a gap between the newest branch and the breakpoint says. Only where the code itself shows
 * that the CPU cannot have come that way, something is missing from the record.
 */
static enum tri gap_verdict(enum path_gap gap)
{
	switch (gap) {
	case PATH_GAP_NONE:
		return TRI_SET;
	case PATH_GAP_USER:	 /* no way into the kernel without a branch */
	case PATH_GAP_BACKWARDS: /* no way back either */
	case PATH_GAP_TOO_LONG:
	case PATH_GAP_MISALIGNED: /* the breakpoint would be inside an instruction */
	case PATH_GAP_UNRECORDED: /* the code branches before it gets there */
		return TRI_CLEAR;
	default: /* text unknown or being patched, or a WRMSR that may have been about the LBR */
		return TRI_NOT_REPORTED;
	}
}

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
		reaches = TRI_SET;
		for (uint32_t i = 0; i < path->block_count; i++) {
			enum tri verdict = gap_verdict(path->blocks[i].gap);

			if (verdict == TRI_CLEAR || reaches == TRI_SET)
				reaches = verdict;
		}
		path_free(path);
	}
	free(newest);
	return reaches;
}

static bool in_program_alone(const struct snapshot *snap)
{
	for (uint32_t i = 0; i < snap->count; i++)
		if (address_is_kernel(snap->branches[i].to))
			return false;
	return true;
}

void snapshot_classify_stale(struct snapshot *snap, const struct text_source *text,
			     const struct path_options *opts)
{
	snap->stale = TRI_NOT_REPORTED;
	if (!snap->trigger || !snap->path_ok || !snap->count)
		return;
	/* The filter keeps the capture's own branches out. */
	if (snap->trigger->kind == TRIGGER_URETPROBE ||
	    (snap->trigger->kind == TRIGGER_PERF && in_program_alone(snap)))
		return;
	/* Frozen by the CPU; the interrupt comes some instructions later. */
	if (snap->trigger->kind == TRIGGER_PMI)
		return;
	if (!trigger_traits(snap->trigger->kind)->by_exception)
		snap->stale = snap->wasted ? TRI_CLEAR : TRI_SET;
	else if (text && text->read && snap->wasted < snap->count)
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
