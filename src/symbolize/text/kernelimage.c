// SPDX-License-Identifier: GPL-2.0
#include "symbolize/text/kernelimage.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "symbolize/build_id.h"
#include "symbolize/debug/debugfile.h"
#include "symbolize/elf.h"
#include "symbolize/text/module_sections.h"
#include "symbolize/text/moduletext.h"
#include "symbolize/debug/packed.h"
#include "util/cleanup.h"
#include "util/fnv.h"

/**
 * struct modules - the text of those that are loaded
 * @kernel_bytes: that were told before them
 * @loaded: changes when a module comes or goes
 */
struct modules {
	struct symbols *symbols;
	char release[sizeof(((struct utsname *)0)->release)];
	uint64_t kernel_bytes;
	uint64_t loaded;
	size_t count;
	size_t missing;
};

static bool is_code(const GElf_Shdr *header)
{
	return header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_ALLOC &&
	       header->sh_flags & SHF_EXECINSTR && header->sh_size;
}

/* Where _stext was linked to. Stripped: on x86 it is the first byte of code. 0: neither is there */
static uint64_t linked_stext(Elf *elf)
{
	struct elf_section section = {0};
	uint64_t first = 0;
	GElf_Sym sym;

	while (elf_section_next(elf, &section)) {
		Elf_Data *data;

		if (is_code(&section.header) && (!first || section.header.sh_addr < first))
			first = section.header.sh_addr;
		if (section.header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section.scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(elf, section.header.sh_link, sym.st_name);

			if (name && !strcmp(name, "_stext"))
				return sym.st_value;
		}
	}
	return first;
}

static int tell_kernel(Elf *elf, uint64_t stext, struct text *text)
{
	struct elf_section section = {0};
	uint64_t linked = linked_stext(elf);
	GElf_Ehdr ehdr;
	int err = 0;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 || ehdr.e_type == ET_REL ||
	    !linked)
		return -EINVAL;
	while (!err && elf_section_next(elf, &section)) {
		const Elf_Data *data;

		if (!is_code(&section.header))
			continue;
		data = elf_rawdata(section.scn, NULL);
		if (data && data->d_buf && data->d_size)
			err = text_tell(text, section.header.sh_addr - linked + stext, data->d_buf,
					data->d_size);
	}
	return err;
}

/* @certain: a file without a build ID is none of this kernel's. */
static int open_same(const char *path, const struct build_id *want, bool certain,
		     struct packed *ret)
{
	struct packed packed;
	struct build_id have;
	int err = packed_open(path, &packed);

	if (err)
		return err;
	build_id_of_elf(packed.elf, &have);
	if (build_id_differ(&have, want) || (certain && (!have.len || !want->len))) {
		packed_close(&packed);
		return -ESTALE;
	}
	*ret = packed;
	return 0;
}

static int try_kernel(const char *path, const struct build_id *want, bool certain, uint64_t stext,
		      struct text *text)
{
	struct packed packed = {};
	int err = open_same(path, want, certain, &packed);

	if (!err)
		err = tell_kernel(packed.elf, stext, text);
	if (err)
		text_untell(text, 0);
	packed_close(&packed);
	return err;
}

/* What the boot loader is given, by the habits of distributions. */
static int find_boot_image(const char *release, const struct build_id *want, uint64_t stext,
			   struct text *text, char **ret_path)
{
	char path[512];
	int err;

	snprintf(path, sizeof(path), "/boot/vmlinuz-%s", release);
	err = try_kernel(path, want, true, stext, text);
	if (err && err != -ENOMEM) {
		snprintf(path, sizeof(path), "/lib/modules/%s/vmlinuz", release);
		err = try_kernel(path, want, true, stext, text);
	}
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	*ret_path = strdup(path);
	return *ret_path ? 0 : -ENOMEM;
}

static int find_kernel(const struct kernel_image_options *opts, const char *release,
		       struct text *text, char **ret_path)
{
	uint64_t stext = symbols_single(opts->symbols, SYMBOLS_STEXT);
	_cleanup_free_ char *path = NULL;
	struct build_id running;
	int err;

	if (!stext)
		return -EINVAL;
	build_id_of_kernel(&running);
	if (opts->vmlinux) {
		path = strdup(opts->vmlinux);
		err = path ? try_kernel(path, &running, false, stext, text) : -ENOMEM;
	} else {
		err = debugfile_find_kernel(opts->debug_dir, release, &running, &path);
		err = err ?: try_kernel(path, &running, false, stext, text);
		if (err && err != -ENOMEM) {
			free(path);
			path = NULL;
			err = find_boot_image(release, &running, stext, text, &path);
		}
	}
	if (err)
		return err;
	*ret_path = path;
	path = NULL;
	return 0;
}

static int tell(uint64_t addr, const uint8_t *bytes, size_t len, void *ctx)
{
	return text_tell(ctx, addr, bytes, len);
}

static int tell_module(const struct modules *modules, const char *name, struct text *text)
{
	_cleanup_free_ char *path = NULL;
	struct packed packed = {};
	struct build_id want;
	int err;

	build_id_of_module(name, &want);
	err = debugfile_find_loaded(modules->release, name, &path);
	err = err ?: open_same(path, &want, true, &packed);
	err = err
		      ?: module_text_each(packed.elf, name, module_section_addr, modules->symbols,
					  tell, text);
	packed_close(&packed);
	return err;
}

/* Those that /proc/modules lists, unless it lists the same as before. */
static void renew_modules(struct text *text, void *ctx)
{
	struct modules *modules = ctx;
	_cleanup_fclose_ FILE *file = fopen("/proc/modules", "re");
	uint64_t loaded = FNV_START;
	char line[512], name[64], addr[32];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %*s %*s %*s %*s %31s", name, addr) == 2) {
			loaded = fnv(loaded, name, strlen(name));
			loaded = fnv(loaded, addr, strlen(addr));
		}
	if (!file || loaded == modules->loaded)
		return;
	modules->loaded = loaded;
	modules->count = modules->missing = 0;
	text_untell(text, modules->kernel_bytes);
	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s", name) != 1)
			continue;
		modules->count++;
		modules->missing += tell_module(modules, name, text) != 0;
	}
}

int kernel_image_open(const struct kernel_image_options *opts, struct kernel_image *ret,
		      struct text **ret_text)
{
	struct modules *modules = calloc(1, sizeof(*modules));
	struct text_teller teller = {
		.renew = opts->modules ? renew_modules : NULL, .end = free, .ctx = modules};
	struct text *text = NULL;
	char *path = NULL;
	struct utsname uts;
	int err;

	if (!modules)
		return -ENOMEM;
	err = uname(&uts) ? -errno : text_told_open(&teller, &text);
	if (err) {
		free(modules);
		return err;
	}
	memcpy(modules->release, uts.release, sizeof(modules->release));
	modules->symbols = opts->symbols;
	err = find_kernel(opts, uts.release, text, &path);
	if (err) {
		text_close(text);
		return err;
	}
	modules->kernel_bytes = text_told(text);
	if (opts->modules)
		renew_modules(text, modules);
	*ret = (struct kernel_image){
		.path = path, .modules = modules->count, .modules_missing = modules->missing};
	*ret_text = text;
	return 0;
}
