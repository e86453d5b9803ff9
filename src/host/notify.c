// SPDX-License-Identifier: GPL-2.0
#include "host/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/cleanup.h"

/* Source: sd_notify(3), "Notes": a datagram to an AF_UNIX socket, a path or an abstract name. */
void notify_send(const char *state)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = -1;
	size_t len = name ? strlen(name) : 0;

	if (len < 2 || len > sizeof(addr.sun_path) - 1 || (name[0] != '/' && name[0] != '@'))
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	memcpy(addr.sun_path, name, len);
	if (name[0] == '@')
		addr.sun_path[0] = '\0';
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&addr,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}
