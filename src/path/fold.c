// SPDX-License-Identifier: GPL-2.0
/* fold.c - identical rounds of blocks, one after the other */
#include "path/fold.h"

#include <errno.h>
#include <stdlib.h>

static bool same_block(const struct path_block *a, const struct path_block *b)
{
	return !a->gap && !b->gap && a->start == b->start && a->end == b->end &&
	       a->insn_count == b->insn_count && a->ends == b->ends && a->depth == b->depth;
}

/* How often the @period blocks at @first come in a row, 1 if they do not repeat. */
static uint32_t rounds_at(const struct path *path, uint32_t first, uint32_t period)
{
	uint32_t i = first + period;

	while (i < path->block_count && same_block(&path->blocks[i], &path->blocks[i - period]))
		i++;
	return (i - first) / period;
}

int path_find_folds(struct path *path)
{
	uint32_t i = 0;

	path->folds = calloc(path->block_count / 2 + 1, sizeof(*path->folds));
	if (!path->folds)
		return -ENOMEM;
	while (i < path->block_count) {
		struct path_fold best = {.first = i, .period = 1, .count = 1};

		for (uint32_t period = 1; period <= (path->block_count - i) / 2; period++) {
			uint32_t count = rounds_at(path, i, period);

			if (count > 1 && count * period > best.count * best.period)
				best = (struct path_fold){i, period, count};
		}
		if (best.count > 1)
			path->folds[path->fold_count++] = best;
		i += best.period * best.count;
	}
	return 0;
}
