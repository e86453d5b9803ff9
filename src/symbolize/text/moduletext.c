// SPDX-License-Identifier: GPL-2.0
/* moduletext.c - as apply_relocate_add() of arch/x86/kernel/module.c */
#include "symbolize/text/moduletext.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/elf.h"
#include "util/cleanup.h"

#define SECTION_BYTES_MAX (64u << 20)

/**
 * struct loading
 * @addrs: where each section is now, by its number; 0: nowhere
 * @count: of sections
 */
struct loading {
	Elf *elf;
	const char *module;
	struct symbols *symbols;
	uint64_t *addrs;
	size_t count;
};

static int place_sections(struct loading *loading, module_place_fn *place)
{
	struct elf_section section = {0};

	if (elf_getshdrnum(loading->elf, &loading->count))
		return -EINVAL;
	loading->addrs = calloc(loading->count + 1, sizeof(*loading->addrs));
	if (!loading->addrs)
		return -ENOMEM;
	while (elf_section_next(loading->elf, &section))
		if (section.header.sh_flags & SHF_ALLOC && elf_ndxscn(section.scn) < loading->count)
			loading->addrs[elf_ndxscn(section.scn)] =
				place(loading->module, section.name);
	return 0;
}

/* A function that the kernel or another module exports; 0: not known. */
static uint64_t find_exported(const struct loading *loading, const char *name)
{
	struct symbol sym;

	if (!symbols_by_name(loading->symbols, "", name, 0, &sym) ||
	    !symbols_by_name(loading->symbols, NULL, name, 0, &sym))
		return sym.addr;
	return 0;
}

static uint64_t value_of(const struct loading *loading, Elf_Data *table, size_t names, size_t index)
{
	const char *name;
	GElf_Sym sym;

	if (!gelf_getsym(table, (int)index, &sym))
		return 0;
	if (sym.st_shndx == SHN_UNDEF) {
		name = elf_strptr(loading->elf, names, sym.st_name);
		return name && *name ? find_exported(loading, name) : 0;
	}
	if (sym.st_shndx >= loading->count || !loading->addrs[sym.st_shndx])
		return 0;
	return loading->addrs[sym.st_shndx] + sym.st_value;
}

static void relocate(const GElf_Rela *rela, uint64_t value, uint64_t addr, uint8_t *bytes,
		     size_t len)
{
	size_t size = 4;

	value += (uint64_t)rela->r_addend;
	switch (GELF_R_TYPE(rela->r_info)) {
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		value -= addr + rela->r_offset;
		break;
	case R_X86_64_32:
	case R_X86_64_32S:
		break;
	case R_X86_64_64:
		size = 8;
		break;
	default:
		return;
	}
	if (rela->r_offset <= len && size <= len - rela->r_offset)
		memcpy(bytes + rela->r_offset, &value, size);
}

/* All relocations of one section, which stand in a section of their own. */
static void relocate_section(const struct loading *loading, size_t target, uint8_t *bytes,
			     size_t len)
{
	struct elf_section section = {0};

	while (elf_section_next(loading->elf, &section)) {
		Elf_Data *relas, *table;
		Elf_Scn *symtab;
		GElf_Shdr header;
		GElf_Rela rela;

		if (section.header.sh_type != SHT_RELA || section.header.sh_info != target)
			continue;
		relas = elf_getdata(section.scn, NULL);
		symtab = elf_getscn(loading->elf, section.header.sh_link);
		table = symtab ? elf_getdata(symtab, NULL) : NULL;
		if (!relas || !table || !gelf_getshdr(symtab, &header))
			continue;
		for (int i = 0; gelf_getrela(relas, i, &rela); i++) {
			uint64_t value =
				value_of(loading, table, header.sh_link, GELF_R_SYM(rela.r_info));

			if (value)
				relocate(&rela, value, loading->addrs[target], bytes, len);
		}
	}
}

static int visit(const struct loading *loading, const struct elf_section *section,
		 module_text_fn *fn, void *ctx)
{
	size_t index = elf_ndxscn(section->scn);
	_cleanup_free_ uint8_t *bytes = NULL;
	Elf_Data *data;

	if (section->header.sh_type != SHT_PROGBITS || index >= loading->count ||
	    !loading->addrs[index] || !(section->header.sh_flags & SHF_EXECINSTR) ||
	    !strncmp(section->name, ".init", 5))
		return 0;
	data = elf_rawdata(section->scn, NULL);
	if (!data || !data->d_buf || !data->d_size || data->d_size > SECTION_BYTES_MAX)
		return 0;
	bytes = malloc(data->d_size);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, data->d_buf, data->d_size);
	relocate_section(loading, index, bytes, data->d_size);
	return fn(loading->addrs[index], bytes, data->d_size, ctx);
}

int module_text_each(Elf *elf, const char *module, module_place_fn *place, struct symbols *symbols,
		     module_text_fn *fn, void *ctx)
{
	struct loading loading = {.elf = elf, .module = module, .symbols = symbols};
	struct elf_section section = {0};
	GElf_Ehdr ehdr;
	int err;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 || ehdr.e_type != ET_REL)
		return -EINVAL;
	err = place_sections(&loading, place);
	while (!err && elf_section_next(elf, &section))
		err = visit(&loading, &section, fn, ctx);
	free(loading.addrs);
	return err;
}
