// SPDX-License-Identifier: GPL-2.0
#include "truth.h"

#include <errno.h>
#include <stdlib.h>

int truth_append(struct truth_cpu *cpu, const struct truth_event *ev)
{
	if (cpu->count == cpu->cap) {
		size_t cap = cpu->cap ? cpu->cap * 2 : 1 << 16;
		struct truth_event *bigger = realloc(cpu->events, cap * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		cpu->events = bigger;
		cpu->cap = cap;
	}
	cpu->events[cpu->count++] = *ev;
	return 0;
}

size_t truth_executed(const struct truth_cpu *cpu, size_t first, size_t end, uint64_t *ret,
		      size_t *ret_stopped)
{
	const struct truth_event *branch = end < cpu->count ? &cpu->events[end] : NULL;
	size_t n = 0;

	*ret_stopped = SIZE_MAX;
	for (size_t i = first; i < end; i++) {
		const struct truth_event *ev = &cpu->events[i];

		if (ev->kind == 'Z')
			*ret_stopped = n;
		else if (ev->kind == 'I' && !(n && ret[n - 1] == ev->addr))
			ret[n++] = ev->addr;
	}
	if (n && branch && branch->kind == 'B' && branch->irq && branch->addr == ret[n - 1])
		n--;
	return n;
}
