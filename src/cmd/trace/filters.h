/* SPDX-License-Identifier: GPL-2.0 */
/* filters.h - can the filters let anything through on this machine, now? */
#ifndef LBRSNOOP_CMD_TRACE_FILTERS_H
#define LBRSNOOP_CMD_TRACE_FILTERS_H

#include "capture/capture.h"
#include "util/errmsg.h"

/**
 * filters_check() - look for the process of -p and the CPUs of -C
 *
 * A trace that waits for a process that is gone would wait for ever, and look as if nothing failed.
 * @command: there is one behind "--", which is traced by its process number
 * Return: 0, also where it cannot be known; -ESRCH: no such process, a thread of one, or numbers
 * that the kernel does not mean; -ENXIO: none of the CPUs is online; with @msg.
 */
int filters_check(const struct capture_options *opts, bool command, struct errmsg *msg);

#endif
