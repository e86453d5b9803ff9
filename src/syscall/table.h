/* SPDX-License-Identifier: GPL-2.0 */
/* table.h - what each system call takes */
#ifndef LBRSNOOP_SYSCALL_TABLE_H
#define LBRSNOOP_SYSCALL_TABLE_H

#include "syscall/args.h"

/** struct syscall_row - @name: NULL: there is no such call; @args: those behind the last are NULL
 */
struct syscall_row {
	const char *name;
	const struct arg_type *args[SYSCALL_ARGS];
};

/* By number. */
extern const struct syscall_row syscall_rows[SYSCALL_PLANS];

#endif
