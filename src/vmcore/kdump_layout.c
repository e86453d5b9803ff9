// SPDX-License-Identifier: GPL-2.0
#include "vmcore/kdump_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/vector.h"
#include "vmcore/vmcore.h"

#define VERSION_AT 8
#define BLOCKS_AT  424 /* status; block_size, sub_hdr_size, bitmap_blocks, max_mapnr */
/* Of the header, what each version brought; and VMCOREINFO of its own, which notes replaced */
#define VERSION_SUB_HEADER 1
#define VERSION_SPLIT	   2
#define VERSION_INFO	   3
#define VERSION_NOTES	   4
#define VERSION_64	   6 /* numbers of frames of 64 bits */
#define CHUNK_BYTES	   (256u << 10)
#define INFO_BYTES	   (64u << 10)
#define WORD_FRAMES	   64

/* The 32-bit header has its size of blocks there, the 64-bit one microseconds. */
#define BLOCK_BYTES_32_AT  416
#define BLOCK_BYTES_32_MAX (256u << 10)

struct header_blocks {
	uint32_t status;
	int32_t block_bytes;
	int32_t sub_blocks;
	uint32_t bitmap_blocks;
	uint32_t max_frame;
};

/* struct kdump_sub_header of makedumpfile, with 64 bits */
struct sub_header {
	uint64_t phys_base;
	int32_t dump_level;
	int32_t split;
	uint64_t split_first, split_end; /* before VERSION_64 */
	uint64_t info_at, info_bytes;	 /* VMCOREINFO */
	uint64_t note_at, note_bytes;
	uint64_t erased_at, erased_bytes;
	uint64_t split_first_64, split_end_64;
	uint64_t max_frame_64;
};

struct descriptor {
	uint64_t offset;
	uint32_t size;
	uint32_t flags;
	uint64_t page_flags;
};

/* struct file - @bitmap_end: bytes from its start; there the table of descriptors begins */
struct file {
	int fd;
	uint64_t bytes;
	uint64_t bitmap_end;
};

/* struct table - the descriptors one after the other, read in chunks of CHUNK_BYTES */
struct table {
	int fd;
	uint64_t at;
	struct descriptor *chunk;
	size_t next, count;
	bool ended;
};

/* NULL behind the end of the file */
static const struct descriptor *table_next(struct table *table)
{
	ssize_t got;

	if (table->next == table->count && !table->ended) {
		got = pread(table->fd, table->chunk,
			    CHUNK_BYTES - CHUNK_BYTES % sizeof(*table->chunk), (off_t)table->at);
		table->next = 0;
		table->count = got < 0 ? 0 : (size_t)got / sizeof(*table->chunk);
		table->at += table->count * sizeof(*table->chunk);
		table->ended = !table->count;
	}
	return !table->ended ? &table->chunk[table->next++] : NULL;
}

static bool behind_end(const struct descriptor *desc, uint64_t file_bytes)
{
	return !desc || desc->offset > file_bytes || desc->size > file_bytes - desc->offset;
}

static int append(struct kdump_layout *layout, uint64_t frame)
{
	struct frame_range *ranges = layout->unreadable;
	size_t count = layout->unreadable_count;

	if (count && ranges[count - 1].end == frame) {
		ranges[count - 1].end++;
		return 0;
	}
	if (vector_grow(&layout->unreadable, count, sizeof(*ranges)))
		return -ENOMEM;
	layout->unreadable[count] = (struct frame_range){frame, frame + 1};
	layout->unreadable_count++;
	return 0;
}

/* Of the bits of @word, from @frame on, those of frames that the file has descriptors for. */
static uint64_t described(uint64_t word, uint64_t frame, const struct frame_range *frames)
{
	if (frame >= frames->end || frame + WORD_FRAMES <= frames->first)
		return 0;
	if (frame < frames->first)
		word &= ~0ull << (frames->first - frame);
	if (frames->end - frame < WORD_FRAMES)
		word &= ~(~0ull << (frames->end - frame));
	return word;
}

static int look_at(uint64_t word, uint64_t frame, const struct file *file, struct table *table,
		   struct kdump_layout *layout)
{
	int err = 0;

	for (; word && !err; word &= word - 1) {
		const struct descriptor *desc = table_next(table);
		bool cut = behind_end(desc, file->bytes);

		if (!cut && desc->size <= DUMP_PAGE_BYTES)
			continue;
		layout->behind_end += cut;
		layout->too_large += !cut;
		err = append(layout, frame + (uint64_t)__builtin_ctzll(word));
	}
	return err;
}

static int look_through(const struct file *file, struct kdump_layout *layout)
{
	_cleanup_free_ struct descriptor *chunk = malloc(CHUNK_BYTES);
	_cleanup_free_ uint64_t *bitmap = malloc(CHUNK_BYTES);
	struct table table = {.fd = file->fd, .at = file->bitmap_end, .chunk = chunk};
	uint64_t at = layout->bitmap_at, frame = 0;
	int err = chunk && bitmap ? 0 : -ENOMEM;

	while (!err && at < file->bitmap_end && frame < layout->frames.end) {
		uint64_t left = file->bitmap_end - at;
		ssize_t got =
			pread(file->fd, bitmap, left < CHUNK_BYTES ? left : CHUNK_BYTES, (off_t)at);

		if (got < (ssize_t)sizeof(*bitmap))
			return -EIO;
		for (size_t i = 0; !err && i < (size_t)got / sizeof(*bitmap);
		     i++, frame += WORD_FRAMES)
			err = look_at(described(bitmap[i], frame, &layout->frames), frame, file,
				      &table, layout);
		at += (uint64_t)got / sizeof(*bitmap) * sizeof(*bitmap);
	}
	return err;
}

static bool ends_behind(uint64_t at, uint64_t bytes, uint64_t file_bytes)
{
	return bytes && (at > file_bytes || bytes > file_bytes - at);
}

static bool sub_header_read(int fd, struct sub_header *ret)
{
	return pread(fd, ret, sizeof(*ret), DUMP_PAGE_BYTES) == sizeof(*ret);
}

/* What libkdumpfile makes of the headers (read_bitmap() and read_sub_hdr_64() of diskdump.c). */
static int layout_of(int fd, int32_t version, const struct header_blocks *blocks, struct file *file,
		     struct kdump_layout *layout)
{
	uint64_t first = 1 + (uint64_t)blocks->sub_blocks;
	uint64_t half = (uint64_t)(blocks->bitmap_blocks / 2) * DUMP_PAGE_BYTES;
	uint64_t max_frame = blocks->max_frame, bits;
	struct sub_header sub = {0};

	layout->bitmap_at = first * DUMP_PAGE_BYTES;
	file->bitmap_end = (first + blocks->bitmap_blocks) * DUMP_PAGE_BYTES;
	if (file->bitmap_end > file->bytes)
		return -ENODATA;
	/* However many blocks the header says it has. */
	if (version >= VERSION_SUB_HEADER && !sub_header_read(fd, &sub))
		return -ENODATA;
	if (version >= VERSION_NOTES && ends_behind(sub.note_at, sub.note_bytes, file->bytes))
		return -ENODATA;
	if (version == VERSION_INFO && ends_behind(sub.info_at, sub.info_bytes, file->bytes))
		return -ENODATA;
	if (version >= VERSION_64)
		max_frame = sub.max_frame_64;
	bits = (file->bitmap_end - layout->bitmap_at) * 8;
	layout->one_bitmap = max_frame > bits / 2;
	if (!layout->one_bitmap) {
		layout->bitmap_at += half;
		bits = half * 8;
	}
	layout->frames.end = max_frame < bits ? max_frame : bits;
	if (version >= VERSION_SPLIT && sub.split) {
		layout->split = true;
		layout->frames.first = version >= VERSION_64 ? sub.split_first_64 : sub.split_first;
		max_frame = version >= VERSION_64 ? sub.split_end_64 : sub.split_end;
		if (max_frame < layout->frames.end)
			layout->frames.end = max_frame;
	}
	return 0;
}

static bool is_block_bytes(uint32_t bytes)
{
	return bytes >= DUMP_PAGE_BYTES && bytes <= BLOCK_BYTES_32_MAX && !(bytes & (bytes - 1));
}

/* libkdumpfile tries that header first; its number of bitmap blocks is where @status is. */
static bool looks_like_32_bits(int fd, uint32_t status)
{
	uint32_t bytes;

	return status && pread(fd, &bytes, sizeof(bytes), BLOCK_BYTES_32_AT) == sizeof(bytes) &&
	       (is_block_bytes(bytes) || is_block_bytes(__builtin_bswap32(bytes)));
}

int kdump_layout_read(int fd, uint64_t file_bytes, struct kdump_layout *ret_layout)
{
	struct file file = {.fd = fd, .bytes = file_bytes};
	struct kdump_layout layout = {.kdump = true};
	struct header_blocks blocks;
	char signature[9] = "";
	int32_t version;
	int err;

	*ret_layout = (struct kdump_layout){0};
	if (pread(fd, signature, sizeof(signature) - 1, 0) != sizeof(signature) - 1 ||
	    (strcmp(signature, "KDUMP   ") != 0 && strcmp(signature, "DISKDUMP") != 0))
		return 0;
	if (pread(fd, &version, sizeof(version), VERSION_AT) != sizeof(version) ||
	    pread(fd, &blocks, sizeof(blocks), BLOCKS_AT) != sizeof(blocks))
		return -ENODATA;
	if (blocks.block_bytes != DUMP_PAGE_BYTES || blocks.sub_blocks < 0)
		return -EINVAL;
	if (looks_like_32_bits(fd, blocks.status))
		return -ENOTUNIQ;
	err = layout_of(fd, version, &blocks, &file, &layout) ?: look_through(&file, &layout);
	if (err) {
		free(layout.unreadable);
		return err;
	}
	*ret_layout = layout;
	return 0;
}

static int frame_in_range(const void *key, const void *element)
{
	const struct frame_range *range = element;
	uint64_t frame = *(const uint64_t *)key;

	return frame < range->first ? -1 : frame >= range->end;
}

bool kdump_layout_has(const struct kdump_layout *layout, int fd, uint64_t frame)
{
	uint8_t bits;

	if (!layout->kdump)
		return true;
	if (frame < layout->frames.first || frame >= layout->frames.end ||
	    (layout->unreadable_count &&
	     bsearch(&frame, layout->unreadable, layout->unreadable_count,
		     sizeof(*layout->unreadable), frame_in_range)))
		return false;
	return pread(fd, &bits, 1, (off_t)(layout->bitmap_at + frame / 8)) == 1 &&
	       bits >> frame % 8 & 1;
}

char *kdump_vmcoreinfo(int fd)
{
	struct sub_header sub;
	char *text;

	if (!sub_header_read(fd, &sub) || !sub.info_bytes || sub.info_bytes > INFO_BYTES)
		return NULL;
	text = calloc(1, sub.info_bytes + 1);
	if (text && pread(fd, text, sub.info_bytes, (off_t)sub.info_at) == (ssize_t)sub.info_bytes)
		return text;
	free(text);
	return NULL;
}
