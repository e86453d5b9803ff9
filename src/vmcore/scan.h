/* SPDX-License-Identifier: GPL-2.0 */
/* scan.h - the search of all pages of a dump, on all processors: most of it is decompression */
#ifndef LBRSNOOP_VMCORE_SCAN_H
#define LBRSNOOP_VMCORE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "vmcore/vmcore.h"

/**
 * struct dump_scan - search all pages
 * @wanted: is this page worth reading, by its first 16 bytes? Called from several threads at once.
 * @page: its DUMP_PAGE_BYTES, in no particular order, one at a time; non-zero ends the search, and
 * is returned
 * @progress: pages looked at, and of how many; or NULL; non-zero ends the search. Called from the
 * thread that called dump_scan().
 * @pages, @missing: results: pages looked at; and those among them that could not be read
 * @skipped: result: pages not looked at, because none of hundreds before them could be read
 */
struct dump_scan {
	bool (*wanted)(const void *start);
	int (*page)(const void *page, void *ctx);
	int (*progress)(uint64_t done, uint64_t of, void *ctx);
	void *ctx;
	uint64_t pages;
	uint64_t missing;
	uint64_t skipped;
};

/**
 * dump_scan() - every page of physical memory that the dump holds
 * Each further thread opens it for itself.
 * Return: 0; -ENODATA if the dump does not tell which pages it has; or see above.
 */
int dump_scan(struct dump *dump, struct dump_scan *scan);

#endif
