// SPDX-License-Identifier: GPL-2.0
/* This program looks at itself: the compiler and dl_iterate_phdr() know where its code is. */
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolize/user/userfile.h"
#include "symbolize/user/userspace.h"
#include "target/target.h"
#include "target/kinds/user.h"

__attribute__((noinline)) int a_function_of_mine(int n)
{
	return n * 3 + 1;
}

static uint64_t own(void)
{
	return (uint64_t)(uintptr_t)&a_function_of_mine;
}

/* "größe" */
__attribute__((noinline)) int named_in_utf8(int n) __asm__("gr\xc3\xb6\xc3\x9f"
							   "e");
int named_in_utf8(int n)
{
	return n * 5 + 1;
}

static int note_bias(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	*(uint64_t *)ctx = info->dlpi_addr; /* the first is the program itself */
	return 1;
}

static uint64_t own_bias(void)
{
	uint64_t bias = 0;

	dl_iterate_phdr(note_bias, &bias);
	return bias;
}

static struct userspace *self(void)
{
	struct userspace *user;

	assert_int_equal(userspace_create("/proc", NULL, &user), 0);
	assert_true(userspace_select(user, (uint32_t)getpid()));
	return user;
}

static void userspace_find_own_function_name_and_place(void **state)
{
	struct userspace *user = self();
	struct symbol sym;

	(void)state;
	assert_int_equal(userspace_find(user, own() + 1, &sym), 0);
	assert_string_equal(sym.name, "a_function_of_mine");
	assert_string_equal(sym.module, "test_userspace");
	assert_int_equal(sym.addr, own());
	assert_true(userspace_is_mapped(user, own()));
	assert_false(userspace_is_mapped(user, 4096));
	assert_int_equal(userspace_find(user, 4096, &sym), -ENOENT);
	userspace_destroy(user);
}

static void userspace_find_name_beyond_ascii_is_itself(void **state)
{
	struct userspace *user = self();
	struct symbol sym;

	(void)state;
	assert_int_equal(userspace_find(user, (uint64_t)(uintptr_t)&named_in_utf8, &sym), 0);
	assert_string_equal(sym.name, "gr\xc3\xb6\xc3\x9f"
				      "e");
	assert_int_equal(sym.addr, (uint64_t)(uintptr_t)&named_in_utf8);
	userspace_destroy(user);
}

static void userspace_text_is_what_runs(void **state)
{
	struct userspace *user = self();
	struct text_source text = userspace_text(user);
	uint8_t bytes[8];

	(void)state;
	assert_int_equal(text.read(text.ctx, own(), bytes, sizeof(bytes)), 0);
	assert_memory_equal(bytes, (const void *)(uintptr_t)own(), sizeof(bytes));
	assert_int_equal(text.read(text.ctx, 4096, bytes, sizeof(bytes)), -EFAULT);
	userspace_destroy(user);
}

static void userspace_bias_of_program_as_the_loader_says(void **state)
{
	struct userspace *user = self();
	uint64_t bias;

	(void)state;
	assert_int_equal(userspace_bias(user, "/proc/self/exe", &bias), 0);
	assert_int_equal(bias, own_bias());
	assert_int_equal(userspace_bias(user, "/bin/true", &bias), -ENOENT);
	userspace_destroy(user);
}

static void userspace_vdso_has_names(void **state)
{
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct userspace *user = self();
	bool found = false;

	(void)state;
	for (uint64_t at = vdso; vdso && at < vdso + 8192 && !found; at += 16) {
		struct symbol sym;

		found = !userspace_find(user, at, &sym) && strstr(sym.name, "clock_gettime") &&
			!strcmp(sym.module, "[vdso]");
	}
	assert_true(!vdso || found);
	userspace_destroy(user);
}

/* Names of a process that has no file any more: told by the kernel's records alone. */
static void userspace_mapped_forked_executed_follow(void **state)
{
	const struct user_mapping anonymous = {.start = 0x1000, .end = 0x2000, .path = ""};
	const struct user_mapping uprobes = {.start = 0x2000, .end = 0x3000, .path = "[uprobes]"};
	struct userspace *user;
	struct symbol sym;
	uint64_t version;

	(void)state;
	assert_int_equal(userspace_create("/nowhere", NULL, &user), 0);
	assert_false(userspace_select(user, 77));
	userspace_executed(user, 77);
	version = userspace_version(user);
	assert_int_equal(userspace_mapped(user, 77, &anonymous), 0);
	assert_true(userspace_version(user) > version);
	version = userspace_version(user);
	assert_int_equal(userspace_mapped(user, 79, &anonymous), 0);
	assert_true(userspace_version(user) == version);
	assert_int_equal(userspace_mapped(user, 77, &uprobes), 0);
	assert_int_equal(userspace_forked(user, 78, 77), 0);
	userspace_executed(user, 77);
	assert_false(userspace_select(user, 77));
	assert_true(userspace_select(user, 78));
	assert_int_equal(userspace_find(user, 0x2800, &sym), 0);
	assert_string_equal(sym.name, USERSPACE_UPROBES);
	assert_int_equal(userspace_find(user, 0x1800, &sym), -ENOENT);
	userspace_exited(user, 78);
	assert_true(userspace_select(user, 78));
	assert_true(userspace_is_mapped(user, 0x1fff));
	userspace_forget(user);
	assert_false(userspace_select(user, 78));
	userspace_destroy(user);
}

static void userspace_mapped_anew_replaces_what_it_covers(void **state)
{
	const struct user_mapping old = {.start = 0x4000, .end = 0x5000, .path = "[uprobes]"};
	const struct user_mapping new = {.start = 0x3000, .end = 0x6000, .path = ""};
	struct userspace *user;
	struct symbol sym;

	(void)state;
	assert_int_equal(userspace_create("/nowhere", NULL, &user), 0);
	userspace_executed(user, 5);
	assert_int_equal(userspace_mapped(user, 5, &old), 0);
	assert_int_equal(userspace_mapped(user, 5, &new), 0);
	assert_true(userspace_select(user, 5));
	assert_int_equal(userspace_find(user, 0x4800, &sym), -ENOENT);
	assert_true(userspace_is_mapped(user, 0x4800));
	userspace_destroy(user);
}

/* Return: what user_parse() said. */
static int add(const char *rest, enum trigger_kind kind, struct probe_list *list,
	       struct errmsg *msg)
{
	struct target_spec spec = {.text = rest, .kind = kind};
	struct resolve_options opts = {0};
	int err = user_parse(rest, &spec, msg);

	err = err ?: user_add(&opts, &spec, list, msg);
	target_spec_deinit(&spec);
	return err;
}

/* Where the program is a process's that has ended, its path is gone. */
static void userspace_keep_file_of_an_ended_process(void **state)
{
	struct user_mapping map = {.path = "/gone/test_userspace"};
	struct userspace *user;
	struct symbol sym;
	uint64_t bias, offset;
	struct probe_list list = {0};
	struct errmsg msg;
	struct stat st;

	(void)state;
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(add("/proc/self/exe:a_function_of_mine", TRIGGER_UPROBE, &list, &msg), 0);
	offset = list.items[0].file_offset;
	map.inode = st.st_ino;
	map.start = 0x10000000 + (offset & ~4095ull);
	map.end = map.start + 8192;
	map.offset = offset & ~4095ull;
	assert_int_equal(userspace_create("/nowhere", NULL, &user), 0);
	assert_int_equal(userspace_keep(user, list.items[0].trigger.path), 0);
	userspace_executed(user, 9);
	assert_int_equal(userspace_mapped(user, 9, &map), 0);
	assert_true(userspace_select(user, 9));
	assert_int_equal(userspace_find(user, 0x10000000 + offset, &sym), 0);
	assert_string_equal(sym.name, "a_function_of_mine");
	assert_int_equal(userspace_bias(user, list.items[0].trigger.path, &bias), 0);
	assert_int_equal(bias + list.items[0].trigger.file_addr, 0x10000000 + offset);
	userspace_destroy(user);
	probe_list_deinit(&list);
}

static void userfile_is_function_names_of_cxx(void **state)
{
	(void)state;
	assert_true(userfile_is_function("main", "main"));
	assert_false(userfile_is_function("main2", "main"));
	assert_true(userfile_is_function("_ZN4shop4Till3addEi", "_ZN4shop4Till3addEi"));
	/* Source: the Itanium C++ ABI, "Mangling"; c++filt says the same. */
	assert_true(userfile_is_function("_ZN4shop4Till3addEi", "shop::Till::add"));
	assert_true(userfile_is_function("_ZN4shop4Till3addEi", "shop::Till::add(int)"));
	assert_false(userfile_is_function("_ZN4shop4Till3addEi", "shop::Till::add(double)"));
	assert_false(userfile_is_function("_ZN4shop4Till3addEi", "shop::Till::ad"));
}

static void user_add_own_function_its_offset_in_the_file(void **state)
{
	struct probe_list list = {0};
	struct errmsg msg = {0};
	uint8_t from_file[8];
	FILE *exe;

	(void)state;
	assert_int_equal(add("/proc/self/exe:a_function_of_mine", TRIGGER_UPROBE, &list, &msg), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].trigger.file_addr, own() - own_bias());
	exe = fopen("/proc/self/exe", "re");
	assert_non_null(exe);
	assert_int_equal(fseek(exe, (long)list.items[0].file_offset, SEEK_SET), 0);
	assert_int_equal(fread(from_file, 1, sizeof(from_file), exe), sizeof(from_file));
	fclose(exe);
	assert_memory_equal(from_file, (const void *)(uintptr_t)own(), sizeof(from_file));
	probe_list_deinit(&list);
}

static void user_add_what_is_not_there_is_named(void **state)
{
	struct probe_list list = {0};
	struct errmsg msg = {0};

	(void)state;
	assert_int_equal(add("/proc/self/exe:a_functoin_of_mine", TRIGGER_UPROBE, &list, &msg),
			 -ENOENT);
	assert_non_null(strstr(msg.text, "did you mean a_function_of_mine"));
	assert_int_equal(add("/no/such/file:main", TRIGGER_UPROBE, &list, &msg), -ENOENT);
	assert_non_null(strstr(msg.text, "/no/such/file"));
	assert_int_equal(add("/proc/self/status:main", TRIGGER_UPROBE, &list, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "no ELF file"));
	assert_int_equal(
		add("/proc/self/exe:a_function_of_mine+0x1000", TRIGGER_UPROBE, &list, &msg),
		-EINVAL);
	assert_int_equal(list.count, 0);
	probe_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(userspace_find_own_function_name_and_place),
		cmocka_unit_test(userspace_find_name_beyond_ascii_is_itself),
		cmocka_unit_test(userspace_text_is_what_runs),
		cmocka_unit_test(userspace_bias_of_program_as_the_loader_says),
		cmocka_unit_test(userspace_vdso_has_names),
		cmocka_unit_test(userspace_mapped_forked_executed_follow),
		cmocka_unit_test(userspace_mapped_anew_replaces_what_it_covers),
		cmocka_unit_test(userspace_keep_file_of_an_ended_process),
		cmocka_unit_test(userfile_is_function_names_of_cxx),
		cmocka_unit_test(user_add_own_function_its_offset_in_the_file),
		cmocka_unit_test(user_add_what_is_not_there_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
