/* SPDX-License-Identifier: GPL-2.0 */
/* failures.h - the calls that failed in one run of a command, and what its processes said */
#ifndef LBRSNOOP_WHY_FAILURES_H
#define LBRSNOOP_WHY_FAILURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why_event.h"

/**
 * struct failure - one failing call
 * @seq: place in the order of all events
 * @begin_ns, @mono_ns: CLOCK_MONOTONIC when the call began, when it failed
 * @text: of the extended acknowledgement; "" if there is none
 * @log: lines of the kernel's log that were written in the call, each ended by a newline; NULL if
 * none
 * @err: 0: it did not fail, but came by one of watch_ends()
 * @result: of the system call
 * @executed: how often sites were executed
 * @hits: sites that load @err, by their last execution, the newest first
 * @funcs: functions that ran, lower halves of their addresses, each one once, by their first entry,
 *         the newest first
 * @cut: more functions ran: which is not known
 * @hits_lost: not all hits are in @hits
 * @refused: the kernel did not begin the call
 * @signal: 0; or the number of the signal whose handler ended the call with EINTR. @restarts: with
 *          SA_RESTART it would have been begun again
 * @withheld: failures_withhold() was called
 */
struct failure {
	uint64_t seq;
	uint64_t begin_ns;
	uint64_t mono_ns;
	uint32_t tgid;
	uint32_t tid;
	char comm[RECORD_COMM_LEN];
	enum why_via via;
	uint32_t err;
	uint32_t executed;
	int64_t result;
	char text[WHY_TEXT_MAX];
	char *log;
	struct why_hit *hits;
	size_t hit_count;
	struct syscall_event call;
	uint32_t *funcs;
	size_t func_count;
	bool cut;
	bool hits_lost;
	bool refused;
	bool restarts;
	uint32_t signal;
	bool withheld;
};

#define SAID_BYTES 1024

/**
 * struct said - a line that a process wrote to its standard error, in pieces; @len bytes
 * @seq: when its newest piece was written: what failed before that may be what it says
 * @ended: what the process writes next is none of it
 */
struct said {
	uint64_t seq;
	uint32_t tgid;
	uint32_t len;
	bool ended;
	char bytes[SAID_BYTES];
};

/** struct logged - a line of the kernel's log, of a call that is not told yet */
struct logged {
	uint64_t mono_ns;
	uint32_t tid;
	uint32_t len;
	char bytes[WHY_SAID_MAX];
};

/** struct ended - a process ended; @code as waitpid() gives it */
struct ended {
	uint64_t seq;
	uint32_t tgid;
	uint32_t code;
};

/**
 * struct failures - by @seq
 * @root: process ID of the command; 0: there is none
 * @ended: by process, and by seq
 * @pending, @logged: hits, and lines of the kernel's log, of calls that have not been told yet
 * @dropped: failing calls that there was no room for: the oldest ones
 */
struct failures {
	uint32_t root;
	struct failure *items;
	size_t count;
	size_t room;
	struct said *said;
	size_t said_count;
	struct ended *ended;
	size_t ended_count;
	struct why_hit_of *pending;
	size_t pending_count;
	struct logged *logged;
	size_t logged_count;
	size_t dropped;
};

/** failures_add() - take an event; 0 or -ENOMEM */
int failures_add(struct failures *failures, const struct why_event *event);

/** failures_sort() - events of several CPUs into the order in which they happened */
void failures_sort(struct failures *failures);

/** failures_ended() - how the process @tgid ended after event @seq; NULL: it is not known */
const struct ended *failures_ended(const struct failures *failures, uint32_t tgid, uint64_t seq);

/**
 * failures_withhold() - forget what somebody else's business may be in: names of tasks, and texts
 * of the kernel. Of @call the number alone is to be shown.
 */
void failures_withhold(struct failures *failures);

/** failures_clear() - free all; @failures can be used again */
void failures_clear(struct failures *failures);

/**
 * failure_same() - are these the same call, in two runs?
 * The same system call with the same strings failed in the same way. Addresses, process IDs and
 * descriptors may differ.
 */
bool failure_same(const struct failure *one, const struct failure *other);

/**
 * failure_alike() - the same, but for the last part of paths, of the same length
 * mktemp and its like choose another name in each run.
 */
bool failure_alike(const struct failure *one, const struct failure *other);

#endif
