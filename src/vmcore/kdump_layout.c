// SPDX-License-Identifier: GPL-2.0
#include "vmcore/kdump_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"
#include "vmcore/vmcore.h"

#define BLOCKS_AT     424 /* status; block_size, sub_hdr_size, bitmap_blocks */
#define CHUNK_BYTES   (256u << 10)
#define BITMAP_BLOCKS 0x40000000u
#define INFO_AT	      (DUMP_PAGE_BYTES + 32) /* offset and size of VMCOREINFO, in the sub-header */
#define INFO_BYTES    (64u << 10)

struct header_blocks {
	uint32_t status;
	int32_t block_bytes;
	int32_t sub_blocks;
	uint32_t bitmap_blocks;
};

struct descriptor {
	int64_t offset;
	uint32_t size;
	uint32_t flags;
	uint64_t page_flags;
};

/* struct table - the descriptors one after the other, read in chunks of CHUNK_BYTES */
struct table {
	int fd;
	uint64_t at;
	struct descriptor *chunk;
	size_t next, count;
};

static const struct descriptor *table_next(struct table *table)
{
	ssize_t got;

	if (table->next == table->count) {
		got = pread(table->fd, table->chunk,
			    CHUNK_BYTES - CHUNK_BYTES % sizeof(*table->chunk), (off_t)table->at);
		table->next = 0;
		table->count = got < 0 ? 0 : (size_t)got / sizeof(*table->chunk);
		table->at += table->count * sizeof(*table->chunk);
	}
	return table->count ? &table->chunk[table->next++] : NULL;
}

static int append(struct frame_list *list, uint64_t frame)
{
	if (vector_grow(&list->frames, list->count, sizeof(*list->frames)))
		return -ENOMEM;
	list->frames[list->count++] = frame;
	return 0;
}

/* @frame: that of the lowest bit of @word. Return: 0; 1 where the table ends; -ENOMEM. */
static int look_at(uint64_t word, uint64_t frame, struct table *table, struct frame_list *list)
{
	for (; word; word &= word - 1) {
		const struct descriptor *desc = table_next(table);
		int err = 0;

		if (!desc)
			return 1;
		if (desc->size > DUMP_PAGE_BYTES)
			err = append(list, frame + (uint64_t)__builtin_ctzll(word));
		if (err)
			return err;
	}
	return 0;
}

static int look_through(int fd, const struct header_blocks *blocks, struct frame_list *list)
{
	uint64_t first = 1 + (uint64_t)blocks->sub_blocks, half = blocks->bitmap_blocks / 2;
	uint64_t at = (first + half) * DUMP_PAGE_BYTES, frame = 0;
	uint64_t end = (first + blocks->bitmap_blocks) * DUMP_PAGE_BYTES;
	_cleanup_free_ struct descriptor *chunk = malloc(CHUNK_BYTES);
	_cleanup_free_ uint64_t *bitmap = malloc(CHUNK_BYTES);
	struct table table = {.fd = fd, .at = end, .chunk = chunk};
	int err = chunk && bitmap ? 0 : -ENOMEM;

	while (!err && at < end) {
		size_t want = end - at < CHUNK_BYTES ? (size_t)(end - at) : CHUNK_BYTES;
		ssize_t got = pread(fd, bitmap, want, (off_t)at);

		if (got < (ssize_t)sizeof(*bitmap))
			break;
		for (size_t i = 0; !err && i < (size_t)got / sizeof(*bitmap); i++, frame += 64)
			err = look_at(bitmap[i], frame, &table, list);
		at += (uint64_t)got / sizeof(*bitmap) * sizeof(*bitmap);
	}
	return err < 0 ? err : 0;
}

int descriptors_damaged(int fd, struct frame_list *ret_frames)
{
	struct frame_list list = {0};
	struct header_blocks blocks;
	char signature[9] = "";
	int err;

	*ret_frames = list;
	if (pread(fd, signature, sizeof(signature) - 1, 0) != sizeof(signature) - 1 ||
	    (strcmp(signature, "KDUMP   ") != 0 && strcmp(signature, "DISKDUMP") != 0) ||
	    pread(fd, &blocks, sizeof(blocks), BLOCKS_AT) != sizeof(blocks))
		return 0;
	if (blocks.block_bytes != DUMP_PAGE_BYTES || blocks.sub_blocks < 0 ||
	    blocks.bitmap_blocks > BITMAP_BLOCKS)
		return -EINVAL;
	err = look_through(fd, &blocks, &list);
	if (err) {
		free(list.frames);
		return err;
	}
	*ret_frames = list;
	return 0;
}

char *kdump_vmcoreinfo(int fd)
{
	uint64_t place[2]; /* offset, size */
	char *text;

	if (pread(fd, place, sizeof(place), INFO_AT) != sizeof(place) || !place[1] ||
	    place[1] > INFO_BYTES)
		return NULL;
	text = calloc(1, place[1] + 1);
	if (text && pread(fd, text, place[1], (off_t)place[0]) == (ssize_t)place[1])
		return text;
	free(text);
	return NULL;
}

bool frame_list_has(const struct frame_list *list, uint64_t frame)
{
	return list->count &&
	       bsearch(&frame, list->frames, list->count, sizeof(frame), address_compare);
}
