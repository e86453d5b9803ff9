// SPDX-License-Identifier: GPL-2.0
#include "util/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/vector.h"

#define ROOM_MIN 64u

static void put(struct hash_slot *slots, size_t room, struct hash_slot slot)
{
	size_t i = slot.hash & (room - 1);

	while (slots[i].number)
		i = (i + 1) & (room - 1);
	slots[i] = slot;
}

static int grow(struct hash_table *table)
{
	size_t room = table->room ? table->room * 2 : ROOM_MIN;
	struct hash_slot *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->room; i++)
		if (table->slots[i].number)
			put(slots, room, table->slots[i]);
	free(table->slots);
	table->slots = slots;
	table->room = room;
	return 0;
}

void *hash_table_add(struct hash_table *table, size_t size, uint32_t hash, const void *element)
{
	char *copy;

	if (table->count >= UINT32_MAX / 2 || vector_grow(&table->items, table->count, size) ||
	    ((table->count + 1) * 2 > table->room && grow(table)))
		return NULL;
	copy = (char *)table->items + table->count++ * size;
	memcpy(copy, element, size);
	put(table->slots, table->room,
	    (struct hash_slot){.hash = hash, .number = (uint32_t)table->count});
	return copy;
}

void hash_table_clear(struct hash_table *table)
{
	if (table->count)
		memset(table->slots, 0, table->room * sizeof(*table->slots));
	table->count = 0;
}

void hash_table_deinit(struct hash_table *table)
{
	free(table->items);
	free(table->slots);
	*table = (struct hash_table){};
}
