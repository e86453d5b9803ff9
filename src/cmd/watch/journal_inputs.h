/* SPDX-License-Identifier: GPL-2.0 */
/* journal_inputs.h - captures out of journals, in place of capture files: for report and compare */
#ifndef LBRSNOOP_CMD_WATCH_JOURNAL_INPUTS_H
#define LBRSNOOP_CMD_WATCH_JOURNAL_INPUTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "cmd/trace/filter_options.h"
#include "export/journal_captures.h"
#include "util/errmsg.h"

#define JOURNAL_HOSTS_MAX 256

/**
 * struct journal_args - of a command line; {0}: none
 * @given: --journal; @dir: of it, NULL: this machine's
 * @hosts: of --host; borrowed
 * @wanted: those, and --path-id
 */
struct journal_args {
	bool given;
	const char *dir;
	const char *hosts[JOURNAL_HOSTS_MAX];
	struct journal_wanted wanted;
};

/** journal_args_add() - take --journal; 0; EINVAL, after saying so: it is given twice */
error_t journal_args_add(struct journal_args *args, const char *dir);

/** journal_args_add_host() - take --host; as journal_args_add() */
error_t journal_args_add_host(struct journal_args *args, const char *host);

/** journal_args_path() - take --path-id; as journal_args_add() */
error_t journal_args_path(struct journal_args *args, const char *ident);

/** journal_args_check() - are --host and --path-id without --journal? As journal_args_add() */
error_t journal_args_check(const struct journal_args *args);

/**
 * journal_args_check_outputs() - no output may be a file of the journals, or two outputs one file
 * Return: as filter_options_check_outputs().
 */
int journal_args_check_outputs(const struct journal_args *args,
			       const struct filter_options *wanted);

/** journal_say_left_out() - warn of what a reading has left out */
void journal_say_left_out(const struct journal_totals *totals);

/**
 * journal_inputs_read() - the captures that are asked for, and warnings of what is missing
 * The limit on open files is raised: there is one for each start of a host.
 * @ret: set on success; journal_captures_deinit()
 * Return: 0; negative errno, with @msg.
 */
int journal_inputs_read(struct journal_args *args, struct journal_captures *ret,
			struct errmsg *msg);

#endif
