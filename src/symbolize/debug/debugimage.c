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
 * struct debugimage - one file
 * @bias: address in dwfl minus address in DWARF
 * @spans: sorted; built when .debug_aranges did not know an address
 * @units_listed: libdw knows where each unit begins
 * @info: of .debug_info
 * @last_unit: that was asked for; @unit_changes: how often it was another one than before
 * @units: of struct unit, by offset
 */
struct debugimage {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;
	Dwarf_Addr bias;
	struct code_section *sections;
	size_t section_count;
	struct cu_span *spans;
	size_t span_count;
	bool spans_built;
	bool units_listed;
	struct section_pages info;
	Dwarf_Off last_unit;
	unsigned int unit_changes;
	struct hash_table units;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

void debugimage_close(struct debugimage *image)
{
	struct unit *units;

	if (!image)
		return;
	units = image->units.items;
	for (size_t i = 0; i < image->units.count; i++)
		cu_index_destroy(units[i].cu);
	for (size_t i = 0; i < image->section_count; i++)
		free(image->sections[i].name);
	hash_table_deinit(&image->units);
	free(image->spans);
	free(image->sections);
	if (image->dwfl)
		dwfl_end(image->dwfl);
	free(image);
}

/* Sections with code, at the addresses that dwfl gave them. */
static int read_sections(struct debugimage *image)
{
	GElf_Addr elf_bias;
	Elf *elf = dwfl_module_getelf(image->module, &elf_bias);
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
			.addr = section.header.sh_addr + elf_bias - image->bias,
			.size = section.header.sh_size,
		};
		if (!image->sections[image->section_count++].name)
			return -ENOMEM;
	}
	return 0;
}

int debugimage_open(const char *path, struct debugimage **ret_image)
{
	struct debugimage *image = calloc(1, sizeof(*image));
	int err = -ENOENT;

	if (!image)
		return -ENOMEM;
	image->dwfl = dwfl_begin(&callbacks);
	if (image->dwfl) {
		dwfl_report_begin(image->dwfl);
		image->module = dwfl_report_offline(image->dwfl, "kernel", path, -1);
		dwfl_report_end(image->dwfl, NULL, NULL);
	}
	if (image->module)
		image->dwarf = dwfl_module_getdwarf(image->module, &image->bias);
	if (image->dwarf)
		err = read_sections(image);
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
	Elf *elf = dwfl_module_getelf(image->module, &elf_bias);
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
	return image->dwarf;
}

static int compare_spans(const void *a, const void *b)
{
	const struct cu_span *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int add_spans(struct debugimage *image, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(unit, offset, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (vector_grow(&image->spans, image->span_count, sizeof(*image->spans)))
			return -ENOMEM;
		image->spans[image->span_count++] =
			(struct cu_span){low, high, dwarf_dieoffset(unit)};
	}
	return 0;
}

/* Of each unit only the first DIE is read. */
static int build_spans(struct debugimage *image)
{
	unsigned int count = 0;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	image->spans_built = true;
	while (dwarf_get_units(image->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		int err = 0;

		if (type == DW_UT_compile || type == DW_UT_skeleton)
			err = add_spans(image, &die);
		if (err)
			return err;
		if (++count % UNITS_DROP == 0)
			section_pages_drop(&image->info);
	}
	if (image->span_count)
		qsort(image->spans, image->span_count, sizeof(*image->spans), compare_spans);
	return 0;
}

/* libdw does so, too, when it is first asked for an address; but it keeps the pages. */
static void list_units(struct debugimage *image)
{
	unsigned int count = 0;
	Dwarf_CU *cu = NULL;

	image->units_listed = true;
	section_pages_find(dwarf_getelf(image->dwarf), ".debug_info", &image->info);
	if (!image->info.len)
		return;
	while (dwarf_get_units(image->dwarf, cu, &cu, NULL, NULL, NULL, NULL) == 0)
		if (++count % UNITS_DROP == 0)
			section_pages_drop(&image->info);
	section_pages_drop(&image->info);
}

/* Offset of the DIE of the unit with an address, by the first DIE of each. */
static int unit_by_spans(struct debugimage *image, uint64_t addr, Dwarf_Off *ret_unit)
{
	size_t low = 0, high;

	if (!image->spans_built && build_spans(image))
		return -ENOMEM;
	high = image->span_count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (image->spans[mid].low <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || addr >= image->spans[low - 1].high)
		return -ENOENT;
	*ret_unit = image->spans[low - 1].unit;
	return 0;
}

/* The pages of units that are no longer asked for are not kept for ever. */
static void unit_used(struct debugimage *image, Dwarf_Off unit)
{
	if (unit == image->last_unit)
		return;
	image->last_unit = unit;
	if (++image->unit_changes % UNITS_DROP == 0)
		section_pages_drop(&image->info);
}

int debugimage_unit_die(struct debugimage *image, uint64_t addr, Dwarf_Die *ret_die)
{
	Dwarf_Off unit;
	int err;

	if (!image->units_listed)
		list_units(image);
	if (!dwarf_addrdie(image->dwarf, addr, ret_die)) {
		err = unit_by_spans(image, addr, &unit);
		if (err)
			return err;
		if (!dwarf_offdie(image->dwarf, unit, ret_die))
			return -ENOENT;
	}
	unit_used(image, dwarf_dieoffset(ret_die));
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
	struct unit *found = hash_table_find(&image->units, sizeof(unit), hash, is_unit, &unit.key);

	if (found)
		return found->cu;
	unit.cu = cu_index_create(die);
	if (unit.cu && !hash_table_add(&image->units, sizeof(unit), hash, &unit)) {
		cu_index_destroy(unit.cu);
		return NULL;
	}
	return unit.cu;
}

int debugimage_chain(struct debugimage *image, struct arena *arena, uint64_t relative,
		     struct srcline *ret_chain, size_t max)
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
	return cu_index_chain(cu, arena, relative, ret_chain, max);
}

Dwarf_CFI *debugimage_cfi(struct debugimage *image)
{
	Dwarf_Addr bias;

	return dwfl_module_dwarf_cfi(image->module, &bias);
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
	Elf *elf = dwfl_module_getelf(image->module, &elf_bias);
	struct elf_section section = {0};

	if (!percpu || address_is_kernel(addr))
		addr = to_linked(image, addr);
	while (elf && elf_section_next(elf, &section))
		if (section.header.sh_type == SHT_SYMTAB)
			return object_in(elf, &section, addr, ret_offset);
	return NULL;
}
