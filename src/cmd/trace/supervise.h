/* SPDX-License-Identifier: GPL-2.0 */
/* supervise.h - work on hostile input by a library that is not ours, in a process of its own */
#ifndef LBRSNOOP_CMD_TRACE_SUPERVISE_H
#define LBRSNOOP_CMD_TRACE_SUPERVISE_H

#include <stdint.h>

/**
 * typedef supervised_fn - the work
 * @beat: to be counted up now and then: who uses SUPERVISE_CPU_SECONDS between two beats hangs
 * Return: exit status.
 */
typedef int supervised_fn(void *ctx, volatile uint64_t *beat);

/* Processor time, not the clock's: a slow disk is no fault. */
#define SUPERVISE_CPU_SECONDS 20

/**
 * supervise() - do it in a child, wait for it
 * The signals of install_stop_handlers() are passed on: the second one ends the child at once.
 * Return: exit status; -EFAULT if the child crashed; -ETIMEDOUT if it hung, and was killed; -EINTR
 * if the user's signals ended it; -ENOMEM if somebody else killed it; -errno if there is no child.
 */
int supervise(supervised_fn *fn, void *ctx);

#endif
