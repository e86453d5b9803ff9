// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <zstd.h>

#include "symbolize/elf.h"
#include "util/cleanup.h"

/* The largest vmlinux without debug information has a fifth of it. */
#define UNPACKED_MAX (512u << 20)
/* Documentation/arch/x86/boot.rst, "The Real-Mode Kernel Header" */
#define BOOT_SETUP_SECTS    0x1f1
#define BOOT_MAGIC	    0x202
#define BOOT_PAYLOAD	    0x248
#define BOOT_PAYLOAD_LENGTH 0x24c
#define BOOT_HEADER_BYTES   0x250

void packed_close(struct packed *packed)
{
	if (!packed->elf)
		return;
	elf_end(packed->elf);
	close(packed->fd);
	free(packed->memory);
	*packed = (struct packed){};
}

static uint32_t read_u32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Where the kernel is in a bootable image; else all of the file. */
static void find_payload(const uint8_t *file, size_t len, ZSTD_inBuffer *ret)
{
	uint64_t start, size;

	*ret = (ZSTD_inBuffer){.src = file, .size = len};
	if (len < BOOT_HEADER_BYTES || memcmp(file + BOOT_MAGIC, "HdrS", 4) != 0)
		return;
	/* 0 means 4, as it did before that field. */
	start = ((file[BOOT_SETUP_SECTS] ?: 4) + 1u) * 512u + read_u32(file + BOOT_PAYLOAD);
	size = read_u32(file + BOOT_PAYLOAD_LENGTH);
	if (start > len || size > len - start)
		return;
	*ret = (ZSTD_inBuffer){.src = file + start, .size = size};
}

/* The last bytes of an image's payload are no part of the stream. */
static int unzstd(ZSTD_inBuffer *in, ZSTD_outBuffer *out)
{
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	int err = ctx ? 0 : -ENOMEM;
	size_t left = 1;

	while (!err && left) {
		if (out->pos == out->size) {
			size_t size = out->size ? out->size * 2 : 1u << 20;
			void *more = size <= UNPACKED_MAX ? realloc(out->dst, size) : NULL;

			if (!more) {
				err = -ENOMEM;
				break;
			}
			out->dst = more;
			out->size = size;
		}
		left = ZSTD_decompressStream(ctx, out, in);
		if (ZSTD_isError(left) || (left && in->pos == in->size && out->pos < out->size))
			err = -EINVAL;
	}
	ZSTD_freeDCtx(ctx);
	return err;
}

/* What libelf's own unpacking does not know, by version and build. */
static int open_zstd(int fd, size_t len, struct packed *ret)
{
	uint8_t *file = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	ZSTD_outBuffer out = {};
	ZSTD_inBuffer in;
	int err;

	if (file == MAP_FAILED)
		return -errno;
	find_payload(file, len, &in);
	err = unzstd(&in, &out);
	munmap(file, len);
	if (!err) {
		ret->elf = elf_memory(out.dst, out.pos);
		err = ret->elf ? 0 : -EINVAL;
	}
	if (err)
		free(out.dst);
	else
		ret->memory = out.dst;
	return err;
}

int packed_open(const char *path, struct packed *ret)
{
	/* Nobody may write to a FIFO: what is no file is not waited for. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct packed packed = {};
	struct stat st;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size ||
	    elf_version(EV_CURRENT) == EV_NONE)
		return -EINVAL;
	packed.elf = dwelf_elf_begin(fd);
	if (packed.elf && elf_kind(packed.elf) == ELF_K_NONE) {
		elf_end(packed.elf);
		packed.elf = NULL;
	}
	if (!packed.elf)
		err = open_zstd(fd, (size_t)st.st_size, &packed);
	if (!err && elf_kind(packed.elf) != ELF_K_ELF)
		err = -EINVAL;
	if (err) {
		if (packed.elf)
			elf_end(packed.elf);
		free(packed.memory);
		return err;
	}
	packed.fd = fd;
	fd = -1;
	*ret = packed;
	return 0;
}
