// SPDX-License-Identifier: GPL-2.0
/* src/why/deep/deep_check: where a path can be left, and whether a run that has probes there did */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "util/cleanup.h"
#include "why/deep/deep_check.h"

#define CODE	    0xffffffff81000000ull
#define KPROBE_CODE 0xffffffffc0000100ull
#define MODULE	    0xffffffffc0010000ull

/*
 *	00: call 10
 *	05: nop, nop
 *	07: je 20	(not taken)
 *	09: je 0c	(not taken: over one instruction)
 *	0b: nop
 *	0c: jmp *%rax	(to 30)
 *	10: je 14	(taken)
 *	12: nop, nop
 *	14: ret
 *	20: ret
 *	30: nop, jmp 36
 *	33: nop, nop, nop
 *	36: nop		(the error)
 */
static uint8_t code[0x40] = {[0x00] = 0xe8, 0x0b, 0,	0,    0,    0x90,	   0x90,
			     0x74,	    0x17, 0x74, 0x01, 0x90, 0xff,	   0xe0,
			     [0x10] = 0x74, 0x02, 0x90, 0x90, 0xc3, [0x20] = 0xc3, [0x30] = 0x90,
			     0xeb,	    0x03, 0x90, 0x90, 0x90, 0x90,	   0x90,
			     0x90,	    0xc3, 0xc3, 0xc3, 0xc3, 0xc3,	   0xc3,
			     0xc3};

#define AT(n) (CODE + (n))
#define SP    0xffffc90000004000ull
/* What code is called at 0x10 and behind. */
#define SP_AT(n) (SP - ((n) >= 0x10 && (n) < 0x20 ? 8 : 0))

static const struct why_branch way[] = {{AT(0x3f), AT(0)},    {AT(0), AT(0x10)},
					{AT(0x10), AT(0x14)}, {AT(0x14), AT(0x05)},
					{AT(0x0c), AT(0x30)}, {AT(0x31), AT(0x36)}};
static const struct deep_known known = {.branches = way, .count = 6, .end = AT(0x36)};

static int read_code(void *ctx, uint64_t addr, void *buf, size_t len)
{
	if (addr < CODE || addr + len > CODE + sizeof(code))
		return -EFAULT;
	memcpy(buf, code + (addr - CODE), len);
	return 0;
}

static const struct text_source text = {.read = read_code};

/* Addresses that are refused. */
static uint64_t refused[12];

static int probe(void *ctx, uint64_t addr)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (refused[i] == addr)
			return -EINVAL;
	return 0;
}

/* No kprobe stands on the path, for a record to begin at or to tell where the jump leads to. */
static void refuse_path(void)
{
	static const uint8_t ats[] = {0x00, 0x05, 0x06, 0x07, 0x0c, 0x10, 0x14, 0x30};

	for (size_t i = 0; i < sizeof(ats); i++)
		refused[4 + i] = AT(ats[i]);
}

static struct symbols *symbols;

static void arm(struct deep_check *check, size_t max)
{
	assert_int_equal(deep_check_make(&text, symbols, &known, true, check), 0);
	assert_int_equal(deep_check_arm(check, &text, max, 4, probe, NULL), 0);
}

static bool is_armed(const struct deep_check *check, unsigned int at)
{
	for (size_t i = 0; i < check->armed_count; i++)
		if (check->armed[i] == AT(at))
			return true;
	return false;
}

/* Before these branches, the newest first, the run may have left the path. */
static void assert_blind(const struct deep_blind *blind, const bool *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(blind[i].newer > 0, wanted[i]);
}

/* A hit of the path's run; with ELSEWHERE the jump leads to another place. */
#define ELSEWHERE 0x80
static struct deep_hit hit_at(uint8_t at)
{
	const uint64_t to = at & ELSEWHERE ? AT(0x36) : AT(0x30);

	at &= 0x7f;
	return (struct deep_hit){.ip = AT(at), .regs[PTREG_SP] = SP_AT(at), .regs[PTREG_AX] = to};
}

static bool compare(const struct deep_check *check, const uint8_t *ats, size_t count,
		    size_t *ret_first, struct deep_blind *ret_blind, bool *ret_excursions)
{
	static struct deep_hit hits[16];

	for (size_t i = 0; i < count; i++)
		hits[i] = hit_at(ats[i]);
	return deep_check_compare(check, hits, count, true, ret_first, ret_blind, ret_excursions);
}

static int setup(void **state)
{
	memset(refused, 0, sizeof(refused));
	return 0;
}

static int setup_symbols(void **state)
{
	symbols = symbol_table(
		"ffffffff81000000 T code\nffffffff81000040 T more\nffffffff81400000 T end\n"
		"ffffffffc0000000 t kprobe_optinsn_page [__builtin__kprobes]\n"
		"ffffffffc0010000 t in_module [module]\n");
	return symbols ? 0 : -1;
}

static int teardown_symbols(void **state)
{
	symbols_close(symbols);
	return 0;
}

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

/* One more, that no fork asked for. */
static void add_kprobe(struct deep_check *check, unsigned int at)
{
	assert_int_equal(deep_check_view(check, AT(at)), 0);
	check->view_count--;
}

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
 * Only a record can tell of a fork (deep_check_ask() said so), and the breakpoint's record
 * is full, but shows that the run came to the path behind the fork by a branch that is not the
 * path's. It is not on the path before that.
 */
static void check_record_that_contradicts_the_path(void **state)
{
	static const uint8_t hits[] = {0x06, 0x0b, 0x0c, 0x30, 0x36};
	struct deep_hit with[5] = {};
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
	for (size_t i = 0; i < 5; i++)
		with[i].ip = AT(hits[i]);
	/* It returned to 05 from elsewhere than 14. */
	with[0].record.branches[0] = (struct why_branch){AT(0x3f), AT(0x200000)};
	with[0].record.branches[1] = (struct why_branch){AT(0x200008), AT(0x200020)};
	with[0].record.branches[2] = (struct why_branch){AT(0x200028), AT(0x200040)};
	with[0].record.branches[3] = (struct why_branch){AT(0x200048), AT(0x05)};
	with[0].record.count = 4;
	with[0].record.end = DEEP_END_FULL;
	passed = deep_check_compare(&check, with, 5, true, &first, blind, excursions);
	assert_false(passed);
	assert_true(first >= 4);
	deep_check_clear(&check);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(check_wait_is_left_out, setup),
		cmocka_unit_test_setup(check_return_of_another_call, setup),
		cmocka_unit_test_setup(check_return_of_another_call_after_a_wait, setup),
		cmocka_unit_test_setup(check_record_that_contradicts_the_path, setup),
		cmocka_unit_test_setup(check_calls_behind_two_retpolines, setup),
		cmocka_unit_test_setup(check_retpoline_keeps_the_callers_call, setup),
		cmocka_unit_test_setup(check_records_where_no_probe_tells, setup),
		cmocka_unit_test_setup(check_probes_stand_on_both_ways, setup),
		cmocka_unit_test_setup(check_all_hits_are_the_path, setup),
		cmocka_unit_test_setup(check_departures_are_seen, setup),
		cmocka_unit_test_setup(check_path_without_entry, setup),
		cmocka_unit_test_setup(check_refused_stands_further_on_or_is_blind, setup),
		cmocka_unit_test_setup(check_few_probes_go_to_the_newest, setup),
		cmocka_unit_test_setup(check_no_probe_on_the_tracers_place, setup),
		cmocka_unit_test_setup(check_no_probe_on_what_repeats_itself, setup),
		cmocka_unit_test_setup(check_others_ran, setup),
		cmocka_unit_test_setup(check_others_ran_in_a_record, setup),
		cmocka_unit_test_setup(check_others_wanted_to_run, setup),
		cmocka_unit_test_setup(check_others_wanted_to_run_behind_the_newest_branch, setup),
		cmocka_unit_test_setup(check_other_ways_do_something, setup),
		cmocka_unit_test_setup(check_kprobe_on_a_branch, setup),
		cmocka_unit_test_setup(check_interrupt_in_a_loop_behind_a_probe, setup),
		cmocka_unit_test_setup(check_handler_of_a_kprobe_returns_to_the_next_instruction,
				       setup),
		cmocka_unit_test_setup(check_loop_of_two_blocks, setup),
		cmocka_unit_test_setup(check_loop_that_the_record_does_not_reach, setup),
		cmocka_unit_test_setup(check_loop_that_no_probe_tells, setup),
		cmocka_unit_test_setup(check_blind_up_to_where_the_run_is_back, setup),
		cmocka_unit_test_setup(check_rcu_read_unlock, setup),
		cmocka_unit_test_setup(check_probe_behind_a_call, setup),
		cmocka_unit_test_setup(check_record_without_a_branch, setup),
		cmocka_unit_test_setup(check_record_tells_whether_a_kprobe_returned, setup),
		cmocka_unit_test_setup(check_indirect_branch_by_its_source, setup),
		cmocka_unit_test_setup(check_error_within_the_function_of_another_caller, setup),
		cmocka_unit_test_setup(check_long_way_back_behind_a_kprobe, setup),
		cmocka_unit_test_setup(check_loop_by_code_that_the_path_has_not, setup),
		cmocka_unit_test_setup(check_handler_returns_to_a_thunk, setup),
		cmocka_unit_test_setup(check_return_by_a_thunk_that_calls, setup),
		cmocka_unit_test_setup(check_records_save_probes, setup),
		cmocka_unit_test_setup(check_fork_behind_the_newest_branch, setup),
		cmocka_unit_test_setup(check_code_that_is_not_the_paths_is_blind, setup),
	};

	return cmocka_run_group_tests(tests, setup_symbols, teardown_symbols);
}
