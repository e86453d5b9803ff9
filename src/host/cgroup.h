/* SPDX-License-Identifier: GPL-2.0 */
/* cgroup.h - control groups, version 2, as the kernel's programs know them */
#ifndef LBRSNOOP_HOST_CGROUP_H
#define LBRSNOOP_HOST_CGROUP_H

#include <limits.h>
#include <stdint.h>

#define CGROUP_ROOT "/sys/fs/cgroup"

/**
 * struct cgroup - one
 * @path: its folder
 * @id: the inode of that
 * @level: folders below the root
 */
struct cgroup {
	char path[PATH_MAX];
	uint64_t id;
	uint32_t level;
};

/**
 * cgroup_find() - by its name, with or without CGROUP_ROOT before it
 * @ret: @ret->path is set in any case
 * Return: 0; -ENOENT.
 */
int cgroup_find(const char *name, struct cgroup *ret);

/**
 * cgroup_find_unit() - where systemd puts a unit of the system; not templates, or units with a
 * slice of their own
 * @name: "nginx.service", "nginx"
 * Return: as cgroup_find().
 */
int cgroup_find_unit(const char *name, struct cgroup *ret);

#endif
