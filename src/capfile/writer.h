/* SPDX-License-Identifier: GPL-2.0 */
/* writer.h - records into a capture file; which ones, and in which order, is the recorder's */
#ifndef LBRSNOOP_CAPFILE_WRITER_H
#define LBRSNOOP_CAPFILE_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "capfile/format.h"
#include "util/errmsg.h"

struct capfile_writer;

/**
 * capfile_writer_open() - start a file
 * @path: where it will be, or "-" for standard output. A file of that name is replaced at once
 *        when the new one is whole enough to be read (capfile_writer_flush()); until then, and if
 *        that never happens, it stays as it is. What is no plain file (a pipe, a device) is
 *        written to. NULL: @fd is
 * @fd: a descriptor of a file to append to, which stays the caller's
 * @ret_writer: set on success; capfile_writer_close()
 * Return: 0; negative errno, with @msg.
 */
int capfile_writer_open(const char *path, int fd, struct capfile_writer **ret_writer,
			struct errmsg *msg);

/**
 * capfile_writer_add() - append a record
 * @parts, @part_count: its payload
 * Return: 0; negative errno of a write that failed, now or before: what was flushed stays
 * readable, and nothing more is written.
 */
int capfile_writer_add(struct capfile_writer *writer, enum capfile_type type,
		       const struct iovec *parts, size_t part_count);

/**
 * capfile_writer_flush() - hand all records to the kernel: they survive our death from now on
 * Return: as capfile_writer_add(); -ESTALE if the file has no name any more.
 */
int capfile_writer_flush(struct capfile_writer *writer);

/** capfile_writer_bytes() - size of the file, as far as it was written */
uint64_t capfile_writer_bytes(const struct capfile_writer *writer);

/**
 * capfile_writer_close() - flush, close, free; NULL is fine
 * Return: 0; negative errno if something could not be written.
 */
int capfile_writer_close(struct capfile_writer *writer);

#endif
