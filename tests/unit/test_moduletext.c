// SPDX-License-Identifier: GPL-2.0
/*
 * A module of a few instructions, loaded by hand. Expected: "System V ABI, AMD64 Supplement", table
 * of relocation types: S is the symbol's value, A the addend, P the place.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "symbolize/text/moduletext.h"

#define TEXT_ADDR     0xffffffffc0201000u
#define UNLIKELY_ADDR 0xffffffffc0203000u
#define DATA_ADDR     0xffffffffc0205000u
#define EXPORTED_ADDR 0xffffffff81000040u
#define OTHERS_ADDR   0xffffffffc0900010u

enum { NONE, TEXT, UNLIKELY, DATA, INIT, RELA, SYMTAB, STRTAB, NAMES, SECTIONS };
enum { SYM_NONE, SYM_EXPORTED, SYM_UNLIKELY, SYM_DATA, SYM_UNKNOWN, SYM_OTHERS, SYMBOLS };

static const char names[] = "\0.text\0.text.unlikely\0.data\0.init.text\0.rela.text\0.symtab\0"
			    ".strtab\0.shstrtab";
static const char strings[] = "\0exported\0unknown\0others";

struct module_file {
	Elf64_Ehdr ehdr;
	uint8_t text[32];
	uint8_t unlikely[8];
	Elf64_Rela rela[6];
	Elf64_Sym syms[SYMBOLS];
	char strings[sizeof(strings)];
	char names[sizeof(names)];
	Elf64_Shdr shdrs[SECTIONS];
};

static struct module_file file;
static struct symbols *symbols;

#define AT(member) offsetof(struct module_file, member)
#define SECTION(kind, bits, member)                                                                \
	.sh_type = (kind), .sh_flags = SHF_ALLOC | (bits), .sh_offset = AT(member),                \
	.sh_size = sizeof(file.member), .sh_addralign = 1

static uint32_t name_at(const char *name)
{
	for (uint32_t i = 1; i < sizeof(names); i += (uint32_t)strlen(names + i) + 1)
		if (!strcmp(names + i, name))
			return i;
	return 0;
}

/*
 * 0: call exported  5: call the second byte of .text.unlikely  10: movabs $.data+4  20: mov $.data
 * 25: call what nobody has  30: two bytes
 */
static void make_module(void)
{
	static const uint8_t text[] = {0xe8, 0, 0, 0,	 0, 0xe8, 0, 0, 0,    0,    0x48,
				       0xb8, 0, 0, 0,	 0, 0,	  0, 0, 0,    0xbf, 0,
				       0,    0, 0, 0xe8, 1, 2,	  3, 4, 0x90, 0x90};

	file = (struct module_file){
		.ehdr = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_REL,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_shoff = AT(shdrs),
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = SECTIONS,
			 .e_shstrndx = NAMES},
		.unlikely = {0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc},
		.rela = {{1, ELF64_R_INFO(SYM_EXPORTED, R_X86_64_PLT32), -4},
			 {6, ELF64_R_INFO(SYM_UNLIKELY, R_X86_64_PC32), -3},
			 {12, ELF64_R_INFO(SYM_DATA, R_X86_64_64), 4},
			 {21, ELF64_R_INFO(SYM_DATA, R_X86_64_32S), 0},
			 {26, ELF64_R_INFO(SYM_UNKNOWN, R_X86_64_PLT32), -4},
			 /* reaches beyond the section */
			 {30, ELF64_R_INFO(SYM_DATA, R_X86_64_32), 0}},
		.syms = {[SYM_EXPORTED] = {.st_name = 1},
			 [SYM_UNLIKELY] = {.st_shndx = UNLIKELY},
			 [SYM_DATA] = {.st_shndx = DATA},
			 [SYM_UNKNOWN] = {.st_name = 10},
			 [SYM_OTHERS] = {.st_name = 18}},
		.shdrs = {[TEXT] = {SECTION(SHT_PROGBITS, SHF_EXECINSTR, text)},
			  [UNLIKELY] = {SECTION(SHT_PROGBITS, SHF_EXECINSTR, unlikely)},
			  [DATA] = {SECTION(SHT_PROGBITS, SHF_WRITE, unlikely)},
			  [INIT] = {SECTION(SHT_PROGBITS, SHF_EXECINSTR, unlikely)},
			  [RELA] = {.sh_type = SHT_RELA,
				    .sh_offset = AT(rela),
				    .sh_size = sizeof(file.rela),
				    .sh_entsize = sizeof(Elf64_Rela),
				    .sh_link = SYMTAB,
				    .sh_info = TEXT,
				    .sh_addralign = 8},
			  [SYMTAB] = {.sh_type = SHT_SYMTAB,
				      .sh_offset = AT(syms),
				      .sh_size = sizeof(file.syms),
				      .sh_entsize = sizeof(Elf64_Sym),
				      .sh_link = STRTAB,
				      .sh_addralign = 8},
			  [STRTAB] = {.sh_type = SHT_STRTAB,
				      .sh_offset = AT(strings),
				      .sh_size = sizeof(strings),
				      .sh_addralign = 1},
			  [NAMES] = {.sh_type = SHT_STRTAB,
				     .sh_offset = AT(names),
				     .sh_size = sizeof(names),
				     .sh_addralign = 1}},
	};
	memcpy(file.text, text, sizeof(text));
	memcpy(file.strings, strings, sizeof(strings));
	memcpy(file.names, names, sizeof(names));
	file.shdrs[TEXT].sh_name = name_at(".text");
	file.shdrs[UNLIKELY].sh_name = name_at(".text.unlikely");
	file.shdrs[DATA].sh_name = name_at(".data");
	file.shdrs[INIT].sh_name = name_at(".init.text");
}

static uint64_t place(const char *module, const char *section)
{
	assert_string_equal(module, "mod");
	return !strcmp(section, ".text")	    ? TEXT_ADDR
	       : !strcmp(section, ".text.unlikely") ? UNLIKELY_ADDR
	       : !strcmp(section, ".data")	    ? DATA_ADDR
	       : !strcmp(section, ".init.text")	    ? 0xffffffffc0300000u
						    : 0;
}

static uint8_t have[sizeof(file.text)];
static unsigned int seen;

static int take(uint64_t addr, const uint8_t *bytes, size_t len, void *ctx)
{
	assert_ptr_equal(ctx, &seen);
	seen++;
	if (addr == UNLIKELY_ADDR) {
		assert_int_equal(len, sizeof(file.unlikely));
		return 0;
	}
	assert_int_equal(addr, TEXT_ADDR);
	assert_int_equal(len, sizeof(have));
	memcpy(have, bytes, len);
	return 0;
}

static int each(size_t len)
{
	Elf *elf;
	int err;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)&file, len);
	assert_non_null(elf);
	seen = 0;
	err = module_text_each(elf, "mod", place, symbols, take, &seen);
	elf_end(elf);
	return err;
}

static uint64_t value_at(size_t offset, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, have + offset, bytes);
	return value;
}

static void module_text_each_relocates(void **state)
{
	(void)state;
	make_module();
	assert_int_equal(each(sizeof(file)), 0);
	/* what is freed after the beginning is not there */
	assert_int_equal(seen, 2);
	assert_int_equal(value_at(1, 4), (uint32_t)(EXPORTED_ADDR - (TEXT_ADDR + 5)));
	assert_int_equal(value_at(6, 4), (uint32_t)(UNLIKELY_ADDR + 1 - (TEXT_ADDR + 10)));
	assert_int_equal(value_at(12, 8), DATA_ADDR + 4);
	assert_int_equal(value_at(21, 4), (uint32_t)DATA_ADDR);
	/* nobody knows it: as it is in the file; and nothing beyond the end */
	assert_int_equal(value_at(26, 4), 0x04030201);
	assert_int_equal(value_at(30, 2), 0x9090);
}

static void module_text_each_other_modules_functions(void **state)
{
	(void)state;
	make_module();
	file.rela[4].r_info = ELF64_R_INFO(SYM_OTHERS, R_X86_64_PLT32);
	assert_int_equal(each(sizeof(file)), 0);
	assert_int_equal(value_at(26, 4), (uint32_t)(OTHERS_ADDR - (TEXT_ADDR + 30)));
}

static void module_text_each_no_module_is_einval(void **state)
{
	(void)state;
	make_module();
	file.ehdr.e_type = ET_EXEC;
	assert_int_equal(each(sizeof(file)), -EINVAL);
	assert_int_equal(seen, 0);
}

static void module_text_each_damaged_tables_are_passed_over(void **state)
{
	(void)state;
	make_module();
	file.shdrs[RELA].sh_link = 77;
	assert_int_equal(each(sizeof(file)), 0);
	assert_memory_equal(have, file.text, sizeof(have));
	make_module();
	file.syms[SYM_DATA].st_shndx = 200;
	assert_int_equal(each(sizeof(file)), 0);
	assert_int_equal(value_at(12, 8), 0);
	make_module();
	file.shdrs[TEXT].sh_size = UINT64_MAX - 100;
	assert_int_equal(each(sizeof(file)), 0);
	assert_int_equal(seen, 1);
}

static int set_up(void **state)
{
	(void)state;
	symbols = symbol_table("ffffffff81000000 T _stext\n"
			       "ffffffff81000040 T exported\n"
			       "ffffffff81000080 T other\n"
			       "ffffffffc0900010 t others\t[friend]\n"
			       "ffffffffc0900020 t end\t[friend]\n");
	return !symbols;
}

static int tear_down(void **state)
{
	(void)state;
	symbols_close(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(module_text_each_relocates),
		cmocka_unit_test(module_text_each_other_modules_functions),
		cmocka_unit_test(module_text_each_no_module_is_einval),
		cmocka_unit_test(module_text_each_damaged_tables_are_passed_over),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
