// SPDX-License-Identifier: GPL-2.0
#include "capfile/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "util/file/new_file.h"

/* Its speed is what a flood of snapshots needs; repeated paths shrink well at any level. */
#define LEVEL 1
/* A frame ends after so many bytes: what zstd's own checksum guards. */
#define FRAME_BYTES (8u << 20)
#define OUT_BYTES   (256u << 10)

/**
 * struct capfile_writer
 * @file: has its final name from the first flush on; of standard output, or a descriptor that was
 *        handed over, that alone
 * @bytes: written to the file
 * @good_bytes: ... up to the last flush
 * @frame_bytes: uncompressed, since the frame began
 * @err: negative errno of the first write that failed
 */
struct capfile_writer {
	struct new_file file;
	uint64_t bytes;
	uint64_t good_bytes;
	uint64_t frame_bytes;
	int err;
	ZSTD_CCtx *zstd;
	size_t out_len;
	uint8_t out[OUT_BYTES];
};

/* The first error is the one that counts; half a write is taken back. */
static int fail(struct capfile_writer *writer, int err)
{
	if (!writer->err) {
		writer->err = err;
		if (new_file_is_regular(&writer->file) &&
		    ftruncate(writer->file.fd, (off_t)writer->good_bytes) == 0)
			lseek(writer->file.fd, 0, SEEK_END);
	}
	return writer->err;
}

static int empty_out(struct capfile_writer *writer)
{
	int err = write_all(writer->file.fd, writer->out, writer->out_len);

	if (err)
		return fail(writer, err);
	writer->bytes += writer->out_len;
	writer->out_len = 0;
	return 0;
}

static int put(struct capfile_writer *writer, const void *bytes, size_t len,
	       ZSTD_EndDirective directive)
{
	ZSTD_inBuffer in = {.src = bytes, .size = len};
	size_t left;

	if (writer->err)
		return writer->err;
	do {
		ZSTD_outBuffer out = {
			.dst = writer->out, .size = OUT_BYTES, .pos = writer->out_len};
		int err;

		left = ZSTD_compressStream2(writer->zstd, &out, &in, directive);
		if (ZSTD_isError(left))
			return fail(writer, -EIO);
		writer->out_len = out.pos;
		if (out.pos == OUT_BYTES) {
			err = empty_out(writer);
			if (err)
				return err;
		}
	} while (directive == ZSTD_e_continue ? in.pos < in.size : left != 0);
	return 0;
}

static int open_file(struct capfile_writer *writer, const char *path, int fd)
{
	if (path && strcmp(path, "-") != 0)
		return new_file_open(path, &writer->file);
	writer->file.fd = fcntl(path ? STDOUT_FILENO : fd, F_DUPFD_CLOEXEC, 3);
	return writer->file.fd < 0 ? -errno : 0;
}

static int begin(struct capfile_writer *writer)
{
	uint32_t words[] = {CAPFILE_SKIPPABLE, 16, 0, 0, CAPFILE_VERSION, 0};

	writer->zstd = ZSTD_createCCtx();
	if (!writer->zstd)
		return -ENOMEM;
	if (ZSTD_isError(ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(
		    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_windowLog, CAPFILE_WINDOW_LOG)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1)))
		return -EIO;
	_Static_assert(sizeof(words) == CAPFILE_HEADER_BYTES, "as the reader expects it");
	memcpy(&words[2], CAPFILE_MAGIC, 8);
	memcpy(writer->out, words, sizeof(words));
	writer->out_len = sizeof(words);
	return 0;
}

static void destroy(struct capfile_writer *writer)
{
	new_file_deinit(&writer->file);
	if (writer->file.fd >= 0)
		close(writer->file.fd);
	ZSTD_freeCCtx(writer->zstd);
	free(writer);
}

int capfile_writer_open(const char *path, int fd, struct capfile_writer **ret_writer,
			struct errmsg *msg)
{
	struct capfile_writer *writer = calloc(1, sizeof(*writer));
	int err;

	if (!writer)
		return -ENOMEM;
	writer->file.fd = -1;
	err = open_file(writer, path, fd);
	if (!err)
		err = begin(writer);
	if (err) {
		destroy(writer);
		/* -EACCES is about the file, and not about tracing */
		return errmsg_set(msg, err == -EACCES || err == -EPERM ? -EINVAL : err,
				  "%s: cannot write there: %s", path ?: "a capture in memory",
				  strerror(-err));
	}
	*ret_writer = writer;
	return 0;
}

int capfile_writer_add(struct capfile_writer *writer, enum capfile_type type,
		       const struct iovec *parts, size_t part_count)
{
	uint32_t head[3] = {type, 0, 0};
	uLong crc;
	int err;

	for (size_t i = 0; i < part_count; i++)
		head[1] += (uint32_t)parts[i].iov_len;
	if (head[1] > CAPFILE_PAYLOAD_MAX)
		return -E2BIG;
	crc = crc32(0, (const Bytef *)head, 8);
	/* crc32() of NULL is another thing. */
	for (size_t i = 0; i < part_count; i++)
		crc = !parts[i].iov_len ? crc
					: crc32(crc, parts[i].iov_base, (uInt)parts[i].iov_len);
	head[2] = (uint32_t)crc;
	err = put(writer, head, sizeof(head), ZSTD_e_continue);
	for (size_t i = 0; i < part_count && !err; i++)
		err = put(writer, parts[i].iov_base, parts[i].iov_len, ZSTD_e_continue);
	writer->frame_bytes += sizeof(head) + head[1];
	return err;
}

/* Moved away, it has another name; without one, nobody will ever read it. */
static int check_name(struct capfile_writer *writer)
{
	struct stat ours, named;

	if (!new_file_is_regular(&writer->file) || fstat(writer->file.fd, &ours) || ours.st_nlink)
		return 0;
	if (!stat(writer->file.path, &named) && named.st_dev == ours.st_dev &&
	    named.st_ino == ours.st_ino)
		return 0;
	return fail(writer, -ESTALE);
}

static int flush(struct capfile_writer *writer, bool end)
{
	bool frame_ends = end || writer->frame_bytes >= FRAME_BYTES;
	int err;

	err = put(writer, NULL, 0, frame_ends ? ZSTD_e_end : ZSTD_e_flush);
	if (!err)
		err = empty_out(writer);
	if (err)
		return err;
	if (frame_ends)
		writer->frame_bytes = 0;
	writer->good_bytes = writer->bytes;
	/* From now on it can be read. */
	err = new_file_rename(&writer->file);
	return err ? fail(writer, err) : check_name(writer);
}

int capfile_writer_flush(struct capfile_writer *writer)
{
	return flush(writer, false);
}

uint64_t capfile_writer_bytes(const struct capfile_writer *writer)
{
	return writer->good_bytes;
}

int capfile_writer_close(struct capfile_writer *writer)
{
	int err;

	if (!writer)
		return 0;
	err = writer->err ?: writer->frame_bytes ? flush(writer, true) : 0;
	if (close(writer->file.fd) && !err)
		err = -errno;
	writer->file.fd = -1;
	destroy(writer);
	return err;
}
