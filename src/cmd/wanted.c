// SPDX-License-Identifier: GPL-2.0
#include "cmd/wanted.h"

#include <string.h>

static bool errno_wanted(const struct capture_options *filter, const struct snapshot *snap)
{
	if (!filter->errno_filter)
		return true;
	if (!snap->err)
		return false;
	return filter->errno_any || filter->errnos[snap->err / 64] & 1ULL << snap->err % 64;
}

bool snapshot_wanted(const struct capture_options *filter, const struct snapshot *snap)
{
	if (filter->pid && snap->pid != filter->pid)
		return false;
	if (filter->comm && strncmp(snap->comm, filter->comm, COMM_LEN - 1))
		return false;
	if (filter->cpu_filter && (snap->cpu >= CPU_WORDS * 64 ||
				   !(filter->cpus[snap->cpu / 64] & 1ULL << snap->cpu % 64)))
		return false;
	return errno_wanted(filter, snap);
}
