// SPDX-License-Identifier: GPL-2.0
/* What a value is called that came from one of two places. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "operand/alternatives.h"

#define FUNCTION 0xffffffff81000000ull

static struct symbols *symbols;
static char unit;

static struct cexpr number(const char *text)
{
	struct cexpr e = {.at = 1,
			  .type = {.image = &unit, .die = 1, .class = CTYPE_SIGNED, .bytes = 4}};

	snprintf(e.text, sizeof(e.text), "%s", text);
	return e;
}

static struct cexpr pointer(const char *text, uint64_t die)
{
	struct cexpr e = number(text);

	e.type = (struct ctype){.image = &unit, .die = die, .class = CTYPE_POINTER, .bytes = 8};
	return e;
}

static struct cexpr constant(int64_t value)
{
	struct cexpr e = {.constant = true, .value = value};

	snprintf(e.text, sizeof(e.text), "%lld", (long long)value);
	return e;
}

static int join(struct cexpr *e, struct cexpr other)
{
	return alternatives_join(symbols, e, &other);
}

static void two_names_are_joined_a_third_is_refused(void **state)
{
	struct cexpr e = number("a");

	(void)state;
	e.compound = true;
	assert_int_equal(join(&e, number("a")), 0);
	assert_string_equal(e.text, "a");
	assert_int_equal(join(&e, number("f(b)")), 0);
	assert_string_equal(e.text, "(a or f(b))");
	assert_false(e.compound);
	/* It holds before no one instruction: nobody is asked whether it does. */
	assert_int_equal(e.at, 0);
	assert_int_equal(join(&e, number("a")), 0);
	assert_int_equal(join(&e, number("f(b)")), 0);
	assert_int_equal(join(&e, number("(f(b) or a)")), 0);
	assert_string_equal(e.text, "(a or f(b))");
	assert_int_equal(join(&e, number("c")), -ENOENT);
	assert_string_equal(e.text, "(a or f(b))");
	/* Alternatives of a part are those of one name. */
	e = number("(a or b)->c");
	assert_int_equal(join(&e, number("(x | y)")), 0);
	assert_string_equal(e.text, "((a or b)->c or (x | y))");
	e = number("(a or b)()");
	assert_int_equal(join(&e, number("(a or b)->get()")), 0);
	assert_string_equal(e.text, "((a or b)() or (a or b)->get())");
	e = number("a");
	assert_int_equal(join(&e, number("(a or b)")), 0);
	assert_string_equal(e.text, "(a or b)");
}

static void types_have_to_fit(void **state)
{
	struct cexpr e = number("a"), other = number("b");

	(void)state;
	other.type.bytes = 8;
	assert_int_equal(join(&e, other), -ENOENT);
	other.type.bytes = 4;
	other.type.class = CTYPE_UNSIGNED;
	assert_int_equal(join(&e, other), -ENOENT);
	assert_string_equal(e.text, "a");
	/* "int" and a typedef of it: names of values of the one are not those of the other. */
	other.type.class = CTYPE_SIGNED;
	other.type.die = 2;
	assert_int_equal(join(&e, other), 0);
	assert_null(e.type.image);
	e = pointer("p", 3);
	assert_int_equal(join(&e, pointer("q", 4)), -ENOENT);
	assert_int_equal(join(&e, pointer("q", 3)), 0);
	assert_ptr_equal(e.type.image, &unit);
	e = number("a");
	e.type.class = other.type.class = CTYPE_UNKNOWN;
	assert_int_equal(join(&e, other), -ENOENT);
}

static void constants_are_none_but_for_functions(void **state)
{
	struct cexpr e = number("a");

	(void)state;
	assert_int_equal(join(&e, constant(-22)), -ENOENT);
	e = constant(1);
	assert_int_equal(join(&e, constant(1)), 0);
	assert_int_equal(join(&e, constant(2)), -ENOENT);
	assert_int_equal(join(&e, number("a")), -ENOENT);
	e = pointer("conv", 3);
	assert_int_equal(join(&e, constant(0)), -ENOENT);
	assert_int_equal(join(&e, constant((int64_t)FUNCTION + 1)), -ENOENT);
	assert_int_equal(join(&e, constant((int64_t)FUNCTION)), 0);
	assert_string_equal(e.text, "(conv or do_it)");
	e = constant((int64_t)FUNCTION);
	assert_int_equal(join(&e, pointer("conv", 3)), 0);
	assert_string_equal(e.text, "(do_it or conv)");
	assert_false(e.constant);
	assert_int_equal(e.type.die, 3);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct cexpr e = number("a"), other = number("");

	(void)state;
	memset(other.text, 'x', sizeof(other.text) - 4);
	assert_int_equal(join(&e, other), -ENOENT);
	assert_string_equal(e.text, "a");
}

static int setup(void **state)
{
	(void)state;
	return symbols_open_empty(&symbols)
		       ?: symbols_add(symbols, &(struct symbol){.addr = FUNCTION,
								.size = 16,
								.name = "do_it",
								.module = ""});
}

static int teardown(void **state)
{
	(void)state;
	symbols_close(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_names_are_joined_a_third_is_refused),
		cmocka_unit_test(types_have_to_fit),
		cmocka_unit_test(constants_are_none_but_for_functions),
		cmocka_unit_test(what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
