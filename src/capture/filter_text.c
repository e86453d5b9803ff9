// SPDX-License-Identifier: GPL-2.0
#include "capture/filter_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/bitset.h"
#include "util/cleanup.h"
#include "util/errno_name.h"

int filter_errnos(struct capture_options *capture, const char *arg, struct errmsg *msg)
{
	_cleanup_free_ char *copy = strdup(arg);
	char *rest = copy, *item;

	if (!copy)
		return -ENOMEM;
	capture->errno_any = false;
	memset(capture->errnos, 0, sizeof(capture->errnos));
	if (!strcmp(arg, "none")) {
		capture->errno_filter = false;
		return 0;
	}
	capture->errno_filter = true;
	while ((item = strsep(&rest, ","))) {
		int err;

		if (!*item)
			return errmsg_set(msg, -EINVAL,
					  "'%s': name errnos, as in -e ENOENT,EACCES; or any, or "
					  "none",
					  arg);
		if (!strcmp(item, "any")) {
			capture->errno_any = true;
			continue;
		}
		err = errno_parse(item);
		if (err < 0)
			return errmsg_set(msg, -EINVAL,
					  "'%s': no such errno; write it as ENOENT or 2, see "
					  "errno(3); any: every error; none: every return",
					  item);
		bitset_add(capture->errnos, err);
	}
	return 0;
}

int filter_cpus(struct capture_options *capture, const char *arg, struct errmsg *msg)
{
	const char *p = arg;

	memset(capture->cpus, 0, sizeof(capture->cpus));
	capture->cpu_filter = true;
	do {
		char *end;
		long first, last;

		if (*p < '0' || *p > '9')
			break;
		first = last = strtol(p, &end, 10);
		if (*end == '-' && end[1] >= '0' && end[1] <= '9')
			last = strtol(end + 1, &end, 10);
		if (last < first || last >= CPU_WORDS * 64 || (*end && *end != ','))
			break;
		for (long cpu = first; cpu <= last; cpu++)
			bitset_add(capture->cpus, cpu);
		if (!*end)
			return 0;
		p = end + 1;
	} while (true);
	return errmsg_set(msg, -EINVAL, "'%s': expected a list of CPUs, as in 0,2-4", arg);
}
