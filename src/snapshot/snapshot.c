// SPDX-License-Identifier: GPL-2.0
#include "snapshot/snapshot.h"

#include <stddef.h>
#include <string.h>

static const char *const kind_names[] = {
	[TRIGGER_NONE] = "none",
	[TRIGGER_FENTRY] = "fentry",
	[TRIGGER_FEXIT] = "fexit",
	[TRIGGER_KPROBE] = "kprobe",
	[TRIGGER_KRETPROBE] = "kretprobe",
	[TRIGGER_TRACEPOINT] = "tracepoint",
	[TRIGGER_RAWTRACEPOINT] = "rawtracepoint",
	[TRIGGER_HW] = "hw",
	[TRIGGER_UPROBE] = "uprobe",
	[TRIGGER_URETPROBE] = "uretprobe",
	[TRIGGER_SIGNAL] = "signal",
	[TRIGGER_FAULT] = "fault",
	[TRIGGER_PERF] = "perf",
	[TRIGGER_PMI] = "pmi",
	[TRIGGER_MULTI] = "kprobe.multi",
};

_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == TRIGGER_KIND_COUNT,
	       "a name for every trigger kind");

const char *trigger_kind_name(enum trigger_kind kind)
{
	return kind < TRIGGER_KIND_COUNT ? kind_names[kind] : "unknown";
}

void snapshot_clear(struct snapshot *snap)
{
	_Static_assert(offsetof(struct snapshot, branches) + sizeof(snap->branches) ==
			       sizeof(*snap),
		       "no member is left out");
	memset(snap, 0, offsetof(struct snapshot, branches));
}

bool trigger_is_user(const struct trigger *trigger)
{
	return trigger && (trigger->kind == TRIGGER_UPROBE || trigger->kind == TRIGGER_URETPROBE ||
			   trigger->kind == TRIGGER_SIGNAL || trigger->kind == TRIGGER_PERF);
}

const char *snapshot_fault_name(const struct snapshot *snap)
{
	if (!snap->trigger || snap->trigger->kind != TRIGGER_FAULT)
		return NULL;
	if (!snap->bug_ip)
		return "exception";
	if (snap->bug_warning == TRI_NOT_REPORTED)
		return "WARN or BUG";
	return snap->bug_warning == TRI_SET ? "WARN" : "BUG";
}
