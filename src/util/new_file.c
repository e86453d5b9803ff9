// SPDX-License-Identifier: GPL-2.0
#include "util/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file a name stands for; a name that is not there yet stands for itself. */
static int resolve(const char *path, char **ret_path)
{
	*ret_path = realpath(path, NULL);
	if (!*ret_path && errno == ENOENT)
		*ret_path = strdup(path);
	return *ret_path ? 0 : -errno;
}

/* Beside @file->path: a rename stays within one file system. */
static int open_temp(struct new_file *file)
{
	const char *slash = strrchr(file->path, '/');
	int dir_len = slash ? (int)(slash - file->path) + 1 : 0;
	int err;

	if (asprintf(&file->temp, "%.*s.%s.XXXXXX", dir_len, file->path, file->path + dir_len) <
	    0) {
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
	int err = resolve(path, &made.path);

	if (err)
		return err;
	if (!stat(made.path, &st) && !S_ISREG(st.st_mode)) {
		free(made.path);
		made.path = NULL;
		made.fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		err = made.fd < 0 ? -errno : 0;
	} else {
		err = open_temp(&made);
	}
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

void new_file_deinit(struct new_file *file)
{
	if (file->temp)
		unlink(file->temp);
	free(file->temp);
	free(file->path);
	*file = (struct new_file){.fd = file->fd};
}
