/* SPDX-License-Identifier: GPL-2.0 */
/* decision.h - the conditional branch that led to an instruction, as far as the text alone tells */
#ifndef LBRSNOOP_WHY_DECISION_DECISION_H
#define LBRSNOOP_WHY_DECISION_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "operand/operand.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "why/values/reads.h"

/**
 * struct decision - a conditional branch, and the way that it went
 * @addr: of the branch; 0: there is none that must have led here
 * @taken: it was taken; else control fell through
 * @condition: what was true then: "%esi > 2 (unsigned)"; "" if there are no simple words for it
 * @values: what its operands were: "%esi = 9"; "" if they may have changed since. "(read later)"
 *          stands behind what was read in memory that was written to in between, "(changed since)"
 *          if it holds something else now, whoever wrote it; "(by then)": or else another one of
 *          several ways was taken
 * @source: the condition in the names of the source: "count > 2 (unsigned)"; "" without them. One
 *          operand without a name may be the number that it was, unless values are not wanted
 * @source_values: "count = 9"
 * @operand: what it is about, where there is @source
 * @agrees: with what registers, and memory that was not written to in between, held it went this
 *          way
 * @doubtful: with what memory held at the end it would have gone the other way; but it was written
 *            to in between, or may have been by another CPU
 * @behind: it comes after the instruction
 * @excluded: with what the registers or the task's own stack held it would have gone the other way
 * @shared: @doubtful for another CPU alone
 * @later: a test of the clean-up, which the source has behind the one that decided
 */
struct decision {
	uint64_t addr;
	bool taken;
	char condition[128];
	char values[128];
	char source[CONDITION_MAX];
	char source_values[CONDITION_MAX];
	struct operand_source operand;
	bool agrees;
	bool excluded;
	bool doubtful;
	bool shared;
	bool later;
	bool behind;
};

/**
 * struct decision_code - where decisions are looked for; borrowed
 * @lines: NULL: no names of the source
 * @no_values: decisions have none
 * @fact, @fact_ctx: as of struct operand_way
 */
struct decision_code {
	const struct text_source *text;
	struct symbols *symbols;
	struct lines *lines;
	bool no_values;
	operand_fact_fn *fact;
	void *fact_ctx;
};

/**
 * decisions_find() - the last conditional branches of a function before an instruction
 *
 * Of one that loads an errno in case, whose value is known to have become the result, they may come
 * behind it: kept.h. Those whose other side comes to it, too, are left out: they decided nothing.
 * By the text alone the way goes back as long as one way leads there: where several meet, it does
 * not tell which was taken. Where the branches are known, that is no riddle, and functions called
 * in between are passed over.
 * @func: function that @addr is in, or that it was split off
 * @snap: its newest branch led to @addr; NULL: by the text alone
 * @state: what is known before @addr was executed, or NULL
 * @ret: @max of them, the newest first
 * Return: how many, 1 at least; -ENOENT if there is no telling; -EFAULT if the text cannot be read;
 * -ENOMEM.
 */
int decisions_find(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		   const struct snapshot *snap, const struct why_state *state, struct decision *ret,
		   size_t max);

/**
 * decisions_one_of() - where several ways lead to an instruction: on each the branch that decided
 * Of an errno that is loaded before it is decided on, and that several branches keep: those.
 * @ret: @max of them, those that are doubtful last
 * Return: how many: one of them is it; -ENOENT if one way leads there, or of one of them the branch
 * is not known; -E2BIG; -EFAULT; -ENOMEM.
 */
int decisions_one_of(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		     const struct why_state *state, struct decision *ret, size_t max);

/**
 * decision_at() - of this branch, which decided
 * @addr: of it, in @func
 * @state: before it was executed, or NULL
 * Return: 0; -ENOENT: no branch begins there; -EFAULT; -ENOMEM.
 */
int decision_at(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		bool taken, const struct why_state *state, struct decision *ret);

#endif
