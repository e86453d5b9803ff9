/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hash_table.h - elements found by a hash: an array in the order they came, and an index of it
 *
 * Elements lie side by side, however much of the index is free: large ones waste no memory. Single
 * elements cannot be removed.
 */
#ifndef LBRSNOOP_UTIL_HASH_TABLE_H
#define LBRSNOOP_UTIL_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct hash_slot - of the index; @number: place of the element, from 1 on; 0: the slot is free
 */
struct hash_slot {
	uint32_t hash;
	uint32_t number;
};

/**
 * struct hash_table - {0} is an empty one
 * @items: the elements, an array of @count; it moves when one is added
 * @slots: open addressing; @room is a power of two and at least twice @count, or 0
 */
struct hash_table {
	void *items;
	size_t count;
	struct hash_slot *slots;
	size_t room;
};

/** hash_same_fn - is this element the one that is looked for? */
typedef bool hash_same_fn(const void *element, const void *key);

/**
 * hash_number() - hash of a number or an address
 * Source: Knuth, The Art of Computer Programming vol. 3, 6.4: 2^64 / golden ratio
 */
static inline uint32_t hash_number(uint64_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32);
}

/**
 * hash_table_find() - the element of this hash that is @same as @key
 * @size: bytes of an element, alike in all calls for a table
 * Return: valid until the next hash_table_add(); NULL if there is none.
 */
static inline void *hash_table_find(const struct hash_table *table, size_t size, uint32_t hash,
				    hash_same_fn *same, const void *key)
{
	for (size_t i = hash; table->room; i++) {
		const struct hash_slot *slot = &table->slots[i & (table->room - 1)];
		char *element;

		if (!slot->number)
			break;
		element = (char *)table->items + (slot->number - 1) * size;
		if (slot->hash == hash && same(element, key))
			return element;
	}
	return NULL;
}

/**
 * hash_table_add() - append a copy of @element, which is not in it yet
 * Return: the copy, valid until the next call; NULL if there is no memory: nothing has changed.
 */
void *hash_table_add(struct hash_table *table, size_t size, uint32_t hash, const void *element);

/** hash_table_clear() - no elements any more; the index keeps its room for the next ones */
void hash_table_clear(struct hash_table *table);

/** hash_table_deinit() - free it; an empty table is left. What elements own is the caller's. */
void hash_table_deinit(struct hash_table *table);

#endif
