/* SPDX-License-Identifier: GPL-2.0 */
/* holders.h - who may hold a CPU's debug registers */
#ifndef LBRSNOOP_CAPTURE_BUDGET_HOLDERS_H
#define LBRSNOOP_CAPTURE_BUDGET_HOLDERS_H

#include <stddef.h>

#define HOLDERS_NAMED 4 /* in words, at most */

/**
 * debug_register_holders() - name the processes that may hold debug registers
 *
 * The kernel does not say who holds one. Those who can: processes with open perf events (perf,
 * other tracers), and those that trace another process (gdb). kgdb is no process.
 * @buf: "perf (pid 12), gdb (pid 34)", this process left out; "" if none is seen
 * Return: how many there are, also those that @buf has no room for.
 */
size_t debug_register_holders(char *buf, size_t len);

#endif
