// SPDX-License-Identifier: GPL-2.0
#include "snapshot/snapshot.h"

#include <stddef.h>
#include <string.h>

void snapshot_clear(struct snapshot *snap)
{
	_Static_assert(offsetof(struct snapshot, branches) + sizeof(snap->branches) ==
			       sizeof(*snap),
		       "no member is left out");
	memset(snap, 0, offsetof(struct snapshot, branches));
}

bool trigger_is_user(const struct trigger *trigger)
{
	return trigger && trigger_traits(trigger->kind)->program_event;
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
