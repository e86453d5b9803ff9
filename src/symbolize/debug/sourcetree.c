// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/sourcetree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "symbolize/debug/source_file.h"
#include "util/cleanup.h"

#define PATH_BYTES 4096
/* The version stands in the first lines. */
#define MAKEFILE_BYTES 4096

static struct source_version parse_version(const char *text)
{
	struct source_version version = {};

	if (sscanf(text, "%u.%u.%u", &version.version, &version.patchlevel, &version.sublevel) < 2)
		version = (struct source_version){};
	return version;
}

static bool same_version(const struct source_version *a, const struct source_version *b)
{
	return a->version == b->version && a->patchlevel == b->patchlevel &&
	       a->sublevel == b->sublevel;
}

struct source_version source_version_of(const struct utsname *kernel, const char *signature)
{
	static const char debian[] = "Debian ";
	const char *at = strrchr(signature, ' ');

	/* "Ubuntu 6.8.0-45.45-generic 6.8.12" */
	if (at)
		return parse_version(at + 1);
	/* "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16)" */
	at = strstr(kernel->version, debian);
	return parse_version(at ? at + strlen(debian) : kernel->release);
}

struct source_version source_version_of_makefile(const char *text)
{
	struct source_version version = {};

	for (const char *line = text; *line; line += *line == '\n') {
		sscanf(line, "VERSION = %u", &version.version);
		sscanf(line, "PATCHLEVEL = %u", &version.patchlevel);
		sscanf(line, "SUBLEVEL = %u", &version.sublevel);
		line += strcspn(line, "\n");
	}
	return version;
}

static bool is_tree_of(const char *dir, const struct source_version *version)
{
	char path[PATH_BYTES], text[MAKEFILE_BYTES + 1];
	_cleanup_fclose_ FILE *file = NULL;
	struct source_version found;
	const char *missing;

	if (sources_check_kernel(dir, &missing) ||
	    (size_t)snprintf(path, sizeof(path), "%s/Makefile", dir) >= sizeof(path))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	text[fread(text, 1, MAKEFILE_BYTES, file)] = '\0';
	found = source_version_of_makefile(text);
	return same_version(&found, version);
}

/* "linux-source-6.1.tar.xz": of this series; the length of the name before ".tar", or 0. */
static size_t is_archive_of(const char *name, const struct source_version *version)
{
	static const char begin[] = "linux-source-";
	const char *end = strstr(name, ".tar.");
	struct source_version found;

	if (!end || strncmp(name, begin, strlen(begin)) != 0)
		return 0;
	found = parse_version(name + strlen(begin));
	if (found.version != version->version || found.patchlevel != version->patchlevel)
		return 0;
	return (size_t)(end - name);
}

int source_tree_find(const char *root, const struct source_version *version,
		     struct source_tree *ret)
{
	struct source_tree found = {};
	const struct dirent *entry;
	char path[PATH_BYTES];
	DIR *dir = version->version ? opendir(root) : NULL;
	int err = 0;

	while (dir && !err && !found.dir && (entry = readdir(dir))) {
		size_t len = is_archive_of(entry->d_name, version);

		if (strncmp(entry->d_name, "linux", 5) != 0 ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", root, entry->d_name) >=
			    sizeof(path))
			continue;
		if (len && !found.archive) {
			found.archive = strdup(path);
			found.prefix = strndup(entry->d_name, len);
			err = found.archive && found.prefix ? 0 : -ENOMEM;
		} else if (!len && is_tree_of(path, version)) {
			found.dir = strdup(path);
			err = found.dir ? 0 : -ENOMEM;
		}
	}
	if (dir)
		closedir(dir);
	if (err)
		source_tree_deinit(&found);
	*ret = found;
	return err;
}

/* What is not there, or cannot be unpacked, tar says to nobody: its status is the same for both. */
static int run_tar(char **argv)
{
	posix_spawn_file_actions_t actions;
	pid_t pid = 0;
	int status, err = posix_spawn_file_actions_init(&actions);

	if (err)
		return -err;
	err = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!err)
		err = posix_spawnp(&pid, "tar", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_all(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int unpack(const struct source_tree *tree, const char *const *files, size_t count,
		  const char *dir)
{
	char *fixed[] = {
		"tar",	     "-x", "--occurrence=1", "--no-same-owner", "-f", tree->archive, "-C",
		(char *)dir, "--"};
	size_t used = ARRAY_SIZE(fixed);
	char **argv = calloc(used + count + 1, sizeof(*argv));
	int err = argv ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < used; i++)
		argv[i] = fixed[i];
	for (size_t i = 0; !err && i < count; i++)
		if (asprintf(&argv[used + i], "%s/%s", tree->prefix, files[i]) < 0) {
			argv[used + i] = NULL;
			err = -ENOMEM;
		}
	err = err ?: run_tar(argv);
	for (size_t i = 0; argv && i < count; i++)
		free(argv[used + i]);
	free(argv);
	return err;
}

int source_tree_unpack(const struct source_tree *tree, const char *const *files, size_t count,
		       char **ret_dir)
{
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_BYTES], *root;
	int err;

	if ((size_t)snprintf(dir, sizeof(dir), "%s/lbrsnoop-source.XXXXXX",
			     tmp && *tmp ? tmp : "/tmp") >= sizeof(dir))
		return -ENAMETOOLONG;
	if (!mkdtemp(dir))
		return -errno;
	err = unpack(tree, files, count, dir);
	if (!err && asprintf(&root, "%s/%s", dir, tree->prefix) < 0)
		err = -ENOMEM;
	if (!err && access(root, R_OK)) {
		free(root);
		err = -ENOENT;
	}
	if (err) {
		remove_all(dir);
		return err;
	}
	*ret_dir = root;
	return 0;
}

void source_tree_discard(char *dir)
{
	char *end = dir ? strrchr(dir, '/') : NULL;

	if (end) {
		*end = '\0';
		remove_all(dir);
	}
	free(dir);
}

void source_tree_deinit(struct source_tree *tree)
{
	free(tree->dir);
	free(tree->archive);
	free(tree->prefix);
	*tree = (struct source_tree){};
}
