// SPDX-License-Identifier: GPL-2.0
/* src/why/decision: which branch decided */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <errno.h>

#include <cmocka.h>

#include "branching_code.h"
#include "why/decision/decision.h"

/* The deciding one alone: 0, or what decisions_find() says. */
static int find_one(const struct decision_code *where, const struct symbol *func, uint64_t addr,
		    const struct snapshot *snap, const uint64_t *regs, struct decision *ret)
{
	int count =
		decisions_find(where, func, addr, snap, &(struct why_state){.regs = regs}, ret, 1);

	return count < 0 ? count : 0;
}

static int decide(void *symbols, const char *name, uint64_t addr, const uint64_t *regs,
		  struct decision *ret)
{
	struct symbol func;

	assert_int_equal(symbols_by_name(symbols, "", name, 0, &func), 0);
	return find_one(&(struct decision_code){.text = &text, .symbols = symbols}, &func, addr,
			NULL, regs, ret);
}

static void decision_one_way_condition_and_value(void **state)
{
	uint64_t regs[PTREG_COUNT] = {[PTREG_SI] = 9};
	struct decision decision;

	assert_int_equal(decide(*state, "one", BASE + 0x10, regs, &decision), 0);
	assert_int_equal(decision.addr, BASE + 0x8);
	assert_true(decision.taken);
	assert_string_equal(decision.condition, "%esi == 9");
	assert_string_equal(decision.values, "%esi = 9");
}

static void decision_two_ways_meet_is_not_told(void **state)
{
	struct decision decision;

	assert_int_equal(decide(*state, "two", BASE + 0x30, NULL, &decision), -ENOENT);
}

static void decision_two_ways_meet_branches_tell(void **state)
{
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct decision decision;
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "two", 0, &func), 0);
	snap->count = 2;
	snap->branches[0].from = BASE - 0x100;
	snap->branches[0].to = BASE + 0x20;
	snap->branches[1].from = BASE + 0x26;
	snap->branches[1].to = BASE + 0x30;
	assert_int_equal(find_one(&(struct decision_code){.text = &text, .symbols = *state}, &func,
				  BASE + 0x30, snap, NULL, &decision),
			 0);
	assert_int_equal(decision.addr, BASE + 0x26);
	assert_true(decision.taken);
	assert_string_equal(decision.condition, "%esi != 0");
	/* By the other way. */
	snap->branches[1].from = BASE + 0x22;
	assert_int_equal(find_one(&(struct decision_code){.text = &text, .symbols = *state}, &func,
				  BASE + 0x30, snap, NULL, &decision),
			 0);
	assert_int_equal(decision.addr, BASE + 0x22);
	assert_string_equal(decision.condition, "%edi == 0");
	/* From a function that was called in between nothing is known. */
	snap->branches[1].from = BASE + 0x50;
	assert_int_equal(find_one(&(struct decision_code){.text = &text, .symbols = *state}, &func,
				  BASE + 0x30, snap, NULL, &decision),
			 -ENOENT);
	free(snap);
}

/* "if (extack) extack->msg = ...; return -EINVAL": that branch did not decide for the error. */
static void decision_both_sides_of_a_branch_rejoin(void **state)
{
	struct decision_code where = {.text = &text, .symbols = *state};
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct decision all[4];
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "rejoins", 0, &func), 0);
	snap->count = 2;
	snap->branches[0].from = BASE - 0x100;
	snap->branches[0].to = BASE + 0xc0;
	snap->branches[1].from = BASE + 0xc6;
	snap->branches[1].to = BASE + 0xca;
	assert_int_equal(decisions_find(&where, &func, BASE + 0xca, snap, NULL, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0xc2);
	assert_false(all[0].taken);
	assert_string_equal(all[0].condition, "%edi != 0");
	/* By the text alone. */
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0xca, NULL, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0xc2);
	free(snap);
}

/* Two ways: one of two branches, or the one that the registers leave. */
static void decisions_one_of_ways_that_meet(void **state)
{
	struct decision_code where = {.text = &text, .symbols = *state};
	uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = 1, [PTREG_SI] = 5};
	struct decision all[4];
	struct symbol func;

	assert_int_equal(symbols_by_name(*state, "", "two", 0, &func), 0);
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0x30, NULL, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0x22);
	assert_true(all[0].taken);
	assert_string_equal(all[0].condition, "%edi == 0");
	assert_int_equal(all[1].addr, BASE + 0x26);
	assert_true(all[1].taken);
	assert_string_equal(all[1].condition, "%esi != 0");
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0x30,
					  &(struct why_state){.regs = regs}, all, 4),
			 1);
	assert_int_equal(all[0].addr, BASE + 0x26);
	assert_string_equal(all[0].values, "%esi = 5");
	/* One way; more than there is room for. */
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0x28, NULL, all, 4), -ENOENT);
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0x30, NULL, all, 1), -E2BIG);
	assert_false(all[0].behind);
	/* Branches behind an errno that is loaded early, each of which keeps it. */
	assert_int_equal(symbols_by_name(*state, "", "early_for_two", 0, &func), 0);
	assert_int_equal(decisions_one_of(&where, &func, BASE + 0xa4, NULL, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0xab);
	assert_true(all[0].taken && all[0].behind);
	assert_string_equal(all[0].condition, "%edi < 0");
	assert_int_equal(all[1].addr, BASE + 0xaf);
	assert_true(all[1].taken && all[1].behind);
	assert_string_equal(all[1].condition, "%esi == 0");
}

/* The decisions before it, too; what happened before the function was called is none of them. */
static void decisions_earlier_ones_newest_first(void **state)
{
	struct decision_code where = {.text = &text, .symbols = *state};
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct decision all[4];
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "two", 0, &func), 0);
	snap->count = 1;
	snap->branches[0].from = BASE - 0x100;
	snap->branches[0].to = BASE + 0x20;
	assert_int_equal(decisions_find(&where, &func, BASE + 0x28, snap, NULL, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0x26);
	assert_false(all[0].taken);
	assert_int_equal(all[1].addr, BASE + 0x22);
	assert_false(all[1].taken);
	assert_string_equal(all[1].condition, "%edi != 0");
	assert_int_equal(decisions_find(&where, &func, BASE + 0x28, snap, NULL, all, 1), 1);
	/* "if (!a || b)": had the first one gone the other way, the place had been reached, too. */
	snap->count = 2;
	snap->branches[1].from = BASE + 0x26;
	snap->branches[1].to = BASE + 0x30;
	assert_int_equal(decisions_find(&where, &func, BASE + 0x30, snap, NULL, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0x26);
	assert_true(all[0].taken);
	/* By the text alone, where one way leads there. */
	assert_int_equal(decisions_find(&where, &func, BASE + 0x28, NULL, NULL, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0x26);
	assert_false(all[0].taken);
	assert_string_equal(all[0].condition, "%esi == 0");
	assert_int_equal(all[1].addr, BASE + 0x22);
	free(snap);
}

static void decision_by_branches_passes_over_a_call(void **state)
{
	struct decision_code where = {.text = &text, .symbols = *state};
	struct snapshot *snap = calloc(1, sizeof(*snap));
	uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = 5};
	struct decision decision;
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "four", 0, &func), 0);
	snap->count = 3;
	snap->branches[0].from = BASE - 0x100;
	snap->branches[0].to = BASE + 0x70;
	snap->branches[1].from = BASE + 0x74;
	snap->branches[1].to = BASE + 0x80;
	snap->branches[2].from = BASE + 0x80;
	snap->branches[2].to = BASE + 0x79;
	assert_int_equal(find_one(&where, &func, BASE + 0x79, snap, regs, &decision), 0);
	assert_int_equal(decision.addr, BASE + 0x72);
	assert_false(decision.taken);
	assert_string_equal(decision.condition, "%edi != 0");
	/* What was called may have changed it. */
	assert_string_equal(decision.values, "");
	/* The call is not in the record. */
	snap->branches[1].from = BASE - 0x200;
	assert_int_equal(find_one(&where, &func, BASE + 0x79, snap, regs, &decision), -ENOENT);
	free(snap);
}

/* An errno that is loaded in case: what decided comes behind it, and what comes before did not. */
static void decision_behind_an_errno_loaded_early(void **state)
{
	uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = (uint64_t)-3};
	struct decision decision;

	assert_int_equal(decide(*state, "early", BASE + 0x90, regs, &decision), 0);
	assert_int_equal(decision.addr, BASE + 0x97);
	assert_false(decision.taken);
	assert_string_equal(decision.condition, "%edi < 0");
	assert_string_equal(decision.values, "%edi = -3");
	/* Two of them: the one or the other. */
	assert_int_equal(decide(*state, "early_for_two", BASE + 0xa4, regs, &decision), -ENOENT);
}

/*
 * anew:    00 test %edi,%edi  02 je 16  04 mov $-12,%ecx  09 test %rsi,%rsi  0c je 13
 *          0e mov $-12,%ecx  13 mov %ecx,%eax  15 ret  16 xor %eax,%eax  18 ret
 * at_once: 20 cmpb $49,(%rsi)  23 mov $-22,%eax  28 je 2b  2a ret  2b mov $-22,%eax  30 ret
 * calls:   40 test %edi,%edi  42 je 52  44 call anew  49 test %esi,%esi  4b je 52
 *          4d mov $-22,%eax  52 ret
 */
static const uint8_t loaded_twice[] =
	"\x85\xff\x74\x12\xb9\xf4\xff\xff\xff\x48\x85\xf6\x74\x05\xb9\xf4"
	"\xff\xff\xff\x89\xc8\xc3\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x80\x3e\x31\xb8\xea\xff\xff\xff\x74\x01\xc3\xb8\xea\xff\xff\xff"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x85\xff\x74\x0e\xe8\xb7\xff\xff\xff\x85\xf6\x74\x05\xb8\xea\xff"
	"\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static const char loaded_twice_table[] = "ffffffff81000000 T anew\n"
					 "ffffffff81000020 T at_once\n"
					 "ffffffff81000040 T calls\n"
					 "ffffffff81000060 T further\n";

static int open_loaded_twice(void **state)
{
	return symbol_table_setup(state, loaded_twice_table);
}

/* Both sides of a branch fail with it: the one before decided, where there is one. */
static void decision_both_sides_of_a_branch_load_the_same_errno(void **state)
{
	static const struct text_bytes bytes = {BASE, loaded_twice, sizeof(loaded_twice) - 1};
	static const struct text_source twice = {.read = text_bytes_read, .ctx = (void *)&bytes};
	const struct decision_code where = {.text = &twice, .symbols = *state};
	struct decision all[4];
	struct symbol func;

	assert_int_equal(symbols_by_name(*state, "", "anew", 0, &func), 0);
	for (uint64_t site = BASE + 0x04; site <= BASE + 0x0e; site += 0x0a) {
		assert_int_equal(decisions_find(&where, &func, site, NULL, NULL, all, 4), 1);
		assert_int_equal(all[0].addr, BASE + 0x02);
		assert_false(all[0].taken);
		assert_string_equal(all[0].condition, "%edi != 0");
	}
	assert_int_equal(symbols_by_name(*state, "", "at_once", 0, &func), 0);
	assert_int_equal(decisions_find(&where, &func, BASE + 0x23, NULL, NULL, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0x28);
	assert_string_equal(all[0].condition, "(%rsi) != 49");
	assert_int_equal(decisions_find(&where, &func, BASE + 0x2b, NULL, NULL, all, 4), -ENOENT);
}

/* The branches reach back into a function that was called: the text tells what was before it. */
static void decisions_text_goes_on_where_branches_end(void **state)
{
	static const struct text_bytes bytes = {BASE, loaded_twice, sizeof(loaded_twice) - 1};
	static const struct text_source source = {.read = text_bytes_read, .ctx = (void *)&bytes};
	const struct decision_code where = {.text = &source, .symbols = *state};
	const uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = 7, [PTREG_SI] = 9};
	const struct why_state known = {.regs = regs};
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct decision all[4];
	struct symbol func;

	assert_non_null(snap);
	assert_int_equal(symbols_by_name(*state, "", "calls", 0, &func), 0);
	snap->count = 1;
	snap->branches[0].from = BASE + 0x15;
	snap->branches[0].to = BASE + 0x49;
	assert_int_equal(decisions_find(&where, &func, BASE + 0x4d, snap, &known, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0x4b);
	assert_false(all[0].taken);
	assert_string_equal(all[0].values, "%esi = 9");
	assert_int_equal(all[1].addr, BASE + 0x42);
	assert_false(all[1].taken);
	/* The call may have changed it. */
	assert_string_equal(all[1].values, "");
	/* An interrupt came back there: the text tells nothing. */
	snap->branches[0].to = BASE + 0x4b;
	assert_int_equal(decisions_find(&where, &func, BASE + 0x4d, snap, &known, all, 4), 1);
	free(snap);
}

static void decision_register_overwritten_since_has_no_value(void **state)
{
	uint64_t regs[PTREG_COUNT] = {[PTREG_DI] = 5};
	struct decision decision;

	assert_int_equal(decide(*state, "three", BASE + 0x47, regs, &decision), 0);
	assert_int_equal(decision.addr, BASE + 0x43);
	assert_false(decision.taken);
	assert_string_equal(decision.condition, "%rdi == 0");
	assert_string_equal(decision.values, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(decision_one_way_condition_and_value, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_two_ways_meet_is_not_told, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_two_ways_meet_branches_tell, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_both_sides_of_a_branch_rejoin, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decisions_one_of_ways_that_meet, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decisions_earlier_ones_newest_first, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_by_branches_passes_over_a_call, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_behind_an_errno_loaded_early, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_both_sides_of_a_branch_load_the_same_errno,
						open_loaded_twice, symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decisions_text_goes_on_where_branches_end,
						open_loaded_twice, symbol_table_teardown),
		cmocka_unit_test_setup_teardown(decision_register_overwritten_since_has_no_value,
						open_table, symbol_table_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
