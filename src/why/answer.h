/* SPDX-License-Identifier: GPL-2.0 */
/* answer.h - what has been found out about a command, or a process, whose call failed */
#ifndef LBRSNOOP_WHY_ANSWER_H
#define LBRSNOOP_WHY_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/errmsg.h"
#include "why/blame.h"
#include "why/failures.h"
#include "why/origin.h"
#include "why/sites.h"

struct deep_path;

/** enum origin_state - what is known of the place where the error was made */
enum origin_state {
	ORIGIN_NONE = 0, /* nothing, struct answer's @reason says why */
	ORIGIN_FOUND,	 /* this instruction */
	ORIGIN_ONE_OF,	 /* one of several */
	ORIGIN_PLACE,	 /* not asked for: @site is a place that the user named */
};

/**
 * struct answer - free with answer_deinit()
 * @status: of the command's first run, as waitpid() gives it
 * @runs: how often it was run; without a command, how many failing calls were looked at
 * @failures: all failing calls of the run that showed which functions ran in them
 * @call: the one to blame; NULL: the command did not fail by a call. Belongs to @failures
 * @why_call: why this one
 * @state: of the origin
 * @reason: why the origin is not certain, or not there
 * @hit: of the origin, with registers and stack, and branches if it has @hw; NULL without one
 * @table: what was read at it
 * @site: of the origin
 * @decider: of several branches that lead to the origin the one that was executed last in the call,
 *           and went there; @decider_hit: before it was executed, NULL: it is not known;
 *           @decider_table: what was read there
 * @candidates: ORIGIN_ONE_OF: the sites that it can be
 * @place: ORIGIN_PLACE: as the user wrote it; borrowed
 * @returned: ORIGIN_PLACE: it is a function, which returned @value
 * @has_lbr: this machine has one that can be used
 * @lbr_reason: why there are no branches; ""
 * @functions_watched: those that can make an error
 * @lost: events that are not in all this, @calls_unwatched included
 * @calls_unwatched: of threads beyond WHY_TASKS_MAX
 * @processes_unwatched: beyond WHY_PROCESSES_MAX
 * @calls_compat: that failed, of 32-bit code
 * @deep: the way to the origin from further back, if it was asked for and there is an origin; or
 * NULL
 */
struct answer {
	int status;
	unsigned int runs;
	struct failures failures;
	const struct failure *call;
	enum blame_reason why_call;
	enum origin_state state;
	struct errmsg reason;
	struct why_hit *hit;
	struct why_read_table table;
	struct site site;
	struct site decider;
	struct why_hit *decider_hit;
	struct why_read_table decider_table;
	struct sites candidates;
	const char *place;
	bool returned;
	int64_t value;
	bool has_lbr;
	struct errmsg lbr_reason;
	size_t functions_watched;
	uint64_t lost;
	uint64_t calls_unwatched;
	uint64_t processes_unwatched;
	uint64_t calls_compat;
	struct deep_path *deep;
};

struct watch;

/**
 * struct observed - what came of a failing call while sites were watched; all borrowed
 * @failure: the call
 * @origin: of its hits, the one that made its error
 * @sites: those that its hits' numbers refer to
 * @tables: for each of @sites what was read there, or NULL
 * @unwatched: sites that can have made its error, and that nobody has watched so far
 * @sites_all: number of all that can have made it
 * @cut: as of a struct failure: there may be more
 * @hits_lost: in this run or in one before, not all hits of its sites were told
 */
struct observed {
	const struct failure *failure;
	struct origin origin;
	const struct sites *sites;
	const struct why_read_table *tables;
	const struct sites *unwatched;
	size_t sites_all;
	bool cut;
	bool hits_lost;
};

/**
 * answer_conclude() - the place, from one observation more
 *
 * A hit is certain where nothing was left unwatched, and all functions that ran and all hits are
 * known, and it has no rival; or where its value has to be returned. Where a later observation, of
 * what was left and of the hit before, shows neither, the earlier one is as uncertain as it was.
 * Where the hit before is itself in @unwatched, what was left and did not show is ruled out.
 * Return: 0 or -ENOMEM.
 */
int answer_conclude(struct answer *answer, const struct observed *observed);

/**
 * answer_explain_outside() - true if no instruction of the call made the error: the kernel did not
 * begin the call, or a signal's handler ended it
 */
bool answer_explain_outside(struct answer *answer);

/** answer_explain_no_sites() - nothing that ran in the call loads its error */
void answer_explain_no_sites(struct answer *answer);

/**
 * answer_same_frame() - were both hit in the same call of their function?
 * In other runs, too: the same calls lead there. Of a function that calls itself, or that an
 * interrupt runs as well, each may be of another call.
 */
bool answer_same_frame(const struct why_hit *one, const struct why_hit *other);

/** answer_keep_hit() - the hit of @answer->site, again: with what it has more; 0 or -ENOMEM */
int answer_keep_hit(struct answer *answer, const struct failure *failure,
		    const struct why_hit *hit);

/** answer_count_lost() - what @watch has not told */
void answer_count_lost(struct answer *answer, const struct watch *watch);

/**
 * answer_explain_lost() - what is missing, and why
 * @ret_events: of those that were watched; ""
 * @ret_unwatched: who was not watched; ""
 */
void answer_explain_lost(const struct answer *answer, struct errmsg *ret_events,
			 struct errmsg *ret_unwatched);

/** answer_deinit() - free */
void answer_deinit(struct answer *answer);

#endif
