// SPDX-License-Identifier: GPL-2.0
#include "target/wide.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

/* Endbr64, then the place for the tracer's call. */
#define ENTRY_BYTES 9

/*
 * Names of Linux 5.19 to 6.18. Each of their returns would be looked at on the way to each
 * snapshot: the kernel leaves out those that it runs itself, not those that helpers of BPF run.
 */
static const char *const own[] = {
	/* kernel/trace/{fprobe,rethook,fgraph,ftrace,bpf_trace}.c, lib/objpool.c */
	"*rethook*",
	"fprobe_*",
	"*kprobe_multi_*",
	"*ftrace*",
	"objpool_*",
	/* kernel/bpf, and what its programs are run by */
	"bpf_*",
	"__bpf_*",
	"___bpf_*",
	"htab_*",
	"__htab_*",
	"lookup_nulls_elem_raw",
	"*rcu_read_lock*",
	"*rcu_read_unlock*",
	"rcu_is_watching",
	"migrate_*able",
	"preempt_count_*",
	"ktime_get*",
	"copy_from_kernel_nofault*",
	"strncpy_from_kernel_nofault",
	/* kernel/events/callchain.c, arch/x86/kernel/unwind_orc.c */
	"get_perf_callchain",
	"get_callchain_*",
	"perf_callchain*",
	"unwind_*",
	"__unwind_*",
	"orc_*",
	"stack_access_ok",
	"in_*_stack*",
	"get_stack_info*",
	"*kernel_text_address",
	"*module_address",
	"*module_text_address",
	"is_module_*",
	/* arch/x86/events */
	"intel_pmu_*",
	"amd_pmu_*",
	"x86_pmu_*",
};

void wide_choose(struct probe_list *list)
{
	size_t count = 0;

	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < list->count; i++) {
			struct probe *probe = &list->items[i];

			if (!probe->optional || !probe->fallback ||
			    probe->trigger.kind != TRIGGER_FEXIT)
				continue;
			if (!turn)
				count++;
			else if (count > WIDE_FUNCTIONS)
				probe->trigger.kind = TRIGGER_MULTI;
		}
}

bool wide_any(const struct probe_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].trigger.kind == TRIGGER_MULTI)
			return true;
	return false;
}

size_t wide_undo(struct probe_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].trigger.kind == TRIGGER_MULTI && !list->items[i].fallback)
			return 0;
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].trigger.kind == TRIGGER_MULTI) {
			list->items[i].trigger.kind = TRIGGER_FEXIT;
			count++;
		}
	return count;
}

bool wide_leaves_out(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!fnmatch(own[i], name, 0))
			return true;
	return false;
}

static bool has_place(const struct probe *probe, const struct text_source *text,
		      const struct probeable *probeable, const struct traced *traced)
{
	const struct trigger *trigger = &probe->trigger;
	size_t size = trigger->func_size && trigger->func_size < ENTRY_BYTES ? trigger->func_size
									     : ENTRY_BYTES;
	uint8_t bytes[ENTRY_BYTES];

	if (traced->count)
		return traced_has(traced, trigger->addr);
	if (!text)
		return probeable_traced(probeable, trigger->function, trigger->module);
	return !text->read(text->ctx, trigger->addr, bytes, size) &&
	       begins_with_fentry(bytes, size);
}

/* Counts what is left out; further names of one address are not, nor is a name without one. */
static bool is_left_out(const struct probe *probe, const struct text_source *text,
			const struct probeable *probeable, const struct traced *traced,
			struct wide_left_out *left)
{
	if (wide_leaves_out(probe->trigger.function))
		left->own++;
	else if (probeable_forbidden(probeable, probe->trigger.addr))
		left->forbidden++;
	else if (!has_place(probe, text, probeable, traced))
		left->untraced++;
	else
		return false;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct probe *x = *(const struct probe *const *)a;
	const struct probe *y = *(const struct probe *const *)b;

	if (x->trigger.addr != y->trigger.addr)
		return x->trigger.addr < y->trigger.addr ? -1 : 1;
	return x < y ? -1 : x > y;
}

int wide_sift(struct probe_list *list, const struct text_source *text,
	      const struct probeable *probeable, const struct traced *traced,
	      struct wide_left_out *ret_left)
{
	_cleanup_free_ struct probe **sorted = calloc(list->count + 1, sizeof(struct probe *));
	_cleanup_free_ bool *drop = calloc(list->count + 1, sizeof(*drop));
	struct wide_left_out left = {};
	uint64_t last_addr = 0;
	size_t count = 0;

	if (!sorted || !drop)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].trigger.kind == TRIGGER_MULTI)
			sorted[count++] = &list->items[i];
	/* By address: pages of text are read once. */
	qsort(sorted, count, sizeof(struct probe *), by_address);
	for (size_t i = 0; i < count; i++) {
		uint64_t addr = sorted[i]->trigger.addr;

		drop[sorted[i] - list->items] =
			addr == last_addr || is_left_out(sorted[i], text, probeable, traced, &left);
		last_addr = addr;
	}
	probe_list_drop(list, drop);
	*ret_left = left;
	return 0;
}
