// SPDX-License-Identifier: GPL-2.0
#include "watch/memory.h"

#include <stdio.h>
#include <unistd.h>

#include "util/cleanup.h"

uint64_t memory_used(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long size, resident;

	if (!file || fscanf(file, "%llu %llu", &size, &resident) != 2)
		return 0;
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}
