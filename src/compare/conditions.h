/* SPDX-License-Identifier: GPL-2.0 */
/* conditions.h - in words, what was true where a branch went one way; once for all calls */
#ifndef LBRSNOOP_COMPARE_CONDITIONS_H
#define LBRSNOOP_COMPARE_CONDITIONS_H

#include "compare/ranking.h"
#include "path/path.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"
#include "util/hash_table.h"

/** struct conditions - of the decisions of one build of the kernel; {0} is an empty one */
struct conditions {
	struct hash_table table;
};

/** typedef conditions_lines_fn - where names of the source are looked up; NULL: nowhere */
typedef struct lines *conditions_lines_fn(void *ctx);

/**
 * struct conditions_call - a call whose decisions are put into words; all borrowed
 * @path: of it
 * @symbols: of the kernel that it was taken on
 * @lines: asked only for a decision that has no words yet; NULL: there are no names
 */
struct conditions_call {
	const struct path *path;
	struct symbols *symbols;
	conditions_lines_fn *lines;
	void *lines_ctx;
};

/**
 * conditions_find() - set @condition and @source of @item, which is @decision of @call's path
 * The words are those of the first call that has any: of a later one, the record may not reach back
 * to the compare. They are valid until conditions_deinit().
 * Return: 0; -ENOMEM.
 */
int conditions_find(struct conditions *conditions, const struct conditions_call *call,
		    const struct path_decision *decision, struct ranking_decision *item);

/** conditions_deinit() - free; an empty one is left */
void conditions_deinit(struct conditions *conditions);

#endif
