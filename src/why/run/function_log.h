/* SPDX-License-Identifier: GPL-2.0 */
/*
 * function_log.h - which functions a process enters, where the kernel has no kprobe.multi
 *
 * By perf's event of the function tracer, which needs CONFIG_FUNCTION_TRACER alone (Debian's 6.1
 * has no CONFIG_FPROBE). It tells every function of the traced processes, not just those asked for,
 * so it costs more; it is held by file descriptors: nothing stays armed when the process dies.
 */
#ifndef LBRSNOOP_WHY_RUN_FUNCTION_LOG_H
#define LBRSNOOP_WHY_RUN_FUNCTION_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "util/errmsg.h"
#include "why/candidates.h"
#include "why/failures.h"

struct function_log;

/**
 * function_log_open() - a log of nobody's functions yet
 * @candidates: entries of other functions are not kept; borrowed until function_log_close()
 * Return: 0; -ENOENT if the kernel has no function tracer; negative errno, with @msg.
 */
int function_log_open(const struct candidates *candidates, struct function_log **ret_log,
		      struct errmsg *msg);

/**
 * function_log_add() - log a thread, and those that it starts from now on
 * Each costs an event on each CPU, which every function of the kernel looks at.
 * Return: 0; -ESRCH if there is no such thread; -E2BIG if there are too many; -EPERM; negative
 * errno, with @msg.
 */
int function_log_add(struct function_log *log, uint32_t tid, struct errmsg *msg);

/**
 * function_log_add_cgroup() - log all tasks that are, and that come to be, in a control group
 * @fd: of its folder, version 2
 * Return: 0; negative errno, with @msg.
 */
int function_log_add_cgroup(struct function_log *log, int fd, struct errmsg *msg);

/** function_log_poll() - take what has been logged; call it often: the kernel's buffers fill up */
int function_log_poll(struct function_log *log);

/** function_log_end() - log no more; what was logged can still be asked for */
void function_log_end(struct function_log *log);

/**
 * function_log_fill() - the functions that ran in a failing call, as kprobe.multi would have told
 * @failure: func_count is 0
 * Return: 0 or -ENOMEM.
 */
int function_log_fill(struct function_log *log, struct failure *failure);

/** function_log_close() - free; NULL is fine */
void function_log_close(struct function_log *log);

#endif
