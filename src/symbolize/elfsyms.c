// SPDX-License-Identifier: GPL-2.0
/* elfsyms.c - symbols from the .symtab of a kernel image, through libelf */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "symbolize/symbols.h"
#include "util/cleanup.h"

static void cleanup_elf(Elf **elf)
{
	elf_end(*elf);
}

/* The letter that nm and kallsyms give such a symbol; 0: of no use. */
static char type_letter(Elf *elf, const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	Elf_Scn *scn;
	GElf_Shdr shdr;

	if (type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT)
		return 0;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return 0;
	scn = elf_getscn(elf, sym->st_shndx);
	if (!scn || !gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_ALLOC))
		return 0;
	if (!(shdr.sh_flags & SHF_EXECINSTR))
		return 'd';
	if (bind == STB_WEAK)
		return 'W';
	return bind == STB_LOCAL ? 't' : 'T';
}

static int add_symbol(struct symbols *syms, Elf *elf, size_t strtab, const GElf_Sym *sym)
{
	const char *name = elf_strptr(elf, strtab, sym->st_name);
	char letter = type_letter(elf, sym);
	size_t len;

	if (!letter || !name || !name[0])
		return 0;
	len = strnlen(name, SYMBOL_NAME_MAX + 1);
	if (len > SYMBOL_NAME_MAX)
		return 0;
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] >= 0x7f)
			return 0;
	if (symtab_is_text(letter)) {
		name = arena_strndup(&syms->names, name, len);
		if (!name)
			return -ENOMEM;
	}
	return symtab_add(&syms->tab, sym->st_value + syms->kaslr_offset, sym->st_size, letter,
			  name, 0);
}

static int read_symbols(struct symbols *syms, Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *data;
		size_t count;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB || !shdr.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data)
			continue;
		count = data->d_size / shdr.sh_entsize;
		for (size_t i = 0; i < count && i < INT32_MAX; i++) {
			GElf_Sym sym;
			int err;

			if (!gelf_getsym(data, (int)i, &sym))
				break;
			err = add_symbol(syms, elf, shdr.sh_link, &sym);
			if (err)
				return err;
		}
	}
	return 0;
}

int symbols_open_elf(const char *path, uint64_t kaslr_offset, struct symbols **ret_symbols)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(cleanup_elf) Elf *elf = NULL;
	struct symbols *syms;
	GElf_Ehdr ehdr;
	int err;

	if (fd < 0)
		return -errno;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -EINVAL;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || !gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN))
		return -EINVAL;
	syms = calloc(1, sizeof(*syms));
	if (!syms)
		return -ENOMEM;
	syms->kaslr_offset = kaslr_offset;
	err = symtab_module_index(&syms->tab, &syms->names, "", 0);
	if (err == 0)
		err = read_symbols(syms, elf);
	if (err == 0)
		symtab_finish(&syms->tab);
	if (err == 0 && !syms->tab.count)
		err = -EINVAL;
	if (err) {
		symbols_close(syms);
		return err == -E2BIG ? -EINVAL : err;
	}
	*ret_symbols = syms;
	return 0;
}
