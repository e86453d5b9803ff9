// SPDX-License-Identifier: GPL-2.0
#include "capfile/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capfile/format.h"

static int init(struct unpack *unpack)
{
	unpack->zstd = ZSTD_createDCtx();
	unpack->out = malloc(UNPACK_OUT_BYTES);
	if (!unpack->zstd || !unpack->out ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(unpack->zstd, ZSTD_d_windowLogMax,
						CAPFILE_WINDOW_LOG))) {
		unpack_deinit(unpack);
		return -ENOMEM;
	}
	return 0;
}

int unpack_init(struct unpack *unpack, int fd)
{
	*unpack = (struct unpack){.fd = fd, .in_buf = malloc(UNPACK_IN_BYTES), .left = UINT64_MAX};
	unpack->in.src = unpack->in_buf;
	if (!unpack->in_buf) {
		unpack_deinit(unpack);
		return -ENOMEM;
	}
	return init(unpack);
}

int unpack_init_bytes(struct unpack *unpack, const void *bytes, size_t len, uint64_t most)
{
	*unpack = (struct unpack){.fd = -1, .in = {.src = bytes, .size = len}, .left = most};
	return init(unpack);
}

/* More of the file into the empty @in. 1; 0 at the end; negative errno. */
static int refill(struct unpack *unpack)
{
	ssize_t got;

	if (unpack->fd < 0)
		return 0;
	unpack->in_at += unpack->in.size;
	unpack->in = (ZSTD_inBuffer){.src = unpack->in_buf};
	do {
		got = read(unpack->fd, unpack->in_buf, UNPACK_IN_BYTES);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	unpack->in.size = (size_t)got;
	return got > 0;
}

ssize_t unpack_raw(struct unpack *unpack, void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		size_t part = unpack->in.size - unpack->in.pos;
		int more;

		if (!part) {
			more = refill(unpack);
			if (more < 0)
				return more;
			if (!more)
				break;
			continue;
		}
		part = part < len - done ? part : len - done;
		memcpy((uint8_t *)buf + done, (const uint8_t *)unpack->in.src + unpack->in.pos,
		       part);
		unpack->in.pos += part;
		done += part;
	}
	return (ssize_t)done;
}

/* Unpacks into the empty @out. 1; 0 at the end; negative errno. */
static int refill_out(struct unpack *unpack)
{
	ZSTD_outBuffer out = {.dst = unpack->out, .size = UNPACK_OUT_BYTES};

	unpack->out_at = unpack->out_len = 0;
	while (!out.pos) {
		size_t left;

		if (unpack->in.pos == unpack->in.size) {
			int more = refill(unpack);

			if (more < 0)
				return more;
			/* zstd may still hold what it has unpacked */
			if (!more && !unpack->in_frame)
				return 0;
			if (!more) {
				left = ZSTD_decompressStream(unpack->zstd, &out, &unpack->in);
				if (ZSTD_isError(left))
					return -EBADMSG;
				break;
			}
		}
		left = ZSTD_decompressStream(unpack->zstd, &out, &unpack->in);
		if (ZSTD_isError(left))
			return -EBADMSG;
		unpack->in_frame = left != 0;
	}
	if (out.pos > unpack->left)
		return -EBADMSG;
	unpack->left -= out.pos;
	unpack->out_len = out.pos;
	return out.pos > 0;
}

ssize_t unpack_read(struct unpack *unpack, void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		size_t part = unpack->out_len - unpack->out_at;
		int more;

		if (!part) {
			more = refill_out(unpack);
			if (more < 0)
				return more;
			if (!more)
				break;
			continue;
		}
		part = part < len - done ? part : len - done;
		memcpy((uint8_t *)buf + done, unpack->out + unpack->out_at, part);
		unpack->out_at += part;
		done += part;
	}
	return (ssize_t)done;
}

uint64_t unpack_offset(const struct unpack *unpack)
{
	return unpack->in_at + unpack->in.pos;
}

void unpack_deinit(struct unpack *unpack)
{
	ZSTD_freeDCtx(unpack->zstd);
	free(unpack->in_buf);
	free(unpack->out);
	if (unpack->fd > 0)
		close(unpack->fd);
	*unpack = (struct unpack){.fd = -1};
}
