// SPDX-License-Identifier: GPL-2.0
#include "capfile/items.h"

#include <stdlib.h>

/* More than a kernel with all its modules has; then all is forgotten, and written again. */
#define ITEMS_MAX (1u << 20)

void items_forget(struct item_table *table)
{
	free(table->items);
	*table = (struct item_table){0};
}

static struct item *find_slot(struct item *items, size_t room, uint64_t addr, bool part)
{
	size_t i = (addr * 0x9e3779b97f4a7c15u >> 32) & (room - 1);

	while (items[i].used && (items[i].addr != addr || items[i].part != part))
		i = (i + 1) & (room - 1);
	return &items[i];
}

struct item *items_get(struct item_table *table, uint64_t addr, bool part)
{
	struct item *slot;

	if (table->count >= ITEMS_MAX)
		items_forget(table);
	if (table->count * 2 >= table->room) {
		size_t room = table->room ? table->room * 2 : 1024;
		struct item *items = calloc(room, sizeof(*items));

		if (!items)
			return NULL;
		for (size_t i = 0; i < table->room; i++) {
			const struct item *old = &table->items[i];

			if (old->used)
				*find_slot(items, room, old->addr, old->part) = *old;
		}
		free(table->items);
		table->items = items;
		table->room = room;
	}
	slot = find_slot(table->items, table->room, addr, part);
	if (!slot->used) {
		*slot = (struct item){.addr = addr, .part = part, .used = true};
		table->count++;
	}
	return slot;
}

static bool overlaps(const struct item *item, uint64_t addr, uint64_t size)
{
	return item->addr - addr < size || addr - item->addr < item->size;
}

void items_fill(struct item_table *table, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; table->gaps && i < table->room; i++) {
		struct item *item = &table->items[i];

		if (item->gaps && overlaps(item, addr, size))
			item->text = item->generation = 0;
	}
}

void items_withdraw(struct item_table *table, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; i < table->room; i++) {
		struct item *item = &table->items[i];

		if (overlaps(item, addr, size)) {
			item->rewrite = true;
			item->generation = 0;
		}
	}
}

void items_recheck(struct item_table *table)
{
	for (size_t i = 0; i < table->room; i++) {
		struct item *item = &table->items[i];

		item->generation = 0;
		item->named = 0;
		if (item->rewrite)
			item->text = 0;
		item->rewrite = false;
	}
}
