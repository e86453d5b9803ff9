/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_looks.h - is the path one that a single run took?
 *
 * A joint proves that two runs are the same where they overlap. Where runs go different ways, a
 * path can have one way of one run and another way, further back, of another, though no run takes
 * both: all joints are right, and the path is not. So each run says which branches of the path it
 * was seen to take, and where it was not on it. What is shown is what one run was seen to take at
 * all places where any run was seen to leave it.
 *
 * Branches are numbered from the error backwards here, 0 is the newest: what is put before the path
 * changes no number.
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
 * @number: of the run that is taken next, for deep_looks_add_range(); 0: none will be asked for
 * @runs: what each saw
 * @varied: where runs were not on the path; @elsewhere: so many were not, it is not known where
 * @parted: the same, from the newest to the oldest branch before which each may have left the path
 * @tries: of each branch: how often a run was made to see it
 * @checked: deep_looks_prove() is used
 * @proven: one run took so many, the newest ones; @blind: of each of those; @rescheduled: other
 * tasks ran meanwhile
 * @shown: one run took so many of the newest ones, and needs no other to show it
 * @turned: the branch that deep_looks_turn() was called with, of which @turned_at are newer, 0:
 * none; @turned_end: up to that one the run that took the path may have left it there
 * @settled, @settled_end: from one branch to another the path has been the same twice; 0: nowhere
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
	size_t settled;
	size_t settled_end;
};

/**
 * deep_looks_begin() - the path is one record, of @count branches: forget all else
 * Return: 0; -ENOMEM.
 */
int deep_looks_begin(struct deep_looks *looks, size_t count);

/**
 * deep_looks_add() - take one more run
 * @known: the path, with what this run added to it
 * @added: that many of its oldest branches
 * Return: 0; -ENOMEM.
 */
int deep_looks_add(struct deep_looks *looks, const struct deep_known *known,
		   const struct deep_run *run, size_t added);

/**
 * deep_looks_add_range() - a run was seen to take so many branches in a row
 * @run: its number; 0: it is none that was taken before
 * @newest: the number of the first branch
 * Return: 0; -ENOMEM.
 */
int deep_looks_add_range(struct deep_looks *looks, unsigned int run, size_t newest, size_t count);

/**
 * deep_looks_prove() - one run took the newest branches, see deep_check.h; the best one is kept
 * @blind: @count of them, the newest branch first
 * @left: it left the path there
 * @rescheduled: other tasks ran while it was in the call
 * Return: 1 if that is the best one; 0; -ENOMEM.
 */
int deep_looks_prove(struct deep_looks *looks, size_t count, const struct deep_blind *blind,
		     bool left, bool rescheduled);

/**
 * deep_looks_parted() - a branch where two runs or more left the path, by turns
 * Return: false if there is none further back than the record at the error has.
 */
bool deep_looks_parted(const struct deep_looks *looks, unsigned int turn, size_t *ret_branch);

/**
 * deep_looks_contested() - the newest branch where the run that took the path may have left it, and
 * another one was seen to
 * Return: false if there is none.
 */
bool deep_looks_contested(const struct deep_looks *looks, size_t *ret_branch);

/**
 * deep_looks_turn() - the path is going to be cut there, to take the way that other runs take
 * Before deep_looks_cut(), with the same @count.
 * @gone: the newest branch that is cut off
 * Return: 0; -ENOMEM.
 */
int deep_looks_turn(struct deep_looks *looks, size_t count, const struct why_branch *gone);

/**
 * deep_looks_extended() - the path goes on further back
 * Where it was cut, and has the same branch again, the runs that did not have that were the rarer
 * ones: others have to see it anew, as many as where runs go different ways.
 */
void deep_looks_extended(struct deep_looks *looks, const struct deep_known *known);

/** deep_looks_cut() - of the path, no more than the @count newest branches are left */
void deep_looks_cut(struct deep_looks *looks, size_t count);

/**
 * deep_looks_next() - branches that the next run should see: each with the @depth - 2 before it,
 * and whether the path goes on from it as it did
 * @count: of the path
 * @max: of @ret_branches; 1: one that too few runs have seen
 * Return: how many; 0 if nothing is left to find out that way.
 */
size_t deep_looks_next(const struct deep_looks *looks, size_t count, size_t *ret_branches,
		       size_t max);

/** deep_looks_tried() - a run is made for that; or, not @possible, none can be */
int deep_looks_tried(struct deep_looks *looks, size_t branch, bool possible);

/** deep_looks_seen() - how many runs were seen to take that branch and to go on as the path does */
unsigned int deep_looks_seen(const struct deep_looks *looks, size_t branch);

/** deep_looks_varies() - do runs leave the path so often that it needs runs to be sure of it? */
bool deep_looks_varies(const struct deep_looks *looks);

/**
 * deep_looks_sure() - how much of the path may be shown
 * @ret_few: what is older was seen by too few runs, or is a long stretch that one run alone has;
 *           else no run was seen to take it as a whole
 * Return: number of its newest branches.
 */
size_t deep_looks_sure(const struct deep_looks *looks, size_t count, bool *ret_few);

/** deep_looks_clear() - free all; @depth stays */
void deep_looks_clear(struct deep_looks *looks);

#endif
