// SPDX-License-Identifier: GPL-2.0
#include "why/run/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/log.h"
#include "why/tasks.h"

static int open_process(uint32_t pid, struct follow *ret, struct errmsg *msg)
{
	int err = tasks_process(pid, &ret->pid);

	if (!err) {
		ret->pidfd = syscall(SYS_pidfd_open, ret->pid, 0);
		err = ret->pidfd < 0 ? -errno : 0;
	}
	if (err == -ESRCH)
		return errmsg_set(msg, err, "--pid %u: there is no such process", pid);
	if (err)
		return errmsg_set(msg, err, "--pid %u: %s", pid, strerror(-err));
	if (ret->pid != pid)
		log_info("%u is a thread of process %u: all of that is watched", pid, ret->pid);
	return 0;
}

int follow_open(uint32_t pid, const char *cgroup, const struct watch_options *watch,
		struct follow *ret, struct errmsg *msg)
{
	*ret = (struct follow){
		.pidfd = -1, .comm = watch->comm, .cgroup = cgroup, .cgroup_id = watch->cgroup};
	return pid ? open_process(pid, ret, msg) : 0;
}

/* Who is watched has its children watched from the fork on: those before are looked for. */
static int watch_children(const struct follow *follow, struct watch *watch)
{
	struct tasks pids = {};
	int err = tasks_add(&pids, follow->pid), more = 1;
	size_t done = 1;

	while (!err && more > 0) {
		more = tasks_children(&pids);
		if (more < 0)
			err = more;
		for (; !err && done < pids.count; done++)
			err = watch_add(watch, pids.ids[done]);
	}
	if (!err && pids.count > 1)
		log_verbose("%zu children of process %u are watched as well", pids.count - 1,
			    follow->pid);
	tasks_deinit(&pids);
	return err;
}

int follow_watch(const struct follow *follow, struct watch *watch, struct errmsg *msg)
{
	int err = 0;

	if (!follow->pid)
		return 0;
	err = watch_add(watch, follow->pid);
	err = err ?: watch_children(follow, watch);
	return err ? errmsg_set(msg, err, "cannot watch process %u: %s", follow->pid,
				strerror(-err))
		   : 0;
}

static int log_threads(const struct tasks *tids, struct function_log *log, size_t *ret_added,
		       struct errmsg *msg)
{
	size_t added = 0;
	int err = 0;

	for (size_t i = 0; !err && i < tids->count; i++) {
		err = function_log_add(log, tids->ids[i], msg);
		added += !err;
		if (err == -ESRCH)
			err = 0;
	}
	*ret_added = added;
	return err;
}

/*
 * Debian's Linux 6.1.192-2 has CONFIG_CGROUP_PERF, and refuses each event of a control group with
 * ENOENT, those of perf stat -G, too.
 */
static int log_cgroup_threads(const struct follow *follow, struct function_log *log,
			      struct errmsg *msg)
{
	struct tasks tids = {};
	size_t added = 0;
	int err = tasks_in_cgroup(follow->cgroup, &tids);

	if (err)
		errmsg_set(msg, err, "%s: %s", follow->cgroup, strerror(-err));
	else
		err = log_threads(&tids, log, &added, msg);
	tasks_deinit(&tids);
	if (!err && !added)
		return errmsg_set(msg, -ESRCH,
				  "no task is in %s now, and without perf events of control groups "
				  "this kernel can follow those alone that run already",
				  follow->cgroup);
	if (!err)
		log_info("this kernel refuses perf events of control groups: %zu tasks that are in "
			 "%s now are followed, and those that they start; none that comes in later",
			 added, follow->cgroup);
	return err;
}

static int log_cgroup(const struct follow *follow, struct function_log *log, struct errmsg *msg)
{
	int fd = open(follow->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (fd < 0)
		return errmsg_set(msg, -errno, "%s: %s", follow->cgroup, strerror(errno));
	err = function_log_add_cgroup(log, fd, msg);
	close(fd);
	return err == -ENOENT ? log_cgroup_threads(follow, log, msg) : err;
}

/* Threads that there are now. Those of a name are found once: who gets it later is not. */
static int find_threads(const struct follow *follow, struct tasks *tids)
{
	struct tasks pids = {};
	int err = 0;

	if (follow->comm)
		return tasks_named(follow->comm, tids);
	err = tasks_add(&pids, follow->pid);
	while (!err && (err = tasks_children(&pids)) > 0)
		err = 0;
	for (size_t i = 0; !err && i < pids.count; i++)
		err = tasks_threads(pids.ids[i], tids);
	tasks_deinit(&pids);
	return err;
}

int follow_log(const struct follow *follow, struct function_log *log, struct errmsg *msg)
{
	struct tasks tids = {};
	size_t added = 0;
	int err;

	if (follow->cgroup)
		return log_cgroup(follow, log, msg);
	err = find_threads(follow, &tids);
	err = err ?: log_threads(&tids, log, &added, msg);
	tasks_deinit(&tids);
	if (err || !follow->comm)
		return err;
	if (!added)
		return errmsg_set(msg, -ESRCH,
				  "no task is named '%s' now, and without kprobe.multi "
				  "(CONFIG_FPROBE) this kernel can follow those alone that run "
				  "already; --pid or --cgroup of who starts them follows all",
				  follow->comm);
	log_info("this kernel has no kprobe.multi (CONFIG_FPROBE): %zu tasks that are named '%s' "
		 "now are followed, and those that they start; none that gets the name later",
		 added, follow->comm);
	return 0;
}

bool follow_gone(const struct follow *follow, struct errmsg *ret_why)
{
	struct pollfd ended = {.fd = follow->pidfd, .events = POLLIN};
	struct stat st;

	if (follow->pidfd >= 0 && poll(&ended, 1, 0) > 0) {
		errmsg_set(ret_why, 0, "process %u has ended", follow->pid);
		return true;
	}
	if (follow->cgroup && (stat(follow->cgroup, &st) || st.st_ino != follow->cgroup_id)) {
		errmsg_set(ret_why, 0, "control group %s is no more", follow->cgroup);
		return true;
	}
	return false;
}

void follow_close(struct follow *follow)
{
	if (follow->pidfd >= 0)
		close(follow->pidfd);
	follow->pidfd = -1;
}
