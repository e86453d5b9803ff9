/* SPDX-License-Identifier: GPL-2.0 */
/*
 * capture_input.h - inputs of fuzz targets that are capture files; for one source file a program
 *
 * If the first byte is 0, the rest is a file. Else the rest is records, each a byte with its type,
 * two with the bytes of its payload, and the payload: they are given the head, the frame and the
 * checksums that a file has, which no mutation would get right.
 */
#ifndef LBRSNOOP_TESTS_FUZZ_CAPTURE_INPUT_H
#define LBRSNOOP_TESTS_FUZZ_CAPTURE_INPUT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "capfile/format.h"

#define FILE_BYTES_MAX (1u << 20)
/* RFC 8878: a block has no more than the window. A small one, for speed. */
#define BLOCK_BYTES_MAX (16u << 10)
#define WINDOW_BYTE	(4 << 3)

/* For speed zstd's context is kept from one input to the next: the linker's --wrap leads here. */
ZSTD_DCtx *__real_ZSTD_createDCtx(void);
ZSTD_DCtx *__wrap_ZSTD_createDCtx(void);
size_t __wrap_ZSTD_freeDCtx(ZSTD_DCtx *zstd);

ZSTD_DCtx *__wrap_ZSTD_createDCtx(void)
{
	static ZSTD_DCtx *kept;

	if (!kept)
		kept = __real_ZSTD_createDCtx();
	else if (ZSTD_isError(ZSTD_DCtx_reset(kept, ZSTD_reset_session_and_parameters)))
		abort();
	return kept;
}

size_t __wrap_ZSTD_freeDCtx(ZSTD_DCtx *zstd)
{
	return 0;
}

struct file {
	uint8_t bytes[FILE_BYTES_MAX];
	size_t len;
};

static void put(struct file *file, const void *bytes, size_t len)
{
	if (len > sizeof(file->bytes) - file->len)
		len = sizeof(file->bytes) - file->len;
	memcpy(file->bytes + file->len, bytes, len);
	file->len += len;
}

/* Source: RFC 8878, 3.1.1.1 and 3.1.1.2: a frame of raw blocks, window 16 KiB, no checksum */
static void wrap(const struct file *records, struct file *file)
{
	static const uint32_t head[] = {CAPFILE_SKIPPABLE, 16, 0, 0, CAPFILE_VERSION, 0};
	static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, WINDOW_BYTE};
	size_t at = 0;

	file->len = 0;
	put(file, head, sizeof(head));
	memcpy(file->bytes + 8, CAPFILE_MAGIC, 8);
	put(file, frame, sizeof(frame));
	do {
		size_t part = records->len - at;
		uint32_t block;

		if (part > BLOCK_BYTES_MAX)
			part = BLOCK_BYTES_MAX;
		block = (uint32_t)part << 3 | (at + part == records->len);
		put(file, &block, 3);
		put(file, records->bytes + at, part);
		at += part;
	} while (at < records->len);
}

static void make_records(const uint8_t *data, size_t size, struct file *records)
{
	records->len = 0;
	while (size >= 3) {
		uint32_t head[3] = {data[0], data[1] | (uint32_t)data[2] << 8, 0};
		uLong crc;

		data += 3;
		size -= 3;
		if (head[1] > size)
			head[1] = (uint32_t)size;
		crc = crc32(0, (const Bytef *)head, 8);
		head[2] = (uint32_t)crc32(crc, data, head[1]);
		put(records, head, sizeof(head));
		put(records, data, head[1]);
		data += head[1];
		size -= head[1];
	}
}

/** input_bytes() - the capture file that an input stands for, in memory of its own: a read beyond
 * it is seen. Return: to be freed; NULL: there is none.
 */
static uint8_t *input_bytes(const uint8_t *data, size_t size, size_t *ret_len)
{
	static struct file records, file;
	uint8_t *exact;

	if (!size)
		return NULL;
	if (data[0]) {
		make_records(data + 1, size - 1, &records);
		wrap(&records, &file);
		data = file.bytes;
		size = file.len;
	} else {
		data++;
		size--;
	}
	exact = malloc(size ? size : 1);
	if (!exact)
		return NULL;
	memcpy(exact, data, size);
	*ret_len = size;
	return exact;
}

#endif
