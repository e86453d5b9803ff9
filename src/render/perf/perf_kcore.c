// SPDX-License-Identifier: GPL-2.0
#include "render/perf/perf_kcore.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "render/perf/text_elf.h"
#include "util/address.h"

/**
 * struct kcore - the text that is collected
 * @image: where the kernel image begins
 * @stext: perf takes the part that holds it for the kernel; 0 once it is there
 * @one_map: no hole in between
 */
struct kcore {
	struct text_elf elf;
	uint64_t image;
	uint64_t stext;
	bool one_map;
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

	if (!address_is_kernel(sym->addr))
		return 0;
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

static bool same_run(const struct kcore *kcore, const struct text_run *run, uint64_t addr)
{
	if (addr <= run->end || kcore->one_map)
		return true;
	return kcore->image && run->start - kcore->image < PERF_KCORE_IMAGE_MAX &&
	       addr - kcore->image < PERF_KCORE_IMAGE_MAX;
}

static int add_pages(struct kcore *kcore, uint64_t addr, size_t len)
{
	uint64_t start = addr & ~(uint64_t)(TEXT_ELF_PAGE_BYTES - 1);
	uint64_t end = ((addr + len - 1) | (TEXT_ELF_PAGE_BYTES - 1)) + 1;
	struct text_run *last = kcore->elf.count ? &kcore->elf.runs[kcore->elf.count - 1] : NULL;

	if (!end)
		return 0;
	if (!last || !same_run(kcore, last, start))
		return text_elf_add_run(&kcore->elf, start, end);
	last->end = end > last->end ? end : last->end;
	return 0;
}

/* The image begins at _stext, whether text of it is known or not. */
static int add_stext(struct kcore *kcore, uint64_t before)
{
	uint64_t stext = kcore->stext;

	if (!stext || stext > before)
		return 0;
	kcore->stext = 0;
	return add_pages(kcore, stext, 1);
}

static int add_text(uint64_t addr, const uint8_t *bytes, size_t len, void *ctx)
{
	struct kcore *kcore = ctx;
	int err;

	(void)bytes;
	if (!address_is_kernel(addr))
		return 0;
	err = add_stext(kcore, addr);
	return err ?: add_pages(kcore, addr, len);
}

static int visit_symbol(const struct symbol *sym, void *ctx)
{
	return address_is_kernel(sym->addr)
		       ? text_elf_add_symbol(ctx, sym->name, sym->addr, sym->size)
		       : 0;
}

static int write_kcore(const char *path, const struct capfile_meta *meta, struct symbols *symbols,
		       struct textstore *text, bool one_map, uint64_t *ret_end)
{
	struct kcore kcore = {.image = meta->text_addr, .stext = meta->stext, .one_map = one_map};
	const struct text_run *image;
	int err = textstore_for_each(text, add_text, &kcore);

	err = err ?: add_stext(&kcore, UINT64_MAX);
	text_elf_place(&kcore.elf);
	/* perf asks for it, to see how far the kernel was moved */
	if (!err && meta->text_addr)
		err = text_elf_add_symbol(&kcore.elf, "_text", meta->text_addr, 0);
	err = err ?: symbols_for_each(symbols, visit_symbol, &kcore.elf);
	err = err ?: text_elf_write(&kcore.elf, path, &meta->build_id, text);
	image = text_elf_find(&kcore.elf, meta->stext);
	*ret_end = image ? image->end : 0;
	text_elf_deinit(&kcore.elf);
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
