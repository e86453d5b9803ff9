/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kdump_layout.h - what a kdump-compressed file says of itself, besides libkdumpfile
 *
 * libkdumpfile 0.5.1 copies as many bytes of a compressed page as its descriptor names into room
 * for one page. So no descriptor that names more may come before it.
 */
#ifndef LBRSNOOP_VMCORE_KDUMP_LAYOUT_H
#define LBRSNOOP_VMCORE_KDUMP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct frame_list - numbers of page frames, ascending; {0} is an empty one */
struct frame_list {
	uint64_t *frames;
	size_t count;
};

/**
 * descriptors_damaged() - the frames whose descriptor names more bytes than a page has
 *
 * Layout: a block of header; @sub_blocks of sub-header; two bitmaps of a bit for each frame, of
 * which the second one tells what was dumped; a descriptor of 24 bytes for each of its bits that is
 * set (makedumpfile's diskdump_mod.h and IMPLEMENTATION).
 * @ret_frames: set on success; the caller's to free; empty for a file of another format
 * Return: 0; -EINVAL if its blocks are not of x86-64's page size, or more than there can be;
 * -ENOMEM.
 */
int descriptors_damaged(int fd, struct frame_list *ret_frames);

/**
 * kdump_vmcoreinfo() - VMCOREINFO of such a file, as its sub-header tells the place
 * Return: a string, the caller's to free; NULL if there is none, or no memory.
 */
char *kdump_vmcoreinfo(int fd);

/** frame_list_has() - is this frame among them? */
bool frame_list_has(const struct frame_list *list, uint64_t frame);

#endif
