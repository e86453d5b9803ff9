/* SPDX-License-Identifier: GPL-2.0 */
/* unpack.h - the stream of records out of a capture file's zstd frames; internal to capfile/ */
#ifndef LBRSNOOP_CAPFILE_UNPACK_H
#define LBRSNOOP_CAPFILE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zstd.h>

#define UNPACK_IN_BYTES	 (128u << 10)
#define UNPACK_OUT_BYTES (64u << 10)

/**
 * struct unpack - a file, or bytes in memory, being unpacked
 * @fd: -1 for bytes in memory
 * @in: what was read and not yet unpacked; without a file, all of it
 * @in_at: offset in the file of in.src
 * @in_frame: between the start of a frame and its end
 * @out: what was unpacked, and not yet taken: @out_at to @out_len
 * @left: bytes that may still be unpacked
 */
struct unpack {
	int fd;
	ZSTD_DCtx *zstd;
	ZSTD_inBuffer in;
	uint64_t in_at;
	bool in_frame;
	uint8_t *in_buf;
	uint8_t *out;
	size_t out_at;
	size_t out_len;
	uint64_t left;
};

/** unpack_init() - @fd is closed by unpack_deinit(); 0 or -ENOMEM */
int unpack_init(struct unpack *unpack, int fd);

/**
 * unpack_init_bytes() - the same of @len bytes in memory, which are borrowed
 * @most: that may come out of them: a few bytes can be made to unpack to any number
 */
int unpack_init_bytes(struct unpack *unpack, const void *bytes, size_t len, uint64_t most);

/**
 * unpack_raw() - bytes of the file as they are, before the first frame
 * Return: bytes read, fewer than @len at the file's end; negative errno.
 */
ssize_t unpack_raw(struct unpack *unpack, void *buf, size_t len);

/**
 * unpack_read() - the next unpacked bytes
 * Return: bytes read, fewer than @len only at the end; -EBADMSG if what follows is no frame, or
 * its checksum is another one, or it unpacks to more than it may; another negative errno of reading
 * the file.
 */
ssize_t unpack_read(struct unpack *unpack, void *buf, size_t len);

/** unpack_offset() - how far into the file it got */
uint64_t unpack_offset(const struct unpack *unpack);

void unpack_deinit(struct unpack *unpack);

#endif
