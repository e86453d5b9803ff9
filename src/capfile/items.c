// SPDX-License-Identifier: GPL-2.0
#include "capfile/items.h"

/* More than a kernel with all its modules has; then all is forgotten, and written again. */
#define ITEMS_MAX (1u << 20)

void items_forget(struct item_table *table)
{
	hash_table_deinit(&table->by_addr);
	table->gaps = false;
}

static bool is_item(const void *element, const void *key)
{
	const struct item *item = element, *wanted = key;

	return item->addr == wanted->addr && item->part == wanted->part;
}

struct item *items_get(struct item_table *table, uint64_t addr, bool part)
{
	const struct item item = {.addr = addr, .part = part};
	uint32_t hash = hash_number(addr);
	struct item *found;

	if (table->by_addr.count >= ITEMS_MAX)
		items_forget(table);
	found = hash_table_find(&table->by_addr, sizeof(item), hash, is_item, &item);
	return found ?: hash_table_add(&table->by_addr, sizeof(item), hash, &item);
}

static bool overlaps(const struct item *item, uint64_t addr, uint64_t size)
{
	return item->addr - addr < size || addr - item->addr < item->size;
}

void items_fill(struct item_table *table, uint64_t addr, uint64_t size)
{
	struct item *items = table->by_addr.items;

	for (size_t i = 0; table->gaps && i < table->by_addr.count; i++) {
		struct item *item = &items[i];

		if (item->gaps && overlaps(item, addr, size))
			item->text = item->generation = 0;
	}
}

void items_withdraw(struct item_table *table, uint64_t addr, uint64_t size)
{
	struct item *items = table->by_addr.items;

	for (size_t i = 0; i < table->by_addr.count; i++) {
		struct item *item = &items[i];

		if (overlaps(item, addr, size)) {
			item->rewrite = true;
			item->generation = 0;
		}
	}
}

void items_recheck(struct item_table *table)
{
	struct item *items = table->by_addr.items;

	for (size_t i = 0; i < table->by_addr.count; i++) {
		struct item *item = &items[i];

		item->generation = 0;
		item->named = 0;
		if (item->rewrite)
			item->text = 0;
		item->rewrite = false;
	}
}
