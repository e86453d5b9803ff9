/* SPDX-License-Identifier: GPL-2.0 */
/* given_twice.h - is a file on a command line twice, by whatever names? */
#ifndef LBRSNOOP_CMD_COMPARE_GIVEN_TWICE_H
#define LBRSNOOP_CMD_COMPARE_GIVEN_TWICE_H

#include <stddef.h>

/**
 * file_given_twice() - of thousands, too: each is looked up once
 * @ret_path: one that is, borrowed from @paths; NULL: none is
 * Return: 0; -ENOMEM.
 */
int file_given_twice(const char *const *paths, size_t count, const char **ret_path);

#endif
