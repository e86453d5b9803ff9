/* SPDX-License-Identifier: GPL-2.0 */
/* errno_name.h - errno numbers and names, those that only the kernel uses included */
#ifndef LBRSNOOP_UTIL_ERRNO_NAME_H
#define LBRSNOOP_UTIL_ERRNO_NAME_H

#include <stdint.h>

/** errno_name() - "ENOENT" of 2; NULL if there is none. Source: errno(3), linux/errno.h */
const char *errno_name(int err);

/** errno_text() - what it means, in words */
const char *errno_text(int err);

/**
 * errno_parse() - "ENOENT", "-ENOENT", "2", "-2"
 * Return: positive errno, 1 to 4095; -1 if @text is none.
 */
int errno_parse(const char *text);

/**
 * errno_of_result() - of what a system call or a function of the kernel returned
 * Return: positive errno, 1 to 4095; 0: it is no error (include/linux/err.h, IS_ERR_VALUE()).
 */
unsigned int errno_of_result(int64_t result);

#endif
