// SPDX-License-Identifier: GPL-2.0
/* Which decision led to the error: the two orders in which compilers put test and constant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "path/story.h"
#include "util/cleanup.h"

#define BASE 0xffffffff81000000ULL

/*
 * late: constant on the error's own way       early: loaded before the test
 * 00 test %eax,%eax                           40 mov $-22,%ebx
 * 02 js 10                                    45 test %rdi,%rdi
 * 04 ret                                      48 je 50
 * 10 mov $-22,%ebx                            4a ret
 * 15 test %r12,%r12  (clean-up)               50 mov %ebx,%eax
 * 18 je 20                                    52 ret
 * 1a ret
 * 20 mov %ebx,%eax
 * 22 ret
 *
 * two tests, one constant:                    with clean-up on its way:
 * 80 mov $-22,%eax                            c0 mov $-22,%ebx
 * 85 test %edx,%edx                           c5 test %edi,%edi
 * 87 jne a0                                   c7 jne d0
 * 89 test %edi,%edi                           c9 mov $-12,%ebx
 * 8b jne a0                                   ce jmp d0
 * 8d mov $-12,%eax                            d0 test %rbp,%rbp
 * 92 ret                                      d3 je da
 * a0 ret                                      d5 call e8
 *                                             da mov %ebx,%eax
 * clean-up right behind the constant:         dc ret
 * 100 test %eax,%eax                          e8 ret
 * 102 js 110
 * 104 ret                                     one call after the other:
 * 110 mov %r12,%rdi                           140 call 160
 * 113 mov $-22,%ebx                           145 call 170
 * 118 test %rdi,%rdi                          14a ret
 * 11b je 122                                  160 test %eax,%eax
 * 11d call e8                                 162 je 165
 * 122 mov %ebx,%eax                           164 nop
 * 124 ret                                     165 ret
 *                                             170 mov $-22,%eax
 * a constant for nothing:                     175 ret
 * 180 mov $-22,%eax
 * 185 mov %edi,%eax
 * 187 ret
 *
 * "if (err) return err;" behind the test that decides:
 * 1a0 mov $-22,%ebx
 * 1a5 test %edi,%edi
 * 1a7 jne 1b0
 * 1a9 mov $-12,%ebx
 * 1ae jmp 1b0
 * 1b0 test %ebx,%ebx
 * 1b2 jne 1b9
 * 1b4 mov $-5,%ebx
 * 1b9 mov %ebx,%eax
 * 1bb ret
 *
 * one test, and another with another function behind it:
 * 1c0 mov $-22,%ebx                           1d4 jmp 1e0
 * 1c5 test %edi,%edi                          1d9 mov %ebx,%eax
 * 1c7 jne 1d0                                 1db ret
 * 1c9 mov $-12,%ebx
 * 1ce jmp 1d0                                 1e0 mov $-5,%ebx
 * 1d0 test %edx,%edx                          1e5 ret
 * 1d2 jne 1d9
 */
static const struct {
	uint32_t at;
	const char *bytes;
	uint32_t len;
} code[] = {
	{0x00, "\x85\xc0\x78\x0c\xc3", 5},
	{0x10, "\xbb\xea\xff\xff\xff\x4d\x85\xe4\x74\x06\xc3", 11},
	{0x20, "\x89\xd8\xc3", 3},
	{0x40, "\xbb\xea\xff\xff\xff\x48\x85\xff\x74\x06\xc3", 11},
	{0x50, "\x89\xd8\xc3", 3},
	{0x80, "\xb8\xea\xff\xff\xff\x85\xd2\x75\x17\x85\xff\x75\x13\xb8\xf4\xff\xff\xff\xc3", 19},
	{0xa0, "\xc3", 1},
	{0xc0, "\xbb\xea\xff\xff\xff\x85\xff\x75\x07\xbb\xf4\xff\xff\xff\xeb\x00", 16},
	{0xd0, "\x48\x85\xed\x74\x05\xe8\x0e\x00\x00\x00\x89\xd8\xc3", 13},
	{0xe8, "\xc3", 1},
	{0x100, "\x85\xc0\x78\x0c\xc3", 5},
	{0x110, "\x4c\x89\xe7\xbb\xea\xff\xff\xff\x48\x85\xff\x74\x05", 13},
	{0x11d, "\xe8\xc6\xff\xff\xff\x89\xd8\xc3", 8},
	{0x140, "\xe8\x1b\x00\x00\x00\xe8\x26\x00\x00\x00\xc3", 11},
	{0x160, "\x85\xc0\x74\x01\x90\xc3", 6},
	{0x170, "\xb8\xea\xff\xff\xff\xc3", 6},
	{0x180, "\xb8\xea\xff\xff\xff\x89\xf8\xc3", 8},
	{0x1a0, "\xbb\xea\xff\xff\xff\x85\xff\x75\x07\xbb\xf4\xff\xff\xff\xeb\x00", 16},
	{0x1c0, "\xbb\xea\xff\xff\xff\x85\xff\x75\x07\xbb\xf4\xff\xff\xff\xeb\x00", 16},
	{0x1d0, "\x85\xd2\x75\x05\xe9\x07\x00\x00\x00\x89\xd8\xc3", 12},
	{0x1e0, "\xbb\xfb\xff\xff\xff\xc3", 6},
	{0x1b0, "\x85\xdb\x75\x05\xbb\xfb\xff\xff\xff\x89\xd8\xc3", 12},
};

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint8_t text[0x400];

	(void)ctx;
	memset(text, 0x90, sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(code); i++)
		memcpy(text + code[i].at, code[i].bytes, code[i].len);
	if (addr < BASE || addr - BASE > sizeof(text) || len > sizeof(text) - (addr - BASE))
		return -EFAULT;
	memcpy(buf, text + (addr - BASE), len);
	return 0;
}

static const struct text_source text = {.read = read_text};
static const struct trigger hw = {.kind = TRIGGER_HW};

static struct snapshot make_snapshot(uint64_t entry, uint64_t from, uint64_t to, uint64_t from2,
				     uint64_t to2, uint64_t ip)
{
	struct snapshot snap = {.path_ok = true,
				.count = from2 ? 3 : 2,
				.trigger = &hw,
				.ip = BASE + ip,
				.err = EINVAL};

	snap.branches[0] = (struct branch){.from = BASE + 0x300, .to = BASE + entry};
	snap.branches[1] = (struct branch){.from = BASE + from, .to = BASE + to};
	snap.branches[2] = (struct branch){.from = BASE + from2, .to = BASE + to2};
	return snap;
}

static void check_key_in(const struct snapshot *snap, const struct path_options *opts,
			 uint64_t error, uint64_t decision)
{
	uint32_t insn, key;
	struct path *path;

	assert_int_equal(path_build(snap, &text, opts, &path), 0);
	path_find_error(path, EINVAL, &insn, &key);
	assert_int_not_equal(insn, PATH_NONE);
	assert_int_equal((insn == path->insn_count ? path->trigger_insn : path->insns[insn]).addr -
				 BASE,
			 error);
	assert_int_not_equal(key, PATH_NONE);
	assert_int_equal(path->decisions[key].addr - BASE, decision);
	path_free(path);
}

static void check_key(const struct snapshot *snap, uint64_t error, uint64_t decision)
{
	check_key_in(snap, NULL, error, decision);
}

static void path_find_error_constant_after_test_decision_before(void **state)
{
	struct snapshot snap = make_snapshot(0, 2, 0x10, 0x18, 0x20, 0x22);

	(void)state;
	check_key(&snap, 0x10, 2);
}

static void path_find_error_constant_before_test_decision_after(void **state)
{
	struct snapshot snap = make_snapshot(0x40, 0x48, 0x50, 0, 0, 0x52);

	(void)state;
	check_key(&snap, 0x40, 0x48);
}

static bool same_side(void *ctx, uint64_t a, uint64_t b)
{
	(void)ctx;
	return (a < BASE + 0x1e0) == (b < BASE + 0x1e0);
}

/* What another function does with a register is not looked at: a capture need not have its text. */
static void find_error_ends_where_the_function_does(void **state)
{
	struct snapshot snap = make_snapshot(0x1c0, 0x1c7, 0x1d0, 0x1d2, 0x1d9, 0x1db);
	struct path_options opts = {.same_function = same_side};

	(void)state;
	check_key(&snap, 0x1c0, 0x1d2);
	check_key_in(&snap, &opts, 0x1c0, 0x1c7);
}

/* What holds the error is not what decides on it. */
static void find_error_test_of_the_error_itself_is_no_decision(void **state)
{
	struct snapshot snap = make_snapshot(0x1a0, 0x1a7, 0x1b0, 0x1b2, 0x1b9, 0x1bb);

	(void)state;
	check_key(&snap, 0x1a0, 0x1a7);
}

static void path_find_error_trigger_on_errno_site_decision_before(void **state)
{
	struct snapshot snap = make_snapshot(0, 2, 0x10, 0, 0, 0x10);

	(void)state;
	check_key(&snap, 0x10, 2);
}

static void path_find_error_two_tests_the_one_that_kept_the_constant(void **state)
{
	struct snapshot first = make_snapshot(0x80, 0x87, 0xa0, 0, 0, 0xa0);
	struct snapshot second = make_snapshot(0x80, 0x8b, 0xa0, 0, 0, 0xa0);

	(void)state;
	check_key(&first, 0x80, 0x87);
	check_key(&second, 0x80, 0x8b);
}

static void path_find_error_clean_up_decides_nothing(void **state)
{
	struct snapshot early = make_snapshot(0xc0, 0xc7, 0xd0, 0xd3, 0xda, 0xdc);
	struct snapshot late = make_snapshot(0x100, 0x102, 0x110, 0x11b, 0x122, 0x124);

	(void)state;
	check_key(&early, 0xc0, 0xc7);
	check_key(&late, 0x113, 0x102);
}

static void path_find_error_call_before_decides_nothing(void **state)
{
	static const uint64_t steps[][2] = {{0x300, 0x140}, {0x140, 0x160}, {0x162, 0x165},
					    {0x165, 0x145}, {0x145, 0x170}, {0x175, 0x14a}};
	struct snapshot snap = make_snapshot(0, 0, 0, 0, 0, 0x14a);
	uint32_t insn = PATH_NONE, key = 0;
	struct path *path;

	(void)state;
	snap.count = ARRAY_SIZE(steps);
	for (uint32_t i = 0; i < snap.count; i++)
		snap.branches[i] =
			(struct branch){.from = BASE + steps[i][0], .to = BASE + steps[i][1]};
	assert_int_equal(path_build(&snap, &text, NULL, &path), 0);
	path_find_error(path, EINVAL, &insn, &key);
	assert_int_not_equal(insn, PATH_NONE);
	assert_int_equal(path->insns[insn].addr - BASE, 0x170);
	assert_int_equal(key, PATH_NONE);
	path_free(path);
}

static void path_find_error_constant_overwritten_none(void **state)
{
	struct snapshot snap = make_snapshot(0x104, 0x104, 0x180, 0, 0, 0x187);
	uint32_t insn = 0, key = 0;
	struct path *path;

	(void)state;
	assert_int_equal(path_build(&snap, &text, NULL, &path), 0);
	assert_int_equal(path->insn_count, 3);
	path_find_error(path, EINVAL, &insn, &key);
	assert_int_equal(insn, PATH_NONE);
	assert_int_equal(key, PATH_NONE);
	path_free(path);
}

static void path_find_error_none_in_path_none(void **state)
{
	struct snapshot snap = make_snapshot(0, 2, 0x10, 0x18, 0x20, 0x22);
	uint32_t insn = 0, key = 0;
	struct path *path;

	(void)state;
	assert_int_equal(path_build(&snap, &text, NULL, &path), 0);
	path_find_error(path, ENOENT, &insn, &key);
	assert_int_equal(insn, PATH_NONE);
	assert_int_equal(key, PATH_NONE);
	path_free(path);
}

static void story_build_steps_in_order_cleanup_after_error(void **state)
{
	static const enum story_kind want[] = {STORY_FUNCTION, STORY_DECISION, STORY_ERROR,
					       STORY_DECISION, STORY_TRIGGER};
	struct snapshot snap = make_snapshot(0, 2, 0x10, 0x18, 0x20, 0x22);
	struct story_options opts = {0};
	struct story *story;
	struct path *path;

	(void)state;
	assert_int_equal(path_build(&snap, &text, NULL, &path), 0);
	assert_int_equal(story_build(path, &snap, &opts, &story), 0);
	assert_int_equal(story->step_count, ARRAY_SIZE(want));
	for (uint32_t i = 0; i < story->step_count; i++)
		assert_int_equal(story->steps[i].kind, want[i]);
	assert_true(story->steps[1].key);
	assert_false(story->steps[1].cleanup);
	assert_false(story->steps[2].cleanup);
	assert_true(story->steps[3].cleanup);
	assert_false(story->steps[3].key);
	story_free(story);
	opts.first_branch = 1;
	assert_int_equal(story_build(path, &snap, &opts, &story), 0);
	assert_int_equal(story->steps[0].block, 1);
	story_free(story);
	path_free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(find_error_test_of_the_error_itself_is_no_decision),
		cmocka_unit_test(find_error_ends_where_the_function_does),
		cmocka_unit_test(path_find_error_constant_after_test_decision_before),
		cmocka_unit_test(path_find_error_constant_before_test_decision_after),
		cmocka_unit_test(path_find_error_trigger_on_errno_site_decision_before),
		cmocka_unit_test(path_find_error_two_tests_the_one_that_kept_the_constant),
		cmocka_unit_test(path_find_error_clean_up_decides_nothing),
		cmocka_unit_test(path_find_error_call_before_decides_nothing),
		cmocka_unit_test(path_find_error_constant_overwritten_none),
		cmocka_unit_test(path_find_error_none_in_path_none),
		cmocka_unit_test(story_build_steps_in_order_cleanup_after_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
