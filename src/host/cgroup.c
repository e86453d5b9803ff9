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

#include "util/cleanup.h"

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

/* systemd.unit(5) */
static bool has_type(const char *name)
{
	static const char *const types[] = {".service", ".socket",    ".device", ".mount",
					    ".swap",	".automount", ".target", ".path",
					    ".timer",	".slice",     ".scope"};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(types); i++)
		if (!strcmp(dot, types[i]))
			return true;
	return false;
}

/* "a-b.slice" lies in "a.slice"; "-.slice" is the root. Source: systemd.slice(5) */
static void put_slice(FILE *out, const char *name)
{
	for (const char *at = name + 1; (at = strchr(at, '-')); at++)
		fprintf(out, "%.*s.slice/", (int)(at - name), name);
	if (*name != '-')
		fputs(name, out);
}

/* Of "foo-bar@" as unit_name_escape() of systemd has it, which leaves no dash in it. */
static void put_template(FILE *out, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (name[i] == '-')
			fputs("\\x2d", out);
		else
			fputc(name[i], out);
}

int cgroup_unit_path(const char *name, char *buf, size_t size)
{
	const char *type = has_type(name) ? "" : ".service", *at = strchr(name, '@');
	FILE *out = size ? fmemopen(buf, size, "w") : NULL;

	if (!out)
		return -ENAMETOOLONG;
	if (has_type(name) && !strcmp(strrchr(name, '.'), ".slice")) {
		put_slice(out, name);
	} else {
		fputs("system.slice/", out);
		/* Source: unit_set_default_slice() of systemd */
		if (at) {
			fputs("system-", out);
			put_template(out, name, (size_t)(at - name));
			fputs(".slice/", out);
		}
		fprintf(out, "%s%s", name, type);
	}
	fputc('\0', out);
	return fclose(out) ? -ENAMETOOLONG : 0;
}

int cgroup_find_unit(const char *name, struct cgroup *ret)
{
	char below[PATH_MAX];

	if (cgroup_unit_path(name, below, sizeof(below))) {
		snprintf(ret->path, sizeof(ret->path), "%s", CGROUP_ROOT);
		return -ENOENT;
	}
	return find(below, ret);
}
