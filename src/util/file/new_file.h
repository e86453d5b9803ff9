/* SPDX-License-Identifier: GPL-2.0 */
/* new_file.h - a file that appears as a whole, in the place of one that may be there already */
#ifndef LBRSNOOP_UTIL_FILE_NEW_FILE_H
#define LBRSNOOP_UTIL_FILE_NEW_FILE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct new_file - one that is being written
 * @fd: to write to; the owner closes it
 * @path: final name, without symbolic links; NULL: what was named is written to as it is
 * @temp: name until new_file_rename(); NULL: it has its final name
 */
struct new_file {
	int fd;
	char *path;
	char *temp;
};

/**
 * new_file_resolve() - the file that a name stands for, there or not: without links in it
 * @ret_path: set on success; to be freed
 * Return: 0; negative errno: -ENOENT if its folder is not there.
 */
int new_file_resolve(const char *path, char **ret_path);

/**
 * new_file_open() - begin one
 * A symbolic link is followed. A device or a pipe is written to, and never replaced; so is the file
 * that standard output or error go to, whatever name it is given. Another regular file stays as it
 * is until new_file_rename(). The new one is for its owner alone (mode 0600).
 * @file: set on success; free with new_file_deinit()
 * Return: 0; negative errno.
 */
int new_file_open(const char *path, struct new_file *file);

/**
 * new_file_replace() - begin one, as new_file_open(), but whatever has its name then is replaced: a
 * link is not followed, and a pipe not opened, which would last until somebody reads
 */
int new_file_replace(const char *path, struct new_file *file);

/** new_file_is_regular() - is it a regular file of its own, which can be cut off and renamed? */
bool new_file_is_regular(const struct new_file *file);

/** new_file_rename() - give it its final name, if it has that not yet; 0 or negative errno */
int new_file_rename(struct new_file *file);

/** write_all() - all of @len bytes, however many calls it takes; 0 or negative errno: some are
 * written
 */
int write_all(int fd, const void *bytes, size_t len);

/** new_file_deinit() - free, and remove what has no final name; @file->fd is left alone */
void new_file_deinit(struct new_file *file);

#endif
