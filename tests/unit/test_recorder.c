// SPDX-License-Identifier: GPL-2.0
/* What a trace could read, and name, when it recorded a snapshot, is what the capture says of it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capfile/reader.h"
#include "capfile/recorder.h"
#include "symbolize/symbols.h"
#include "util/cleanup.h"

#define KERNEL 0xffffffff81000000ull
#define CODE   0x555555555000ull /* of a program */
#define OTHER  0x7ffff7dd1000ull

static char path[] = "/tmp/lbrsnoop-recorder.XXXXXX";
static struct symbols *symbols;

/** struct memory - what is there; @bytes repeats */
struct memory {
	uint64_t start;
	uint64_t end;
	const char *bytes;
	size_t len;
};

static struct memory memory[4];

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint8_t *to = buf;

	(void)ctx;
	for (size_t i = 0; i < ARRAY_SIZE(memory); i++) {
		const struct memory *m = &memory[i];

		if (addr < m->start || addr + len > m->end)
			continue;
		for (size_t at = 0; at < len; at++)
			to[at] = (uint8_t)m->bytes[(addr + at - m->start) % m->len];
		return 0;
	}
	return -EFAULT;
}

#define NOPS "\x90", 1

static const struct lbr_info lbr = {.model = "skylake", .format = 5, .depth = 32};

static struct trigger event = {
	.target = (char *)"perf:page-faults",
	.kind = TRIGGER_PERF,
	.function = (char *)"",
	.module = (char *)"",
};

static struct trigger function = {
	.target = (char *)"f",
	.kind = TRIGGER_FENTRY,
	.function = (char *)"f",
	.module = (char *)"",
};

static struct recorder *begin(void)
{
	struct recorder_options opts = {
		.path = path,
		.command = "record",
		.tool = "test",
		.symbols = symbols,
		.text = {.read = read_text},
		.lbr = &lbr,
		.filter = "any,u",
		.path_ok = true,
	};
	struct recorder *recorder;

	assert_int_equal(recorder_open(&opts, &recorder, NULL), 0);
	return recorder;
}

/* One branch, to where the trigger's instruction is reached from. */
static void add_branch(struct recorder *recorder, const struct trigger *trigger, uint32_t pid,
		       uint64_t from, uint64_t to, uint64_t ip)
{
	const struct raw_branch raw = {from, to, 2};
	struct snapshot snap = {
		.pid = pid,
		.trigger = trigger,
		.ip = ip,
		.count = 1,
		.branches = {{.from = from, .to = to}},
		.raw = &raw,
		.raw_count = 1,
		.path_ok = true,
	};

	recorder_text_may_differ(recorder);
	assert_int_equal(recorder_add(recorder, &snap, 0), 0);
}

static void add(struct recorder *recorder, const struct trigger *trigger, uint32_t pid, uint64_t to,
		uint64_t ip)
{
	add_branch(recorder, trigger, pid, to, to, ip);
}

static struct capfile *end(struct recorder *recorder)
{
	struct capfile *file;

	assert_int_equal(recorder_close(recorder, 0), 0);
	assert_int_equal(capfile_open(path, &file, NULL), 0);
	return file;
}

static void next(struct capfile *file)
{
	struct snapshot snap;
	uint64_t lost;

	assert_int_equal(capfile_next(file, &snap, &lost), 1);
}

/* NULL: none */
static void check_name(struct capfile *file, uint64_t addr, const char *name)
{
	struct symbol sym;

	assert_int_equal(symbols_find(capfile_symbols(file), addr, &sym), name ? 0 : -ENOENT);
	if (name)
		assert_string_equal(sym.name, name);
}

static bool has_text(struct capfile *file, uint64_t addr, size_t len)
{
	struct text_source text = textstore_source(capfile_text(file));
	uint8_t bytes[4096], want[4096];

	assert_true(len <= sizeof(bytes));
	if (text.read(text.ctx, addr, bytes, len))
		return false;
	assert_int_equal(read_text(NULL, addr, want, len), 0);
	assert_memory_equal(bytes, want, len);
	return true;
}

static void add_symbol(const char *name, const char *module, uint64_t addr, uint64_t size)
{
	const struct symbol sym = {name, module, addr, size};

	assert_int_equal(symbols_add(symbols, &sym), 0);
}

/* _fini() has no size of its own, and is said to go on to the end of the page. */
static void record_function_longer_than_its_text_is_there_up_to_that(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	add_symbol("_fini", "program", CODE + 0x324, 0x1000 - 0x324);
	memory[0] = (struct memory){CODE, CODE + 0x32d, NOPS};
	add(recorder, &event, 1, CODE + 0x324, CODE + 0x32c);
	/* Then there is more, and then less again. */
	memory[0].end = CODE + 0x1000;
	add(recorder, &event, 1, CODE + 0x324, CODE + 0x32c);
	memory[0].end = CODE + 0x500;
	add(recorder, &event, 1, CODE + 0x324, CODE + 0x32c);
	file = end(recorder);
	next(file);
	check_name(file, CODE + 0x324, "_fini");
	assert_true(has_text(file, CODE + 0x324, 9));
	assert_false(has_text(file, CODE + 0x324, 10));
	next(file);
	memory[0].end = CODE + 0x1000;
	check_name(file, CODE + 0x324, "_fini");
	assert_true(has_text(file, CODE + 0x324, 0x1000 - 0x324));
	next(file);
	check_name(file, CODE + 0x324, "_fini");
	assert_true(has_text(file, CODE + 0x324, 0x500 - 0x324));
	assert_false(has_text(file, CODE + 0x4ff, 2));
	capfile_close(file);
}

/* The first bytes of a page are another segment's. */
static void record_text_that_begins_in_a_part_is_there_from_there(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	memory[0] = (struct memory){CODE + 0x643, CODE + 0x3000, NOPS};
	add(recorder, &event, 1, CODE + 0x650, CODE + 0x660);
	file = end(recorder);
	next(file);
	assert_true(has_text(file, CODE + 0x643, 0x700 - 0x643));
	assert_false(has_text(file, CODE + 0x642, 1));
	capfile_close(file);
}

/* mov $0x90909090,%eax, of 5 bytes, over the end of a part, and of a function */
static void record_instruction_over_the_end_is_whole(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	memory[0] = (struct memory){CODE + 0xfd, CODE + 0x1000, "\xb8\x90\x90\x90\x90", 5};
	add(recorder, &event, 1, CODE + 0xfd, CODE + 0xfd);
	memory[1] = (struct memory){OTHER, OTHER + 0x1000, "\xb8\x90\x90\x90\x90", 5};
	add_symbol("shorter", "program", OTHER, 3);
	add(recorder, &event, 1, OTHER, OTHER);
	file = end(recorder);
	next(file);
	assert_true(has_text(file, CODE + 0xfd, 5));
	next(file);
	assert_true(has_text(file, OTHER, 5));
	capfile_close(file);
}

/* What the file has of one process's code is not there for another one that has nothing there. */
static void record_process_without_the_code_has_none(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	for (uint32_t i = 0; i < 3; i++) {
		memory[0] = (struct memory){CODE, CODE + (i == 1 ? 0 : 0x1000), NOPS};
		if (i != 1)
			add_symbol("main", "program", CODE, 0x100);
		else
			symbols_remove(symbols, CODE, 0x100);
		add(recorder, &event, 100 + i, CODE + 0x10, CODE + 0x20);
		/* of no function, another part */
		add(recorder, &event, 100 + i, CODE + 0x810, CODE + 0x820);
	}
	file = end(recorder);
	for (int i = 0; i < 6; i++) {
		bool there = i / 2 != 1;

		next(file);
		memory[0].end = CODE + 0x1000;
		if (i % 2) {
			assert_int_equal(has_text(file, CODE + 0x810, 16), there);
			continue;
		}
		check_name(file, CODE + 0x10, there ? "main" : NULL);
		assert_int_equal(has_text(file, CODE + 0x10, 16), there);
	}
	capfile_close(file);
}

/* Processes of one program, without address space randomization, each seen in main() once. */
static void record_processes_of_one_program_are_named_alike(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	add_symbol("main", "program", CODE, 0x100);
	/* call *%rax, call CODE + 0x400 */
	memory[0] = (struct memory){CODE, CODE + 0x1000, "\xff\xd0\xe8\xf9\x03\x00\x00\x90", 8};
	add_symbol("called", "program", CODE + 0x400, 0x40);
	for (uint32_t i = 0; i < 6; i++) {
		/* Another build in the middle: the same names, other code. */
		memory[0].bytes = i / 2 == 1 ? "\x90\x90\xe8\xf9\x03\x00\x00\x90"
					     : "\xff\xd0\xe8\xf9\x03\x00\x00\x90";
		add_branch(recorder, &event, 100 + i, CODE + 0x10, KERNEL, KERNEL);
	}
	file = end(recorder);
	for (uint32_t i = 0; i < 6; i++) {
		next(file);
		memory[0].bytes = i / 2 == 1 ? "\x90\x90\xe8\xf9\x03\x00\x00\x90"
					     : "\xff\xd0\xe8\xf9\x03\x00\x00\x90";
		check_name(file, CODE + 0x10, "main");
		check_name(file, CODE + 0x400, "called");
		assert_true(has_text(file, CODE, 0x100));
	}
	capfile_close(file);
}

/* Each at addresses of its own, as the kernel places them, for longer than a reader can keep all.
 */
static void record_many_processes_is_read_to_its_end(void **state)
{
	struct recorder *recorder = begin();
	/* and one that has as much text itself */
	const uint32_t processes = 1001, few = 20, many = 20000;
	struct capfile *file;

	for (uint32_t i = 0; i < processes; i++) {
		uint64_t base = CODE + ((uint64_t)i << 20);
		uint32_t pages = i < processes - 1 ? few : many;

		memory[0] = (struct memory){base, base + (pages << 12), NOPS};
		add_symbol("main", "program", base, 0x100);
		for (uint32_t page = 0; page < pages; page++)
			add(recorder, &event, 100 + i, base + (page << 12), base + (page << 12));
		symbols_remove(symbols, base, 0x100);
	}
	file = end(recorder);
	for (uint32_t i = 0; i < processes; i++) {
		uint64_t base = CODE + ((uint64_t)i << 20);
		uint32_t pages = i < processes - 1 ? few : many;

		memory[0] = (struct memory){base, base + (pages << 12), NOPS};
		for (uint32_t page = 0; page < pages; page++) {
			next(file);
			if (!page)
				check_name(file, base, "main");
			assert_true(has_text(file, base + (page << 12), 0x100));
		}
	}
	capfile_close(file);
}

/* A trace of a library sees many programs: one too many has no names, and all others have. */
static void record_more_programs_than_a_reader_takes_goes_on(void **state)
{
	struct recorder *recorder = begin();
	const uint32_t programs = 4100;
	struct capfile *file;

	memory[0] = (struct memory){CODE, CODE + (programs << 8), NOPS};
	for (uint32_t i = 0; i < programs; i++) {
		char name[20];

		if (i == programs / 2) /* a table takes no more, either: here is another one */
			symtab_deinit(&symbols->tab);
		snprintf(name, sizeof(name), "program%u", i);
		add_symbol("main", name, CODE + (i << 8), 0x100);
		add(recorder, &event, 1, CODE + (i << 8), CODE + (i << 8));
	}
	file = end(recorder);
	for (uint32_t i = 0; i < programs; i++) {
		next(file);
		check_name(file, CODE + (i << 8), i < 4095 ? "main" : NULL);
		assert_true(has_text(file, CODE + (i << 8), 0x100));
	}
	capfile_close(file);
}

/* Addresses of a program are of nobody where the kernel is traced, or no process runs. */
static void read_snapshot_of_no_process_names_no_program(void **state)
{
	static const struct {
		const struct trigger *trigger;
		uint32_t pid;
		bool user;
	} snaps[] = {
		{&event, 7, true}, {&function, 7, false}, {&event, 7, true}, {&event, 0, false}};
	struct recorder *recorder = begin();
	struct snapshot snap;
	struct capfile *file;
	uint64_t lost;

	add_symbol("main", "program", CODE, 0x100);
	memory[0] = (struct memory){CODE, CODE + 0x1000, NOPS};
	for (size_t i = 0; i < ARRAY_SIZE(snaps); i++)
		add(recorder, snaps[i].trigger, snaps[i].pid, CODE + 0x10, CODE + 0x20);
	file = end(recorder);
	for (size_t i = 0; i < ARRAY_SIZE(snaps); i++) {
		next(file);
		check_name(file, CODE + 0x10, snaps[i].user ? "main" : NULL);
		assert_int_equal(has_text(file, CODE + 0x10, 16), snaps[i].user);
	}
	/* At the end all is there, for who takes it together. */
	assert_int_equal(capfile_next(file, &snap, &lost), 0);
	check_name(file, CODE + 0x10, "main");
	assert_true(has_text(file, CODE + 0x10, 16));
	capfile_close(file);
}

/* jmp to another function, whose name is printed with the instruction; it comes, goes, comes. */
static void record_target_that_comes_and_goes_is_named_when_it_is_there(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	memory[0] = (struct memory){KERNEL, KERNEL + 0x1000, "\xe9\xfb\x00\x00\x00\xc3", 6};
	add_symbol("f", "", KERNEL, 6);
	for (int i = 0; i < 5; i++) {
		if (i % 2)
			add_symbol("g", "", KERNEL + 0x100, 0x40);
		else
			symbols_remove(symbols, KERNEL + 0x100, 0x40);
		/* g itself runs once: without a name, all that is known of it goes. */
		if (i == 2)
			add(recorder, &function, 1, KERNEL + 0x110, KERNEL + 0x110);
		else
			add(recorder, &function, 1, KERNEL, KERNEL);
	}
	file = end(recorder);
	for (int i = 0; i < 5; i++) {
		next(file);
		if (i == 1 || i == 3)
			check_name(file, KERNEL + 0x100, "g");
		else if (i == 2)
			check_name(file, KERNEL + 0x100, NULL);
	}
	capfile_close(file);
}

/*
 * A stretch without a name loses its text; the function before it in the same part of text, which
 * was seen to before, stays.
 */
static void record_what_goes_beside_a_function_leaves_that(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	add_symbol("f", "program", CODE, 0x40);
	memory[0] = (struct memory){CODE, CODE + 0x1000, NOPS};
	add_branch(recorder, &event, 1, CODE + 0x10, CODE + 0x80, CODE + 0x800);
	memory[0].end = CODE + 0x40;
	add_branch(recorder, &event, 1, CODE + 0x10, CODE + 0x80, CODE + 0x800);
	file = end(recorder);
	next(file);
	memory[0].end = CODE + 0x1000;
	assert_true(has_text(file, CODE, 0x100));
	next(file);
	memory[0].end = CODE + 0x40;
	check_name(file, CODE + 0x10, "f");
	assert_true(has_text(file, CODE, 0x40));
	assert_false(has_text(file, CODE + 0x40, 1));
	capfile_close(file);
}

/* Each of them, whatever their numbers: graphs show them as part of the function. */
static void record_function_has_its_cold_parts(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	memory[0] = (struct memory){KERNEL, KERNEL + 0x10000, NOPS};
	add_symbol("f", "", KERNEL, 0x40);
	add_symbol("f.cold.7", "", KERNEL + 0x8000, 0x20);
	add_symbol("f.cold.12", "", KERNEL + 0x9000, 0x20);
	add_symbol("f.coldish", "", KERNEL + 0xa000, 0x20);
	add(recorder, &function, 0, KERNEL + 0x10, KERNEL + 0x20);
	file = end(recorder);
	next(file);
	assert_true(has_text(file, KERNEL + 0x8000, 0x20));
	check_name(file, KERNEL + 0x8000, "f.cold.7");
	assert_true(has_text(file, KERNEL + 0x9000, 0x20));
	assert_false(has_text(file, KERNEL + 0xa000, 0x20));
	capfile_close(file);
}

/* Of a program without symbols, all of it up to the next one: longer than GONE may say at once. */
static void record_symbol_of_40_mib_that_goes_is_read_to_its_end(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	memory[0] = (struct memory){CODE, CODE + 0x1000, NOPS};
	add_symbol("0x1000", "program", CODE, 40u << 20);
	add(recorder, &event, 1, CODE + 0x10, CODE + 0x20);
	add_symbol("main", "program", CODE, 0x100);
	add(recorder, &event, 2, CODE + 0x10, CODE + 0x20);
	file = end(recorder);
	next(file);
	check_name(file, CODE + 0x10, "0x1000");
	next(file);
	check_name(file, CODE + 0x10, "main");
	check_name(file, CODE + (39u << 20), NULL);
	capfile_close(file);
}

/* A function and text beside it, which are in the file of another process, withdraw each other. */
static void record_function_and_text_in_one_part_are_both_there_in_each_process(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	add_symbol("f", "program", CODE, 0x40);
	for (uint32_t i = 0; i < 2; i++) {
		memory[0] = (struct memory){CODE, CODE + 0x1000, i ? "\x50" : "\x90", 1};
		add_branch(recorder, &event, 1 + i, CODE + 0x10, CODE + 0x80, CODE + 0x90);
	}
	file = end(recorder);
	for (uint32_t i = 0; i < 2; i++) {
		next(file);
		memory[0].bytes = i ? "\x50" : "\x90";
		check_name(file, CODE + 0x10, "f");
		assert_true(has_text(file, CODE, 0x40));
		assert_true(has_text(file, CODE + 0x80, 0x20));
	}
	capfile_close(file);
}

/* Where no function is known: parts of text begin, and end, in the middle of an instruction. */
static void record_code_of_no_function_names_what_it_leads_to(void **state)
{
	/* call to 0x105 bytes behind it, over the end of a part; jmp within its part; nop */
	static const char code[] = "\xe8\x00\x01\x00\x00\xeb\x20\x90";
	struct recorder *recorder = begin();
	struct capfile *file;

	memory[0] = (struct memory){CODE + 0xfd, CODE + 0x1000, code, 8};
	add_symbol("far", "program", CODE + 0xfd + 0x105, 8);
	add_symbol("near", "program", CODE + 0xfd + 0x27, 8);
	add(recorder, &event, 1, CODE + 0xfd, CODE + 0xfd + 7);
	file = end(recorder);
	next(file);
	check_name(file, CODE + 0xfd + 0x105, "far");
	check_name(file, CODE + 0xfd + 0x27, "near");
	capfile_close(file);
}

/* From code of no function on into one that begins at no multiple of 16. */
static void record_function_behind_a_gap_is_named(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	memory[0] = (struct memory){CODE, CODE + 0x1000, NOPS};
	add_symbol("f", "program", CODE + 0x14, 8);
	add(recorder, &event, 1, CODE + 0x11, CODE + 0x50);
	file = end(recorder);
	next(file);
	check_name(file, CODE + 0x14, "f");
	capfile_close(file);
}

/* Of a function that is not all there, a jmp from one page to the next; then it leads elsewhere. */
static void record_instruction_over_two_pages_names_what_it_leads_to(void **state)
{
	/* 10 bytes: e9 is at 0xffc, its displacement ends at 0x1001 */
	static char code[] = "\x90\x90\xe9\x00\x20\x00\x00\x90\x90\x90";
	struct recorder *recorder = begin();
	struct capfile *file;

	memory[0] = (struct memory){CODE + 0xffa, CODE + 0x1800, code, 10};
	add_symbol("f", "program", CODE + 0xffa, 0x1000);
	add_symbol("near", "program", CODE + 0x3001, 8);
	add_symbol("far", "program", CODE + 0x1003001, 8);
	for (int i = 0; i < 2; i++) {
		code[6] = (char)i;
		add(recorder, &event, 1, CODE + 0x1010, CODE + 0x1018);
	}
	file = end(recorder);
	for (int i = 0; i < 2; i++) {
		next(file);
		code[6] = (char)i;
		check_name(file, CODE + 0x3001 + (i ? 0x1000000 : 0), i ? "far" : "near");
	}
	capfile_close(file);
}

/* A trace of everything: what a reader has no room for is not there, and the file goes on. */
static void record_more_text_than_a_reader_keeps_goes_on(void **state)
{
	struct recorder *recorder = begin();
	const uint32_t pages = 16500;
	struct capfile *file;

	memory[0] = (struct memory){KERNEL, KERNEL + ((uint64_t)pages << 12), NOPS};
	/* First: with each that is added while it records, names are hashed anew. */
	for (uint32_t i = 0; i < pages; i++)
		add_symbol("f", "", KERNEL + ((uint64_t)i << 12), 0x40);
	for (uint32_t i = 0; i < pages; i++) {
		uint64_t addr = KERNEL + ((uint64_t)i << 12);

		add(recorder, &function, 1, addr, addr);
	}
	file = end(recorder);
	for (uint32_t i = 0; i < pages; i++) {
		uint64_t addr = KERNEL + ((uint64_t)i << 12);

		next(file);
		check_name(file, addr, "f");
		assert_int_equal(has_text(file, addr, 0x40), i < TEXTSTORE_PAGES_MAX);
	}
	capfile_close(file);
}

/* Text of the kernel that goes between snapshots of two processes, and was no function's. */
static void record_kernel_text_that_goes_is_gone_for_the_next_process(void **state)
{
	struct recorder *recorder = begin();
	struct capfile *file;

	for (uint32_t i = 0; i < 2; i++) {
		memory[0] = (struct memory){KERNEL, KERNEL + (i ? 0 : 0x1000), NOPS};
		add(recorder, &event, 1 + i, KERNEL + 0x10, KERNEL + 0x20);
	}
	file = end(recorder);
	memory[0].end = KERNEL + 0x1000;
	for (uint32_t i = 0; i < 2; i++) {
		next(file);
		assert_int_equal(has_text(file, KERNEL + 0x10, 0x10), !i);
	}
	capfile_close(file);
}

static int setup(void **state)
{
	memset(memory, 0, sizeof(memory));
	return symbols_open_empty(&symbols);
}

static int teardown(void **state)
{
	symbols_close(symbols);
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(record_function_longer_than_its_text_is_there_up_to_that),
		TEST(record_text_that_begins_in_a_part_is_there_from_there),
		TEST(record_instruction_over_the_end_is_whole),
		TEST(record_process_without_the_code_has_none),
		TEST(record_processes_of_one_program_are_named_alike),
		TEST(record_many_processes_is_read_to_its_end),
		TEST(record_more_programs_than_a_reader_takes_goes_on),
		TEST(read_snapshot_of_no_process_names_no_program),
		TEST(record_target_that_comes_and_goes_is_named_when_it_is_there),
		TEST(record_what_goes_beside_a_function_leaves_that),
		TEST(record_function_has_its_cold_parts),
		TEST(record_symbol_of_40_mib_that_goes_is_read_to_its_end),
		TEST(record_function_and_text_in_one_part_are_both_there_in_each_process),
		TEST(record_code_of_no_function_names_what_it_leads_to),
		TEST(record_function_behind_a_gap_is_named),
		TEST(record_kernel_text_that_goes_is_gone_for_the_next_process),
		TEST(record_more_text_than_a_reader_keeps_goes_on),
		TEST(record_instruction_over_two_pages_names_what_it_leads_to),
#undef TEST
	};

	if (mkstemp(path) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
