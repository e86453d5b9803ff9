// SPDX-License-Identifier: GPL-2.0
#include "why/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define COMM_LEN 15 /* TASK_COMM_LEN of include/linux/sched.h, less its end */

/** typedef each_fn - one numbered folder; non-zero ends */
typedef int each_fn(uint32_t id, void *ctx);

static bool has(const struct tasks *tasks, uint32_t id)
{
	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->ids[i] == id)
			return true;
	return false;
}

int tasks_add(struct tasks *tasks, uint32_t id)
{
	uint32_t *ids;

	if (has(tasks, id))
		return 0;
	ids = reallocarray(tasks->ids, tasks->count + 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	tasks->ids = ids;
	ids[tasks->count++] = id;
	return 0;
}

void tasks_deinit(struct tasks *tasks)
{
	free(tasks->ids);
	*tasks = (struct tasks){};
}

static int for_each(const char *path, each_fn *fn, void *ctx)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		char *end;
		unsigned long id = strtoul(entry->d_name, &end, 10);

		if (id && !*end)
			err = fn((uint32_t)id, ctx);
	}
	closedir(dir);
	return err;
}

/* A line "NAME:\tNUMBER" of /proc/ID/status. */
static int read_status(uint32_t id, const char *name, uint32_t *ret)
{
	char path[32], line[256];
	_cleanup_fclose_ FILE *file = NULL;
	size_t len = strlen(name);

	snprintf(path, sizeof(path), "/proc/%u/status", id);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, len) && line[len] == ':')
			return sscanf(line + len + 1, "%u", ret) == 1 ? 0 : -EINVAL;
	return -ESRCH;
}

int tasks_process(uint32_t tid, uint32_t *ret_pid)
{
	return read_status(tid, "Tgid", ret_pid);
}

static int add_child(uint32_t pid, void *ctx)
{
	struct tasks *pids = ctx;
	uint32_t parent;

	if (has(pids, pid) || read_status(pid, "PPid", &parent) || !has(pids, parent))
		return 0;
	return tasks_add(pids, pid);
}

int tasks_children(struct tasks *pids)
{
	size_t before = pids->count;
	int err = for_each("/proc", add_child, pids);

	return err ?: (int)(pids->count - before);
}

static int add_thread(uint32_t tid, void *ctx)
{
	return tasks_add(ctx, tid);
}

int tasks_threads(uint32_t pid, struct tasks *tids)
{
	char path[32];
	int err;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	err = for_each(path, add_thread, tids);
	return err == -ENOMEM ? err : 0;
}

struct named {
	const char *comm;
	struct tasks *tids;
	uint32_t pid;
};

static int add_named(uint32_t tid, void *ctx)
{
	const struct named *named = ctx;
	char path[64], comm[64];
	_cleanup_fclose_ FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", named->pid, tid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, sizeof(comm), file))
		return 0;
	comm[strcspn(comm, "\n")] = '\0';
	return strncmp(comm, named->comm, COMM_LEN) != 0 ? 0 : tasks_add(named->tids, tid);
}

static int add_named_of(uint32_t pid, void *ctx)
{
	struct named *named = ctx;
	char path[32];
	int err;

	named->pid = pid;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	err = for_each(path, add_named, named);
	return err == -ENOMEM ? err : 0;
}

int tasks_named(const char *comm, struct tasks *tids)
{
	struct named named = {.comm = comm, .tids = tids};

	return for_each("/proc", add_named_of, &named);
}

/* Of a domain, all threads are in cgroup.threads of the group of their process, or below. */
static int read_threads(const char *path, struct tasks *tids)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	unsigned int tid;
	int err = file ? 0 : -errno;

	while (!err && fscanf(file, "%u", &tid) == 1)
		err = tasks_add(tids, tid);
	return err;
}

int tasks_in_cgroup(const char *path, struct tasks *tids)
{
	char *paths[] = {(char *)path, NULL};
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *entry;
	int err = tree ? 0 : -errno;

	while (!err && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_F && !strcmp(entry->fts_name, "cgroup.threads"))
			err = read_threads(entry->fts_path, tids);
		/* A group that goes meanwhile has no task. */
		if (err == -ENOENT || err == -ENODEV)
			err = 0;
	}
	if (tree)
		fts_close(tree);
	return err;
}
