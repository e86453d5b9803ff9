/* SPDX-License-Identifier: GPL-2.0 */
/*
 * journal_captures.h - the captures that messages of a journal hold, as capture files
 *
 * Of each host, path, and start of the host's kernel, the first one that is read. Those of one
 * start become one file: names, text and debug information are of all of it. They are spooled to a
 * file without a name in TMPDIR, so that memory does not depend on how many there are.
 */
#ifndef LBRSNOOP_EXPORT_JOURNAL_CAPTURES_H
#define LBRSNOOP_EXPORT_JOURNAL_CAPTURES_H

#include <stddef.h>
#include <stdint.h>

#include "export/journal_read.h"
#include "util/errmsg.h"

/**
 * struct journal_capture_file - of one start of one host's kernel
 * @host: as its messages call it
 * @name: for messages: the host's, and a number where it was started several times
 * @fd: a capture file
 */
struct journal_capture_file {
	char *host;
	char *name;
	int fd;
};

/**
 * struct journal_captures - by host, and the time of their first capture
 * @paths: of all files
 * @without: messages with a path in full, and a reason why there is no capture
 * @damaged: captures that cannot be read; the first one is of path @damaged_ident of @damaged_host
 */
struct journal_captures {
	struct journal_capture_file *items;
	size_t count;
	uint64_t paths;
	uint64_t without;
	uint64_t damaged;
	uint64_t damaged_ident;
	char damaged_host[JOURNAL_HOST_BYTES];
};

struct journal_spool;

/**
 * journal_spool_create() - nothing is in it yet
 * @stop: set: journal_spool_finish() ends; NULL: never
 * Return: 0; negative errno, with @msg.
 */
int journal_spool_create(const volatile sig_atomic_t *stop, struct journal_spool **ret_spool,
			 struct errmsg *msg);

/**
 * journal_spool_add() - take the capture of a message, if it has one that is not known yet
 * Return: 0; negative errno of writing to the spool.
 */
int journal_spool_add(struct journal_spool *spool, const struct journal_row *row);

/**
 * journal_spool_finish() - make files of it
 * @ret: set on success; journal_captures_deinit()
 * Return: 0; -EINTR: @stop was set; another negative errno.
 */
int journal_spool_finish(struct journal_spool *spool, struct journal_captures *ret);

/** journal_spool_destroy() - free; NULL is fine */
void journal_spool_destroy(struct journal_spool *spool);

/**
 * journal_captures_read() - all of a directory's journals
 * @dir, @ret_totals: as of journal_read()
 * @wanted: which messages
 * @ret: set on success; journal_captures_deinit()
 * Return: 0; -EINTR: @stop was set; negative errno, with @msg.
 */
int journal_captures_read(const char *dir, const struct journal_wanted *wanted,
			  struct journal_captures *ret, struct journal_totals *ret_totals,
			  struct errmsg *msg);

/** journal_captures_deinit() - close, and free */
void journal_captures_deinit(struct journal_captures *captures);

#endif
