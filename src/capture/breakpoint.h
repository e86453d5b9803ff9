/* SPDX-License-Identifier: GPL-2.0 */
/* breakpoint.h - can hardware breakpoints be relied upon here? */
#ifndef LBRSNOOP_CAPTURE_BREAKPOINT_H
#define LBRSNOOP_CAPTURE_BREAKPOINT_H

#include "util/errmsg.h"

/**
 * breakpoint_check() - see a hardware breakpoint fire
 *
 * A hypervisor may keep the debug registers to itself: the kernel then accepts a breakpoint, and it
 * never fires. So one is set on a function of this program, for this thread alone, and the function
 * is called. That shows it for the kernel's addresses as well: the CPU compares linear addresses,
 * whatever the privilege level. It takes neither a PMU nor a privilege.
 * Return: 0 if it fired; -EOPNOTSUPP if none can be had, @msg says why; another negative errno if
 * this one was refused, for instance -ENOSPC because others hold the registers: nothing is known.
 */
int breakpoint_check(struct errmsg *msg);

/** breakpoint_swallowed() - -EOPNOTSUPP, @msg says that breakpoints are accepted and never fire */
int breakpoint_swallowed(struct errmsg *msg);

#endif
