// SPDX-License-Identifier: GPL-2.0
#include "cmd/why/why_advice.h"

#include <stdio.h>
#include <string.h>

#include "util/bitset.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "util/shell_words.h"

#define ERRNOS_NAMED_MAX 8

static bool has_errno(const struct capture_options *capture, int err)
{
	return bitset_has(capture->errnos, err);
}

/* " -e ENOENT,EIO"; "" for every errno, or more than anybody reads. */
static void put_errnos(const struct trace_options *opts, char *buf, size_t size)
{
	const struct capture_options *capture = &opts->capture;
	size_t named = 0, len = 0;

	*buf = '\0';
	if (!opts->errno_given || capture->errno_any ||
	    !(capture->errno_filter || opts->compare.wanted))
		return;
	for (int err = 1; err < 64 * ERRNO_WORDS; err++) {
		const char *name = errno_name(err);

		if (!has_errno(capture, err))
			continue;
		if (++named > ERRNOS_NAMED_MAX) {
			*buf = '\0';
			return;
		}
		len += (size_t)snprintf(buf + len, size - len, "%s", named == 1 ? " -e " : ",");
		if (name)
			len += (size_t)snprintf(buf + len, size - len, "%s", name);
		else
			len += (size_t)snprintf(buf + len, size - len, "%d", err);
	}
}

const char *why_advice(const struct trace_options *opts, const char *comm, char *buf)
{
	char errnos[ERRNOS_NAMED_MAX * 24];
	size_t len, room;

	put_errnos(opts, errnos, sizeof(errnos));
	len = (size_t)snprintf(buf, WHY_ADVICE_MAX, "lbrsnoop why%s", errnos);
	room = WHY_ADVICE_MAX - len;
	if (opts->capture.comm)
		comm = opts->capture.comm;
	if (opts->command) {
		size_t head = (size_t)snprintf(buf + len, room, " -- ");

		if (shell_words((const char *const *)opts->command, buf + len + head, room - head) <
		    room - head)
			return buf;
	} else if (opts->capture.pid) {
		snprintf(buf + len, room, " -p %u", (unsigned int)opts->capture.pid);
		return buf;
	} else if (comm && *comm) {
		len += (size_t)snprintf(buf + len, room, " -c ");
		shell_word(comm, buf + len, WHY_ADVICE_MAX - len);
		return buf;
	}
	snprintf(buf + len, room, " -- COMMAND");
	return buf;
}
