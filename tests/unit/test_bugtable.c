// SPDX-License-Identifier: GPL-2.0
/* The table is made by the assembler, as arch/x86/include/asm/bug.h makes the kernel's. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbolize/text/bugtable.h"

asm("	.pushsection .rodata.bugs, \"a\"\n"
    "file_a:	.asciz \"fs/namei.c\"\n"
    "file_bad:	.asciz \"fs/na\\nmei.c\"\n"
    "file_none:	.asciz \"\"\n"
    "	.globl bugs_begin, bugs_cut, bugs_end, ud2_warn, ud2_bug, ud2_bad, ud2_none, ud2_last\n"
    "ud2_warn:	ud2\n"
    "ud2_bug:	ud2\n"
    "ud2_bad:	ud2\n"
    "ud2_none:	ud2\n"
    "ud2_last:	ud2\n"
    "	.balign 4\n"
    "bugs_begin:\n"
    "	.long ud2_warn - ., file_a - .\n	.word 3650, 0x0909\n"
    "	.long ud2_bad - ., file_bad - .\n	.word 1, 1\n"
    "	.long ud2_none - ., file_none - .\n	.word 1, 1\n"
    "	.long ud2_bug - ., file_a - .\n	.word 65535, 0\n"
    "bugs_cut:\n"
    "	.long ud2_last - ., file_a - .\n	.word 7, 3\n"
    "bugs_end:\n"
    "	.popsection");

extern const char bugs_begin[], bugs_cut[], bugs_end[];
extern const char ud2_warn[], ud2_bug[], ud2_bad[], ud2_none[], ud2_last[];

static uint64_t readable_end = UINT64_MAX;

static int read_own(void *ctx, uint64_t addr, void *buf, size_t len)
{
	(void)ctx;
	if (addr + len > readable_end)
		return -EFAULT;
	memcpy(buf, (const void *)(uintptr_t)addr, len);
	return 0;
}

static const struct text_source memory = {.read = read_own};

static uint64_t at(const char *label)
{
	return (uint64_t)(uintptr_t)label;
}

static int search(const char *ud2, struct bug_place *place)
{
	memset(place, 0x5a, sizeof(*place));
	return bugtable_search(&memory, at(bugs_begin), at(bugs_end), at(ud2), place);
}

static void bugtable_search_entry_gives_file_line_and_kind(void **state)
{
	struct bug_place place;

	(void)state;
	assert_int_equal(search(ud2_warn, &place), 0);
	assert_string_equal(place.file, "fs/namei.c");
	assert_int_equal(place.line, 3650);
	assert_true(place.warning);
	assert_int_equal(search(ud2_bug, &place), 0);
	assert_int_equal(place.line, 65535);
	assert_false(place.warning);
	assert_int_equal(search(ud2_last, &place), 0);
	assert_int_equal(place.line, 7);
}

static void bugtable_search_no_entry_is_enoent(void **state)
{
	struct bug_place place;

	(void)state;
	assert_int_equal(search(ud2_warn + 1, &place), -ENOENT);
	assert_int_equal(
		bugtable_search(&memory, at(bugs_begin), at(bugs_cut), at(ud2_last), &place),
		-ENOENT);
	/* Half an entry is none. */
	assert_int_equal(
		bugtable_search(&memory, at(bugs_begin), at(bugs_end) - 1, at(ud2_last), &place),
		-ENOENT);
}

/* Another layout (a kernel to come) may have an entry's address by chance: no name, no place. */
static void bugtable_search_name_that_is_none_is_enoent(void **state)
{
	struct bug_place place;

	(void)state;
	assert_int_equal(search(ud2_bad, &place), -ENOENT);
	assert_int_equal(search(ud2_none, &place), -ENOENT);
}

static void bugtable_search_unreadable_ends(void **state)
{
	struct bug_place place;

	(void)state;
	readable_end = at(bugs_cut);
	assert_int_equal(search(ud2_bug, &place), 0);
	assert_int_equal(search(ud2_last, &place), -ENOENT);
	readable_end = UINT64_MAX;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bugtable_search_entry_gives_file_line_and_kind),
		cmocka_unit_test(bugtable_search_no_entry_is_enoent),
		cmocka_unit_test(bugtable_search_name_that_is_none_is_enoent),
		cmocka_unit_test(bugtable_search_unreadable_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
