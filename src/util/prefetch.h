/* SPDX-License-Identifier: GPL-2.0 */
/* prefetch.h - a file that the kernel takes its time to make, read while the caller does other
 * things
 */
#ifndef LBRSNOOP_UTIL_PREFETCH_H
#define LBRSNOOP_UTIL_PREFETCH_H

#include <stddef.h>
#include <sys/types.h>

struct prefetch;

/**
 * prefetch_start() - a thread begins to read
 * @max_bytes: so many are kept at most: then it waits
 * Return: NULL if there is no file, no thread or no memory; read it otherwise then.
 */
struct prefetch *prefetch_start(const char *path, size_t max_bytes);

/**
 * prefetch_read() - what comes next, waiting for it
 * Return: bytes, @len at most; 0 at the end; negative errno.
 */
ssize_t prefetch_read(struct prefetch *ahead, void *buf, size_t len);

/** prefetch_stop() - the thread ends, all is freed; NULL is fine */
void prefetch_stop(struct prefetch *ahead);

#endif
