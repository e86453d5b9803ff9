/* SPDX-License-Identifier: GPL-2.0 */
/* whole_file.h - all bytes of a file, for test programs */
#ifndef LBRSNOOP_TESTS_WHOLE_FILE_H
#define LBRSNOOP_TESTS_WHOLE_FILE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/**
 * whole_file() - read it
 * Return: its bytes, no more are allocated: a read beyond them is seen; free(). NULL: see errno.
 */
static inline void *whole_file(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "re");
	void *bytes = NULL;
	long size = -1;

	if (!f)
		return NULL;
	errno = EIO;
	if (!fseek(f, 0, SEEK_END))
		size = ftell(f);
	rewind(f);
	if (size >= 0)
		bytes = malloc(size ? (size_t)size : 1);
	if (bytes && fread(bytes, 1, (size_t)size, f) != (size_t)size) {
		free(bytes);
		bytes = NULL;
	}
	fclose(f);
	if (bytes)
		*ret_len = (size_t)size;
	return bytes;
}

#endif
