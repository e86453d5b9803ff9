/* SPDX-License-Identifier: GPL-2.0 */
/*
 * section_pages.h - the resident pages of a section that libelf has mapped from a file
 *
 * Internal to symbolize/. libdw reads the header of each unit before it finds one, and the kernel
 * maps 16 pages around each page that is touched: of a vmlinux with DWARF, more than 100 MB.
 */
#ifndef LBRSNOOP_SYMBOLIZE_DEBUG_SECTION_PAGES_H
#define LBRSNOOP_SYMBOLIZE_DEBUG_SECTION_PAGES_H

#include <gelf.h>
#include <stddef.h>

/** struct section_pages - whole pages of a mapping; @len: in bytes, 0 if there are none */
struct section_pages {
	void *start;
	size_t len;
};

/**
 * section_pages_find() - the pages of a section
 * Left empty if the section is not in a mapping of a file: libelf has read or decompressed it. So
 * is that of a relocatable file, whose pages libdwfl changes.
 */
void section_pages_find(Elf *elf, const char *name, struct section_pages *ret_pages);

/** section_pages_drop() - out of this process's memory; read again from the file when needed */
void section_pages_drop(const struct section_pages *pages);

#endif
