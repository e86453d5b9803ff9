/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_looks.h - is the path one that a single run took?
 *
 * A joint proves that two runs took the same branches where they overlap. Runs may differ in two
 * places. Then the path can go one run's way in the first place and another run's way in the
 * second, and no run takes both: all joints are right, and the path is wrong. So for each run this
 * keeps which branches of the path it was seen to take, and where it was off the path. Only that
 * part of the path is shown which one run was seen to take at all places where any run was seen to
 * leave it.
 *
 * Branches are numbered from the error backwards here, 0 is the newest: if the path is extended, no
 * number changes.
 */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_LOOKS_H
#define LBRSNOOP_WHY_DEEP_DEEP_LOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why/deep/deep_join.h"

struct deep_look;
struct deep_varied;

/**
 * struct deep_looks - begin with @depth set and the rest zero
 * @depth: entries of the LBR
 * @number: of the run that is taken next, for deep_looks_add_range(); 0: it will not be asked for
 * @runs: which branches each run was seen to take
 * @varied: branches that runs did not take, ascending; @elsewhere: how many runs were off the path
 *          at an unknown place
 * @parted: where each run was off the path
 * @left: one was, before or after the path was cut
 * @tries: for each branch: how often a run was made to see it
 * @checked: runs are checked with probes: deep_looks_prove() is used
 * @proven: how many of the newest branches the best checked run took; @blind: one for each of them;
 *          @rescheduled: other tasks ran during that run
 * @shown: how many of the newest branches one checked run showed without blind forks
 * @turned: the branch that deep_looks_turn() got; @turned_at: how many branches are newer, 0: none
 *          is noted; @turned_end: up to this branch the run that took the path may have left it
 *          there
 */
struct deep_looks {
	uint32_t depth;
	unsigned int number;
	struct deep_look *runs;
	size_t run_count;
	struct deep_varied *varied;
	size_t varied_count;
	unsigned int elsewhere;
	struct deep_parted *parted;
	size_t parted_count;
	bool left;
	uint8_t *tries;
	size_t try_count;
	bool checked;
	size_t proven;
	struct deep_blind *blind;
	bool rescheduled;
	size_t shown;
	struct why_branch turned;
	size_t turned_at;
	size_t turned_end;
};

/**
 * deep_looks_begin() - the path is one record, of @count branches: forget all else
 * Return: 0; -ENOMEM.
 */
int deep_looks_begin(struct deep_looks *looks, size_t count);

/**
 * deep_looks_add() - add what one more run was seen to take
 * @known: the path, with what this run added to it
 * @added: how many of its oldest branches that is
 * Return: 0; -ENOMEM.
 */
int deep_looks_add(struct deep_looks *looks, const struct deep_known *known,
		   const struct deep_run *run, size_t added);

/**
 * deep_looks_add_range() - a run was seen to take @count branches in a row
 * @run: its number; 0: a run that was not added before
 * @newest: the number of the newest of them
 * Return: 0; -ENOMEM.
 */
int deep_looks_add_range(struct deep_looks *looks, unsigned int run, size_t newest, size_t count);

/**
 * deep_looks_prove() - a checked run took the @count newest branches, see deep_check.h
 * The best one is kept: the one that took most, and of equal ones that with the fewest blind forks.
 * @blind: one for each of them, the newest branch first
 * @left: it left the path there
 * @rescheduled: other tasks ran while it was in the call
 * Return: 1 if this is the best one; 0; -ENOMEM.
 */
int deep_looks_prove(struct deep_looks *looks, size_t count, const struct deep_blind *blind,
		     bool left, bool rescheduled);

/**
 * deep_looks_parted() - a branch that two runs or more did not take
 * @turn: chooses one of such branches
 * Return: false if there is none that is older than the record at the error.
 */
bool deep_looks_parted(const struct deep_looks *looks, unsigned int turn, size_t *ret_branch);

/**
 * deep_looks_contested() - the newest branch where the best checked run may have left the path, and
 * another run was seen to leave it
 * Return: false if there is none.
 */
bool deep_looks_contested(const struct deep_looks *looks, size_t *ret_branch);

/**
 * deep_looks_turn() - the path is going to be cut, to take the way that other runs take
 * Call it before deep_looks_cut(), with the same @count.
 * @gone: the newest branch that is cut off
 * Return: 0; -ENOMEM.
 */
int deep_looks_turn(struct deep_looks *looks, size_t count, const struct why_branch *gone);

/**
 * deep_looks_extended() - the path was extended
 * It may have the same branch again where it was cut. Then the runs without that branch took the
 * rarer way. As many runs have to see the branches there anew as where runs differ.
 */
void deep_looks_extended(struct deep_looks *looks, const struct deep_known *known);

/** deep_looks_cut() - only the @count newest branches of the path are left */
void deep_looks_cut(struct deep_looks *looks, size_t count);

/**
 * deep_looks_next() - branches that the next run should see
 * A record should have each with the @depth - 2 older ones, and how the run goes on from it.
 * @count: branches of the path
 * @max: room in @ret_branches; 1: one that too few runs have seen
 * Return: how many; 0 if runs can find out no more that way.
 */
size_t deep_looks_next(const struct deep_looks *looks, size_t count, size_t *ret_branches,
		       size_t max);

/** deep_looks_tried() - a run is made to see @branch; not @possible: none can; 0; -ENOMEM */
int deep_looks_tried(struct deep_looks *looks, size_t branch, bool possible);

/** deep_looks_seen() - how many runs were seen to take @branch, and to go on as the path does */
unsigned int deep_looks_seen(const struct deep_looks *looks, size_t branch);

/** deep_looks_varies() - do runs leave the path so often that more runs have to see it? */
bool deep_looks_varies(const struct deep_looks *looks);

/**
 * deep_looks_sure() - how many of the newest branches may be shown
 * @count: branches of the path
 * @ret_few: true: too few runs saw what is older, or only one run has a long part of it. False: no
 *           run was seen to take more.
 */
size_t deep_looks_sure(const struct deep_looks *looks, size_t count, bool *ret_few);

/** deep_looks_clear() - free all; @depth, @checked and @number stay */
void deep_looks_clear(struct deep_looks *looks);

#endif
