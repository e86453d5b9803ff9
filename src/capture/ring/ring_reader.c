// SPDX-License-Identifier: GPL-2.0
#include "capture/ring/ring_reader.h"

#include <errno.h>
#include <linux/bpf.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/**
 * struct ring_reader
 * @consumer: the first page of the map, the only one that we may write to: how far we have read
 * @producer: the second: how far there is something
 * @data: behind it
 * @mapped: bytes from @producer on
 */
struct ring_reader {
	int fd;
	size_t page;
	size_t bytes;
	size_t record_bytes;
	size_t mapped;
	unsigned long *consumer;
	const unsigned long *producer;
	uint8_t *data;
	ring_reader_fn *fn;
	void *ctx;
};

int ring_reader_open(int fd, size_t bytes, size_t record_bytes, ring_reader_fn *fn, void *ctx,
		     struct ring_reader **ret_reader)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t again = (record_bytes + page - 1) & ~(page - 1);
	struct ring_reader *reader = calloc(1, sizeof(*reader));
	void *at;
	int err;

	if (!reader)
		return -ENOMEM;
	*reader = (struct ring_reader){.fd = fd,
				       .page = page,
				       .bytes = bytes,
				       .record_bytes = record_bytes,
				       .fn = fn,
				       .ctx = ctx};
	/* In the kernel the data stands there twice in a row (kernel/bpf/ringbuf.c): no more can be
	 * had. */
	if (again > bytes)
		again = bytes;
	reader->mapped = page + bytes + again;
	at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		goto fail;
	reader->consumer = at;
	at = mmap(NULL, reader->mapped, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (at == MAP_FAILED)
		goto fail;
	reader->producer = at;
	reader->data = (uint8_t *)at + page;
	*ret_reader = reader;
	return 0;

fail:
	err = -errno;
	ring_reader_close(reader);
	return err;
}

int ring_reader_wait(struct ring_reader *reader, int timeout_ms)
{
	struct pollfd events = {.fd = reader->fd, .events = POLLIN};

	return poll(&events, 1, timeout_ms) < 0 ? -errno : 0;
}

int ring_reader_consume(struct ring_reader *reader)
{
	unsigned long at = __atomic_load_n(reader->consumer, __ATOMIC_ACQUIRE), end;

	while (at < (end = __atomic_load_n(reader->producer, __ATOMIC_ACQUIRE))) {
		while (at < end) {
			uint8_t *header = reader->data + (at & (reader->bytes - 1));
			uint32_t word = __atomic_load_n((uint32_t *)header, __ATOMIC_ACQUIRE);
			uint32_t len = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
			int err = 0;

			if (word & BPF_RINGBUF_BUSY_BIT)
				return 0;
			at += (len + BPF_RINGBUF_HDR_SZ + 7ul) & ~7ul;
			if (!(word & BPF_RINGBUF_DISCARD_BIT))
				err = reader->fn(reader->ctx, header + BPF_RINGBUF_HDR_SZ,
						 len <= reader->record_bytes ? len : 0);
			__atomic_store_n(reader->consumer, at, __ATOMIC_RELEASE);
			if (err < 0)
				return err;
		}
	}
	return 0;
}

void ring_reader_close(struct ring_reader *reader)
{
	if (!reader)
		return;
	if (reader->consumer)
		munmap(reader->consumer, reader->page);
	if (reader->producer)
		munmap((void *)reader->producer, reader->mapped);
	free(reader);
}
