// SPDX-License-Identifier: GPL-2.0
#include "symbolize/text/bugtable.h"

#include <errno.h>
#include <string.h>

#include "symbolize/text/module_sections.h"

#define BUGFLAG_WARNING 1u

/* A table's end is known of the kernel image alone; no module has so many. */
#define MODULE_ENTRIES_MAX 4096u

/** struct bug_entry - as the kernel has it; both pointers are relative to themselves */
struct bug_entry {
	int32_t addr;
	int32_t file;
	uint16_t line;
	uint16_t flags;
};

_Static_assert(sizeof(struct bug_entry) == 12, "without holes");

/* A name of a file in the source: printable, and ended. */
static int read_file_name(const struct text_source *memory, uint64_t addr, char *name)
{
	for (size_t i = 0; i < BUG_FILE_MAX; i++) {
		if (memory->read(memory->ctx, addr + i, &name[i], 1))
			return -ENOENT;
		if (!name[i])
			return i ? 0 : -ENOENT;
		if (name[i] <= ' ' || name[i] >= 0x7f)
			return -ENOENT;
	}
	return -ENOENT;
}

int bugtable_search(const struct text_source *memory, uint64_t start, uint64_t end, uint64_t addr,
		    struct bug_place *ret_place)
{
	struct bug_place place;

	for (uint64_t at = start; at < end && end - at >= sizeof(struct bug_entry);
	     at += sizeof(struct bug_entry)) {
		struct bug_entry entry;
		uint64_t file;

		if (memory->read(memory->ctx, at, &entry, sizeof(entry)))
			return -ENOENT;
		if (at + (uint64_t)(int64_t)entry.addr != addr)
			continue;
		file = at + offsetof(struct bug_entry, file) + (uint64_t)(int64_t)entry.file;
		if (read_file_name(memory, file, place.file))
			return -ENOENT;
		place.line = entry.line;
		place.warning = entry.flags & BUGFLAG_WARNING;
		*ret_place = place;
		return 0;
	}
	return -ENOENT;
}

int bugtable_find(struct symbols *symbols, const struct text_source *memory, uint64_t addr,
		  struct bug_place *ret_place)
{
	uint64_t start = symbols_single(symbols, SYMBOLS_BUG_TABLE_START);
	uint64_t end = symbols_single(symbols, SYMBOLS_BUG_TABLE_STOP);
	struct symbol sym;

	/* Of a kernel that does not run, nobody says where its modules' tables are. */
	if (!start || !memory->read || symbols_find(symbols, addr, &sym))
		return -ENOENT;
	if (sym.module[0]) {
		start = module_section_addr(sym.module, "__bug_table");
		end = start + MODULE_ENTRIES_MAX * sizeof(struct bug_entry);
	}
	return start ? bugtable_search(memory, start, end, addr, ret_place) : -ENOENT;
}
