/* SPDX-License-Identifier: GPL-2.0 */
/* child.h - a command that waits until everything is armed */
#ifndef LBRSNOOP_CMD_CHILD_H
#define LBRSNOOP_CMD_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/** struct child - zeroed: there is none */
struct child {
	pid_t pid;
	int go_fd;    /* closed to let it run */
	bool watched; /* up to its exec */
	bool at_exec; /* stopped there */
	bool ended;
	int status; /* of waitpid(), when it has ended */
};

/** typedef child_fn - what the process does once it may; returns its exit status */
typedef int child_fn(void *ctx);

/**
 * child_fork() - start a process that waits for child_go()
 * Return: 0; negative errno.
 */
int child_fork(struct child *child, child_fn *fn, void *ctx);

/**
 * child_vfork() - the same of a @fn that does little but exec, without a copy of our memory
 *
 * Until its exec the process is in our memory, on a stack of its own. @fn must change nothing
 * there. What @ctx points at must stay as it is until child_go() has been called, and the process
 * is another program or has ended.
 *
 * A fork() of ours copies the tables of some 10,000 pages. The exec takes them down again, in the
 * process that is traced: by the function tracer, that takes 6 seconds in the guest.
 *
 * Return: 0; negative errno.
 */
int child_vfork(struct child *child, child_fn *fn, void *ctx);

/**
 * child_find() - the file of a command, searched along PATH
 *
 * Before anything is armed: execvp() in the traced process would show the user each directory of
 * PATH that lacks the program as a failure of his command.
 * Return: 0; -ENOENT or -EACCES if there is no such program; -ENOMEM.
 */
int child_find(const char *name, char **ret_path);

/**
 * struct child_command - what child_exec() becomes
 * @path: by child_find()
 * @argv: ended by NULL; both borrowed
 */
struct child_command {
	const char *path;
	char **argv;
};

/** child_exec() - a child_fn, of a struct child_command */
int child_exec(void *ctx);

/**
 * child_watch() - child_go() is to stop it when its exec is through
 *
 * What our own code does in the process until then, and the exec, are not the command's. Needs
 * CAP_SYS_PTRACE, without which a watched exec of a set-user-ID program would gain no privileges;
 * where it is missing nothing is watched.
 */
void child_watch(struct child *child);

/** child_go() - let it execute the command; returns when that is done if it is watched */
void child_go(struct child *child);

/** child_resume() - let one go on that child_go() has stopped */
void child_resume(struct child *child);

/** child_ended() - did it end? false if there is none */
bool child_ended(struct child *child);

/**
 * child_stop() - let it end as it would without us, but end it
 * What it has started is left to it.
 * @sig: is passed on; two seconds later it is killed
 * @sent: its process group has had the signal, as ours, of the terminal: not twice, which many
 *	programs take for "at once"
 * Return: false if it was killed.
 */
bool child_stop(struct child *child, int sig, bool sent);

/** child_kill() - end it in any case */
void child_kill(struct child *child);

/** child_end() - end one that never ran; wait for one that ended; one that runs goes on */
void child_end(struct child *child);

#endif
