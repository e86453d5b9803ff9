/* SPDX-License-Identifier: GPL-2.0 */
/*
 * journal_read.h - what journal.h has sent, out of journals: of this machine, or of a directory
 * that systemd-journal-remote has filled from many
 *
 * Whoever may log may claim anything: only what root's processes have sent counts, which journald
 * itself has noted (_UID).
 */
#ifndef LBRSNOOP_EXPORT_JOURNAL_READ_H
#define LBRSNOOP_EXPORT_JOURNAL_READ_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/finding.h"
#include "util/errmsg.h"

#define JOURNAL_HOST_BYTES 65

/**
 * struct journal_row - one message; strings are "" and numbers 0 where it does not say
 * @has_ident, @has_count: @ident, @count are there
 * @full: it has all of the path; false: it only counts
 * @lost, @left_out: of a message that is of no path
 * @capture: of a capture file @capture_len bytes, of any content, in what the field was taken from;
 *           NULL: there is none
 * @without_capture: it says why there is none
 * @capture_too_large: there is one that is larger than any that is sent; set by journal_read()
 */
struct journal_row {
	uint64_t ts_ns;
	uint64_t ident;
	uint64_t count;
	uint64_t lost;
	uint64_t left_out;
	bool has_ident;
	bool has_count;
	bool full;
	bool by_root;
	bool without_capture;
	bool capture_too_large;
	const void *capture;
	size_t capture_len;
	int err;
	char function[FINDING_NAME_BYTES];
	char origin[FINDING_PLACE_BYTES];
	char kind[32];
	char host[JOURNAL_HOST_BYTES];
};

/**
 * journal_row_field() - take one field of a message
 * @data: "NAME=value", of any bytes, not terminated. What is no value of ours is passed over
 */
void journal_row_field(struct journal_row *row, const void *data, size_t len);

/** typedef journal_row_fn - takes a message of a path or of losses; other than 0 ends the reading
 */
typedef int journal_row_fn(const struct journal_row *row, void *ctx);

/**
 * struct journal_wanted - which messages
 * @hosts: of these, @host_count; 0: of all
 * @has_ident: of this path alone, @ident
 * @stop: set: the reading ends; NULL: never
 */
struct journal_wanted {
	const char *const *hosts;
	size_t host_count;
	bool has_ident;
	uint64_t ident;
	const volatile sig_atomic_t *stop;
};

/** journal_is_wanted() - is this one? */
bool journal_is_wanted(const struct journal_wanted *wanted, const struct journal_row *row);

/** journal_ident_parse() - a path's id as it is printed, 16 hexadecimal digits; false: it is none
 */
bool journal_ident_parse(const char *text, uint64_t *ret);

/**
 * struct journal_totals - what was left out of a reading
 * @refused: messages that were not of root's processes, or have no path and no loss
 * @unreadable: files; @unreadable_path: one of them, @unreadable_err: what it failed of
 */
struct journal_totals {
	uint64_t refused;
	size_t unreadable;
	char unreadable_path[512];
	int unreadable_err;
};

/* What is said of a journal whose reading ended with -EINTR */
#define JOURNAL_STOPPED "stopped before all of it was read: nothing is shown"

/**
 * journal_read() - all of our messages
 * Those of one file are in the order of time, and those of files that may hold the same messages,
 * each of which is given once. Of a directory, one file comes behind the other: its memory does not
 * depend on how many there are.
 * @dir: of the journals' files; NULL: this machine's
 * @captures: rows have their captures, too, but for those that are larger than is ever sent
 * @ret_totals: set on success
 * Return: 0; negative errno, with @msg: no libsystemd, no such directory; what @fn said.
 */
int journal_read(const char *dir, bool captures, journal_row_fn *fn, void *ctx,
		 struct journal_totals *ret_totals, struct errmsg *msg);

#endif
