/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep.h - further back than the LBR reaches: from the error to the entry of the system call
 *
 * The command is run again, each time with breakpoints near the oldest end of the path. Records of
 * such a run extend the path if deep_join.h proves that they join it. If none does, the path ends
 * in a gap, which has a reason.
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
 * struct deep_segment - branches that one run added to the path
 * @run: number of the run of the command
 * @count: branches
 * @overlap: branches of the path that this run also recorded; 0 for the first segment
 * @computed: the newest of @count that no record has: the registers at a call determine them
 * @point: address of the breakpoint whose record has the oldest branch
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
 * @branches: oldest first; the newest leads to @end, the instruction that made the error
 * @segments: newest first; the sum of their counts is @count
 * @interrupts: what is left out of the path
 * @runs: number of runs made for the path
 * @entry: the first branch enters the system call
 * @interrupted: the user ended the search
 * @start: 0; or the path begins at this address, where a call that waited, or woke a task, returned
 *         to
 * @other_way: 0; or the number of the run whose record begins the path: it came to @end by other
 *             branches than the answer's hit
 * @unchecked: why no run could check that one run takes the whole path; "" if one could, or if the
 *             path has one record only
 * @gap: why the path goes no further back; "" if it reaches the entry
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
	bool interrupted;
	uint64_t start;
	unsigned int other_way;
	struct errmsg unchecked;
	struct errmsg gap;
};

/**
 * struct deep_options - all pointers are borrowed
 * @runs: the most runs to make; 0: the path is not asked for
 * @place: NULL: the path leads to the answer's error; else it leads to this place
 * @progress: or NULL; called after each run
 */
struct deep_options {
	unsigned int runs;
	const struct deep_place *place;
	void (*progress)(void *ctx, const struct deep_path *path);
	void *ctx;
};

/**
 * deep_find() - make the runs; sets @answer->deep, unless -ENOMEM
 * @probes: open; nothing is armed before and after
 * @answer: has the place of the error. With @opts->place it is empty, and gets what is known of the
 *          call: @answer->call stays NULL if no call executed the place.
 * Return: 0; negative errno, with @msg.
 */
int deep_find(const struct deep_options *opts, const struct command *command, struct probes *probes,
	      struct answer *answer, struct errmsg *msg);

/** deep_known_of() - the path as a struct deep_known, which borrows it */
static inline struct deep_known deep_known_of(const struct deep_path *path)
{
	return (struct deep_known){.branches = path->branches,
				   .count = path->count,
				   .end = path->end,
				   .start = path->start,
				   .cuts = path->interrupts,
				   .cut_count = path->interrupt_count};
}

/** deep_path_begin() - replace the path by this record, of run number @run; 0; -ENOMEM */
int deep_path_begin(struct deep_path *path, const struct deep_record *record, unsigned int run);

/** deep_path_extend() - put @count branches before the path, oldest first; 0; -ENOMEM */
int deep_path_extend(struct deep_path *path, const struct why_branch *added, size_t count);

/**
 * deep_path_add_interrupts() - add what was cut out of the records of a joint
 * Call it before deep_path_extend().
 * @newer: branches of the path that are newer than the newest record of the joint
 * Return: 0; -ENOMEM.
 */
int deep_path_add_interrupts(struct deep_path *path, const struct deep_joint *joint, size_t newer,
			     unsigned int run);

/** deep_path_cut() - remove the @gone oldest branches, @gone <= @count */
void deep_path_cut(struct deep_path *path, size_t gone);

/** deep_path_free() - free all; NULL is fine */
void deep_path_free(struct deep_path *path);

#endif
