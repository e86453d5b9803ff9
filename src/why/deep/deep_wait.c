// SPDX-License-Identifier: GPL-2.0
/* deep_wait.c - calls that wait, or wake another task, and are left out of the path */
#include <errno.h>

#include "capture/capture.h"
#include "disasm/fetch.h"
#include "util/vector.h"
#include "why/deep/deep_code.h"
#include "why/deep/deep_search.h"

/*
 * Ask for both ends of the oldest one: within it the run may execute other points, too. A shallow
 * LBR needs the breakpoints for the overlap instead.
 */
size_t deep_ask_wait(const struct deep *deep, uint64_t *asked, size_t max)
{
	const struct deep_interrupt *oldest = NULL;

	for (size_t i = 0; i < deep->path->interrupt_count; i++) {
		const struct deep_interrupt *cut = &deep->path->interrupts[i];

		if (cut->resumed && (!oldest || cut->newer > oldest->newer))
			oldest = cut;
	}
	if (!oldest || max < 2 || lbr_depth() < DEEP_SHALLOW)
		return 0;
	asked[0] = oldest->resumed;
	asked[1] = oldest->resumed - DEEP_CALL_BYTES;
	return 2;
}

/*
 * The path begins at a task switch, within a call that waited. If the path has its return, cut what
 * it has of the call. Other runs have another way through a call that seldom waits: they can extend
 * the path through it.
 */
void deep_leave_wait(struct deep *deep)
{
	struct deep_path *path = deep->path;
	enum deep_call_kind left = DEEP_CALL_OTHER;
	size_t at = 0;
	uint64_t to;

	for (; at < path->count; at++) {
		left = deep_code_left(&deep->code, &path->branches[at]);
		if (left == DEEP_CALL_WAITS || left == DEEP_CALL_YIELDS)
			break;
	}
	if (at == path->count)
		return;
	to = path->branches[at].to;
	deep_give_up(deep, at + 1);
	if (left == DEEP_CALL_WAITS)
		path->start = to;
}

/* Else it wakes another task. */
bool deep_waits_at_start(const struct deep *deep)
{
	return deep_code_call(&deep->code, deep->path->start) != DEEP_CALL_WAKES;
}

/* Note the call before the path's @start, which is left out. */
int deep_add_wait(struct deep *deep, size_t newer)
{
	struct deep_path *path = deep->path;
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn = {};

	if (vector_grow(&path->interrupts, path->interrupt_count, sizeof(*path->interrupts)))
		return -ENOMEM;
	if (insn_fetch(&deep->probes->text, path->start - DEEP_CALL_BYTES, bytes, &insn))
		insn.target = path->start - DEEP_CALL_BYTES;
	path->interrupts[path->interrupt_count++] =
		(struct deep_interrupt){.entry = insn.target,
					.newer = newer,
					.resumed = path->start,
					.run = deep->answer->runs,
					.rescheduled = true,
					.woke = !deep_waits_at_start(deep)};
	return 0;
}

/* Begin the path after a call that waited, if the run shows one. False: nothing changed. */
bool deep_begin_behind_wait(struct deep *deep, const struct deep_joint *joint)
{
	/* If only one run shows it, it may have waited for a lock. */
	if (deep->path->start || (joint->gone && !deep->shorts))
		return false;
	if (joint->resumed) {
		if (joint->gone)
			deep_give_up(deep, joint->gone);
		deep->path->start = joint->resumed;
	} else if (joint->switched) {
		deep_leave_wait(deep);
	}
	if (!deep->path->start)
		return false;
	deep->number = deep->shorts = 0;
	return true;
}

/* Only a check tells hits within a call that waited from those of the path before it. */
void deep_end_behind_wait(struct deep *deep)
{
	struct deep_path *path = deep->path;
	size_t kept = path->count;

	for (size_t i = 0; i < path->interrupt_count; i++)
		if (path->interrupts[i].resumed && path->interrupts[i].newer < kept)
			kept = path->interrupts[i].newer;
	if (kept == path->count)
		return;
	deep_give_up(deep, path->count - kept);
	errmsg_set(&path->gap, 0, DEEP_WAITED);
}
