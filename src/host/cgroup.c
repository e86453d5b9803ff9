// SPDX-License-Identifier: GPL-2.0
#include "host/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int find(const char *below, struct cgroup *ret)
{
	struct stat st;

	if (snprintf(ret->path, sizeof(ret->path), CGROUP_ROOT "/%s", below) >=
		    (int)sizeof(ret->path) ||
	    stat(ret->path, &st) || !S_ISDIR(st.st_mode))
		return -ENOENT;
	ret->id = st.st_ino;
	ret->level = 0;
	for (const char *at = below; *at; at += strspn(at, "/")) {
		at += strcspn(at, "/");
		ret->level++;
	}
	return 0;
}

int cgroup_find(const char *name, struct cgroup *ret)
{
	const char *below = name;

	if (!strncmp(name, CGROUP_ROOT, strlen(CGROUP_ROOT)))
		below += strlen(CGROUP_ROOT);
	while (*below == '/')
		below++;
	return find(below, ret);
}

int cgroup_find_unit(const char *name, struct cgroup *ret)
{
	char below[PATH_MAX];

	snprintf(below, sizeof(below), "system.slice/%s%s", name,
		 strchr(name, '.') ? "" : ".service");
	return find(below, ret);
}
