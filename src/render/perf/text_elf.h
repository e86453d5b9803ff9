/* SPDX-License-Identifier: GPL-2.0 */
/* text_elf.h - an ELF file with some text and its symbols, for perf and objdump; internal to
 * render/ */
#ifndef LBRSNOOP_RENDER_PERF_TEXT_ELF_H
#define LBRSNOOP_RENDER_PERF_TEXT_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/build_id.h"
#include "symbolize/text/textstore.h"

#define TEXT_ELF_PAGE_BYTES 4096u

/** struct text_run - text from @start to @end, pages; @offset: in the file */
struct text_run {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
};

/** struct growing - bytes that become more */
struct growing {
	uint8_t *bytes;
	size_t len;
	size_t room;
};

/**
 * struct text_elf - the file: runs of text, with symbols behind them
 * Zeroed, it is an empty one.
 * @by_offset: addresses in it are offsets in the file; else, those where the text ran
 * @runs: in the order of their addresses
 * @names: .strtab
 * @syms: .symtab
 * @section_names: .shstrtab
 */
struct text_elf {
	bool by_offset;
	struct text_run *runs;
	size_t count;
	struct growing names, syms, section_names;
};

/** text_elf_add_run() - behind all that are there; 0, -E2BIG or -ENOMEM */
int text_elf_add_run(struct text_elf *elf, uint64_t start, uint64_t end);

/** text_elf_place() - give all runs their place in the file; then come the symbols */
void text_elf_place(struct text_elf *elf);

/** text_elf_find() - the run that has @addr, or NULL */
const struct text_run *text_elf_find(const struct text_elf *elf, uint64_t addr);

/** text_elf_add_symbol() - @size 0: it is no function; 0 or -ENOMEM */
int text_elf_add_symbol(struct text_elf *elf, const char *name, uint64_t addr, uint64_t size);

/** text_elf_write() - @id: build ID, NULL if there is none; 0 or negative errno */
int text_elf_write(struct text_elf *elf, const char *path, const struct build_id *id,
		   struct textstore *text);

void text_elf_deinit(struct text_elf *elf);

#endif
