/* SPDX-License-Identifier: GPL-2.0 */
/* group.h - calls of one kind, as a ranking counts them */
#ifndef LBRSNOOP_COMPARE_GROUP_H
#define LBRSNOOP_COMPARE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/ranking.h"
#include "compare/values.h"

/**
 * struct group - calls of one kind
 * @build: of failing ones
 * @decided: see struct ranking_call; its strings are the group's
 * @made_behind: of failing ones, see struct ranking_call
 * @calls_of: of @calls, by build
 * @complete: of @calls, those whose record goes back to the function's entry, by build
 * @erring: of @calls, those that returned an errno
 * @values: that they returned; @arguments: that they had
 */
struct group {
	bool failing;
	unsigned int build;
	char *function;
	int err;
	char *made_function;
	char *made_module;
	uint64_t made_off;
	struct ranking_decision decided;
	bool made_behind;
	uint64_t calls;
	uint64_t calls_of[RANKING_BUILDS_MAX];
	uint64_t complete[RANKING_BUILDS_MAX];
	uint64_t erring;
	struct value_range values;
	struct argument_ranges arguments;
};

/** is_decision() - are both of one branch, and one side of it? */
bool is_decision(const struct ranking_decision *one, const struct ranking_decision *other);

/** group_has() - is a call of this kind? */
bool group_has(const struct group *group, const struct ranking_call *call);

/** group_init() - the kind that a call is of, without calls; 0; -ENOMEM. group_deinit() in any case
 */
int group_init(struct group *group, const struct ranking_call *call);

/** group_deinit() - free what it owns */
void group_deinit(struct group *group);

/** group_note() - one more call of the kind */
void group_note(struct group *group, const struct ranking_call *call);

#endif
