// SPDX-License-Identifier: GPL-2.0
#include "util/file/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"

/* ".", ".XXXXXX": around the name of the file that is to be. */
#define AROUND_LEN 8
/* As the kernel follows. */
#define LINKS_MAX 40

/* Of a name that is not there yet: its folder without links. Return: NULL, with errno. */
static char *resolve_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char *real = folder ? realpath(folder, NULL) : NULL, *ret = NULL;

	free(folder);
	if (real && asprintf(&ret, "%s/%s", real, slash ? slash + 1 : path) < 0)
		ret = NULL;
	free(real);
	return ret;
}

/* What @link holds is @to. */
static char *follow(const char *link, const char *to)
{
	int folder = *to == '/' ? 0 : (int)(strrchr(link, '/') - link) + 1;
	char *ret;

	return asprintf(&ret, "%.*s%s", folder, link, to) < 0 ? NULL : ret;
}

int new_file_resolve(const char *path, char **ret_path)
{
	_cleanup_free_ char *at = strdup(path);
	char to[PATH_MAX];

	for (int links = 0; at; links++) {
		char *real = realpath(at, NULL);
		ssize_t len;

		if (!real && errno == ENOENT)
			real = resolve_folder(at);
		if (!real)
			return -errno;
		/* If it still is a link, what that names is not there yet. */
		len = links < LINKS_MAX ? readlink(real, to, sizeof(to) - 1) : -1;
		if (len < 0) {
			*ret_path = real;
			return 0;
		}
		to[len] = '\0';
		free(at);
		at = follow(real, to);
		free(real);
	}
	return -ENOMEM;
}

/* Standard output or error, if that is what @path names; -1 if it is not. */
static int find_standard(const struct stat *st)
{
	struct stat ours;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &ours) && ours.st_dev == st->st_dev && ours.st_ino == st->st_ino)
			return fd;
	return -1;
}

/* Beside @file->path: a rename stays within one file system. */
static int open_temp(struct new_file *file)
{
	const char *name = strrchr(file->path, '/') + 1;
	int err;

	if (asprintf(&file->temp, "%.*s.%.*s.XXXXXX", (int)(name - file->path), file->path,
		     NAME_MAX - AROUND_LEN, name) < 0) {
		file->temp = NULL;
		return -ENOMEM;
	}
	/* It makes it 0600, and follows no link. */
	file->fd = mkostemp(file->temp, O_CLOEXEC);
	if (file->fd >= 0)
		return 0;
	err = -errno;
	free(file->temp);
	file->temp = NULL;
	return err;
}

int new_file_open(const char *path, struct new_file *file)
{
	struct new_file made = {.fd = -1};
	struct stat st;
	bool is_there = !stat(path, &st), is_file = !is_there || S_ISREG(st.st_mode);
	int standard = is_there && is_file ? find_standard(&st) : -1, err = 0;

	if (is_file && standard < 0)
		err = new_file_resolve(path, &made.path) ?: open_temp(&made);
	else if (is_file) /* opened again, it would be written over from its beginning */
		made.fd = fcntl(standard, F_DUPFD_CLOEXEC, 3);
	else
		made.fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (!err && made.fd < 0)
		err = -errno;
	if (err)
		new_file_deinit(&made);
	else
		*file = made;
	return err;
}

int new_file_replace(const char *path, struct new_file *file)
{
	struct new_file made = {.fd = -1};
	int err = 0;

	made.path = resolve_folder(path);
	if (!made.path)
		err = -errno;
	err = err ?: open_temp(&made);
	if (err)
		new_file_deinit(&made);
	else
		*file = made;
	return err;
}

bool new_file_is_regular(const struct new_file *file)
{
	return file->path != NULL;
}

int new_file_rename(struct new_file *file)
{
	if (!file->temp)
		return 0;
	if (rename(file->temp, file->path))
		return -errno;
	free(file->temp);
	file->temp = NULL;
	return 0;
}

int write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t put = write(fd, at, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		at += put;
		len -= (size_t)put;
	}
	return 0;
}

void new_file_deinit(struct new_file *file)
{
	if (file->temp)
		unlink(file->temp);
	free(file->temp);
	free(file->path);
	*file = (struct new_file){.fd = file->fd};
}
