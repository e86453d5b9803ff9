/* SPDX-License-Identifier: GPL-2.0 */
/* given_twice.h - is a file on a command line twice, by whatever names, or a host of both sides? */
#ifndef LBRSNOOP_CMD_COMPARE_GIVEN_TWICE_H
#define LBRSNOOP_CMD_COMPARE_GIVEN_TWICE_H

#include <stddef.h>

/** enum side - which calls a file is of */
enum side {
	SIDE_BOTH, /* the value that each call returned tells */
	SIDE_GOOD,
	SIDE_BAD,
};

/**
 * file_given_twice() - of thousands, too: each is looked up once
 * @ret_path: one that is, borrowed from @paths; NULL: none is
 * Return: 0; -ENOMEM.
 */
int file_given_twice(const char *const *paths, size_t count, const char **ret_path);

/**
 * host_of_both_sides() - the first one that is there as of two sides
 * Its captures would be of one of them, and of the other one there would be none.
 * @sides: of each of @hosts, @count of both
 * Return: one of @hosts; NULL: there is none.
 */
const char *host_of_both_sides(const char *const *hosts, const enum side *sides, size_t count);

#endif
