// SPDX-License-Identifier: GPL-2.0
#include "snapshot/probe.h"

#include <stdlib.h>
#include <string.h>

struct probe *probe_list_add(struct probe_list *list)
{
	struct probe *probe;

	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 16;
		struct probe *items = reallocarray(list->items, room, sizeof(*items));

		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	probe = &list->items[list->count++];
	memset(probe, 0, sizeof(*probe));
	return probe;
}

static char *copy_string(const char *text)
{
	return strdup(text ?: "");
}

struct probe *probe_list_copy(struct probe_list *list, size_t index)
{
	struct probe *copy = probe_list_add(list);
	const struct probe *from;

	if (!copy)
		return NULL;
	from = &list->items[index];
	*copy = *from;
	copy->trigger.target = copy_string(from->trigger.target);
	copy->trigger.function = copy_string(from->trigger.function);
	copy->trigger.module = copy_string(from->trigger.module);
	copy->category = copy_string(from->category);
	return copy->trigger.target && copy->trigger.function && copy->trigger.module &&
			       copy->category
		       ? copy
		       : NULL;
}

void probe_list_deinit(struct probe_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].trigger.target);
		free(list->items[i].trigger.function);
		free(list->items[i].trigger.module);
		free(list->items[i].category);
	}
	free(list->items);
	memset(list, 0, sizeof(*list));
}
