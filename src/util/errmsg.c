// SPDX-License-Identifier: GPL-2.0
#include "util/errmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int errmsg_set(struct errmsg *msg, int err, const char *fmt, ...)
{
	va_list args;

	if (!msg)
		return err;
	va_start(args, fmt);
	vsnprintf(msg->text, sizeof(msg->text), fmt, args);
	va_end(args);
	return err;
}

void errmsg_add(struct errmsg *msg, const char *fmt, ...)
{
	size_t len;
	va_list args;

	if (!msg)
		return;
	len = strlen(msg->text);
	va_start(args, fmt);
	vsnprintf(msg->text + len, sizeof(msg->text) - len, fmt, args);
	va_end(args);
}
