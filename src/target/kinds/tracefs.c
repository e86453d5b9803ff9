// SPDX-License-Identifier: GPL-2.0
/* tracefs.c - where tracefs is mounted */
#include <unistd.h>

#include "target/target.h"
#include "util/cleanup.h"

const char *tracefs_dir(void)
{
	static const char *const dirs[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/events", dirs[i]);
		if (!access(path, X_OK))
			return dirs[i];
	}
	return NULL;
}
