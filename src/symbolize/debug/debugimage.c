// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/debugimage.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdwfl.h>

#include "symbolize/elf.h"
#include "symbolize/debug/section_pages.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/hash_table.h"
#include "util/vector.h"

#define SECTIONS_MAX 4096
/* Pages of so many units are kept: of their headers alone, with what is mapped around them, 4 MB.
 */
#define UNITS_DROP 64

/** struct code_section - @runtime: where it is now; @placed: known */
struct code_section {
	char *name;
	uint64_t addr;
	uint64_t size;
	uint64_t runtime;
	bool placed;
};

/** struct cu_span - addresses of a unit, for files without .debug_aranges */
struct cu_span {
	uint64_t low;
	uint64_t high;
	Dwarf_Off unit;
};

/** struct unit - one that was read; @key: offset of its DIE */
struct unit {
	Dwarf_Off key;
	struct cu_index *cu;
};

/**
 * struct dwarf_file - what was read of one file
 * @path: that it was opened by
 * @users: images, and the pool
 * @next: in the pool
 * @bias: address in dwfl minus address in DWARF
 * @spans: sorted; built when .debug_aranges did not know an address
 * @units_listed: libdw knows where each unit begins
 * @info: of .debug_info
 * @last_unit: that was asked for; @unit_changes: how often it was another one than before
 * @units: of struct unit, by offset
 * @strings: paths of the source files of @units
 */
struct dwarf_file {
	char *path;
	size_t users;
	struct dwarf_file *next;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;
	Dwarf_Addr bias;
	struct cu_span *spans;
	size_t span_count;
	bool spans_built;
	bool units_listed;
	struct section_pages info;
	Dwarf_Off last_unit;
	unsigned int unit_changes;
	struct hash_table units;
	struct arena strings;
};

/** struct debugimage - a file, and where its code is; others may read the same file */
struct debugimage {
	struct dwarf_file *file;
	struct code_section *sections;
	size_t section_count;
};

/** struct lines_pool - @files: that were opened, a list; it is one of the users of each */
struct lines_pool {
	struct dwarf_file *files;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static void dwarf_file_put(struct dwarf_file *file)
{
	struct unit *units;

	if (!file || --file->users)
		return;
	units = file->units.items;
	for (size_t i = 0; i < file->units.count; i++)
		cu_index_destroy(units[i].cu);
	hash_table_deinit(&file->units);
	arena_deinit(&file->strings);
	free(file->spans);
	if (file->dwfl)
		dwfl_end(file->dwfl);
	free(file->path);
	free(file);
}

struct lines_pool *lines_pool_create(void)
{
	return calloc(1, sizeof(struct lines_pool));
}

void lines_pool_destroy(struct lines_pool *pool)
{
	struct dwarf_file *file = pool ? pool->files : NULL, *next;

	for (; file; file = next) {
		next = file->next;
		dwarf_file_put(file);
	}
	free(pool);
}

void debugimage_close(struct debugimage *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->section_count; i++)
		free(image->sections[i].name);
	free(image->sections);
	dwarf_file_put(image->file);
	free(image);
}

/* Sections with code, at the addresses that dwfl gave them. */
static int read_sections(struct debugimage *image)
{
	GElf_Addr elf_bias;
	Elf *elf = dwfl_module_getelf(image->file->module, &elf_bias);
	struct elf_section section = {0};

	if (!elf)
		return -ENOENT;
	while (elf_section_next(elf, &section) && image->section_count < SECTIONS_MAX) {
		if (!(section.header.sh_flags & SHF_ALLOC) ||
		    !(section.header.sh_flags & SHF_EXECINSTR) || !section.header.sh_size)
			continue;
		if (vector_grow(&image->sections, image->section_count, sizeof(*image->sections)))
			return -ENOMEM;
		image->sections[image->section_count] = (struct code_section){
			.name = strdup(section.name),
			.addr = section.header.sh_addr + elf_bias - image->file->bias,
			.size = section.header.sh_size,
		};
		if (!image->sections[image->section_count++].name)
			return -ENOMEM;
	}
	return 0;
}

static int dwarf_file_open(const char *path, struct dwarf_file **ret_file)
{
	struct dwarf_file *file = calloc(1, sizeof(*file));
	int err = -ENOMEM;

	if (!file)
		return -ENOMEM;
	file->users = 1;
	file->path = strdup(path);
	if (file->path) {
		err = -ENOENT;
		file->dwfl = dwfl_begin(&callbacks);
	}
	if (file->dwfl) {
		dwfl_report_begin(file->dwfl);
		file->module = dwfl_report_offline(file->dwfl, "kernel", path, -1);
		dwfl_report_end(file->dwfl, NULL, NULL);
	}
	if (file->module)
		file->dwarf = dwfl_module_getdwarf(file->module, &file->bias);
	if (!file->dwarf) {
		dwarf_file_put(file);
		return err;
	}
	*ret_file = file;
	return 0;
}

/* That of the pool, or a new one, which the pool then has. */
static int dwarf_file_get(struct lines_pool *pool, const char *path, struct dwarf_file **ret_file)
{
	int err;

	for (struct dwarf_file *file = pool ? pool->files : NULL; file; file = file->next)
		if (!strcmp(file->path, path)) {
			file->users++;
			*ret_file = file;
			return 0;
		}
	err = dwarf_file_open(path, ret_file);
	if (err || !pool)
		return err;
	(*ret_file)->users++;
	(*ret_file)->next = pool->files;
	pool->files = *ret_file;
	return 0;
}

int debugimage_open(struct lines_pool *pool, const char *path, struct debugimage **ret_image)
{
	struct debugimage *image = calloc(1, sizeof(*image));
	struct dwarf_file *file;
	int err;

	if (!image)
		return -ENOMEM;
	err = dwarf_file_get(pool, path, &file);
	if (!err) {
		image->file = file;
		err = read_sections(image);
	}
	if (err) {
		debugimage_close(image);
		return err;
	}
	*ret_image = image;
	return 0;
}

/* Link-time address of _stext, or 0. */
static uint64_t linked_stext(struct debugimage *image)
{
	GElf_Addr elf_bias;
	Elf *elf = dwfl_module_getelf(image->file->module, &elf_bias);
	struct elf_section section = {0};

	while (elf && elf_section_next(elf, &section)) {
		Elf_Data *data;
		GElf_Sym sym;

		if (section.header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section.scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(elf, section.header.sh_link, sym.st_name);

			if (name && strcmp(name, "_stext") == 0)
				return sym.st_value;
		}
	}
	/* Stripped: on x86 it is the first section's first byte. */
	return image->section_count ? image->sections[0].addr : 0;
}

void debugimage_place_kernel(struct debugimage *image, uint64_t stext)
{
	uint64_t linked = stext ? linked_stext(image) : 0;

	for (size_t i = 0; i < image->section_count; i++) {
		struct code_section *section = &image->sections[i];

		section->runtime = section->addr + (stext - linked);
		section->placed = true;
	}
}

void debugimage_place_bias(struct debugimage *image, uint64_t bias)
{
	for (size_t i = 0; i < image->section_count; i++) {
		image->sections[i].runtime = image->sections[i].addr + bias;
		image->sections[i].placed = true;
	}
}

int debugimage_place_section(struct debugimage *image, const char *section, uint64_t addr)
{
	for (size_t i = 0; i < image->section_count; i++) {
		if (strcmp(image->sections[i].name, section) != 0)
			continue;
		image->sections[i].runtime = addr;
		image->sections[i].placed = true;
		return 0;
	}
	return -ENOENT;
}

void debugimage_unplace(struct debugimage *image)
{
	for (size_t i = 0; i < image->section_count; i++)
		image->sections[i].placed = false;
}

int debugimage_relative(const struct debugimage *image, uint64_t addr, uint64_t *ret_relative)
{
	for (size_t i = 0; i < image->section_count; i++) {
		const struct code_section *section = &image->sections[i];

		if (!section->placed || addr < section->runtime ||
		    addr - section->runtime >= section->size)
			continue;
		*ret_relative = section->addr + (addr - section->runtime);
		return 0;
	}
	return -ENOENT;
}

int debugimage_runtime(const struct debugimage *image, uint64_t relative, uint64_t *ret_addr)
{
	for (size_t i = 0; i < image->section_count; i++) {
		const struct code_section *section = &image->sections[i];

		if (!section->placed || relative < section->addr ||
		    relative - section->addr >= section->size)
			continue;
		*ret_addr = section->runtime + (relative - section->addr);
		return 0;
	}
	return -ENOENT;
}

Dwarf *debugimage_dwarf(const struct debugimage *image)
{
	return image->file->dwarf;
}

static int compare_spans(const void *a, const void *b)
{
	const struct cu_span *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int add_spans(struct dwarf_file *file, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(unit, offset, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (vector_grow(&file->spans, file->span_count, sizeof(*file->spans)))
			return -ENOMEM;
		file->spans[file->span_count++] =
			(struct cu_span){low, high, dwarf_dieoffset(unit)};
	}
	return 0;
}

/* Of each unit only the first DIE is read. */
static int build_spans(struct dwarf_file *file)
{
	unsigned int count = 0;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	file->spans_built = true;
	while (dwarf_get_units(file->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		int err = 0;

		if (type == DW_UT_compile || type == DW_UT_skeleton)
			err = add_spans(file, &die);
		if (err)
			return err;
		if (++count % UNITS_DROP == 0)
			section_pages_drop(&file->info);
	}
	if (file->span_count)
		qsort(file->spans, file->span_count, sizeof(*file->spans), compare_spans);
	return 0;
}

/* libdw does so, too, when it is first asked for an address; but it keeps the pages. */
static void list_units(struct dwarf_file *file)
{
	unsigned int count = 0;
	Dwarf_CU *cu = NULL;

	file->units_listed = true;
	section_pages_find(dwarf_getelf(file->dwarf), ".debug_info", &file->info);
	if (!file->info.len)
		return;
	while (dwarf_get_units(file->dwarf, cu, &cu, NULL, NULL, NULL, NULL) == 0)
		if (++count % UNITS_DROP == 0)
			section_pages_drop(&file->info);
	section_pages_drop(&file->info);
}

/* Offset of the DIE of the unit with an address, by the first DIE of each. */
static int unit_by_spans(struct dwarf_file *file, uint64_t addr, Dwarf_Off *ret_unit)
{
	size_t count;

	if (!file->spans_built && build_spans(file))
		return -ENOMEM;
	count = address_upper_bound(file->spans, file->span_count, sizeof(*file->spans), addr);
	if (!count || addr >= file->spans[count - 1].high)
		return -ENOENT;
	*ret_unit = file->spans[count - 1].unit;
	return 0;
}

/* The pages of units that are no longer asked for are not kept for ever. */
static void unit_used(struct dwarf_file *file, Dwarf_Off unit)
{
	if (unit == file->last_unit)
		return;
	file->last_unit = unit;
	if (++file->unit_changes % UNITS_DROP == 0)
		section_pages_drop(&file->info);
}

int debugimage_unit_die(struct debugimage *image, uint64_t addr, Dwarf_Die *ret_die)
{
	Dwarf_Off unit;
	int err;

	if (!image->file->units_listed)
		list_units(image->file);
	if (!dwarf_addrdie(image->file->dwarf, addr, ret_die)) {
		err = unit_by_spans(image->file, addr, &unit);
		if (err)
			return err;
		if (!dwarf_offdie(image->file->dwarf, unit, ret_die))
			return -ENOENT;
	}
	unit_used(image->file, dwarf_dieoffset(ret_die));
	return 0;
}

static bool is_unit(const void *element, const void *key)
{
	return ((const struct unit *)element)->key == *(const Dwarf_Off *)key;
}

struct cu_index *debugimage_unit(struct debugimage *image, const Dwarf_Die *die)
{
	struct unit unit = {.key = dwarf_dieoffset((Dwarf_Die *)die)};
	uint32_t hash = hash_number(unit.key);
	struct unit *found =
		hash_table_find(&image->file->units, sizeof(unit), hash, is_unit, &unit.key);

	if (found)
		return found->cu;
	unit.cu = cu_index_create(die);
	if (unit.cu && !hash_table_add(&image->file->units, sizeof(unit), hash, &unit)) {
		cu_index_destroy(unit.cu);
		return NULL;
	}
	return unit.cu;
}

int debugimage_chain(struct debugimage *image, uint64_t relative, struct srcline *ret_chain,
		     size_t max)
{
	struct cu_index *cu;
	Dwarf_Die die;
	int err;

	err = debugimage_unit_die(image, relative, &die);
	if (err)
		return err == -ENOENT ? 0 : err;
	cu = debugimage_unit(image, &die);
	if (!cu)
		return -ENOMEM;
	return cu_index_chain(cu, &image->file->strings, relative, ret_chain, max);
}

struct arena *debugimage_strings(struct debugimage *image)
{
	return &image->file->strings;
}

Dwarf_CFI *debugimage_cfi(struct debugimage *image)
{
	Dwarf_Addr bias;

	return dwfl_module_dwarf_cfi(image->file->module, &bias);
}

static uint64_t to_linked(const struct debugimage *image, uint64_t addr)
{
	const struct code_section *first = image->sections;

	return image->section_count && first->placed ? addr - (first->runtime - first->addr) : addr;
}

static const char *object_in(Elf *elf, const struct elf_section *section, uint64_t addr,
			     uint64_t *ret_offset)
{
	Elf_Data *data = elf_getdata(section->scn, NULL);
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) != STT_OBJECT || addr < sym.st_value ||
		    addr - sym.st_value >= sym.st_size)
			continue;
		*ret_offset = addr - sym.st_value;
		return elf_strptr(elf, section->header.sh_link, sym.st_name);
	}
	return NULL;
}

const char *debugimage_object(struct debugimage *image, uint64_t addr, bool percpu,
			      uint64_t *ret_offset)
{
	GElf_Addr elf_bias;
	Elf *elf = dwfl_module_getelf(image->file->module, &elf_bias);
	struct elf_section section = {0};

	if (!percpu || address_is_kernel(addr))
		addr = to_linked(image, addr);
	while (elf && elf_section_next(elf, &section))
		if (section.header.sh_type == SHT_SYMTAB)
			return object_in(elf, &section, addr, ret_offset);
	return NULL;
}
