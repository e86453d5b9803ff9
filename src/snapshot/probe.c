// SPDX-License-Identifier: GPL-2.0
#include "snapshot/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

bool probe_has_retval(const struct probe *probe, enum trigger_kind kind)
{
	switch (trigger_traits(kind)->value) {
	case VALUE_RETURN:
		return probe->ret != RETURN_NONE;
	case VALUE_RETURN_AT_SITES:
		return probe->site_kind != SITE_PLAIN && probe->ret != RETURN_NONE;
	case VALUE_SYSCALL_RETURN:
		return probe->ret == RETURN_S64;
	case VALUE_USER_RETURN:
		return true;
	default:
		return false;
	}
}

bool probe_needs_exit(const struct probe *probe)
{
	if (probe->trigger.kind != TRIGGER_HW || probe->site_kind != SITE_ERRNO)
		return false;
	for (uint32_t i = 0; i < probe->site_count; i++)
		if (!probe->site_certain[i])
			return true;
	return false;
}

bool probe_stand_on_returns(struct probe *probe)
{
	if (probe->trigger.kind != TRIGGER_HW || probe->site_kind != SITE_ERRNO ||
	    !probe->return_count)
		return false;
	memcpy(probe->sites, probe->returns, sizeof(probe->sites));
	probe->site_count = probe->return_count;
	probe->site_kind = SITE_RETURN;
	return true;
}

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
	copy->trigger.path = from->trigger.path ? strdup(from->trigger.path) : NULL;
	copy->parameters = NULL;
	copy->parameter_count = 0;
	if (from->parameter_count) {
		copy->parameters = calloc(from->parameter_count, sizeof(*copy->parameters));
		if (!copy->parameters)
			return NULL;
		memcpy(copy->parameters, from->parameters,
		       from->parameter_count * sizeof(*copy->parameters));
		copy->parameter_count = from->parameter_count;
	}
	return copy->trigger.target && copy->trigger.function && copy->trigger.module &&
			       copy->category && !copy->trigger.path == !from->trigger.path
		       ? copy
		       : NULL;
}

/* The upper part of a register that holds less is undefined. */
static int64_t value_of(const struct parameter *parameter, uint64_t word)
{
	unsigned int unused = 64 - 8u * parameter->bytes;

	switch (parameter->kind) {
	case ARGUMENT_POINTER:
		return word != 0;
	case ARGUMENT_SIGNED:
		return (int64_t)(word << unused) >> unused;
	default:
		return (int64_t)(word << unused >> unused);
	}
}

void probe_arguments(const struct probe *probe, const uint64_t *words, uint64_t count,
		     struct snapshot *ret_snap)
{
	ret_snap->argument_count = 0;
	for (uint32_t i = 0; i < probe->parameter_count; i++) {
		const struct parameter *parameter = &probe->parameters[i];

		if (parameter->word >= count || parameter->word >= ARGUMENTS_MAX ||
		    ret_snap->argument_count == ARGUMENTS_MAX)
			continue;
		ret_snap->arguments[ret_snap->argument_count++] = (struct argument){
			.name = parameter->name,
			.kind = parameter->kind,
			.value = value_of(parameter, words[parameter->word]),
		};
	}
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* A plain name (@fallback) may become a hardware breakpoint yet, fexit:NAME may not. */
static int compare_places(const struct probe *x, const struct probe *y)
{
	int order = compare_numbers(x->trigger.addr, y->trigger.addr);

	order = order ?: compare_numbers(x->trigger.kind, y->trigger.kind);
	order = order ?: compare_numbers(x->fallback, y->fallback);
	order = order ?: compare_numbers(x->site_kind, y->site_kind);
	order = order ?: compare_numbers(x->place, y->place);
	order = order ?: compare_numbers(x->event.type, y->event.type);
	order = order ?: compare_numbers(x->event.config, y->event.config);
	order = order ?: compare_numbers(x->event.period, y->event.period);
	order = order ?: strcmp(x->trigger.function, y->trigger.function);
	order = order ?: strcmp(x->trigger.module, y->trigger.module);
	order = order ?: strcmp(x->trigger.path ?: "", y->trigger.path ?: "");
	order = order ?: compare_numbers(x->file_offset, y->file_offset);
	return order ?: strcmp(x->category ?: "", y->category ?: "");
}

/* Of equal ones the first in the list comes first. */
static int compare_probes(const void *a, const void *b)
{
	const struct probe *x = *(const struct probe *const *)a;
	const struct probe *y = *(const struct probe *const *)b;

	return compare_places(x, y) ?: compare_numbers((uintptr_t)x, (uintptr_t)y);
}

static void probe_deinit(struct probe *probe)
{
	free(probe->trigger.target);
	free(probe->trigger.function);
	free(probe->trigger.module);
	free(probe->trigger.path);
	free(probe->category);
	free(probe->parameters);
}

void probe_list_drop(struct probe_list *list, const bool *drop)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (drop[i])
			probe_deinit(&list->items[i]);
		else
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

int probe_list_drop_twins(struct probe_list *list)
{
	_cleanup_free_ struct probe **sorted = NULL;
	_cleanup_free_ bool *twin = NULL;
	size_t one = 0;

	if (list->count < 2)
		return 0;
	sorted = calloc(list->count, sizeof(struct probe *));
	twin = calloc(list->count, sizeof(*twin));
	if (!sorted || !twin)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++)
		sorted[i] = &list->items[i];
	qsort(sorted, list->count, sizeof(struct probe *), compare_probes);
	for (size_t i = 1; i < list->count; i++) {
		if (compare_places(sorted[one], sorted[i])) {
			one = i;
			continue;
		}
		twin[sorted[i] - list->items] = true;
		/* Asked for by its name once, it has to be armed. */
		sorted[one]->optional = sorted[one]->optional && sorted[i]->optional;
	}
	probe_list_drop(list, twin);
	return 0;
}

void probe_list_deinit(struct probe_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		probe_deinit(&list->items[i]);
	free(list->items);
	memset(list, 0, sizeof(*list));
}
