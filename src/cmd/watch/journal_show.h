/* SPDX-License-Identifier: GPL-2.0 */
/* journal_show.h - report --journal: what traces have sent to journald */
#ifndef LBRSNOOP_CMD_WATCH_JOURNAL_SHOW_H
#define LBRSNOOP_CMD_WATCH_JOURNAL_SHOW_H

#include <stdint.h>
#include <stdio.h>

#include "cmd/trace/filter_options.h"
#include "cmd/watch/journal_inputs.h"
#include "util/errmsg.h"

/** journal_show_check() - options that a journal has no answer to are refused; 0, or EINVAL */
int journal_show_check(const struct filter_options *wanted);

/**
 * journal_show() - print a summary of the paths, as --summary does
 * @args: which messages, of which journals
 * @ret_printed: snapshots that are counted in it
 * Return: 0; negative errno, with @msg.
 */
int journal_show(const struct filter_options *wanted, struct journal_args *args, FILE *out,
		 uint64_t *ret_printed, struct errmsg *msg);

#endif
