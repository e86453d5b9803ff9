// SPDX-License-Identifier: GPL-2.0
#include "host/klog.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"

/* Lines kept: a report of an OOM kill with its table of tasks has some hundred. */
#define KEPT	     512u
#define RECORD_BYTES 8192 /* CONSOLE_EXT_LOG_MAX of the kernel, or PRINTKRB_RECORD_MAX */
#define BEFORE_US    500000
#define NEAR_US	     100000 /* what is as near is no earlier report */
#define QUIET_MS     20
#define ROUNDS_MAX   10
/* Waits in a row; in a flood there is one in a second, and else what has been said by then. */
#define WAITS_MAX 16
#define WAIT_NS	  1000000000u

struct line {
	uint64_t us;
	char *text;
};

struct klog {
	int fd;
	struct line lines[KEPT];
	size_t next;	    /* counts up; modulo KEPT */
	uint64_t waited_ns; /* of each wait so much, of CLOCK_MONOTONIC */
	struct log_lines around;
};

int klog_open(const char *path, struct klog **ret_klog)
{
	struct klog *klog = calloc(1, sizeof(*klog));

	if (!klog)
		return -ENOMEM;
	klog->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (klog->fd < 0) {
		int err = -errno;

		free(klog);
		return err;
	}
	/* A plain file, in tests, is read from its start. */
	if (!strcmp(path, "/dev/kmsg"))
		lseek(klog->fd, 0, SEEK_END);
	*ret_klog = klog;
	return 0;
}

static void keep_line(struct klog *klog, uint64_t us, const char *text)
{
	struct line *line = &klog->lines[klog->next % KEPT];

	free(line->text);
	*line = (struct line){us, strdup(text)};
	klog->next += line->text != NULL;
}

/* What is no printable ASCII, and the backslash, comes as \xHH. Source: msg_add_ext_text(). */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		unsigned int byte;

		if (text[0] == '\\' && text[1] == 'x' && isxdigit((unsigned char)text[2]) &&
		    isxdigit((unsigned char)text[3]) && sscanf(text + 2, "%2x", &byte) == 1 &&
		    byte) {
			*to++ = (char)byte;
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/*
 * PRIORITY,SEQUENCE,MICROSECONDS,FLAGS[,...];TEXT, then lines of keys, which are left out. Text of
 * several lines is kept as so many.
 */
static void keep(struct klog *klog, char *record)
{
	char *text = strchr(record, ';');
	bool more = true;
	uint64_t us;

	if (!text || sscanf(record, "%*u,%*u,%" SCNu64 ",", &us) != 1)
		return;
	text++;
	text[strcspn(text, "\n")] = '\0';
	unescape(text);
	while (more) {
		size_t len = strcspn(text, "\n");

		more = text[len] && text[len + 1];
		text[len] = '\0';
		keep_line(klog, us, text);
		text += len + 1;
	}
}

/* Each read is a record. EPIPE: some were overwritten, the next read goes on behind them. */
static size_t drain(struct klog *klog)
{
	char record[RECORD_BYTES];
	size_t count = 0;
	ssize_t len;

	while (count < 4 * KEPT) {
		len = read(klog->fd, record, sizeof(record) - 1);
		if (len < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (len <= 0)
			break;
		record[len] = '\0';
		keep(klog, record);
		count++;
	}
	return count;
}

/*
 * The log's own clock is the CPU's, as CLOCK_MONOTONIC_RAW: CLOCK_MONOTONIC is adjusted
 * (adjtimex(2)) and leaves it by seconds a day. Source: kernel/printk/printk.c, local_clock().
 */
static uint64_t log_clock_us(uint64_t real_ns)
{
	uint64_t age_ns = clock_ns(CLOCK_REALTIME) - real_ns;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_RAW);

	return (now_ns > age_ns ? now_ns - age_ns : 0) / 1000;
}

/* The first line that is shown. The two clocks have not begun at the very same moment. */
static size_t first_line(const struct klog *klog, uint64_t us)
{
	size_t at = klog->next > KEPT ? klog->next - KEPT : 0;
	uint64_t from_us = us > BEFORE_US ? us - BEFORE_US : 0;

	while (at < klog->next && klog->lines[at % KEPT].us < from_us)
		at++;
	/* Too many: of what is farther away, less. */
	while (klog->next - at > LOG_LINES_MAX && klog->lines[at % KEPT].us + NEAR_US < us)
		at++;
	return at;
}

/* One more wait? Those of which WAIT_NS have not gone by yet count. */
static bool may_wait(struct klog *klog)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (klog->waited_ns < now)
		klog->waited_ns = now;
	if (klog->waited_ns - now >= (uint64_t)WAITS_MAX * WAIT_NS)
		return false;
	klog->waited_ns += WAIT_NS;
	return true;
}

const struct log_lines *klog_around(struct klog *klog, uint64_t ts_ns)
{
	struct log_lines *lines = &klog->around;
	uint64_t us = log_clock_us(ts_ns);
	bool may = may_wait(klog);

	*lines = (struct log_lines){0};
	drain(klog);
	for (int round = 0; may && round < ROUNDS_MAX; round++) {
		struct pollfd ready = {.fd = klog->fd, .events = POLLIN};

		if (poll(&ready, 1, QUIET_MS) <= 0 || !drain(klog))
			break;
	}
	for (size_t i = first_line(klog, us); i < klog->next; i++) {
		const struct line *line = &klog->lines[i % KEPT];

		if (lines->count == LOG_LINES_MAX)
			lines->left_out++;
		else
			lines->text[lines->count++] = line->text;
	}
	return lines;
}

void klog_close(struct klog *klog)
{
	if (!klog)
		return;
	for (size_t i = 0; i < KEPT; i++)
		free(klog->lines[i].text);
	close(klog->fd);
	free(klog);
}
