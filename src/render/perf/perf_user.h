/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_user.h - programs' text as perf finds it: a file for each program or library, and where
 * each process had parts of it; internal to perf_data.c
 */
#ifndef LBRSNOOP_RENDER_PERF_PERF_USER_H
#define LBRSNOOP_RENDER_PERF_PERF_USER_H

#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/textstore.h"

struct perf_user;

/** struct perf_user_map - @len bytes at @addr of @pid are those at @offset of @path */
struct perf_user_map {
	uint32_t pid;
	uint64_t addr;
	uint64_t len;
	uint64_t offset;
	const char *path;
};

typedef void perf_user_map_fn(const struct perf_user_map *map, void *ctx);

/** perf_user_create() - NULL if there is no memory */
struct perf_user *perf_user_create(void);

/** perf_user_saw() - note which of a process's addresses are asked for; 0 or -ENOMEM */
int perf_user_saw(struct perf_user *user, const struct snapshot *snap);

/**
 * perf_user_write() - make DIR/user/FILE..., and tell where they are mapped
 * Paths are absolute: so perf opens them. Without text of programs there is nothing to do.
 * Return: 0; negative errno.
 */
int perf_user_write(struct perf_user *user, const char *dir, struct symbols *symbols,
		    struct textstore *text, perf_user_map_fn *on_map, void *ctx);

void perf_user_destroy(struct perf_user *user);

#endif
