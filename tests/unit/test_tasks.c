// SPDX-License-Identifier: GPL-2.0
/* src/why/tasks and follow: processes that run already; those of the test itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/cleanup.h"
#include "util/log.h"
#include "why/run/follow.h"
#include "why/tasks.h"

/* Longer than the 15 bytes that the kernel keeps of a name; those are of this test's run alone. */
static char name[32];

static bool has(const struct tasks *tasks, uint32_t id)
{
	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->ids[i] == id)
			return true;
	return false;
}

/* A child that has a child, whose name is @name; both wait until the test ends. */
static pid_t family(pid_t *ret_grandchild)
{
	int fds[2];
	static unsigned int families;
	pid_t child;

	snprintf(name, sizeof(name), "test%08d-%02u-tasks", getpid(), families++);
	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		pid_t grandchild;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		grandchild = fork();

		if (!grandchild) {
			prctl(PR_SET_NAME, name);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			grandchild = getpid();
			if (write(fds[1], &grandchild, sizeof(grandchild)) < 0)
				_exit(1);
		}
		pause();
		_exit(0);
	}
	assert_int_equal(read(fds[0], ret_grandchild, sizeof(*ret_grandchild)),
			 sizeof(*ret_grandchild));
	close(fds[0]);
	close(fds[1]);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void tasks_children_and_theirs(void **state)
{
	struct tasks pids = {};
	pid_t grandchild, child = family(&grandchild);
	int came;

	assert_int_equal(tasks_add(&pids, getpid()), 0);
	while ((came = tasks_children(&pids)) > 0)
		;
	assert_int_equal(came, 0);
	assert_int_equal(pids.count, 3);
	assert_true(has(&pids, child));
	assert_true(has(&pids, grandchild));
	tasks_deinit(&pids);
	end(child);
}

static void write_text(const char *path, const char *text)
{
	_cleanup_fclose_ FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
}

/* cgroup.threads as Documentation/admin-guide/cgroup-v2.rst has it: a thread ID a line */
static void tasks_in_cgroup_and_below(void **state)
{
	char top[] = "/tmp/lbrsnoop-cgroup.XXXXXX", path[96];
	struct tasks tids = {};

	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/cgroup.threads", top);
	write_text(path, "7\n12\n");
	snprintf(path, sizeof(path), "%s/cgroup.procs", top);
	write_text(path, "99\n");
	snprintf(path, sizeof(path), "%s/below", top);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/below/cgroup.threads", top);
	write_text(path, "12\n31\n");
	assert_int_equal(tasks_in_cgroup(top, &tids), 0);
	assert_int_equal(tids.count, 3);
	assert_true(has(&tids, 7) && has(&tids, 12) && has(&tids, 31));
	tasks_deinit(&tids);
	unlink(path);
	snprintf(path, sizeof(path), "%s/below", top);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/cgroup.procs", top);
	unlink(path);
	snprintf(path, sizeof(path), "%s/cgroup.threads", top);
	unlink(path);
	rmdir(top);
	/* One that is gone has no task. */
	assert_int_equal(tasks_in_cgroup(top, &tids), 0);
	assert_int_equal(tids.count, 0);
}

static void tasks_named_of_this_name_alone(void **state)
{
	struct tasks tids = {};
	pid_t grandchild, child = family(&grandchild);

	assert_int_equal(tasks_named(name, &tids), 0);
	assert_int_equal(tids.count, 1);
	assert_true(has(&tids, grandchild));
	name[strlen(name) - 8] = '\0'; /* a part of it is another name */
	assert_int_equal(tasks_named(name, &tids), 0);
	assert_int_equal(tids.count, 1);
	tasks_deinit(&tids);
	end(child);
}

static void *thread_tid(void *ctx)
{
	*(uint32_t *)ctx = syscall(SYS_gettid);
	pause();
	return NULL;
}

static void tasks_threads_and_their_process(void **state)
{
	struct watch_options watch = {};
	volatile uint32_t tid = 0;
	struct tasks tids = {};
	struct follow follow;
	uint32_t pid;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, thread_tid, (void *)&tid), 0);
	while (!tid)
		usleep(1000);
	assert_int_equal(tasks_threads(getpid(), &tids), 0);
	assert_int_equal(tids.count, 2);
	assert_true(has(&tids, tid));
	assert_int_equal(tasks_process(tid, &pid), 0);
	assert_int_equal(pid, getpid());
	/* --pid of a thread is its process. */
	assert_int_equal(follow_open(tid, NULL, &watch, &follow, NULL), 0);
	assert_int_equal(follow.pid, getpid());
	follow_close(&follow);
	tasks_deinit(&tids);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

/* Nobody has a process ID above PID_MAX_LIMIT, 4 Mi. */
static void follow_open_no_such_process_is_named(void **state)
{
	struct watch_options watch = {};
	struct errmsg msg = {};
	struct follow follow;

	assert_int_equal(follow_open(5000000, NULL, &watch, &follow, &msg), -ESRCH);
	assert_string_equal(msg.text, "--pid 5000000: there is no such process");
	follow_close(&follow);
}

static void follow_gone_when_the_process_has_ended(void **state)
{
	struct watch_options watch = {};
	struct errmsg why = {};
	struct follow follow;
	char expected[64];
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		pause();
		_exit(0);
	}
	assert_int_equal(follow_open(child, NULL, &watch, &follow, NULL), 0);
	assert_false(follow_gone(&follow, &why));
	kill(child, SIGKILL);
	/* It has ended, though its parent has not asked for it yet. */
	for (int i = 0; i < 1000 && !follow_gone(&follow, &why); i++)
		usleep(10000);
	snprintf(expected, sizeof(expected), "process %d has ended", child);
	assert_string_equal(why.text, expected);
	follow_close(&follow);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A unit that is started again has a folder of the same name, and another control group. */
static void follow_gone_when_the_control_group_is_another(void **state)
{
	char path[] = "/tmp/lbrsnoop-cgroup.XXXXXX";
	struct watch_options watch = {};
	struct errmsg why = {};
	struct follow follow;
	struct stat st;

	assert_non_null(mkdtemp(path));
	assert_int_equal(stat(path, &st), 0);
	watch.cgroup = st.st_ino;
	assert_int_equal(follow_open(0, path, &watch, &follow, NULL), 0);
	assert_false(follow_gone(&follow, &why));
	follow.cgroup_id++;
	assert_true(follow_gone(&follow, &why));
	follow.cgroup_id--;
	assert_int_equal(rmdir(path), 0);
	assert_true(follow_gone(&follow, &why));
	follow_close(&follow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_children_and_theirs),
		cmocka_unit_test(tasks_named_of_this_name_alone),
		cmocka_unit_test(tasks_in_cgroup_and_below),
		cmocka_unit_test(tasks_threads_and_their_process),
		cmocka_unit_test(follow_open_no_such_process_is_named),
		cmocka_unit_test(follow_gone_when_the_process_has_ended),
		cmocka_unit_test(follow_gone_when_the_control_group_is_another),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
