/* SPDX-License-Identifier: GPL-2.0 */
/* errmsg.h - how a library tells its caller, in words, what went wrong */
#ifndef LBRSNOOP_UTIL_ERRMSG_H
#define LBRSNOOP_UTIL_ERRMSG_H

#include <stddef.h>

/** struct errmsg - names the object, the cause and the remedy; printed once, by cmd/ */
struct errmsg {
	char text[1024];
};

/**
 * errmsg_set() - write the message
 * @msg: may be NULL: nobody wants to know
 * @err: negative errno to hand on
 * Return: @err, so that a caller can say return errmsg_set(...).
 */
int errmsg_set(struct errmsg *msg, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** errmsg_add() - append to what is there */
void errmsg_add(struct errmsg *msg, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What to do about EMFILE. */
#define FILES_REMEDY "raise the limit of open files (ulimit -n)"

#endif
