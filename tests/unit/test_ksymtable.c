// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own symbol tables in memory that is made here, as scripts/kallsyms.c and
 * kernel/module/kallsyms.c lay them out; and in a core file, in place of /proc/kallsyms.
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/btf.h>

#include "../seed.h"
#include "symbolize/symbols.h"
#include "symbolize/tables/ksymtable.h"

#define BASE	  0xffffffff81000000u
#define MODULE_AT 0xffffffffc0b00000u
#define MEMORY	  0x10000u
/* Of the module's text, which its data does not follow at once */
#define MODULE_TEXT 0x1000u
#define LONG_NAME   200

/* struct module and struct mod_kallsyms of this kernel: where their members stand, in bytes */
enum { STATE = 0, LIST = 8, NAME = 24, KALLSYMS = 88, MEM = 96, MODULE_BYTES = 128 };
/* struct module_memory, of which struct module has an array; before 6.4 struct module_layout */
enum { MEM_BASE = 0, MEM_SIZE = 12, MEM_BYTES = 16, LAYOUT_TEXT_SIZE = 20, LAYOUT_BYTES = 24 };
enum { SYMTAB = 0, COUNT = 8, STRTAB = 16, TYPETAB = 24, KALLSYMS_BYTES = 32 };
/* struct bpf_ksym, struct ftrace_ops, struct kprobe_insn_cache and struct kprobe_insn_page */
enum { KSYM_START = 0, KSYM_NAME = 16, KSYM_NODE = 528, KSYM_BYTES = 552 };
enum { OPS_TRAMPOLINE = 8, OPS_LIST = 24, OPS_BYTES = 48 };
enum { CACHE_PAGES = 8, CACHE_BYTES = 32, PAGE_LIST = 0, PAGE_INSNS = 16, PAGE_BYTES = 32 };

/* Where in memory things are */
enum {
	NAMES = 0x1f80, /* the long name goes on in the next page */
	OFFSETS = 0x3000,
	NUM_SYMS = 0x4000,
	RELATIVE_BASE = 0x4008,
	TOKEN_TABLE = 0x5000,
	TOKEN_INDEX = 0x6000,
	MODULES = 0x7000,
	MODULE = 0x7100,
	MODULE_KALLSYMS = 0x7200,
	MODULE_SYMTAB = 0x7300,
	MODULE_STRTAB = 0x7400,
	MODULE_TYPETAB = 0x7500,
	BPF_KALLSYMS = 0x8000,
	TRAMPOLINES = 0x8010,
	INSN_SLOTS = 0x8020,
	OPTINSN_SLOTS = 0x8040,
	PROGRAM = 0x8100,
	TRAMPOLINE = 0x8400,
	FTRACE_OPS = 0x8700,
	INSN_PAGE = 0x8800,
};

#define PROGRAM_AT    0xffffffffc0d00000u
#define TRAMPOLINE_AT 0xffffffffc0d01000u
#define FTRACE_AT     0xffffffffc0d02000u
#define INSNS_AT      0xffffffffc0d03000u
#define PROGRAM_NAME  "bpf_prog_0011223344556677_p"

static char long_name[LONG_NAME + 1];

static const struct {
	uint64_t addr;
	char type;
	const char *name;
} symbols[] = {
	{0x1a380, 'A', "cpu_hw_events"}, /* per CPU: an offset */
	{BASE, 'T', "_text"},
	{BASE, 'T', "_stext"},
	{BASE + 0x40, 'T', "vfs_read"},
	{BASE + 0x100, 't', long_name},
	{BASE + 0x180, 't', "a_conversion_func"},
	{BASE + 0x200, 'T', "last_function"},
	{BASE + MODULES, 'd', "modules"},
	{BASE + BPF_KALLSYMS, 'd', "bpf_kallsyms"},
	{BASE + TRAMPOLINES, 'd', "ftrace_ops_trampoline_list"},
	{BASE + INSN_SLOTS, 'D', "kprobe_insn_slots"},
	{BASE + OPTINSN_SLOTS, 'D', "kprobe_optinsn_slots"},
};

#define SYMBOLS (sizeof(symbols) / sizeof(*symbols))

static const struct {
	uint64_t addr;
	char type;
	const char *name;
} of_module[] = {
	{MODULE_AT, 't', "loop_open"},
	{MODULE_AT + 0x80, 'T', "loop_close"},
	{MODULE_AT + 0x2000, 'd', "loop_data"},
};

/* What the kernel has generated, in the order of its lists */
static const struct {
	uint64_t addr;
	const char *name, *module;
} generated[] = {
	{PROGRAM_AT, PROGRAM_NAME, "bpf"},
	{TRAMPOLINE_AT, "bpf_trampoline_6442", "bpf"},
	{FTRACE_AT, "ftrace_trampoline", "__builtin__ftrace"},
	{INSNS_AT, "kprobe_insn_page", "__builtin__kprobes"},
};

static const struct ksym_generated generated_lists = {
	.bpf_kallsyms = BASE + BPF_KALLSYMS,
	.ftrace_ops_trampoline_list = BASE + TRAMPOLINES,
	.kprobe_insn_slots = BASE + INSN_SLOTS,
	.kprobe_optinsn_slots = BASE + OPTINSN_SLOTS,
};

struct memory {
	uint8_t bytes[MEMORY];
};

static void put(struct memory *memory, uint32_t at, const void *data, size_t len)
{
	assert_true(at + len <= MEMORY);
	memcpy(memory->bytes + at, data, len);
}

static void put64(struct memory *memory, uint32_t at, uint64_t value)
{
	put(memory, at, &value, sizeof(value));
}

/* Tokens of several characters, from number 1 on; the others are one character, their own number.
 */
static const char *const long_tokens[] = {"_func", "conversion"};
#define LONG_TOKENS (sizeof(long_tokens) / sizeof(*long_tokens))

static void put_tokens(struct memory *memory)
{
	uint16_t at = 0;

	for (int i = 0; i < 256; i++) {
		char one[2] = {(char)i, '\0'};
		const char *token = i > ' ' && i < 0x7f ? one : "";

		if (i >= 1 && (size_t)i <= LONG_TOKENS)
			token = long_tokens[i - 1];

		put(memory, TOKEN_INDEX + 2 * (uint32_t)i, &at, sizeof(at));
		put(memory, TOKEN_TABLE + at, token, strlen(token) + 1);
		at = (uint16_t)(at + strlen(token) + 1);
	}
}

static uint32_t put_name(struct memory *memory, uint32_t at, char type, const char *name)
{
	uint8_t tokens[256] = {(uint8_t)type};
	size_t count = 1;

	while (*name) {
		size_t i = 0;

		while (i < LONG_TOKENS &&
		       strncmp(name, long_tokens[i], strlen(long_tokens[i])) != 0)
			i++;
		tokens[count++] = i < LONG_TOKENS ? (uint8_t)(i + 1) : (uint8_t)*name;
		name += i < LONG_TOKENS ? strlen(long_tokens[i]) : 1;
	}
	if (count > 0x7f) {
		memory->bytes[at++] = (uint8_t)(0x80 | (count & 0x7f));
		memory->bytes[at++] = (uint8_t)(count >> 7);
	} else {
		memory->bytes[at++] = (uint8_t)count;
	}
	put(memory, at, tokens, count);
	return at + (uint32_t)count;
}

/* @negative: kernel addresses below zero, per-CPU ones above; else all above the base */
static void put_image(struct memory *memory, bool negative)
{
	uint32_t at = NAMES, count = 0;

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		int32_t offset = symbols[i].addr < BASE ? (int32_t)symbols[i].addr
				 : negative		? -1 - (int32_t)(symbols[i].addr - BASE)
							: (int32_t)(symbols[i].addr - BASE);

		if (symbols[i].addr < BASE && !negative)
			continue;
		at = put_name(memory, at, symbols[i].type, symbols[i].name);
		put(memory, OFFSETS + 4 * count++, &offset, sizeof(offset));
	}
	put(memory, NUM_SYMS, &count, sizeof(count));
	put64(memory, RELATIVE_BASE, BASE);
	put_tokens(memory);
}

static void put_module(struct memory *memory)
{
	static const uint32_t text_size = MODULE_TEXT;
	uint32_t count = 1, string_at = 1;
	Elf64_Sym sym = {0};

	put64(memory, MODULES, BASE + MODULE + LIST);
	put64(memory, MODULE + LIST, BASE + MODULES);
	put(memory, MODULE + NAME, "loop", 5);
	put64(memory, MODULE + KALLSYMS, BASE + MODULE_KALLSYMS);
	for (size_t i = 0; i < sizeof(of_module) / sizeof(*of_module); i++) {
		sym = (Elf64_Sym){
			.st_name = string_at, .st_value = of_module[i].addr, .st_shndx = 1};
		put(memory, MODULE_SYMTAB + count * sizeof(sym), &sym, sizeof(sym));
		put(memory, MODULE_STRTAB + string_at, of_module[i].name,
		    strlen(of_module[i].name) + 1);
		memory->bytes[MODULE_TYPETAB + count++] = (uint8_t)of_module[i].type;
		string_at += (uint32_t)strlen(of_module[i].name) + 1;
	}
	put64(memory, MODULE + MEM + MEM_BASE, MODULE_AT);
	put(memory, MODULE + MEM + MEM_SIZE, &text_size, sizeof(text_size));
	put64(memory, MODULE_KALLSYMS + SYMTAB, BASE + MODULE_SYMTAB);
	put(memory, MODULE_KALLSYMS + COUNT, &count, sizeof(count));
	put64(memory, MODULE_KALLSYMS + STRTAB, BASE + MODULE_STRTAB);
	put64(memory, MODULE_KALLSYMS + TYPETAB, BASE + MODULE_TYPETAB);
}

/* A list of the nodes @at, in bytes; its head is the first */
static void put_list(struct memory *memory, const uint32_t *at, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put64(memory, at[i], BASE + at[(i + 1) % count]);
		put64(memory, at[(i + 1) % count] + 8, BASE + at[i]);
	}
}

static void put_generated(struct memory *memory)
{
	static const uint32_t programs[] = {BPF_KALLSYMS, PROGRAM + KSYM_NODE,
					    TRAMPOLINE + KSYM_NODE},
			      ops[] = {TRAMPOLINES, FTRACE_OPS + OPS_LIST},
			      pages[] = {INSN_SLOTS + CACHE_PAGES, INSN_PAGE + PAGE_LIST},
			      none[] = {OPTINSN_SLOTS + CACHE_PAGES};

	put_list(memory, programs, 3);
	put_list(memory, ops, 2);
	put_list(memory, pages, 2);
	put_list(memory, none, 1);
	put64(memory, PROGRAM + KSYM_START, PROGRAM_AT);
	put(memory, PROGRAM + KSYM_NAME, PROGRAM_NAME, sizeof(PROGRAM_NAME));
	put64(memory, TRAMPOLINE + KSYM_START, TRAMPOLINE_AT);
	put(memory, TRAMPOLINE + KSYM_NAME, generated[1].name, strlen(generated[1].name) + 1);
	put64(memory, FTRACE_OPS + OPS_TRAMPOLINE, FTRACE_AT);
	put64(memory, INSN_PAGE + PAGE_INSNS, INSNS_AT);
}

static int read_memory(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct memory *memory = ctx;

	if (addr < BASE || addr - BASE > MEMORY || len > MEMORY - (addr - BASE))
		return -EFAULT;
	memcpy(buf, memory->bytes + (addr - BASE), len);
	return 0;
}

static int lookup(void *ctx, const char *name, uint64_t *ret_addr)
{
	static const struct {
		const char *name;
		uint32_t at;
	} known[] = {
		{"kallsyms_names", NAMES},
		{"kallsyms_offsets", OFFSETS},
		{"kallsyms_num_syms", NUM_SYMS},
		{"kallsyms_relative_base", RELATIVE_BASE},
		{"kallsyms_token_table", TOKEN_TABLE},
		{"kallsyms_token_index", TOKEN_INDEX},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(name, known[i].name))
			continue;
		*ret_addr = BASE + known[i].at;
		return ctx && !strcmp(ctx, name) ? -ENOENT : 0;
	}
	return -ENOENT;
}

/* How struct module tells of its text: not at all, as before Linux 6.4, as since then */
enum text_kind { TEXT_UNKNOWN, TEXT_LAYOUT, TEXT_MEMORY };

static struct btf *describe_with(enum text_kind text)
{
	struct btf *btf = btf__new_empty();
	int pointer;

	assert_non_null(btf);
	pointer = btf__add_ptr(btf, 0);
	if (text == TEXT_LAYOUT) {
		btf__add_struct(btf, "module_layout", LAYOUT_BYTES);
		btf__add_field(btf, "base", pointer, MEM_BASE * 8, 0);
		btf__add_field(btf, "text_size", pointer, LAYOUT_TEXT_SIZE * 8, 0);
	} else if (text == TEXT_MEMORY) {
		btf__add_struct(btf, "module_memory", MEM_BYTES);
		btf__add_field(btf, "base", pointer, MEM_BASE * 8, 0);
		btf__add_field(btf, "size", pointer, MEM_SIZE * 8, 0);
	}
	btf__add_struct(btf, "module", MODULE_BYTES);
	if (text != TEXT_UNKNOWN)
		btf__add_field(btf, text == TEXT_LAYOUT ? "core_layout" : "mem", pointer, MEM * 8,
			       0);
	btf__add_field(btf, "state", pointer, STATE * 8, 0);
	btf__add_field(btf, "list", pointer, LIST * 8, 0);
	btf__add_field(btf, "name", pointer, NAME * 8, 0);
	btf__add_field(btf, "kallsyms", pointer, KALLSYMS * 8, 0);
	btf__add_struct(btf, "mod_kallsyms", KALLSYMS_BYTES);
	btf__add_field(btf, "symtab", pointer, SYMTAB * 8, 0);
	btf__add_field(btf, "num_symtab", pointer, COUNT * 8, 0);
	btf__add_field(btf, "strtab", pointer, STRTAB * 8, 0);
	btf__add_field(btf, "typetab", pointer, TYPETAB * 8, 0);
	btf__add_struct(btf, "bpf_ksym", KSYM_BYTES);
	btf__add_field(btf, "start", pointer, KSYM_START * 8, 0);
	btf__add_field(btf, "name", pointer, KSYM_NAME * 8, 0);
	btf__add_field(btf, "lnode", pointer, KSYM_NODE * 8, 0);
	btf__add_struct(btf, "ftrace_ops", OPS_BYTES);
	btf__add_field(btf, "trampoline", pointer, OPS_TRAMPOLINE * 8, 0);
	btf__add_field(btf, "list", pointer, OPS_LIST * 8, 0);
	btf__add_struct(btf, "kprobe_insn_cache", CACHE_BYTES);
	btf__add_field(btf, "pages", pointer, CACHE_PAGES * 8, 0);
	btf__add_struct(btf, "kprobe_insn_page", PAGE_BYTES);
	btf__add_field(btf, "list", pointer, PAGE_LIST * 8, 0);
	btf__add_field(btf, "insns", pointer, PAGE_INSNS * 8, 0);
	return btf;
}

static struct btf *describe(void)
{
	return describe_with(TEXT_MEMORY);
}

static struct ksym_layout layout_of(const struct btf *btf)
{
	struct ksym_layout layout;

	ksym_layout_read(btf, &layout);
	return layout;
}

struct seen {
	size_t count;
	size_t text;
	bool strange;
	bool without_first; /* the per-CPU one is not there */
};

static int see_image(uint64_t addr, char type, const char *name, size_t len, const char *module,
		     void *ctx)
{
	struct seen *seen = ctx;
	size_t i = seen->count++ + seen->without_first;

	assert_int_equal(addr, symbols[i].addr);
	assert_int_equal(type, symbols[i].type);
	assert_string_equal(name, symbols[i].name);
	assert_int_equal(len, strlen(name));
	assert_string_equal(module, "");
	return 0;
}

static int see_module(uint64_t addr, char type, const char *name, size_t len, const char *module,
		      void *ctx)
{
	struct seen *seen = ctx;
	size_t i = seen->count++;

	assert_int_equal(addr, of_module[i].addr);
	assert_int_equal(type, of_module[i].type);
	assert_string_equal(name, of_module[i].name);
	assert_int_equal(len, strlen(name));
	assert_string_equal(module, "loop");
	return 0;
}

static int see_generated(uint64_t addr, char type, const char *name, size_t len, const char *module,
			 void *ctx)
{
	struct seen *seen = ctx;
	size_t i = seen->count++;

	assert_int_equal(addr, generated[i].addr);
	assert_int_equal(type, 't');
	assert_string_equal(name, generated[i].name);
	assert_int_equal(len, strlen(name));
	assert_string_equal(module, generated[i].module);
	return 0;
}

static int setup(void **state)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	memset(long_name, 'l', LONG_NAME);
	put_image(memory, true);
	put_module(memory);
	put_generated(memory);
	*state = memory;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void image_both_kinds_of_offsets(void **state)
{
	struct memory *memory = *state;
	struct text_source source = {.read = read_memory, .ctx = memory};
	struct ksymtable at;
	struct seen seen = {0};

	assert_int_equal(ksymtable_locate(lookup, NULL, &at), 0);
	assert_int_equal(ksymtable_for_each(source, &at, see_image, &seen), 0);
	assert_int_equal(seen.count, SYMBOLS);
	put_image(memory, false);
	seen = (struct seen){.without_first = true};
	assert_int_equal(ksymtable_for_each(source, &at, see_image, &seen), 0);
	assert_int_equal(seen.count, SYMBOLS - 1);
}

static void image_without_a_table_is_said(void **state)
{
	static char missing[] = "kallsyms_token_index";
	struct ksymtable at;

	(void)state;
	assert_int_equal(ksymtable_locate(lookup, missing, &at), -ENODATA);
}

static void image_outside_of_memory_is_efault(void **state)
{
	struct memory *memory = *state;
	struct text_source source = {.read = read_memory, .ctx = memory};
	struct seen seen = {0};
	struct ksymtable at;

	assert_int_equal(ksymtable_locate(lookup, NULL, &at), 0);
	at.offsets = BASE + MEMORY;
	assert_int_equal(ksymtable_for_each(source, &at, see_image, &seen), -EFAULT);
	assert_int_equal(seen.count, 0);
}

static void modules_by_their_btf(void **state)
{
	struct memory *memory = *state;
	struct text_source source = {.read = read_memory, .ctx = memory};
	struct ksym_modules modules;
	struct seen seen = {0};
	struct btf *btf = describe();
	const struct ksym_layout layout = layout_of(btf), unknown = layout_of(NULL);
	uint64_t node;

	assert_int_equal(ksym_modules_for_each(source, BASE + MODULES, &layout, see_module, NULL,
					       &seen, &modules),
			 0);
	assert_int_equal(seen.count, 3);
	assert_int_equal(modules.visited, 1);
	assert_int_equal(modules.failed, 0);
	/* Unknown list, unknown structs */
	assert_int_equal(
		ksym_modules_for_each(source, 0, &layout, see_module, NULL, &seen, &modules),
		-ENODATA);
	assert_int_equal(ksym_modules_for_each(source, BASE + MODULES, &unknown, see_module, NULL,
					       &seen, &modules),
			 -ENODATA);
	/* A list that has no end */
	node = BASE + MODULE + LIST;
	put64(memory, MODULE + LIST, node);
	memory->bytes[MODULE + NAME] = '\0';
	assert_int_equal(ksym_modules_for_each(source, BASE + MODULES, &layout, see_module, NULL,
					       &seen, &modules),
			 -EBADMSG);
	assert_int_equal(modules.failed, modules.visited);
	btf__free(btf);
}

static int see_text(const char *module, uint64_t base, uint64_t size, void *ctx)
{
	struct seen *seen = ctx;

	assert_string_equal(module, "loop");
	assert_int_equal(base, MODULE_AT);
	assert_int_equal(size, MODULE_TEXT);
	assert_int_equal(seen->count, 0);
	seen->text++;
	return 0;
}

/* Where a module's text is: of either kind of kernel, and of none */
static void modules_text_by_its_btf(void **state)
{
	struct memory *memory = *state;
	struct text_source source = {.read = read_memory, .ctx = memory};

	for (int text = TEXT_UNKNOWN; text <= TEXT_MEMORY; text++) {
		struct btf *btf = describe_with((enum text_kind)text);
		const struct ksym_layout layout = layout_of(btf);
		static const uint32_t size = MODULE_TEXT;
		struct ksym_modules modules;
		struct seen seen = {0};

		put_module(memory);
		if (text == TEXT_LAYOUT) {
			memset(memory->bytes + MODULE + MEM + MEM_SIZE, 0xff, sizeof(size));
			put(memory, MODULE + MEM + LAYOUT_TEXT_SIZE, &size, sizeof(size));
		}
		assert_int_equal(ksym_modules_for_each(source, BASE + MODULES, &layout, see_module,
						       see_text, &seen, &modules),
				 0);
		assert_int_equal(modules.failed, 0);
		assert_int_equal(seen.count, 3);
		assert_int_equal(seen.text, text != TEXT_UNKNOWN);
		btf__free(btf);
	}
}

/* BPF programs, ftrace's trampolines, kprobes' pages. */
static void generated_by_their_lists(void **state)
{
	struct memory *memory = *state;
	struct text_source source = {.read = read_memory, .ctx = memory};
	struct ksym_generated at = generated_lists;
	struct btf *btf = describe();
	struct ksym_layout layout = layout_of(btf);
	struct seen seen = {0};

	assert_int_equal(ksym_generated_for_each(source, &at, &layout, see_generated, &seen), 0);
	assert_int_equal(seen.count, 4);
	/* Lists that are there under another name: not to be had so */
	at.kprobe_optinsn_slots = 0;
	seen = (struct seen){0};
	assert_int_equal(ksym_generated_for_each(source, &at, &layout, see_generated, &seen), 0);
	at.kprobe_insn_slots = 0;
	assert_int_equal(ksym_generated_for_each(source, &at, &layout, see_generated, &seen),
			 -ENODATA);
	at = generated_lists;
	at.ftrace_ops_trampoline_list = 0;
	assert_int_equal(ksym_generated_for_each(source, &at, &layout, see_generated, &seen),
			 -ENODATA);
	/* A kernel without kprobes and without ftrace */
	at.kprobe_insn_slots = at.kprobe_optinsn_slots = 0;
	layout.ftrace = layout.kprobes = false;
	seen = (struct seen){0};
	assert_int_equal(ksym_generated_for_each(source, &at, &layout, see_generated, &seen), 0);
	assert_int_equal(seen.count, 2);
	/* One whose table has functions alone, and one whose structs are not known */
	at.bpf_kallsyms = 0;
	assert_int_equal(ksym_generated_for_each(source, &at, &layout, see_generated, &seen),
			 -ENODATA);
	at = generated_lists;
	layout.ftrace = true;
	seen = (struct seen){0};
	assert_int_equal(ksym_generated_for_each(source, &at, &layout, see_generated, &seen),
			 -ENODATA);
	btf__free(btf);
}

/* Lists that change while they are read: half a list is not taken for a whole one. */
static void generated_while_a_list_changes(void **state)
{
	struct memory *memory = *state;
	struct text_source source = {.read = read_memory, .ctx = memory};
	struct btf *btf = describe();
	const struct ksym_layout layout = layout_of(btf);
	const struct memory whole = *memory;
	static const struct {
		uint32_t at;
		uint64_t value;
		int err;
	} cases[] = {
		/* taken out: LIST_POISON2; put in before the one that is next */
		{PROGRAM + KSYM_NODE + 8, 0xdead000000000122, -EBADMSG},
		{TRAMPOLINE + KSYM_NODE, BASE + TRAMPOLINES, -EBADMSG},
		/* back to an element: no end */
		{TRAMPOLINE + KSYM_NODE, BASE + PROGRAM + KSYM_NODE, -EBADMSG},
		{FTRACE_OPS + OPS_LIST, 0x1000, -EFAULT},
		/* freed, and used again */
		{PROGRAM + KSYM_START, 0x1000, -EBADMSG},
		{PROGRAM + KSYM_NAME, 0x0102030405060708, -EBADMSG},
		{INSN_PAGE + PAGE_INSNS, 0, -EBADMSG},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct seen seen = {0};

		put64(memory, cases[i].at, cases[i].value);
		assert_int_equal(ksym_generated_for_each(source, &generated_lists, &layout,
							 see_generated, &seen),
				 cases[i].err);
		*memory = whole;
	}
	btf__free(btf);
}

static int see_any(uint64_t addr, char type, const char *name, size_t len, const char *module,
		   void *ctx)
{
	struct seen *seen = ctx;

	(void)addr;
	seen->count++;
	seen->strange |= !isalpha((unsigned char)type) || strlen(name) != len || !len ||
			 strlen(module) >= 64;
	for (const char *c = name; *c; c++)
		seen->strange |= !isgraph((unsigned char)*c);
	for (const char *c = module; *c; c++)
		seen->strange |= !isgraph((unsigned char)*c);
	return 0;
}

static int see_any_text(const char *module, uint64_t base, uint64_t size, void *ctx)
{
	struct seen *seen = ctx;

	(void)base;
	(void)size;
	seen->strange |= !*module || strlen(module) >= 64;
	return 0;
}

/* Whatever the bytes are: an error or names that can be printed. The sanitizers look on. */
static void damaged_memory_is_survived(void **state)
{
	const struct memory *good = *state;
	struct memory *memory = malloc(sizeof(*memory));
	struct text_source source = {.read = read_memory, .ctx = memory};
	size_t errors = 0, whole = 0;
	struct btf *btf = describe();
	const struct ksym_layout layout = layout_of(btf);
	struct ksymtable at;

	srand(seed_take(stdout, 1));
	assert_int_equal(ksymtable_locate(lookup, NULL, &at), 0);
	for (int i = 0; i < 20000; i++) {
		struct ksym_modules modules;
		struct seen seen = {0};
		int image_err, modules_err, generated_err;

		*memory = *good;
		for (int n = rand() % 4 + 1; n; n--)
			memory->bytes[NAMES + (uint32_t)rand() % (INSN_PAGE + PAGE_BYTES - NAMES)] =
				(uint8_t)rand();
		image_err = ksymtable_for_each(source, &at, see_any, &seen);
		modules_err = ksym_modules_for_each(source, BASE + MODULES, &layout, see_any,
						    see_any_text, &seen, &modules);
		generated_err =
			ksym_generated_for_each(source, &generated_lists, &layout, see_any, &seen);
		assert_false(seen.strange);
		errors += image_err || modules_err || modules.failed || generated_err;
		whole += seen.count == SYMBOLS + 3 + 4;
	}
	print_message("%zu of 20000 are noticed, %zu have all names\n", errors, whole);
	assert_true(errors > 0 && whole > 0);
	btf__free(btf);
	free(memory);
}

/* --- a core file, as /proc/kcore is one */

struct core_file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[2];
	Elf64_Nhdr note;
	char note_name[12];
	char info[512];
	struct memory memory;
};

static void write_file(char *path, const void *data, size_t len)
{
	int fd;

	strcpy(path, "/tmp/lbrsnoop-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
}

static void write_core(char *path, const struct memory *memory)
{
	struct core_file *core = calloc(1, sizeof(*core));
	static const char *const names[] = {"kallsyms_names",	    "kallsyms_offsets",
					    "kallsyms_num_syms",    "kallsyms_relative_base",
					    "kallsyms_token_table", "kallsyms_token_index"};
	size_t len = 0;

	*core = (struct core_file){
		.ehdr = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_CORE,
			 .e_machine = EM_X86_64,
			 .e_phoff = offsetof(struct core_file, phdrs),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 2},
		.phdrs = {{.p_type = PT_NOTE,
			   .p_offset = offsetof(struct core_file, note),
			   .p_filesz = sizeof(core->note) + sizeof(core->note_name) +
				       sizeof(core->info)},
			  {.p_type = PT_LOAD,
			   .p_vaddr = BASE,
			   .p_offset = offsetof(struct core_file, memory),
			   .p_filesz = MEMORY}},
		.note = {.n_namesz = 11, .n_descsz = sizeof(core->info)},
		.note_name = "VMCOREINFO",
		.memory = *memory,
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uint64_t addr = 0;

		lookup(NULL, names[i], &addr);
		len += (size_t)snprintf(core->info + len, sizeof(core->info) - len,
					"SYMBOL(%s)=%llx\n", names[i], (unsigned long long)addr);
	}
	write_file(path, core, sizeof(*core));
	free(core);
}

struct live {
	char core[64], kallsyms[64], modules[64];
	struct symbols_source source;
};

/* /proc/kallsyms tells another name, to be told apart, and a BPF program. */
static void make_live(struct live *live, const struct memory *memory, const char *modules)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81000040 T vfs_told\n"
				   "ffffffffc0d00000 t bpf_prog_told\t[bpf]\n";

	write_core(live->core, memory);
	write_file(live->kallsyms, text, strlen(text));
	write_file(live->modules, modules, strlen(modules));
	live->source = (struct symbols_source){
		.kallsyms = live->kallsyms, .modules = live->modules, .kcore = live->core};
}

static void remove_live(struct live *live)
{
	unlink(live->core);
	unlink(live->kallsyms);
	unlink(live->modules);
}

static const char *name_at(struct symbols *syms, uint64_t addr)
{
	const struct symtab_entry *sym = symtab_find(&syms->tab, addr);

	return sym ? sym->name : NULL;
}

static void live_is_read_of_memory(void **state)
{
	struct btf *btf = describe();
	struct symbols *syms;
	struct symbol sym;
	struct live live;

	make_live(&live, *state, "loop 16384 0 - Live 0xffffffffc0b00000\n");
	assert_int_equal(symbols_begin_live(&live.source, true, &syms), 0);
	assert_int_equal(symbols_open_end(syms, btf), 0);
	assert_true(symbols_partial(syms));
	assert_string_equal(name_at(syms, BASE + 0x44), "vfs_read");
	assert_string_equal(name_at(syms, MODULE_AT + 0x81), "loop_close");
	assert_int_equal(symbols_find(syms, MODULE_AT, &sym), 0);
	assert_string_equal(sym.module, "loop");
	assert_int_equal(symbols_single(syms, SYMBOLS_CPU_HW_EVENTS), 0x1a380);
	assert_null(name_at(syms, 0xffffffffc0d00010));
	/* The rest, when it ran: out of memory, too. */
	symbols_follow_address(syms, PROGRAM_AT + 0x10);
	assert_int_equal(symbols_find(syms, PROGRAM_AT + 0x10, &sym), 0);
	assert_string_equal(sym.name, PROGRAM_NAME);
	assert_string_equal(sym.module, "bpf");
	assert_false(symbols_partial(syms));
	assert_string_equal(name_at(syms, FTRACE_AT), "ftrace_trampoline");
	assert_string_equal(name_at(syms, INSNS_AT), "kprobe_insn_page");
	assert_string_equal(name_at(syms, MODULE_AT + 0x81), "loop_close");
	assert_string_equal(name_at(syms, BASE + 0x44), "vfs_read");
	symbols_close(syms);
	remove_live(&live);
	btf__free(btf);
}

/*
 * What is generated later, behind a module's text and before its data, is not called by the name of
 * the module's last function.
 */
static void live_module_ends_with_its_text(void **state)
{
	struct btf *btf = describe();
	struct symbols *syms;
	struct live live;

	make_live(&live, *state, "loop 16384 0 - Live 0xffffffffc0b00000\n");
	assert_int_equal(symbols_begin_live(&live.source, true, &syms), 0);
	assert_int_equal(symbols_open_end(syms, btf), 0);
	for (int turn = 0; turn < 2; turn++) {
		assert_string_equal(name_at(syms, MODULE_AT + MODULE_TEXT - 1), "loop_close");
		assert_null(name_at(syms, MODULE_AT + MODULE_TEXT));
		assert_int_equal(symbols_refresh(syms), 0);
	}
	symbols_close(syms);
	remove_live(&live);
	btf__free(btf);
}

/* Function, its module, and what follows; where it ends with and without the module's text known */
static void last_function_ends_with_the_text(void **state)
{
	static const struct {
		uint64_t next;
		char next_type;
		const char *next_module;
		uint64_t text_size, size;
	} cases[] = {
		/* its data, anywhere behind it */
		{MODULE_AT + 0x4000, 'd', "one", 0, 0x3140},
		{MODULE_AT + 0x4000, 'd', "one", 0x1000, 0x140},
		{MODULE_AT + 0x4000, 'd', "one", 0x2000, 0x1140},
		/* code of its init section, or the next function */
		{MODULE_AT + 0x4000, 't', "one", 0x1000, 0x140},
		{MODULE_AT + 0xf00, 't', "one", 0x1000, 0x40},
		{MODULE_AT + 0x4000, 't', "one", 0, 0x3140},
		/* another module's text, at once: what reaches over a page is not cut there */
		{MODULE_AT + 0x2000, 't', "two", 0, 0x140},
		{MODULE_AT + 0x2000, 't', "two", 0x2000, 0x1140},
		/* too long for a function; memory that says nonsense */
		{MODULE_AT + 0x400000, 'd', "one", 0x300000, 0x140},
		{MODULE_AT + 0x1000, 't', "two", 0x2000, 0x140},
		/* nothing behind it */
		{0, 0, NULL, 0, 0x140},
		{0, 0, NULL, 0x2000, 0x1140},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena names = {0};
		struct symtab tab = {0};
		const struct symtab_entry *sym;
		int one, next;

		assert_int_equal(symtab_module_index(&tab, &names, "", 0), 0);
		one = symtab_module_index(&tab, &names, "one", 3);
		assert_true(one > 0);
		tab.modules[one].text = MODULE_AT;
		tab.modules[one].text_size = cases[i].text_size;
		assert_int_equal(symtab_add(&tab, MODULE_AT + 0xec0, 0, 't', "last", (uint16_t)one),
				 0);
		if (cases[i].next) {
			next = symtab_module_index(&tab, &names, cases[i].next_module, 3);
			assert_int_equal(symtab_add(&tab, cases[i].next, 0, cases[i].next_type,
						    "next", (uint16_t)next),
					 0);
		}
		symtab_finish(&tab);
		sym = symtab_find(&tab, MODULE_AT + 0xec0);
		assert_non_null(sym);
		assert_int_equal(sym->size, cases[i].size);
		symtab_deinit(&tab);
		arena_deinit(&names);
	}
}

/* Where memory does not tell what came: the file does; the image stays what it was. */
static void live_falls_back_later(void **state)
{
	struct memory *memory = *state;
	struct btf *btf = describe();
	struct symbols *syms;
	struct live live;

	put64(memory, TRAMPOLINE + KSYM_NODE, BASE + PROGRAM + KSYM_NODE);
	make_live(&live, memory, "loop 16384 0 - Live 0xffffffffc0b00000\n");
	assert_int_equal(symbols_begin_live(&live.source, true, &syms), 0);
	assert_int_equal(symbols_open_end(syms, btf), 0);
	assert_true(symbols_partial(syms));
	assert_int_equal(symbols_refresh(syms), 0);
	assert_string_equal(name_at(syms, PROGRAM_AT + 0x10), "bpf_prog_told");
	assert_false(symbols_partial(syms));
	assert_string_equal(name_at(syms, BASE + 0x44), "vfs_read");
	symbols_close(syms);
	remove_live(&live);
	btf__free(btf);
}

/* All is read from the file. */
static void expect_whole(const struct live *live, bool quick, const struct btf *btf)
{
	struct symbols *syms;

	assert_int_equal(symbols_begin_live(&live->source, quick, &syms), 0);
	assert_int_equal(symbols_open_end(syms, btf), 0);
	assert_false(symbols_partial(syms));
	assert_string_equal(name_at(syms, BASE + 0x44), "vfs_told");
	symbols_close(syms);
}

/* Where memory does not tell, or tells of other modules than the kernel. */
static void live_falls_back(void **state)
{
	static const char loop[] = "loop 16384 0 - Live 0xffffffffc0b00000\n";
	static const struct {
		const char *modules;
		bool no_table, bad_token;
	} cases[] = {
		{.modules = ""},
		{.modules = "fuse 16384 0 - Live 0xffffffffc0b00000\n"},
		{.modules = "loop 16384 0 - Live 0xffffffffc0b00000\n"
			    "fuse 4096 0 - Live 0xffffffffc0e00000\n"},
		{.modules = loop, .no_table = true},
		{.modules = loop, .bad_token = true},
	};
	struct memory *memory = *state;
	struct btf *btf = describe();
	struct live live;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct memory whole = *memory;

		if (cases[i].no_table)
			put64(memory, MODULE + KALLSYMS, 0x1000);
		if (cases[i].bad_token)
			memory->bytes[TOKEN_TABLE + 200] = '\n';
		make_live(&live, memory, cases[i].modules);
		expect_whole(&live, true, btf);
		remove_live(&live);
		*memory = whole;
	}
	btf__free(btf);
}

/* Not asked for, no BTF, no such file. */
static void live_without_memory_reads_all(void **state)
{
	struct btf *btf = describe();
	struct live live;

	make_live(&live, *state, "loop 16384 0 - Live 0xffffffffc0b00000\n");
	expect_whole(&live, false, btf);
	expect_whole(&live, true, NULL);
	live.source.kcore = "/nonexistent";
	expect_whole(&live, true, btf);
	remove_live(&live);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(image_both_kinds_of_offsets, setup, teardown),
		cmocka_unit_test_setup_teardown(image_without_a_table_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(image_outside_of_memory_is_efault, setup, teardown),
		cmocka_unit_test_setup_teardown(modules_by_their_btf, setup, teardown),
		cmocka_unit_test_setup_teardown(modules_text_by_its_btf, setup, teardown),
		cmocka_unit_test_setup_teardown(generated_by_their_lists, setup, teardown),
		cmocka_unit_test_setup_teardown(generated_while_a_list_changes, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_memory_is_survived, setup, teardown),
		cmocka_unit_test_setup_teardown(live_is_read_of_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(live_module_ends_with_its_text, setup, teardown),
		cmocka_unit_test(last_function_ends_with_the_text),
		cmocka_unit_test_setup_teardown(live_falls_back_later, setup, teardown),
		cmocka_unit_test_setup_teardown(live_falls_back, setup, teardown),
		cmocka_unit_test_setup_teardown(live_without_memory_reads_all, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
