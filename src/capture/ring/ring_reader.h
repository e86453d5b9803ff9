/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring_reader.h - reads a BPF ring buffer, mapped once
 *
 * libbpf's ring_buffer maps the data twice in a row, so that no record has to wrap around: the
 * process is charged with twice the buffer, 32 MB of a buffer of 16. Here the data is mapped once,
 * and behind it as much of its beginning as the longest record needs.
 */
#ifndef LBRSNOOP_CAPTURE_RING_RING_READER_H
#define LBRSNOOP_CAPTURE_RING_RING_READER_H

#include <stddef.h>

/**
 * typedef ring_reader_fn - called for each record
 * @data: valid during the call
 * @len: 0: the record is longer than any that was announced, and nothing of it may be read
 * Return: negative to stop behind this record.
 */
typedef int ring_reader_fn(void *ctx, void *data, size_t len);

struct ring_reader;

/**
 * ring_reader_open() - map a ring buffer
 * @fd: of the map, borrowed: it stays open as long as the reader
 * @bytes: its size, max_entries of the map
 * @record_bytes: of the longest record
 * Return: 0; -ENOMEM; what mmap() says.
 */
int ring_reader_open(int fd, size_t bytes, size_t record_bytes, ring_reader_fn *fn, void *ctx,
		     struct ring_reader **ret_reader);

/**
 * ring_reader_wait() - until there is a record, or somebody wakes us
 * Return: 0, also when the time is over; -EINTR.
 */
int ring_reader_wait(struct ring_reader *reader, int timeout_ms);

/**
 * ring_reader_consume() - hand out the records that are there
 * Those that come meanwhile as well: only @fn ends that.
 * Return: 0, or the negative value of @fn.
 */
int ring_reader_consume(struct ring_reader *reader);

/** ring_reader_close() - NULL is allowed */
void ring_reader_close(struct ring_reader *reader);

#endif
