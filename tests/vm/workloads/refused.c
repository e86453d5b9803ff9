// SPDX-License-Identifier: GPL-2.0
/* refused tcp|unix - one connect() that fails with ECONNREFUSED: nobody listens there */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PLACE "/dev/shm/refused.socket"

static int connect_unix(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = PLACE};
	int gone = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);

	unlink(PLACE);
	if (gone < 0 || fd < 0 || bind(gone, (struct sockaddr *)&addr, sizeof(addr)) || close(gone))
		return -1;
	return connect(fd, (struct sockaddr *)&addr, sizeof(addr));
}

static int connect_tcp(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_port = htons(1),
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&addr, sizeof(addr));
}

int main(int argc, char **argv)
{
	int err = argc == 2 && !strcmp(argv[1], "tcp") ? connect_tcp() : connect_unix();

	if (err && errno == ECONNREFUSED)
		return 0;
	perror("refused");
	return 1;
}
