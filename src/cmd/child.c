// SPDX-License-Identifier: GPL-2.0
#include "cmd/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "host/capabilities.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/log.h"

/* What a command that is stopped may take to clean up. */
#define STOP_NS 2000000000ull

int child_find(const char *name, char **ret_path)
{
	int err = -ENOENT;

	if (strchr(name, '/')) {
		*ret_path = strdup(name);
		return *ret_path ? 0 : -ENOMEM;
	}
	for (const char *dir = getenv("PATH") ?: "/usr/bin:/bin"; *name; dir++) {
		int len = strcspn(dir, ":");
		struct stat st;
		char *path;

		/* an empty one is the current directory */
		if (asprintf(&path, "%.*s%s%s", len, dir, len ? "/" : "./", name) < 0)
			return -ENOMEM;
		if (!stat(path, &st) && S_ISREG(st.st_mode)) {
			if (!access(path, X_OK)) {
				*ret_path = path;
				return 0;
			}
			err = -EACCES;
		}
		free(path);
		dir += len;
		if (!*dir)
			break;
	}
	return err;
}

int child_exec(void *ctx)
{
	const struct child_command *command = ctx;

	execv(command->path, command->argv);
	log_error("%s: %s", command->path, strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

/* @mask: of signals, what the command is to have; NULL: as it is */
static void run(int go_fd, child_fn *fn, void *ctx, const sigset_t *mask)
{
	struct sigaction hangup;
	char byte;

	/* The parent writes one byte to say go; end of file means that it gave up. */
	if (read(go_fd, &byte, 1) != 1)
		_exit(EXIT_ERROR);
	close(go_fd);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	/* Where it is ignored, nohup wants it so. */
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (mask)
		sigprocmask(SIG_SETMASK, mask, NULL);
	_exit(fn(ctx));
}

int child_fork(struct child *child, child_fn *fn, void *ctx)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (!pid) {
		close(fds[1]);
		run(fds[0], fn, ctx, NULL);
	}
	close(fds[0]);
	*child = (struct child){.pid = pid, .go_fd = fds[1]};
	return 0;
}

/** struct starter - of the thread of child_vfork(), which frees it; @pid_fd: the child tells */
struct starter {
	int go_fds[2];
	int pid_fd;
	sigset_t mask;
	child_fn *fn;
	void *ctx;
};

/*
 * vfork() stops this thread until the child has executed its command, not the others. errno and
 * what else belongs to a thread is the child's alone until then.
 */
static void *start_child(void *arg)
{
	struct starter *starter = arg;
	pid_t pid = vfork();

	if (!pid) {
		pid_t own = getpid();

		close(starter->go_fds[1]);
		if (write(starter->pid_fd, &own, sizeof(own)) == sizeof(own))
			run(starter->go_fds[0], starter->fn, starter->ctx, &starter->mask);
		_exit(EXIT_ERROR);
	}
	if (pid < 0) {
		ssize_t len;

		pid = -errno;
		len = write(starter->pid_fd, &pid, sizeof(pid));
		(void)len; /* who reads nothing says ECHILD */
	}
	close(starter->go_fds[0]);
	close(starter->pid_fd);
	free(starter);
	return NULL;
}

/* Our handlers in the child would count a Ctrl-C twice, in our memory: signals wait there. */
static int start_thread(struct starter *starter)
{
	pthread_t thread;
	sigset_t all;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &starter->mask);
	err = pthread_create(&thread, NULL, start_child, starter);
	pthread_sigmask(SIG_SETMASK, &starter->mask, NULL);
	if (!err)
		pthread_detach(thread);
	return -err;
}

static int read_pid(int fd)
{
	pid_t pid;
	ssize_t len;

	do
		len = read(fd, &pid, sizeof(pid));
	while (len < 0 && errno == EINTR);
	return len == sizeof(pid) ? pid : -ECHILD;
}

int child_vfork(struct child *child, child_fn *fn, void *ctx)
{
	struct starter *starter = calloc(1, sizeof(*starter));
	int pid_fds[2], go_fd, err;

	if (!starter)
		return -ENOMEM;
	if (pipe2(starter->go_fds, O_CLOEXEC)) {
		err = -errno;
		free(starter);
		return err;
	}
	go_fd = starter->go_fds[1];
	if (pipe2(pid_fds, O_CLOEXEC)) {
		err = -errno;
	} else {
		starter->pid_fd = pid_fds[1];
		starter->fn = fn;
		starter->ctx = ctx;
		err = start_thread(starter);
		if (err) {
			close(pid_fds[0]);
			close(pid_fds[1]);
		}
	}
	if (err) {
		close(starter->go_fds[0]);
		free(starter);
	}
	/* From here on the thread has what is its own. */
	if (!err) {
		err = read_pid(pid_fds[0]);
		close(pid_fds[0]);
	}
	if (err < 0) {
		close(go_fd);
		return err;
	}
	*child = (struct child){.pid = err, .go_fd = go_fd};
	return 0;
}

void child_watch(struct child *child)
{
	child->watched = process_has_capability(CAP_SYS_PTRACE) &&
			 !ptrace(PTRACE_SEIZE, child->pid, NULL,
				 (void *)(PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD));
}

/* Lets it run from the stop that waitpid() told of; false where it is to stay there. */
static bool pass_stop(const struct child *child, int status, bool *execed)
{
	int event = status >> 16, sig = WSTOPSIG(status);

	if (*execed && sig == (SIGTRAP | 0x80))
		return false;
	if (event == PTRACE_EVENT_EXEC)
		*execed = true;
	/* In a stop of the whole group it stays until SIGCONT. */
	if (event == PTRACE_EVENT_STOP && sig != SIGTRAP)
		ptrace(PTRACE_LISTEN, child->pid, NULL, NULL);
	else
		ptrace(*execed ? PTRACE_SYSCALL : PTRACE_CONT, child->pid, NULL,
		       (void *)(long)(event ? 0 : sig));
	return true;
}

/* The event comes within the exec; after it, the next stop is where execve() returns. */
static void await_exec(struct child *child)
{
	bool execed = false;
	int status;

	while (!child->ended && !child->at_exec) {
		if (waitpid(child->pid, &status, __WALL) != child->pid) {
			if (errno != EINTR || stop_requested)
				return;
		} else if (WIFSTOPPED(status)) {
			child->at_exec = !pass_stop(child, status, &execed);
		} else {
			child->ended = true;
			child->status = status;
		}
	}
}

void child_go(struct child *child)
{
	if (write(child->go_fd, "", 1) != 1)
		log_warning("the command could not be started: %s", strerror(errno));
	close(child->go_fd);
	child->go_fd = -1;
	if (child->watched)
		await_exec(child);
}

void child_resume(struct child *child)
{
	/* Where we were interrupted, it runs: what is left of the watch ends with us. */
	if (child->at_exec)
		ptrace(PTRACE_DETACH, child->pid, NULL, NULL);
	child->at_exec = false;
}

bool child_ended(struct child *child)
{
	if (child->pid <= 0 || child->ended)
		return child->ended;
	child->ended = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
	return child->ended;
}

void child_end(struct child *child)
{
	if (child->pid <= 0 || child->ended)
		return;
	if (child->go_fd >= 0) {
		close(child->go_fd);
		waitpid(child->pid, &child->status, 0);
		child->ended = true;
	}
}

bool child_stop(struct child *child, int sig, bool sent)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + STOP_NS;
	bool ended;

	/* One that never ran has nothing to clean up. */
	if (child->pid > 0 && !child->ended && child->go_fd >= 0)
		child_end(child);
	if (child->pid <= 0 || child->ended)
		return true;
	if (!sent || getpgid(child->pid) != getpgrp())
		kill(child->pid, sig);
	for (ended = child_ended(child); !ended && clock_ns(CLOCK_MONOTONIC) < end_ns;) {
		nanosleep(&pause, NULL);
		ended = child_ended(child);
	}
	child_kill(child);
	return ended;
}

void child_kill(struct child *child)
{
	if (child->pid <= 0 || child->ended)
		return;
	if (child->go_fd >= 0)
		close(child->go_fd);
	kill(child->pid, SIGKILL);
	waitpid(child->pid, &child->status, 0);
	child->ended = true;
}
