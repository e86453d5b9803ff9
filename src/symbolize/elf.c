// SPDX-License-Identifier: GPL-2.0
#include "symbolize/elf.h"

#include <stddef.h>

bool elf_section_next(Elf *elf, struct elf_section *section)
{
	size_t names;

	do {
		section->scn = elf_nextscn(elf, section->scn);
		if (!section->scn)
			return false;
	} while (!gelf_getshdr(section->scn, &section->header));
	section->name = elf_getshdrstrndx(elf, &names)
				? NULL
				: elf_strptr(elf, names, section->header.sh_name);
	if (!section->name)
		section->name = "";
	return true;
}
