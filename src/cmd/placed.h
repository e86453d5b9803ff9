/* SPDX-License-Identifier: GPL-2.0 */
/* placed.h - triggers whose function is known only when they fire: one for each place */
#ifndef LBRSNOOP_CMD_PLACED_H
#define LBRSNOOP_CMD_PLACED_H

#include <stddef.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

struct placed;

/** struct placed_list - each is on its own: snapshots and capture files know them by address */
struct placed_list {
	struct placed **items;
	size_t count;
	size_t room;
};

/**
 * placed_at() - @original, with its function at @addr
 * Return: owned by the list, the same for the same arguments, its strings @original's until the
 * caller sets others; NULL if there is no room for another one.
 */
struct trigger *placed_at(struct placed_list *list, const struct trigger *original, uint64_t addr);

/**
 * placed_at_symbol() - of a snapshot whose trigger is everywhere: it is in the function that holds
 * @snap->ip from now on, where @symbols know one
 *
 * What names it outlives the trigger, and is not its own.
 */
void placed_at_symbol(struct placed_list *list, struct symbols *symbols, struct snapshot *snap);

/** placed_deinit() - free them all */
void placed_deinit(struct placed_list *list);

#endif
