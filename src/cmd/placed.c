// SPDX-License-Identifier: GPL-2.0
#include "cmd/placed.h"

#include <stdlib.h>

/* Places of functions in processes; further ones have no entry of the function. */
#define PLACED_MAX 16384u

/** struct placed - a trigger in one process, or in those that have its file at the same address */
struct placed {
	const struct trigger *original;
	struct trigger trigger;
};

struct trigger *placed_at(struct placed_list *list, const struct trigger *original, uint64_t addr)
{
	struct placed *placed;

	for (size_t i = list->count; i-- > 0;)
		if (list->items[i]->original == original &&
		    list->items[i]->trigger.func_addr == addr)
			return &list->items[i]->trigger;
	if (list->count >= PLACED_MAX)
		return NULL;
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 16;
		struct placed **more = reallocarray(list->items, room, sizeof(struct placed *));

		if (!more)
			return NULL;
		list->items = more;
		list->room = room;
	}
	placed = calloc(1, sizeof(*placed));
	if (!placed)
		return NULL;
	*placed = (struct placed){.original = original, .trigger = *original};
	placed->trigger.func_addr = addr;
	list->items[list->count++] = placed;
	return &placed->trigger;
}

void placed_at_symbol(struct placed_list *list, struct symbols *symbols, struct snapshot *snap)
{
	struct trigger *placed;
	struct symbol sym;

	if (symbols_find(symbols, snap->ip, &sym))
		return;
	placed = placed_at(list, snap->trigger, sym.addr);
	if (!placed)
		return;
	placed->function = (char *)sym.name;
	placed->module = (char *)sym.module;
	placed->func_size = sym.size;
	snap->trigger = placed;
}

void placed_deinit(struct placed_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct placed_list){};
}
