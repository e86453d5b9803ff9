/* SPDX-License-Identifier: GPL-2.0 */
/* follow.h - whose calls are watched, of what runs already */
#ifndef LBRSNOOP_WHY_RUN_FOLLOW_H
#define LBRSNOOP_WHY_RUN_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "util/errmsg.h"
#include "why/run/function_log.h"
#include "why/run/watch.h"

/**
 * struct follow - free with follow_close(); strings are borrowed
 * @pid: a process, and its children; 0: none
 * @pidfd: of it; -1: none
 * @comm: tasks of this name, or NULL
 * @cgroup: folder of a control group, or NULL
 * @cgroup_id: of it
 */
struct follow {
	uint32_t pid;
	int pidfd;
	const char *comm;
	const char *cgroup;
	uint64_t cgroup_id;
};

/**
 * follow_open() - by the ID of a process or of one of its threads, or by what @watch has
 * @ret: set in any case
 * Return: 0; -ESRCH if there is no such process; negative errno, with @msg.
 */
int follow_open(uint32_t pid, const char *cgroup, const struct watch_options *watch,
		struct follow *ret, struct errmsg *msg);

/** follow_watch() - watch the process, and the children that it has; 0; negative errno, with @msg
 */
int follow_watch(const struct follow *follow, struct watch *watch, struct errmsg *msg);

/** follow_log() - log the functions of all that is followed; 0; negative errno, with @msg */
int follow_log(const struct follow *follow, struct function_log *log, struct errmsg *msg);

/** follow_gone() - has it ended? @ret_why says so */
bool follow_gone(const struct follow *follow, struct errmsg *ret_why);

/** follow_close() - free */
void follow_close(struct follow *follow);

#endif
