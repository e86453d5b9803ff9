// SPDX-License-Identifier: GPL-2.0
#include "pipeline/trigger_instances.h"

#include <stdlib.h>

#include "util/vector.h"

/* Places of functions in processes; further ones have no entry of the function. */
#define INSTANCES_MAX 16384u

/** struct trigger_instance - a trigger in one process, or in those that have its file at the same
 * address */
struct trigger_instance {
	const struct trigger *original;
	struct trigger trigger;
};

struct trigger *trigger_instance_at(struct trigger_instances *list, const struct trigger *original,
				    uint64_t addr)
{
	struct trigger_instance *instance;

	for (size_t i = list->count; i-- > 0;)
		if (list->items[i]->original == original &&
		    list->items[i]->trigger.func_addr == addr)
			return &list->items[i]->trigger;
	if (list->count >= INSTANCES_MAX)
		return NULL;
	if (vector_grow(&list->items, list->count, sizeof(struct trigger_instance *)))
		return NULL;
	instance = calloc(1, sizeof(*instance));
	if (!instance)
		return NULL;
	*instance = (struct trigger_instance){.original = original, .trigger = *original};
	instance->trigger.func_addr = addr;
	list->items[list->count++] = instance;
	return &instance->trigger;
}

void trigger_instance_at_symbol(struct trigger_instances *list, struct symbols *symbols,
				struct snapshot *snap)
{
	struct trigger *instance;
	struct symbol sym;

	if (symbols_find(symbols, snap->ip, &sym))
		return;
	instance = trigger_instance_at(list, snap->trigger, sym.addr);
	if (!instance)
		return;
	instance->function = (char *)sym.name;
	instance->module = (char *)sym.module;
	instance->func_size = sym.size;
	snap->trigger = instance;
}

void trigger_instances_deinit(struct trigger_instances *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct trigger_instances){};
}
