/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reader.h - a capture file as a source of snapshots
 *
 * What it holds is not trusted: sizes and counts are checked, and memory is bounded.
 */
#ifndef LBRSNOOP_CAPFILE_READER_H
#define LBRSNOOP_CAPFILE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "capfile/meta.h"
#include "snapshot/source.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/textstore.h"
#include "util/errmsg.h"

struct capfile;

/**
 * typedef capfile_module_fn - a module, or what is now known of it
 * Called while a snapshot is looked for that may need it.
 * Return: 0; negative errno, which capfile_next() returns.
 */
typedef int capfile_module_fn(const struct capfile_module *module, void *ctx);

/** enum capfile_end - how a file ended */
enum capfile_end {
	CAPFILE_END_NONE = 0, /* there is more */
	CAPFILE_END_CLEAN,    /* by its writer */
	CAPFILE_END_OPEN, /* after a whole record, but its writer did not say that it was the last
			   */
	CAPFILE_END_CUT,  /* in the middle of a record */
	CAPFILE_END_DAMAGED,  /* what follows is no record */
	CAPFILE_END_FOLLOWED, /* by its writer, and there is more behind it */
};

/**
 * capfile_open() - open a file, and read up to what it says of the machine
 * @path: "-" for standard input
 * @ret_file: set on success; capfile_close()
 * Return: 0; -EINVAL if it is no capture file, or one of a newer version; -EBADMSG if it is
 * damaged before the first snapshot; another errno of reading it. @msg says it.
 */
int capfile_open(const char *path, struct capfile **ret_file, struct errmsg *msg);

/**
 * capfile_open_fd() - the same of an open file, from its beginning; @fd stays the caller's
 * @name: of it, for messages
 */
int capfile_open_fd(int fd, const char *name, struct capfile **ret_file, struct errmsg *msg);

/**
 * capfile_open_bytes() - the same of a file in memory, borrowed until capfile_close()
 * @most: bytes that it may unpack to; what comes behind them is read as damage
 */
int capfile_open_bytes(const void *bytes, size_t len, uint64_t most, struct capfile **ret_file,
		       struct errmsg *msg);

/** capfile_on_module() - call @fn for each module from now on */
void capfile_on_module(struct capfile *file, capfile_module_fn *fn, void *ctx);

/** capfile_meta() - of the machine it was taken on; valid until capfile_close() */
const struct capfile_meta *capfile_meta(const struct capfile *file);

/**
 * capfile_next() - the next snapshot
 * @ret_snap: with decoded branches, not yet trimmed; what it borrows stays valid until the next
 *            call, triggers and LBR until capfile_close()
 * @ret_lost: events lost since the one before
 * Return: 1; 0 at the end, see capfile_ended(); negative errno of reading the file, or of @fn.
 */
int capfile_next(struct capfile *file, struct snapshot *ret_snap, uint64_t *ret_lost);

/** capfile_ended() - how the file ended */
enum capfile_end capfile_ended(const struct capfile *file);

/**
 * capfile_end_text() - the same in words, with the place; "" if it ended well
 * Return: @buf.
 */
const char *capfile_end_text(const struct capfile *file, char *buf, size_t len);

/** capfile_lost() - events lost behind the last snapshot; valid at the end */
uint64_t capfile_lost(const struct capfile *file);

/**
 * capfile_module() - payload of the MODULE that tells of a module, as of the snapshot read last
 * @number: it gets there
 * Return: 0; -ENOENT: there is none, or it is too large to be kept; -ENOMEM. The caller frees
 * @ret_bytes.
 */
int capfile_module(const struct capfile *file, const char *name, uint16_t number,
		   uint8_t **ret_bytes, size_t *ret_len);

/** capfile_symbols() - as far as they are known by the snapshot read last */
struct symbols *capfile_symbols(struct capfile *file);

/** capfile_text() - text as it was at the snapshot read last */
struct textstore *capfile_text(struct capfile *file);

/** capfile_close() - free; NULL is fine */
void capfile_close(struct capfile *file);

/** capfile_source() - the snapshots of a file, from the next one on; valid until capfile_close() */
struct source capfile_source(struct capfile *file);

#endif
