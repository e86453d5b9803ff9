// SPDX-License-Identifier: GPL-2.0
#include "util/errno_name.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ERRNO 4095

/* include/linux/errno.h: never meant for userspace, so libc does not know them */
static const struct {
	int err;
	const char *name;
	const char *text;
} kernel_only[] = {
	{512, "ERESTARTSYS", "interrupted by a signal, to be restarted"},
	{513, "ERESTARTNOINTR", "to be restarted in any case"},
	{514, "ERESTARTNOHAND", "to be restarted if no handler runs"},
	{515, "ENOIOCTLCMD", "no such ioctl command"},
	{516, "ERESTART_RESTARTBLOCK", "to be restarted by sys_restart_syscall"},
	{517, "EPROBE_DEFER", "driver asks to be probed again later"},
	{518, "EOPENSTALE", "open found a stale dentry"},
	{519, "ENOPARAM", "parameter not supported"},
	{521, "EBADHANDLE", "illegal NFS file handle"},
	{522, "ENOTSYNC", "update synchronization mismatch"},
	{523, "EBADCOOKIE", "cookie is stale"},
	{524, "ENOTSUPP", "operation is not supported"},
	{525, "ETOOSMALL", "buffer or request is too small"},
	{526, "ESERVERFAULT", "an untranslatable error occurred"},
	{527, "EBADTYPE", "type not supported by server"},
	{528, "EJUKEBOX", "request initiated, but will not complete before timeout"},
	{529, "EIOCBQUEUED", "iocb queued, will get completion event"},
	{530, "ERECALLCONFLICT", "conflict with recalled state"},
	{531, "ENOGRACE", "NFS file lock reclaim refused"},
};

const char *errno_name(int err)
{
	for (size_t i = 0; i < sizeof(kernel_only) / sizeof(kernel_only[0]); i++)
		if (kernel_only[i].err == err)
			return kernel_only[i].name;
	return err > 0 ? strerrorname_np(err) : NULL;
}

const char *errno_text(int err)
{
	for (size_t i = 0; i < sizeof(kernel_only) / sizeof(kernel_only[0]); i++)
		if (kernel_only[i].err == err)
			return kernel_only[i].text;
	return strerrordesc_np(err) ?: "unknown error";
}

int errno_parse(const char *text)
{
	char *end;
	long num;

	if (*text == '-')
		text++;
	if (*text >= '0' && *text <= '9') {
		num = strtol(text, &end, 10);
		return *end || num < 1 || num > MAX_ERRNO ? -1 : (int)num;
	}
	/* The second names of a number. */
	if (!strcasecmp(text, "EWOULDBLOCK"))
		return EAGAIN;
	if (!strcasecmp(text, "EDEADLOCK"))
		return EDEADLK;
	if (!strcasecmp(text, "EOPNOTSUPP"))
		return EOPNOTSUPP;
	for (int err = 1; err < 600; err++) {
		const char *name = errno_name(err);

		if (name && !strcasecmp(name, text))
			return err;
	}
	return -1;
}

unsigned int errno_of_result(int64_t result)
{
	return result < 0 && result >= -MAX_ERRNO ? (unsigned int)-result : 0;
}
