/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder.h - snapshots into a capture file, each with all that reading it elsewhere needs
 *
 * Before a snapshot go, unless they are in the file already: its trigger; the symbols of its
 * branches and of whatever the functions there call or jump to; the whole text of those functions.
 * So every view of it can be printed on a machine that has neither that kernel nor its image.
 */
#ifndef LBRSNOOP_CAPFILE_RECORDER_H
#define LBRSNOOP_CAPFILE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "util/errmsg.h"

struct recorder;
struct capfile;

/**
 * struct recorder_options - all borrowed until recorder_open() returns, but @from, @symbols and
 * @text until recorder_close()
 * @path, @fd: see capfile_writer_open()
 * @command: for the reader of the file: the command line
 * @tool: name and version of this program
 * @from: the file that the snapshots are read from; NULL: they are of this machine
 * @symbols: of the kernel that they are of
 * @text: of it; .read is NULL if it cannot be read
 * @lbr: of this machine; unused with @from, as is @tool
 * @filter: branch filter in force
 * @filtered: Linux sorts entries out, and leaves holes
 * @path_ok: the branches are contiguous
 */
struct recorder_options {
	const char *path;
	int fd;
	const char *command;
	const char *tool;
	const struct capfile *from;
	struct symbols *symbols;
	struct text_source text;
	const struct lbr_info *lbr;
	const char *filter;
	bool filtered;
	bool path_ok;
};

/**
 * recorder_open() - start a file
 * Return: 0; negative errno, with @msg. The file has its name when this returns.
 */
int recorder_open(const struct recorder_options *opts, struct recorder **ret_recorder,
		  struct errmsg *msg);

/**
 * recorder_text_may_differ() - text is to be read and compared again
 * Text is patched at run time. To be called after text_live_invalidate(): what the next snapshot
 * needs is then read again, and written again if it is another.
 */
void recorder_text_may_differ(struct recorder *recorder);

/**
 * recorder_read_from() - the snapshots that follow are of another file
 * It is of the same machine, since the same start of its kernel.
 * @from: borrowed, as options.from was
 */
void recorder_read_from(struct recorder *recorder, struct capfile *from);

/**
 * recorder_add() - write a snapshot
 * @snap: with @raw entries; need not be trimmed
 * @lost: events lost since the one before
 * Return: 0; negative errno: it is not in the file, and nothing more will be.
 */
int recorder_add(struct recorder *recorder, const struct snapshot *snap, uint64_t lost);

/**
 * recorder_need() - what the next snapshot's reader wants of an address that is not among its own:
 * the symbol and text of its function
 * Return: as recorder_add().
 */
int recorder_need(struct recorder *recorder, uint64_t addr);

/** recorder_flush() - what was added survives our death from now on; 0, or negative errno */
int recorder_flush(struct recorder *recorder);

/** recorder_flushed() - snapshots that are in the file whatever comes: up to the last flush */
uint64_t recorder_flushed(const struct recorder *recorder);

/** recorder_count() - snapshots that were added */
uint64_t recorder_count(const struct recorder *recorder);

/** recorder_bytes() - size of the file */
uint64_t recorder_bytes(const struct recorder *recorder);

/**
 * recorder_close() - end the file; NULL is fine
 * @lost: events lost since the last snapshot
 * Return: 0; negative errno if something could not be written.
 */
int recorder_close(struct recorder *recorder, uint64_t lost);

#endif
