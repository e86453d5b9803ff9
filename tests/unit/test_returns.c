// SPDX-License-Identifier: GPL-2.0
/* Code written by hand; expected values are read off the listing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "disasm/insn.h"
#include "cfg/returns.h"
#include "util/cleanup.h"

#define BASE  0xffffffff81000000ULL
#define THUNK (BASE + 0x100)

/*
 * 00 test %eax,%eax     10 mov $-22,%eax      20 mov $-14,%rax  (only an exception table
 * 02 js 10              15 jmp 100 (thunk)    27 ret             leads here)
 * 04 jne 200            1a int3 x 6           28 jmp *%rax
 * 0a sbb %eax,%eax                            2a int3
 * 0c and $-5,%eax                             2b call 300
 * 0f ret                                      30 int3
 */
static const uint8_t code[] =
	"\x85\xc0\x78\x0c\x0f\x85\xf6\x01\x00\x00\x19\xc0\x83\xe0\xfb\xc3"
	"\xb8\xea\xff\xff\xff\xe9\xe6\x00\x00\x00\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x48\xc7\xc0\xf2\xff\xff\xff\xc3\xff\xe0\xcc\xe8\xd0\x02\x00\x00\xcc";

#define CODE_LEN (sizeof(code) - 1)

struct bytes {
	const void *bytes;
	size_t len;
};

static int read_bytes(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct bytes *b = ctx;

	if (addr < BASE || addr - BASE > b->len || len > b->len - (addr - BASE))
		return -EFAULT;
	memcpy(buf, (const uint8_t *)b->bytes + (addr - BASE), len);
	return 0;
}

static enum place place(void *ctx, uint64_t addr)
{
	(void)ctx;
	return addr == THUNK ? PLACE_RETURN_THUNK : PLACE_ORDINARY;
}

static const struct code_context options = {.place = place};

static struct function_exits *find(const void *bytes, size_t len, size_t size)
{
	struct bytes b = {bytes, len};
	struct text_source text = {.read = read_bytes, .ctx = &b};
	struct function_exits *x = NULL;

	assert_int_equal(function_exits_find(&text, BASE, size, &options, &x), 0);
	return x;
}

static void function_exits_find_every_way_out(void **state)
{
	struct function_exits *x = find(code, CODE_LEN, CODE_LEN);

	(void)state;
	assert_int_equal(x->return_count, 3);
	assert_int_equal(x->returns[0].addr - BASE, 0xf);
	assert_false(x->returns[0].thunk);
	assert_int_equal(x->returns[1].addr - BASE, 0x15);
	assert_true(x->returns[1].thunk);
	assert_int_equal(x->returns[2].addr - BASE, 0x27);
	assert_int_equal(x->tail_call_count, 1);
	assert_int_equal(x->tail_calls[0].addr - BASE, 4);
	assert_int_equal(x->tail_calls[0].target - BASE, 0x200);
	assert_true(x->tail_calls[0].conditional);
	assert_int_equal(x->errno_count, 3);
	assert_int_equal(x->errnos[0].addr - BASE, 0xc);
	assert_int_equal(x->errnos[0].err, 5);
	assert_true(x->errnos[0].uncertain);
	assert_int_equal(x->errnos[1].addr - BASE, 0x10);
	assert_int_equal(x->errnos[1].err, 22);
	assert_int_equal(x->errnos[1].reg, 0);
	assert_false(x->errnos[1].uncertain);
	assert_int_equal(x->errnos[2].err, 14);
	assert_int_equal(x->indirect_jumps, 1);
	assert_int_equal(x->code->part_count, 1);
	assert_false(x->code->truncated);
	assert_false(x->code->breakpoint);
	function_exits_free(x);
}

static void function_exits_find_text_missing_at_end_said(void **state)
{
	uint8_t text[8192] = {0};
	struct function_exits *x;

	(void)state;
	memset(text, 0x90, sizeof(text));
	x = find(text, 4096, sizeof(text));
	assert_true(x->code->truncated);
	assert_int_equal(x->return_count, 0);
	function_exits_free(x);
}

static void function_exits_find_kprobe_in_it_said(void **state)
{
	struct function_exits *x = find("\x85\xc0\xcc\xc3", 4, 4);

	(void)state;
	assert_true(x->code->breakpoint);
	function_exits_free(x);
}

/* A symbol in the middle of assembly ends what kallsyms takes for the function. */
static void function_exits_find_running_over_the_end_said(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		size_t returns;
		bool runs_on;
	} cases[] = {
		/* js 3; ret; xor %eax,%eax */
		{"\x78\x01\xc3\x31\xc0", 5, 1, true},
		/* js 3; ret; call 300: of a function that does not return */
		{"\x78\x01\xc3\xe8\xf8\x02\x00\x00", 8, 1, false},
		/* js 3; ret; call 300; nopl 0(%rax); nop: the same, and what aligns what follows */
		{"\x78\x01\xc3\xe8\xf8\x02\x00\x00\x0f\x1f\x40\x00\x90", 13, 1, false},
		/* js 3; ret; call 300; zeroes: the rest of a module's last page */
		{"\x78\x01\xc3\xe8\xf8\x02\x00\x00\x00\x00\x00\x00", 12, 1, false},
		/* js 3; ret; call 300; nop; xor %eax,%eax */
		{"\x78\x01\xc3\xe8\xf8\x02\x00\x00\x90\x31\xc0", 11, 1, true},
		/* js 3; ret; ud2 */
		{"\x78\x01\xc3\x0f\x0b", 5, 1, false},
		{(const char *)code, CODE_LEN, 3, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct function_exits *x = find(cases[i].bytes, cases[i].len, cases[i].len);

		assert_int_equal(x->code->runs_on, cases[i].runs_on);
		assert_int_equal(x->return_count, cases[i].returns);
		function_exits_free(x);
	}
}

/* Data between instructions: ff 25 would swallow the five bytes jumped to. */
static void function_exits_find_jump_over_data_corrects_decoding(void **state)
{
	struct function_exits *x = find("\xeb\x02\xff\x25\xb8\xea\xff\xff\xff\xc3", 10, 10);

	(void)state;
	assert_int_equal(x->return_count, 1);
	assert_int_equal(x->returns[0].addr - BASE, 9);
	assert_int_equal(x->errno_count, 1);
	assert_int_equal(x->errnos[0].addr - BASE, 4);
	assert_int_equal(x->indirect_jumps, 0);
	function_exits_free(x);
}

static void function_exits_find_bad_arguments_refused(void **state)
{
	struct bytes none = {"", 0};
	struct text_source text = {.read = read_bytes, .ctx = &none};
	struct function_exits *x = NULL;

	(void)state;
	assert_int_equal(function_exits_find(&text, BASE, 0, NULL, &x), -EINVAL);
	assert_int_equal(function_exits_find(&text, BASE, 1ULL << 40, NULL, &x), -EINVAL);
	assert_int_equal(function_exits_find(&text, BASE, 16, NULL, &x), -EFAULT);
	assert_null(x);
	function_exits_free(NULL);
}

static void function_has_insn_boundaries(void **state)
{
	struct bytes b = {code, CODE_LEN};
	struct text_source text = {.read = read_bytes, .ctx = &b};

	(void)state;
	assert_int_equal(function_has_insn(&text, BASE, CODE_LEN, BASE), 1);
	assert_int_equal(function_has_insn(&text, BASE, CODE_LEN, BASE + 1), 0);
	assert_int_equal(function_has_insn(&text, BASE, CODE_LEN, BASE + 0x10), 1);
	assert_int_equal(function_has_insn(&text, BASE, CODE_LEN, BASE + CODE_LEN), 0);
	assert_int_equal(function_has_insn(&text, BASE, CODE_LEN, BASE - 1), 0);
	assert_int_equal(function_has_insn(&text, BASE + 0x1000, 16, BASE + 0x1000), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_exits_find_every_way_out),
		cmocka_unit_test(function_exits_find_text_missing_at_end_said),
		cmocka_unit_test(function_exits_find_kprobe_in_it_said),
		cmocka_unit_test(function_exits_find_running_over_the_end_said),
		cmocka_unit_test(function_exits_find_jump_over_data_corrects_decoding),
		cmocka_unit_test(function_exits_find_bad_arguments_refused),
		cmocka_unit_test(function_has_insn_boundaries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
