// SPDX-License-Identifier: GPL-2.0
#include "render/perf_kcore.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

#define PAGE_BYTES 4096u
/* Each is a section, too; SHN_LORESERVE is 65,280. */
#define RUNS_MAX 60000u

/** struct run - text from @start to @end, pages; @offset: in the file */
struct run {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
};

/**
 * struct kcore - the file with text, and with symbols behind it
 * @names: .strtab
 * @syms: .symtab
 * @section_names: .shstrtab
 */
struct kcore {
	FILE *out;
	uint64_t image;
	bool one_map;
	struct run *runs;
	size_t count;
	struct growing {
		uint8_t *bytes;
		size_t len;
		size_t room;
	} names, syms, section_names;
};

struct symbol_writer {
	FILE *out;
	uint64_t end; /* of the symbol before */
};

/*
 * perf lets a symbol reach up to the next one: where that is not known, another name
 * tells so. It has no bracket: perf would take it for a module's.
 */
static void end_symbol(struct symbol_writer *writer, uint64_t next)
{
	if (writer->end && writer->end < next)
		fprintf(writer->out, "%016" PRIx64 " t not_recorded\n", writer->end);
}

static int write_symbol(const struct symbol *sym, void *ctx)
{
	struct symbol_writer *writer = ctx;

	end_symbol(writer, sym->addr);
	fprintf(writer->out, "%016" PRIx64 " t %s%s%s%s\n", sym->addr, sym->name,
		*sym->module ? "\t[" : "", sym->module, *sym->module ? "]" : "");
	writer->end = sym->size ? sym->addr + sym->size : 0;
	return 0;
}

static int write_kallsyms(const char *path, const struct capfile_meta *meta,
			  struct symbols *symbols)
{
	struct symbol_writer writer = {.out = fopen(path, "we")};
	int failed;

	if (!writer.out)
		return -errno;
	/* perf asks for these two: how far the kernel was moved, and which map is its text. */
	if (meta->text_addr)
		fprintf(writer.out, "%016" PRIx64 " T _text\n%016" PRIx64 " T _stext\n",
			meta->text_addr, meta->stext ?: meta->text_addr);
	symbols_for_each(symbols, write_symbol, &writer);
	end_symbol(&writer, UINT64_MAX);
	failed = ferror(writer.out);
	return fclose(writer.out) || failed ? -EIO : 0;
}

static bool same_run(const struct kcore *kcore, const struct run *run, uint64_t addr)
{
	if (addr <= run->end || kcore->one_map)
		return true;
	return kcore->image && run->start - kcore->image < PERF_KCORE_IMAGE_MAX &&
	       addr - kcore->image < PERF_KCORE_IMAGE_MAX;
}

static int add_text(uint64_t addr, const uint8_t *bytes, size_t len, void *ctx)
{
	struct kcore *kcore = ctx;
	uint64_t start = addr & ~(uint64_t)(PAGE_BYTES - 1);
	uint64_t end = ((addr + len - 1) | (PAGE_BYTES - 1)) + 1;
	struct run *runs;

	(void)bytes;
	if (!(addr >> 63) || !end)
		return 0;
	if (kcore->count && same_run(kcore, &kcore->runs[kcore->count - 1], start)) {
		kcore->runs[kcore->count - 1].end = end;
		return 0;
	}
	if (kcore->count >= RUNS_MAX)
		return -E2BIG;
	runs = reallocarray(kcore->runs, kcore->count + 1, sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	kcore->runs = runs;
	runs[kcore->count++] = (struct run){.start = start, .end = end};
	return 0;
}

static int write_text(uint64_t addr, const uint8_t *bytes, size_t len, void *ctx)
{
	struct kcore *kcore = ctx;

	for (size_t i = 0; i < kcore->count; i++) {
		const struct run *run = &kcore->runs[i];

		if (addr < run->start || addr >= run->end)
			continue;
		if (fseeko(kcore->out, (off_t)(run->offset + (addr - run->start)), SEEK_SET) ||
		    fwrite(bytes, 1, len, kcore->out) != len)
			return -EIO;
		return 0;
	}
	return 0;
}

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

static int add_elf_symbol(struct kcore *kcore, const char *name, uint64_t addr, uint64_t size)
{
	Elf64_Sym sym = {
		.st_name = (Elf64_Word)kcore->names.len,
		.st_info = ELF64_ST_INFO(STB_LOCAL, size ? STT_FUNC : STT_NOTYPE),
		.st_shndx = SHN_ABS,
		.st_value = addr,
		.st_size = size,
	};
	int err;

	for (size_t i = 0; i < kcore->count; i++)
		if (addr >= kcore->runs[i].start && addr < kcore->runs[i].end)
			sym.st_shndx = (Elf64_Section)(i + 1);
	err = grow(&kcore->syms, &sym, sizeof(sym));
	return err ?: grow(&kcore->names, name, strlen(name) + 1);
}

static int visit_symbol(const struct symbol *sym, void *ctx)
{
	return add_elf_symbol(ctx, sym->name, sym->addr, sym->size);
}

static int collect_symbols(struct kcore *kcore, const struct capfile_meta *meta,
			   struct symbols *symbols)
{
	const Elf64_Sym none = {0};
	int err = grow(&kcore->syms, &none, sizeof(none));

	err = err ?: grow(&kcore->names, "", 1);
	/* perf asks for it, to see how far the kernel was moved */
	if (!err && meta->text_addr)
		err = add_elf_symbol(kcore, "_text", meta->text_addr, 0);
	return err ?: symbols_for_each(symbols, visit_symbol, kcore);
}

/* Where the text goes, and behind it the sections; returns the end of the text. */
static uint64_t write_headers(struct kcore *kcore, size_t section_count, uint64_t sections_at)
{
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
		.e_phnum = (Elf64_Half)kcore->count,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)section_count,
		.e_shstrndx = (Elf64_Half)(section_count - 1),
	};
	uint64_t offset = sizeof(ehdr) + kcore->count * sizeof(Elf64_Phdr);

	offset = (offset + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
	fseeko(kcore->out, 0, SEEK_SET);
	fwrite(&ehdr, sizeof(ehdr), 1, kcore->out);
	for (size_t i = 0; i < kcore->count; i++) {
		struct run *run = &kcore->runs[i];
		Elf64_Phdr phdr = {
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_W | PF_X,
			.p_offset = offset,
			.p_vaddr = run->start,
			.p_filesz = run->end - run->start,
			.p_memsz = run->end - run->start,
			.p_align = PAGE_BYTES,
		};

		run->offset = offset;
		offset += phdr.p_filesz;
		fwrite(&phdr, sizeof(phdr), 1, kcore->out);
	}
	return offset;
}

/* Offset of a new name of a section; 0, which names nothing, if there is no memory. */
static Elf64_Word name_section(struct kcore *kcore, const char *name)
{
	size_t at = kcore->section_names.len;

	return grow(&kcore->section_names, name, strlen(name) + 1) ? 0 : (Elf64_Word)at;
}

/* A section's bytes at the end of the file, 8 bytes aligned. */
static Elf64_Shdr append(struct kcore *kcore, const char *name, Elf64_Word type, const void *bytes,
			 size_t len)
{
	static const uint8_t zeros[8];
	uint64_t at = (uint64_t)ftello(kcore->out), pad = -at & 7;

	fwrite(zeros, 1, pad, kcore->out);
	fwrite(bytes, 1, len, kcore->out);
	return (Elf64_Shdr){
		.sh_name = name_section(kcore, name),
		.sh_type = type,
		.sh_offset = at + pad,
		.sh_size = len,
		.sh_addralign = 8,
	};
}

/* perf takes a vmlinux for the kernel's if this note says so. */
static Elf64_Shdr append_build_id(struct kcore *kcore, const struct build_id *id)
{
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t bytes[sizeof(id->bytes)];
	} note = {.head = {sizeof(note.name), id->len, NT_GNU_BUILD_ID}, .name = ELF_NOTE_GNU};
	Elf64_Shdr shdr;

	memcpy(note.bytes, id->bytes, id->len);
	shdr = append(kcore, ".note.gnu.build-id", SHT_NOTE, &note,
		      offsetof(typeof(note), bytes) + id->len);
	shdr.sh_flags = SHF_ALLOC;
	shdr.sh_addralign = 4;
	return shdr;
}

/* perf makes a map of its own for each name: one for the kernel image, others for modules. */
static Elf64_Shdr text_section(struct kcore *kcore, size_t index)
{
	const struct run *run = &kcore->runs[index];
	char name[32] = ".text";

	if (index)
		snprintf(name, sizeof(name), ".text.%zu", index);
	return (Elf64_Shdr){
		.sh_name = name_section(kcore, name),
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = run->start,
		.sh_offset = run->offset,
		.sh_size = run->end - run->start,
		.sh_addralign = 16,
	};
}

/* Sections make a vmlinux of it: the runs of text, a note, the symbols. */
static int write_sections(struct kcore *kcore, const struct capfile_meta *meta, uint64_t text_end)
{
	size_t first = kcore->count + 1, count = first + 4;
	Elf64_Shdr *sections = calloc(count, sizeof(*sections)), table;

	if (!sections || grow(&kcore->section_names, "", 1)) {
		free(sections);
		return -ENOMEM;
	}
	/* All of the last page is there; what is not known is a hole. */
	fseeko(kcore->out, (off_t)text_end - 1, SEEK_SET);
	fputc(0, kcore->out);
	for (size_t i = 0; i < kcore->count; i++)
		sections[i + 1] = text_section(kcore, i);
	sections[first] = append_build_id(kcore, &meta->build_id);
	sections[first + 1] =
		append(kcore, ".symtab", SHT_SYMTAB, kcore->syms.bytes, kcore->syms.len);
	sections[first + 1].sh_entsize = sizeof(Elf64_Sym);
	sections[first + 1].sh_link = (Elf64_Word)(first + 2);
	sections[first + 1].sh_info = (Elf64_Word)(kcore->syms.len / sizeof(Elf64_Sym));
	sections[first + 2] =
		append(kcore, ".strtab", SHT_STRTAB, kcore->names.bytes, kcore->names.len);
	sections[first + 3] = append(kcore, "", SHT_STRTAB, "", 0);
	sections[first + 3].sh_name = name_section(kcore, ".shstrtab");
	sections[first + 3].sh_size = kcore->section_names.len;
	fwrite(kcore->section_names.bytes, 1, kcore->section_names.len, kcore->out);
	table = append(kcore, "", SHT_NULL, sections, count * sizeof(*sections));
	free(sections);
	write_headers(kcore, count, table.sh_offset);
	return 0;
}

static void kcore_deinit(struct kcore *kcore)
{
	free(kcore->runs);
	free(kcore->names.bytes);
	free(kcore->syms.bytes);
	free(kcore->section_names.bytes);
}

static int write_kcore(const char *path, const struct capfile_meta *meta, struct symbols *symbols,
		       struct textstore *text, bool one_map, uint64_t *ret_end)
{
	struct kcore kcore = {.image = meta->text_addr, .one_map = one_map};
	uint64_t text_end;
	int err, failed;

	/* perf takes the part that holds _stext for the kernel: the image begins there. */
	err = meta->stext ? add_text(meta->stext, NULL, 1, &kcore) : 0;
	err = err ?: textstore_for_each(text, add_text, &kcore);
	err = err ?: collect_symbols(&kcore, meta, symbols);
	kcore.out = err ? NULL : fopen(path, "we");
	if (!kcore.out) {
		kcore_deinit(&kcore);
		return err ?: -errno;
	}
	text_end = write_headers(&kcore, 1, 0);
	err = textstore_for_each(text, write_text, &kcore);
	err = err ?: write_sections(&kcore, meta, text_end);
	failed = ferror(kcore.out);
	if (fclose(kcore.out) || failed)
		err = err ?: -EIO;
	*ret_end = kcore.count && meta->stext ? kcore.runs[0].end : 0;
	kcore_deinit(&kcore);
	return err;
}

/* perf annotate wants a vmlinux: the same file is one. */
static int link_vmlinux(const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/vmlinux", dir);
	return symlink("kcore_dir/kcore", path) && errno != EEXIST ? -errno : 0;
}

int perf_kcore_write(const char *dir, const struct capfile_meta *meta, struct symbols *symbols,
		     struct textstore *text, bool one_map, uint64_t *ret_end)
{
	char path[PATH_MAX];
	FILE *modules;
	int err;

	snprintf(path, sizeof(path), "%s/kcore_dir/kallsyms", dir);
	err = write_kallsyms(path, meta, symbols);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/kcore_dir/modules", dir);
	modules = fopen(path, "we");
	if (!modules || fclose(modules))
		return -errno;
	snprintf(path, sizeof(path), "%s/kcore_dir/kcore", dir);
	err = write_kcore(path, meta, symbols, text, one_map, ret_end);
	return err ?: link_vmlinux(dir);
}
