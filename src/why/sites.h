/* SPDX-License-Identifier: GPL-2.0 */
/* sites.h - the instructions that can have made the errno of a call that failed */
#ifndef LBRSNOOP_WHY_SITES_H
#define LBRSNOOP_WHY_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "why/candidates.h"
#include "why/failures.h"
#include "why/run/watch.h"

/**
 * struct site - an instruction that loads the errno
 * @sym: function that it is in; strings belong to the symbols
 * @watch: where it is seen: at @addr, or behind it where only its result tells (NEG, SUB)
 * @reg: it is made only if this register holds all ones at @watch (before AND behind SBB or SAR,
 * after NEG): its index in struct pt_regs; SITE_REG_NONE: in any case
 * @branch: it loads nothing: it is a branch that may have decided for the errno, if it went @taken;
 * it comes @behind the errno, or before it
 * @further: of a function that may not have run at all: only a chain of calls leads to it that
 *           nobody can watch. If it cannot be watched, what was executed is the answer
 */
struct site {
	uint64_t addr;
	uint64_t watch;
	struct symbol sym;
	uint16_t err;
	uint8_t reg;
	bool branch;
	bool taken;
	bool behind;
	bool further;
};

/** struct sites - those of the function that was entered last for the first time come first */
struct sites {
	struct site *items;
	size_t count;
	size_t room;
};

/**
 * sites_find() - in the functions that ran in @failure, and in those that they call or jump to
 * whose entry cannot be watched; at the end those further away
 * @text, @symbols: of the running kernel
 * @sites: those of @failure's errno are added, each once
 * Return: 0; -ENOMEM. A function that cannot be read has none.
 */
int sites_find(const struct failure *failure, const struct candidates *candidates,
	       const struct text_source *text, struct symbols *symbols, struct sites *sites);

/**
 * sites_of_function() - in one function, and in those that it calls or jumps to whose entry cannot
 * be watched
 *
 * Arguments and return value as those of sites_find().
 */
int sites_of_function(const struct symbol *sym, uint32_t err, const struct candidates *candidates,
		      const struct text_source *text, struct symbols *symbols, struct sites *sites);

/** sites_has() - is the instruction at @addr one of them? */
bool sites_has(const struct sites *sites, uint64_t addr);

/** sites_add() - at the end, if it is not there yet; 0 or -ENOMEM */
int sites_add(struct sites *sites, const struct site *site);

/** sites_deinit() - free */
void sites_deinit(struct sites *sites);

#endif
