/* SPDX-License-Identifier: GPL-2.0 */
/* why_advice.h - the command line of "lbrsnoop why" for what is traced, ready to be pasted */
#ifndef LBRSNOOP_CMD_WHY_WHY_ADVICE_H
#define LBRSNOOP_CMD_WHY_WHY_ADVICE_H

#include <stddef.h>

#include "cmd/trace/trace_options.h"

/* Enough; what is longer is not quoted in full. */
#define WHY_ADVICE_MAX 1024

/**
 * why_advice() - "lbrsnoop why -- cat /none", "lbrsnoop why -p 42", "lbrsnoop why -e EIO -c dd"
 * The errnos of -e are kept, where they are few.
 * @comm: of a task that failed, for a trace of all tasks; NULL: none is known
 * @buf: WHY_ADVICE_MAX bytes
 * Return: @buf; with the word COMMAND where the trace had none, or one that is too long.
 */
const char *why_advice(const struct trace_options *opts, const char *comm, char *buf);

#endif
