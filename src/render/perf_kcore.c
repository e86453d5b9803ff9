// SPDX-License-Identifier: GPL-2.0
#include "render/perf_kcore.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define PAGE_BYTES 4096u
#define RUNS_MAX   60000u

/** struct run - text from @start to @end, pages; @offset: in the file */
struct run {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
};

struct kcore {
	FILE *out;
	uint64_t image;
	bool one_map;
	struct run *runs;
	size_t count;
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

static void write_headers(struct kcore *kcore)
{
	Elf64_Ehdr ehdr = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		/*
		 * Of a core file, addr2line says that it is none of its, and perf 6.1, which asks
		 * it for --branch-history, dies of that. But objdump, which perf annotate asks,
		 * finds no section in another: no instructions there.
		 */
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)kcore->count,
	};
	uint64_t offset = sizeof(ehdr) + kcore->count * sizeof(Elf64_Phdr);

	offset = (offset + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
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
	/* All of the last page is there; what is not known is a hole. */
	if (kcore->count && !fseeko(kcore->out, (off_t)(offset - 1), SEEK_SET))
		fputc(0, kcore->out);
}

static int write_kcore(const char *path, const struct capfile_meta *meta, struct textstore *text,
		       bool one_map, uint64_t *ret_end)
{
	struct kcore kcore = {.image = meta->text_addr, .one_map = one_map};
	int err, failed;

	/* perf takes the part that holds _stext for the kernel: the image begins there. */
	err = meta->stext ? add_text(meta->stext, NULL, 1, &kcore) : 0;
	err = err ?: textstore_for_each(text, add_text, &kcore);
	kcore.out = err ? NULL : fopen(path, "we");
	if (!kcore.out) {
		free(kcore.runs);
		return err ?: -errno;
	}
	write_headers(&kcore);
	err = textstore_for_each(text, write_text, &kcore);
	failed = ferror(kcore.out);
	if (fclose(kcore.out) || failed)
		err = err ?: -EIO;
	*ret_end = kcore.count && meta->stext ? kcore.runs[0].end : 0;
	free(kcore.runs);
	return err;
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
	return write_kcore(path, meta, text, one_map, ret_end);
}
