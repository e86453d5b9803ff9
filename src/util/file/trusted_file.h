/* SPDX-License-Identifier: GPL-2.0 */
/* trusted_file.h - files that decide what is done to the kernel: root's, or our own */
#ifndef LBRSNOOP_UTIL_FILE_TRUSTED_FILE_H
#define LBRSNOOP_UTIL_FILE_TRUSTED_FILE_H

#include <stdbool.h>

/** file_is_trusted() - a regular file of root or of ourselves that nobody else may write to? */
bool file_is_trusted(int fd);

#endif
