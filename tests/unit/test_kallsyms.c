// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../seed.h"
#include "../symbol_table.h"
#include "snapshot/snapshot.h"
#include "symbolize/place.h"
#include "symbolize/symbols.h"

/* Lines as 6.12.117+deb12 prints them, a few of each kind. */
static const char sample[] = "0000000000000000 A fixed_percpu_data\n"
			     "0000000000000400 D cpu_debug_store\n"
			     "000000000001a380 D cpu_hw_events\n"
			     "ffffffff81300000 D __per_cpu_offset\n"
			     "ffffffff81300100 D __kfence_pool\n"
			     "ffffffffc0a03020 d cpu_hw_events\t[ext4]\n"
			     "ffffffff81000000 T _stext\n"
			     "ffffffff81000000 T startup_64\n"
			     "ffffffff81000000 T _text\n"
			     "ffffffff81000040 t __pfx_vfs_fsopen\n"
			     "ffffffff81000050 t vfs_fsopen\n"
			     "ffffffff81000100 T __x64_sys_getpid\n"
			     "ffffffff81000100 T __ia32_sys_getpid\n"
			     "ffffffff81000100 t __do_sys_getpid\n"
			     "ffffffff81000140 T __memcpy\n"
			     "ffffffff81000140 W memcpy\n"
			     "ffffffff81000140 T __pi_memcpy\n"
			     "ffffffff81000200 t vfs_fsopen.cold\n"
			     "ffffffff81000210 T last_function\n"
			     "ffffffff81000230 T _etext\n"
			     "ffffffff81200000 D __start_rodata\n"
			     "ffffffff82000000 T init_function\n"
			     "ffffffff82000100 T _einittext\n"
			     "ffffffffc0a01230 t ext4_init_once\t[ext4]\n"
			     "ffffffffc0a01000 t ext4_bread\t[ext4]\n"
			     "ffffffffc0a03010 d ext4_data\t[ext4]\n"
			     "ffffffffc0a01200 T ext4_exported\t[ext4]\n"
			     "ffffffffc0b00f80 t loop_tail\t[loop]\n"
			     "ffffffffc0c00000 t bpf_prog_6deef7357e7b4530_one\t[bpf]\n"
			     "ffffffffc0c000c0 t bpf_prog_6deef7357e7b4530_two\t[bpf]\n"
			     "ffffffffc0d00000 t bpf_trampoline_6442536467\t[bpf]\n"
			     "ffffffffc0e00000 t ftrace_trampoline\t[__builtin__ftrace]\n";

static const char modules_sample[] = "ext4 1015808 1 - Live 0xffffffffc0a01000\n"
				     "loop 40960 0 - Live 0xffffffffc0b00000\n";

static char *write_file(const void *data, size_t len)
{
	char *path = strdup("/tmp/lbrsnoop-test-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
	return path;
}

static void replace_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
}

static void remove_file(char *path)
{
	unlink(path);
	free(path);
}

static struct symbols *open_text(const char *text)
{
	struct symbols *syms = symbol_table(text);

	assert_non_null(syms);
	return syms;
}

static int open_bytes(const void *data, size_t len)
{
	char *path = write_file(data, len);
	struct symbols *syms = NULL;
	int err = symbols_open(path, &syms);

	if (err)
		assert_null(syms);
	symbols_close(syms);
	remove_file(path);
	return err;
}

static void check_at(struct symbols *syms, uint64_t addr, const char *name, const char *module,
		     uint64_t size)
{
	struct symbol sym;

	assert_int_equal(symbols_find(syms, addr, &sym), 0);
	assert_string_equal(sym.name, name);
	assert_string_equal(sym.module, module);
	assert_int_equal(sym.size, size);
	assert_true(addr - sym.addr < sym.size);
}

static void check_hole(struct symbols *syms, uint64_t addr)
{
	struct symbol sym;

	assert_int_equal(symbols_find(syms, addr, &sym), -ENOENT);
}

static void find_kernel_address_is_bounded_by_next(void **state)
{
	struct symbols *syms = open_text(sample);

	(void)state;
	check_at(syms, 0xffffffff81000000, "startup_64", "", 0x40);
	check_at(syms, 0xffffffff8100004f, "__pfx_vfs_fsopen", "", 0x10);
	check_at(syms, 0xffffffff81000050, "vfs_fsopen", "", 0xb0);
	check_at(syms, 0xffffffff810000ff, "vfs_fsopen", "", 0xb0);
	check_at(syms, 0xffffffff8100020f, "vfs_fsopen.cold", "", 0x10);
	symbols_close(syms);
}

/* "f.cold" is f's; what begins where it ends is another's, as is what nobody knows. */
static void same_function_cold_part_is(void **state)
{
	struct symbols *syms = open_text(sample);
	uint64_t function = 0xffffffff81000050, cold = 0xffffffff81000200;

	(void)state;
	assert_true(same_function_by_symbols(syms, function, function + 0xaf));
	assert_true(same_function_by_symbols(syms, function, cold + 0xf));
	assert_true(same_function_by_symbols(syms, cold, function));
	assert_false(same_function_by_symbols(syms, function, function - 1));
	assert_false(same_function_by_symbols(syms, function, function + 0xb0));
	assert_false(same_function_by_symbols(syms, 0xffffffff81000210, cold));
	assert_false(same_function_by_symbols(syms, 0x1000, 0x1000));
	symbols_close(syms);
}

static void find_aliases_prefers_plain_name(void **state)
{
	struct symbols *syms = open_text(sample);

	(void)state;
	check_at(syms, 0xffffffff81000100, "__x64_sys_getpid", "", 0x40);
	check_at(syms, 0xffffffff81000144, "memcpy", "", 0xc0);
	symbols_close(syms);
}

static void find_section_end_is_hole(void **state)
{
	struct symbols *syms = open_text(sample);

	(void)state;
	check_at(syms, 0xffffffff8100022f, "last_function", "", 0x20);
	check_hole(syms, 0xffffffff81000230);
	check_hole(syms, 0xffffffff81000fff);
	check_hole(syms, 0xffffffff81200010);
	check_at(syms, 0xffffffff820000ff, "init_function", "", 0x100);
	check_hole(syms, 0xffffffff82000100);
	check_hole(syms, 0xffffffffb0000000);
	symbols_close(syms);
}

static void find_outside_all_is_hole(void **state)
{
	struct symbols *syms = open_text(sample);

	(void)state;
	check_hole(syms, 0);
	check_hole(syms, 0x401000);
	check_hole(syms, 0xffffffff80ffffff);
	check_hole(syms, UINT64_MAX);
	symbols_close(syms);
}

static void find_module_symbol_stays_in_module(void **state)
{
	struct symbols *syms = open_text(sample);

	(void)state;
	check_at(syms, 0xffffffffc0a011ff, "ext4_bread", "ext4", 0x200);
	check_at(syms, 0xffffffffc0a01210, "ext4_exported", "ext4", 0x30);
	/* up to the page of the module's first data symbol */
	check_at(syms, 0xffffffffc0a02fff, "ext4_init_once", "ext4", 0x1dd0);
	check_hole(syms, 0xffffffffc0a03000);
	check_hole(syms, 0xffffffffc0a03020);
	/* the last one of a module: up to the end of its page */
	check_at(syms, 0xffffffffc0b00fff, "loop_tail", "loop", 0x80);
	check_hole(syms, 0xffffffffc0b01000);
	symbols_close(syms);
}

static void find_bpf_is_bounded(void **state)
{
	struct symbols *syms = open_text(sample);

	(void)state;
	check_at(syms, 0xffffffffc0c000bf, "bpf_prog_6deef7357e7b4530_one", "bpf", 0xc0);
	check_at(syms, 0xffffffffc0c01000, "bpf_prog_6deef7357e7b4530_two", "bpf", 0x10000);
	check_hole(syms, 0xffffffffc0c20000);
	check_at(syms, 0xffffffffc0d00fff, "bpf_trampoline_6442536467", "bpf", 0x1000);
	check_hole(syms, 0xffffffffc0d01000);
	check_at(syms, 0xffffffffc0e00010, "ftrace_trampoline", "__builtin__ftrace", 0x1000);
	symbols_close(syms);
}

static void by_name_finds_every_alias(void **state)
{
	static const char *const names[] = {"_stext",	"startup_64",  "__do_sys_getpid",
					    "__memcpy", "__pi_memcpy", "_etext"};
	struct symbols *syms = open_text(sample);
	struct symbol sym;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(symbols_by_name(syms, "", names[i], 0, &sym), 0);
		assert_string_equal(sym.name, names[i]);
		assert_int_equal(symbols_by_name(syms, "", names[i], 1, &sym), -ENOENT);
	}
	assert_int_equal(symbols_by_name(syms, NULL, "__start_rodata", 0, &sym), -ENOENT);
	symbols_close(syms);
}

static void by_name_same_name_counts_up(void **state)
{
	struct symbols *syms = open_text("ffffffffc0001000 t show\t[two]\n"
					 "ffffffff81000000 t show\n"
					 "ffffffffc0000000 t show\t[one]\n"
					 "ffffffff81000100 t show\n"
					 "ffffffff81000200 t other\n");
	struct symbol sym;

	(void)state;
	assert_int_equal(symbols_by_name(syms, NULL, "show", 1, &sym), 0);
	assert_int_equal(sym.addr, 0xffffffff81000100);
	assert_int_equal(symbols_by_name(syms, NULL, "show", 3, &sym), 0);
	assert_string_equal(sym.module, "two");
	assert_int_equal(symbols_by_name(syms, NULL, "show", 4, &sym), -ENOENT);
	assert_int_equal(symbols_by_name(syms, "one", "show", 0, &sym), 0);
	assert_int_equal(sym.addr, 0xffffffffc0000000);
	assert_int_equal(symbols_by_name(syms, "one", "show", 1, &sym), -ENOENT);
	symbols_close(syms);
}

struct walk {
	uint64_t last;
	size_t count;
	size_t stop_after;
};

static int walk_visit(const struct symbol *sym, void *ctx)
{
	struct walk *walk = ctx;

	assert_true(sym->addr >= walk->last);
	walk->last = sym->addr;
	return ++walk->count == walk->stop_after ? 7 : 0;
}

static void for_each_visits_in_address_order(void **state)
{
	struct symbols *syms = open_text(sample);
	struct walk walk = {0}, stopped = {.stop_after = 3};

	(void)state;
	assert_int_equal(symbols_for_each(syms, walk_visit, &walk), 0);
	assert_int_equal(walk.count, 24);
	assert_int_equal(symbols_for_each(syms, walk_visit, &stopped), 7);
	assert_int_equal(stopped.count, 3);
	symbols_close(syms);
}

static void set_kaslr_offset_moves_kernel_only(void **state)
{
	struct symbols *syms = open_text(sample);
	struct symbol sym;

	(void)state;
	assert_int_equal(symbols_by_name(syms, NULL, "vfs_fsopen", 0, &sym), 0);
	symbols_set_kaslr_offset(syms, 0x1a000000);
	check_at(syms, 0xffffffff9b000050, "vfs_fsopen", "", 0xb0);
	check_at(syms, 0xffffffffc0a011ff, "ext4_bread", "ext4", 0x200);
	assert_int_equal(symbols_by_name(syms, NULL, "vfs_fsopen", 0, &sym), 0);
	assert_int_equal(sym.addr, 0xffffffff9b000050);
	symbols_set_kaslr_offset(syms, 0);
	check_at(syms, 0xffffffff81000050, "vfs_fsopen", "", 0xb0);
	symbols_close(syms);
}

static void open_hidden_addresses_is_eperm(void **state)
{
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 t foo\n";

	(void)state;
	assert_int_equal(open_bytes(hidden, strlen(hidden)), -EPERM);
}

static void open_missing_file_is_enoent(void **state)
{
	struct symbols *syms = NULL;

	(void)state;
	assert_int_equal(symbols_open("/nonexistent/kallsyms", &syms), -ENOENT);
	assert_int_equal(symbols_open("/tmp", &syms), -EINVAL);
	assert_null(syms);
}

static void open_no_table_is_einval(void **state)
{
	static const char dbg[] = "ffffffffffffffff B The real System.map is in the "
				  "linux-image-<version>-dbg package\n";
	char junk[70000];

	(void)state;
	assert_int_equal(open_bytes("", 0), -EINVAL);
	assert_int_equal(open_bytes("hello\nworld\n", 12), -EINVAL);
	srand(seed_take(stdout, 1));
	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = (char)rand();
	assert_int_equal(open_bytes(junk, sizeof(junk)), -EINVAL);
	memset(junk, 'f', sizeof(junk));
	assert_int_equal(open_bytes(junk, sizeof(junk)), -EINVAL);
	memset(junk, 0, sizeof(junk));
	assert_int_equal(open_bytes(junk, sizeof(junk)), -EINVAL);
	/* What Debian installs as /boot/System.map */
	assert_int_equal(open_bytes(dbg, strlen(dbg)), -EINVAL);
}

static void open_bad_lines_are_left_out(void **state)
{
	char *text = malloc(300000);
	struct symbols *syms;
	struct symbol sym;
	size_t len;

	(void)state;
	len = (size_t)sprintf(text, "ffffffff81000000 T good\r\n"
				    "\n \nffffffff8100001 \nzzzz T a\n"
				    "ffffffff810000001 T seventeen_digits\n"
				    "ffffffff81000004 T bad\x1bname\n"
				    "ffffffff81000005 T bad_module [\n"
				    "ffffffff81000006 T bad_module []\n"
				    "ffffffff81000007 T bad_module junk\n"
				    "ffffffff81000008 7 bad_type\n"
				    "ffffffff81000009 T ");
	memset(text + len, 'x', 290000 - len);
	strcpy(text + 290000, "\nffffffff81000010 T good_too\nffffffff81000020 T no_newline");
	syms = open_text(text);
	check_at(syms, 0xffffffff8100000f, "good", "", 0x10);
	check_at(syms, 0xffffffff81000010, "good_too", "", 0x10);
	check_at(syms, 0xffffffff81000020, "no_newline", "", 0xfe0);
	assert_int_equal(symbols_by_name(syms, NULL, "bad_module", 0, &sym), -ENOENT);
	symbols_close(syms);
	free(text);
}

static void follow_miss_refreshes_live_table(void **state)
{
	char *path = write_file(sample, strlen(sample));
	char *modules = write_file(modules_sample, strlen(modules_sample));
	struct symbols_source source = {.kallsyms = path, .modules = modules};
	struct symbols *syms = NULL;
	struct symbol old, sym;
	char *text = malloc(sizeof(sample) + 200);

	(void)state;
	assert_int_equal(symbols_open_live(&source, &syms), 0);
	/* in the kernel image, which does not change */
	symbols_follow_address(syms, 0xffffffff81000230);
	assert_int_equal(syms->read_ns, 0);
	assert_int_equal(symbols_find(syms, 0xffffffffc0d00010, &old), 0);
	sprintf(text, "%sffffffffc0f00000 t new_func\t[new]\n", sample);
	replace_file(path, text);
	symbols_follow_address(syms, 0xffffffffc0f00010);
	check_at(syms, 0xffffffffc0f00010, "new_func", "new", 0x1000);
	/* what was there before is the same, down to its pointers */
	assert_int_equal(symbols_find(syms, 0xffffffffc0d00010, &sym), 0);
	assert_ptr_equal(sym.name, old.name);
	assert_ptr_equal(sym.module, old.module);
	check_at(syms, 0xffffffff8100022f, "last_function", "", 0x20);
	check_hole(syms, 0xffffffff81000230);
	/* not again within the second */
	replace_file(path, "ffffffff81000000 T _stext\nffffffffc0f10000 t newer\t[new]\n");
	symbols_follow_address(syms, 0xffffffffc0f10010);
	check_hole(syms, 0xffffffffc0f10010);
	assert_int_equal(symbols_refresh(syms), 0);
	check_at(syms, 0xffffffffc0f10010, "newer", "new", 0x1000);
	check_hole(syms, 0xffffffffc0d00010);
	assert_string_equal(old.name, "bpf_trampoline_6442536467");
	symbols_close(syms);
	free(text);
	remove_file(modules);
	remove_file(path);
}

/* Who looks at a snapshot twice finds the same names: a look-up reads nothing, follow() alone does.
 */
static void find_changes_nothing(void **state)
{
	char *path = write_file(sample, strlen(sample));
	char *modules = write_file(modules_sample, strlen(modules_sample));
	struct symbols_source source = {.kallsyms = path, .modules = modules};
	struct snapshot snap = {.ip = 0xffffffff81000030, .count = 1};
	struct symbols *syms = NULL;
	uint64_t version;

	(void)state;
	assert_int_equal(symbols_open_live(&source, &syms), 0);
	version = symbols_version(syms);
	replace_file(path, "ffffffff81000000 T _stext\nffffffffc0f00000 t new_func\t[new]\n");
	replace_file(modules, "new 4096 0 - Live 0xffffffffc0f00000\n");
	check_hole(syms, 0xffffffffc0f00010);
	check_at(syms, 0xffffffffc0b00f80, "loop_tail", "loop", 0x80);
	assert_true(symbols_version(syms) == version);
	snap.branches[0] = (struct branch){.from = 0xffffffff81000030, .to = 0xffffffffc0f00010};
	symbols_follow(syms, &snap);
	check_at(syms, 0xffffffffc0f00010, "new_func", "new", 0x1000);
	assert_true(symbols_version(syms) != version);
	symbols_close(syms);
	remove_file(modules);
	remove_file(path);
}

/* Loaded right after the table was read: its first snapshot may be the only one. */
static void follow_miss_of_a_module_that_came_does_not_wait(void **state)
{
	char *path = write_file(sample, strlen(sample));
	char *modules = write_file(modules_sample, strlen(modules_sample));
	struct symbols_source source = {.kallsyms = path, .modules = modules};
	struct symbols *syms = NULL;
	uint64_t version;

	(void)state;
	assert_int_equal(symbols_open_live(&source, &syms), 0);
	assert_int_equal(symbols_refresh(syms), 0);
	syms->checked_ns -= 20000000;
	version = symbols_version(syms);
	symbols_follow_address(syms, 0xffffffffc0f00010);
	assert_true(symbols_version(syms) == version);
	replace_file(modules, "new 4096 0 - Live 0xffffffffc0f00000\n");
	replace_file(path, "ffffffff81000000 T _stext\nffffffffc0f00000 t new_func\t[new]\n");
	syms->checked_ns -= 20000000;
	symbols_follow_address(syms, 0xffffffffc0f00010);
	check_at(syms, 0xffffffffc0f00010, "new_func", "new", 0x1000);
	symbols_close(syms);
	remove_file(modules);
	remove_file(path);
}

static void follow_other_module_at_address_is_noticed(void **state)
{
	char *path = write_file(sample, strlen(sample));
	char *modules = write_file(modules_sample, strlen(modules_sample));
	struct symbols_source source = {.kallsyms = path, .modules = modules};
	struct symbols *syms = NULL;

	(void)state;
	assert_int_equal(symbols_open_live(&source, &syms), 0);
	check_at(syms, 0xffffffffc0b00f80, "loop_tail", "loop", 0x80);
	replace_file(modules, "fuse 4096 0 - Live 0xffffffffc0b00000\n");
	replace_file(path, "ffffffff81000000 T _stext\nffffffffc0b00f00 t fuse_tail\t[fuse]\n");
	syms->checked_ns = 1;
	symbols_follow_address(syms, 0xffffffffc0b00f80);
	check_at(syms, 0xffffffffc0b00f80, "fuse_tail", "fuse", 0x100);
	symbols_close(syms);
	remove_file(modules);
	remove_file(path);
}

static void refresh_unreadable_keeps_table(void **state)
{
	char *path = write_file(sample, strlen(sample));
	struct symbols_source source = {.kallsyms = path, .modules = "/nonexistent"};
	struct symbols *syms = NULL;

	(void)state;
	assert_int_equal(symbols_open_live(&source, &syms), 0);
	replace_file(path, "");
	assert_int_equal(symbols_refresh(syms), -EINVAL);
	check_at(syms, 0xffffffffc0b00f80, "loop_tail", "loop", 0x80);
	symbols_close(syms);
	remove_file(path);
}

static void open_module_range_bounds_last_symbol(void **state)
{
	char *path = write_file(sample, strlen(sample));
	char *modules = write_file("loop 3984 0 - Live 0xffffffffc0b00000\n", 38);
	struct symbols_source source = {.kallsyms = path, .modules = modules};
	struct symbols *syms = NULL;

	(void)state;
	assert_int_equal(symbols_open_live(&source, &syms), 0);
	check_at(syms, 0xffffffffc0b00f80, "loop_tail", "loop", 0x10);
	symbols_close(syms);
	remove_file(modules);
	remove_file(path);
}

static void same_function_parts_count(void **state)
{
	static const struct {
		const char *name;
		const char *func;
		bool same;
	} cases[] = {
		{"do_mount", "do_mount", true},
		{"do_mount.cold", "do_mount", true},
		{"do_mount.part.0", "do_mount", true},
		{"do_mount.isra.0.cold", "do_mount", true},
		{"do_mount.part.12.constprop.3", "do_mount", true},
		{"do_mount.isra.0.cold", "do_mount.isra.0", true},
		{"do_mount.llvm.1234567890", "do_mount", true},
		{"do_mount_root", "do_mount", false},
		{"do_mount", "do_mount.isra.0", false},
		{"do_mount.coldish", "do_mount", false},
		{"do_mount.part.x", "do_mount", false},
		{"do_mount.", "do_mount", false},
		{"__pfx_do_mount", "do_mount", false},
		{"anything", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct symbol sym = {.name = cases[i].name, .module = ""};

		assert_int_equal(symbols_same_function(&sym, cases[i].func, ""), cases[i].same);
		assert_int_equal(symbols_same_function(&sym, cases[i].func, NULL), cases[i].same);
		assert_false(symbols_same_function(&sym, cases[i].func, "ext4"));
	}
}

static void open_elf_no_elf_is_einval(void **state)
{
	char *path = write_file("\177ELF\2\1\1 and no more", 20);
	struct symbols *syms = NULL;

	(void)state;
	assert_int_equal(symbols_open_elf(path, 0, &syms), -EINVAL);
	assert_int_equal(symbols_open_elf("/nonexistent", 0, &syms), -ENOENT);
	assert_null(syms);
	remove_file(path);
}

static void open_elf_finds_own_function(void **state)
{
	struct symbols *syms = NULL;
	struct symbol sym;

	(void)state;
	assert_int_equal(symbols_open_elf("/proc/self/exe", 0x1000000000, &syms), 0);
	assert_int_equal(symbols_by_name(syms, "", "open_elf_finds_own_function", 0, &sym), 0);
	assert_true(sym.addr > 0x1000000000 && sym.size > 16);
	symbols_close(syms);
}

/* U+009B, which begins a command of a terminal; U+00E9, a letter of a name. */
static void hostile_name(void) __asm__("hostile\xc2\x9b"
				       "2J");
static void accented_name(void) __asm__("caf\xc3\xa9");

static __attribute__((used, noinline)) void hostile_name(void)
{
	__asm__ volatile("nop");
}

static __attribute__((used, noinline)) void accented_name(void)
{
	__asm__ volatile("nop; nop");
}

static void open_elf_name_with_a_control_character_is_none(void **state)
{
	struct symbols *syms = NULL;
	struct symbol sym;

	(void)state;
	assert_int_equal(symbols_open_elf("/proc/self/exe", 0, &syms), 0);
	assert_int_equal(symbols_by_name(syms, "", "caf\xc3\xa9", 0, &sym), 0);
	assert_int_equal(symbols_by_name(syms, "",
					 "hostile\xc2\x9b"
					 "2J",
					 0, &sym),
			 -ENOENT);
	symbols_close(syms);
}

/* As a forged crash dump tells names of programs. */
static void add_name_with_a_control_character_is_einval(void **state)
{
	static const char *const bad[] = {"a\x1b[2J", "a\x7f", "\xc2\x80", "a\xc2\x9f"};
	static const char *const good[] = {"caf\xc3\xa9", "f(int, char)", "\xc2\xb5s", "a\xc2"};
	struct symbols *syms = NULL;

	(void)state;
	assert_int_equal(symbols_open_empty(&syms), 0);
	for (size_t i = 0; i < 4; i++) {
		struct symbol sym = {.name = bad[i], .module = "", .addr = 0x1000, .size = 16};

		assert_int_equal(symbols_add(syms, &sym), -EINVAL);
		sym.name = good[i];
		assert_int_equal(symbols_add(syms, &sym), 0);
	}
	symbols_close(syms);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Takes about 40 ms; the bound holds in an emulated guest, and is there for what is quadratic. */
static void open_200000_symbols_is_fast(void **state)
{
	char *text = malloc(200000 * 48), *p = text;
	struct symbols *syms;
	double start, took;

	(void)state;
	for (int i = 0; i < 200000; i++)
		p += sprintf(p, "%016llx t some_function_%d%s\n",
			     0xffffffff81000000ull + (unsigned int)i * 80, i,
			     i > 150000 ? "\t[mod]" : "");
	start = seconds();
	syms = open_text(text);
	took = seconds() - start;
	print_message("200,000 symbols read in %.0f ms\n", took * 1000);
	assert_true(took < 20);
	symbols_close(syms);
	free(text);
}

static void open_running_kernel_resolves(void **state)
{
	struct symbols *syms = NULL;
	struct symbol sym;
	double start = seconds();
	int err = symbols_open(NULL, &syms);

	(void)state;
	if (err) {
		print_message("skipped: /proc/kallsyms: %s\n", strerror(-err));
		skip();
	}
	print_message("/proc/kallsyms: %zu functions in %.0f ms\n", syms->tab.count,
		      (seconds() - start) * 1000);
	assert_int_equal(symbols_by_name(syms, "", "_stext", 0, &sym), 0);
	assert_int_equal(symbols_by_name(syms, "", "vfs_read", 0, &sym), 0);
	check_at(syms, sym.addr + 1, "vfs_read", "", sym.size);
	assert_int_equal(symbols_refresh(syms), 0);
	check_at(syms, sym.addr + 1, "vfs_read", "", sym.size);
	symbols_close(syms);
}

/* Before the whole table is read, and the same as in it. */
static void open_peek_ends_of_text_are_those_of_the_table(void **state)
{
	struct symbols *syms;
	uint64_t text, stext;
	struct symbol sym;

	(void)state;
	assert_int_equal(symbols_open_begin(false, &syms), 0);
	if (!symbols_open_peek(syms)) {
		symbols_close(syms);
		print_message("skipped: /proc/kallsyms has no addresses for us\n");
		skip();
	}
	text = symbols_single(syms, SYMBOLS_TEXT);
	stext = symbols_single(syms, SYMBOLS_STEXT);
	assert_int_equal(symbols_single(syms, SYMBOLS_PER_CPU_OFFSET), 0);
	assert_int_equal(symbols_open_end(syms, NULL), 0);
	assert_int_equal(symbols_by_name(syms, "", "_text", 0, &sym), 0);
	assert_int_equal(sym.addr, text);
	assert_int_equal(symbols_by_name(syms, "", "_stext", 0, &sym), 0);
	assert_int_equal(sym.addr, stext);
	symbols_close(syms);
}

/* A per-CPU variable is an offset, and the kernel's own; a module's namesake is another one. */
static void data_of_the_kernel_is_kept(void **state)
{
	struct symbols *syms = open_text(sample);

	assert_int_equal(symbols_single(syms, SYMBOLS_CPU_HW_EVENTS), 0x1a380);
	assert_int_equal(symbols_single(syms, SYMBOLS_PER_CPU_OFFSET), 0xffffffff81300000);
	assert_int_equal(symbols_single(syms, SYMBOLS_KFENCE_POOL), 0xffffffff81300100);
	symbols_close(syms);
	syms = open_text("ffffffff81000000 T _text\nffffffff81000040 T _stext\n"
			 "ffffffff81000080 T _stext_of_others\n");
	assert_int_equal(symbols_single(syms, SYMBOLS_CPU_HW_EVENTS), 0);
	assert_int_equal(symbols_single(syms, SYMBOLS_TEXT), 0xffffffff81000000);
	assert_int_equal(symbols_single(syms, SYMBOLS_STEXT), 0xffffffff81000040);
	symbols_close(syms);
}

/* As recorder and reader do with each process of a program: 100 MB of names, were they not the
 * same. */
static void add_same_names_elsewhere_take_no_room(void **state)
{
	struct symbols *syms;
	struct symbol sym;
	char name[500];

	(void)state;
	assert_int_equal(symbols_open_empty(&syms), 0);
	for (uint64_t i = 0; i < 200000; i++) {
		uint64_t addr = 0x555500000000 + i * 4096;
		const struct symbol told = {name, "program", addr, 16};

		snprintf(name, sizeof(name), "%0490u", (unsigned int)(i % 100));
		assert_int_equal(symbols_add(syms, &told), 0);
		assert_int_equal(symbols_find(syms, addr + 8, &sym), 0);
		assert_string_equal(sym.name, name);
		symbols_remove(syms, addr, 16);
	}
	symbols_close(syms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_of_the_kernel_is_kept),
		cmocka_unit_test(add_same_names_elsewhere_take_no_room),
		cmocka_unit_test(open_peek_ends_of_text_are_those_of_the_table),
		cmocka_unit_test(find_kernel_address_is_bounded_by_next),
		cmocka_unit_test(same_function_cold_part_is),
		cmocka_unit_test(find_aliases_prefers_plain_name),
		cmocka_unit_test(find_section_end_is_hole),
		cmocka_unit_test(find_outside_all_is_hole),
		cmocka_unit_test(find_module_symbol_stays_in_module),
		cmocka_unit_test(find_bpf_is_bounded),
		cmocka_unit_test(by_name_finds_every_alias),
		cmocka_unit_test(by_name_same_name_counts_up),
		cmocka_unit_test(for_each_visits_in_address_order),
		cmocka_unit_test(set_kaslr_offset_moves_kernel_only),
		cmocka_unit_test(open_hidden_addresses_is_eperm),
		cmocka_unit_test(open_missing_file_is_enoent),
		cmocka_unit_test(open_no_table_is_einval),
		cmocka_unit_test(open_bad_lines_are_left_out),
		cmocka_unit_test(follow_miss_refreshes_live_table),
		cmocka_unit_test(find_changes_nothing),
		cmocka_unit_test(follow_miss_of_a_module_that_came_does_not_wait),
		cmocka_unit_test(follow_other_module_at_address_is_noticed),
		cmocka_unit_test(refresh_unreadable_keeps_table),
		cmocka_unit_test(open_module_range_bounds_last_symbol),
		cmocka_unit_test(same_function_parts_count),
		cmocka_unit_test(open_elf_no_elf_is_einval),
		cmocka_unit_test(open_elf_finds_own_function),
		cmocka_unit_test(open_elf_name_with_a_control_character_is_none),
		cmocka_unit_test(add_name_with_a_control_character_is_einval),
		cmocka_unit_test(open_200000_symbols_is_fast),
		cmocka_unit_test(open_running_kernel_resolves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
