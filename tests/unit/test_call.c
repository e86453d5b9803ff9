// SPDX-License-Identifier: GPL-2.0
/* Paths written by hand, as blocks with their depth; which functions are open is read off them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compare/call.h"

#define BASE	   0xffffffff81000000ULL
#define BLOCKS_MAX 8

/* Of each decision that was handed on, in order. */
struct seen {
	bool open[BLOCKS_MAX];
	size_t count;
};

static int on_call(void *ctx, const struct ranking_call *call)
{
	(void)ctx;
	(void)call;
	return 0;
}

static int on_decision(void *ctx, const struct ranking_decision *decision)
{
	struct seen *seen = ctx;

	assert_true(seen->count < BLOCKS_MAX);
	seen->open[seen->count++] = decision->open;
	return 0;
}

static struct symbols *symbols_with_f(void)
{
	const struct symbol f = {.name = "f", .module = "", .addr = BASE, .size = 0x1000};
	struct symbols *symbols;

	assert_int_equal(symbols_open_empty(&symbols), 0);
	assert_int_equal(symbols_add(symbols, &f), 0);
	return symbols;
}

/*
 * One block for each depth, each of one instruction, a conditional branch. The errno was made by
 * that of block @made, or nobody knows where (PATH_NONE).
 */
static struct seen hand_on(const struct path_block *blocks, uint32_t count, uint32_t made)
{
	struct symbols *symbols = symbols_with_f();
	struct path_block all[BLOCKS_MAX];
	struct path_insn insns[BLOCKS_MAX] = {};
	struct path_decision decisions[BLOCKS_MAX] = {};
	const struct trigger trigger = {.target = "f"};
	const struct snapshot snap = {.trigger = &trigger, .err = EINVAL};
	const struct path path = {
		.blocks = all,
		.block_count = count,
		.insns = insns,
		.insn_count = count,
		.decisions = decisions,
		.decision_count = count,
		.err = EINVAL,
		.error_insn = made,
		.error_decision = PATH_NONE,
	};
	struct seen seen = {};
	struct conditions conditions = {};
	const struct call_taker to = {
		.call = on_call, .decision = on_decision, .ctx = &seen, .conditions = &conditions};

	for (uint32_t i = 0; i < count; i++) {
		all[i] = blocks[i];
		all[i].start = BASE + 0x10 * i;
		all[i].first_insn = all[i].first_decision = i;
		all[i].insn_count = all[i].decision_count = 1;
		insns[i].addr = all[i].start;
		decisions[i] = (struct path_decision){.addr = all[i].start,
						      .insn = i,
						      .setter = PATH_NONE,
						      .block = i,
						      .branch = PATH_NONE};
	}
	assert_int_equal(call_of_snapshot(&snap, &path, symbols, true, &to), 0);
	conditions_deinit(&conditions);
	symbols_close(symbols);
	return seen;
}

static void check(const struct path_block *blocks, uint32_t count, uint32_t made,
		  const char *wanted)
{
	const struct seen seen = hand_on(blocks, count, made);

	assert_int_equal(seen.count, strlen(wanted));
	for (size_t i = 0; i < seen.count; i++)
		if (seen.open[i] != (wanted[i] == 'o'))
			fail_msg("decision %zu: open is %d, wanted %s", i, seen.open[i], wanted);
}

/* f() calls g(), which returns; f() calls h(), which makes the errno. */
static void open_callee_that_returned_is_closed(void **state)
{
	const struct path_block blocks[] = {{.depth = 0}, {.depth = 1}, {.depth = 0}, {.depth = 1}};

	(void)state;
	check(blocks, 4, 3, "oxoo");
}

/* The error is made in h(), which returns; f() cleans up. What counts is the time of the error. */
static void open_when_the_error_was_made(void **state)
{
	const struct path_block blocks[] = {{.depth = 0}, {.depth = 1}, {.depth = 0}};

	(void)state;
	/* What comes behind the error is not handed on. */
	check(blocks, 3, 1, "oo");
}

/* Nobody knows where it was made: what counts is the end of the call. */
static void open_of_an_unknown_place_is_of_the_end(void **state)
{
	const struct path_block blocks[] = {{.depth = 0}, {.depth = 1}, {.depth = 0}};

	(void)state;
	check(blocks, 3, PATH_NONE, "oxo");
}

/* Callees of a caller: the record begins in g(), which returned to f(), which called h(). */
static void open_record_that_begins_further_in(void **state)
{
	const struct path_block blocks[] = {{.depth = 2}, {.depth = 1}, {.depth = 0}, {.depth = 1}};

	(void)state;
	check(blocks, 4, 3, "xxoo");
}

/* Before a gap nobody knows which functions returned in it. */
static void open_before_a_gap_is_not_known(void **state)
{
	const struct path_block blocks[] = {
		{.depth = 0}, {.depth = 0, .gap = PATH_GAP_NO_TEXT}, {.depth = 0}};

	(void)state;
	check(blocks, 3, 2, "xxo");
}

/* An interrupt's functions are not of the call, how deep they may be, and are not handed on. */
static void open_interrupt_closes_nothing(void **state)
{
	const struct path_block blocks[] = {
		{.depth = 1}, {.depth = 0, .interrupt = 1}, {.depth = 1}};

	(void)state;
	check(blocks, 3, 2, "oo");
}

/* "cmp $5,%eax; jne": with the compare, or where the record begins behind it. */
static const char *words(struct conditions *conditions, uint64_t rel, bool taken, bool compare)
{
	struct path_insn insns[] = {
		{.addr = BASE, .len = 3, .bytes = {0x83, 0xf8, 0x05}},
		{.addr = BASE + 3, .len = 2, .bytes = {0x75, 0x10}},
	};
	const struct path path = {.insns = insns, .insn_count = 2};
	const struct path_decision decision = {.addr = BASE + 3,
					       .insn = 1,
					       .setter = compare ? 0 : PATH_NONE,
					       .taken = taken,
					       .branch = PATH_NONE};
	struct ranking_decision item = {
		.place = {.function = "f", .module = "", .off = 3}, .rel = rel, .taken = taken};
	const struct conditions_call call = {.path = &path};

	assert_int_equal(conditions_find(conditions, &call, &decision, &item), 0);
	assert_string_equal(item.source, "");
	return item.condition;
}

static void conditions_are_of_the_first_call_that_has_words(void **state)
{
	struct conditions conditions = {};

	(void)state;
	assert_string_equal(words(&conditions, 3, true, false), "");
	assert_string_equal(words(&conditions, 3, true, true), "%eax != 5");
	assert_string_equal(words(&conditions, 3, true, false), "%eax != 5");
	/* Of the other way, and of another function of this name, nothing is known by that. */
	assert_string_equal(words(&conditions, 3, false, false), "");
	assert_string_equal(words(&conditions, 0x103, true, false), "");
	conditions_deinit(&conditions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_callee_that_returned_is_closed),
		cmocka_unit_test(open_when_the_error_was_made),
		cmocka_unit_test(open_of_an_unknown_place_is_of_the_end),
		cmocka_unit_test(open_record_that_begins_further_in),
		cmocka_unit_test(open_before_a_gap_is_not_known),
		cmocka_unit_test(open_interrupt_closes_nothing),
		cmocka_unit_test(conditions_are_of_the_first_call_that_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
