/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_guess.h - points that the path is likely to come by shortly before it begins
 *
 * Where a run hits a second point before its target, and the target's record goes back to it, the
 * record there is one with the target's: the run gets as far as two would.
 */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_GUESS_H
#define LBRSNOOP_WHY_DEEP_DEEP_GUESS_H

#include <stddef.h>
#include <stdint.h>

#include "why/deep/deep_search.h"

/**
 * deep_guess() - choose such points, each within a record of the one before
 * They lie on all ways to where the path begins: in the function that it begins in, and in its
 * callers.
 * @target: of the run
 * @points: gets @max at most
 * Return: 0; -ENOMEM.
 */
int deep_guess(const struct deep *deep, const struct deep_target *target, uint64_t *points,
	       size_t max, size_t *ret_count);

#endif
