// SPDX-License-Identifier: GPL-2.0
#include "host/cgroup.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Those of version 1 have inodes, too, which are no IDs of groups. */
static bool is_version_2(void)
{
	struct statfs fs;

	return !statfs(CGROUP_ROOT, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* How deep it is says its name without "." and "..". */
static int find(const char *below, struct cgroup *ret)
{
	char real[PATH_MAX];
	const char *rest = real + strlen(CGROUP_ROOT);
	struct stat st;

	if (snprintf(ret->path, sizeof(ret->path), CGROUP_ROOT "/%s", below) >=
		    (int)sizeof(ret->path) ||
	    !realpath(ret->path, real) || strncmp(real, CGROUP_ROOT, strlen(CGROUP_ROOT)) != 0 ||
	    (*rest && *rest != '/') || !is_version_2() || stat(real, &st) || !S_ISDIR(st.st_mode))
		return -ENOENT;
	ret->id = st.st_ino;
	ret->level = 0;
	for (; *rest; rest++)
		ret->level += *rest == '/';
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
