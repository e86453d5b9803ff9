/* SPDX-License-Identifier: GPL-2.0 */
/* child.h - a command that waits until everything is armed */
#ifndef LBRSNOOP_CMD_CHILD_H
#define LBRSNOOP_CMD_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/** struct child - zeroed: there is none */
struct child {
	pid_t pid;
	int go_fd; /* closed to let it run */
	bool ended;
	int status; /* of waitpid(), when it has ended */
};

/**
 * child_fork() - start a process that will become @command
 * Return: 0; negative errno.
 */
int child_fork(struct child *child, char **command);

/** child_go() - let it execute the command */
void child_go(struct child *child);

/** child_ended() - did it end? false if there is none */
bool child_ended(struct child *child);

/** child_end() - end one that never ran; wait for one that ended; one that runs goes on */
void child_end(struct child *child);

#endif
