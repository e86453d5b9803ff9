/* SPDX-License-Identifier: GPL-2.0 */
/* library.h - shared libraries that many systems lack, loaded when they are needed */
#ifndef LBRSNOOP_UTIL_FILE_LIBRARY_H
#define LBRSNOOP_UTIL_FILE_LIBRARY_H

#include <stdbool.h>

/**
 * library_open() - load one
 * @name: as for dlopen()
 * Return: a handle for dlsym(); NULL if it is not there, or this program can load none.
 */
void *library_open(const char *name);

/**
 * library_possible() - can this program load any?
 * One of "make static" cannot: the C library in it would have to be the very one of the host.
 */
bool library_possible(void);

#endif
