/* SPDX-License-Identifier: GPL-2.0 */
/* builds.h - the kernels that captures to be compared are of */
#ifndef LBRSNOOP_CMD_COMPARE_BUILDS_H
#define LBRSNOOP_CMD_COMPARE_BUILDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "capfile/reader.h"
#include "cmd/view.h"
#include "compare/conditions.h"
#include "compare/ranking.h"
#include "util/errmsg.h"

/**
 * struct build - one kernel
 * @file, @path: the first capture of it, whose addresses places are told by
 * @opts: of @view, which is for its source lines
 * @conditions: of its decisions
 * @name: "Linux 6.12.0 (build ID 0123456789ab)"
 */
struct build {
	struct capfile *file;
	const char *path;
	struct view_options opts;
	struct view *view;
	struct conditions conditions;
	char name[160];
};

/** struct builds - @count of them; @pool: of the debug information that their views read */
struct builds {
	struct build items[RANKING_BUILDS_MAX];
	size_t count;
	struct lines_pool *pool;
};

/**
 * builds_find() - of which is a capture? If of a new one, it becomes that one's first
 * @path: borrowed until builds_deinit()
 * @opts: copied, of further builds without --vmlinux, which is of the first
 * @ret: index; set on success
 * Return: 0, and @file is owned by builds if it is its build's first; -EINVAL if nobody knows;
 * -E2BIG; another negative errno of view_create(); with @msg.
 */
int builds_find(struct builds *builds, struct capfile *file, const char *path,
		const struct view_options *opts, FILE *out, size_t *ret, struct errmsg *msg);

/**
 * builds_may_differ() - are captures of several kernels, or cannot that be told beforehand?
 * What cannot be read twice, as a pipe, may be of another kernel.
 */
bool builds_may_differ(const char *const *paths, size_t count);

/** builds_deinit() - free views, and close the first captures; all that borrows @pool is closed
 * before */
void builds_deinit(struct builds *builds);

#endif
