// SPDX-License-Identifier: GPL-2.0
/* The walk over control flow: code by hand, expected visits read off the listing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../text_bytes.h"
#include "cfg/code.h"
#include "cfg/walk.h"
#include "util/cleanup.h"

#define BASE	    0xffffffff81000000ULL
#define THUNK	    (BASE + 0x1000)
#define NO_RETURN   (BASE + 0x1010)
#define INDIRECT    (BASE + 0x1020)
#define LEAVE_KINDS (LEAVE_UNKNOWN + 1)

/** struct visits - @seen: bit n: the instruction at BASE + n was executed; @how: ways out */
struct visits {
	uint64_t seen;
	unsigned int steps;
	unsigned int how[LEAVE_KINDS];
	unsigned int ways; /* of conditional branches */
	uint64_t stop_at;
};

static enum place place(void *ctx, uint64_t addr)
{
	switch (addr) {
	case THUNK:
		return PLACE_RETURN_THUNK;
	case NO_RETURN:
		return PLACE_NO_RETURN;
	case INDIRECT:
		return PLACE_INDIRECT_THUNK;
	default:
		return PLACE_ORDINARY;
	}
}

static unsigned int step(void *ctx, const struct insn *in, const uint8_t *bytes, void *state)
{
	struct visits *visits = ctx;

	visits->steps++;
	visits->seen |= 1ull << (in->addr - BASE);
	if (in->addr == visits->stop_at)
		return WALK_STOP;
	return in->class == INSN_COND ? visits->ways : WALK_ALL;
}

static unsigned int leave(void *ctx, enum leave how, const void *state)
{
	struct visits *visits = ctx;

	visits->how[how]++;
	return 0;
}

static enum walked walk(const uint8_t *bytes, size_t len, bool each_way, unsigned int steps_max,
			struct visits *visits)
{
	const struct text_bytes there = {BASE, bytes, len};
	const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&there};
	const struct code_context context = {.place = place};
	struct walk question = {.each_way = each_way,
				.step = step,
				.leave = leave,
				.ctx = visits,
				.steps_max = steps_max};
	enum walked walked;
	struct code *code;

	assert_int_equal(code_load(&text, BASE, len, &context, &code), 0);
	question.text = walk_text_of(code);
	walked = walk_from(&question, BASE, NULL);
	code_free(code);
	return walked;
}

/* 00 test %edi,%edi  02 je 06  04 xor %eax,%eax  06 nop  07 ret */
static const uint8_t diamond[] = "\x85\xff\x74\x02\x31\xc0\x90\xc3";
/* 00 dec %edi  02 jne 00  04 ret */
static const uint8_t loop[] = "\xff\xcf\x75\xfc\xc3";

static void walk_from_ways_that_join_are_followed_once(void **state)
{
	struct visits once = {.ways = WALK_ALL}, each = {.ways = WALK_ALL};

	assert_int_equal(walk(diamond, 8, false, 100, &once), WALKED_ALL);
	assert_int_equal(once.seen, 1 | 1 << 2 | 1 << 4 | 1 << 6);
	assert_int_equal(once.steps, 4);
	assert_int_equal(once.how[LEAVE_RETURN], 1);
	assert_int_equal(walk(diamond, 8, true, 100, &each), WALKED_ALL);
	assert_int_equal(each.steps, 5);
	assert_int_equal(each.how[LEAVE_RETURN], 2);
}

static void walk_from_one_way_of_a_branch_alone(void **state)
{
	struct visits taken = {.ways = WALK_TARGET}, not_taken = {.ways = WALK_NEXT};

	assert_int_equal(walk(diamond, 8, false, 100, &taken), WALKED_ALL);
	assert_int_equal(taken.seen, 1 | 1 << 2 | 1 << 6);
	assert_int_equal(walk(diamond, 8, false, 100, &not_taken), WALKED_ALL);
	assert_int_equal(not_taken.seen, 1 | 1 << 2 | 1 << 4 | 1 << 6);
}

static void walk_from_a_loop_ends_unless_each_way_is_followed(void **state)
{
	struct visits once = {.ways = WALK_ALL}, each = {.ways = WALK_ALL};

	assert_int_equal(walk(loop, 5, false, 100, &once), WALKED_ALL);
	assert_int_equal(once.how[LEAVE_RETURN], 1);
	assert_int_equal(walk(loop, 5, true, 100, &each), WALKED_IN_PART);
}

static void walk_from_stops_where_told_and_at_the_bound(void **state)
{
	struct visits stopped = {.ways = WALK_ALL, .stop_at = BASE + 2};
	struct visits bound = {.ways = WALK_ALL}, enough = {.ways = WALK_ALL};

	assert_int_equal(walk(diamond, 8, false, 100, &stopped), WALKED_STOPPED);
	assert_int_equal(stopped.steps, 2);
	/* Four instructions and the return. */
	assert_int_equal(walk(diamond, 8, false, 4, &bound), WALKED_IN_PART);
	assert_int_equal(walk(diamond, 8, false, 5, &enough), WALKED_ALL);
}

static void walk_from_each_way_out_is_told(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		enum leave how;
	} rows[] = {
		{"\xc3", 1, LEAVE_RETURN},
		{"\xe9\xfb\x0f\x00\x00", 5, LEAVE_RETURN},	       /* jmp to the thunk */
		{"\x0f\x84\xfa\x0f\x00\x00\xeb\xf8", 8, LEAVE_RETURN}, /* je to it */
		{"\xe9\x0b\x10\x00\x00", 5, LEAVE_NO_RETURN},	       /* jmp */
		{"\xe8\x0b\x10\x00\x00\x90", 6, LEAVE_NO_RETURN},      /* call, padding */
		{"\xe9\x1b\x10\x00\x00", 5, LEAVE_INDIRECT},	       /* jmp to a retpoline */
		{"\xff\xe0", 2, LEAVE_INDIRECT},		       /* jmp *%rax */
		{"\xe9\xfb\xff\x00\x00", 5, LEAVE_TAIL_CALL},	       /* jmp elsewhere */
		{"\x48\xcf", 2, LEAVE_SYSTEM},			       /* iretq */
		{"\x90", 1, LEAVE_UNKNOWN},			       /* over the end */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct visits visits = {.ways = WALK_ALL};

		walk((const uint8_t *)rows[i].bytes, rows[i].len, false, 100, &visits);
		for (unsigned int how = 0; how < LEAVE_KINDS; how++)
			if (visits.how[how] != (how == rows[i].how))
				fail_msg("row %zu: %u times by %u", i, visits.how[how], how);
	}
}

/** struct held - what is true on every way so far, a bit each */
struct held {
	uint32_t bits;
};

static bool join_held(void *known, const void *state)
{
	struct held *held = known, before = *held;

	held->bits &= ((const struct held *)state)->bits;
	return held->bits != before.bits;
}

/* Bit n of the state is cleared by the instruction at BASE + n; at the end the bits are kept. */
static unsigned int step_held(void *ctx, const struct insn *in, const uint8_t *bytes, void *state)
{
	struct held *held = state;

	if (in->class == INSN_OTHER && in->addr != BASE)
		held->bits &= ~(1u << (in->addr - BASE));
	return WALK_ALL;
}

static unsigned int leave_held(void *ctx, enum leave how, const void *state)
{
	*(struct held *)ctx = *(const struct held *)state;
	return 0;
}

static void walk_from_joined_states_hold_on_all_ways(void **state)
{
	const struct text_bytes there = {BASE, diamond, 8};
	const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&there};
	struct held last = {};
	const struct held all = {0xff};
	struct walk question = {.state_size = sizeof(all),
				.join = join_held,
				.step = step_held,
				.leave = leave_held,
				.ctx = &last,
				.steps_max = 100};
	struct code *code;

	assert_int_equal(code_load(&text, BASE, 8, NULL, &code), 0);
	question.text = walk_text_of(code);
	assert_int_equal(walk_from(&question, BASE, &all), WALKED_ALL);
	/* By one of the ways alone the instruction at 04 runs. */
	assert_int_equal(last.bits, 0xff & ~(1 << 4) & ~(1 << 6));
	code_free(code);
}

static void code_jump_to_each_jump_by_address(void **state)
{
	/* 00 je 06  02 jne 06  04 jmp 06  06 ret */
	static const uint8_t bytes[] = "\x74\x04\x75\x02\xeb\x00\xc3";
	const struct text_bytes there = {BASE, bytes, 7};
	const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&there};
	const struct insn *in = NULL;
	struct code *code;

	assert_int_equal(code_load(&text, BASE, 7, NULL, &code), 0);
	for (uint64_t addr = BASE; addr < BASE + 6; addr += 2) {
		in = code_jump_to(code, BASE + 6, in);
		assert_non_null(in);
		assert_int_equal(in->addr, addr);
	}
	assert_null(code_jump_to(code, BASE + 6, in));
	/* An unconditional jump does not go on to what stands behind it. */
	assert_null(code_above(code, BASE + 6));
	assert_int_equal(code_above(code, BASE + 4)->addr, BASE + 2);
	assert_null(code_find(code, BASE + 1));
	code_free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walk_from_ways_that_join_are_followed_once),
		cmocka_unit_test(walk_from_one_way_of_a_branch_alone),
		cmocka_unit_test(walk_from_a_loop_ends_unless_each_way_is_followed),
		cmocka_unit_test(walk_from_stops_where_told_and_at_the_bound),
		cmocka_unit_test(walk_from_each_way_out_is_told),
		cmocka_unit_test(walk_from_joined_states_hold_on_all_ways),
		cmocka_unit_test(code_jump_to_each_jump_by_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
