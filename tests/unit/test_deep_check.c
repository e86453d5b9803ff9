// SPDX-License-Identifier: GPL-2.0
/* src/why/deep/deep_check: where a path can be left, and whether a run that has probes there did */
#include "deep_code.h"

/* Of the other ways those that the path never comes by need one probe, the others two. */
static void check_probes_stand_on_both_ways(void **state)
{
	static const uint8_t wanted[] = {0x36, 0x0c, 0x0b, 0x20, 0x12};
	struct deep_check check;

	arm(&check, 100);
	for (size_t i = 0; i < sizeof(wanted); i++)
		assert_true(is_armed(&check, wanted[i]));
	assert_int_equal(check.armed_count, sizeof(wanted));
	deep_check_clear(&check);
}

static void check_all_hits_are_the_path(void **state)
{
	static const uint8_t hits[] = {0x0b, 0x0c, 0x36};
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];
	size_t first = 9;

	arm(&check, 100);
	assert_true(compare(&check, hits, 3, &first, blind, excursions));
	assert_int_equal(first, 0);
	assert_blind(blind, (bool[6]){}, 6);
	deep_check_clear(&check);
}

/* Each way to leave it, and how much is taken behind that. */
static void check_departures_are_seen(void **state)
{
	static const struct {
		uint8_t hits[8];
		size_t count;
		size_t first;
	} cases[] = {
		/* Behind the call, not taken; the one that skips an instruction, taken. */
		{{0x12, 0x0b, 0x0c, 0x36}, 4, 4},
		{{0x0c, 0x36}, 2, 4},
		{{0x20, 0x0b, 0x0c, 0x36}, 4, 4},
		/* The indirect branch went elsewhere, or came by twice. */
		{{0x0b, ELSEWHERE + 0x0c, 0x36}, 3, 6},
		{{0x0b, 0x0c, 0x0c, 0x36}, 4, 4},
		/* What is missing at the begin; what is too much there. */
		{{0x12, 0x13, 0x0b, 0x0c, 0x36}, 5, 4},
		{{0x36}, 1, 6},
		{{0x0b, 0x0c}, 2, 6},
	};
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];

	arm(&check, 100);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t first = 9;

		assert_false(
			compare(&check, cases[i].hits, cases[i].count, &first, blind, excursions));
		assert_int_equal(first, cases[i].first);
	}
	deep_check_clear(&check);
}

/* Without the entry what was hit before is of no matter; what is before the oldest is not told. */
static void check_path_without_entry(void **state)
{
	static const uint8_t ats[] = {0x12, 0x0c, 0x0b, 0x0c, 0x36};
	struct deep_hit hits[5];
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];
	size_t first = 9;

	arm(&check, 100);
	for (size_t i = 0; i < 5; i++)
		hits[i] = hit_at(ats[i]);
	assert_true(deep_check_compare(&check, hits, 5, false, &first, blind, excursions));
	assert_int_equal(first, 4);
	deep_check_clear(&check);
}

static void check_refused_stands_further_on_or_is_blind(void **state)
{
	static const uint8_t hits[] = {0x0b, 0x0c, 0x36};
	struct deep_hit with[3];
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];
	size_t first;

	/* NOP behind NOP is as good. */
	refused[0] = AT(0x12);
	arm(&check, 100);
	assert_true(is_armed(&check, 0x13));
	assert_true(compare(&check, hits, 3, &first, blind, excursions));
	assert_blind(blind, (bool[6]){}, 6);
	deep_check_clear(&check);
	/* Up to where the ways meet: RET stands in both. */
	refused[1] = AT(0x13);
	arm(&check, 100);
	assert_true(is_armed(&check, 0x14));
	assert_true(compare(&check, (const uint8_t[]){0x14, 0x0b, 0x0c, 0x36}, 4, &first, blind,
			    excursions));
	assert_blind(blind, (bool[6]){0, 0, 0, 1}, 6);
	/* A record of the run has that branch, and the one before it. */
	for (size_t i = 0; i < 3; i++)
		with[i] = hit_at(hits[i]);
	memcpy(with[0].record.branches, way + 1, 3 * sizeof(*way));
	with[0].record.count = 3;
	deep_check_clear(&check);
	refused[2] = AT(0x14);
	/* Then one stands where the caller goes on: there the run was on the path again. */
	arm(&check, 100);
	assert_true(is_armed(&check, 0x05));
	assert_true(compare(&check, (const uint8_t[]){0x05, 0x0b, 0x0c, 0x36}, 4, &first, blind,
			    excursions));
	assert_blind(blind, (bool[6]){0, 0, 0, 1}, 6);
	assert_int_equal(blind[3].newer, 2);
	deep_check_clear(&check);
	refused[3] = AT(0x05);
	arm(&check, 100);
	assert_true(deep_check_compare(&check, with, 3, true, &first, blind, excursions));
	/* It may have left the path there before, and have come back. */
	assert_blind(blind, (bool[6]){0, 0, 0, 1}, 6);
	memcpy(with[0].record.branches, way, 4 * sizeof(*way));
	with[0].record.count = 4;
	assert_true(deep_check_compare(&check, with, 3, true, &first, blind, excursions));
	assert_blind(blind, (bool[6]){}, 6);
	with[0].record.count = 2;
	memcpy(with[0].record.branches, way + 2, 2 * sizeof(*way));
	assert_true(deep_check_compare(&check, with, 3, true, &first, blind, excursions));
	assert_blind(blind, (bool[6]){0, 0, 0, 1}, 6);
	/* Another one before it was not the path's. */
	with[0].record.branches[0] = way[1];
	assert_false(deep_check_compare(&check, with, 3, true, &first, blind, excursions));
	assert_int_equal(first, 3);
	/* Another one from where the path comes by is a departure. */
	with[0].record.branches[1].from = AT(0x12);
	assert_false(deep_check_compare(&check, with, 3, true, &first, blind, excursions));
	assert_int_equal(first, 4);
	/* The record of the oldest hit that is the path's tells of what is before. */
	assert_false(deep_check_compare(&check, with, 3, false, &first, blind, excursions));
	assert_int_equal(first, 4);
	memcpy(with[0].record.branches, way + 2, 2 * sizeof(*way));
	assert_true(deep_check_compare(&check, with, 3, false, &first, blind, excursions));
	assert_int_equal(first, 2);
	with[0].record.branches[1] = (struct why_branch){AT(0x14), AT(0x06)};
	assert_false(deep_check_compare(&check, with, 3, true, &first, blind, excursions));
	assert_int_equal(first, 4);
	deep_check_clear(&check);
}

static void check_few_probes_go_to_the_newest(void **state)
{
	static const uint8_t hits[] = {0x0c, 0x36};
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];
	size_t first;

	arm(&check, 2);
	assert_int_equal(check.armed_count, 2);
	assert_true(compare(&check, hits, 2, &first, blind, excursions));
	assert_blind(blind, (bool[6]){0, 1, 0, 1, 0, 0}, 6);
	deep_check_clear(&check);
	/* The error itself can have none. */
	refused[0] = AT(0x36);
	arm(&check, 100);
	assert_int_equal(check.armed_count, 0);
	deep_check_clear(&check);
}

/* What cannot be read, or does not lead to the next branch, is blind. */
static void check_code_that_is_not_the_paths_is_blind(void **state)
{
	struct why_branch other[6];
	const struct deep_known odd = {.branches = other, .count = 6, .end = AT(0x36)};
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];
	size_t first = 9;

	memcpy(other, way, sizeof(way));
	other[1].to = AT(0x1000);
	other[2].from = AT(0x1010);
	other[5].from = AT(0x2f);
	assert_int_equal(deep_check_make(&text, symbols, &odd, true, &check), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	assert_false(deep_check_compare(&check, NULL, 0, true, &first, blind, excursions));
	assert_int_equal(first, 6);
	assert_blind(blind, (bool[6]){1, 0, 0, 1, 0, 0}, 6);
	deep_check_clear(&check);
}

/* Where the tracer has its place a kprobe would be a call. */
static void check_no_probe_on_the_tracers_place(void **state)
{
	/* 00: je 10 (not taken), nop (the error); 10: endbr64; nop of 5 bytes; push %rbp */
	static const uint8_t entry[] = {0x74, 0x0e, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
					0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xf3, 0x0f,
					0x1e, 0xfa, 0x0f, 0x1f, 0x44, 0x00, 0x00, 0x55, 0x90};
	const struct why_branch begin[] = {{AT(0x40), AT(0x00)}};
	const struct deep_known path = {.branches = begin, .count = 1, .end = AT(0x02)};
	uint8_t kept[sizeof(entry)];
	struct deep_check check;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, entry, sizeof(entry));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	assert_int_equal(check.armed_count, 2);
	assert_true(is_armed(&check, 0x19) && is_armed(&check, 0x02));
	deep_check_clear(&check);
}

/* A kprobe on an instruction that repeats itself is hit each time. */
static void check_no_probe_on_what_repeats_itself(void **state)
{
	/* 00: je 10 (not taken), nop (the error); 10: rep movsb, xor %eax,%eax */
	static const uint8_t copy[] = {0x74, 0x0e, 0x90, 0x90, 0x90, 0x90, 0x90,
				       0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
				       0x90, 0x90, 0xf3, 0xa4, 0x31, 0xc0, 0x90};
	const struct why_branch begin[] = {{AT(0x40), AT(0x00)}};
	const struct deep_known path = {.branches = begin, .count = 1, .end = AT(0x02)};
	uint8_t kept[sizeof(copy)];
	struct deep_check check;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, copy, sizeof(copy));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	assert_int_equal(check.armed_count, 2);
	assert_true(is_armed(&check, 0x12) && is_armed(&check, 0x02));
	deep_check_clear(&check);
}

/*
 *	00: je 2a	(not taken)
 *	02: call 20
 *	07: jne 0c	(taken)
 *	0c: nop		(the error)
 *	20: je 26	(not taken: the other way lets others run), nop, ret
 *	26: nop, ret
 */
static const uint8_t lets_run[] = {0x74, 0x28, 0xe8, 0x19, 0x00, 0x00, 0x00, 0x75, 0x03, 0x90, 0x90,
				   0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
				   0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x74,
				   0x04, 0x90, 0xc3, 0x90, 0x90, 0x90, 0xc3, 0x90, 0x90, 0x90};
static const struct why_branch by_it[] = {
	{AT(0x3f), AT(0)}, {AT(2), AT(0x20)}, {AT(0x23), AT(7)}, {AT(7), AT(0x0c)}};

/* Behind a view or not: what @view says of the error. */
static void arm_by_it(struct deep_check *check, bool view)
{
	static const struct deep_known path = {.branches = by_it, .count = 4, .end = AT(0x0c)};
	uint8_t kept[sizeof(lets_run)];
	struct symbols *here =
		symbol_table("ffffffff81000000 T f\nffffffff81000020 T __cond_resched\n"
			     "ffffffff81000028 T rest\n");

	assert_non_null(here);
	memcpy(kept, code, sizeof(kept));
	memcpy(code, lets_run, sizeof(lets_run));
	assert_int_equal(deep_check_make(&text, here, &path, true, check), 0);
	if (view)
		assert_int_equal(deep_check_view(check, AT(0x0c)), 0);
	assert_int_equal(deep_check_arm(check, &text, 100, 16, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	check->symbols = symbols;
	symbols_close(here);
}

/* Another task ran, and the call went on where the path does. */
static void check_others_ran(void **state)
{
	static const struct {
		uint8_t hits[4];
		int16_t deep[4];
		size_t count;
		int passed;
		bool excursions;
	} cases[] = {
		{{0x0c}, {0}, 1, 1, false},
		{{0x26, 0x0c}, {0x10, 0}, 2, 1, true},
		/* What it hit meanwhile. */
		{{0x26, 0x2a, 0x2a, 0x0c}, {0x10, 0x80, 0x110, 0}, 4, 1, true},
		/* How far down the path's other way was hit does not tell who was there. */
		{{0x26, 0x09, 0x0c}, {0x10, 0x80, 0}, 3, 0, false},
		{{0x26, 0x2a, 0x09, 0x0c}, {0x10, 0x80, 0x110, 0}, 4, 0, false},
		/* A way round that comes by the next hit of the path twice. */
		{{0x26, 0x0c, 0x2a, 0x0c}, {0x10, 0x80, 0x80, 0}, 4, 0, false},
		/* What its caller, and what that calls then, hit before and afterwards. */
		{{0x26, 0x09, 0x0c}, {0x10, 0, 0}, 3, 0, false},
		{{0x26, 0x09, 0x0c}, {0x10, 0x18, 0}, 3, 0, false},
		{{0x2a, 0x26, 0x0c}, {0, 0x10, 0}, 3, 0, true},
		/* The path comes by it once. */
		{{0x26, 0x26, 0x0c}, {0x10, 0x10, 0}, 3, 0, true},
	};
	struct deep_check check;
	struct deep_blind blind[4];
	bool excursions[5];
	size_t first;

	arm_by_it(&check, false);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct deep_hit hits[4] = {};

		for (size_t k = 0; k < cases[i].count; k++) {
			hits[k].ip = AT(cases[i].hits[k]);
			hits[k].regs[PTREG_SP] = SP - (uint64_t)cases[i].deep[k];
		}
		assert_int_equal(deep_check_compare(&check, hits, cases[i].count, true, &first,
						    blind, excursions),
				 cases[i].passed);
		assert_blind(blind, (bool[4]){}, 4);
		assert_memory_equal(excursions, ((bool[5]){[2] = cases[i].excursions}), 5);
		assert_true(cases[i].passed ? !first : first > 0);
	}
	deep_check_clear(&check);
}

/* The record behind that has nothing of what was before: there kprobes have to tell. */
static void check_others_ran_in_a_record(void **state)
{
	struct deep_hit hits[2] = {{.ip = AT(0x26), .regs[PTREG_SP] = SP - 16},
				   {.ip = AT(0x0c), .regs[PTREG_SP] = SP}};
	struct deep_record *record = &hits[1].record;
	struct deep_check check;
	struct deep_blind blind[4];
	bool excursions[5];
	size_t first;

	arm_by_it(&check, true);
	assert_true(is_armed(&check, 0x26) && is_armed(&check, 0x2a) && !is_armed(&check, 0x09));
	record->branches[0] = (struct why_branch){AT(0x27), AT(7)};
	record->branches[1] = by_it[3];
	record->count = 2;
	record->end = DEEP_END_RESUMED;
	record->resumed = AT(0x27);
	record->resumer = DEEP_RESUMER_INT3;
	assert_int_equal(deep_check_compare(&check, hits, 2, true, &first, blind, excursions), 1);
	assert_int_equal(first, 0);
	assert_true(excursions[2]);
	/* It says that the run did not go there. */
	record->branches[0] = by_it[2];
	assert_int_equal(deep_check_compare(&check, hits, 2, true, &first, blind, excursions), 0);
	assert_false(excursions[2]);
	deep_check_clear(&check);
}

/*
 *	00: call 20
 *	05: nop, nop
 *	07: nop		(the error)
 *	20: subl $1, 0x7fc(%rdi)
 *	27: jne 31	(not taken: the outermost section)
 *	29: mov (%rdi), %eax; test %eax, %eax
 *	2d: jne 33	(not taken)
 *	31: ret
 *	33: jmp 38
 *	38: nop, ret
 */
static const uint8_t unlocks[] = {
	0xe8, 0x1b, 0x00, 0x00, 0x00, 0x90, 0x90, 0x90, [0x20] = 0x83, 0xaf,	      0xfc,
	0x07, 0x00, 0x00, 0x01, 0x75, 0x08, 0x8b, 0x07, 0x85,	       0xc0,	      0x75,
	0x04, 0x90, 0x90, 0xc3, 0x90, 0xeb, 0x03, 0x90, 0x90,	       [0x38] = 0x90, 0xc3};

/* Where each kprobe's handler comes by none may stand. */
static int probe_no_handler(void *ctx, uint64_t addr)
{
	return addr >= AT(0x20) && addr < AT(0x38) ? -EINVAL : 0;
}

/* The path itself decides which section is the outermost; the rest is told from outside. */
static void check_rcu_read_unlock(void **state)
{
	static const struct why_branch branches[] = {
		{AT(0x3f), AT(0)}, {AT(0), AT(0x20)}, {AT(0x31), AT(5)}};
	static const struct deep_known path = {.branches = branches, .count = 3, .end = AT(7)};
	static const struct {
		uint8_t hits[2];
		bool excursion;
	} cases[] = {{{0x07}, false}, {{0x38, 0x07}, true}};
	struct symbols *here =
		symbol_table("ffffffff81000000 T f\nffffffff81000020 T __rcu_read_unlock\n"
			     "ffffffff81000038 T rcu_read_unlock_special\n");
	uint8_t kept[sizeof(unlocks)];
	struct deep_blind blind[3];
	bool excursions[4];
	struct deep_check check;
	size_t first;

	assert_non_null(here);
	memcpy(kept, code, sizeof(kept));
	memcpy(code, unlocks, sizeof(unlocks));
	/* What was before may have begun a section. */
	assert_int_equal(deep_check_make(&text, here, &path, false, &check), 0);
	assert_int_equal(check.fork_count, 2);
	deep_check_clear(&check);
	assert_int_equal(deep_check_make(&text, here, &path, true, &check), 0);
	assert_int_equal(check.fork_count, 1);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe_no_handler, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	/* The return of the entry is not known to be the path's own: a fork, too. */
	assert_true(is_armed(&check, 0x07) && is_armed(&check, 0x38));
	for (size_t i = 0; i < check.armed_count; i++)
		assert_true(check.armed[i] < AT(0x20) || check.armed[i] >= AT(0x38));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct deep_hit hits[2] = {};
		size_t count = 0;

		for (; count < 2 && cases[i].hits[count]; count++) {
			hits[count].ip = AT(cases[i].hits[count]);
			hits[count].regs[PTREG_SP] = SP - (cases[i].hits[count] == 0x38 ? 8 : 0);
		}
		assert_int_equal(
			deep_check_compare(&check, hits, count, true, &first, blind, excursions),
			1);
		assert_blind(blind, (bool[3]){}, 3);
		assert_int_equal(excursions[1], cases[i].excursion);
	}
	deep_check_clear(&check);
	symbols_close(here);
}

/* The other way begins with a call, which can have none: what is called then has it. */
static void check_probe_behind_a_call(void **state)
{
	/* 00: je 10 (not taken), 02: nop (the error); 10: call 20; 20: nop */
	static const uint8_t calls[] = {0x74, 0x0e, 0x90, [0x10] = 0xe8, 0x0b,
					0x00, 0x00, 0x00, [0x20] = 0x90};
	static const struct why_branch branch = {AT(0x3f), AT(0)};
	static const struct deep_known path = {.branches = &branch, .count = 1, .end = AT(2)};
	uint8_t kept[sizeof(calls)];
	struct deep_check check;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, calls, sizeof(calls));
	refused[0] = AT(0x10);
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	assert_true(is_armed(&check, 0x20) && !is_armed(&check, 0x10));
	deep_check_clear(&check);
}

/*
 * preempt_enable() where the kernel lets nobody run: a branch to what does nothing, and back.
 *
 *	00: je 2a	(not taken)
 *	02: jne 30	(taken)
 *	10: nop		(the error)		10: nop		(the error)
 *	20: nopl, jmp 39			20: nopl, jmp 10
 *	30: decl %gs:(%rip)
 *	37: je 20	(not taken)		37: je 20	(not taken)
 *	39: nop, je 2a	(not taken)		39: jmp 10
 *	3c: jne 10	(taken)
 */
static const struct {
	uint8_t code[0x3e];
	struct why_branch way[3];
	struct why_branch back;
} preempts[] = {
	{{0x74, 0x28, 0x75, 0x2c, 0x90, 0x90, 0x90,	     0x90, 0x90, 0x90, 0x90,
	  0x90, 0x90, 0x90, 0x90, 0x90, 0x90, [0x20] = 0x0f, 0x1f, 0x44, 0x00, 0x00,
	  0xeb, 0x12, 0x90, 0x90, 0x90, 0x90, [0x30] = 0x65, 0xff, 0x0d, 0x00, 0x00,
	  0x00, 0x00, 0x74, 0xe7, 0x90, 0x74, 0xee,	     0x75, 0xd2},
	 {{AT(0x3f), AT(0)}, {AT(2), AT(0x30)}, {AT(0x3c), AT(0x10)}},
	 {AT(0x25), AT(0x39)}},
	{{0x74, 0x28, 0x75, 0x2c, 0x90, 0x90, 0x90,	     0x90, 0x90, 0x90, 0x90,
	  0x90, 0x90, 0x90, 0x90, 0x90, 0x90, [0x20] = 0x0f, 0x1f, 0x44, 0x00, 0x00,
	  0xeb, 0xe9, 0x90, 0x90, 0x90, 0x90, [0x30] = 0x65, 0xff, 0x0d, 0x00, 0x00,
	  0x00, 0x00, 0x74, 0xe7, 0xeb, 0xd5, 0x90,	     0x90, 0x90},
	 {{AT(0x3f), AT(0)}, {AT(2), AT(0x30)}, {AT(0x39), AT(0x10)}},
	 {AT(0x25), AT(0x10)}},
};

static void arm_preempt(struct deep_check *check, size_t number, size_t count, unsigned int end,
			bool view)
{
	const struct deep_known path = {
		.branches = preempts[number].way, .count = count, .end = AT(end)};
	uint8_t kept[0x3e];

	memcpy(kept, code, sizeof(kept));
	memcpy(code, preempts[number].code, sizeof(kept));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, check), 0);
	if (view)
		assert_int_equal(deep_check_view(check, AT(end)), 0);
	assert_int_equal(deep_check_arm(check, &text, 100, 16, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
}

/* Records have two branches more; a kprobe there is hit. */
static void check_others_wanted_to_run(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(preempts); i++) {
		const struct why_branch *path = preempts[i].way;
		bool is_jump = path[2].from == AT(0x39);
		struct deep_hit hit = {.ip = AT(0x10)},
				hits[2] = {{.ip = AT(0x25), .regs[PTREG_SP] = SP}, hit};
		struct deep_record *record = &hit.record;
		struct deep_check check;
		struct deep_blind blind[3];
		bool excursions[4];
		size_t first;

		arm_preempt(&check, i, 3, 0x10, true);
		assert_int_equal(check.armed_count, 1);
		memcpy(record->branches, path, 3 * sizeof(*path));
		record->count = 3;
		assert_int_equal(
			deep_check_compare(&check, &hit, 1, true, &first, blind, excursions), 1);
		assert_memory_equal(excursions, ((bool[4]){}), 4);
		record->branches[2] = (struct why_branch){AT(0x37), AT(0x20)};
		record->branches[3] = preempts[i].back;
		record->branches[4] = path[2];
		record->count = is_jump ? 4 : 5;
		assert_int_equal(
			deep_check_compare(&check, &hit, 1, true, &first, blind, excursions), 1);
		assert_int_equal(first, 0);
		assert_memory_equal(excursions, ((bool[4]){[1] = true}), 4);
		/* From elsewhere; another way before that. */
		record->branches[2].from = AT(0x39);
		assert_int_equal(
			deep_check_compare(&check, &hit, 1, true, &first, blind, excursions), 0);
		record->branches[2].from = AT(0x37);
		record->branches[1].from = AT(0);
		assert_int_equal(
			deep_check_compare(&check, &hit, 1, true, &first, blind, excursions), 0);
		deep_check_clear(&check);

		arm_preempt(&check, i, 3, 0x10, false);
		assert_true(is_armed(&check, 0x25) && is_armed(&check, 0x2a));
		assert_int_equal(
			deep_check_compare(&check, hits, 2, true, &first, blind, excursions), 1);
		assert_memory_equal(excursions, ((bool[4]){[1] = true}), 4);
		assert_blind(blind, (bool[3]){}, 3);
		hits[0].ip = AT(0x2a);
		assert_int_equal(
			deep_check_compare(&check, hits, 2, true, &first, blind, excursions), 0);
		deep_check_clear(&check);
	}
}

/* The error is in the block where that is: no branch of the path is newer. */
static void check_others_wanted_to_run_behind_the_newest_branch(void **state)
{
	const struct why_branch *path = preempts[0].way;
	struct deep_hit hits[2] = {{.ip = AT(0x25), .regs[PTREG_SP] = SP},
				   {.ip = AT(0x39), .regs[PTREG_SP] = SP}};
	struct deep_record *record = &hits[1].record;
	struct deep_check check;
	struct deep_blind blind[2];
	bool excursions[3];
	size_t first;

	arm_preempt(&check, 0, 2, 0x39, false);
	assert_true(is_armed(&check, 0x25));
	assert_int_equal(deep_check_compare(&check, hits, 2, true, &first, blind, excursions), 1);
	assert_int_equal(first, 0);
	assert_memory_equal(excursions, ((bool[3]){true}), 3);
	deep_check_clear(&check);

	arm_preempt(&check, 0, 2, 0x39, true);
	assert_false(is_armed(&check, 0x25));
	memcpy(record->branches, path, 2 * sizeof(*path));
	record->branches[2] = (struct why_branch){AT(0x37), AT(0x20)};
	record->branches[3] = preempts[0].back;
	record->count = 4;
	assert_int_equal(deep_check_compare(&check, hits + 1, 1, true, &first, blind, excursions),
			 1);
	assert_int_equal(first, 0);
	assert_memory_equal(excursions, ((bool[3]){true}), 3);
	deep_check_clear(&check);
}

/* What only looks like that: a run that went there is not one that took the path. */
static void check_other_ways_do_something(void **state)
{
	static const struct {
		size_t preempt;
		uint8_t end;
		struct why_branch back;
		uint8_t at;
		uint8_t count;
		uint8_t code[29];
		bool is_quiet;
	} cases[] = {
		/* As it is; decl %gs:(%rbx), and MOV twice, which change no flag. */
		{0, 0x10, {AT(0x25), AT(0x39)}, 0, 0, {}, true},
		{1, 0x10, {AT(0x25), AT(0x10)}, 0, 0, {}, true},
		{0,
		 0x10,
		 {AT(0x25), AT(0x39)},
		 0x30,
		 7,
		 {0x65, 0xff, 0x0b, 0x89, 0xc0, 0x89, 0xc0},
		 true},
		/* The branch asks for something else, the NOP is a static key's: cmp $0,%rax; */
		{0, 0x10, {AT(0x25), AT(0x39)}, 0x30, 7, {0x48, 0x81, 0xf8}, false},
		/* incl %gs:(%rip); decl %cs:(%rip); NOP, and decl %gs:%eax; */
		{0, 0x10, {AT(0x25), AT(0x39)}, 0x30, 7, {0x65, 0xff, 0x05}, false},
		{0, 0x10, {AT(0x25), AT(0x39)}, 0x30, 7, {0x2e, 0xff, 0x0d}, false},
		{0,
		 0x10,
		 {AT(0x25), AT(0x39)},
		 0x30,
		 7,
		 {0x0f, 0x1f, 0x40, 0, 0x65, 0xff, 0xc8},
		 false},
		/* decl %gs:(%rbx); test %eax,%eax; mov %eax,%eax. */
		{0,
		 0x10,
		 {AT(0x25), AT(0x39)},
		 0x30,
		 7,
		 {0x65, 0xff, 0x0b, 0x85, 0xc0, 0x89, 0xc0},
		 false},
		/* Behind the NOP: xor %ebx,%ebx; mov %eax,%ebx. */
		{0, 0x10, {AT(0x27), AT(0x39)}, 0x25, 4, {0x31, 0xdb, 0xeb, 0x10}, false},
		{1, 0x10, {AT(0x27), AT(0x10)}, 0x25, 4, {0x89, 0xc3, 0xeb, 0xe7}, false},
		/* On the path, up to where the other way comes back: push %rax. */
		{0,
		 0x10,
		 {AT(0x25), AT(0x3a)},
		 0x25,
		 21,
		 {0xeb, 0x13, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
		  0x65, 0xff, 0x0d, 0,	  0,	0,    0,    0x74, 0xe7, 0x50},
		 false},
		/* On both ways: xor %ebx,%ebx; mov 0(%rip),%ebx, which is other memory there. */
		{0,
		 0x10,
		 {AT(0x27), AT(0x3b)},
		 0x25,
		 23,
		 {0x31, 0xdb, 0xeb, 0x12, [0x0b] = 0x65, 0xff, 0x0d, 0, 0, 0, 0, 0x74, 0xe7, 0x31,
		  0xdb, 0x90},
		 true},
		{1,
		 0x16,
		 {AT(0x2b), AT(0x16)},
		 0x10,
		 29,
		 {0x8b, 0x1d, 0,    0, 0, 0, 0x90, [0x10] = 0x0f, 0x1f, 0x44, 0,
		  0,	0x8b, 0x1d, 0, 0, 0, 0,	   0xeb,	  0xe9},
		 false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t kept[sizeof(code)];
		const struct why_branch *branches = preempts[cases[i].preempt].way;
		const struct deep_known path = {
			.branches = branches, .count = 3, .end = AT(cases[i].end)};
		struct deep_hit hit = {.ip = AT(cases[i].end)};
		struct deep_record *record = &hit.record;
		struct deep_check check;
		struct deep_blind blind[3];
		bool excursions[4];
		size_t first;

		memcpy(kept, code, sizeof(kept));
		memcpy(code, preempts[cases[i].preempt].code, sizeof(preempts[0].code));
		memcpy(code + cases[i].at, cases[i].code, cases[i].count);
		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_view(&check, AT(cases[i].end)), 0);
		assert_int_equal(deep_check_arm(&check, &text, 100, 16, probe, NULL), 0);
		memcpy(code, kept, sizeof(kept));
		memcpy(record->branches, branches, 2 * sizeof(*branches));
		record->branches[2] = (struct why_branch){AT(0x37), AT(0x20)};
		record->branches[3] = cases[i].back;
		record->branches[4] = branches[2];
		record->count = cases[i].preempt ? 4 : 5;
		assert_int_equal(
			deep_check_compare(&check, &hit, 1, true, &first, blind, excursions),
			cases[i].is_quiet);
		assert_int_equal(excursions[1], cases[i].is_quiet);
		deep_check_clear(&check);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(check_probes_stand_on_both_ways, setup),
		cmocka_unit_test_setup(check_all_hits_are_the_path, setup),
		cmocka_unit_test_setup(check_departures_are_seen, setup),
		cmocka_unit_test_setup(check_path_without_entry, setup),
		cmocka_unit_test_setup(check_refused_stands_further_on_or_is_blind, setup),
		cmocka_unit_test_setup(check_few_probes_go_to_the_newest, setup),
		cmocka_unit_test_setup(check_code_that_is_not_the_paths_is_blind, setup),
		cmocka_unit_test_setup(check_no_probe_on_the_tracers_place, setup),
		cmocka_unit_test_setup(check_no_probe_on_what_repeats_itself, setup),
		cmocka_unit_test_setup(check_others_ran, setup),
		cmocka_unit_test_setup(check_others_ran_in_a_record, setup),
		cmocka_unit_test_setup(check_rcu_read_unlock, setup),
		cmocka_unit_test_setup(check_probe_behind_a_call, setup),
		cmocka_unit_test_setup(check_others_wanted_to_run, setup),
		cmocka_unit_test_setup(check_others_wanted_to_run_behind_the_newest_branch, setup),
		cmocka_unit_test_setup(check_other_ways_do_something, setup),
	};

	return cmocka_run_group_tests(tests, setup_symbols, teardown_symbols);
}
