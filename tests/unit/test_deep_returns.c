// SPDX-License-Identifier: GPL-2.0
/* src/why/deep/deep_check: calls, returns, thunks and calls that are left out of a checked path */
#include "deep_code.h"

/*
 * Where an indirect branch leads to is what the register has, or the stack. A hit of the function
 * is no proof: another one may have been called, and have jumped there, with the same stack.
 */
static void check_indirect_branch_by_its_source(void **state)
{
	static const struct {
		uint8_t bytes[0x20];
		uint8_t from;
		uint8_t probe;
		uint8_t stack;
	} cases[] = {
		/* 00: call *%rax (to 28) */
		{{0xff, 0xd0}, 0x00, 0x00, 0},
		/* 00: nop; 01: mov %ecx,%eax, which may have no probe; 03: jmp *%rax */
		{{0x90, 0x89, 0xc8, 0xff, 0xe0}, 0x03, 0x03, 0},
		/* 00: jmp 10; 10: mov %rax,(%rsp); 14: ret: the end of a retpoline */
		{{0xeb, 0x0e, [0x10] = 0x48, 0x89, 0x04, 0x24, 0xc3}, 0x14, 0x10, 0},
		/* 00: jmp 10; 10: ret, of a call that began before the path */
		{{0xeb, 0x0e, [0x10] = 0xc3}, 0x10, 0x10, 1},
		/* 00: jmp 10; 10: call 18; 18: lea 8(%rsp),%rsp; 1d: ret: AMD's thunk */
		{{0xeb, 0x0e, [0x10] = 0xe8, 3, 0, 0, 0, [0x18] = 0x48, 0x8d, 0x64, 0x24, 0x08,
		  0xc3},
		 0x1d,
		 0x1d,
		 1},
	};
	uint8_t kept[sizeof(code)];

	memcpy(kept, code, sizeof(kept));
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const bool thunk = cases[i / 2].bytes[0x10] == 0xe8;
		const bool jumps = cases[i / 2].bytes[0] == 0xeb;
		const uint64_t from = AT(cases[i / 2].from), to = AT(i % 2 ? 0x2a : 0x28);
		struct why_branch branches[4] = {{AT(0x3f), AT(0)}};
		struct deep_known path = {.branches = branches, .count = 1, .end = AT(0x2b)};
		struct deep_hit with[2] = {{.ip = AT(cases[i / 2].probe), .regs[PTREG_SP] = SP},
					   {.ip = AT(0x2b), .regs[PTREG_SP] = SP}};
		struct deep_check check;
		struct deep_blind blind[4];
		bool excursions[5];
		size_t first = 9;

		if (jumps)
			branches[path.count++] = (struct why_branch){AT(0), AT(0x10)};
		if (thunk)
			branches[path.count++] = (struct why_branch){AT(0x10), AT(0x18)};
		branches[path.count++] = (struct why_branch){from, AT(0x28)};
		with[0].top = cases[i / 2].stack ? to : AT(1);
		with[0].regs[PTREG_AX] = cases[i / 2].stack ? AT(1) : to;
		with[1].regs[PTREG_SP] += jumps ? 8 : cases[i / 2].bytes[0] == 0xff ? -8ull : 0;
		memset(code, 0x90, sizeof(code));
		memcpy(code, cases[i / 2].bytes, sizeof(cases[0].bytes));
		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
		assert_true(is_armed(&check, cases[i / 2].probe) && check.armed_count == 2);
		assert_int_equal(
			deep_check_compare(&check, with, 2, true, &first, blind, excursions),
			i % 2 == 0);
		assert_int_equal(first, i % 2 ? path.count : 0);
		assert_int_equal(blind[0].newer, 0);
		deep_check_clear(&check);
		/* A thunk can have none: it stands before it. */
		refused[0] = AT(cases[i / 2].probe);
		refused[1] = AT(0x10);
		refused[2] = AT(0x18);
		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
		assert_int_equal(is_armed(&check, 0), jumps);
		with[0].ip = AT(0);
		assert_int_equal(
			deep_check_compare(&check, with, 2, true, &first, blind, excursions),
			jumps && i % 2 == 0);
		deep_check_clear(&check);
		memset(refused, 0, sizeof(refused));
	}
	memcpy(code, kept, sizeof(kept));
}

/* The error is in a function that is called indirectly. The probe at the call tells which one. */
static void check_error_within_the_function_of_another_caller(void **state)
{
	/* 00: call *%rax (to 10); 10: nop; 11: nop (the error) */
	static const uint8_t calls[] = {0xff, 0xd0, [0x10] = 0x90, 0x90, 0xc3};
	const struct why_branch to[] = {{AT(0x3f), AT(0)}, {AT(0), AT(0x10)}};
	const struct deep_known path = {.branches = to, .count = 2, .end = AT(0x11)};
	uint8_t kept[sizeof(calls)];

	memcpy(kept, code, sizeof(kept));
	for (uint64_t deeper = 8; deeper <= 16; deeper += 8) {
		const struct deep_hit with[2] = {
			{.ip = AT(0), .regs[PTREG_SP] = SP, .regs[PTREG_AX] = AT(0x10)},
			{.ip = AT(0x11), .regs[PTREG_SP] = SP - deeper}};
		struct deep_check check;
		struct deep_blind blind[2];
		bool excursions[3];
		size_t first = 9;

		memcpy(code, calls, sizeof(calls));
		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
		assert_true(is_armed(&check, 0) && check.armed_count == 2);
		memcpy(code, kept, sizeof(kept));
		/* Deeper in the stack, something else called it. */
		assert_int_equal(
			deep_check_compare(&check, with, 2, true, &first, blind, excursions),
			deeper == 8);
		deep_check_clear(&check);
	}
	/* Without one, the fork is blind. */
	{
		const struct deep_hit with[2] = {{.ip = AT(0x10), .regs[PTREG_SP] = SP - 16},
						 {.ip = AT(0x11), .regs[PTREG_SP] = SP - 16}};
		struct deep_check check;
		struct deep_blind blind[2];
		bool excursions[3];
		size_t first = 9;

		refused[0] = AT(0);
		memcpy(code, calls, sizeof(calls));
		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
		memcpy(code, kept, sizeof(kept));
		deep_check_compare(&check, with, 2, true, &first, blind, excursions);
		assert_true(blind[0].newer);
		deep_check_clear(&check);
	}
}

/* Another text than @code's, and other symbols: borrowed until thunks_clear(). */
static struct symbols *thunks_make(const uint8_t *bytes, size_t len, const char *table,
				   const struct deep_known *path, bool whole,
				   struct deep_check *check)
{
	struct symbols *thunks = symbol_table(table);
	uint8_t kept[sizeof(code)];

	assert_non_null(thunks);
	memcpy(kept, code, sizeof(kept));
	memcpy(code, bytes, len);
	assert_int_equal(deep_check_make(&text, thunks, path, whole, check), 0);
	memcpy(code, kept, sizeof(kept));
	return thunks;
}

static void thunks_clear(struct deep_check *check, struct symbols *thunks)
{
	deep_check_clear(check);
	symbols_close(thunks);
}

/*
 * A function returns by AMD's thunk, which calls, and drops that: it cannot return elsewhere, and
 * what follows is the caller's.
 */
static void check_return_by_a_thunk_that_calls(void **state)
{
	/* 00: call 10; 05: je 04 (not taken); 07: nop; 08: jmp 18; 10: jmp 20; 18: nop (the error);
	 * 20: call 28; 28: lea 8(%rsp), %rsp; 2d: ret */
	static const uint8_t bytes[] = {[0x00] = 0xe8,
					0x0b,
					0,
					0,
					0,
					0x74,
					0xfd,
					0x90,
					0xeb,
					0x0e,
					[0x10] = 0xeb,
					0x0e,
					[0x18] = 0x90,
					[0x20] = 0xe8,
					0x03,
					0,
					0,
					0,
					[0x28] = 0x48,
					0x8d,
					0x64,
					0x24,
					0x08,
					0xc3};
	const struct why_branch to[] = {{AT(0x3f), AT(0)},    {AT(0), AT(0x10)},
					{AT(0x10), AT(0x20)}, {AT(0x20), AT(0x28)},
					{AT(0x2d), AT(0x05)}, {AT(0x08), AT(0x18)}};
	const struct deep_known path = {.branches = to, .count = 6, .end = AT(0x18)};
	const struct deep_known later = {.branches = to + 2, .count = 4, .end = AT(0x18)};
	static const char table[] = "ffffffff81000000 T code\n"
				    "ffffffff81000020 T srso_alias_return_thunk\n"
				    "ffffffff81000028 T srso_alias_safe_ret\n"
				    "ffffffff81000030 T end\n";
	struct deep_check check;
	struct symbols *thunks = thunks_make(bytes, sizeof(bytes), table, &path, true, &check);

	/* The conditional branch is the only fork. */
	assert_int_equal(check.fork_count, 1);
	assert_true(check.steps[check.forks[0].step].addr == AT(5));
	assert_int_equal(check.steps[check.forks[0].step].since, 0);
	assert_int_equal(check.steps[check.step_count - 1].since, 0);
	thunks_clear(&check, thunks);
	/* Of a call that began before the path it is a fork, and what follows is of that caller. */
	thunks = thunks_make(bytes, sizeof(bytes), table, &later, false, &check);
	assert_int_equal(check.fork_count, 2);
	assert_int_equal(check.steps[check.step_count - 1].since, 0);
	thunks_clear(&check, thunks);
}

#define TO_30 .regs[PTREG_SP] = 0x100, .regs[PTREG_AX] = AT(0x30)

/* The call at 00 waited: what it did is left out of the path, which goes on at 05. */
static void check_wait_is_left_out(void **state)
{
	static const struct why_branch past[] = {
		{AT(0x3f), AT(0)}, {AT(0x0c), AT(0x30)}, {AT(0x31), AT(0x36)}};
	static const struct deep_interrupt cut = {.resumed = AT(0x05), .newer = 2};
	static const struct deep_known path = {
		.branches = past, .count = 3, .end = AT(0x36), .cuts = &cut, .cut_count = 1};
	const struct deep_hit good[] = {{.ip = AT(0x00), .regs[PTREG_SP] = 0x100, .switches = 1},
					{.ip = AT(0x20), .regs[PTREG_SP] = 0x80, .switches = 1},
					{.ip = AT(0x30), .regs[PTREG_SP] = 0xf8, .switches = 2},
					{.ip = AT(0x05), TO_30, .switches = 2},
					{.ip = AT(0x0b), TO_30, .switches = 2},
					{.ip = AT(0x0c), TO_30, .switches = 2},
					{.ip = AT(0x36), .regs[PTREG_SP] = 0x100, .switches = 2}};
	struct deep_blind blind[3];
	bool excursions[4];
	struct deep_hit hits[ARRAY_SIZE(good)];
	struct deep_check check;
	size_t first;

	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	assert_true(is_armed(&check, 0x00) && is_armed(&check, 0x05));
	assert_int_equal(
		deep_check_compare(&check, good, ARRAY_SIZE(good), true, &first, blind, excursions),
		1);
	assert_int_equal(first, 0);
	/* It did not wait in this run: the path begins behind the call. */
	memcpy(hits, good, sizeof(hits));
	hits[0].switches = hits[1].switches = 2;
	assert_int_equal(
		deep_check_compare(&check, hits, ARRAY_SIZE(hits), true, &first, blind, excursions),
		0);
	assert_int_equal(first, 1);
	/* One that wakes another task need not. */
	assert_int_equal(check.wait_count, 1);
	check.waits[0].woke = true;
	assert_int_equal(
		deep_check_compare(&check, hits, ARRAY_SIZE(hits), true, &first, blind, excursions),
		1);
	check.waits[0].woke = false;
	/* Behind the call it went another way. */
	memcpy(hits, good, sizeof(hits));
	hits[2] = hits[3];
	hits[3].ip = AT(0x20);
	assert_int_equal(
		deep_check_compare(&check, hits, ARRAY_SIZE(hits), true, &first, blind, excursions),
		0);
	assert_int_equal(first, 1);
	deep_check_clear(&check);
	/* Without a probe at the call nothing tells its hits from those of the path. */
	refused[0] = AT(0);
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	assert_int_equal(deep_check_compare(&check, good + 3, ARRAY_SIZE(good) - 3, true, &first,
					    blind, excursions),
			 0);
	assert_int_equal(first, 1);
	deep_check_clear(&check);
}

/* An Intel retpoline calls, and overwrites where that returns to. */
static void check_retpoline_keeps_the_callers_call(void **state)
{
	/* 00: call 10; 05: jmp 18; 10: call 20 (thunk); 15: ret; 18: nop (the error);
	 * 20: call 28; 25: int3; 28: mov %rax, (%rsp); 2c: ret; 30: ret (the callee) */
	static const uint8_t bytes[] = {[0x00] = 0xe8,
					0x0b,
					0,
					0,
					0,
					0xeb,
					0x11,
					[0x10] = 0xe8,
					0x0b,
					0,
					0,
					0,
					0xc3,
					[0x18] = 0x90,
					[0x20] = 0xe8,
					0x03,
					0,
					0,
					0,
					0xcc,
					[0x28] = 0x48,
					0x89,
					0x04,
					0x24,
					0xc3,
					[0x30] = 0xc3};
	const struct why_branch to[] = {{AT(0x3f), AT(0)},    {AT(0), AT(0x10)},
					{AT(0x10), AT(0x20)}, {AT(0x20), AT(0x28)},
					{AT(0x2c), AT(0x30)}, {AT(0x30), AT(0x15)},
					{AT(0x15), AT(0x05)}, {AT(0x05), AT(0x18)}};
	const struct deep_known path = {.branches = to, .count = 8, .end = AT(0x18)};
	static const char table[] = "ffffffff81000000 T code\n"
				    "ffffffff81000010 T caller\n"
				    "ffffffff81000018 T more\n"
				    "ffffffff81000020 T __x86_indirect_thunk_rax\n"
				    "ffffffff81000030 T callee\n"
				    "ffffffff81000031 T end\n";
	struct deep_check check;
	struct symbols *thunks = thunks_make(bytes, sizeof(bytes), table, &path, true, &check);

	/* Only where the thunk leads to can vary. */
	assert_int_equal(check.fork_count, 1);
	for (size_t i = 0; i < check.step_count; i++)
		if (check.steps[i].addr == AT(0x15))
			assert_int_equal(check.steps[i].since, 1);
	thunks_clear(&check, thunks);
}

/* Two retpolines in B: what A does behind its call of B is still A's. */
static void check_calls_behind_two_retpolines(void **state)
{
	/* 00: call 08 (A); 05: nop (the error); 08: A: call 10 (B); 0d: nop, ret;
	 * 10: B: call 20; 15: call 20; 1a: ret; 20: thunk: call 28; 28: mov %rax,(%rsp); 2c: ret;
	 * 30: callee: ret */
	static const uint8_t bytes[] = {
		[0x00] = 0xe8, 0x03,	      0,    0,	  0,	0x90,
		[0x08] = 0xe8, 0x03,	      0,    0,	  0,	0x90,
		0xc3,	       [0x10] = 0xe8, 0x0b, 0,	  0,	0,
		0xe8,	       0x06,	      0,    0,	  0,	0xc3,
		[0x20] = 0xe8, 0x03,	      0,    0,	  0,	0xcc,
		[0x28] = 0x48, 0x89,	      0x04, 0x24, 0xc3, [0x30] = 0xc3};
	const struct why_branch to[] = {
		{AT(0x3f), AT(0)},    {AT(0), AT(0x08)},    {AT(0x08), AT(0x10)},
		{AT(0x10), AT(0x20)}, {AT(0x20), AT(0x28)}, {AT(0x2c), AT(0x30)},
		{AT(0x30), AT(0x15)}, {AT(0x15), AT(0x20)}, {AT(0x20), AT(0x28)},
		{AT(0x2c), AT(0x30)}, {AT(0x30), AT(0x1a)}, {AT(0x1a), AT(0x0d)},
		{AT(0x0e), AT(0x05)}};
	const struct deep_known path = {.branches = to, .count = 13, .end = AT(0x05)};
	static const char table[] = "ffffffff81000000 T code\n"
				    "ffffffff81000008 T A\n"
				    "ffffffff81000010 T B\n"
				    "ffffffff81000020 T __x86_indirect_thunk_rax\n"
				    "ffffffff81000030 T callee\n"
				    "ffffffff81000031 T end\n";
	struct deep_check check;
	struct symbols *thunks = thunks_make(bytes, sizeof(bytes), table, &path, true, &check);

	for (size_t i = 0; i < check.step_count; i++)
		if (check.steps[i].addr == AT(0x0d))
			assert_true(check.steps[i].since > 0);
	assert_int_equal(check.fork_count, 2);
	thunks_clear(&check, thunks);
}

/*
 * A function is called twice. The path has the call of the first time, and goes on where
 * the second one returns to: no machine returns there. The record shows the second return alone.
 */
static void check_return_of_another_call(void **state)
{
	/* 00: call 10; 05: jmp 20; 10: jmp 14; 14: ret; 20: call 10; 25: nop; 26: jmp 30;
	 * 30: the error */
	static const uint8_t bytes[] = {
		0xe8,	       0x0b,	      0,    0,	  0,	0xeb, 0x19, [0x10] = 0xeb, 0x02,
		[0x14] = 0xc3, [0x20] = 0xe8, 0xeb, 0xff, 0xff, 0xff, 0x90, 0xeb,	   0x08,
		[0x30] = 0x90};
	const struct why_branch to[] = {{AT(0x3f), AT(0)},
					{AT(0), AT(0x10)},
					{AT(0x10), AT(0x14)},
					{AT(0x14), AT(0x25)},
					{AT(0x26), AT(0x30)}};
	const struct deep_known path = {.branches = to, .count = 5, .end = AT(0x30)};
	/* What a machine with three entries records of 00, 10, 14, 05, 20, 10, 14, 25, 30. */
	struct deep_hit hit = {.ip = AT(0x30)};
	uint8_t kept[sizeof(code)];
	struct deep_check check;
	struct deep_blind blind[5];
	bool excursions[6];
	size_t first = 9;
	int passed;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, bytes, sizeof(bytes));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x30)), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 3, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	memcpy(hit.record.branches, to + 2, 3 * sizeof(*to));
	hit.record.count = 3;
	hit.record.end = DEEP_END_FULL;
	passed = deep_check_compare(&check, &hit, 1, true, &first, blind, excursions);
	assert_false(passed && !first && !blind[0].newer && !blind[1].newer);
	deep_check_clear(&check);
}

/*
 * The same after a left-out call that has not both probes. What is older than the call is not
 * certain for that reason, but the other return is newer: it limits what the run took.
 */
static void check_return_of_another_call_after_a_wait(void **state)
{
	/* 00: call 28 (left out); 05: call 10; 0a: jmp 20; 10: jmp 14; 14: ret; 20: call 10;
	 * 25: nop; 26: jmp 30; 30: the error */
	static const uint8_t bytes[] = {0xe8,
					0x23,
					0,
					0,
					0,
					0xe8,
					0x06,
					0,
					0,
					0,
					0xeb,
					0x14,
					0x90,
					0x90,
					0x90,
					[0x10] = 0xeb,
					0x02,
					[0x14] = 0xc3,
					[0x20] = 0xe8,
					0xeb,
					0xff,
					0xff,
					0xff,
					0x90,
					0xeb,
					0x08,
					[0x28] = 0xc3,
					[0x30] = 0x90};
	const struct why_branch to[] = {{AT(0x3f), AT(0)},
					{AT(0x05), AT(0x10)},
					{AT(0x10), AT(0x14)},
					{AT(0x14), AT(0x25)},
					{AT(0x26), AT(0x30)}};
	static const struct deep_interrupt cut = {.resumed = AT(0x05), .newer = 4};
	const struct deep_known path = {
		.branches = to, .count = 5, .end = AT(0x30), .cuts = &cut, .cut_count = 1};

	for (size_t i = 0; i < 3; i++) {
		struct deep_hit hits[3] = {{.ip = AT(0x00), .regs[PTREG_SP] = SP, .switches = 1},
					   {.ip = AT(0x05), .regs[PTREG_SP] = SP, .switches = 2},
					   {.ip = AT(0x30), .regs[PTREG_SP] = SP, .switches = 2}};
		struct deep_check check;
		struct deep_blind blind[5];
		bool excursions[6];
		uint8_t kept[sizeof(code)];
		size_t first = 9, without = i ? 1 : 0;

		/* The call has both probes; only the one after it; only the one at it. */
		refused[0] = i ? AT(i == 1 ? 0x00 : 0x05) : 0;
		refused[1] = AT(0x25);
		refused[2] = AT(0x26);
		refused[3] = AT(0x10);
		refused[4] = AT(0x14);
		if (i == 2)
			hits[1] = hits[0];
		memcpy(kept, code, sizeof(kept));
		memcpy(code, bytes, sizeof(bytes));
		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_view(&check, AT(0x30)), 0);
		assert_int_equal(deep_check_arm(&check, &text, 100, 3, probe, NULL), 0);
		memcpy(code, kept, sizeof(kept));
		assert_int_equal(check.impossible, 3);
		assert_int_equal(check.wait_count, 1);
		assert_int_equal(check.armed_count, 3 - without);
		memcpy(hits[2].record.branches, to + 2, 3 * sizeof(*to));
		hits[2].record.count = 3;
		hits[2].record.end = DEEP_END_FULL;
		assert_int_equal(deep_check_compare(&check, hits + without, 3 - without, true,
						    &first, blind, excursions),
				 0);
		assert_int_equal(first, 3);
		deep_check_clear(&check);
	}
}

/*
 * The word on the stack says that the return leads to 20, and the run's later hits are
 * those of the path, which returns to 28: both come to 2a, with the same stack. That the run took
 * the return to 28 must not be said.
 */
static void check_return_that_the_stack_contradicts(void **state)
{
	/* 00: jmp 10; 10: push %rbx; 11: je 16 (not taken); 13: nop...; 16: pop %rbx; 17: ret;
	 * 20: jmp 2a; 28: nop, nop; 2a: nop (the error) */
	static const uint8_t bytes[] = {
		[0x00] = 0xeb, 0x0e, [0x10] = 0x53, 0x74, 0x03,		 0x90, 0x90, 0x90,
		0x5b,	       0xc3, [0x20] = 0xeb, 0x08, [0x28] = 0x90, 0x90, 0x90};
	const struct why_branch to[] = {{AT(0x3f), AT(0)}, {AT(0), AT(0x10)}, {AT(0x17), AT(0x28)}};
	const struct deep_known path = {.branches = to, .count = 3, .end = AT(0x2a)};
	uint8_t kept[sizeof(code)];

	/* 1: all is the path's. 0: the stack has another word. 2: the run came to 13 by other code,
	 * and nothing says what the stack had. */
	for (int i = 2; i >= 0; i--) {
		const struct deep_hit with[] = {{.ip = AT(i == 2 ? 0x2a : 0x10),
						 .regs[PTREG_SP] = SP,
						 .top = AT(i == 1 ? 0x28 : 0x20)},
						{.ip = AT(0x13), .regs[PTREG_SP] = SP - 8},
						{.ip = AT(0x16), .regs[PTREG_SP] = SP - 8},
						{.ip = AT(0x2a), .regs[PTREG_SP] = SP + 8}};
		struct deep_check check;
		struct deep_blind blind[3];
		bool excursions[4];
		size_t first = 9;
		int passed;

		/* As if the word can be looked at at 10 alone: an older probe is there already. */
		refused[0] = AT(0x17);
		memcpy(kept, code, sizeof(kept));
		memset(code, 0x90, sizeof(code));
		memcpy(code, bytes, sizeof(bytes));
		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
		memcpy(code, kept, sizeof(kept));
		assert_int_equal(check.armed_count, 4);
		assert_true(is_armed(&check, 0x10) && is_armed(&check, 0x13) &&
			    is_armed(&check, 0x16));
		passed = deep_check_compare(&check, with, 4, true, &first, blind, excursions);
		assert_int_equal(passed, i == 1);
		/* Branch 2 is that return. */
		assert_true(i == 1 ? !first : first == 3 || blind[0].newer);
		deep_check_clear(&check);
	}
}

/*
 * An older probe is there already, as a record's: the one at the return can be relied on without
 * those in between.
 */
static void check_nearest_source_has_a_probe(void **state)
{
	/* 00: jmp 10; 10: push %rbx; 11: je 16 (not taken); 13: nop...; 16: pop %rbx; 17: ret;
	 * 20: jmp 2a; 28: nop, nop; 2a: nop (the error) */
	static const uint8_t bytes[] = {
		[0x00] = 0xeb, 0x0e, [0x10] = 0x53, 0x74, 0x03,		 0x90, 0x90, 0x90,
		0x5b,	       0xc3, [0x20] = 0xeb, 0x08, [0x28] = 0x90, 0x90, 0x90};
	const struct why_branch to[] = {{AT(0x3f), AT(0)}, {AT(0), AT(0x10)}, {AT(0x17), AT(0x28)}};
	const struct deep_known path = {.branches = to, .count = 3, .end = AT(0x2a)};
	const struct deep_hit with[] = {{.ip = AT(0x10), .regs[PTREG_SP] = SP, .top = AT(0x20)},
					{.ip = AT(0x13), .regs[PTREG_SP] = SP - 8},
					{.ip = AT(0x16), .regs[PTREG_SP] = SP - 8},
					{.ip = AT(0x17), .regs[PTREG_SP] = SP, .top = AT(0x20)},
					{.ip = AT(0x2a), .regs[PTREG_SP] = SP + 8}};
	uint8_t kept[sizeof(code)];
	struct deep_check check;
	struct deep_blind blind[3];
	bool excursions[4];
	size_t first = 9;

	memcpy(kept, code, sizeof(kept));
	memset(code, 0x90, sizeof(code));
	memcpy(code, bytes, sizeof(bytes));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	add_kprobe(&check, 0x10);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	assert_int_equal(check.armed_count, 5);
	assert_true(is_armed(&check, 0x17));
	assert_int_equal(deep_check_compare(&check, with, 5, true, &first, blind, excursions), 0);
	assert_true(first == 3 || blind[0].newer);
	deep_check_clear(&check);
}

/*
 * Between the probe and the indirect jump is code that does not lead to the next branch
 * (as of text that was patched meanwhile): what the register has behind it is not known.
 */
static void check_register_across_code_that_is_not_the_paths(void **state)
{
	/* 00: nop; 01: a NOP of 3 bytes; the path says that 02, in its middle, leads to 10;
	 * 10: jmp *%rax (to 28); 29: nop (the error) */
	static const uint8_t other[] = {
		0x90, 0x0f, 0x1f, 0x00, [0x10] = 0xff, 0xe0, [0x28] = 0x90, 0x90};
	const struct why_branch to[] = {{AT(0x3f), AT(0)}, {AT(2), AT(0x10)}, {AT(0x10), AT(0x28)}};
	const struct deep_known path = {.branches = to, .count = 3, .end = AT(0x29)};
	const struct deep_hit with[] = {
		{.ip = AT(0x00), .regs[PTREG_SP] = SP, .regs[PTREG_AX] = AT(0x28)},
		{.ip = AT(0x29), .regs[PTREG_SP] = SP}};
	uint8_t kept[sizeof(code)];
	struct deep_check check;
	struct deep_blind blind[3];
	bool excursions[4];
	size_t first = 9;

	memcpy(kept, code, sizeof(kept));
	memset(code, 0x90, sizeof(code));
	memcpy(code, other, sizeof(other));
	/* The kernel allows none at the jump, nor where the code is odd. */
	refused[0] = AT(0x10);
	refused[1] = AT(0x01);
	refused[2] = AT(0x04);
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	deep_check_compare(&check, with, 2, true, &first, blind, excursions);
	assert_true(first == 3 || blind[0].newer);
	deep_check_clear(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(check_indirect_branch_by_its_source, setup),
		cmocka_unit_test_setup(check_error_within_the_function_of_another_caller, setup),
		cmocka_unit_test_setup(check_return_by_a_thunk_that_calls, setup),
		cmocka_unit_test_setup(check_wait_is_left_out, setup),
		cmocka_unit_test_setup(check_retpoline_keeps_the_callers_call, setup),
		cmocka_unit_test_setup(check_calls_behind_two_retpolines, setup),
		cmocka_unit_test_setup(check_return_of_another_call, setup),
		cmocka_unit_test_setup(check_return_of_another_call_after_a_wait, setup),
		cmocka_unit_test_setup(check_return_that_the_stack_contradicts, setup),
		cmocka_unit_test_setup(check_nearest_source_has_a_probe, setup),
		cmocka_unit_test_setup(check_register_across_code_that_is_not_the_paths, setup),
	};

	return cmocka_run_group_tests(tests, setup_symbols, teardown_symbols);
}
