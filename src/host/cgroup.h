/* SPDX-License-Identifier: GPL-2.0 */
/* cgroup.h - control groups, version 2, as the kernel's programs know them */
#ifndef LBRSNOOP_HOST_CGROUP_H
#define LBRSNOOP_HOST_CGROUP_H

#include <limits.h>
#include <stddef.h>
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
 * cgroup_unit_path() - where systemd puts a unit of the system, below CGROUP_ROOT: by its name,
 * which does not tell of units with a slice of their own (Slice=)
 * @name: "nginx.service", "php8.2-fpm", "postgresql@15-main", "user.slice"
 * Return: 0; -ENAMETOOLONG.
 */
int cgroup_unit_path(const char *name, char *buf, size_t size);

/**
 * cgroup_find_unit() - the control group there
 * Return: as cgroup_find().
 */
int cgroup_find_unit(const char *name, struct cgroup *ret);

#endif
