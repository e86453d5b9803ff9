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

/* Called through it alone, the function is as it is written. */
static long (*volatile call)(unsigned long) = tested;

struct self {
	struct lines *lines;
	struct symbols *symbols;
	struct symbol sym;
};

static int open_self(void **state)
{
	static struct self self;
	struct lines_options opts = {.vmlinux = SELF, .release = "no-kernel"};

	(void)call;
	*state = &self;
	return lines_open(&opts, &self.lines) || symbols_open_elf(SELF, 0, &self.symbols) ||
	       symbols_by_name(self.symbols, "", "tested", 0, &self.sym);
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

/* "SETTER; jb" at the entry of tested(), taken. @known: the operand whose value is known; or -1 */
static int condition(const struct self *self, const char *setter, size_t len, int known,
		     struct operand_condition *ret)
{
	const struct operand_way way = {
		.lines = self->lines,
		.symbols = self->symbols,
		.before = nothing_before,
		.value = known < 0 ? NULL : value_of,
		.value_ctx = &known,
	};
	struct operand_insn sets = {
		.pos = self->sym.addr, .addr = self->sym.addr, .len = (uint8_t)len};
	struct operand_insn branch = {.pos = self->sym.addr + len,
				      .addr = self->sym.addr + len,
				      .len = 2,
				      .bytes = {0x72, 0x00}};

	memcpy(sets.bytes, setter, len);
	return operand_condition(&way, &sets, &branch, true, ret);
}

#define CONDITION(state, setter, known, ret)                                                       \
	condition(state, setter, sizeof(setter) - 1, known, ret)

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value_stands_beside_a_name),
		cmocka_unit_test(value_that_is_not_known_leaves_no_words),
		cmocka_unit_test(value_without_a_name_beside_it_leaves_no_words),
	};

	return cmocka_run_group_tests(tests, open_self, close_self);
}
