// SPDX-License-Identifier: GPL-2.0
#include "symbolize/cold_part.h"

#include <errno.h>
#include <string.h>

#define SUFFIX	     ".cold"
#define NAME_MAX_LEN 512 /* KSYM_NAME_LEN, include/linux/kallsyms.h */

static bool is_suffix(const char *rest)
{
	size_t len = strlen(SUFFIX);

	return !strncmp(rest, SUFFIX, len) && (rest[len] == '\0' || rest[len] == '.');
}

size_t cold_part_prefix(const char *name)
{
	for (const char *at = strstr(name, SUFFIX); at; at = strstr(at + 1, SUFFIX))
		if (is_suffix(at))
			return at - name;
	return 0;
}

bool cold_part_is_of(const struct symbol *cold, const struct symbol *func)
{
	size_t len = strlen(func->name);

	return !strncmp(cold->name, func->name, len) && is_suffix(cold->name + len) &&
	       !strcmp(cold->module, func->module);
}

bool cold_part_same(const struct symbol *a, const struct symbol *b)
{
	return a->addr == b->addr || cold_part_is_of(a, b) || cold_part_is_of(b, a);
}

int cold_part_whole(struct symbols *symbols, const struct symbol *part, size_t which,
		    struct symbol *ret_func)
{
	size_t len = cold_part_prefix(part->name);
	char name[NAME_MAX_LEN];

	if (!len || len >= sizeof(name))
		return -ENOENT;
	memcpy(name, part->name, len);
	name[len] = '\0';
	return symbols_by_name(symbols, part->module, name, which, ret_func) ? -ENOENT : 0;
}
