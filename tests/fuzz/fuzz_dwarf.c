// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_dwarf - damaged debug information: never a crash, never an answer without an end
 *
 * Input: of each section below, in their order, a u16 with its bytes, and these. They are put into
 * an ELF file with TEXT_SIZE bytes of text at TEXT_ADDR, so that damage goes into the DWARF and the
 * symbols and not into the file's headers. tests/fuzz/seed_dwarf makes inputs of compiled C.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbolize/debug/dwarf.h"
#include "symbolize/variable/variable.h"
#include "symbolize/variable/variable_list.h"

#define TEXT_ADDR  0x10000
#define TEXT_SIZE  0x400
#define TEXT_STEP  24
#define INPUTS	   13
#define SECTIONS   (INPUTS + 3) /* none, the text, those of the input, the names */
#define FILE_MAX   (1u << 17)
#define TYPES_DEEP 4

static const struct section_kind {
	const char *name;
	uint32_t type;
	uint32_t entry;
} kinds[INPUTS] = {
	{".debug_info", SHT_PROGBITS, 0},     {".debug_abbrev", SHT_PROGBITS, 0},
	{".debug_str", SHT_PROGBITS, 0},      {".debug_line", SHT_PROGBITS, 0},
	{".debug_line_str", SHT_PROGBITS, 0}, {".debug_loclists", SHT_PROGBITS, 0},
	{".debug_rnglists", SHT_PROGBITS, 0}, {".debug_aranges", SHT_PROGBITS, 0},
	{".debug_frame", SHT_PROGBITS, 0},    {".debug_loc", SHT_PROGBITS, 0},
	{".debug_ranges", SHT_PROGBITS, 0},   {".symtab", SHT_SYMTAB, sizeof(Elf64_Sym)},
	{".strtab", SHT_STRTAB, 0},
};

/* Behind the text and all others. */
#define STRTAB_INDEX (INPUTS + 1)

/** struct image - the file that is put together */
struct image {
	uint8_t bytes[FILE_MAX];
	size_t len;
};

static size_t put(struct image *image, const void *bytes, size_t len)
{
	size_t at = (image->len + 7) & ~(size_t)7;

	memset(image->bytes + image->len, 0, at - image->len);
	memcpy(image->bytes + at, bytes, len);
	image->len = at + len;
	return at;
}

/* False: the input is no such one. */
static int put_inputs(struct image *image, Elf64_Shdr *sections, const uint8_t *data, size_t size)
{
	for (int i = 0; i < INPUTS; i++) {
		uint16_t len;

		if (size < sizeof(len))
			return 0;
		memcpy(&len, data, sizeof(len));
		data += sizeof(len);
		size -= sizeof(len);
		if (len > size)
			len = (uint16_t)size;
		sections[i + 2] = (Elf64_Shdr){
			.sh_type = kinds[i].type,
			.sh_size = len,
			.sh_addralign = 1,
			.sh_entsize = kinds[i].entry,
			.sh_link = kinds[i].type == SHT_SYMTAB ? STRTAB_INDEX : 0,
		};
		sections[i + 2].sh_offset = put(image, data, len);
		data += len;
		size -= len;
	}
	return 1;
}

static void put_names(struct image *image, Elf64_Shdr *sections)
{
	char names[256] = "";
	size_t len = 1;

	for (int i = 1; i < SECTIONS; i++) {
		const char *name = i == 1	       ? ".text"
				   : i == SECTIONS - 1 ? ".shstrtab"
						       : kinds[i - 2].name;

		sections[i].sh_name = (uint32_t)len;
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s", name) + 1;
	}
	sections[SECTIONS - 1].sh_type = SHT_STRTAB;
	sections[SECTIONS - 1].sh_size = len;
	sections[SECTIONS - 1].sh_addralign = 1;
	sections[SECTIONS - 1].sh_offset = put(image, names, len);
}

static int put_file(struct image *image, const uint8_t *data, size_t size)
{
	Elf64_Shdr sections[SECTIONS] = {
		[1] = {.sh_type = SHT_PROGBITS,
		       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		       .sh_addr = TEXT_ADDR,
		       .sh_size = TEXT_SIZE,
		       .sh_addralign = 1},
	};
	Elf64_Phdr load = {.p_type = PT_LOAD,
			   .p_flags = PF_R | PF_X,
			   .p_vaddr = TEXT_ADDR,
			   .p_paddr = TEXT_ADDR,
			   .p_filesz = TEXT_SIZE,
			   .p_memsz = TEXT_SIZE,
			   .p_align = 1};
	Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(load),
		.e_phnum = 1,
		.e_shentsize = sizeof(sections[0]),
		.e_shnum = SECTIONS,
		.e_shstrndx = SECTIONS - 1,
	};
	static const uint8_t text[TEXT_SIZE];

	image->len = sizeof(header) + sizeof(load);
	load.p_offset = sections[1].sh_offset = put(image, text, sizeof(text));
	if (!put_inputs(image, sections, data, size))
		return 0;
	put_names(image, sections);
	header.e_shoff = put(image, sections, sizeof(sections));
	memcpy(image->bytes, &header, sizeof(header));
	memcpy(image->bytes + sizeof(header), &load, sizeof(load));
	return 1;
}

static void require(int ok)
{
	if (!ok)
		abort();
}

static void check_text(const char *text, size_t size)
{
	require(strnlen(text, size) < size);
}

static void try_type(const struct ctype *type);
static void try_expression(const struct cexpr *e, int deep);

static bool take_member(void *ctx, const char *text, uint64_t offset, const struct ctype *type)
{
	unsigned int *left = ctx;

	(void)offset;
	check_text(text, CEXPR_MAX);
	try_type(type);
	return --*left > 0;
}

static void try_type(const struct ctype *type)
{
	char text[CTYPE_TEXT_MAX];
	bool array;

	require(variable_type_text(type, text, sizeof(text)) == 0 || !text[0]);
	check_text(text, sizeof(text));
	if (!variable_constant(type, 1, text, sizeof(text)))
		check_text(text, sizeof(text));
	variable_string(type, &array);
}

/* What the values of why and the names of a condition ask of an expression. */
static void try_expression(const struct cexpr *e, int deep)
{
	static const struct {
		int64_t offset;
		uint32_t bytes;
	} accesses[] = {{0, 0}, {0, 8}, {8, 4}, {12, 1}, {16, 8}, {24, 2}, {-8, 8}, {4096, 8}};
	unsigned int left = 64;
	struct cexpr next;
	uint32_t part;

	check_text(e->text, sizeof(e->text));
	try_type(&e->type);
	if (!deep)
		return;
	variable_members(&e->type, take_member, &left);
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		if (!variable_member(e, accesses[i].offset, accesses[i].bytes, &next, &part))
			try_expression(&next, deep - 1);
	if (!variable_bytes(e, 4, 4, &next))
		try_expression(&next, 0);
	if (!variable_element(e, 8, "i", 8, 8, &next) || !variable_element(e, 0, "i", 1, 1, &next))
		try_expression(&next, 0);
	if (!variable_bitfield(e, 8, 0x38, &next))
		try_expression(&next, 0);
	if (!variable_call_through(e, &next))
		try_expression(&next, deep - 1);
}

static bool take_place(void *ctx, const struct variable_place *place)
{
	unsigned int *left = ctx;

	require(place->where <= VARIABLE_CONSTANT && place->reg < 16);
	try_expression(&place->name, 2);
	return --*left > 0;
}

static void try_address(const struct variable_code *code)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	unsigned int left = 16;
	struct cexpr found;
	int count =
		lines_find(code->lines, code->module, code->addr, false, chain, INLINE_DEPTH_MAX);

	for (int i = 0; i < count; i++)
		require(strlen(chain[i].function) + strlen(chain[i].file) < FILE_MAX);
	variable_places(code, take_place, &left);
	for (uint8_t reg = 0; reg < 16; reg += 1 + (reg == 7) * 4)
		if (!variable_in_register(code, reg, &found))
			try_expression(&found, TYPES_DEEP);
	for (int64_t offset = -16; offset <= 16; offset += 8)
		if (!variable_in_memory(code, 4, offset, 8, &found) ||
		    !variable_bytes_in_memory(code, 4, offset, 4, &found))
			try_expression(&found, 1);
	if (!variable_computed(code, 3, 1, &found))
		try_expression(&found, 1);
}

static int take_unit(const char *path, void *ctx)
{
	unsigned int *left = ctx;

	require(strlen(path) < FILE_MAX);
	return --*left == 0;
}

static void try_image(struct lines *lines)
{
	struct variable_code code = {.lines = lines, .module = ""};
	unsigned int left = 64;
	struct line_places places;
	struct cexpr found;

	for (code.addr = TEXT_ADDR; code.addr < TEXT_ADDR + TEXT_SIZE; code.addr += TEXT_STEP)
		try_address(&code);
	code.addr = TEXT_ADDR + 4;
	if (!variable_call(&code, "check", &found))
		try_expression(&found, 1);
	for (uint64_t addr = 0x20000; addr < 0x20040; addr += 8)
		if (!variable_global(&code, addr, 8, addr & 8, &found, NULL))
			try_expression(&found, 1);
		else if (!variable_global_element(&code, addr, "i", 8, 8, &found))
			try_expression(&found, 1);
	lines_for_each_unit(lines, "", take_unit, &left);
	lines_places(lines, "", "seed.c", 20, &places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image image;
	static char path[64];
	static int fd = -1;
	struct lines_options options = {.release = "none", .vmlinux = path};
	struct lines *lines;

	if (fd < 0) {
		fd = memfd_create("fuzz_dwarf", 0);
		require(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (size > UINT16_MAX || !put_file(&image, data, size))
		return 0;
	require(!ftruncate(fd, 0) && pwrite(fd, image.bytes, image.len, 0) == (ssize_t)image.len);
	/* Of no build ID, so of whichever kernel is meant. */
	options.build_id = (const uint8_t *)"";
	if (lines_open(&options, &lines))
		return 0;
	try_image(lines);
	lines_close(lines);
	return 0;
}
