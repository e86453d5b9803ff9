// SPDX-License-Identifier: GPL-2.0
#include "capture/module_text.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t module_text(const char *name)
{
	uint64_t addr = 0;
	char path[128];
	FILE *file;

	if (snprintf(path, sizeof(path), "/sys/module/%s/sections/.text", name) >=
	    (int)sizeof(path))
		return 0;
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%" SCNx64, &addr) != 1)
		addr = 0;
	fclose(file);
	return addr;
}
