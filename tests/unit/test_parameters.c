// SPDX-License-Identifier: GPL-2.0
/* Parameters of a function, out of BTF that is made here; words as the System V ABI counts
 * registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <cmocka.h>

#include "target/functions.h"

/* Ids of the types that all tests have. */
struct types {
	struct btf *btf;
	int s32;
	int u8;
	int u64;
	int flag;
	int pointer;
	int pair;
	int signed_enum;
	int alias;
};

static int setup(void **state)
{
	struct types *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->btf = btf__new_empty();
	assert_non_null(t->btf);
	t->s32 = btf__add_int(t->btf, "int", 4, BTF_INT_SIGNED);
	t->u8 = btf__add_int(t->btf, "unsigned char", 1, 0);
	t->u64 = btf__add_int(t->btf, "unsigned long", 8, 0);
	t->flag = btf__add_int(t->btf, "_Bool", 1, BTF_INT_BOOL);
	t->pointer = btf__add_ptr(t->btf, 0);
	t->pair = btf__add_struct(t->btf, "pair", 16);
	t->signed_enum = btf__add_enum(t->btf, "kind", 4);
	assert_int_equal(btf__add_enum_value(t->btf, "LESS", -1), 0);
	t->alias = btf__add_typedef(t->btf, "loff_t", btf__add_const(t->btf, t->u64));
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct types *t = *state;

	btf__free(t->btf);
	free(t);
	return 0;
}

/* int f(...): of @count types, which are called a, b, c and so on. @ret: free() it */
static uint32_t parameters_of(const struct types *t, const int *types, int count,
			      struct parameter **ret)
{
	struct function func = {.btf = t->btf};
	char name[] = "a";
	uint32_t found;
	int proto = btf__add_func_proto(t->btf, t->s32);

	for (int i = 0; i < count; i++, name[0]++)
		assert_int_equal(btf__add_func_param(t->btf, types[i] ? name : NULL, types[i]), 0);
	func.btf_id = (uint32_t)btf__add_func(t->btf, "f", BTF_FUNC_STATIC, proto);
	assert_int_equal(functions_parameters(&func, ret, &found), 0);
	return found;
}

static void check(const struct parameter *p, const char *name, enum argument_kind kind, int word,
		  int bytes)
{
	assert_string_equal(p->name, name);
	assert_int_equal(p->kind, kind);
	assert_int_equal(p->word, word);
	assert_int_equal(p->bytes, bytes);
}

static void each_kind_is_read_as_its_type(void **state)
{
	const struct types *t = *state;
	const int types[] = {t->s32, t->u8, t->alias, t->flag, t->pointer, t->signed_enum};
	struct parameter *p;

	assert_int_equal(parameters_of(t, types, 6, &p), 6);
	check(&p[0], "a", ARGUMENT_SIGNED, 0, 4);
	check(&p[1], "b", ARGUMENT_UNSIGNED, 1, 1);
	check(&p[2], "c", ARGUMENT_UNSIGNED, 2, 8);
	check(&p[3], "d", ARGUMENT_UNSIGNED, 3, 1);
	check(&p[4], "e", ARGUMENT_POINTER, 4, 8);
	check(&p[5], "f", ARGUMENT_SIGNED, 5, 4);
	free(p);
}

/* A structure of 16 bytes takes two words, and is no number; what lies behind the sixth is on the
 * stack. */
static void a_structure_takes_its_words(void **state)
{
	const struct types *t = *state;
	const int types[] = {t->pair, t->s32, t->pair, t->u64, t->u64};
	struct parameter *p;

	assert_int_equal(parameters_of(t, types, 5, &p), 2);
	check(&p[0], "b", ARGUMENT_SIGNED, 2, 4);
	check(&p[1], "d", ARGUMENT_UNSIGNED, 5, 8);
	free(p);
}

/* f(int, ...): what has no type is no parameter, and there is none behind it. */
static void without_parameters_there_are_none(void **state)
{
	const struct types *t = *state;
	const int types[] = {t->s32, 0};
	struct function func = {.btf = t->btf, .btf_id = (uint32_t)t->s32};
	struct parameter *p = (struct parameter *)&func;
	uint32_t count = 7;

	assert_int_equal(parameters_of(t, types, 2, &p), 1);
	free(p);
	assert_int_equal(parameters_of(t, types, 0, &p), 0);
	assert_null(p);
	/* That is no function; and one that only its symbol is known of. */
	assert_int_equal(functions_parameters(&func, &p, &count), 0);
	assert_int_equal(count, 0);
	func.btf = NULL;
	assert_int_equal(functions_parameters(&func, &p, &count), 0);
	assert_null(p);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_kind_is_read_as_its_type),
		TEST(a_structure_takes_its_words),
		TEST(without_parameters_there_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
