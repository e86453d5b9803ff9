// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "path/on_way.h"

static const char table[] = "ffffffff81000100 T one\n"
			    "ffffffff81000200 T two\n"
			    "ffffffff81000300 t two.cold\n"
			    "ffffffff81000400 T __x86_indirect_thunk_rax\n"
			    "ffffffff81000500 T its_return_thunk\n"
			    "ffffffff81000600 T end\n";

#define BASE	 0xffffffff81000000
#define ONE	 0x100
#define TWO	 0x200
#define COLD	 0x300
#define INDIRECT 0x400
#define RETURN	 0x500

struct arrival {
	unsigned int at;
	enum insn_class class;
	enum on_way_step step;
	/* Functions after that. */
	size_t count;
};

static int setup(void **state)
{
	return symbol_table_setup(state, table);
}

static void expect(struct symbols *symbols, const struct arrival *arrivals, size_t count,
		   const unsigned int *functions)
{
	struct on_way way = {};

	for (size_t i = 0; i < count; i++) {
		enum on_way_step step;

		assert_int_equal(on_way_arrive(&way, symbols, BASE + arrivals[i].at,
					       arrivals[i].class, &step),
				 0);
		assert_int_equal(step, arrivals[i].step);
		assert_int_equal(way.count, arrivals[i].count);
	}
	for (size_t i = 0; i < way.count; i++)
		assert_int_equal(way.functions[i].addr, BASE + functions[i]);
	free(way.functions);
}

#define EXPECT(state, arrivals, ...)                                                               \
	expect(*(state), arrivals, sizeof(arrivals) / sizeof(*(arrivals)),                         \
	       (const unsigned int[]){__VA_ARGS__})

static void callee_is_on_the_way_until_it_returns(void **state)
{
	static const struct arrival arrivals[] = {
		{ONE, INSN_CALL, ON_WAY_ENTERS, 1},  {ONE + 0x20, INSN_COND, ON_WAY_STAYS, 1},
		{TWO, INSN_CALL, ON_WAY_ENTERS, 2},  {ONE + 0x28, INSN_RET, ON_WAY_RETURNS, 1},
		{TWO, INSN_ICALL, ON_WAY_ENTERS, 2},
	};

	EXPECT(state, arrivals, ONE, TWO);
}

/* A compiler makes a loop of "return one(...)" in one(). */
static void jump_to_own_begin_is_a_loop(void **state)
{
	static const struct arrival arrivals[] = {
		{ONE, INSN_CALL, ON_WAY_ENTERS, 1}, {ONE, INSN_JMP, ON_WAY_STAYS, 1},
		{ONE, INSN_COND, ON_WAY_STAYS, 1},  {INDIRECT, INSN_JMP, ON_WAY_NOWHERE, 1},
		{ONE, INSN_IJMP, ON_WAY_STAYS, 1},
	};

	EXPECT(state, arrivals, ONE);
}

static void call_of_own_begin_is_a_function_more(void **state)
{
	static const struct arrival arrivals[] = {
		{ONE, INSN_CALL, ON_WAY_ENTERS, 1},
		{ONE, INSN_CALL, ON_WAY_ENTERS, 2},
		{ONE, INSN_ICALL, ON_WAY_ENTERS, 3},
		/* By a thunk that calls a place of its own, and "returns" to the function. */
		{INDIRECT, INSN_CALL, ON_WAY_NOWHERE, 3},
		{INDIRECT + 8, INSN_CALL, ON_WAY_NOWHERE, 3},
		{ONE, INSN_RET, ON_WAY_ENTERS, 4},
	};

	EXPECT(state, arrivals, ONE, ONE, ONE, ONE);
}

/* What the thunk was led to by is of that thunk alone. */
static void call_of_a_thunk_is_over_when_it_arrived(void **state)
{
	static const struct arrival arrivals[] = {
		{INDIRECT, INSN_CALL, ON_WAY_NOWHERE, 0},
		{ONE, INSN_IJMP, ON_WAY_ENTERS, 1},
		{ONE, INSN_JMP, ON_WAY_STAYS, 1},
	};

	EXPECT(state, arrivals, ONE);
}

static void tail_call_and_return_by_thunk(void **state)
{
	static const struct arrival arrivals[] = {
		{ONE, INSN_CALL, ON_WAY_ENTERS, 1},
		{TWO, INSN_JMP, ON_WAY_ENTERS, 2},
		{RETURN, INSN_JMP, ON_WAY_NOWHERE, 2},
		{ONE + 0x30, INSN_RET, ON_WAY_RETURNS, 1},
	};

	EXPECT(state, arrivals, ONE);
}

static void cold_part_is_jumped_to(void **state)
{
	static const struct arrival arrivals[] = {
		{TWO, INSN_CALL, ON_WAY_ENTERS, 1},
		{COLD, INSN_COND, ON_WAY_STAYS, 1},
		{ONE, INSN_CALL, ON_WAY_ENTERS, 2},
		{COLD + 8, INSN_RET, ON_WAY_RETURNS, 1},
		{TWO + 8, INSN_JMP, ON_WAY_STAYS, 1},
		/* From its cold part to its begin. */
		{TWO, INSN_JMP, ON_WAY_STAYS, 1},
	};

	EXPECT(state, arrivals, TWO);
}

static void caller_from_before_is_the_only_one(void **state)
{
	static const struct arrival arrivals[] = {
		{TWO, INSN_CALL, ON_WAY_ENTERS, 1},
		{ONE + 0x10, INSN_RET, ON_WAY_BEGINS, 1},
		{0x50, INSN_OTHER, ON_WAY_NOWHERE, 1},
	};

	EXPECT(state, arrivals, ONE);
}

static void leave_from_elsewhere_begins(void **state)
{
	struct on_way way = {};
	enum on_way_step step;

	assert_int_equal(on_way_leave(&way, *state, BASE + ONE + 4, &step), 0);
	assert_int_equal(step, ON_WAY_BEGINS);
	assert_int_equal(on_way_arrive(&way, *state, BASE + TWO, INSN_CALL, &step), 0);
	assert_int_equal(on_way_leave(&way, *state, BASE + COLD + 4, &step), 0);
	assert_int_equal(step, ON_WAY_STAYS);
	assert_int_equal(on_way_leave(&way, *state, BASE + INDIRECT, &step), 0);
	assert_int_equal(step, ON_WAY_NOWHERE);
	assert_int_equal(way.count, 2);
	assert_int_equal(on_way_leave(&way, *state, BASE + ONE + 8, &step), 0);
	assert_int_equal(step, ON_WAY_BEGINS);
	assert_int_equal(way.count, 1);
	assert_int_equal(way.functions[0].addr, BASE + ONE);
	free(way.functions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callee_is_on_the_way_until_it_returns),
		cmocka_unit_test(jump_to_own_begin_is_a_loop),
		cmocka_unit_test(call_of_own_begin_is_a_function_more),
		cmocka_unit_test(call_of_a_thunk_is_over_when_it_arrived),
		cmocka_unit_test(tail_call_and_return_by_thunk),
		cmocka_unit_test(cold_part_is_jumped_to),
		cmocka_unit_test(caller_from_before_is_the_only_one),
		cmocka_unit_test(leave_from_elsewhere_begins),
	};

	return cmocka_run_group_tests(tests, setup, symbol_table_teardown);
}
