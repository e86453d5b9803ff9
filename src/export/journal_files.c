// SPDX-License-Identifier: GPL-2.0
#include "export/journal_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/cursor.h"
#include "util/vector.h"

#define MACHINE_ID_CHARS 32

int journal_header_parse(const void *data, struct journal_file *ret)
{
	struct cursor cursor = {.at = data, .left = JOURNAL_HEADER_BYTES};
	struct journal_file file = *ret;
	uint64_t header_bytes;

	if (memcmp(cursor_take(&cursor, 8), "LPKSHHRH", 8) != 0)
		return -EBADMSG;
	/* Flags and state */
	cursor_take(&cursor, 16);
	memcpy(file.id, cursor_take(&cursor, JOURNAL_ID_BYTES), JOURNAL_ID_BYTES);
	/* The machine that wrote it, and the boot of its last entry */
	cursor_take(&cursor, 2 * JOURNAL_ID_BYTES);
	memcpy(file.sequence, cursor_take(&cursor, JOURNAL_ID_BYTES), JOURNAL_ID_BYTES);
	header_bytes = cursor_number(&cursor, 8);
	/* Arena, hash tables, tail object, and the numbers of objects and entries */
	cursor_take(&cursor, 8 * 8);
	file.last = cursor_number(&cursor, 8);
	file.first = cursor_number(&cursor, 8);
	if (header_bytes < JOURNAL_HEADER_BYTES)
		return -EBADMSG;
	*ret = file;
	return 0;
}

static int read_header(int fd, struct journal_file *ret)
{
	uint8_t header[JOURNAL_HEADER_BYTES];
	ssize_t got = pread(fd, header, sizeof(header), 0);

	if (got < 0)
		return -errno;
	return got == sizeof(header) ? journal_header_parse(header, ret) : -EBADMSG;
}

static int open_header(const char *path, struct journal_file *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err = fd < 0 ? -errno : read_header(fd, ret);

	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

void journal_files_unreadable(struct journal_files *files, const char *path, int err)
{
	if (!files->unreadable++) {
		files->example = strdup(path);
		files->example_err = err;
	}
}

static int add(struct journal_files *files, char *path)
{
	struct journal_file file = {.path = path};
	int fd = open_header(path, &file);

	/* -ENOENT: it was renamed or removed since its name was read. */
	if (fd < 0 && fd != -ENOENT)
		journal_files_unreadable(files, path, fd);
	if (fd < 0)
		return 0;
	close(fd);
	if (vector_grow(&files->items, files->count, sizeof(*files->items)))
		return -ENOMEM;
	files->items[files->count++] = file;
	return 1;
}

static bool is_journal(const char *name)
{
	static const char *const ends[] = {".journal", ".journal~"};
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t end = strlen(ends[i]);

		if (len > end && !strcmp(name + len - end, ends[i]))
			return true;
	}
	return false;
}

static bool is_machine_id(const char *name)
{
	size_t len = 0;

	while (isxdigit((unsigned char)name[len]))
		len++;
	return len == MACHINE_ID_CHARS && !name[len];
}

static int list(struct journal_files *files, const char *dir, bool top)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	int err = 0;

	if (!stream)
		return -errno;
	while (err >= 0 && (entry = readdir(stream))) {
		char *path;

		if (!is_journal(entry->d_name) && !(top && is_machine_id(entry->d_name)))
			continue;
		if (asprintf(&path, "%s/%s", dir, entry->d_name) < 0) {
			err = -ENOMEM;
			break;
		}
		err = is_journal(entry->d_name) ? add(files, path) : list(files, path, false);
		if (err == -ENOTDIR || err == -ENOENT) {
			err = 0;
		} else if (err == -EACCES) {
			journal_files_unreadable(files, path, err);
			err = 0;
		}
		if (err != 1)
			free(path);
	}
	closedir(stream);
	return err < 0 ? err : 0;
}

/* Longest first, and by name at last: the order is the same in each run. */
static int compare(const void *left, const void *right)
{
	const struct journal_file *a = left, *b = right;
	int order = memcmp(a->sequence, b->sequence, JOURNAL_ID_BYTES);

	if (order)
		return order;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	return strcmp(a->path, b->path);
}

static bool is_same(const struct journal_file *a, const struct journal_file *b)
{
	return !memcmp(a->id, b->id, JOURNAL_ID_BYTES);
}

/* Of one that was renamed while the directory was read, and of copies: the longest. */
static bool is_copy(const struct journal_files *files, const struct journal_file *file)
{
	for (size_t i = files->count; i--;) {
		const struct journal_file *before = files->items + i;

		if (before->first != file->first ||
		    memcmp(before->sequence, file->sequence, JOURNAL_ID_BYTES) != 0)
			return false;
		if (is_same(before, file))
			return true;
	}
	return false;
}

static void drop_copies(struct journal_files *files)
{
	size_t count = files->count;

	files->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (is_copy(files, files->items + i))
			free(files->items[i].path);
		else
			files->items[files->count++] = files->items[i];
	}
}

int journal_files_list(const char *dir, struct journal_files *ret)
{
	/* journald's files until /var is there, or for ever (Storage=volatile); and those that stay
	 */
	static const char *const local[] = {"/run/log/journal", "/var/log/journal"};
	struct journal_files files = {};
	int err = dir ? list(&files, dir, true) : 0;

	for (size_t i = 0; !dir && !err && i < ARRAY_SIZE(local); i++) {
		err = list(&files, local[i], true);
		if (err == -ENOENT)
			err = 0;
	}
	if (err) {
		journal_files_deinit(&files);
		return err;
	}
	if (files.count)
		qsort(files.items, files.count, sizeof(*files.items), compare);
	drop_copies(&files);
	*ret = files;
	return 0;
}

size_t journal_files_group(const struct journal_files *files, size_t first)
{
	const struct journal_file *file = files->items + first;
	size_t count = 1;
	uint64_t last;

	if (first >= files->count)
		return 0;
	last = file->last;
	while (first + count < files->count) {
		const struct journal_file *next = file + count;

		if (memcmp(next->sequence, file->sequence, JOURNAL_ID_BYTES) != 0 ||
		    next->first > last)
			break;
		if (next->last > last)
			last = next->last;
		count++;
	}
	return count;
}

static int find_again(const char *dir, struct journal_file *file)
{
	struct journal_files files;
	int err = journal_files_list(dir, &files);

	if (err)
		return err;
	err = -ENOENT;
	for (size_t i = 0; i < files.count && err; i++)
		if (is_same(&files.items[i], file)) {
			free(file->path);
			file->path = files.items[i].path;
			files.items[i].path = NULL;
			err = 0;
		}
	journal_files_deinit(&files);
	return err;
}

int journal_files_open(const char *dir, struct journal_file *file)
{
	struct journal_file found = {};
	int fd = open_header(file->path, &found);

	if (fd >= 0 && is_same(&found, file))
		return fd;
	if (fd >= 0)
		close(fd);
	/* -EBADMSG: one that has just taken its name, and has no header yet. */
	else if (fd != -ENOENT && fd != -EBADMSG)
		return fd;
	fd = find_again(dir, file);
	return fd ?: open_header(file->path, &found);
}

void journal_files_deinit(struct journal_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].path);
	free(files->items);
	free(files->example);
	*files = (struct journal_files){};
}
