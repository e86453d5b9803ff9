/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep.h - further back than the LBR reaches: from the error to the entry of the system call
 *
 * The command is run again, each time with breakpoints near the far end of the path so far. What
 * such a run recorded before is joined to the path where that is proven, see deep_join.h. Where it
 * is not, the path ends in a gap with its reason.
 */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_H
#define LBRSNOOP_WHY_DEEP_DEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/errmsg.h"
#include "why/answer.h"
#include "why/run/command.h"
#include "why/deep/deep_join.h"

struct deep_place;

/**
 * struct deep_segment - branches that one run added; those before the first are of the answer's run
 * @run: number of the run of the command
 * @count: branches
 * @overlap: branches of the path that this run had, too; 0 for the first segment
 * @computed: of @count, the newest: no record has them, they follow from the registers at a call
 * @point: the breakpoint that took the oldest of them
 */
struct deep_segment {
	unsigned int run;
	size_t count;
	size_t overlap;
	size_t computed;
	uint64_t point;
};

/**
 * struct deep_path - free with deep_path_free()
 * @branches: oldest first, up to @end, the instruction that made the error
 * @segments: from the error backwards; the sum of their counts is @count
 * @runs: that were made for it
 * @entry: the first branch enters the system call
 * @start: 0; or the path begins behind a call that waited, and returned there
 * @other_way: 0; or it begins with a record of this run, which came to @end by other branches than
 *             the answer's hit
 * @unchecked: why no run was made to see whether one takes the whole of it; "" if there was, or it
 *             is of one record
 * @gap: why the path goes no further back; "" if it need not
 */
struct deep_path {
	struct why_branch *branches;
	size_t count;
	uint64_t end;
	struct deep_segment *segments;
	size_t segment_count;
	struct deep_interrupt *interrupts;
	size_t interrupt_count;
	unsigned int runs;
	bool entry;
	uint64_t start;
	unsigned int other_way;
	struct errmsg unchecked;
	struct errmsg gap;
};

/**
 * struct deep_options - all borrowed
 * @runs: at most; 0: not asked for
 * @place: NULL: the way leads to the error of the answer; else there
 * @progress: or NULL; called after each run
 */
struct deep_options {
	unsigned int runs;
	const struct deep_place *place;
	void (*progress)(void *ctx, const struct deep_path *path);
	void *ctx;
};

/**
 * deep_find() - make the runs; @answer->deep is set in any case but -ENOMEM
 * @probes: open; nothing is armed, before and afterwards
 * @answer: the place of the error is known; or, with @opts->place, it is empty, and gets what is
 *          known of the call: @answer->call is NULL if no call came by
 * Return: 0; negative errno, with @msg.
 */
int deep_find(const struct deep_options *opts, const struct command *command, struct probes *probes,
	      struct answer *answer, struct errmsg *msg);

/** deep_known_of() - the path as deep_join.h takes it; borrowed */
static inline struct deep_known deep_known_of(const struct deep_path *path)
{
	return (struct deep_known){.branches = path->branches,
				   .count = path->count,
				   .end = path->end,
				   .start = path->start,
				   .cuts = path->interrupts,
				   .cut_count = path->interrupt_count};
}

/** deep_path_begin() - the path is what this record has, of @run; 0; -ENOMEM */
int deep_path_begin(struct deep_path *path, const struct deep_record *record, unsigned int run);

/** deep_path_extend() - put branches before the path, oldest first; 0; -ENOMEM */
int deep_path_extend(struct deep_path *path, const struct why_branch *added, size_t count);

/**
 * deep_path_add_interrupts() - those cut out of what a joint is going to put before the path
 * @newer: branches of the path behind the newest of its records
 * Return: 0; -ENOMEM.
 */
int deep_path_add_interrupts(struct deep_path *path, const struct deep_joint *joint, size_t newer,
			     unsigned int run);

/** deep_path_cut() - give up the @gone oldest branches, @gone <= @count: it begins later */
void deep_path_cut(struct deep_path *path, size_t gone);

/** deep_path_free() - NULL is fine */
void deep_path_free(struct deep_path *path);

#endif
