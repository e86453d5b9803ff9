// SPDX-License-Identifier: GPL-2.0
#include "util/lockdown.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

enum lockdown lockdown_parse(const char *text)
{
	return strstr(text, "[confidentiality]") ? LOCKDOWN_CONFIDENTIALITY
	       : strstr(text, "[integrity]")	 ? LOCKDOWN_INTEGRITY
						 : LOCKDOWN_NONE;
}

enum lockdown lockdown_read(void)
{
	char text[128] = "";
	_cleanup_close_ int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return LOCKDOWN_NONE;
	return lockdown_parse(text);
}
