/* SPDX-License-Identifier: GPL-2.0 */
/* option_args.h - arguments of options that more than one command has */
#ifndef LBRSNOOP_CMD_OPTION_ARGS_H
#define LBRSNOOP_CMD_OPTION_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"

/* All of them return 0, or EINVAL or ENOMEM when they have said on stderr what is wrong. */

/** args_usage() - say what is wrong; returns EINVAL */
int args_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * args_copy() - the arguments in memory of their own, for args_hide() to erase the others
 * Return: to be freed, as a whole; NULL if there is no memory.
 */
char **args_copy(int argc, char *const *argv);

/**
 * args_hide() - erase all but the first: ps shows them no more, and journald, which adds the
 * command line of whoever logs, does not store what stands in it
 */
void args_hide(int argc, char **argv);

/** args_same_file() - one regular file, by whatever names? Also one that is yet to be made */
bool args_same_file(const char *one, const char *other);

/**
 * args_shared_output() - the first of @names that is one file with one before it; NULL: none is
 * @names: NULL among them: no output
 */
const char *args_shared_output(const char *const *names, size_t count);

/** args_is_stdout() - "-", or a name of what standard output goes to */
bool args_is_stdout(const char *name);

/** args_number() - a number from 0 to @max; @name is the option's */
int args_number(const char *name, const char *arg, uint64_t max, uint64_t *ret);

/** args_seconds() - a time above 0, fractions are fine, as milliseconds of at least 1 */
int args_seconds(const char *name, const char *arg, uint64_t *ret_ms);

/** args_size() - bytes: a number, or one with K, M or G behind it; at least 64 KiB */
int args_size(const char *name, const char *arg, uint64_t *ret);

/** args_capture_bytes() - of --capture-bytes: bytes, as of args_size(), 0: none */
int args_capture_bytes(const char *arg, uint64_t *ret);

/** args_deep() - of --deep, NULL: the default: how many runs */
int args_deep(const char *arg, uint64_t *ret_runs);

/** args_errnos() - "ENOENT,-EINVAL,any", "none" */
int args_errnos(struct capture_options *capture, const char *arg);

/** args_cpus() - "0,2-4" */
int args_cpus(struct capture_options *capture, const char *arg);

/** args_comm() - a task's name; borrowed */
int args_comm(struct capture_options *capture, const char *arg);

/** args_pid() - a process */
int args_pid(struct capture_options *capture, const char *arg);

/** args_filter() - -e, -p, -c and -C; ARGP_ERR_UNKNOWN if @key is none of them */
error_t args_filter(struct capture_options *capture, int key, const char *arg);

/** args_status() - -v and -q set the log level; ARGP_ERR_UNKNOWN if @key is neither */
error_t args_status(int key);

#endif
