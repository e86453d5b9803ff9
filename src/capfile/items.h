/* SPDX-License-Identifier: GPL-2.0 */
/* items.h - what a recorder has written of which text */
#ifndef LBRSNOOP_CAPFILE_ITEMS_H
#define LBRSNOOP_CAPFILE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash_table.h"

/**
 * struct item - a function, or a part of text that belongs to none, that the file knows
 * @addr: start
 * @size: bytes that @text is of
 * @text: hash of the bytes as they were written; 0: nobody has looked. Others are the recorder's
 * @named: when the names of what they lead to were last looked up
 * @generation: when @text was last compared
 * @gaps: not all of it is there
 * @rewrite: some of @text was withdrawn for another one, since it was written
 */
struct item {
	uint64_t addr;
	uint64_t text;
	uint64_t named;
	uint32_t size;
	uint32_t generation;
	bool part;
	bool gaps;
	bool rewrite;
};

/** struct item_table - by address; {0} is an empty one; @gaps: there may be items that have */
struct item_table {
	struct hash_table by_addr;
	bool gaps;
};

/**
 * items_get() - the one at an address, or a new one
 * Return: valid until the next call; NULL if there is no memory. Of too many all are forgotten.
 */
struct item *items_get(struct item_table *table, uint64_t addr, bool part);

/** items_withdraw() - those that have some of these bytes are to be written again */
void items_withdraw(struct item_table *table, uint64_t addr, uint64_t size);

/**
 * items_fill() - these bytes are in the file now
 * Of those that have some of them and gaps nothing is known any more: what fills a gap may go
 * again.
 */
void items_fill(struct item_table *table, uint64_t addr, uint64_t size);

/**
 * items_recheck() - the addresses are another process's from now on: all of them are to be compared
 * What was withdrawn for another one is not known to be the same in this process.
 */
void items_recheck(struct item_table *table);

/** items_forget() - the table is empty, and holds no memory */
void items_forget(struct item_table *table);

#endif
