// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/section_pages.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolize/elf.h"
#include "util/cleanup.h"

/* Of memory that is no file's the content would be lost. proc(5): such a mapping has no inode. */
static bool is_mapped_file(uintptr_t start, uintptr_t end)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (maps && getline(&line, &room, maps) > 0) {
		uintptr_t low, high;
		uint64_t inode;

		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %" SCNu64, &low, &high,
			   &inode) == 3 &&
		    start >= low && end <= high)
			return inode != 0;
	}
	return false;
}

void section_pages_find(Elf *elf, const char *name, struct section_pages *ret_pages)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct elf_section section = {0};
	GElf_Ehdr header;

	*ret_pages = (struct section_pages){0};
	if (!elf || !gelf_getehdr(elf, &header) || header.e_type == ET_REL)
		return;
	while (elf_section_next(elf, &section)) {
		Elf_Data *data = strcmp(section.name, name) ? NULL : elf_rawdata(section.scn, NULL);
		uintptr_t start, end;

		if (!data || !data->d_buf || data->d_size < 2 * page)
			continue;
		start = ((uintptr_t)data->d_buf + page - 1) & ~(page - 1);
		end = ((uintptr_t)data->d_buf + data->d_size) & ~(page - 1);
		if (is_mapped_file(start, end))
			*ret_pages = (struct section_pages){(void *)start, end - start};
		return;
	}
}

void section_pages_drop(const struct section_pages *pages)
{
	if (pages->len)
		madvise(pages->start, pages->len, MADV_DONTNEED);
}
