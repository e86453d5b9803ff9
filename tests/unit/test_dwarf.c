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
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolize/debug/cuindex.h"
#include "symbolize/debug/debugfile.h"
#include "symbolize/debug/debugimage.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"

#define SELF "/proc/self/exe"

/* Lines of these functions, which the test looks up in its own DWARF. */
static volatile int sink;
static int inner_line, outer_line, call_line;

static inline __attribute__((always_inline)) void inlined_inner(int x)
{
	inner_line = __LINE__ + 1;
	sink += x * 7;
}

static inline __attribute__((always_inline)) void inlined_middle(int x)
{
	outer_line = __LINE__ + 1;
	inlined_inner(x + sink);
}

static __attribute__((noinline)) void not_inlined(int x)
{
	call_line = __LINE__ + 1;
	inlined_middle(x);
}

/* The test's own symbols and lines, or NULL if it was built without -g. */
static struct lines *open_self(struct symbols **ret_syms)
{
	struct lines_options opts = {.vmlinux = SELF, .release = "no-kernel"};
	struct lines *lines = NULL;
	int err = lines_open(&opts, &lines);

	if (err == -ENOENT) {
		print_message("skipped: the test was built without -g\n");
		return NULL;
	}
	assert_int_equal(err, 0);
	assert_int_equal(symbols_open_elf(SELF, 0, ret_syms), 0);
	return lines;
}

static bool ends_with(const char *str, const char *end)
{
	size_t len = strlen(str), end_len = strlen(end);

	return len >= end_len && strcmp(str + len - end_len, end) == 0;
}

static void find_inlined_gives_chain(void **state)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	struct symbols *syms = NULL;
	struct lines *lines = open_self(&syms);
	struct symbol sym;
	bool seen = false;

	(void)state;
	if (!lines)
		skip();
	not_inlined(sink);
	assert_int_equal(symbols_by_name(syms, "", "not_inlined", 0, &sym), 0);
	for (uint64_t addr = sym.addr; addr < sym.addr + sym.size; addr++) {
		int count = lines_find(lines, "", addr, false, chain, INLINE_DEPTH_MAX);

		if (count <= 0)
			continue;
		assert_string_equal(chain[count - 1].function, "not_inlined");
		assert_int_equal(chain[count - 1].decl_line, call_line - 3);
		assert_true(ends_with(chain[0].file, "tests/unit/test_dwarf.c"));
		if (count != 3 || chain[0].line != inner_line)
			continue;
		seen = true;
		assert_string_equal(chain[0].function, "inlined_inner");
		assert_string_equal(chain[1].function, "inlined_middle");
		assert_int_equal(chain[1].line, outer_line);
		assert_int_equal(chain[2].line, call_line);
		assert_true(ends_with(chain[2].file, "tests/unit/test_dwarf.c"));
		/* again, from the cache, and with less room */
		assert_int_equal(lines_find(lines, "", addr, false, chain, 1), 1);
		assert_string_equal(chain[0].function, "inlined_inner");
		/* the address behind the instruction, as a return address */
		assert_int_equal(lines_find(lines, "", addr + 1, true, chain, 16), 3);
	}
	assert_true(seen);
	lines_close(lines);
	symbols_close(syms);
}

static void find_unknown_is_enoent(void **state)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	struct symbols *syms = NULL;
	struct lines *lines = open_self(&syms);

	(void)state;
	if (!lines)
		skip();
	assert_int_equal(lines_find(lines, "", 0, false, chain, 16), -ENOENT);
	assert_int_equal(lines_find(lines, "", UINT64_MAX, false, chain, 16), -ENOENT);
	assert_int_equal(lines_find(lines, "bpf", 1, false, chain, 16), -ENOENT);
	assert_int_equal(lines_find(lines, "__builtin__ftrace", 1, false, chain, 16), -ENOENT);
	assert_int_equal(lines_find(lines, "no_such_module", 1, false, chain, 16), -ENOENT);
	assert_int_equal(lines_find(lines, "../../etc", 1, false, chain, 16), -ENOENT);
	lines_close(lines);
	symbols_close(syms);
}

static void open_other_build_id_is_estale(void **state)
{
	static const uint8_t other[20] = {1, 2, 3};
	struct lines_options opts = {.vmlinux = SELF, .build_id = other, .build_id_len = 20};
	struct lines *lines = NULL;
	struct symbols *syms = NULL;

	(void)state;
	lines = open_self(&syms);
	if (!lines)
		skip();
	lines_close(lines);
	symbols_close(syms);
	lines = NULL;
	assert_int_equal(lines_open(&opts, &lines), -ESTALE);
	opts.vmlinux = "/etc/passwd";
	assert_int_equal(lines_open(&opts, &lines), -ENOENT);
	opts.vmlinux = "/nonexistent";
	assert_int_equal(lines_open(&opts, &lines), -ENOENT);
	opts.vmlinux = NULL;
	opts.release = "0.0-no-such-kernel";
	opts.debug_dir = "/nonexistent";
	assert_int_equal(lines_open(&opts, &lines), -ENOENT);
	assert_null(lines);
}

static void open_debug_dir_is_searched_first(void **state)
{
	char dir[] = "/tmp/lbrsnoop-test-XXXXXX", path[64];
	struct lines_options opts = {.debug_dir = dir, .release = "0.0-test"};
	struct symbols *syms = NULL;
	struct lines *lines = open_self(&syms);

	(void)state;
	if (!lines)
		skip();
	lines_close(lines);
	symbols_close(syms);
	lines = NULL;
	assert_non_null(mkdtemp(dir));
	sprintf(path, "%s/vmlinux", dir);
	assert_int_equal(symlink(SELF, path), 0);
	assert_int_equal(lines_open(&opts, &lines), 0);
	lines_close(lines);
	unlink(path);
	rmdir(dir);
}

/* Trees are not followed into what is linked from within; but they may be a link themselves. */
static void find_module_below_debug_dir_that_is_a_link(void **state)
{
	char dir[] = "/tmp/lbrsnoop-test-XXXXXX", tree[64], file[80], link[64];
	struct lines_options opts = {.vmlinux = SELF, .debug_dir = link, .release = "0.0-test"};
	struct srcline chain[INLINE_DEPTH_MAX];
	struct symbols *syms = NULL;
	struct lines *lines = open_self(&syms);
	int found;

	(void)state;
	if (!lines)
		skip();
	lines_close(lines);
	symbols_close(syms);
	lines = NULL;
	assert_non_null(mkdtemp(dir));
	snprintf(tree, sizeof(tree), "%s/tree", dir);
	snprintf(file, sizeof(file), "%s/one.ko", tree);
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(mkdir(tree, 0700), 0);
	assert_int_equal(symlink(SELF, file), 0);
	assert_int_equal(symlink(tree, link), 0);
	assert_int_equal(lines_open(&opts, &lines), 0);
	assert_int_equal(lines_set_module(lines, "one", NULL, 0), 0);
	assert_int_equal(lines_place_section(lines, "one", ".text", 0xffffffffc0000000), 0);
	found = 0;
	for (uint64_t at = 0; at < 0x4000; at += 64)
		found += lines_find(lines, "one", 0xffffffffc0000000 + at, false, chain, 16) > 0;
	assert_true(found > 10);
	lines_close(lines);
	unlink(link);
	unlink(file);
	rmdir(tree);
	rmdir(dir);
}

static void find_kaslr_is_undone(void **state)
{
	struct lines_options opts = {.vmlinux = SELF, .release = "no-kernel"};
	struct srcline chain[INLINE_DEPTH_MAX];
	struct symbols *syms = NULL;
	struct lines *lines = open_self(&syms);
	struct symbol init, sym;

	(void)state;
	if (!lines)
		skip();
	lines_close(lines);
	lines = NULL;
	/* It has no _stext: its first code section stands for that, which is .init. */
	assert_int_equal(symbols_by_name(syms, "", "_init", 0, &init), 0);
	assert_int_equal(symbols_by_name(syms, "", "not_inlined", 0, &sym), 0);
	opts.stext = 0xffffffff9a000000 + init.addr;
	assert_int_equal(lines_open(&opts, &lines), 0);
	assert_true(lines_find(lines, "", 0xffffffff9a000000 + sym.addr, false, chain, 16) > 0);
	assert_string_equal(chain[0].function, "not_inlined");
	assert_int_equal(lines_find(lines, "", sym.addr, false, chain, 16), -ENOENT);
	lines_close(lines);
	symbols_close(syms);
}

/* A kernel that started twice is at two addresses, and its file is read once. */
static void find_two_share_a_file_at_places_of_their_own(void **state)
{
	struct lines_options opts = {.vmlinux = SELF, .release = "no-kernel"};
	static const uint64_t bases[] = {0xffffffff9a000000, 0xffffffff8b000000};
	struct srcline chains[2][INLINE_DEPTH_MAX];
	struct symbols *syms = NULL;
	struct lines *lines[2] = {NULL, NULL}, *other = open_self(&syms);
	struct symbol init, sym;
	Dwarf *dwarf;

	(void)state;
	if (!other)
		skip();
	assert_int_equal(symbols_by_name(syms, "", "_init", 0, &init), 0);
	assert_int_equal(symbols_by_name(syms, "", "not_inlined", 0, &sym), 0);
	opts.pool = lines_pool_create();
	assert_non_null(opts.pool);
	for (int i = 0; i < 2; i++) {
		opts.stext = bases[i] + init.addr;
		assert_int_equal(lines_open(&opts, &lines[i]), 0);
		assert_true(lines_find(lines[i], "", bases[i] + sym.addr, false, chains[i], 16) >
			    0);
		assert_int_equal(
			lines_find(lines[i], "", bases[!i] + sym.addr, false, chains[i], 16),
			-ENOENT);
	}
	assert_true(lines_find(lines[0], "", bases[0] + sym.addr, false, chains[0], 16) > 0);
	assert_true(lines_find(lines[1], "", bases[1] + sym.addr, false, chains[1], 16) > 0);
	assert_string_equal(chains[0][0].function, "not_inlined");
	assert_int_equal(chains[0][0].line, chains[1][0].line);
	dwarf = debugimage_dwarf(lines_image(lines[0], ""));
	assert_ptr_equal(debugimage_dwarf(lines_image(lines[1], "")), dwarf);
	assert_ptr_not_equal(debugimage_dwarf(lines_image(other, "")), dwarf);
	/* What the first has read is the second's. */
	lines_close(lines[0]);
	assert_true(lines_find(lines[1], "", bases[1] + sym.addr, false, chains[1], 16) > 0);
	assert_true(ends_with(chains[1][0].file, "test_dwarf.c"));
	lines_close(lines[1]);
	lines_pool_destroy(opts.pool);
	lines_close(other);
	symbols_close(syms);
}

/* What is too much has no lines; it is no lack of memory, which would end a trace. */
static void lines_set_file_too_many_have_no_lines(void **state)
{
	struct symbols *syms;
	struct lines *lines = open_self(&syms);
	struct srcline chain[INLINE_DEPTH_MAX];
	char name[32];
	int err = 0, count = 0;

	(void)state;
	if (!lines)
		skip();
	for (; !err && count < 10000; count++) {
		snprintf(name, sizeof(name), "library-%d", count);
		err = lines_set_file(lines, name, "/nonexistent", 0);
	}
	assert_int_equal(err, -E2BIG);
	assert_true(count > 1000);
	assert_int_equal(lines_set_file(lines, "library-0", "/nonexistent", 0), 0);
	assert_int_equal(lines_set_module(lines, "one_more", NULL, 0), -E2BIG);
	assert_int_equal(lines_find(lines, "one_more", 0x1000, false, chain, INLINE_DEPTH_MAX),
			 -ENOENT);
	lines_close(lines);
	symbols_close(syms);
}

static void normalise_path_folds_dots(void **state)
{
	static const char *const cases[][2] = {
		{"fs/open.c", "fs/open.c"},
		{"./fs//./open.c", "fs/open.c"},
		{"/build/linux/./arch/x86/kernel/../../x86/xen/xen-head.S",
		 "/build/linux/arch/x86/xen/xen-head.S"},
		{"../../fs/open.c", "../../fs/open.c"},
		{"a/../../fs/open.c", "../fs/open.c"},
		{"../a/../b", "../b"},
		{"/..", "/.."},
		{"a/b/../../c", "c"},
		{"a/b/..", "a/"},
		{"..a/..b", "..a/..b"},
		{"", ""},
		{"/", "/"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char path[100];

		strcpy(path, cases[i][0]);
		path_normalise(path);
		assert_string_equal(path, cases[i][1]);
	}
}

static void hint_names_package_of_distribution(void **state)
{
	static const char *const cases[][3] = {
		{"ID=debian\nVERSION_ID=\"12\"\n", "Debian 6.1.90-1",
		 "linux-image-6.1.0-56-amd64-dbg"},
		{"NAME=x\nID=ubuntu\nID_LIKE=debian\n", "Ubuntu",
		 "linux-image-6.1.0-56-amd64-dbgsym"},
		{"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "Ubuntu", "dbgsym"},
		{"ID=fedora\n", "", "dnf debuginfo-install kernel-6.1.0-56-amd64"},
		{"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "", "dnf debuginfo-install"},
		{"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "", "zypper"},
		{"ID=arch\n", "", "debuginfod.archlinux.org"},
		{"ID=something", "", "--vmlinux"},
		{"", "", "--vmlinux"},
		/* built by somebody else: there is no such package */
		{"ID=debian\n", "#1 SMP PREEMPT_DYNAMIC @0", "kernel 6.1.0-56-amd64 as --vmlinux"},
		{"ID=ubuntu\nID_LIKE=debian\n", "#2 SMP @0", "--vmlinux"},
	};
	struct utsname kernel = {.release = "6.1.0-56-amd64"};
	char buf[300];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(kernel.version, sizeof(kernel.version), "%s", cases[i][1]);
		lines_hint_for(cases[i][0], &kernel, buf, sizeof(buf));
		assert_non_null(strstr(buf, cases[i][2]));
	}
	unsetenv("DEBUGINFOD_URLS");
	assert_non_null(strstr(lines_hint(buf, sizeof(buf)), "sudo -E"));
	/* Whether the library is here or not: that nobody had it, or why nobody was asked. */
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
	assert_non_null(strstr(lines_hint(buf, sizeof(buf)), "DEBUGINFOD_URLS"));
	assert_null(strstr(buf, "sudo -E"));
	unsetenv("DEBUGINFOD_URLS");
	assert_int_equal(strlen(lines_hint(buf, 10)), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(find_inlined_gives_chain),
		cmocka_unit_test(find_unknown_is_enoent),
		cmocka_unit_test(open_other_build_id_is_estale),
		cmocka_unit_test(open_debug_dir_is_searched_first),
		cmocka_unit_test(find_module_below_debug_dir_that_is_a_link),
		cmocka_unit_test(find_kaslr_is_undone),
		cmocka_unit_test(find_two_share_a_file_at_places_of_their_own),
		cmocka_unit_test(lines_set_file_too_many_have_no_lines),
		cmocka_unit_test(normalise_path_folds_dots),
		cmocka_unit_test(hint_names_package_of_distribution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
