// SPDX-License-Identifier: GPL-2.0
#include "symbolize/text/module_sections.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define PATH_BYTES 4096

uint64_t module_section_addr(const char *module, const char *section)
{
	char path[PATH_BYTES], text[32];
	_cleanup_fclose_ FILE *file = NULL;

	if (snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", module, section) >=
	    (int)sizeof(path))
		return 0;
	file = fopen(path, "re");
	if (!file || !fgets(text, sizeof(text), file))
		return 0;
	return strtoull(text, NULL, 16);
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

void module_sections_each(const char *module,
			  int (*fn)(const char *section, uint64_t addr, void *ctx), void *ctx)
{
	const struct dirent *entry;
	char path[PATH_BYTES];
	DIR *dir;

	if (snprintf(path, sizeof(path), "/sys/module/%s/sections", module) >= (int)sizeof(path))
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		uint64_t addr =
			is_dots(entry->d_name) ? 0 : module_section_addr(module, entry->d_name);

		if (addr && fn(entry->d_name, addr, ctx))
			break;
	}
	if (dir)
		closedir(dir);
}
