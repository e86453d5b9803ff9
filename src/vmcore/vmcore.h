/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vmcore.h - the memory of a kernel that is no more, through libkdumpfile
 *
 * ELF vmcores (kdump's, QEMU's), kdump-compressed files, whole or filtered. Nothing in them is
 * trusted.
 */
#ifndef LBRSNOOP_VMCORE_VMCORE_H
#define LBRSNOOP_VMCORE_VMCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "util/errmsg.h"

#define DUMP_PAGE_BYTES 4096

struct dump;

/**
 * dump_open() - open a dump of an x86-64 machine
 * @ret_dump: set on success; dump_close()
 * Return: 0; -EINVAL if it is no dump, or one that libkdumpfile does not read; another errno of
 * opening the file; @msg says it.
 */
int dump_open(const char *path, struct dump **ret_dump, struct errmsg *msg);

/**
 * dump_open_again() - the same file, for another thread; dump_close() before that of @dump
 *
 * What dump_open() has looked at is not looked at again: of a large dump that takes seconds.
 */
int dump_open_again(const struct dump *dump, struct dump **ret_dump, struct errmsg *msg);

/** dump_close() - free; NULL is fine */
void dump_close(struct dump *dump);

/** dump_path() - as dump_open() was told */
const char *dump_path(const struct dump *dump);

/** dump_format() - in words: "elf", "kdump" */
const char *dump_format(const struct dump *dump);

/** dump_cut_bytes() - what an ELF dump says it has behind the end of its file; 0 if that is well */
uint64_t dump_cut_bytes(const struct dump *dump);

/**
 * dump_cut_pages(), dump_damaged_pages() - pages of a kdump file that lie behind its end, and that
 * are described as larger than a page
 *
 * They are not read.
 */
uint64_t dump_cut_pages(const struct dump *dump);
uint64_t dump_damaged_pages(const struct dump *dump);

/** dump_is_split() - has it the pages of some frames only (makedumpfile --split)? */
bool dump_is_split(const struct dump *dump);

/** dump_has_info() - is there a VMCOREINFO? Without it addresses cannot be translated. */
bool dump_has_info(const struct dump *dump);

/**
 * dump_info() - a line of VMCOREINFO
 * @key: "OSRELEASE", "SYMBOL(prb)"
 * Return: @buf with what stands behind '='; NULL if there is no such line, or it is longer.
 */
const char *dump_info(const struct dump *dump, const char *key, char *buf, size_t len);

/** dump_info_number() - the same as a number; @base 10 or 16; 0, or -ENOENT */
int dump_info_number(const struct dump *dump, const char *key, int base, uint64_t *ret_value);

/** dump_symbol() - run-time address of SYMBOL(@name); 0, or -ENOENT */
int dump_symbol(const struct dump *dump, const char *name, uint64_t *ret_addr);

/** dump_read() - memory at a kernel virtual address; 0; -EFAULT if any of it is not there */
int dump_read(struct dump *dump, uint64_t addr, void *buf, size_t len);

/** dump_read_u64(), dump_read_u32() - the same of a number */
int dump_read_u64(struct dump *dump, uint64_t addr, uint64_t *ret_value);
int dump_read_u32(struct dump *dump, uint64_t addr, uint32_t *ret_value);

/** dump_text() - as the rest of the tool reads it; valid until dump_close() */
struct text_source dump_text(struct dump *dump);

/**
 * dump_next_frames() - the next stretch of page frames that the dump has
 * @at: frame number to look from; set to the first of them
 * @ret_end: behind the last
 * Return: 1; 0 if there are none any more; -ENODATA if the dump does not tell.
 */
int dump_next_frames(struct dump *dump, uint64_t *at, uint64_t *ret_end);

/** dump_frames_max() - frames that a file of this size can hold, whatever it says */
uint64_t dump_frames_max(const struct dump *dump);

/**
 * dump_read_frame() - the first @len bytes of a page frame
 * Return: 0; -EFAULT if they cannot be read; -ENXIO if they cannot, which says nothing of the pages
 * behind.
 */
int dump_read_frame(struct dump *dump, uint64_t frame, void *buf, size_t len);

#endif
