/* SPDX-License-Identifier: GPL-2.0 */
/* elf.h - what all that read ELF files through libelf need */
#ifndef LBRSNOOP_SYMBOLIZE_ELF_H
#define LBRSNOOP_SYMBOLIZE_ELF_H

#include <gelf.h>
#include <stdbool.h>

static inline void cleanup_elf(Elf **elf)
{
	elf_end(*elf);
}

/** struct elf_section - @name: of the file's string table; "" if it has none, or is damaged */
struct elf_section {
	Elf_Scn *scn;
	GElf_Shdr header;
	const char *name;
};

/**
 * elf_section_next() - one after the other
 * @section: {0} for the first; what is in it belongs to @elf
 * Return: false if there are no more. Those whose header cannot be read are passed over.
 */
bool elf_section_next(Elf *elf, struct elf_section *section);

#endif
