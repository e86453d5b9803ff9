/* SPDX-License-Identifier: GPL-2.0 */
/* tasks.h - processes and threads that run already, out of /proc */
#ifndef LBRSNOOP_WHY_TASKS_H
#define LBRSNOOP_WHY_TASKS_H

#include <stddef.h>
#include <stdint.h>

/** struct tasks - IDs; free with tasks_deinit() */
struct tasks {
	uint32_t *ids;
	size_t count;
};

/** tasks_add() - at the end, if it is not there yet; 0 or -ENOMEM */
int tasks_add(struct tasks *tasks, uint32_t id);

/**
 * tasks_process() - the process that a thread ID belongs to
 * Return: 0; -ESRCH if there is no such thread.
 */
int tasks_process(uint32_t tid, uint32_t *ret_pid);

/**
 * tasks_children() - add the children of the processes in @pids, and theirs
 * Who follows forks has to follow those in @pids already, and calls this until it returns 0.
 * Return: how many came; negative errno.
 */
int tasks_children(struct tasks *pids);

/** tasks_threads() - add the threads of a process, which may have ended; 0 or -ENOMEM */
int tasks_threads(uint32_t pid, struct tasks *tids);

/** tasks_named() - add the threads of this name (comm); 0 or negative errno */
int tasks_named(const char *comm, struct tasks *tids);

/**
 * tasks_in_cgroup() - add the threads of a control group and of those below it
 * @path: its folder (cgroup v2)
 * Return: 0; negative errno.
 */
int tasks_in_cgroup(const char *path, struct tasks *tids);

/** tasks_deinit() - free */
void tasks_deinit(struct tasks *tasks);

#endif
