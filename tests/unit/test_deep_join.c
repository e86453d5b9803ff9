// SPDX-License-Identifier: GPL-2.0
/* src/why/deep_join: records of one run, and a path: what they have in common, and what joins */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "snapshot/snapshot.h"
#include "util/cleanup.h"
#include "why/deep/deep_join.h"

/* Straight code: branch N leads from the end of block N to the start of block N + 1. */
#define KERNEL	 0xffffffff81000000ull
#define START(n) (KERNEL + (uint64_t)(n)*0x100)
#define END(n)	 (START(n) + 0x40)
#define STEP(n)                                                                                    \
	{                                                                                          \
		.from = END(n), .to = START((n) + 1)                                               \
	}

#define ENTRY	0xffffffff82000000ull
#define HANDLER (ENTRY + 0x100) /* an interrupt arrives */
#define IRET	(ENTRY + 0x200)
#define SYSCALL (ENTRY + 0x300)
#define CALL	(KERNEL + 0x80000)
#define USER	0x400000ull

static const struct deep_code code = {
	.start = ENTRY, .end = ENTRY + 0x1000, .calls = {0, CALL, 0, 0}};

/* The branches of blocks @first to @last, oldest first. */
static size_t steps(struct why_branch *to, int first, int last)
{
	size_t count = 0;

	for (int n = first; n <= last; n++)
		to[count++] = (struct why_branch)STEP(n);
	return count;
}

/* A hit behind block @last's branch, at @ip, whose record begins with that of block @first. */
static struct deep_hit hit_of(uint64_t ip, int first, int last)
{
	struct deep_hit hit = {.ip = ip, .record.end = DEEP_END_FULL};

	hit.record.count = steps(hit.record.branches, first, last);
	return hit;
}

/* The same, and before its record the breakpoint at @resumed ended. */
static struct deep_hit hit_behind(uint64_t ip, uint64_t resumed, int first, int last)
{
	struct deep_hit hit = hit_of(ip, first, last);

	hit.record.end = DEEP_END_RESUMED;
	hit.record.resumed = resumed;
	return hit;
}

/* The path of the tests: blocks 100 to 109 are known, the error is made in block 110. */
static const struct why_branch path[] = {STEP(100), STEP(101), STEP(102), STEP(103), STEP(104),
					 STEP(105), STEP(106), STEP(107), STEP(108), STEP(109)};
static const uint64_t error = END(110);
static const struct deep_known known = {
	.branches = path, .count = ARRAY_SIZE(path), .end = END(110)};

static int join(uint64_t point, long at, const struct deep_hit *hits, size_t count,
		struct deep_joint *ret)
{
	const uint64_t points[] = {error, point};
	struct deep_run run = {.points = points,
			       .point_count = ARRAY_SIZE(points),
			       .hits = hits,
			       .hit_count = count};

	return deep_join(&known, point, at, &run, ret);
}

/* Branch number @at of the path leads to the point. */
static int join_at(long at, const struct deep_hit *hits, size_t count, struct deep_joint *ret)
{
	return join(path[at].to, at, hits, count, ret);
}

static void join_clean_overlap_is_joined(void **state)
{
	struct deep_joint joint;
	const struct deep_hit hits[] = {hit_of(START(103), 90, 102), hit_of(error, 102, 109)};

	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_JOINED);
	assert_int_equal(joint.added_count, 10);
	for (int i = 0; i < 10; i++)
		assert_true(joint.added[i].from == END(90 + i) &&
			    joint.added[i].to == START(91 + i));
	/* The record at the error reaches back behind the point: all ten were seen in this run. */
	assert_int_equal(joint.overlap, 10);
	assert_false(joint.entry);
	free(joint.added);
}

/* The error's record is too short to tell what was between: three of the path are the overlap. */
static void join_records_apart_overlap_is_counted_in_the_older(void **state)
{
	struct deep_joint joint;
	const struct deep_hit hits[] = {hit_of(START(103), 90, 102), hit_of(error, 107, 109)};

	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_JOINED);
	assert_int_equal(joint.overlap, 3);
	assert_int_equal(joint.added_count, 10);
	free(joint.added);
	/* Two are too few. */
	{
		const struct deep_hit two[] = {hit_of(START(102), 90, 101),
					       hit_of(error, 107, 109)};

		assert_int_equal(join_at(1, two, 2, &joint), DEEP_OVERLAP);
		assert_null(joint.added);
	}
}

static void join_no_overlap_is_another_path(void **state)
{
	struct deep_joint joint;
	struct deep_hit hits[] = {hit_of(START(103), 90, 102), hit_of(error, 102, 109)};

	/* A branch in front of the point leads to it from elsewhere. */
	hits[0].record.branches[hits[0].record.count - 1].from += 2;
	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_OTHER_PATH);
	assert_int_equal(joint.differs, 2);
	/* The one that the path begins with differs. */
	hits[0] = hit_of(START(103), 90, 102);
	hits[0].record.branches[10].to += 4;
	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_OTHER_PATH);
	assert_int_equal(joint.differs, 0);
	/* One before the error does. */
	hits[0] = hit_of(START(103), 90, 102);
	hits[1].record.branches[5].to++;
	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_OTHER_PATH);
	assert_int_equal(joint.differs, 7);
	assert_null(joint.added);
}

/* The order of branches counts. */
static void join_branches_in_another_order_is_another_path(void **state)
{
	struct deep_joint joint;
	struct deep_hit hits[] = {hit_of(START(103), 90, 102), hit_of(error, 102, 109)};
	struct why_branch *last = &hits[0].record.branches[hits[0].record.count - 1], other = *last;

	*last = last[-1];
	last[-1] = other;
	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_OTHER_PATH);
}

/* In the path the point is executed once behind the joint: that hit is not the one to join at. */
static void join_point_executed_again_hits_are_counted_from_the_error(void **state)
{
	struct deep_joint joint;
	struct why_branch loop[9];
	const uint64_t points[] = {END(105), START(103)};
	struct deep_known all = {.branches = loop, .end = END(105)};
	struct deep_hit hits[4] = {};
	struct deep_run run = {.points = points, .point_count = 2, .hits = hits, .hit_count = 4};

	/* Blocks 101, 102, 103, 103 again from its end, 103 once more, 104, and on to the error. */
	steps(loop, 100, 102);
	loop[3] = loop[4] = (struct why_branch){.from = END(103), .to = START(103)};
	all.count = 5 + steps(loop + 5, 103, 104);
	hits[0] = hit_of(START(103), 95, 102);
	hits[1] = hit_behind(START(103), START(103), 1, 0);
	hits[1].record.branches[0] = loop[3];
	hits[1].record.count = 1;
	hits[2] = hits[1];
	hits[3] = hit_behind(END(105), START(103), 103, 104);
	assert_int_equal(deep_join(&all, START(103), 2, &run, &joint), DEEP_JOINED);
	assert_int_equal(joint.added_count, 5);
	assert_true(joint.added[0].from == END(95));
	free(joint.added);
	/* One hit fewer: the loop was run through once less, and the counting would be off. */
	memmove(hits + 1, hits + 2, 2 * sizeof(*hits));
	run.hit_count = 3;
	assert_int_equal(deep_join(&all, START(103), 2, &run, &joint), DEEP_OTHER_PATH);
	assert_null(joint.added);
}

/*
 * The same three branches stand before two executions of the point, and no other record tells them
 * apart: either could be the one.
 */
static void join_two_offsets_possible_is_refused(void **state)
{
	struct deep_joint joint;
	struct why_branch loop[8];
	uint64_t points[] = {END(110), START(103)};
	struct deep_known all = {.branches = loop, .count = 8, .end = END(110)};
	struct deep_hit hits[3];
	struct deep_run run = {.points = points, .point_count = 2, .hits = hits, .hit_count = 3};

	/* 100, 101, 102, and back from 103 to 100; once more; then on to the error. */
	steps(loop, 100, 102);
	loop[3] = (struct why_branch){.from = END(103), .to = START(100)};
	steps(loop + 4, 100, 102);
	loop[7] = (struct why_branch){.from = END(103), .to = START(110)};
	hits[0] = hit_of(START(103), 97, 102);
	hits[1] = hit_of(START(103), 100, 102);
	hits[2] = (struct deep_hit){.ip = END(110), .record.end = DEEP_END_FULL};
	hits[2].record.count = 1;
	hits[2].record.branches[0] = loop[7];
	assert_int_equal(deep_join(&all, START(103), 2, &run, &joint), DEEP_AMBIGUOUS);
	assert_null(joint.added);
	/* The record behind reaches back to the first one: then it is that. */
	hits[1].record.count = 4;
	memcpy(hits[1].record.branches, loop + 3, 4 * sizeof(*loop));
	hits[1].record.end = DEEP_END_RESUMED;
	hits[1].record.resumed = START(103);
	assert_int_equal(deep_join(&all, START(103), 2, &run, &joint), DEEP_JOINED);
	assert_int_equal(joint.overlap, 7);
	assert_int_equal(joint.added_count, 3);
	free(joint.added);
}

static void join_identical_records_no_progress(void **state)
{
	struct deep_joint joint;
	const struct deep_hit hits[] = {hit_of(START(103), 100, 102), hit_of(error, 102, 109)};

	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_NO_PROGRESS);
	assert_null(joint.added);
}

/* Before the point an interrupt came back: what was before that is not there. */
static void join_interrupt_in_the_older_record_is_short(void **state)
{
	struct deep_joint joint;
	struct deep_hit hits[] = {hit_behind(START(103), START(102) + 8, 102, 102),
				  hit_of(error, 102, 109)};

	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_SHORT);
	/* Behind all that is known: there is more, but not in this record. */
	hits[0] = hit_behind(START(103), START(98) + 8, 98, 102);
	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_JOINED);
	assert_int_equal(joint.added_count, 2);
	free(joint.added);
}

static void join_interrupt_in_the_newer_record_own_overlap_counts(void **state)
{
	struct deep_joint joint;
	const struct deep_hit hits[] = {hit_of(START(103), 90, 102),
					hit_behind(error, START(108) + 4, 108, 109)};

	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_JOINED);
	assert_int_equal(joint.overlap, 3);
	free(joint.added);
}

/* Four entries: no room to overlap. The error's record goes back to the very point. */
static void join_depth_4_is_proven_by_the_newer_record(void **state)
{
	struct deep_joint joint;
	const uint64_t end = END(103);
	const uint64_t points[] = {end, END(100), START(101)};
	struct why_branch four[4];
	struct deep_known all = {.branches = four, .count = steps(four, 100, 102), .end = end};
	struct deep_hit hits[] = {hit_of(END(100), 96, 99), hit_of(end, 100, 102)};
	struct deep_run run = {.points = points, .point_count = 2, .hits = hits, .hit_count = 2};

	assert_int_equal(deep_join(&all, END(100), DEEP_BEFORE, &run, &joint), DEEP_JOINED);
	assert_int_equal(joint.overlap, 3);
	assert_int_equal(joint.added_count, 4);
	assert_true(joint.added[3].to == START(100));
	free(joint.added);
	/* The newer record lacks the branch at the point: it proves nothing. */
	hits[1] = hit_of(end, 101, 102);
	assert_int_equal(deep_join(&all, END(100), DEEP_BEFORE, &run, &joint), DEEP_OVERLAP);
	/* A point that one branch leads to: three behind it make up for that. */
	hits[0] = hit_of(START(101), 97, 100);
	hits[1] = hit_behind(end, START(101), 101, 102);
	run.points = (const uint64_t[]){end, START(101)};
	assert_int_equal(deep_join(&all, START(101), 0, &run, &joint), DEEP_JOINED);
	assert_int_equal(joint.overlap, 3);
	assert_int_equal(joint.added_count, 3);
	free(joint.added);
}

/* What a breakpoint's own handler did is cut off: the record of the hit before goes on from there.
 */
static void join_hits_in_a_row_are_one_record(void **state)
{
	struct deep_joint joint;
	const uint64_t points[] = {error, START(103), START(95)};
	const struct deep_hit hits[] = {hit_of(START(95), 80, 94),
					hit_behind(START(103), START(95), 95, 102),
					hit_of(error, 102, 109)};
	struct deep_run run = {.points = points, .point_count = 3, .hits = hits, .hit_count = 3};

	assert_int_equal(deep_join(&known, START(103), 2, &run, &joint), DEEP_JOINED);
	assert_int_equal(joint.added_count, 20);
	assert_true(joint.added[0].from == END(80) && joint.added[19].from == END(99));
	assert_ptr_equal(joint.first, &hits[0]);
	assert_ptr_equal(joint.last, &hits[1]);
	free(joint.added);
}

/*
 * A loop round the point, eight times. Before the fourth hit an interrupt came: its return leads to
 * the point, as that of the handler of the third hit does, but the way round the loop is between.
 */
static void join_interrupt_before_a_hit_in_a_loop_ends_there(void **state)
{
	const struct why_branch back = {.from = END(103), .to = START(103)};
	const uint64_t points[] = {END(105), START(103)};
	struct why_branch way[5] = {back, back, back};
	struct deep_known all = {.branches = way, .end = END(105)};
	struct deep_hit hits[9] = {hit_of(START(103), 95, 102)};
	struct deep_run run = {.points = points, .point_count = 2, .hits = hits, .hit_count = 9};
	struct deep_joint joint;

	all.count = 3 + steps(way + 3, 103, 104);
	for (int i = 1; i < 8; i++) {
		hits[i] = hit_behind(START(103), START(103), 1, 0);
		hits[i].record.branches[hits[i].record.count++] = back;
	}
	hits[8] = hit_behind(END(105), START(103), 103, 104);
	/* Before the three that are known: four times round the loop, and 95 to 102. */
	assert_int_equal(deep_join(&all, START(103), 0, &run, &joint), DEEP_JOINED);
	assert_int_equal(joint.added_count, 4 + 8);
	assert_ptr_equal(joint.first, &hits[0]);
	free(joint.added);
	hits[3].record.count = 0;
	assert_int_equal(deep_join(&all, START(103), 0, &run, &joint), DEEP_JOINED);
	assert_int_equal(joint.added_count, 1);
	assert_true(joint.added[0].from == back.from && joint.added[0].to == back.to);
	assert_ptr_equal(joint.first, &hits[3]);
	free(joint.added);
}

static void join_error_not_hit_or_point_not_hit(void **state)
{
	struct deep_joint joint;
	const struct deep_hit hits[] = {hit_of(START(103), 90, 102), hit_of(error, 102, 109)};

	assert_int_equal(join_at(2, hits, 1, &joint), DEEP_NO_HIT);
	assert_int_equal(join_at(2, hits, 0, &joint), DEEP_NO_HIT);
	assert_int_equal(join_at(2, hits + 1, 1, &joint), DEEP_OTHER_PATH);
	/* Hits behind the error are of what came then. */
	{
		const struct deep_hit later[] = {hits[0], hits[1], hit_of(START(103), 10, 20)};

		assert_int_equal(join_at(2, later, 3, &joint), DEEP_JOINED);
		free(joint.added);
	}
}

static void record_interrupt_inside_is_cut_out_and_named(void **state)
{
	struct deep_record record;
	/* Newest first: block 4; back at block 3's middle from a handler that called; 3 and 2. */
	const struct why_branch newest[] = {
		{.from = END(4), .to = START(5)},	   {.from = END(3), .to = START(4)},
		{.from = IRET, .to = START(3) + 8},	   {.from = END(70), .to = HANDLER + 0x20},
		{.from = HANDLER + 0x10, .to = START(70)}, {.from = START(3) + 8, .to = HANDLER},
		{.from = END(2), .to = START(3)},
	};

	deep_record_make(&code, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.count, 3);
	assert_true(record.branches[0].from == END(2) && record.branches[1].from == END(3) &&
		    record.branches[2].from == END(4));
	assert_int_equal(record.end, DEEP_END_FULL);
	assert_int_equal(record.interrupt_count, 1);
	assert_true(record.interrupts[0] == HANDLER);
	assert_int_equal(record.interrupt_at[0], 2);
	/* Its beginning is not in the record: then nothing before its end is, either. */
	deep_record_make(&code, newest, 5, &record);
	assert_int_equal(record.count, 2);
	assert_int_equal(record.end, DEEP_END_RESUMED);
	assert_true(record.resumed == START(3) + 8);
	assert_int_equal(record.interrupt_count, 0);
}

/*
 * A loop whose instruction at START(3) faulted in one pass; in the next a breakpoint was hit there.
 * #DB is not recorded: its return must not be taken for that of the fault, or a pass is lost.
 */
static void record_breakpoint_where_an_exception_was_before_ends_there(void **state)
{
	struct deep_record record;
	const struct why_branch newest[] = {
		{.from = END(3), .to = START(4)},  {.from = IRET, .to = START(3)},
		{.from = END(2), .to = START(3)},  {.from = END(3), .to = START(2)},
		{.from = IRET, .to = START(3)},	   {.from = HANDLER, .to = HANDLER + 0x20},
		{.from = START(3), .to = HANDLER}, {.from = END(2), .to = START(3)},
	};

	deep_record_make(&code, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.count, 1);
	assert_true(record.branches[0].from == END(3));
	assert_int_equal(record.end, DEEP_END_RESUMED);
	assert_true(record.resumed == START(3));
	assert_int_equal(record.interrupt_count, 0);
	/* In the pass before, the fault is whole. */
	deep_record_make(&code, newest + 2, ARRAY_SIZE(newest) - 2, &record);
	assert_int_equal(record.count, 3);
	assert_int_equal(record.end, DEEP_END_FULL);
	assert_int_equal(record.interrupt_count, 1);
	assert_int_equal(record.interrupt_at[0], 2);
}

/* Of the handlers that return to where a record begins, that of a kprobe is known by its place. */
static void record_tells_whose_handler_returned(void **state)
{
	const uint64_t int3 = ENTRY + 0x300;
	struct why_branch newest[] = {
		{END(3), START(4)},    {IRET, START(3)},
		{ENTRY + 0x340, IRET}, {HANDLER - 0x8000, ENTRY + 0x310},
		{END(9), START(9)},
	};
	struct deep_code with = code;
	struct deep_record record;

	with.int3_start = int3;
	with.int3_end = int3 + 0x20;
	deep_record_make(&with, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.end, DEEP_END_RESUMED);
	assert_int_equal(record.resumer, DEEP_RESUMER_INT3);
	/* No room for where it came from; or the kernel's symbols have no such code. */
	deep_record_make(&with, newest, 3, &record);
	assert_int_equal(record.resumer, DEEP_RESUMER_UNKNOWN);
	deep_record_make(&code, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.resumer, DEEP_RESUMER_UNKNOWN);
	newest[3].to = ENTRY + 0x320;
	deep_record_make(&with, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.resumer, DEEP_RESUMER_OTHER);
	/* A handler that did not return to the entry code first. */
	newest[2] = newest[4];
	deep_record_make(&with, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.resumer, DEEP_RESUMER_UNKNOWN);
}

/* What stands in a kprobe's place goes to code of its own, and comes back: that leads there. */
static void record_begins_behind_a_kprobe_that_is_a_jump(void **state)
{
	struct symbols *symbols =
		symbol_table("ffffffff81000000 T kernel\nffffffffc0000000 t kprobe_optinsn_page "
			     "[__builtin__kprobes]\nffffffffc0001000 t in_module [module]\n");
	const uint64_t page = 0xffffffffc0000000;
	const struct why_branch newest[] = {STEP(2),
					    {page + 0x80, START(2) + 4},
					    {page + 0x20, START(90)},
					    {START(2) - 1, page}};
	struct deep_code with = code;
	struct deep_record record;

	assert_non_null(symbols);
	with.symbols = symbols;
	deep_record_make(&with, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.count, 1);
	assert_int_equal(record.end, DEEP_END_RESUMED);
	assert_int_equal(record.resumer, DEEP_RESUMER_KPROBE_CODE);
	assert_int_equal(record.resumed, START(2) + 4);
	/* Within that code nothing is known of where it stands. */
	deep_record_make(&with, newest + 2, ARRAY_SIZE(newest) - 2, &record);
	assert_int_equal(record.count, 0);
	assert_int_equal(record.resumer, DEEP_RESUMER_KPROBE_CODE);
	deep_record_make(&with, newest + 3, 1, &record);
	assert_int_equal(record.end, DEEP_END_OTHER);
	assert_int_equal(record.resumer, DEEP_RESUMER_UNKNOWN);
	symbols_close(symbols);
}

static void record_ends_at_the_entry_of_the_call(void **state)
{
	struct deep_record record;
	const struct why_branch newest[] = {
		{.from = END(1), .to = START(2)},
		{.from = SYSCALL + 0x20, .to = CALL},
		{.from = SYSCALL + 0x10, .to = SYSCALL + 0x18},
		{.from = USER, .to = SYSCALL},
	};

	deep_record_make(&code, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.count, 2);
	assert_int_equal(record.end, DEEP_END_ENTRY);
	assert_true(record.branches[0].to == CALL);
	/* Something else of the entry code, and user space: no branches of the call. */
	deep_record_make(&code, newest + 2, 2, &record);
	assert_int_equal(record.count, 0);
	assert_int_equal(record.end, DEEP_END_OTHER);
	deep_record_make(&code, newest + 3, 1, &record);
	assert_int_equal(record.end, DEEP_END_OTHER);
	deep_record_make(&code, newest, 0, &record);
	assert_int_equal(record.count, 0);
	assert_int_equal(record.end, DEEP_END_FULL);
}

static void join_record_with_the_entry_says_so(void **state)
{
	struct deep_joint joint;
	struct deep_hit hits[] = {hit_of(START(103), 98, 102), hit_of(error, 102, 109)};

	hits[0].record.branches[0] = (struct why_branch){.from = SYSCALL + 0x20, .to = START(99)};
	hits[0].record.end = DEEP_END_ENTRY;
	assert_int_equal(join_at(2, hits, 2, &joint), DEEP_JOINED);
	assert_true(joint.entry);
	assert_int_equal(joint.added_count, 2);
	free(joint.added);
}

/* Each record reaches back to the hit before it: all of the path was seen, though each is short. */
static void join_records_that_reach_each_other_all_of_them_overlap(void **state)
{
	const uint64_t points[] = {error, START(103), START(102), END(100)};
	const struct deep_hit hits[] = {hit_of(END(100), 96, 99), hit_of(START(102), 100, 101),
					hit_of(START(103), 101, 102), hit_of(error, 102, 109)};
	struct deep_hit other[4];
	struct deep_run run = {.points = points, .point_count = 4, .hits = hits, .hit_count = 4};
	struct deep_joint joint;

	assert_int_equal(deep_join(&known, END(100), DEEP_BEFORE, &run, &joint), DEEP_JOINED);
	assert_int_equal(joint.overlap, 10);
	assert_int_equal(joint.added_count, 4);
	free(joint.added);
	/* One that does not: two branches are seen behind it. */
	memcpy(other, hits, sizeof(hits));
	other[2] = hit_of(START(103), 102, 102);
	run.hits = other;
	assert_int_equal(deep_join(&known, END(100), DEEP_BEFORE, &run, &joint), DEEP_OVERLAP);
	assert_int_equal(joint.overlap, 2);
}

/* Block 92 calls what is computed: branches 93 to 101, the last of which the path begins with. */
static int compute_steps(void *ctx, const struct deep_hit *hit, struct why_branch **ret,
			 size_t *ret_count)
{
	assert_true(hit->ip == END(93));
	if (*(int *)ctx)
		return *(int *)ctx;
	*ret = calloc(9, sizeof(**ret));
	assert_non_null(*ret);
	*ret_count = steps(*ret, 93, 101);
	return 0;
}

static int join_call(const struct deep_hit *hits, size_t count, int computed,
		     struct deep_joint *ret)
{
	const uint64_t points[] = {error, START(102), END(93)};
	struct deep_run run = {.points = points,
			       .point_count = ARRAY_SIZE(points),
			       .hits = hits,
			       .hit_count = count};

	return deep_join_call(&known, START(102), 1, END(93), &run, compute_steps, &computed, ret);
}

static void join_call_computed_branches_are_put_in_between(void **state)
{
	struct deep_joint joint;
	const struct deep_hit hits[] = {hit_of(END(93), 80, 92), hit_of(START(102), 97, 101),
					hit_of(error, 100, 109)};

	assert_int_equal(join_call(hits, 3, 0, &joint), DEEP_JOINED);
	/* 13 recorded before the call, and 93 to 99. */
	assert_int_equal(joint.added_count, 20);
	assert_int_equal(joint.computed, 7);
	for (int i = 0; i < 20; i++)
		assert_true(joint.added[i].from == END(80 + i) &&
			    joint.added[i].to == START(81 + i));
	assert_ptr_equal(joint.first, &hits[0]);
	assert_ptr_equal(joint.last, &hits[0]);
	assert_false(joint.entry);
	free(joint.added);
}

static void join_call_entry_is_told(void **state)
{
	struct deep_joint joint;
	struct deep_hit hits[] = {hit_of(END(93), 91, 92), hit_of(START(102), 97, 101),
				  hit_of(error, 100, 109)};

	hits[0].record.end = DEEP_END_ENTRY;
	assert_int_equal(join_call(hits, 3, 0, &joint), DEEP_JOINED);
	assert_int_equal(joint.added_count, 9);
	assert_true(joint.entry);
	free(joint.added);
}

/* Each thing that is asked for: without it there is no joint. */
static void join_call_unproven_is_not_joined(void **state)
{
	const struct deep_hit hits[] = {hit_of(END(93), 80, 92), hit_of(START(102), 97, 101),
					hit_of(error, 100, 109)};
	struct deep_hit other[3];
	struct deep_joint joint;

	/* The registers do not decide. */
	assert_int_equal(join_call(hits, 3, -ENODATA, &joint), DEEP_NO_PROGRESS);
	assert_int_equal(join_call(hits, 3, -ENOMEM, &joint), -ENOMEM);
	/* Something else was hit in between; the call was not. */
	memcpy(other, hits, sizeof(hits));
	other[0].ip = START(102);
	assert_int_equal(join_call(other, 3, 0, &joint), DEEP_OTHER_PATH);
	assert_int_equal(join_call(hits + 1, 2, 0, &joint), DEEP_OTHER_PATH);
	/* The call was on another place of the stack. */
	memcpy(other, hits, sizeof(hits));
	other[0].regs[PTREG_SP] += 8;
	assert_int_equal(join_call(other, 3, 0, &joint), DEEP_OTHER_PATH);
	/* What was recorded before the point differs from what is computed, further back than the
	 * path. */
	memcpy(other, hits, sizeof(hits));
	other[1].record.branches[0].from++;
	assert_int_equal(join_call(other, 3, 0, &joint), DEEP_OTHER_PATH);
	/* The way to the error does. */
	memcpy(other, hits, sizeof(hits));
	other[2].record.branches[4].to++;
	assert_int_equal(join_call(other, 3, 0, &joint), DEEP_OTHER_PATH);
	assert_null(joint.added);
}

/* The path goes further back than what is computed: it cannot begin in the function. */
static void join_call_path_longer_than_the_function_is_not_joined(void **state)
{
	const struct deep_hit hits[] = {hit_of(END(93), 80, 92), hit_of(START(110), 97, 109),
					hit_of(error, 100, 109)};
	const uint64_t points[] = {error, START(110), END(93)};
	const struct deep_run run = {
		.points = points, .point_count = 3, .hits = hits, .hit_count = 3};
	struct deep_joint joint;
	int computed = 0;

	assert_int_equal(deep_join_call(&known, START(110), 9, END(93), &run, compute_steps,
					&computed, &joint),
			 DEEP_OTHER_PATH);
}

/* Newest first: the task was switched to; before that, branches of another one. */
static void record_ends_where_another_task_ran(void **state)
{
	const struct deep_code switching = {.start = ENTRY,
					    .end = ENTRY + 0x1000,
					    .calls = {CALL},
					    .switch_start = {KERNEL + 0x90000},
					    .switch_end = {KERNEL + 0x90040}};
	const struct why_branch newest[] = {STEP(102),
					    STEP(101),
					    {KERNEL + 0x90030, KERNEL + 0x91000},
					    {KERNEL + 0x92000, KERNEL + 0x90000},
					    STEP(100)};
	const uint64_t points[] = {error, START(103)};
	struct deep_hit hits[] = {{.ip = START(103)}, hit_of(error, 102, 109)};
	const struct deep_run run = {
		.points = points, .point_count = 2, .hits = hits, .hit_count = 2};
	struct deep_joint joint;
	struct deep_record *record = &hits[0].record;

	deep_record_make(&switching, newest, 5, record);
	assert_int_equal(record->end, DEEP_END_SWITCH);
	assert_int_equal(record->count, 2);
	assert_true(record->branches[0].from == END(101) && record->branches[1].from == END(102));
	/* The path knows as much: no run will know more. */
	assert_int_equal(deep_join(&known, START(103), 2, &run, &joint), DEEP_SWITCHED);
}

/*
 * A handler returned to a return thunk, by which its own functions had returned to the entry code:
 * that is no interrupt's arrival there. At other code it is.
 */
static void record_behind_a_handler_that_returned_to_a_thunk(void **state)
{
	const uint64_t thunk = START(50);
	uint8_t bytes[0x6000] = {};
	struct text_bytes code_bytes = {.base = KERNEL, .bytes = bytes, .len = sizeof(bytes)};
	const struct text_source text = {.read = text_bytes_read, .ctx = &code_bytes};
	struct deep_code with = code;
	const struct why_branch newest[] = {STEP(101),
					    {thunk, START(101)},
					    {ENTRY + 0x80, thunk},
					    {thunk, ENTRY + 0x40},
					    {KERNEL + 0x40, thunk}};
	struct deep_record record;

	with.text = &text;
	bytes[thunk - KERNEL] = 0xc3;
	deep_record_make(&with, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.end, DEEP_END_RESUMED);
	assert_true(record.resumed == thunk);
	assert_int_equal(record.count, 2);
	assert_int_equal(record.interrupt_count, 0);
	bytes[thunk - KERNEL] = 0x90;
	deep_record_make(&with, newest, ARRAY_SIZE(newest), &record);
	assert_int_equal(record.interrupt_count, 1);
	assert_int_equal(record.count, 3);
}

/* In block 100: a call of the scheduler at @CALL_AT, in which the task waits. */
#define SCHED	(KERNEL + 0x95000)
#define CALL_AT (START(100) + 0x10)
#define BEHIND	(CALL_AT + DEEP_CALL_BYTES)
#define SP	0xffffc90000004000ull

/* What the call instruction leads to: the scheduler; a jump, as of a static call; other code. */
static struct deep_record record_of_wait(uint64_t target, uint64_t jump)
{
	uint8_t bytes[0x96000] = {};
	struct text_bytes code_bytes = {.base = KERNEL, .bytes = bytes, .len = sizeof(bytes)};
	const struct text_source text = {.read = text_bytes_read, .ctx = &code_bytes};
	const struct deep_code waiting = {.start = ENTRY,
					  .end = ENTRY + 0x1000,
					  .calls = {CALL},
					  .switch_start = {KERNEL + 0x90000},
					  .switch_end = {KERNEL + 0x90040},
					  .sched_start = SCHED,
					  .sched_end = SCHED + 0x1000,
					  .yields = {SCHED + 0x100},
					  .wakes = {0, KERNEL + 0x80},
					  .text = &text};
	/* In the scheduler's call a function was called, which returned. */
	const struct why_branch newest[] = {STEP(101),
					    STEP(100),
					    {SCHED + 0x80, BEHIND},
					    {KERNEL + 0x60, SCHED + 0x70},
					    {SCHED + 0x60, KERNEL + 0x40},
					    {KERNEL + 0x90030, SCHED + 0x50},
					    {KERNEL + 0x92000, KERNEL + 0x90000}};
	int32_t to_target = (int32_t)(target - BEHIND), to_jump = (int32_t)(jump - target - 5);
	struct deep_record record;

	bytes[SCHED + 0x80 - KERNEL] = 0xc3;
	bytes[CALL_AT - KERNEL] = 0xe8;
	memcpy(bytes + (CALL_AT + 1 - KERNEL), &to_target, 4);
	if (jump) {
		bytes[target - KERNEL] = 0xe9;
		memcpy(bytes + (target + 1 - KERNEL), &to_jump, 4);
	}
	deep_record_make(&waiting, newest, ARRAY_SIZE(newest), &record);
	return record;
}

static void record_of_a_wait_begins_behind_the_call(void **state)
{
	struct deep_record record = record_of_wait(SCHED, 0);

	assert_int_equal(record.end, DEEP_END_SWITCH);
	assert_int_equal(record.count, 2);
	assert_true(record.resumed == BEHIND);
	assert_true(record.branches[0].from == END(100) && record.branches[1].from == END(101));
	record = record_of_wait(KERNEL + 0x200, SCHED);
	assert_true(record.count == 2 && record.resumed == BEHIND);
	/* It wakes another task: there the record ends, whether tasks were switched or not. */
	record = record_of_wait(KERNEL + 0x80, 0);
	assert_true(record.end == DEEP_END_SWITCH && record.count == 2 && record.resumed == BEHIND);
	/* One that seldom does is in the path, and others' turn in it is an interrupt. */
	record = record_of_wait(SCHED + 0x100, 0);
	assert_true(record.end == DEEP_END_RESUMED && record.count == 2 &&
		    record.resumed == BEHIND);
	record = record_of_wait(KERNEL + 0x200, SCHED + 0x100);
	assert_true(record.end == DEEP_END_RESUMED && record.count == 2 &&
		    record.resumed == BEHIND);
	/* Not the scheduler's: where the task waited is not known. */
	record = record_of_wait(KERNEL + 0x200, 0);
	assert_true(record.count == 5 && !record.resumed);
	record = record_of_wait(KERNEL + 0x200, KERNEL + 0x300);
	assert_true(record.count == 5 && !record.resumed);
}

/* @hit, with the stack pointer and the count of switches. */
static struct deep_hit hit_at(struct deep_hit hit, uint64_t sp, uint32_t switches)
{
	hit.regs[PTREG_SP] = sp;
	hit.switches = switches;
	return hit;
}

static struct deep_hit hit_behind_wait(uint64_t sp, uint32_t switches)
{
	return hit_at((struct deep_hit){.ip = BEHIND,
					.record = {.end = DEEP_END_SWITCH, .resumed = BEHIND}},
		      sp, switches);
}

static int join_wait(bool waits, const struct deep_hit *hits, size_t count, struct deep_joint *ret)
{
	const uint64_t points[] = {error, BEHIND, CALL_AT, START(95)};
	const struct deep_run run = {.points = points,
				     .point_count = ARRAY_SIZE(points),
				     .hits = hits,
				     .hit_count = count};
	struct deep_known waited = known;

	waited.start = BEHIND;
	return deep_join_wait(&waited, waits, &run, ret);
}

static void join_wait_goes_on_before_the_call(void **state)
{
	struct deep_hit hits[] = {hit_at(hit_of(CALL_AT, 90, 99), SP, 1),
				  hit_at(hit_of(START(95), 1, 9), SP - 0x80, 2),
				  hit_behind_wait(SP, 2), hit_behind(error, BEHIND, 100, 109)};
	struct deep_joint joint;

	assert_int_equal(join_wait(true, hits, 4, &joint), DEEP_JOINED);
	assert_int_equal(joint.added_count, 10);
	for (int i = 0; i < 10; i++)
		assert_true(joint.added[i].from == END(90 + i));
	assert_int_equal(joint.overlap, 10);
	assert_true(joint.first == &hits[0] && joint.last == &hits[0]);
	free(joint.added);
}

static void join_wait_unproven_is_not_joined(void **state)
{
	const struct deep_hit good[] = {hit_at(hit_of(CALL_AT, 90, 99), SP, 1),
					hit_behind_wait(SP, 2),
					hit_behind(error, BEHIND, 100, 109)};
	struct deep_hit hits[3];
	struct deep_joint joint;

	/* It did not wait there in this run. */
	memcpy(hits, good, sizeof(hits));
	hits[0].switches = 2;
	assert_int_equal(join_wait(true, hits, 3, &joint), DEEP_OTHER_PATH);
	/* One that wakes another task need not. */
	assert_int_equal(join_wait(false, hits, 3, &joint), DEEP_JOINED);
	free(joint.added);
	/* The same function, called by another one. */
	memcpy(hits, good, sizeof(hits));
	hits[0].regs[PTREG_SP] = SP + 0x40;
	assert_int_equal(join_wait(true, hits, 3, &joint), DEEP_OTHER_PATH);
	/* It came by another point of the path before. */
	memcpy(hits, good, sizeof(hits));
	hits[0].ip = START(95);
	assert_int_equal(join_wait(true, hits, 3, &joint), DEEP_OTHER_PATH);
	assert_int_equal(join_wait(true, good + 1, 2, &joint), DEEP_OTHER_PATH);
	/* What is between the call and the error was not seen in this run. */
	memcpy(hits, good, sizeof(hits));
	hits[2] = hit_of(error, 105, 109);
	assert_int_equal(join_wait(true, hits, 3, &joint), DEEP_OVERLAP);
}

/* The wait is within the path: the run comes by a point once more in it. */
static void join_behind_a_wait_hits_in_it_are_told_apart(void **state)
{
	struct why_branch way[20];
	const struct deep_interrupt cut = {.resumed = BEHIND, .newer = 10};
	const struct deep_known all = {.branches = way,
				       .count = steps(way, 90, 109),
				       .end = error,
				       .cuts = &cut,
				       .cut_count = 1};
	const uint64_t points[] = {error, START(93), CALL_AT, BEHIND};
	const struct deep_hit hits[] = {hit_at(hit_of(START(93), 80, 92), SP - 0x200, 1),
					hit_at(hit_of(CALL_AT, 94, 99), SP, 1),
					hit_at(hit_of(START(93), 1, 9), SP - 0x80, 1),
					hit_behind_wait(SP, 2),
					hit_behind(error, BEHIND, 100, 109)};
	const struct deep_hit without[] = {hits[0], hits[2], hits[4]};
	struct deep_run run = {.points = points, .point_count = 4, .hits = hits, .hit_count = 5};
	struct deep_joint joint;
	struct deep_parted parted = {};
	bool seen[20] = {};
	size_t differs = 0;

	assert_int_equal(deep_join(&all, START(93), 2, &run, &joint), DEEP_JOINED);
	assert_int_equal(joint.added_count, 10);
	assert_true(joint.added[0].from == END(80));
	free(joint.added);
	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_JOINED);
	for (int i = 0; i < 10; i++)
		assert_true(seen[i]);
	/* Nothing says that the last hit of the point was in the wait. */
	run = (struct deep_run){
		.points = points, .point_count = 2, .hits = without, .hit_count = 3};
	assert_int_equal(deep_join(&all, START(93), 2, &run, &joint), DEEP_AMBIGUOUS);
}

/* A record that did not reach the switch left the call's own branches in the path. */
static void join_records_of_a_wait_say_what_is_its_own(void **state)
{
	struct why_branch way[12] = {{SCHED + 0x60, SCHED + 0x70}, {SCHED + 0x80, BEHIND}};
	const struct deep_known all = {
		.branches = way, .count = 2 + steps(way + 2, 100, 109), .end = error};
	const uint64_t points[] = {error, START(103)};
	struct deep_hit hits[] = {hit_of(START(103), 100, 102), hit_of(error, 100, 109)};
	const struct deep_run run = {
		.points = points, .point_count = 2, .hits = hits, .hit_count = 2};
	struct deep_joint joint;

	hits[0].record.end = DEEP_END_SWITCH;
	hits[0].record.resumed = BEHIND;
	assert_int_equal(deep_join(&all, START(103), 4, &run, &joint), DEEP_SWITCHED);
	assert_true(joint.resumed == BEHIND && joint.gone == 2);
	/* Another call. */
	hits[0].record.resumed = BEHIND + 0x10;
	assert_int_equal(deep_join(&all, START(103), 4, &run, &joint), DEEP_SWITCHED);
	assert_true(!joint.resumed && !joint.switched);
}

/*
 * Two ways meet behind block 104: the path has a branch more there. A run without it was at
 * START(104) by the same branches, which says nothing of how it went on.
 */
static void agree_point_before_ways_meet_has_not_seen_that(void **state)
{
	struct why_branch way[10];
	size_t older = steps(way, 100, 103), differs = 0;
	uint64_t points[] = {END(109), START(104), START(105)};
	struct deep_known all = {.branches = way, .count = 10, .end = END(109)};
	struct deep_hit hits[3] = {hit_of(START(104), 100, 103), hit_of(END(109), 106, 108)};
	struct deep_run run = {.points = points, .point_count = 2, .hits = hits, .hit_count = 2};
	struct deep_parted parted = {};
	bool seen[10] = {};

	way[older] = (struct why_branch){.from = END(104) - 0x10, .to = END(104) - 8};
	assert_int_equal(steps(way + older + 1, 104, 108), 5);
	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_JOINED);
	assert_memory_equal(seen, ((bool[]){1, 1, 1, 0, 0, 0, 0, 1, 1, 1}), sizeof(seen));
	/* A point behind that place tells: the newest branch not taken is the one more. */
	run = (struct deep_run){.points = points, .point_count = 3, .hits = hits, .hit_count = 3};
	hits[2] = hits[1];
	hits[1] = hit_of(START(105), 101, 104);
	memset(seen, 0, sizeof(seen));
	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_OTHER_PATH);
	assert_int_equal(differs, older);
	assert_true(parted.newest == 9 - older && parted.oldest == 9 - older);
	assert_memory_equal(seen, ((bool[]){1, 1, 1, 0, 0, 0, 0, 0, 0, 0}), sizeof(seen));
}

static void agree_records_that_reach_each_other_are_one(void **state)
{
	struct why_branch way[10];
	uint64_t points[] = {END(110), START(105)};
	struct deep_known all = {.branches = way, .count = steps(way, 100, 109), .end = END(110)};
	const struct deep_hit hits[] = {hit_of(START(105), 102, 104),
					hit_behind(END(110), START(105), 105, 109)};
	struct deep_run run = {.points = points, .point_count = 2, .hits = hits, .hit_count = 2};
	struct deep_parted parted = {};
	bool seen[10] = {};
	size_t differs = 0;

	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_JOINED);
	assert_memory_equal(seen, ((bool[]){1, 1, 1, 1, 1, 1, 1, 1, 0, 0}), sizeof(seen));
}

/* A hit is missing: not by this path, and where is not known. */
static void agree_hit_missing_differs_somewhere(void **state)
{
	struct why_branch way[10];
	uint64_t points[] = {END(110), START(105)};
	struct deep_known all = {.branches = way, .count = steps(way, 100, 109), .end = END(110)};
	const struct deep_hit hit = hit_of(END(110), 107, 109);
	struct deep_run run = {.points = points, .point_count = 2, .hits = &hit, .hit_count = 1};
	struct deep_parted parted = {};
	bool seen[10] = {};
	size_t differs = 0;

	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_OTHER_PATH);
	assert_int_equal(differs, all.count);
	/* The branch to the point was not taken, or not the ones before it. */
	assert_true(parted.newest == 5 && parted.oldest == 5);
	run.points = points + 1;
	run.hit_count = 0;
	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_NO_HIT);
}

/* A point of the path is hit, but behind it another one, which the path has before it. */
static void agree_point_hit_again_differs_behind_the_missing_one(void **state)
{
	struct why_branch way[10];
	uint64_t points[] = {END(110), START(105), START(103)};
	struct deep_known all = {.branches = way, .count = steps(way, 100, 109), .end = END(110)};
	const struct deep_hit hits[] = {hit_of(START(103), 101, 102), hit_of(START(105), 102, 104),
					hit_of(START(103), 101, 102), hit_of(END(110), 107, 109)};
	struct deep_run run = {.points = points, .point_count = 3, .hits = hits, .hit_count = 4};
	struct deep_parted parted = {};
	bool seen[10] = {};
	size_t differs = 0;

	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_OTHER_PATH);
	assert_int_equal(differs, all.count);
	/* From what led to the oldest branch of the record at the error, to the branch to
	 * START(105). */
	assert_int_equal(parted.newest, 2);
	assert_int_equal(parted.oldest, 5);
	/* Without that it did not come by START(105). */
	run.hits = hits + 2;
	run.hit_count = 2;
	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_OTHER_PATH);
	assert_true(parted.newest == 5 && parted.oldest == 5);
}

/* The record goes on from the point before, without a branch that the path has between the two. */
static void agree_hit_that_goes_on_from_the_one_before(void **state)
{
	struct why_branch way[10];
	uint64_t points[] = {END(110), START(105)};
	struct deep_known all = {.branches = way, .count = steps(way, 100, 109), .end = END(110)};
	const struct deep_hit hits[] = {hit_of(START(105), 100, 104),
					hit_behind(END(110), START(105), 106, 109)};
	struct deep_run run = {.points = points, .point_count = 2, .hits = hits, .hit_count = 2};
	struct deep_parted parted = {};
	struct deep_joint joint;
	bool seen[10] = {};
	size_t differs = 0;

	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_OTHER_PATH);
	assert_int_equal(differs, 5);
	assert_true(parted.newest == 4 && parted.oldest == 4);
	assert_memory_equal(seen, ((bool[10]){1, 1, 1, 1}), sizeof(seen));
	assert_int_equal(join_at(4, hits, 2, &joint), DEEP_OTHER_PATH);
	assert_int_equal(joint.differs, 5);
}

/* The path begins behind a call that is left out: the run took a branch between the two, or not. */
static void agree_branch_between_a_wait_and_the_path(void **state)
{
	struct why_branch way[10];
	uint64_t point = END(110);
	struct deep_known all = {.branches = way,
				 .count = steps(way, 100, 109),
				 .end = END(110),
				 .start = START(100) - 0x10};
	struct deep_hit hit = hit_of(END(110), 99, 109);
	struct deep_run run = {.points = &point, .point_count = 1, .hits = &hit, .hit_count = 1};
	struct deep_parted parted = {};
	bool seen[10] = {};
	size_t differs = 9;

	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_OTHER_PATH);
	assert_int_equal(differs, 0);
	assert_memory_equal(seen, ((bool[10]){1, 1, 1, 1, 1, 1, 1, 1, 1}), sizeof(seen));
	hit.record.branches[0].to = all.start;
	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_JOINED);
	/* Without such a call nothing is known of what is before. */
	hit = hit_of(END(110), 99, 109);
	all.start = 0;
	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_JOINED);
}

/* To where the path has a branch to the run came from further on: it may have left it right there.
 */
static void agree_run_that_comes_back_within_a_block(void **state)
{
	struct why_branch way[10];
	uint64_t point = END(110);
	struct deep_known all = {.branches = way, .count = steps(way, 100, 109), .end = END(110)};
	struct deep_hit hit = hit_of(END(110), 100, 109);
	struct deep_run run = {.points = &point, .point_count = 1, .hits = &hit, .hit_count = 1};
	struct deep_parted parted = {};
	bool seen[10] = {};
	size_t differs = 9;

	hit.record.branches[4] = (struct why_branch){START(105) + 8, START(105) + 0x10};
	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_OTHER_PATH);
	assert_int_equal(differs, 4);
	assert_true(parted.newest == 4 && parted.oldest == 5);
	hit.record.branches[4].to = START(105);
	assert_int_equal(deep_agree(&all, &run, seen, &differs, &parted), DEEP_OTHER_PATH);
	assert_true(parted.newest == 5 && parted.oldest == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(join_call_computed_branches_are_put_in_between),
		cmocka_unit_test(join_records_that_reach_each_other_all_of_them_overlap),
		cmocka_unit_test(join_call_entry_is_told),
		cmocka_unit_test(record_ends_where_another_task_ran),
		cmocka_unit_test(record_behind_a_handler_that_returned_to_a_thunk),
		cmocka_unit_test(record_of_a_wait_begins_behind_the_call),
		cmocka_unit_test(join_wait_goes_on_before_the_call),
		cmocka_unit_test(join_wait_unproven_is_not_joined),
		cmocka_unit_test(join_behind_a_wait_hits_in_it_are_told_apart),
		cmocka_unit_test(join_records_of_a_wait_say_what_is_its_own),
		cmocka_unit_test(join_call_unproven_is_not_joined),
		cmocka_unit_test(join_call_path_longer_than_the_function_is_not_joined),
		cmocka_unit_test(join_clean_overlap_is_joined),
		cmocka_unit_test(join_records_apart_overlap_is_counted_in_the_older),
		cmocka_unit_test(join_no_overlap_is_another_path),
		cmocka_unit_test(join_branches_in_another_order_is_another_path),
		cmocka_unit_test(join_point_executed_again_hits_are_counted_from_the_error),
		cmocka_unit_test(join_two_offsets_possible_is_refused),
		cmocka_unit_test(join_identical_records_no_progress),
		cmocka_unit_test(join_interrupt_in_the_older_record_is_short),
		cmocka_unit_test(join_interrupt_in_the_newer_record_own_overlap_counts),
		cmocka_unit_test(join_depth_4_is_proven_by_the_newer_record),
		cmocka_unit_test(join_hits_in_a_row_are_one_record),
		cmocka_unit_test(join_interrupt_before_a_hit_in_a_loop_ends_there),
		cmocka_unit_test(agree_point_before_ways_meet_has_not_seen_that),
		cmocka_unit_test(agree_records_that_reach_each_other_are_one),
		cmocka_unit_test(agree_hit_missing_differs_somewhere),
		cmocka_unit_test(agree_point_hit_again_differs_behind_the_missing_one),
		cmocka_unit_test(agree_hit_that_goes_on_from_the_one_before),
		cmocka_unit_test(agree_branch_between_a_wait_and_the_path),
		cmocka_unit_test(agree_run_that_comes_back_within_a_block),
		cmocka_unit_test(join_error_not_hit_or_point_not_hit),
		cmocka_unit_test(join_record_with_the_entry_says_so),
		cmocka_unit_test(record_interrupt_inside_is_cut_out_and_named),
		cmocka_unit_test(record_breakpoint_where_an_exception_was_before_ends_there),
		cmocka_unit_test(record_tells_whose_handler_returned),
		cmocka_unit_test(record_begins_behind_a_kprobe_that_is_a_jump),
		cmocka_unit_test(record_ends_at_the_entry_of_the_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
