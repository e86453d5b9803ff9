// SPDX-License-Identifier: GPL-2.0
/* An operand without a name, beside one that DWARF names at the entry of a function of our own. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "operand/operand.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"

#define SELF "/proc/self/exe"

static volatile long sink;

/* By the psABI, figure 3.4, @length is in %rdi when it is entered. */
__attribute__((noinline)) static long tested(unsigned long length)
{
	sink += (long)length;
	return sink;
}

/* The same. */
__attribute__((noinline)) static long tested_signs(signed char mark, int err)
{
	sink += mark + err;
	return sink;
}

/* Called through them alone, the functions are as they are written. */
static long (*volatile call)(unsigned long) = tested;
static long (*volatile call_signs)(signed char, int) = tested_signs;

struct self {
	struct lines *lines;
	struct symbols *symbols;
	struct symbol sym, signs;
};

static int open_self(void **state)
{
	static struct self self;
	struct lines_options opts = {.vmlinux = SELF, .release = "no-kernel"};

	(void)call;
	(void)call_signs;
	*state = &self;
	return lines_open(&opts, &self.lines) || symbols_open_elf(SELF, 0, &self.symbols) ||
	       symbols_by_name(self.symbols, "", "tested", 0, &self.sym) ||
	       symbols_by_name(self.symbols, "", "tested_signs", 0, &self.signs);
}

static int close_self(void **state)
{
	struct self *self = *state;

	lines_close(self->lines);
	symbols_close(self->symbols);
	return 0;
}

static size_t nothing_before(void *ctx, const struct operand_insn *at, struct operand_insn *ret)
{
	(void)ctx;
	(void)at;
	(void)ret;
	return 0;
}

/* @ctx: the one that is known */
static bool value_of(void *ctx, int index, int64_t *ret)
{
	if (index != *(const int *)ctx)
		return false;
	*ret = 0x7ffffffff000;
	return true;
}

/* "SETTER; JUMP" at the entry of @sym, taken. @known: the operand whose value is known; or -1 */
static int condition(const struct self *self, const struct symbol *sym, const char *setter,
		     size_t len, uint8_t jump, int known, struct operand_condition *ret)
{
	const struct operand_way way = {
		.lines = self->lines,
		.symbols = self->symbols,
		.before = nothing_before,
		.value = known < 0 ? NULL : value_of,
		.value_ctx = &known,
	};
	struct operand_insn sets = {.pos = sym->addr, .addr = sym->addr, .len = (uint8_t)len};
	struct operand_insn branch = {
		.pos = sym->addr + len, .addr = sym->addr + len, .len = 2, .bytes = {jump, 0x00}};

	memcpy(sets.bytes, setter, len);
	return operand_condition(&way, &sets, &branch, true, ret);
}

#define CONDITION(state, setter, known, ret)                                                       \
	condition(state, &((const struct self *)(state))->sym, setter, sizeof(setter) - 1, 0x72,   \
		  known, ret)

static void value_stands_beside_a_name(void **state)
{
	struct operand_condition found;

	/* cmp %rdi,%rax */
	assert_int_equal(CONDITION(*state, "\x48\x39\xf8", 0, &found), 0);
	assert_string_equal(found.text, "0x7ffffffff000 < length (unsigned)");
	assert_string_equal(found.source.operand, "length");
	/* cmp %rax,%rdi */
	assert_int_equal(CONDITION(*state, "\x48\x39\xc7", 1, &found), 0);
	assert_string_equal(found.text, "length < 0x7ffffffff000 (unsigned)");
}

static void value_that_is_not_known_leaves_no_words(void **state)
{
	struct operand_condition found;

	assert_int_equal(CONDITION(*state, "\x48\x39\xf8", -1, &found), -ENOENT);
	assert_int_equal(CONDITION(*state, "\x48\x39\xf8", 1, &found), -ENOENT);
}

/* Numbers alone are not in the names of the source. */
static void value_without_a_name_beside_it_leaves_no_words(void **state)
{
	struct operand_condition found;

	/* cmp $5,%rax */
	assert_int_equal(CONDITION(*state, "\x48\x83\xf8\x05", 0, &found), -ENOENT);
}

/* An errno has more than one byte: of a byte, 0xef is the first of a mark of UTF-8. */
static void byte_is_no_errno(void **state)
{
	const struct self *self = *state;
	struct operand_condition found;

	/* cmp $0xef,%dil; je */
	assert_int_equal(condition(self, &self->signs, "\x40\x80\xff\xef", 4, 0x74, -1, &found), 0);
	assert_string_equal(found.text, "mark == -17");
	/* cmp $-17,%esi; je */
	assert_int_equal(condition(self, &self->signs, "\x83\xfe\xef", 3, 0x74, -1, &found), 0);
	assert_string_equal(found.text, "err == -EEXIST");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value_stands_beside_a_name),
		cmocka_unit_test(value_that_is_not_known_leaves_no_words),
		cmocka_unit_test(value_without_a_name_beside_it_leaves_no_words),
		cmocka_unit_test(byte_is_no_errno),
	};

	return cmocka_run_group_tests(tests, open_self, close_self);
}
