// SPDX-License-Identifier: GPL-2.0
/* elfsyms.c - symbols of a kernel image, or of a user program's file, through libelf */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "symbolize/elf.h"
#include "symbolize/symbols.h"
#include "util/cleanup.h"
#include "util/control.h"

/* The letter that nm and kallsyms give such a symbol; 0: of no use. */
static char type_letter(Elf *elf, const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	Elf_Scn *scn;
	GElf_Shdr shdr;

	if (type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT && type != STT_GNU_IFUNC)
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
	/* Identifiers may be of any script. */
	for (size_t i = 0; i < len; i++)
		if (name[i] == ' ' || control_length(name + i))
			return 0;
	if (symtab_is_text(letter)) {
		name = arena_strndup(&syms->names, name, len);
		if (!name)
			return -ENOMEM;
	}
	return symtab_add(&syms->tab, sym->st_value + syms->kaslr_offset, sym->st_size, letter,
			  name, 0);
}

/* @table: SHT_SYMTAB or SHT_DYNSYM */
static int read_symbols(struct symbols *syms, Elf *elf, uint32_t table)
{
	struct elf_section section = {0};

	while (elf_section_next(elf, &section)) {
		Elf_Data *data;
		size_t count;

		if (section.header.sh_type != table || !section.header.sh_entsize)
			continue;
		data = elf_getdata(section.scn, NULL);
		if (!data)
			continue;
		count = data->d_size / section.header.sh_entsize;
		for (size_t i = 0; i < count && i < INT32_MAX; i++) {
			GElf_Sym sym;
			int err;

			if (!gelf_getsym(data, (int)i, &sym))
				break;
			err = add_symbol(syms, elf, section.header.sh_link, &sym);
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
		err = read_symbols(syms, elf, SHT_SYMTAB);
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

/*
 * Stubs of the procedure linkage table have no symbols: each belongs to the relocation of its
 * number. With .plt.sec that is where calls go, else .plt, whose first stub is the resolver's.
 */
struct plt {
	uint64_t addr;
	uint64_t size;
	uint64_t entry;
	uint64_t skip;
};

static bool find_plt(Elf *elf, struct plt *ret_plt)
{
	struct elf_section section = {0};

	*ret_plt = (struct plt){0};
	while (elf_section_next(elf, &section)) {
		bool first = !strcmp(section.name, ".plt");

		if (!(section.header.sh_flags & SHF_EXECINSTR) ||
		    (strcmp(section.name, ".plt.sec") && (ret_plt->addr || !first)))
			continue;
		ret_plt->addr = section.header.sh_addr;
		ret_plt->size = section.header.sh_size;
		/* As binutils lay it out on x86-64, whatever sh_entsize says. */
		ret_plt->entry = 16;
		ret_plt->skip = first ? 1 : 0;
	}
	return ret_plt->addr;
}

static int add_stub(struct symbols *syms, const struct plt *plt, uint64_t index, const char *name)
{
	uint64_t at = (plt->skip + index) * plt->entry;
	char text[SYMBOL_NAME_MAX + 8];
	const char *kept;
	int len;

	if (!name[0] || at + plt->entry > plt->size)
		return 0;
	len = snprintf(text, sizeof(text), "%.*s@plt", SYMBOL_NAME_MAX, name);
	kept = arena_strndup(&syms->names, text, (size_t)len);
	if (!kept)
		return -ENOMEM;
	return symtab_add(&syms->tab, plt->addr + at + syms->kaslr_offset, plt->entry, 't', kept,
			  0);
}

static int read_stubs(struct symbols *syms, Elf *elf)
{
	struct elf_section section = {0};
	struct plt plt;

	if (!find_plt(elf, &plt))
		return 0;
	while (elf_section_next(elf, &section)) {
		Elf_Data *relocs, *dynsym;
		GElf_Shdr sym_shdr;
		Elf_Scn *syms_scn;

		if (section.header.sh_type != SHT_RELA || strcmp(section.name, ".rela.plt"))
			continue;
		syms_scn = elf_getscn(elf, section.header.sh_link);
		if (!syms_scn || !gelf_getshdr(syms_scn, &sym_shdr))
			continue;
		relocs = elf_getdata(section.scn, NULL);
		dynsym = elf_getdata(syms_scn, NULL);
		for (int i = 0; relocs && dynsym; i++) {
			const char *name;
			GElf_Rela rela;
			GElf_Sym sym;
			int err;

			if (!gelf_getrela(relocs, i, &rela))
				break;
			if (!GELF_R_SYM(rela.r_info) ||
			    !gelf_getsym(dynsym, (int)GELF_R_SYM(rela.r_info), &sym))
				continue;
			name = elf_strptr(elf, sym_shdr.sh_link, sym.st_name);
			err = add_stub(syms, &plt, (uint64_t)i, name ?: "");
			if (err)
				return err;
		}
	}
	return 0;
}

static int add_file(struct symbols *syms, int fd, bool stubs)
{
	_cleanup_(cleanup_elf) Elf *elf = NULL;
	GElf_Ehdr ehdr;
	int err;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return -EINVAL;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN))
		return -EINVAL;
	err = read_symbols(syms, elf, SHT_SYMTAB);
	err = err ?: read_symbols(syms, elf, SHT_DYNSYM);
	if (!err && stubs)
		err = read_stubs(syms, elf);
	return err;
}

int symbols_open_user(int fd, int debug_fd, const char *module, struct symbols **ret_symbols)
{
	struct symbols *syms = calloc(1, sizeof(*syms));
	int err;

	if (!syms)
		return -ENOMEM;
	err = symtab_module_index(&syms->tab, &syms->names, module, strlen(module));
	err = err > 0 ? 0 : err;
	err = err ?: add_file(syms, fd, true);
	/* Damaged debug information costs its names, and no others. */
	if (!err && debug_fd >= 0 && add_file(syms, debug_fd, false) == -ENOMEM)
		err = -ENOMEM;
	if (err) {
		symbols_close(syms);
		return err == -E2BIG ? -EINVAL : err;
	}
	symtab_finish(&syms->tab);
	*ret_symbols = syms;
	return 0;
}
