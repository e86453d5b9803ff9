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
#include "why/watch.h"

/**
 * struct site - an instruction that loads the errno
 * @sym: function that it is in; strings belong to the symbols
 * @reg: it is made only if this register holds all ones before it (AND behind SBB): its
 *       index in struct pt_regs; SITE_REG_NONE: in any case
 */
struct site {
	uint64_t addr;
	struct symbol sym;
	uint16_t err;
	uint8_t reg;
};

/** struct sites - those of the function that ran last come first */
struct sites {
	struct site *items;
	size_t count;
	size_t room;
};

/**
 * sites_find() - in the functions that ran in @failure, and in those that they call whose entry
 * cannot be watched
 * @text, @symbols: of the running kernel
 * @sites: those of @failure's errno are added, each once
 * Return: 0; -ENOMEM. A function that cannot be read has none.
 */
int sites_find(const struct failure *failure, const struct candidates *candidates,
	       const struct text_source *text, struct symbols *symbols, struct sites *sites);

/** sites_deinit() - free */
void sites_deinit(struct sites *sites);

#endif
