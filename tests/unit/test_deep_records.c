// SPDX-License-Identifier: GPL-2.0
/* src/why/deep/deep_check: what the records of a checked run tell, and where a kprobe is that they
 * begin at */
#include "deep_code.h"

/* A kprobe on a branch does what it would have done: no record has that branch. */
static void check_kprobe_on_a_branch(void **state)
{
	static const struct {
		uint64_t from; /* 0: none is recorded before the newest */
		uint64_t resumed;
		enum deep_resumer resumer;
		bool known;
	} cases[] = {
		{0, AT(0x14), DEEP_RESUMER_INT3, true},
		/* By another branch the run may have come there, and been interrupted. */
		{0, AT(0x14), DEEP_RESUMER_UNKNOWN, false},
		/* It went elsewhere, and came to the same code. */
		{0, AT(0x12), DEEP_RESUMER_INT3, false},
		/* So does the code that a kprobe jumps to. */
		{KPROBE_CODE, 0, DEEP_RESUMER_UNKNOWN, true},
		/* A function that is not the path's may have come back there, too. */
		{AT(0x200000), 0, DEEP_RESUMER_UNKNOWN, false},
		{MODULE, 0, DEEP_RESUMER_UNKNOWN, false},
	};
	const struct deep_known path = {.branches = way, .count = 4, .end = AT(0x05)};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct deep_hit with[2] = {hit_at(0x10), hit_at(0x05)};
		struct deep_record *record = &with[1].record;
		struct deep_check check;
		struct deep_blind blind[4] = {};
		bool excursions[5];
		size_t first = 9;

		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_view(&check, AT(0x05)), 0);
		assert_int_equal(deep_check_arm(&check, &text, 1, 4, probe, NULL), 0);
		/* As if there were one at the conditional branch alone. */
		add_kprobe(&check, 0x10);
		if (cases[i].from)
			record->branches[record->count++] =
				(struct why_branch){cases[i].from, AT(0x14)};
		record->branches[record->count++] = way[3];
		record->end = cases[i].from ? DEEP_END_FULL : DEEP_END_RESUMED;
		record->resumed = cases[i].resumed;
		record->resumer = cases[i].resumer;
		deep_check_compare(&check, with, 2, false, &first, blind, excursions);
		assert_int_equal(first <= 2 && !blind[1].newer, cases[i].known);
		deep_check_clear(&check);
	}
}

/*
 * Behind a probe, round a loop three times. An interrupt in the loop ends the record, as the
 * probe's handler does: the run may have gone round it more often.
 */
static void check_interrupt_in_a_loop_behind_a_probe(void **state)
{
	static const struct {
		bool view;
		uint8_t resumed;
		bool passed;
	} cases[] = {
		{true, 0x02, true},
		{true, 0x03, false},
		{true, 0x04, false},
		/* The instruction behind a kprobe is in the loop itself. */
		{false, 0x02, false},
		{false, 0x03, false},
		{false, 0x04, false},
	};
	/* 00: nop, nop; 02: nop (the probe); 03: nop; 04: jne 3; 06: nop (the error) */
	static const uint8_t loop[] = {0x90, 0x90, 0x90, 0x90, 0x75, 0xfd, 0x90};
	const struct why_branch round[] = {
		{AT(0x3f), AT(0)}, {AT(4), AT(3)}, {AT(4), AT(3)}, {AT(4), AT(3)}};
	const struct deep_known path = {.branches = round, .count = 4, .end = AT(6)};
	uint8_t kept[sizeof(loop)];

	memcpy(kept, code, sizeof(kept));
	memcpy(code, loop, sizeof(loop));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct deep_hit with[2] = {{.ip = AT(2)}, {.ip = AT(6)}};
		struct deep_record *record = &with[1].record;
		struct deep_check check;
		struct deep_blind blind[4];
		bool excursions[5];
		size_t first = 9;

		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_view(&check, AT(6)), 0);
		if (cases[i].view)
			assert_int_equal(deep_check_view(&check, AT(2)), 0);
		else
			add_kprobe(&check, 2);
		/* Behind a kprobe no record can tell: it is asked for one in the loop. */
		refused[0] = AT(3);
		refused[1] = AT(4);
		assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
		assert_int_equal(check.forks[0].tried, !cases[i].view);
		assert_int_equal(check.armed_count, 2);
		memcpy(record->branches, round + 1, 3 * sizeof(*round));
		record->count = 3;
		record->end = DEEP_END_RESUMED;
		record->resumed = AT(cases[i].resumed);
		assert_int_equal(
			deep_check_compare(&check, with, 2, true, &first, blind, excursions),
			cases[i].passed || !cases[i].view);
		assert_int_equal(first > 0, !cases[i].passed && cases[i].view);
		assert_int_equal(blind[0].newer > 0, !cases[i].passed);
		/* The code in a kprobe's place is no interrupt. */
		memmove(record->branches + 1, record->branches, 3 * sizeof(*round));
		record->branches[0] = (struct why_branch){KPROBE_CODE, AT(cases[i].resumed)};
		record->count = 4;
		record->end = DEEP_END_FULL;
		assert_int_equal(
			deep_check_compare(&check, with, 2, true, &first, blind, excursions),
			!cases[i].view);
		/* As records have it: that code is left out of them. */
		memcpy(record->branches, round + 1, 3 * sizeof(*round));
		record->count = 3;
		record->end = DEEP_END_RESUMED;
		record->resumer = DEEP_RESUMER_KPROBE_CODE;
		assert_int_equal(
			deep_check_compare(&check, with, 2, true, &first, blind, excursions),
			!cases[i].view);
		if (!cases[i].view)
			assert_blind(blind, (bool[4]){}, 4);
		deep_check_clear(&check);
	}
	memcpy(code, kept, sizeof(kept));
}

/* Where the path comes by once the handler's return is known by where it leads to, and no nearer.
 */
static void check_handler_of_a_kprobe_returns_to_the_next_instruction(void **state)
{
	/* 00: nop, nop; 02: nop (the kprobe); 03: nop; 04: je 0 (not taken); 06: jmp 10 */
	static const uint8_t straight[] = {0x90, 0x90, 0x90, 0x90, 0x74, 0xfa, 0xeb, 0x08};
	const struct why_branch to[] = {{AT(0x3f), AT(0)}, {AT(6), AT(0x10)}};
	const struct deep_known path = {.branches = to, .count = 2, .end = AT(0x10)};
	struct deep_hit with[2] = {{.ip = AT(2)}, {.ip = AT(0x10)}};
	struct deep_record *record = &with[1].record;
	uint8_t kept[sizeof(code)];
	struct deep_check check;
	struct deep_blind blind[2];
	bool excursions[3];
	size_t first = 9;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, straight, sizeof(straight));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x10)), 0);
	add_kprobe(&check, 2);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	record->branches[0] = to[1];
	record->count = 1;
	record->end = DEEP_END_RESUMED;
	for (uint64_t resumed = AT(2); resumed < AT(7); resumed++) {
		record->resumed = resumed;
		assert_int_equal(
			deep_check_compare(&check, with, 2, true, &first, blind, excursions),
			resumed == AT(3));
	}
	deep_check_clear(&check);
}

/*
 * A run can be behind a kprobe a second time, and not be hit: what returned there tells whether the
 * record has all that it did.
 */
static void check_record_tells_whether_a_kprobe_returned(void **state)
{
	/* 00: nop, nop; 02: nop (the kprobe); 03: nop; 04: je 3 (not taken); 06: jmp 10 */
	static const uint8_t back[] = {0x90, 0x90, 0x90, 0x90, 0x74, 0xfd, 0xeb, 0x08};
	static const struct {
		enum deep_resumer resumer;
		bool known;
	} cases[] = {
		{DEEP_RESUMER_UNKNOWN, false},
		{DEEP_RESUMER_INT3, true},
		{DEEP_RESUMER_OTHER, false},
	};
	const struct why_branch to[] = {{AT(0x3f), AT(0)}, {AT(6), AT(0x10)}};
	const struct deep_known path = {.branches = to, .count = 2, .end = AT(0x10)};
	struct deep_hit with[2] = {{.ip = AT(2)}, {.ip = AT(0x10)}};
	struct deep_record *record = &with[1].record;
	uint8_t kept[sizeof(code)];
	struct deep_check check;
	struct deep_blind blind[2];
	bool excursions[3];
	size_t first = 9;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, back, sizeof(back));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x10)), 0);
	add_kprobe(&check, 2);
	/* A deep record will have the handler's return, a shallow one not. */
	assert_int_equal(deep_check_shown_from(&check, check.step_count - 1, 2, 16), 2);
	assert_int_equal(deep_check_shown_from(&check, check.step_count - 1, 2, 4), 5);
	refused[0] = AT(3);
	refused[1] = AT(4);
	refused[2] = AT(6);
	assert_int_equal(deep_check_arm(&check, &text, 100, 16, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	record->branches[0] = to[1];
	record->count = 1;
	record->end = DEEP_END_RESUMED;
	record->resumed = AT(3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record->resumer = cases[i].resumer;
		assert_int_equal(
			deep_check_compare(&check, with, 2, true, &first, blind, excursions),
			cases[i].known);
	}
	deep_check_clear(&check);
}

/*
 * The other way of a fork comes back to behind the kprobe, by more code than find_leads() looks at.
 * An interrupt's return there must not be taken for the kprobe's.
 */
static void check_long_way_back_behind_a_kprobe(void **state)
{
	/* 00: nop, nop; 02: nop (the kprobe); 03: nop; 04: je 20 (not taken); 06: jmp 10; 10: the
	 * error 20: nop * 5; jmp 3. Or 20: jne 3; jmp 38. Or 20: ret */
	static const struct {
		const char *way;
		enum deep_resumer resumer;
		bool known;
	} cases[] = {
		{"\x90\x90\x90\x90\x90\xeb\xdc", DEEP_RESUMER_UNKNOWN, false},
		{"\x75\xe1\xeb\x14\x90\x90\x90", DEEP_RESUMER_UNKNOWN, false},
		{"\x75\xe1\xeb\x14\x90\x90\x90", DEEP_RESUMER_OTHER, false},
		{"\x75\xe1\xeb\x14\x90\x90\x90", DEEP_RESUMER_INT3, true},
		/* The run cannot come by a second time: an interrupt came just then. */
		{"\xc3\x90\x90\x90\x90\x90\x90", DEEP_RESUMER_OTHER, true},
		{"\xc3\x90\x90\x90\x90\x90\x90", DEEP_RESUMER_UNKNOWN, true},
	};
	static const uint8_t back[] = {0x90, 0x90, 0x90, 0x90, 0x74, 0x1a, 0xeb, 0x08};
	const struct why_branch to[] = {{AT(0x3f), AT(0)}, {AT(6), AT(0x10)}};
	const struct deep_known path = {.branches = to, .count = 2, .end = AT(0x10)};
	uint8_t kept[sizeof(code)];

	memcpy(kept, code, sizeof(kept));
	/* No probe tells that the run took the other way. */
	for (uint8_t i = 0; i < 7; i++)
		refused[i] = AT(0x20 + i);
	refused[7] = AT(3);
	refused[8] = AT(4);
	refused[9] = AT(6);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct deep_hit with[2] = {{.ip = AT(2), .regs[PTREG_SP] = SP},
					   {.ip = AT(0x10), .regs[PTREG_SP] = SP}};
		struct deep_record *record = &with[1].record;
		struct deep_check check;
		struct deep_blind blind[2];
		bool excursions[3];
		size_t first = 9;

		memcpy(code, back, sizeof(back));
		memcpy(code + 0x20, cases[i].way, 7);
		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_view(&check, AT(0x10)), 0);
		add_kprobe(&check, 2);
		assert_int_equal(deep_check_arm(&check, &text, 100, 2, probe, NULL), 0);
		memcpy(code, kept, sizeof(kept));
		record->branches[0] = to[1];
		record->count = 1;
		record->end = DEEP_END_RESUMED;
		record->resumed = AT(3);
		record->resumer = cases[i].resumer;
		assert_int_equal(
			deep_check_compare(&check, with, 2, true, &first, blind, excursions) &&
				!first && !blind[0].newer,
			cases[i].known);
		deep_check_clear(&check);
	}
}

/*
 * The record shows the last round alone of a loop that goes by code that the path has not: its fork
 * needs a probe, or a kprobe that the record begins at.
 */
static void check_loop_by_code_that_the_path_has_not(void **state)
{
	/* 00: nop, nop; 02: je 38 (not taken); 04: jmp 10; 10: jmp 14; 14: je 20 (not taken);
	 * 16: jmp 18; 18: the error; 20: nop * 5, jmp 1 */
	static const uint8_t loop[] = {0x90, 0x90,	    0x74, 0x34, 0xeb, 0x0a, [0x10] = 0xeb,
				       0x02, [0x14] = 0x74, 0x0a, 0xeb, 0x00, 0x90, [0x20] = 0x90,
				       0x90, 0x90,	    0x90, 0x90, 0xeb, 0xda};
	const struct why_branch to[] = {
		{AT(0x3f), AT(0)}, {AT(4), AT(0x10)}, {AT(0x10), AT(0x14)}, {AT(0x16), AT(0x18)}};
	const struct deep_known path = {.branches = to, .count = 4, .end = AT(0x18)};
	uint8_t kept[sizeof(code)];

	memcpy(kept, code, sizeof(kept));
	for (int probes = 0; probes < 2; probes++) {
		struct deep_hit hit = {.ip = AT(0x18), .regs[PTREG_SP] = SP};
		struct deep_check check;
		struct deep_blind blind[4];
		bool excursions[5];
		size_t first = 9;

		/* The kernel has them nowhere but on the older fork's other way, or everywhere. */
		for (uint8_t i = 0; !probes && i < 6; i++)
			refused[i] = AT(0x20 + i);
		for (uint8_t i = 0; !probes && i < 4; i++)
			refused[6 + i] = AT(0x14 + i);
		memset(code, 0x90, sizeof(code));
		memcpy(code, loop, sizeof(loop));
		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_view(&check, AT(0x18)), 0);
		assert_int_equal(deep_check_arm(&check, &text, 100, 2, probe, NULL), 0);
		assert_int_equal(is_armed(&check, 0x20), probes);
		memcpy(code, kept, sizeof(kept));
		memset(refused, 0, sizeof(refused));
		hit.record.branches[0] = to[2];
		hit.record.branches[1] = to[3];
		hit.record.count = 2;
		hit.record.end = DEEP_END_FULL;
		/* Without a hit of @20 the run cannot have gone round. */
		deep_check_compare(&check, &hit, 1, true, &first, blind, excursions);
		assert_int_equal(blind[0].newer > 0, !probes);
		deep_check_clear(&check);
	}
}

/*
 * Returns of two functions by one thunk: that the path comes by it again is no loop. The kprobe is
 * on the jump to the thunk, and its handler returns there.
 */
static void check_handler_returns_to_a_thunk(void **state)
{
	/* 00: jmp 20; 02: jmp 20; 04: je 0; 06: nop (the error); 20: ret */
	static const uint8_t thunk[] = {0xeb, 0x1e, 0xeb, 0x1c, 0x74, 0xfa, 0x90};
	const struct why_branch to[] = {
		{AT(0x3f), AT(0)}, {AT(0), AT(0x20)}, {AT(0x20), AT(2)},
		{AT(2), AT(0x20)}, {AT(0x20), AT(4)},
	};
	const struct deep_known path = {.branches = to, .count = 5, .end = AT(6)};
	struct deep_hit with[2] = {{.ip = AT(0), .regs[PTREG_SP] = SP - 16, .top = AT(2)},
				   {.ip = AT(6), .regs[PTREG_SP] = SP}};
	struct deep_record *record = &with[1].record;
	uint8_t kept[sizeof(code)];
	struct deep_check check;
	struct deep_blind blind[5];
	bool excursions[6];
	size_t first = 9;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, thunk, sizeof(thunk));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(6)), 0);
	add_kprobe(&check, 0);
	assert_int_equal(deep_check_arm(&check, &text, 1, 8, probe, NULL), 0);
	memcpy(record->branches, to + 2, 3 * sizeof(*to));
	record->count = 3;
	record->end = DEEP_END_RESUMED;
	record->resumed = AT(0x20);
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 1);
	assert_int_equal(first, 0);
	deep_check_clear(&check);
	memcpy(code, kept, sizeof(kept));
}

/* A loop of two blocks, once on the path; the run goes round twice, and the record shows it or not.
 */
static void check_loop_of_two_blocks(void **state)
{
	/* 00: jmp 10; 10: nop; 11: jmp 18; 18: je 10 (not taken); 1a: nop (the error) */
	static const uint8_t loop[] = {0xeb, 0x0e,	    [0x10] = 0x90, 0xeb,
				       0x05, [0x18] = 0x74, 0xf6,	   0x90};
	const struct why_branch to[] = {{AT(0x3f), AT(0)}, {AT(0), AT(0x10)}, {AT(0x11), AT(0x18)}};
	const struct why_branch round[] = {
		{AT(0x11), AT(0x18)}, {AT(0x18), AT(0x10)}, {AT(0x11), AT(0x18)}};
	const struct deep_known path = {.branches = to, .count = 3, .end = AT(0x1a)};
	struct deep_hit with[2] = {{.ip = AT(0)}, {.ip = AT(0x1a)}};
	struct deep_record *record = &with[1].record;
	uint8_t kept[sizeof(code)];
	struct deep_check check;
	struct deep_blind blind[3];
	bool excursions[4];
	size_t first = 9;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, loop, sizeof(loop));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x1a)), 0);
	add_kprobe(&check, 0);
	assert_int_equal(deep_check_arm(&check, &text, 1, 8, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	/* The handler of the kprobe returned to 10: it did what the jump would have done. */
	record->branches[0] = to[2];
	record->count = 1;
	record->end = DEEP_END_RESUMED;
	record->resumed = AT(0x10);
	record->resumer = DEEP_RESUMER_INT3;
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 1);
	/* Or an interrupt's, in the second round. */
	record->resumer = DEEP_RESUMER_UNKNOWN;
	deep_check_compare(&check, with, 2, true, &first, blind, excursions);
	assert_true(blind[0].newer);
	for (size_t count = 1; count <= 3; count++) {
		memcpy(record->branches, round + 3 - count, count * sizeof(*round));
		record->count = count;
		record->end = DEEP_END_FULL;
		record->resumed = 0;
		assert_true(!deep_check_compare(&check, with, 2, true, &first, blind, excursions) ||
			    blind[0].newer);
	}
	deep_check_clear(&check);
}

/*
 * The same, with one more block behind it. The path goes round twice, and the record shows the end
 * of the last time: how often the run has gone round before is not in it.
 */
static void check_loop_that_the_record_does_not_reach(void **state)
{
	/* 00: jmp 10; 10: nop; 11: jmp 18; 18: je 10; 1a: jmp 30; 30: nop (the error) */
	static const uint8_t loop[] = {0xeb,	      0x0e, [0x10] = 0x90, 0xeb, 0x05,
				       [0x18] = 0x74, 0xf6, 0xeb,	   0x14, [0x30] = 0x90};
	const struct why_branch to[] = {{AT(0x3f), AT(0)},    {AT(0), AT(0x10)},
					{AT(0x11), AT(0x18)}, {AT(0x18), AT(0x10)},
					{AT(0x11), AT(0x18)}, {AT(0x1a), AT(0x30)}};
	const struct deep_known path = {.branches = to, .count = 6, .end = AT(0x30)};
	struct deep_hit with[2] = {{.ip = AT(0)}, {.ip = AT(0x30)}};
	struct deep_record *record = &with[1].record;
	uint8_t kept[sizeof(code)];
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];
	size_t first = 9;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, loop, sizeof(loop));
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x30)), 0);
	add_kprobe(&check, 0);
	assert_int_equal(deep_check_arm(&check, &text, 1, 8, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	record->end = DEEP_END_FULL;
	record->count = 2;
	memcpy(record->branches, to + 4, 2 * sizeof(*to));
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 1);
	assert_int_equal(first, 0);
	assert_true(blind[0].newer);
	deep_check_clear(&check);
}

/* A blind fork's other way: round a loop, to which the path comes by the second branch. */
static void check_loop_that_no_probe_tells(void **state)
{
	/* 00: jmp 10; 10: nop; 11: jmp 18; 18: je 10 (not taken); 1a: jmp 30; 30: nop (the error)
	 */
	static const uint8_t loop[] = {0xeb,	      0x0e, [0x10] = 0x90, 0xeb, 0x05,
				       [0x18] = 0x74, 0xf6, 0xeb,	   0x14, [0x30] = 0x90};
	static const uint8_t hits[] = {0x30};
	const struct why_branch to[] = {
		{AT(0x3f), AT(0)}, {AT(0), AT(0x10)}, {AT(0x11), AT(0x18)}, {AT(0x1a), AT(0x30)}};
	const struct deep_known path = {.branches = to, .count = 4, .end = AT(0x30)};
	uint8_t kept[sizeof(code)];
	struct deep_check check;
	struct deep_blind blind[4];
	bool excursions[5];
	size_t first = 9;

	memcpy(kept, code, sizeof(kept));
	memcpy(code, loop, sizeof(loop));
	refused[0] = AT(0x10);
	refused[1] = AT(0x11);
	refused[2] = AT(0x18);
	refused[3] = AT(0x1a);
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	memcpy(code, kept, sizeof(kept));
	assert_true(compare(&check, hits, 1, &first, blind, excursions));
	assert_blind(blind, (bool[4]){1}, 4);
	assert_int_equal(blind[0].older, 2);
	assert_int_equal(blind[0].loop, AT(0x10));
	deep_check_clear(&check);
}

/*
 * A blind fork behind which the path calls a function. That one is hit by the other way, too, if it
 * calls it: where the call has returned to tells.
 */
static void check_blind_up_to_where_the_run_is_back(void **state)
{
	/* 00: je 20; 02: call 10; 07: jmp 30; 10: nop, ret; 20: ret; 30: nop (the error) */
	static const uint8_t calls[] = {
		0x74,	       0x1e, 0xe8,	    0x09,	  0, 0, 0, 0xeb, 0x27,
		[0x10] = 0x90, 0xc3, [0x20] = 0xc3, [0x30] = 0x90};
	static const uint8_t hits[] = {0x10, 0x07, 0x30}, fewer[] = {0x10, 0x30};
	const struct why_branch to[] = {{AT(0x3f), AT(0)},
					{AT(0x02), AT(0x10)},
					{AT(0x11), AT(0x07)},
					{AT(0x07), AT(0x30)}};
	const struct deep_known path = {.branches = to, .count = 4, .end = AT(0x30)};
	uint8_t kept[sizeof(code)];

	memcpy(kept, code, sizeof(kept));
	memcpy(code, calls, sizeof(calls));
	refused[0] = AT(0x20);
	refused[1] = AT(0x02);
	for (int i = 0; i < 2; i++) {
		struct deep_check check;
		struct deep_blind blind[4];
		bool excursions[5];
		size_t first = 9;

		assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
		assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
		assert_true(is_armed(&check, 0x10));
		assert_true(compare(&check, i ? fewer : hits, 3 - i, &first, blind, excursions));
		assert_blind(blind, (bool[4]){0, 0, 1, 0}, 4);
		assert_int_equal(blind[2].newer, 2 + i);
		assert_int_equal(blind[2].older, 0);
		deep_check_clear(&check);
		/* Without that the error does. */
		refused[2] = AT(0x07);
	}
	memcpy(code, kept, sizeof(kept));
}

/* Behind the newest branch only a record at the error tells, where no probe does. */
static void check_fork_behind_the_newest_branch(void **state)
{
	const struct deep_known path = {.branches = way, .count = 4, .end = AT(0x0c)};
	struct deep_hit with[2] = {hit_at(0x14), hit_at(0x0c)};
	struct deep_check check;
	struct deep_blind blind[4];
	bool excursions[5];
	size_t first = 9;

	/* Over that one, or not: then the error. */
	refused[0] = AT(0x0b);
	refuse_path();
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x0c)), 0);
	assert_int_equal(deep_check_view(&check, AT(0x14)), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 2, probe, NULL), 0);
	memcpy(with[0].record.branches, way, 3 * sizeof(*way));
	with[0].record.count = 3;
	with[1].record.branches[0] = way[3];
	with[1].record.count = 1;
	with[1].record.end = DEEP_END_RESUMED;
	with[1].record.resumed = AT(0x14);
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 1);
	assert_int_equal(first, 0);
	/* An interrupt came. */
	with[1].record.count = 0;
	with[1].record.resumed = AT(0x0c);
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 0);
	assert_int_equal(first, 4);
	deep_check_clear(&check);
}

/* Where a kprobe's handler returned to, with no branch behind it, says how the run came there. */
static void check_record_without_a_branch(void **state)
{
	const struct deep_known path = {.branches = way, .count = 4, .end = AT(0x0c)};
	struct deep_hit with[2] = {{.ip = AT(0x07)}, {.ip = AT(0x0c)}};
	struct deep_check check;
	struct deep_blind blind[4];
	bool excursions[5];
	size_t first = 9;

	refused[0] = AT(0x0b);
	refuse_path();
	assert_int_equal(deep_check_make(&text, symbols, &path, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x0c)), 0);
	add_kprobe(&check, 0x07);
	assert_int_equal(deep_check_arm(&check, &text, 100, 2, probe, NULL), 0);
	with[1].record.end = DEEP_END_RESUMED;
	with[1].record.resumed = AT(0x09);
	with[1].record.resumer = DEEP_RESUMER_INT3;
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 1);
	assert_int_equal(first, 0);
	/* An interrupt's handler may have returned to the hit itself, whichever way the run came.
	 */
	with[1].record.resumed = AT(0x0c);
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 0);
	assert_int_equal(first, 4);
	/* A kprobe has no record. */
	with[1].record = (struct deep_record){};
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 0);
	assert_int_equal(first, 4);
	deep_check_clear(&check);
}

/* What a record will have needs no kprobe, unless one that another fork needs is hit in between. */
static void check_records_save_probes(void **state)
{
	struct deep_hit with[2] = {hit_at(0x14), hit_at(0x36)};
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];
	size_t first = 9;

	refuse_path();
	/* The newest three are in the record at the error, those before in the one at 0x14. */
	assert_int_equal(deep_check_make(&text, symbols, &known, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x36)), 0);
	assert_int_equal(deep_check_view(&check, AT(0x14)), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	assert_int_equal(check.armed_count, 2);
	memcpy(with[0].record.branches, way, 3 * sizeof(*way));
	with[0].record.count = 3;
	memcpy(with[1].record.branches, way + 3, 3 * sizeof(*way));
	with[1].record.count = 3;
	with[1].record.end = DEEP_END_RESUMED;
	with[1].record.resumed = AT(0x14);
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 1);
	assert_int_equal(first, 0);
	assert_blind(blind, (bool[6]){}, 6);
	/* That record is cut, as by an interrupt. */
	memcpy(with[1].record.branches, way + 5, sizeof(*way));
	with[1].record.count = 1;
	with[1].record.resumed = AT(0x30);
	assert_int_equal(deep_check_compare(&check, with, 2, true, &first, blind, excursions), 0);
	assert_int_equal(first, 5);
	assert_blind(blind, (bool[6]){}, 6);
	deep_check_clear(&check);
	/* The record at the error has two branches, and not the return from the handler at 0x05. */
	assert_int_equal(deep_check_make(&text, symbols, &known, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x36)), 0);
	assert_int_equal(deep_check_view(&check, AT(0x05)), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 2, probe, NULL), 0);
	assert_true(is_armed(&check, 0x20) && is_armed(&check, 0x0b));
	deep_check_clear(&check);
	/* With two entries the record at the error has nothing of the forks before. */
	assert_int_equal(deep_check_make(&text, symbols, &known, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x36)), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 2, probe, NULL), 0);
	assert_true(is_armed(&check, 0x12) && is_armed(&check, 0x20) && is_armed(&check, 0x0b));
	deep_check_clear(&check);
}

static uint64_t forbidden[2], viewed[HW_SITES_MAX];
static size_t viewed_count;
static int view_error;

static bool may_view(const void *ctx, uint64_t addr)
{
	return addr != forbidden[0] && addr != forbidden[1];
}

static int view(void *ctx, uint64_t addr)
{
	if (view_error)
		return view_error;
	viewed[viewed_count++] = addr;
	return 0;
}

/* Asked for alone; then breakpoints, and what is still to be armed beside these. */
static void arm_with_views(struct deep_check *check, size_t depth, int ret)
{
	viewed_count = 0;
	assert_int_equal(deep_check_make(&text, symbols, &known, true, check), 0);
	assert_int_equal(deep_check_ask(check, &text, 100, depth, probe, NULL), 0);
	assert_int_equal(deep_check_arm_views(check, depth, may_view, view, probe, NULL), ret);
	deep_check_disarm(check);
	assert_int_equal(check->armed_count, viewed_count);
	assert_int_equal(deep_check_arm(check, &text, 100, depth, probe, NULL), 0);
}

/* A record is taken as soon as it tells where no probe may stand, and where the path comes by once.
 */
static void check_records_where_no_probe_tells(void **state)
{
	static const struct {
		size_t depth;
		unsigned int forbidden[2];
		unsigned int at;
	} cases[] = {
		{4, {}, 0x14},
		{4, {0x14}, 0x05},
		{4, {0x14, 0x05}, 0x06},
		/* From the branch before the fork on, the record has no more. */
		{1, {}, 0},
		{2, {0x14}, 0},
	};
	struct deep_check check;

	forbidden[0] = forbidden[1] = 0;
	arm_with_views(&check, 4, 0);
	assert_int_equal(viewed_count, 0);
	deep_check_clear(&check);
	/* Of the fork at 10 none may stand on either way. */
	for (size_t i = 0; i < 3; i++)
		refused[i] = AT(0x12 + i);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (size_t k = 0; k < 2; k++)
			forbidden[k] = AT(cases[i].forbidden[k]);
		arm_with_views(&check, cases[i].depth, 0);
		assert_int_equal(viewed_count, cases[i].at ? 1 : 0);
		assert_int_equal(check.view_count, viewed_count);
		if (cases[i].at) {
			assert_int_equal(viewed[0], AT(cases[i].at));
			assert_true(deep_check_is_view(&check, viewed[0]));
		}
		/* Elsewhere probes tell as before. */
		for (unsigned int at = 0x0b; at <= 0x0c; at++)
			assert_true(is_armed(&check, at));
		deep_check_clear(&check);
	}
	/* Without the record it is as if none were taken: others have to see it. */
	{
		static const uint8_t hits[] = {0x05, 0x0b, 0x0c, 0x36};
		struct deep_blind blind[6] = {};
		bool excursions[7];
		size_t first;

		forbidden[0] = AT(0x14);
		forbidden[1] = 0;
		arm_with_views(&check, 4, 0);
		assert_true(compare(&check, hits, 4, &first, blind, excursions));
		assert_int_equal(first, 0);
		for (size_t i = 0; i < 6; i++)
			assert_int_equal(blind[i].newer > 0, i == 3);
		deep_check_clear(&check);
	}
	/* No register is left; the user wants to end it. */
	for (int i = 0; i < 2; i++) {
		forbidden[0] = forbidden[1] = 0;
		view_error = i ? -EINTR : -EINVAL;
		arm_with_views(&check, 4, i ? -EINTR : 0);
		assert_int_equal(check.view_count, 0);
		deep_check_clear(&check);
	}
	view_error = 0;
}

/*
 * Only a record can tell of a fork (deep_check_ask() said so), and the breakpoint's record
 * is full, but shows that the run came to the path behind the fork by a branch that is not the
 * path's. It is not on the path before that.
 */
static void check_record_that_contradicts_the_path(void **state)
{
	static const uint8_t hits[] = {0x06, 0x0b, 0x0c, 0x36};
	struct deep_hit with[4];
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];
	size_t first = 9;
	int passed;

	for (size_t i = 0; i < 3; i++)
		refused[i] = AT(0x12 + i);
	forbidden[0] = AT(0x14);
	forbidden[1] = AT(0x05);
	arm_with_views(&check, 4, 0);
	assert_int_equal(viewed_count, 1);
	assert_int_equal(viewed[0], AT(0x06));
	for (size_t i = 0; i < 4; i++)
		with[i] = hit_at(hits[i]);
	/* It returned to 05 from elsewhere than 14. */
	with[0].record.branches[0] = (struct why_branch){AT(0x3f), AT(0x200000)};
	with[0].record.branches[1] = (struct why_branch){AT(0x200008), AT(0x200020)};
	with[0].record.branches[2] = (struct why_branch){AT(0x200028), AT(0x200040)};
	with[0].record.branches[3] = (struct why_branch){AT(0x200048), AT(0x05)};
	with[0].record.count = 4;
	with[0].record.end = DEEP_END_FULL;
	passed = deep_check_compare(&check, with, 4, true, &first, blind, excursions);
	assert_false(passed);
	assert_true(first >= 4);
	deep_check_clear(&check);
}

/*
 * A run whose record an interrupt cut short did not leave the path for that: three runs have to see
 * what it does not show, and not six.
 */
static void check_interrupted_record_is_no_departure(void **state)
{
	struct deep_hit with[2] = {hit_at(0x14), hit_at(0x36)};
	struct deep_check check;
	struct deep_blind blind[6];
	bool excursions[7];
	size_t first = 9;
	int passed;

	refuse_path();
	assert_int_equal(deep_check_make(&text, symbols, &known, true, &check), 0);
	assert_int_equal(deep_check_view(&check, AT(0x36)), 0);
	assert_int_equal(deep_check_view(&check, AT(0x14)), 0);
	assert_int_equal(deep_check_arm(&check, &text, 100, 4, probe, NULL), 0);
	memcpy(with[0].record.branches, way, 3 * sizeof(*way));
	with[0].record.count = 3;
	/* All hits are the path's; the newest record is cut, as by an interrupt. */
	with[1].record.branches[0] = way[5];
	with[1].record.count = 1;
	with[1].record.end = DEEP_END_RESUMED;
	with[1].record.resumed = AT(0x30);
	passed = deep_check_compare(&check, with, 2, true, &first, blind, excursions);
	assert_int_equal(passed, 0);
	assert_int_equal(first, 5);
	assert_int_equal(deep_check_left(&check, with, 2, true), 0);
	/* Another branch than the path's is a departure; so is a hit that is not the path's. */
	with[1].record.branches[0].to += 1;
	assert_int_equal(deep_check_left(&check, with, 2, true), 1);
	with[1].record.branches[0] = way[5];
	with[0].ip = AT(0x36);
	assert_int_equal(deep_check_left(&check, with, 2, true), 1);
	assert_int_equal(deep_check_left(&check, NULL, 0, true), 1);
	deep_check_clear(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(check_kprobe_on_a_branch, setup),
		cmocka_unit_test_setup(check_interrupt_in_a_loop_behind_a_probe, setup),
		cmocka_unit_test_setup(check_handler_of_a_kprobe_returns_to_the_next_instruction,
				       setup),
		cmocka_unit_test_setup(check_record_tells_whether_a_kprobe_returned, setup),
		cmocka_unit_test_setup(check_long_way_back_behind_a_kprobe, setup),
		cmocka_unit_test_setup(check_loop_by_code_that_the_path_has_not, setup),
		cmocka_unit_test_setup(check_handler_returns_to_a_thunk, setup),
		cmocka_unit_test_setup(check_loop_of_two_blocks, setup),
		cmocka_unit_test_setup(check_loop_that_the_record_does_not_reach, setup),
		cmocka_unit_test_setup(check_loop_that_no_probe_tells, setup),
		cmocka_unit_test_setup(check_blind_up_to_where_the_run_is_back, setup),
		cmocka_unit_test_setup(check_fork_behind_the_newest_branch, setup),
		cmocka_unit_test_setup(check_record_without_a_branch, setup),
		cmocka_unit_test_setup(check_records_save_probes, setup),
		cmocka_unit_test_setup(check_records_where_no_probe_tells, setup),
		cmocka_unit_test_setup(check_record_that_contradicts_the_path, setup),
		cmocka_unit_test_setup(check_interrupted_record_is_no_departure, setup),
	};

	return cmocka_run_group_tests(tests, setup_symbols, teardown_symbols);
}
