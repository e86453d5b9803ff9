/* SPDX-License-Identifier: GPL-2.0 */
/* traced.h - the functions that the kernel's tracer knows, by address */
#ifndef LBRSNOOP_TARGET_TRACED_H
#define LBRSNOOP_TARGET_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* struct traced - places for the tracer's call, ascending; free with traced_deinit() */
struct traced {
	uint64_t *addrs;
	size_t count;
};

/**
 * traced_read() - read lines "ADDRESS NAME", as available_filter_functions_addrs has them
 * Return: 0; -ENOMEM. Malformed lines are skipped.
 */
int traced_read(FILE *file, struct traced *ret);

/**
 * traced_open() - traced_read() of the running kernel
 * Return: 0; -ENOENT if it has no such file (before Linux 6.5), other negative errno.
 */
int traced_open(struct traced *ret);

/**
 * traced_has() - does the tracer know the function that begins at @addr? Its call is the function's
 * first instruction, or stands behind ENDBR64 (4 bytes).
 */
bool traced_has(const struct traced *traced, uint64_t addr);

void traced_deinit(struct traced *traced);

#endif
