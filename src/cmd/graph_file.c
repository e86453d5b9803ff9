// SPDX-License-Identifier: GPL-2.0
#include "cmd/graph_file.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/output.h"
#include "util/cleanup.h"
#include "util/clock.h"

int graphviz_check(struct errmsg *msg)
{
	_cleanup_free_ char *copy = strdup(getenv("PATH") ?: "/usr/bin:/bin");
	char *rest = copy, *dir;
	char path[PATH_MAX];

	while (rest && (dir = strsep(&rest, ":"))) {
		snprintf(path, sizeof(path), "%s/dot", *dir ? dir : ".");
		if (!access(path, X_OK))
			return 0;
	}
	return errmsg_set(msg, -ENOENT,
			  "--svg: the program 'dot' is not in PATH; install graphviz, or write the "
			  "graph with --dot and draw it elsewhere");
}

/* The file, or where it is not there the directory that it is to be made in. */
static int check_file(const char *option, const char *path, struct errmsg *msg)
{
	_cleanup_free_ char *copy = strdup(path);
	struct stat st;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	if (stat(path, &st))
		err = errno == ENOENT && !access(dirname(copy), W_OK | X_OK) ? 0 : -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if (access(path, W_OK))
		err = -errno;
	/* -EACCES is about the file: no exit status 4 */
	return err ? errmsg_set(msg, -EIO, "%s '%s': %s", option, path, strerror(-err)) : 0;
}

int graph_check(const char *dot, const char *svg, struct errmsg *msg)
{
	int err = dot ? check_file("--dot", dot, msg) : 0;

	if (!err && svg)
		err = check_file("--svg", svg, msg);
	return err;
}

static int write_file(const char *path, const char *text, size_t len, struct errmsg *msg)
{
	FILE *out = fopen(path, "we");
	int err = out ? 0 : -errno;

	if (out) {
		int close_err;

		/* What is larger than the buffer fails here, and only here is errno the reason. */
		if (fwrite(text, 1, len, out) != len)
			err = -errno;
		close_err = output_close(out);
		err = err ?: close_err;
	}
	return err ? errmsg_set(msg, err, "%s: %s", path, strerror(-err)) : 0;
}

/* Its status, or -ETIMEDOUT: it was killed. */
static int wait_at_most(pid_t pid, uint32_t limit_ms, int *ret_status)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + limit_ms * 1000000ULL;
	pid_t got;

	while (!(got = waitpid(pid, ret_status, WNOHANG)) || (got < 0 && errno == EINTR)) {
		if (clock_ns(CLOCK_MONOTONIC) >= end) {
			kill(pid, SIGKILL);
			waitpid(pid, ret_status, 0);
			return -ETIMEDOUT;
		}
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int draw(const char *text, size_t len, const char *svg, uint32_t limit_ms,
		struct errmsg *msg)
{
	char *const argv[] = {"dot", "-Tsvg", "-o", (char *)svg, NULL};
	_cleanup_fclose_ FILE *in = tmpfile();
	posix_spawn_file_actions_t actions;
	int status = 0, err;
	pid_t pid;

	if (!in || fwrite(text, 1, len, in) != len || fflush(in) || fseek(in, 0, SEEK_SET))
		return errmsg_set(msg, -EIO, "--svg: a temporary file: %s", strerror(errno));
	err = posix_spawn_file_actions_init(&actions);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
	if (!err)
		err = posix_spawnp(&pid, "dot", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return errmsg_set(msg, -err, "--svg: dot: %s", strerror(err));
	if (wait_at_most(pid, limit_ms, &status))
		return errmsg_set(msg, -ETIMEDOUT,
				  "--svg '%s': dot has not drawn the function in %g s, it is too "
				  "large for it; --dot FILE writes the graph",
				  svg, limit_ms / 1e3);
	if (WIFSIGNALED(status))
		return errmsg_set(msg, -EIO, "--svg '%s': dot was ended by signal %d", svg,
				  WTERMSIG(status));
	if (WEXITSTATUS(status))
		return errmsg_set(msg, -EIO, "--svg '%s': dot failed with exit status %d", svg,
				  WEXITSTATUS(status));
	return 0;
}

int graph_write(const char *text, size_t len, const char *dot, const char *svg, uint32_t limit_ms,
		struct errmsg *msg)
{
	int err = dot ? write_file(dot, text, len, msg) : 0;

	if (!err && svg)
		err = draw(text, len, svg, limit_ms, msg);
	return err;
}
