// SPDX-License-Identifier: GPL-2.0
#include "cmd/graph_file.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/output.h"
#include "util/cleanup.h"

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

static int write_file(const char *path, const char *text, size_t len, struct errmsg *msg)
{
	FILE *out = fopen(path, "we");
	int err = out ? 0 : -errno;

	if (out) {
		fwrite(text, 1, len, out);
		err = output_close(out);
	}
	return err ? errmsg_set(msg, err, "%s: %s", path, strerror(-err)) : 0;
}

static int draw(const char *text, size_t len, const char *svg, struct errmsg *msg)
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
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return errmsg_set(msg, -EIO, "--svg '%s': dot was ended by signal %d", svg,
				  WTERMSIG(status));
	if (WEXITSTATUS(status))
		return errmsg_set(msg, -EIO, "--svg '%s': dot failed with exit status %d", svg,
				  WEXITSTATUS(status));
	return 0;
}

int graph_write(const char *text, size_t len, const char *dot, const char *svg, struct errmsg *msg)
{
	int err = dot ? write_file(dot, text, len, msg) : 0;

	if (!err && svg)
		err = draw(text, len, svg, msg);
	return err;
}
