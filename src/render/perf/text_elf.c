// SPDX-License-Identifier: GPL-2.0
#include "render/perf/text_elf.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/vector.h"

/* Each is a section, too; SHN_LORESERVE is 65,280. */
#define RUNS_MAX 60000u

/** struct output - what writes the file */
struct output {
	FILE *out;
	struct text_elf *elf;
};

static int grow(struct growing *to, const void *bytes, size_t len)
{
	if (to->len + len > to->room) {
		size_t room = 2 * (to->room + len);
		uint8_t *bigger = realloc(to->bytes, room);

		if (!bigger)
			return -ENOMEM;
		to->bytes = bigger;
		to->room = room;
	}
	memcpy(to->bytes + to->len, bytes, len);
	to->len += len;
	return 0;
}

int text_elf_add_run(struct text_elf *elf, uint64_t start, uint64_t end)
{
	if (elf->count >= RUNS_MAX)
		return -E2BIG;
	if (vector_grow(&elf->runs, elf->count, sizeof(*elf->runs)))
		return -ENOMEM;
	elf->runs[elf->count++] = (struct text_run){.start = start, .end = end};
	return 0;
}

static uint64_t text_begin(const struct text_elf *elf)
{
	uint64_t headers = sizeof(Elf64_Ehdr) + elf->count * sizeof(Elf64_Phdr);

	return (headers + TEXT_ELF_PAGE_BYTES - 1) & ~(uint64_t)(TEXT_ELF_PAGE_BYTES - 1);
}

static uint64_t text_end(const struct text_elf *elf)
{
	const struct text_run *last;

	if (!elf->count)
		return text_begin(elf);
	last = &elf->runs[elf->count - 1];
	return last->offset + (last->end - last->start);
}

void text_elf_place(struct text_elf *elf)
{
	uint64_t offset = text_begin(elf);

	for (size_t i = 0; i < elf->count; i++) {
		elf->runs[i].offset = offset;
		offset += elf->runs[i].end - elf->runs[i].start;
	}
}

static int compare_run(const void *key, const void *item)
{
	const uint64_t *addr = key;
	const struct text_run *run = item;

	return *addr < run->start ? -1 : *addr >= run->end;
}

const struct text_run *text_elf_find(const struct text_elf *elf, uint64_t addr)
{
	if (!elf->count)
		return NULL;
	return bsearch(&addr, elf->runs, elf->count, sizeof(*elf->runs), compare_run);
}

static uint64_t run_addr(const struct text_elf *elf, const struct text_run *run)
{
	return elf->by_offset ? run->offset : run->start;
}

int text_elf_add_symbol(struct text_elf *elf, const char *name, uint64_t addr, uint64_t size)
{
	const struct text_run *run = text_elf_find(elf, addr);
	Elf64_Sym none = {0},
		  sym = {
			  .st_info = ELF64_ST_INFO(STB_LOCAL, size ? STT_FUNC : STT_NOTYPE),
			  .st_shndx = SHN_ABS,
			  .st_value = addr,
			  .st_size = size,
		  };
	int err = 0;

	if (!elf->syms.len) /* the first ones are nothing */
		err = grow(&elf->syms, &none, sizeof(none)) ?: grow(&elf->names, "", 1);
	if (err)
		return err;
	if (run) {
		sym.st_shndx = (Elf64_Section)(run - elf->runs + 1);
		sym.st_value = run_addr(elf, run) + (addr - run->start);
	}
	sym.st_name = (Elf64_Word)elf->names.len;
	err = grow(&elf->syms, &sym, sizeof(sym));
	return err ?: grow(&elf->names, name, strlen(name) + 1);
}

static void write_headers(const struct output *output, size_t section_count, uint64_t sections_at)
{
	const struct text_elf *elf = output->elf;
	Elf64_Ehdr ehdr = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		/*
		 * Of a core file, addr2line says that it is none of its, and perf 6.1, which asks
		 * it for --branch-history, dies of that.
		 */
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_shoff = sections_at,
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)elf->count,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)section_count,
		.e_shstrndx = (Elf64_Half)(section_count - 1),
	};

	fseeko(output->out, 0, SEEK_SET);
	fwrite(&ehdr, sizeof(ehdr), 1, output->out);
	for (size_t i = 0; i < elf->count; i++) {
		const struct text_run *run = &elf->runs[i];
		Elf64_Phdr phdr = {
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_W | PF_X,
			.p_offset = run->offset,
			.p_vaddr = run_addr(elf, run),
			.p_filesz = run->end - run->start,
			.p_memsz = run->end - run->start,
			.p_align = TEXT_ELF_PAGE_BYTES,
		};

		fwrite(&phdr, sizeof(phdr), 1, output->out);
	}
}

static int write_text(uint64_t addr, const uint8_t *bytes, size_t len, void *ctx)
{
	const struct output *output = ctx;
	const struct text_run *run = text_elf_find(output->elf, addr);

	if (!run)
		return 0;
	if (fseeko(output->out, (off_t)(run->offset + (addr - run->start)), SEEK_SET) ||
	    fwrite(bytes, 1, len, output->out) != len)
		return -EIO;
	return 0;
}

/* Offset of a new name of a section; 0, which names nothing, if there is no memory. */
static Elf64_Word name_section(struct text_elf *elf, const char *name)
{
	size_t at = elf->section_names.len;

	return grow(&elf->section_names, name, strlen(name) + 1) ? 0 : (Elf64_Word)at;
}

/* A section's bytes at the end of the file, 8 bytes aligned. */
static Elf64_Shdr append(const struct output *output, const char *name, Elf64_Word type,
			 const void *bytes, size_t len)
{
	static const uint8_t zeros[8];
	uint64_t at = (uint64_t)ftello(output->out), pad = -at & 7;

	fwrite(zeros, 1, pad, output->out);
	if (len)
		fwrite(bytes, 1, len, output->out);
	return (Elf64_Shdr){
		.sh_name = name_section(output->elf, name),
		.sh_type = type,
		.sh_offset = at + pad,
		.sh_size = len,
		.sh_addralign = 8,
	};
}

/* perf takes a vmlinux for the kernel's if this note says so. */
static Elf64_Shdr append_build_id(const struct output *output, const struct build_id *id)
{
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t bytes[sizeof(id->bytes)];
	} note = {.head = {sizeof(note.name), id->len, NT_GNU_BUILD_ID}, .name = ELF_NOTE_GNU};
	Elf64_Shdr shdr;

	memcpy(note.bytes, id->bytes, id->len);
	shdr = append(output, ".note.gnu.build-id", SHT_NOTE, &note,
		      offsetof(typeof(note), bytes) + id->len);
	shdr.sh_flags = SHF_ALLOC;
	shdr.sh_addralign = 4;
	return shdr;
}

/* perf makes a map of its own for each name: one for the kernel image, others for modules. */
static Elf64_Shdr text_section(struct text_elf *elf, size_t index)
{
	const struct text_run *run = &elf->runs[index];
	char name[32] = ".text";

	if (index)
		snprintf(name, sizeof(name), ".text.%zu", index);
	return (Elf64_Shdr){
		.sh_name = name_section(elf, name),
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = run_addr(elf, run),
		.sh_offset = run->offset,
		.sh_size = run->end - run->start,
		.sh_addralign = 16,
	};
}

/* The runs of text, a note, the symbols. */
static int write_sections(const struct output *output, const struct build_id *id)
{
	struct text_elf *elf = output->elf;
	size_t at = elf->count + 1, count = at + 3 + (id != NULL);
	Elf64_Shdr *sections = calloc(count, sizeof(*sections)), table;

	if (!sections || grow(&elf->section_names, "", 1)) {
		free(sections);
		return -ENOMEM;
	}
	/* All of the last page is there; what is not known is a hole. */
	fseeko(output->out, 0, SEEK_END);
	if (ftello(output->out) < (off_t)text_end(elf)) {
		fseeko(output->out, (off_t)text_end(elf) - 1, SEEK_SET);
		fputc(0, output->out);
	}
	for (size_t i = 0; i < elf->count; i++)
		sections[i + 1] = text_section(elf, i);
	if (id)
		sections[at++] = append_build_id(output, id);
	sections[at] = append(output, ".symtab", SHT_SYMTAB, elf->syms.bytes, elf->syms.len);
	sections[at].sh_entsize = sizeof(Elf64_Sym);
	sections[at].sh_link = (Elf64_Word)(at + 1);
	sections[at].sh_info = (Elf64_Word)(elf->syms.len / sizeof(Elf64_Sym));
	sections[at + 1] = append(output, ".strtab", SHT_STRTAB, elf->names.bytes, elf->names.len);
	sections[at + 2] = append(output, "", SHT_STRTAB, "", 0);
	sections[at + 2].sh_name = name_section(elf, ".shstrtab");
	sections[at + 2].sh_size = elf->section_names.len;
	fwrite(elf->section_names.bytes, 1, elf->section_names.len, output->out);
	table = append(output, "", SHT_NULL, sections, count * sizeof(*sections));
	free(sections);
	write_headers(output, count, table.sh_offset);
	return 0;
}

int text_elf_write(struct text_elf *elf, const char *path, const struct build_id *id,
		   struct textstore *text)
{
	struct output output = {.out = fopen(path, "we"), .elf = elf};
	int err, failed;

	if (!output.out)
		return -errno;
	err = textstore_for_each(text, write_text, &output);
	err = err ?: write_sections(&output, id);
	failed = ferror(output.out);
	if (fclose(output.out) || failed)
		err = err ?: -EIO;
	return err;
}

void text_elf_deinit(struct text_elf *elf)
{
	free(elf->runs);
	free(elf->names.bytes);
	free(elf->syms.bytes);
	free(elf->section_names.bytes);
	*elf = (struct text_elf){0};
}
