// SPDX-License-Identifier: GPL-2.0
#include "cmd/option_args.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/filter_text.h"
#include "export/capture_field.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/file/new_file.h"
#include "util/number.h"

/* Runs of --deep */
#define DEEP_RUNS_DEFAULT 40
#define DEEP_RUNS_MAX	  10000

int args_usage(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	log_error("%s", text);
	return EINVAL;
}

char **args_copy(int argc, char *const *argv)
{
	size_t len = ((size_t)argc + 1) * sizeof(*argv);
	char **copy, *text;

	for (int i = 0; i < argc; i++)
		len += strlen(argv[i]) + 1;
	copy = calloc(1, len);
	if (!copy)
		return NULL;
	text = (char *)(copy + argc + 1);
	for (int i = 0; i < argc; i++) {
		copy[i] = text;
		text = stpcpy(text, argv[i]) + 1;
	}
	return copy;
}

void args_hide(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		memset(argv[i], 0, strlen(argv[i]));
}

/* Neither is there: would both make the same one? */
static bool makes_same_file(const char *one, const char *other)
{
	_cleanup_free_ char *a = NULL, *b = NULL;

	if (new_file_resolve(one, &a) || new_file_resolve(other, &b))
		return !strcmp(one, other);
	return !strcmp(a, b);
}

bool args_same_file(const char *one, const char *other)
{
	struct stat a, b;
	bool one_missing = stat(one, &a), other_missing = stat(other, &b);

	if (one_missing || other_missing)
		return one_missing && other_missing && makes_same_file(one, other);
	return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

const char *args_shared_output(const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; names[i] && k < i; k++)
			if (names[k] && args_same_file(names[i], names[k]))
				return names[i];
	return NULL;
}

bool args_is_stdout(const char *name)
{
	struct stat named, ours;

	if (!strcmp(name, "-"))
		return true;
	return !stat(name, &named) && !fstat(STDOUT_FILENO, &ours) && named.st_dev == ours.st_dev &&
	       named.st_ino == ours.st_ino;
}

int args_number(const char *name, const char *arg, uint64_t max, uint64_t *ret)
{
	uint64_t value;

	if (number_parse(arg, "", &value) || value > max)
		return args_usage("%s '%s': expected a number from 0 to %llu", name, arg,
				  (unsigned long long)max);
	*ret = value;
	return 0;
}

int args_seconds(const char *name, const char *arg, uint64_t *ret_ms)
{
	char *end;
	double seconds = strtod(arg, &end);

	if (end == arg || *end || !(seconds > 0) || seconds > 1e9)
		return args_usage("%s '%s': expected a number of seconds above 0 and up to 1e9",
				  name, arg);
	*ret_ms = seconds * 1000 < 1 ? 1 : (uint64_t)(seconds * 1000);
	return 0;
}

int args_size(const char *name, const char *arg, uint64_t *ret)
{
	uint64_t value;

	if (number_parse(arg, "KMG", &value) || value < 65536)
		return args_usage("%s '%s': expected a number of bytes, 64K or more", name, arg);
	*ret = value;
	return 0;
}

int args_capture_bytes(const char *arg, uint64_t *ret)
{
	uint64_t value;

	if (number_parse(arg, "KMG", &value) || value > CAPTURE_BYTES_MAX)
		return args_usage("--capture-bytes '%s': expected a number of bytes up to 1M; 0: "
				  "no captures",
				  arg);
	*ret = value;
	return 0;
}

int args_deep(const char *arg, uint64_t *ret_runs)
{
	*ret_runs = DEEP_RUNS_DEFAULT;
	if (arg && (number_parse(arg, "", ret_runs) || !*ret_runs || *ret_runs > DEEP_RUNS_MAX))
		return args_usage("--deep '%s': expected a number from 1 to %u", arg,
				  DEEP_RUNS_MAX);
	return 0;
}

int args_errnos(struct capture_options *capture, const char *arg)
{
	struct errmsg msg = {};
	int err = filter_errnos(capture, arg, &msg);

	return err == -EINVAL ? args_usage("--errno %s", msg.text) : -err;
}

int args_cpus(struct capture_options *capture, const char *arg)
{
	struct errmsg msg = {};

	return filter_cpus(capture, arg, &msg) ? args_usage("--cpu %s", msg.text) : 0;
}

int args_comm(struct capture_options *capture, const char *arg)
{
	if (!*arg)
		return args_usage("--comm '': expected a task name, as ps -o comm shows it");
	if (strlen(arg) >= COMM_LEN)
		log_warning(
			"--comm '%s': the kernel keeps 15 bytes of a task's name; comparing with "
			"'%.15s'",
			arg, arg);
	capture->comm = arg;
	return 0;
}

int args_pid(struct capture_options *capture, const char *arg)
{
	uint64_t value = 0;
	int err = args_number("--pid", arg, 1 << 22, &value);

	if (err)
		return err;
	if (!value)
		return args_usage("--pid 0: no process has this number");
	capture->pid = value;
	return 0;
}

error_t args_filter(struct capture_options *capture, int key, const char *arg)
{
	switch (key) {
	case 'e':
		return args_errnos(capture, arg);
	case 'p':
		return args_pid(capture, arg);
	case 'c':
		return args_comm(capture, arg);
	case 'C':
		return args_cpus(capture, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

error_t args_status(int key)
{
	switch (key) {
	case 'v':
		log_set_level(log_get_level() >= LOG_VERBOSE ? LOG_DEBUG : LOG_VERBOSE);
		return 0;
	case 'q':
		log_set_level(LOG_QUIET);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
