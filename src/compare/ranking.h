/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ranking.h - which decisions tell failing calls from passing ones
 *
 * A predicate is "the last time it was executed, this branch went this way". In one call it is
 * true, false, or not known: the record may not reach back to where the branch was executed.
 * Predicates are ranked by balanced accuracy, (TPR + TNR) / 2, as in B. Johnson et al. and Aurora
 * (Blazytko et al., USENIX Security 2020); calls in which a predicate is not known do not count for
 * it.
 */
#ifndef LBRSNOOP_COMPARE_RANKING_H
#define LBRSNOOP_COMPARE_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/values.h"

/* Fewer failing or passing calls than this say little. */
#define RANKING_CALLS_LEAST 3
/* Kinds of failing calls that are told apart: of a function, an errno, the place where it was made,
 * the decision to make it; and of passing ones: of a function. */
#define RANKING_FAILING_MAX 512
#define RANKING_PASSING_MAX 512
#define RANKING_TEXT_MAX    128
/* Builds of the kernel that calls can be of. */
#define RANKING_BUILDS_MAX 8
#define RANKING_KEY_MAX	   512

/**
 * struct ranking_place - a place of the kernel's code, the same on every host with this build
 * @function: name of the symbol, @module of the module, "" for the kernel
 */
struct ranking_place {
	const char *function;
	const char *module;
	uint64_t off;
};

/**
 * struct ranking_decision - a conditional branch that was executed
 * @rel: of the kernel image: its address less that of _stext, which tells functions of one name
 *       apart; 0 of modules
 * @addr: address for source lines; 0: none
 * @before_entry: it was executed before the call began
 * @open: its function had not returned when the error was made, or the call ended: what is decided
 *        then can be control dependent on it, as on nothing in a function that has returned
 * @distance: decisions between this one and the failure, or the end of the record
 * @condition: what was true then, of registers and memory, or ""
 * @source: the same in the names of the source, or ""
 */
struct ranking_decision {
	struct ranking_place place;
	uint64_t rel;
	uint64_t addr;
	bool taken;
	bool before_entry;
	bool open;
	uint32_t distance;
	const char *condition;
	const char *source;
};

/**
 * struct ranking_keys - what a branch may have in common with one of another build of the code
 * @chain: function, line in it and condition, with those of the functions it is inlined into
 * @line: function, line in it and condition
 * @condition: function and condition, which no other branch of the function has
 * @negated: it is taken where the condition of these keys does not hold
 * Each is "" if there is none.
 */
struct ranking_keys {
	char chain[RANKING_KEY_MAX];
	char line[RANKING_KEY_MAX];
	char condition[RANKING_KEY_MAX];
	bool negated;
};

/** typedef ranking_keys_fn - of a branch that was not seen before; @ret is empty. 0; -ENOMEM */
typedef int ranking_keys_fn(void *ctx, const struct ranking_decision *decision,
			    struct ranking_keys *ret);

/**
 * struct ranking_call - a call that is to be counted
 * @failing: it is one of the failing calls
 * @build: of the kernel, a number below RANKING_BUILDS_MAX: places are of one build
 * @function: that returned, or where the trigger stands
 * @err: positive errno of a failing call, or 0
 * @made_at: where a failing call's errno was made; .function is NULL if the record does not show it
 * @decided: the decision that the errno followed from, one of the call's; .place.function is NULL
 * if that is not known. Of it @place, @rel and @taken count
 * @made_behind: the errno was loaded behind that decision, not before it in case
 * @complete: the record goes back to the function's entry: a branch of the call that is not in it
 *            did not run
 * @has_value: it returned @value, which is no errno
 * @arguments: that the function had, @argument_count of them; their names are copied
 */
struct ranking_call {
	bool failing;
	unsigned int build;
	const char *function;
	int err;
	struct ranking_place made_at;
	struct ranking_decision decided;
	bool made_behind;
	bool complete;
	bool has_value;
	int64_t value;
	const struct argument *arguments;
	size_t argument_count;
};

/**
 * struct ranking_count - a predicate in calls of one kind
 * @true_calls: in which it is true; @known of them all know
 */
struct ranking_count {
	uint64_t true_calls;
	uint64_t known;
};

/**
 * struct ranking_match - branches that failing calls executed, in the other builds that passing
 * calls are of
 * @passing: how many calls those are; 0: all passing calls are of the failing ones' build
 * @by_line: branches that were found there by function, line and condition; @by_condition by
 * function and condition alone
 * @alone: for which none was found: calls of other builds do not count for them
 * @decided_alone: that from which the errno follows is one of them, and no passing call is of the
 * failing ones' build
 */
struct ranking_match {
	uint64_t passing;
	uint64_t by_line;
	uint64_t by_condition;
	uint64_t alone;
	bool decided_alone;
};

/** ranking_place_hash() - of a place and what tells it from others of its name */
uint32_t ranking_place_hash(const struct ranking_place *place, uint64_t rel);

/** ranking_place_same() - function, module and offset; neither is NULL */
bool ranking_place_same(const struct ranking_place *a, const struct ranking_place *b);

/**
 * struct ranked - one predicate of the ranking
 * @build: that @place, @addr, @taken, @condition and @source are of
 * @source: @condition in the names of the source, "" if it has none; valid until ranking_destroy()
 * @accuracy: balanced accuracy, 0.5 (chance) to 1
 * @weight: the same, estimated with one call more of each outcome (Laplace), so that few calls
 *          count for less; the order of the ranking
 * @distance: mean number of decisions between it and the failure
 * @parts: three passing calls or more executed it, too, and went the other way: the ways part
 *         there; else they parted before. Others may have parted before, as calls of another sort
 * @open: of failing calls, see struct ranking_decision
 * @decides: the errno follows from it: a call that went this way fails, so that no passing call of
 * this build, and none of which returned an errno, did, even one whose record
 * does not reach back to it; @passing has those that do, @accuracy and
 * @weight count all
 * @inferred: by that alone: it @decides, and fewer than RANKING_CALLS_LEAST passing calls know it.
 * @accuracy then measures nothing
 * @alone: it @decides and is @inferred, with the errno loaded behind it, and was not found in the
 * passing calls' build: none of them is compared. It comes behind what tells all calls apart, and
 * before the others
 * @follows: the ways parted before it, at an item that comes before this one. @weight is not more
 * than that item's: what more calls know of the consequence is no evidence for it
 */
struct ranked {
	struct ranking_place place;
	unsigned int build;
	uint64_t addr;
	bool taken;
	char condition[RANKING_TEXT_MAX];
	const char *source;
	struct ranking_count failing;
	struct ranking_count passing;
	double accuracy;
	double weight;
	double distance;
	bool parts;
	bool open;
	bool decides;
	bool inferred;
	bool alone;
	bool follows;
};

/**
 * struct ranking_reason - failing calls of one function, errno, place, decision and build
 * @build: of the failing calls; @match: of the others
 * @failing: how many; @passing: of the same function
 * @passing_function: of which most passing calls are, where none is of @function; else NULL
 * @failing_values, @passing_values: that they returned
 * @arguments: of both kinds, @argument_count
 * @passing_errnos: of @passing, those that returned an errno, although the user says that they pass
 * @items: best first, of equals those where the ways part and on which the error can be control
 *         dependent, of these the nearest to the failure; @count of them; each is true in failing
 *         calls more often than in passing ones
 * @parts_at: index into @items of the first decision, in the order of execution, that all failing
 *            calls took one way and all passing ones the other, known in nine calls of ten of
 *            each; -1 if there is none
 * @joined: the records reach back to where the ways part: passing ones show the best of @items, and
 *          most calls of both kinds made a decision alike before
 * @by_chance: with probability above 1/50 one of as many predicates as three calls of each kind
 *             know, and that are true of some calls and false of others, would tell the calls
 *             apart as well as the best of @items, if it had nothing to do with which of them
 *             failed; false if that @decides
 */
struct ranking_reason {
	const char *function;
	unsigned int build;
	struct ranking_match match;
	int err;
	struct ranking_place made_at;
	uint64_t failing;
	uint64_t passing;
	const char *passing_function;
	struct value_range failing_values;
	struct value_range passing_values;
	struct argument_pair arguments[ARGUMENTS_MAX];
	size_t argument_count;
	uint64_t passing_errnos;
	struct ranked *items;
	size_t count;
	int parts_at;
	bool joined;
	bool by_chance;
};

struct ranking;

/** ranking_create() - an empty one; NULL without memory; ranking_destroy() */
struct ranking *ranking_create(void);

/** ranking_destroy() - free; NULL is fine */
void ranking_destroy(struct ranking *ranking);

/**
 * ranking_set_keys() - from now on @fn says what names a branch in other builds
 * Without it a branch has none there.
 */
void ranking_set_keys(struct ranking *ranking, ranking_keys_fn *fn, void *ctx);

/**
 * ranking_match_builds() - take branches of several builds for one where a key is the same
 * A key that several branches of one build have tells none of them. To be called once, when all
 * calls have been told of. Return: 0; -ENOMEM.
 */
int ranking_match_builds(struct ranking *ranking);

/**
 * ranking_call() - begin a call; ranking_decision() tells of its branches, ranking_call_end() ends
 * it
 * Return: 0; -E2BIG if there are RANKING_FAILING_MAX or RANKING_PASSING_MAX kinds of such calls
 * already: it is not counted; -ENOMEM.
 */
int ranking_call(struct ranking *ranking, const struct ranking_call *call);

/** ranking_decision() - the call made this decision; strings are copied. 0; -ENOMEM */
int ranking_decision(struct ranking *ranking, const struct ranking_decision *decision);

/** ranking_call_end() - the call is complete */
void ranking_call_end(struct ranking *ranking);

/**
 * ranking_reasons() - rank
 * @ret: the kinds of failing calls, most frequent first, with @ret_count; ranking_reasons_free().
 * Strings are valid until ranking_destroy().
 * Return: 0; -ENOMEM.
 */
int ranking_reasons(const struct ranking *ranking, struct ranking_reason **ret, size_t *ret_count);

/** ranking_reasons_free() - free; NULL is fine */
void ranking_reasons_free(struct ranking_reason *reasons, size_t count);

#endif
