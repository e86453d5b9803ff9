// SPDX-License-Identifier: GPL-2.0
#include "snapshot/trigger_kind.h"

static const struct trigger_traits kinds[] = {
	[TRIGGER_NONE] = {.name = "none"},
	[TRIGGER_FENTRY] = {.name = "fentry", .spends = SPENDS_FROM_ENTRY, .by_ftrace = true},
	[TRIGGER_FEXIT] = {.name = "fexit",
			   .value = VALUE_RETURN,
			   .spends = SPENDS_FROM_RETURN,
			   .after_return = true,
			   .by_ftrace = true},
	[TRIGGER_KPROBE] = {.name = "kprobe", .spends = SPENDS_FROM_ENTRY, .by_kprobes = true},
	[TRIGGER_KRETPROBE] = {.name = "kretprobe",
			       .value = VALUE_RETURN,
			       .spends = SPENDS_FROM_RETURN,
			       .after_return = true,
			       .by_kprobes = true},
	[TRIGGER_TRACEPOINT] = {.name = "tracepoint",
				.value = VALUE_SYSCALL_RETURN,
				.spends = SPENDS_TRACER,
				.needs_no_symbols = true},
	[TRIGGER_RAWTRACEPOINT] = {.name = "rawtracepoint",
				   .spends = SPENDS_TRACER,
				   .needs_no_symbols = true},
	[TRIGGER_HW] = {.name = "hw",
			.value = VALUE_RETURN_AT_SITES,
			.spends = SPENDS_FROM_EXCEPTION,
			.by_exception = true},
	[TRIGGER_UPROBE] = {.name = "uprobe",
			    .spends = SPENDS_KERNEL,
			    .program_event = true,
			    .by_exception = true},
	[TRIGGER_URETPROBE] = {.name = "uretprobe",
			       .value = VALUE_USER_RETURN,
			       .spends = SPENDS_KERNEL,
			       .program_event = true,
			       .after_return = true},
	[TRIGGER_SIGNAL] = {.name = "signal",
			    .value = VALUE_SIGNAL,
			    .spends = SPENDS_KERNEL,
			    .program_event = true,
			    .by_exception = true},
	[TRIGGER_FAULT] = {.name = "fault",
			   .value = VALUE_BUG_ADDRESS,
			   .spends = SPENDS_FROM_FAULT,
			   .by_exception = true},
	/* What the kernel does to tell of it fills any LBR. */
	[TRIGGER_PERF] = {.name = "perf",
			  .spends = SPENDS_FROM_EVENT,
			  .program_event = true,
			  .needs_no_symbols = true},
	/* The CPU freezes the LBR for it. */
	[TRIGGER_PMI] = {.name = "pmi", .needs_no_symbols = true},
	[TRIGGER_MULTI] = {.name = "kprobe.multi",
			   .value = VALUE_RETURN,
			   .spends = SPENDS_FROM_RETURN,
			   .after_return = true,
			   .by_ftrace = true},
};

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == TRIGGER_KIND_COUNT,
	       "a row for every trigger kind");

const struct trigger_traits *trigger_traits(enum trigger_kind kind)
{
	return &kinds[(unsigned int)kind < TRIGGER_KIND_COUNT ? kind : TRIGGER_NONE];
}

const char *trigger_kind_name(enum trigger_kind kind)
{
	return (unsigned int)kind < TRIGGER_KIND_COUNT ? kinds[kind].name : "unknown";
}
