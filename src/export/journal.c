// SPDX-License-Identifier: GPL-2.0
#include "export/journal.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "export/capture_queue.h"
#include "render/escape.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/file/library.h"

#define SOCKET "/run/systemd/journal/socket"

/* syslog.h, as journald reads PRIORITY= */
#define PRIORITY_WARNING 4
#define PRIORITY_INFO	 6

#define MS_NS 1000000ull
/* A queue that is full for a moment loses nothing; the watchdog and SIGTERM are not kept waiting.
 */
#define PATIENCE_NS	(1000 * MS_NS)
#define PATIENCE_END_NS (5000 * MS_NS)

#define FIELDS_MAX  24
#define FIELD_BYTES 1400
#define VALUE_BYTES 1024

/* sd_journal_sendv(3) */
typedef int sendv_fn(const struct iovec *iov, int count);

/**
 * struct journal
 * @quota: of what leaves, or NULL
 * @failed: messages that were not taken, the last of them because of @err
 * @lost, @left_out: that have been told
 * @patience_ns: how long journald may be waited for until the next call, with a quota
 * @waiting: captures of paths that could not leave yet, with a quota
 * @captures: as of journal_captures()
 * @captures_left: bytes of captures that may still leave; less than any at the end
 */
struct journal {
	struct journal_options opts;
	sendv_fn *sendv;
	struct quota *quota;
	uint64_t failed;
	int err;
	uint64_t lost;
	uint64_t left_out;
	uint64_t patience_ns;
	struct capture_queue waiting;
	struct journal_captures_sent captures;
	uint64_t captures_left;
};

/* Why a capture is left out that was not made, or may not leave. */
static const char budget[] = "budget";
/* One that was made, and would keep all others waiting for more seconds than these. */
static const char beyond_budget[] = "budget";
#define BUDGET_SECONDS 10

/** struct message - fields that are put together; too long ones are cut */
struct message {
	char text[FIELDS_MAX][FIELD_BYTES];
	struct iovec iov[FIELDS_MAX];
	int count;
};

/*
 * Without it, sd_journal_sendv() does nothing and says nothing. Connected anew each time: journald
 * may have been started again. A file descriptor; negative errno.
 */
static int connect_socket(void)
{
	const struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = SOCKET};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err;

	if (fd < 0 || !connect(fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return fd < 0 ? -errno : fd;
	err = -errno;
	close(fd);
	return err;
}

/* sd_journal_sendv() waits for as long as journald does not read, whatever signals come. */
static int await_room(struct journal *journal)
{
	_cleanup_close_ int fd = connect_socket();
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC), waited_ns;
	int got;

	if (fd < 0 || !journal->quota)
		return fd < 0 ? fd : 0;
	got = poll(&ready, 1, (int)(journal->patience_ns / MS_NS));
	waited_ns = clock_ns(CLOCK_MONOTONIC) - begun_ns;
	journal->patience_ns -= waited_ns < journal->patience_ns ? waited_ns : journal->patience_ns;
	return got > 0 ? 0 : -EAGAIN;
}

static const char *reason(int err)
{
	return err == -EAGAIN ? "journald does not read" : strerror(-err);
}

int journal_create(const struct journal_options *opts, struct journal **ret_journal,
		   struct errmsg *msg)
{
	void *library = library_open("libsystemd.so.0");
	sendv_fn *sendv = library ? (sendv_fn *)dlsym(library, "sd_journal_sendv") : NULL;
	struct journal *journal;
	int fd;

	if (!sendv)
		return errmsg_set(msg, -EOPNOTSUPP, "%s: %s", opts->asked,
				  library_possible() ? JOURNAL_NO_LIBRARY : JOURNAL_STATIC);
	fd = connect_socket();
	if (fd < 0)
		return errmsg_set(msg, -ENOENT,
				  "%s: " SOCKET ": %s; journald has to run, and in a "
				  "container its socket has to be there",
				  opts->asked, strerror(-fd));
	close(fd);
	journal = calloc(1, sizeof(*journal));
	if (!journal)
		return -ENOMEM;
	journal->opts = *opts;
	journal->sendv = sendv;
	journal->captures_left = UINT64_MAX;
	*ret_journal = journal;
	return 0;
}

void journal_destroy(struct journal *journal)
{
	if (journal)
		capture_queue_deinit(&journal->waiting);
	free(journal);
}

void journal_limit(struct journal *journal, struct quota *quota)
{
	journal->quota = quota;
	journal->patience_ns = PATIENCE_NS;
}

/*
 * Names are ours, values may be anybody's: what could end a field is made visible. An empty value
 * is none.
 */
static void put(struct message *message, const char *name, const char *value)
{
	char escaped[VALUE_BYTES];
	int len;

	if (!value || !*value || message->count == FIELDS_MAX)
		return;
	escape_text(value, escaped, sizeof(escaped));
	len = snprintf(message->text[message->count], FIELD_BYTES, "%s=%s", name, escaped);
	message->iov[message->count] = (struct iovec){
		.iov_base = message->text[message->count],
		.iov_len = len < FIELD_BYTES ? (size_t)len : FIELD_BYTES - 1,
	};
	message->count++;
}

static void put_format(struct message *message, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void put_format(struct message *message, const char *name, const char *format, ...)
{
	char text[VALUE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put(message, name, text);
}

const char *journal_unit_of(const char *cgroup, char *buf, size_t len)
{
	static const char *const kinds[] = {".service", ".scope"};
	const char *end = cgroup + strlen(cgroup);

	buf[0] = '\0';
	while (end > cgroup) {
		const char *start = end;
		size_t part;

		while (start > cgroup && start[-1] != '/')
			start--;
		part = (size_t)(end - start);
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
			size_t kind = strlen(kinds[i]);

			if (part > kind && !memcmp(end - kind, kinds[i], kind)) {
				snprintf(buf, len, "%.*s", (int)part, start);
				return buf;
			}
		}
		end = start > cgroup ? start - 1 : cgroup;
	}
	return buf;
}

/* Version 2 has one line, "0::/PATH"; of version 1, systemd's own hierarchy is meant. */
static void put_cgroup(struct message *message, uint32_t pid)
{
	char path[40], line[4200], unit[256];
	_cleanup_fclose_ FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		char *cgroup;

		if (strncmp(line, "0::", 3) && !strstr(line, ":name=systemd:"))
			continue;
		cgroup = strchr(line, '/');
		if (!cgroup)
			continue;
		cgroup[strcspn(cgroup, "\n")] = '\0';
		put(message, "LBRSNOOP_CGROUP", cgroup);
		put(message, "LBRSNOOP_UNIT", journal_unit_of(cgroup, unit, sizeof(unit)));
		return;
	}
}

static void put_path(struct message *message, const struct finding_path *path, uint64_t count)
{
	char number[24];

	put_format(message, "LBRSNOOP_PATH_ID", "%016" PRIx64, path->taken.ident);
	put(message, "LBRSNOOP_FUNCTION", path->function);
	put(message, "LBRSNOOP_ERRNO", finding_errno(path, number));
	put_format(message, "LBRSNOOP_COUNT", "%" PRIu64, count);
}

/* @snap: NULL: it waited, and its task may be gone */
static void put_full(struct message *message, const struct journal *journal,
		     const struct finding_path *path, const struct snapshot *snap)
{
	put(message, "LBRSNOOP_ORIGIN", path->origin);
	put(message, "LBRSNOOP_ORIGIN_FUNCTION", path->origin_function);
	put(message, "LBRSNOOP_TRIGGER", path->taken.kind);
	put(message, "LBRSNOOP_BUILD_ID", path->build_id);
	put(message, "LBRSNOOP_KERNEL", path->release);
	put(message, "LBRSNOOP_CPU_MODEL", path->model);
	if (path->taken.err)
		put_format(message, "ERRNO", "%d", path->taken.err);
	if (!snap)
		return;
	/* Not OBJECT_PID: journald would add the command line of that process. */
	put_format(message, "LBRSNOOP_PID", "%u", snap->pid);
	if (journal->opts.with_comm)
		put(message, "LBRSNOOP_COMM", snap->comm);
	if (journal->opts.live)
		put_cgroup(message, snap->pid);
}

static size_t size_of(const struct message *message)
{
	size_t bytes = 0;

	for (int i = 0; i < message->count; i++)
		bytes += message->iov[i].iov_len + 1;
	return bytes;
}

static bool send_message(struct journal *journal, struct quota *quota, struct message *message,
			 const char *id, int priority)
{
	int err = await_room(journal);

	put(message, "MESSAGE_ID", id);
	put(message, "SYSLOG_IDENTIFIER", "lbrsnoop");
	put_format(message, "PRIORITY", "%d", priority);
	if (!err && quota && !quota_take(quota, clock_ns(CLOCK_MONOTONIC), size_of(message)))
		return false;
	err = err ?: journal->sendv(message->iov, message->count);
	if (err < 0) {
		journal->failed++;
		journal->err = err;
	}
	return err >= 0;
}

/* Into a field of its own, as it is: a capture is of any bytes. */
static void put_capture(struct message *message, const struct capture_field *capture)
{
	if (capture->bytes)
		put_format(message, "LBRSNOOP_CAPTURE_BYTES", "%zu", capture->bytes);
	put(message, "LBRSNOOP_CAPTURE_LEFT_OUT", capture->left_out);
	if (capture->field && message->count < FIELDS_MAX)
		message->iov[message->count++] = (struct iovec){
			.iov_base = capture->field, .iov_len = capture_field_len(capture)};
}

static void make_capture(const struct journal *journal, const struct finding *finding,
			 struct capture_field *ret)
{
	const struct quota *quota = journal->quota;

	capture_field_make(finding->snap, finding->kernel, journal->opts.capture_bytes,
			   journal->opts.with_comm, ret);
	if (!quota || !quota->bytes_per_s ||
	    capture_field_len(ret) <= quota->bytes_per_s * BUDGET_SECONDS)
		return;
	free(ret->field);
	ret->field = NULL;
	ret->left_out = beyond_budget;
}

/*
 * The capture of a path: the one that waits, or, if there is none, of @finding, into @ret. A path
 * whose capture would only have to be dropped is not captured.
 */
static struct capture_field *find_capture(struct journal *journal, const struct finding_path *path,
					  const struct finding *finding, struct capture_field *ret)
{
	struct capture_waiting *waiting = capture_queue_find(&journal->waiting, path->taken.ident);
	uint64_t most = journal->opts.capture_bytes;

	if (waiting)
		return &waiting->capture;
	*ret = (struct capture_field){.left_out = most ? budget : NULL};
	if (most && finding && !capture_queue_full(&journal->waiting, most))
		make_capture(journal, finding, ret);
	return ret;
}

static void count_capture(struct journal *journal, const struct capture_field *capture)
{
	if (!journal->opts.capture_bytes)
		return;
	*(capture->field ? &journal->captures.sent : &journal->captures.left_out) += 1;
	if (journal->captures_left != UINT64_MAX)
		journal->captures_left -= capture_field_len(capture);
}

/*
 * The message has left, or @capture waits for another time: also one that is left out, which is
 * not made again for each snapshot until then. @made: it is of a snapshot
 */
static void settle_capture(struct journal *journal, uint64_t ident, struct capture_field *capture,
			   bool made, bool sent)
{
	struct capture_waiting *waiting = capture_queue_find(&journal->waiting, ident);
	bool room = journal->quota &&
		    !capture_queue_full(&journal->waiting, journal->opts.capture_bytes);

	if (sent && waiting)
		capture_queue_remove(&journal->waiting, waiting);
	else if (!sent && !waiting && made && capture->left_out != budget && room)
		capture_queue_add(&journal->waiting, ident, capture);
	else if (!waiting)
		capture_field_deinit(capture);
}

/* @finding: NULL: it waited */
static void send_full(struct journal *journal, struct finding_path *path,
		      const struct finding *finding, uint64_t now_ns)
{
	const struct snapshot *snap = finding ? finding->snap : NULL;
	uint64_t count = finding_untold(path, FINDING_JOURNAL);
	struct message message = {.count = 0};
	static const struct capture_field dropped = {.left_out = budget};
	struct capture_field made, *capture = find_capture(journal, path, finding, &made);
	const struct capture_field *leaves = capture;
	bool sent;
	char number[24];

	put_format(&message, "MESSAGE", "%s%s%s%s%s, path %016" PRIx64 ", %" PRIu64 " time%s",
		   path->function, path->taken.err ? "() = -" : "", finding_errno(path, number),
		   *path->origin ? " at " : "", path->origin, path->taken.ident, count,
		   count == 1 ? "" : "s");
	put_path(&message, path, count);
	put_full(&message, journal, path, snap);
	if (capture_field_len(capture) > journal->captures_left)
		leaves = &dropped;
	put_capture(&message, leaves);
	sent = send_message(journal, journal->quota, &message, JOURNAL_ID_PATH, PRIORITY_WARNING);
	if (sent) {
		finding_told(path, FINDING_JOURNAL, now_ns, true);
		count_capture(journal, leaves);
	}
	settle_capture(journal, path->taken.ident, capture, finding && journal->opts.capture_bytes,
		       sent);
}

void journal_add(struct journal *journal, const struct finding *finding)
{
	struct finding_path *path = finding->path;
	uint64_t ts_ns = finding->snap->ts_ns;

	if (path && finding_due(path, FINDING_JOURNAL, ts_ns))
		send_full(journal, path, finding, ts_ns);
}

void journal_pace(struct journal *journal, const struct findings *findings, uint64_t now_ns)
{
	const struct path_counts *counts = findings_counts(findings);

	while (journal->waiting.count) {
		struct capture_waiting *first = &journal->waiting.items[0];
		size_t count = journal->waiting.count;
		struct finding_path *path = path_counts_find(counts, first->ident);

		if (path && finding_untold(path, FINDING_JOURNAL) &&
		    finding_due(path, FINDING_JOURNAL, now_ns))
			send_full(journal, path, NULL, now_ns);
		else
			capture_queue_remove(&journal->waiting, first);
		if (journal->waiting.count == count)
			return;
	}
}

struct journal_captures_sent journal_captures(const struct journal *journal)
{
	return journal->captures;
}

static void send_rest(struct journal *journal, struct finding_path *path, uint64_t now_ns)
{
	uint64_t count = finding_untold(path, FINDING_JOURNAL);
	struct message message = {.count = 0};

	put_format(&message, "MESSAGE", "path %016" PRIx64 ", %" PRIu64 " time%s more",
		   path->taken.ident, count, count == 1 ? "" : "s");
	put_path(&message, path, count);
	if (send_message(journal, journal->quota, &message, JOURNAL_ID_COUNT, PRIORITY_INFO))
		finding_told(path, FINDING_JOURNAL, now_ns, false);
}

/* What is in no path's count. No quota: it says what the quota has cost. */
static void send_totals(struct journal *journal, uint64_t lost, uint64_t left_out)
{
	struct message message = {.count = 0};

	lost -= journal->lost;
	left_out -= journal->left_out;
	if (!lost && !left_out)
		return;
	put_format(&message, "MESSAGE",
		   "%" PRIu64 " events were lost, %" PRIu64
		   " snapshots are in no path's count: beyond a limit",
		   lost, left_out);
	put_format(&message, "LBRSNOOP_LOST", "%" PRIu64, lost);
	put_format(&message, "LBRSNOOP_LEFT_OUT", "%" PRIu64, left_out);
	if (!send_message(journal, NULL, &message, JOURNAL_ID_COUNT, PRIORITY_WARNING))
		return;
	journal->lost += lost;
	journal->left_out += left_out;
}

/*
 * It had to wait until now. One that was told of before, and is to be again, waits for its next
 * snapshot, with which there is a capture.
 */
static bool waits_in_full(struct journal *journal, const struct finding_path *path, uint64_t now_ns)
{
	return finding_due(path, FINDING_JOURNAL, now_ns) &&
	       (!path->sent[FINDING_JOURNAL].ns || !journal->opts.capture_bytes ||
		capture_queue_find(&journal->waiting, path->taken.ident));
}

static int tell_paths(struct journal *journal, const struct path_counts *counts, uint64_t now_ns)
{
	void **order = path_counts_sorted(counts);

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < counts->paths.count; i++) {
		struct finding_path *path = order[i];

		if (!finding_untold(path, FINDING_JOURNAL))
			continue;
		if (journal->quota && waits_in_full(journal, path, now_ns))
			send_full(journal, path, NULL, now_ns);
		else
			send_rest(journal, path, now_ns);
	}
	free(order);
	return 0;
}

int journal_tell(struct journal *journal, const struct findings *findings, uint64_t now_ns,
		 struct errmsg *msg)
{
	const struct path_counts *counts = findings_counts(findings);
	uint64_t failed = journal->failed;
	int err;

	journal->patience_ns = PATIENCE_NS;
	err = tell_paths(journal, counts, now_ns);
	if (err)
		return err;
	send_totals(journal, counts->lost, counts->left_out);
	journal->patience_ns = PATIENCE_NS;
	return journal->failed > failed
		       ? errmsg_set(msg, journal->err, SOCKET ": %s", reason(journal->err))
		       : 0;
}

int journal_finish(struct journal *journal, const struct findings *findings, struct errmsg *msg)
{
	const struct path_counts *counts = findings_counts(findings);
	/* What a service could not send before waited until now. */
	uint64_t failed = journal->quota ? journal->failed : 0;
	int err;

	journal->patience_ns = PATIENCE_END_NS;
	/* What waits is told first of all; captures may not take its place. */
	if (journal->quota && journal->quota->bytes_per_s)
		journal->captures_left = journal->quota->bytes_per_s * QUOTA_END_SECONDS / 2;
	err = tell_paths(journal, counts, clock_ns(CLOCK_REALTIME));
	if (err)
		return err;
	send_totals(journal, counts->lost,
		    counts->left_out + findings_untold(findings, FINDING_JOURNAL));
	failed = journal->failed - failed;
	return failed ? errmsg_set(msg, journal->err, "%s: %" PRIu64 " messages were not taken: %s",
				   journal->opts.asked, failed, reason(journal->err))
		      : 0;
}
