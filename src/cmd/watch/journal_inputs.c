// SPDX-License-Identifier: GPL-2.0
#include "cmd/watch/journal_inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/option_args.h"
#include "export/journal_files.h"
#include "util/cleanup.h"
#include "util/log.h"

/* Starts of kernels, of all hosts: what the limit on files is raised for. */
#define STARTS_MOST 100000

error_t journal_args_add(struct journal_args *args, const char *dir)
{
	if (args->given)
		return args_usage("--journal is given twice; copy the files into one directory");
	args->given = true;
	args->dir = dir;
	return 0;
}

error_t journal_args_add_host(struct journal_args *args, const char *host)
{
	if (args->wanted.host_count == JOURNAL_HOSTS_MAX)
		return args_usage("--host: more than %d of them", JOURNAL_HOSTS_MAX);
	args->hosts[args->wanted.host_count++] = host;
	return 0;
}

error_t journal_args_path(struct journal_args *args, const char *ident)
{
	if (args->wanted.has_ident)
		return args_usage("--path-id is given twice; one path is shown at a time");
	if (!journal_ident_parse(ident, &args->wanted.ident))
		return args_usage("--path-id '%s': expected 16 hexadecimal digits, as --summary "
				  "prints them",
				  ident);
	args->wanted.has_ident = true;
	return 0;
}

error_t journal_args_check(const struct journal_args *args)
{
	if (!args->given && (args->wanted.host_count || args->wanted.has_ident))
		return args_usage("--host and --path-id are for --journal");
	return 0;
}

int journal_args_check_outputs(const struct journal_args *args, const struct filter_options *wanted)
{
	_cleanup_free_ char **paths = NULL;
	struct journal_files files = {};
	int status;

	/* What cannot be listed is said by who reads it. */
	if (journal_files_list(args->dir, &files))
		return filter_options_check_outputs(wanted, NULL, 0, "journal");
	paths = calloc(files.count + 1, sizeof(*paths));
	for (size_t i = 0; paths && i < files.count; i++)
		paths[i] = files.items[i].path;
	if (paths) {
		status = filter_options_check_outputs(wanted, paths, files.count, "journal");
	} else {
		log_error("%s", strerror(ENOMEM));
		status = EXIT_ERROR;
	}
	journal_files_deinit(&files);
	return status;
}

void journal_say_left_out(const struct journal_totals *totals)
{
	if (totals->refused)
		log_warning("%" PRIu64 " messages are left out: root has not sent them, or they "
			    "are damaged",
			    totals->refused);
	if (totals->unreadable)
		log_warning("%s: %s; %zu files of the journal are left out",
			    totals->unreadable_path, strerror(-totals->unreadable_err),
			    totals->unreadable);
}

/* A name that is mistyped, most of the time. */
static void say_hosts_without(const struct journal_args *args, const struct journal_captures *has)
{
	for (size_t i = 0; i < args->wanted.host_count; i++) {
		size_t k = 0;

		while (k < has->count && strcmp(has->items[k].host, args->hosts[i]) != 0)
			k++;
		if (k == has->count)
			log_warning("--host '%s': no captures are of it; 'lbrsnoop report "
				    "--journal' names the hosts",
				    args->hosts[i]);
	}
}

int journal_inputs_read(struct journal_args *args, struct journal_captures *ret, struct errmsg *msg)
{
	struct journal_totals totals = {};
	int err;

	args->wanted.hosts = args->hosts;
	args->wanted.stop = &stop_requested;
	allow_files(STARTS_MOST);
	err = journal_captures_read(args->dir, &args->wanted, ret, &totals, msg);
	if (err)
		return err;
	journal_say_left_out(&totals);
	if (ret->damaged)
		log_warning("%" PRIu64 " captures of the journal are damaged, and left out; the "
			    "first one is of path %016" PRIx64 " of host '%s'",
			    ret->damaged, ret->damaged_ident, ret->damaged_host);
	if (ret->without)
		log_info("%" PRIu64 " messages have no capture: LBRSNOOP_CAPTURE_LEFT_OUT says why",
			 ret->without);
	say_hosts_without(args, ret);
	if (!ret->count && !ret->damaged)
		log_warning("no captures are in these messages; CaptureBytes= of lbrsnoop watch, "
			    "and --capture-bytes beside --journal, have them sent");
	return 0;
}
