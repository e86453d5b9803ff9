/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kdump_layout.h - which pages of a kdump-compressed file libkdumpfile can be asked for
 *
 * libkdumpfile 0.5.1 copies as many bytes of a compressed page as its descriptor names into room
 * for one page, and dies of a page whose data lies behind the end of the file. So no such
 * descriptor may come before it.
 */
#ifndef LBRSNOOP_VMCORE_KDUMP_LAYOUT_H
#define LBRSNOOP_VMCORE_KDUMP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_range {
	uint64_t first;
	uint64_t end; /* the frame behind the last one */
};

/**
 * struct kdump_layout - frames by number; {0} is that of a file of another format
 * @kdump: it is a kdump-compressed file
 * @split: it is one of several files (makedumpfile --split), with the pages of some frames
 * @one_bitmap: its header tells of more frames than half of its bitmaps has bits
 * @frames: what its descriptors are for
 * @bitmap_at: bytes from the start of the file to the bits of those that have one
 * @unreadable, @unreadable_count: of these, ascending; free() it
 * @too_large: pages whose descriptor names more bytes than a page has
 * @behind_end: pages whose data, or whose descriptor, lies behind the end of the file
 */
struct kdump_layout {
	bool kdump;
	bool split;
	bool one_bitmap;
	struct frame_range frames;
	uint64_t bitmap_at;
	struct frame_range *unreadable;
	size_t unreadable_count;
	uint64_t too_large;
	uint64_t behind_end;
};

/**
 * kdump_layout_read() - look at the headers and at each descriptor
 *
 * Layout: a block of header; @sub_blocks of sub-header; two bitmaps of a bit for each frame, of
 * which the second one tells what was dumped; a descriptor of 24 bytes for each of its bits that is
 * set (makedumpfile's diskdump_mod.h and IMPLEMENTATION). Where the header tells of more frames
 * than half of the bitmaps has bits, libkdumpfile takes both for one.
 * @file_bytes: size of the file
 * Return: 0; -EINVAL if its blocks are not of x86-64's page size; -ENODATA if its header, bitmaps
 * or notes end behind the end of the file; -ENOTUNIQ if libkdumpfile takes it for a dump of a
 * 32-bit machine, by the microseconds of its time; -EIO; -ENOMEM. @ret_layout is set on success.
 */
int kdump_layout_read(int fd, uint64_t file_bytes, struct kdump_layout *ret_layout);

/** kdump_layout_has() - can libkdumpfile be asked for this frame? True of another format. */
bool kdump_layout_has(const struct kdump_layout *layout, int fd, uint64_t frame);

/**
 * kdump_vmcoreinfo() - VMCOREINFO of such a file, as its sub-header tells the place
 * Return: a string, the caller's to free; NULL if there is none, or no memory.
 */
char *kdump_vmcoreinfo(int fd);

#endif
