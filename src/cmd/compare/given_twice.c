// SPDX-License-Identifier: GPL-2.0
#include "cmd/compare/given_twice.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"

/**
 * struct named - a file of the command line
 * @nr: where it stands there
 * @regular: it is there; @dev and @ino tell it by whatever name
 */
struct named {
	const char *path;
	size_t nr;
	bool regular;
	dev_t dev;
	ino_t ino;
};

/* What is not there, or is no regular file, is told by its name alone: opening it fails, or "-". */
static int by_identity(const struct named *one, const struct named *other)
{
	if (one->regular != other->regular)
		return one->regular ? -1 : 1;
	if (!one->regular)
		return strcmp(one->path, other->path);
	if (one->dev != other->dev)
		return one->dev < other->dev ? -1 : 1;
	if (one->ino != other->ino)
		return one->ino < other->ino ? -1 : 1;
	return 0;
}

static int by_identity_and_place(const void *a, const void *b)
{
	const struct named *one = a, *other = b;

	return by_identity(one, other) ?: (one->nr < other->nr ? -1 : one->nr > other->nr);
}

int file_given_twice(const char *const *paths, size_t count, const char **ret_path)
{
	_cleanup_free_ struct named *files = calloc(count, sizeof(*files));
	struct stat st;

	*ret_path = NULL;
	if (!count)
		return 0;
	if (!files)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		files[i] = (struct named){.path = paths[i], .nr = i};
		if (!stat(files[i].path, &st) && S_ISREG(st.st_mode)) {
			files[i].regular = true;
			files[i].dev = st.st_dev;
			files[i].ino = st.st_ino;
		}
	}
	qsort(files, count, sizeof(*files), by_identity_and_place);
	for (size_t i = 1; i < count && !*ret_path; i++)
		if (!by_identity(&files[i - 1], &files[i]))
			*ret_path = files[i].path;
	return 0;
}

const char *host_of_both_sides(const char *const *hosts, const enum side *sides, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (sides[k] != sides[i] && !strcmp(hosts[k], hosts[i]))
				return hosts[i];
	return NULL;
}
