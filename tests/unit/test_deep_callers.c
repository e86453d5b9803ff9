// SPDX-License-Identifier: GPL-2.0
/* src/why/deep/deep_callers: what led to the calls on the stack, beside the path and put before it
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../text_bytes.h"
#include "util/cleanup.h"
#include "why/deep/deep_callers.h"

#define CODE  0xffffffff81000000ull
#define AT(n) (CODE + (n))

/*
 *	00: call 40 (5 bytes; returns to 05)
 *	08: call *%rax (2 bytes; returns to 0a)
 *	10: nop ...
 */
static uint8_t code[0x100] = {[0x00] = 0xe8, 0x3b, 0, 0, 0, [0x08] = 0xff, 0xd0, [0x10] = 0x90};

static struct text_bytes code_bytes = {.base = CODE, .bytes = code, .len = sizeof(code)};
static const struct text_source text = {.read = text_bytes_read, .ctx = &code_bytes};

static bool refuse(const void *ctx, uint64_t addr)
{
	return ctx && *(const uint64_t *)ctx == addr;
}

/* There, and at all higher addresses. */
static bool refuse_from(const void *ctx, uint64_t addr)
{
	return addr >= *(const uint64_t *)ctx;
}

/* One to the call at 00, and what the run had at other points. */
static struct deep_hit hit_at(uint64_t ip, const struct why_branch *branches, size_t count)
{
	struct deep_hit hit = {.ip = ip};

	if (count)
		memcpy(hit.record.branches, branches, count * sizeof(*branches));
	hit.record.count = count;
	return hit;
}

/* 20 branches in a row, each behind the one before: number N leads from 0x50 + 4N to 0x52 + 4N. */
static void make_way(struct why_branch *way, size_t count)
{
	for (size_t i = 0; i < count; i++)
		way[i] = (struct why_branch){AT(0x50 + 4 * i), AT(0x52 + 4 * i)};
	/* And to the call. */
	way[count - 1].to = AT(0);
}

static void find_calls(struct deep_callers *callers)
{
	static const uint64_t stack[] = {AT(0x05), AT(0x0a), AT(0x18)};

	*callers = (struct deep_callers){.text = &text, .refused = refuse, .depth = 4};
	assert_int_equal(deep_callers_find(callers, stack, 3), 0);
}

/* What does not stand behind a call is left out, and where no breakpoint may stand. */
static void test_calls_are_found(void **state)
{
	static const uint64_t stack[] = {AT(0x05), AT(0x0a), AT(0x18)};
	uint64_t never = AT(0);
	struct deep_callers callers;

	find_calls(&callers);
	assert_int_equal(callers.count, 2);
	assert_int_equal(callers.items[0].path.end, AT(0));
	assert_int_equal(callers.items[1].path.end, AT(0x08));
	deep_callers_clear(&callers);
	callers = (struct deep_callers){.text = &text, .refused = refuse, .ctx = &never};
	assert_int_equal(deep_callers_find(&callers, stack, 3), 0);
	assert_int_equal(callers.count, 1);
	assert_int_equal(callers.items[0].path.end, AT(0x08));
	deep_callers_clear(&callers);
}

/* Points of one more call: 0: there is none. */
static size_t aim_at(struct deep_callers *callers, const struct deep_path *path, long at,
		     uint64_t points[2])
{
	const struct deep_aim *aim;

	callers->aim_count = 0;
	if (!deep_callers_aim(callers, path, at, &aim))
		return 0;
	points[0] = deep_callers_end_of(callers, aim);
	points[1] = aim->point;
	return aim->point ? 2 : 1;
}

static size_t aim(struct deep_callers *callers, uint64_t points[2])
{
	static const struct deep_path none;

	return aim_at(callers, &none, DEEP_BEFORE, points);
}

/* Two records of four branches: the second is taken behind number 2 of the first, with that. */
static void take_two(struct deep_callers *callers, const struct why_branch *way)
{
	struct deep_hit hits[2] = {hit_at(AT(0), way + 6, 4), {}};
	struct deep_run run = {.hits = hits, .hit_count = 1, .point_count = 2};
	uint64_t points[2];

	assert_int_equal(aim(callers, points), 1);
	assert_int_equal(points[0], AT(0));
	run.points = points;
	assert_int_equal(deep_callers_take(callers, &run, NULL, 5), 0);
	assert_int_equal(callers->items[0].path.count, 4);
	assert_int_equal(aim(callers, points), 2);
	assert_int_equal(points[0], AT(0));
	/* Behind the third branch: three are the same. */
	assert_int_equal(points[1], way[8].to);
	hits[0] = hit_at(points[1], way + 5, 4);
	hits[1] = hit_at(AT(0), way + 6, 4);
	run.hit_count = 2;
	assert_int_equal(deep_callers_take(callers, &run, NULL, 6), 0);
	assert_int_equal(callers->items[0].path.count, 5);
	assert_memory_equal(callers->items[0].path.branches, way + 5, 5 * sizeof(*way));
}

static void test_records_are_joined(void **state)
{
	struct why_branch way[10];
	struct deep_callers callers;

	make_way(way, 10);
	find_calls(&callers);
	take_two(&callers, way);
	deep_callers_clear(&callers);
}

/* The path as deep.c has it when it has come to the call: @older branches before that. */
static void make_path(struct deep_path *path, const struct why_branch *way, size_t older)
{
	struct deep_record record = {.count = older + 1};

	*path = (struct deep_path){.end = AT(0x40)};
	memcpy(record.branches, way + 10 - older, older * sizeof(*way));
	record.branches[older] = (struct why_branch){AT(0), AT(0x40)};
	assert_int_equal(deep_path_begin(path, &record, 3), 0);
}

/* What each run is known to have taken of the path. */
static struct deep_looks looks;

/* Has the path more branches? */
static bool join(struct deep_callers *callers, struct deep_path *path)
{
	size_t before = path->count;

	deep_looks_clear(&looks);
	assert_int_equal(deep_callers_join(callers, path, &looks), 0);
	return path->count > before;
}

static void free_path(struct deep_path *path)
{
	free(path->branches);
	free(path->segments);
	free(path->interrupts);
}

/* With three branches that are the same it is put before the path, with the runs that it is of. */
static void test_path_comes_to_the_call(void **state)
{
	struct why_branch way[10];
	struct deep_callers callers;
	struct deep_path path;

	make_way(way, 10);
	find_calls(&callers);
	take_two(&callers, way);
	for (size_t older = 0; older < 3; older++) {
		make_path(&path, way, older);
		assert_false(join(&callers, &path));
		assert_int_equal(path.count, older + 1);
		free_path(&path);
	}
	make_path(&path, way, 3);
	assert_true(join(&callers, &path));
	assert_int_equal(path.count, 6);
	assert_memory_equal(path.branches, way + 5, 5 * sizeof(*way));
	assert_int_equal(path.segment_count, 3);
	assert_int_equal(path.segments[1].run, 5);
	assert_int_equal(path.segments[1].count, 1);
	assert_int_equal(path.segments[1].overlap, 3);
	assert_int_equal(path.segments[2].run, 6);
	assert_int_equal(path.segments[2].count, 1);
	/* Behind the call's own branch four are of the first run; the next saw these and one more.
	 */
	assert_int_equal(deep_looks_seen(&looks, 0), 0);
	for (size_t branch = 1; branch <= 4; branch++)
		assert_int_equal(deep_looks_seen(&looks, branch), 2);
	assert_int_equal(deep_looks_seen(&looks, 5), 1);
	deep_looks_clear(&looks);
	/* Once. */
	assert_false(join(&callers, &path));
	free_path(&path);
	deep_callers_clear(&callers);
}

/* Another way to the call than the path has: nothing of it is used, then or later. */
static void test_other_way_to_the_call(void **state)
{
	for (size_t other = 7; other < 10; other++) {
		struct why_branch way[10];
		struct deep_callers callers;
		struct deep_path path;

		make_way(way, 10);
		find_calls(&callers);
		take_two(&callers, way);
		way[other].from++;
		make_path(&path, way, 3);
		way[other].from--;
		assert_false(join(&callers, &path));
		assert_int_equal(path.count, 4);
		free_path(&path);
		make_path(&path, way, 3);
		assert_false(join(&callers, &path));
		free_path(&path);
		deep_callers_clear(&callers);
	}
}

/* What stands before a call that waited has no place before the path; nor before its entry. */
static void test_path_that_begins_elsewhere(void **state)
{
	struct why_branch way[10];
	struct deep_callers callers;
	struct deep_path path;

	make_way(way, 10);
	find_calls(&callers);
	take_two(&callers, way);
	make_path(&path, way, 3);
	path.start = AT(0x20);
	assert_false(join(&callers, &path));
	path.start = 0;
	path.entry = true;
	assert_false(join(&callers, &path));
	path.entry = false;
	assert_true(join(&callers, &path));
	free_path(&path);
	deep_callers_clear(&callers);
}

/* An interrupt, or a wait: the next run is to have none. Then another point, and then it is left.
 */
static void test_records_that_are_not_whole(void **state)
{
	struct why_branch way[10];
	struct deep_callers callers;
	uint64_t points[2];
	struct deep_run run = {.points = points, .point_count = 1, .hit_count = 1};
	struct deep_hit hit;
	unsigned int runs = 0;

	make_way(way, 10);
	find_calls(&callers);
	hit = hit_at(AT(0), way + 6, 4);
	hit.record.interrupt_count = 1;
	run.hits = &hit;
	while (aim(&callers, points) && points[0] == AT(0)) {
		assert_int_equal(deep_callers_take(&callers, &run, NULL, 5), 0);
		assert_int_equal(callers.items[0].path.count, 0);
		assert_true(++runs < 100);
		hit.record.interrupt_count = runs & 1;
		hit.record.end = runs & 1 ? DEEP_END_FULL : DEEP_END_SWITCH;
	}
	assert_int_equal(points[0], AT(0x08));
	deep_callers_clear(&callers);
}

/*
 * The path begins in a function that block 05 called at 00 and that returns there: what led to that
 * call is recorded, the last time before the path; a call that returns on the path is none.
 */
static void test_calls_that_return_on_the_path(void **state)
{
	/* 60: ret (to 05); 70: call 80; 80: ret (to 75) */
	const struct why_branch inner = {AT(0x70), AT(0x80)}, back = {AT(0x80), AT(0x75)},
				ret = {AT(0x60), AT(0x05)}, on = {AT(0x06), AT(0x40)};
	struct deep_record record = {.branches = {inner, back, ret, on}, .count = 4};
	struct deep_path path = {.end = AT(0x40)};
	struct deep_callers callers = {.text = &text, .refused = refuse, .depth = 4};
	struct why_branch way[10];
	uint64_t points[2];
	size_t count;

	code[0x60] = code[0x80] = 0xc3;
	memcpy(code + 0x70, (uint8_t[]){0xe8, 0x0b, 0, 0, 0}, 5);
	make_way(way, 10);
	assert_int_equal(deep_path_begin(&path, &record, 3), 0);
	count = aim_at(&callers, &path, DEEP_BEFORE, points);
	assert_int_equal(count, 1);
	assert_int_equal(points[0], AT(0));
	{
		/* The call once more, behind where the path begins: that is another one. */
		struct deep_hit hits[3] = {hit_at(AT(0), way + 6, 4), hit_at(AT(0x80), &inner, 1),
					   hit_at(AT(0), way, 4)};
		struct deep_run run = {
			.points = points, .point_count = 2, .hits = hits, .hit_count = 3};

		/* Without a hit that is known to be the path's nothing is. */
		assert_int_equal(deep_callers_take(&callers, &run, NULL, 5), 0);
		assert_int_equal(callers.items[0].path.count, 0);
		count = aim_at(&callers, &path, DEEP_BEFORE, points);
		assert_int_equal(deep_callers_take(&callers, &run, &hits[1], 5), 0);
		assert_int_equal(callers.items[0].path.count, 4);
		assert_memory_equal(callers.items[0].path.branches, way + 6, 4 * sizeof(*way));
	}
	/* The path comes to the call, and goes on from there. */
	{
		struct why_branch more[4] = {way[7], way[8], way[9], {AT(0), AT(0x50)}};

		assert_int_equal(deep_path_extend(&path, more, 4), 0);
		assert_int_equal(deep_callers_join(&callers, &path, &looks), 0);
		assert_int_equal(path.count, 9);
		assert_memory_equal(path.branches, way + 6, 4 * sizeof(*way));
	}
	free_path(&path);
	deep_callers_clear(&callers);
	memset(code + 0x60, 0, 0x30);
}

/*
 * A loop that calls at 00 in each round: pre, then round after round, then the error at 40.
 *	06 -> 00 (round), 00 -> 58 (call), 59 -> 5c, 60 -> 05 (ret)
 */
static size_t make_loop(struct why_branch *to, unsigned int rounds)
{
	static const struct why_branch before[3] = {
		{AT(0xa0), AT(0xa8)}, {AT(0xa9), AT(0xb0)}, {AT(0xb1), AT(0)}};
	static const struct why_branch round[4] = {
		{AT(0x06), AT(0)}, {AT(0), AT(0x58)}, {AT(0x59), AT(0x5c)}, {AT(0x60), AT(0x05)}};
	size_t count = 3;

	code[0x60] = 0xc3;
	memcpy(to, before, sizeof(before));
	for (unsigned int i = 0; i < rounds; i++)
		for (int k = i ? 0 : 1; k < 4; k++)
			to[count++] = round[k];
	to[count++] = (struct why_branch){AT(0x06), AT(0x40)};
	return count;
}

static void begin_late(struct deep_path *path, const struct why_branch *all, size_t total, size_t n)
{
	struct deep_record record = {.count = n};

	*path = (struct deep_path){.end = AT(0x40)};
	memcpy(record.branches, all + total - n, n * sizeof(*all));
	assert_int_equal(deep_path_begin(path, &record, 3), 0);
}

/* What was put before the path while it began at a wait has the call: an older one is another. */
static void test_call_is_found_where_nothing_could_be_joined(void **state)
{
	struct deep_callers callers = {.text = &text, .refused = refuse, .depth = 12};
	struct deep_path path;
	struct why_branch all[64];
	size_t total = make_loop(all, 3), call = total - 4;
	struct deep_hit hits[2];
	uint64_t points[2];
	struct deep_run run = {.points = points, .point_count = 1, .hits = hits, .hit_count = 2};

	begin_late(&path, all, total, 3);
	assert_int_equal(aim_at(&callers, &path, DEEP_BEFORE, points), 1);
	assert_int_equal(points[0], AT(0));
	hits[0] = hit_at(AT(0), all + call - 11, 11);
	hits[1] = hit_at(AT(0x5c), all + call, 1);
	assert_int_equal(deep_callers_take(&callers, &run, &hits[1], 5), 0);
	assert_int_equal(callers.items[0].path.count, 11);
	assert_int_equal(deep_path_extend(&path, all + call - 1, 2), 0);
	path.start = AT(0x77);
	assert_false(join(&callers, &path));
	path.start = 0;
	assert_int_equal(deep_path_extend(&path, all + call - 8, 7), 0);
	join(&callers, &path);
	assert_true(path.count <= total);
	assert_memory_equal(path.branches, all + total - path.count, path.count * sizeof(*all));
	free_path(&path);
	deep_callers_clear(&callers);
}

/* The path executes the call once more behind where it begins: its hit would be taken for the one.
 */
static void test_call_is_executed_up_to_the_target(void **state)
{
	struct deep_callers callers = {.text = &text, .refused = refuse, .depth = 16};
	struct deep_path path;
	struct why_branch all[64];
	size_t total = make_loop(all, 4), count;
	uint64_t points[2];

	/* It begins with the return of the round before. */
	begin_late(&path, all, total, 6);
	count = aim_at(&callers, &path, 2, points);
	assert_int_equal(count, 0);
	assert_int_equal(callers.aim_count, 0);
	/* Up to there it does not. */
	count = aim_at(&callers, &path, 0, points);
	assert_int_equal(count, 1);
	free_path(&path);
	deep_callers_clear(&callers);
}

/* One that is on the path from the first record on is not followed. */
static void test_call_is_on_the_path(void **state)
{
	struct why_branch way[10];
	struct deep_callers callers;
	struct deep_path path;
	uint64_t points[2];
	size_t count;

	make_way(way, 10);
	find_calls(&callers);
	make_path(&path, way, 1);
	count = aim_at(&callers, &path, DEEP_BEFORE, points);
	assert_int_equal(count, 1);
	assert_int_equal(points[0], AT(0x08));
	free_path(&path);
	deep_callers_clear(&callers);
}

static const struct deep_aim *aim_more(struct deep_callers *callers)
{
	static const struct deep_path none;
	const struct deep_aim *aim = NULL;

	return deep_callers_aim(callers, &none, DEEP_BEFORE, &aim) ? aim : NULL;
}

/* To both calls in one run; a kprobe at the other one may be in the record: then to one alone. */
static void test_calls_in_one_run(void **state)
{
	struct why_branch way[10], other[10];
	struct deep_callers callers;
	const struct deep_aim *first, *second;
	struct deep_hit hits[4];
	struct deep_run run = {.hits = hits, .hit_count = 2};

	make_way(way, 10);
	make_way(other, 10);
	other[9].to = AT(0x08);
	find_calls(&callers);
	first = aim_more(&callers);
	second = aim_more(&callers);
	assert_non_null(first);
	assert_non_null(second);
	assert_null(aim_more(&callers));
	assert_int_equal(deep_callers_end_of(&callers, first), AT(0));
	assert_int_equal(deep_callers_end_of(&callers, second), AT(0x08));
	hits[0] = hit_at(AT(0x08), other + 6, 4);
	hits[1] = hit_at(AT(0), way + 6, 4);
	assert_int_equal(deep_callers_take(&callers, &run, NULL, 5), 0);
	assert_int_equal(callers.items[0].path.count, 4);
	assert_int_equal(callers.items[1].path.count, 4);
	assert_int_equal(callers.aim_count, 0);
	/* The record at the second one's point has less than that point's own branches. */
	first = aim_more(&callers);
	second = aim_more(&callers);
	run.points = (uint64_t[]){AT(0), first->point, AT(0x08), second->point};
	run.point_count = run.hit_count = 4;
	hits[0] = hit_at(second->point, other + 8, 1);
	hits[0].record.end = DEEP_END_RESUMED;
	hits[1] = hit_at(AT(0x08), NULL, 0);
	hits[2] = hit_at(first->point, way + 5, 4);
	hits[3] = hit_at(AT(0), NULL, 0);
	assert_int_equal(deep_callers_take(&callers, &run, NULL, 6), 0);
	assert_int_equal(callers.items[0].path.count, 5);
	assert_int_equal(callers.items[1].path.count, 4);
	assert_int_equal(callers.items[1].misses, 0);
	assert_true(callers.items[1].alone && !callers.items[0].alone);
	/* It waits until nothing else is followed. */
	first = aim_more(&callers);
	assert_int_equal(first->item, 0);
	assert_null(aim_more(&callers));
	callers.aim_count = 0;
	callers.items[0].over = true;
	first = aim_more(&callers);
	assert_int_equal(first->item, 1);
	assert_null(aim_more(&callers));
	deep_callers_clear(&callers);
}

/* Runs take another way, which comes back to what was the path; and one that does not. */
static void test_older_part_is_kept(void **state)
{
	struct deep_callers callers = {.text = &text, .refused = refuse, .depth = 16};
	struct deep_record record = {.count = 32};
	struct why_branch all[32], more[5];
	struct deep_path path;

	make_way(all, 32);
	memcpy(record.branches, all, sizeof(all));
	for (int i = 0; i < 3; i++) {
		path = (struct deep_path){.end = AT(0)};
		assert_int_equal(deep_path_begin(&path, &record, 3), 0);
		/* It began with the entry of the call. */
		path.entry = i == 0;
		assert_int_equal(deep_callers_keep(&callers, &path, 28), 0);
		deep_path_cut(&path, 28);
		deep_callers_cut(&callers, path.count);
		assert_int_equal(callers.count, 1);
		assert_int_equal(callers.items[0].path.count, 26);
		assert_int_equal(callers.items[0].path.segments[0].count, 26);
		memcpy(more, all + 23, 4 * sizeof(*all));
		more[4] = (struct why_branch){AT(0x10), all[28].from - 1};
		if (i == 1)
			more[1].from++;
		assert_int_equal(deep_path_extend(&path, more, 5), 0);
		/* The next cut is another one's. */
		if (i == 2)
			deep_callers_cut(&callers, path.count);
		join(&callers, &path);
		assert_int_equal(path.count, i ? 9 : 32);
		assert_int_equal(path.entry, i == 0);
		assert_memory_equal(path.branches + path.count - 9, more, sizeof(more));
		if (!i)
			assert_memory_equal(path.branches, all, 27 * sizeof(*all));
		/* Of other runs: it is to be seen again. */
		for (size_t branch = 9; branch < 32; branch++)
			assert_int_equal(deep_looks_seen(&looks, branch), 0);
		free_path(&path);
		deep_callers_clear(&callers);
		callers = (struct deep_callers){.text = &text, .refused = refuse, .depth = 16};
	}
}

/* A kept part gets a breakpoint at its end: in a thunk, the CPU would never come out of it. */
static void test_kept_part_ends_where_a_breakpoint_may_stand(void **state)
{
	struct deep_record record = {.count = 32};
	struct why_branch all[32];

	make_way(all, 32);
	memcpy(record.branches, all, sizeof(all));
	for (size_t kept = 0; kept < 27; kept += kept ? 1 : 24) {
		const uint64_t thunk = all[kept ? kept + 1 : 0].from;
		struct deep_callers callers = {
			.text = &text, .refused = refuse_from, .ctx = &thunk};
		struct deep_path path = {.end = AT(0)};

		assert_int_equal(deep_path_begin(&path, &record, 3), 0);
		assert_int_equal(deep_callers_keep(&callers, &path, 28), 0);
		assert_int_equal(callers.count, kept > 0);
		if (callers.count) {
			assert_int_equal(callers.items[0].path.count, kept);
			assert_int_equal(callers.items[0].path.end, all[kept].from);
		}
		free_path(&path);
		deep_callers_clear(&callers);
	}
}

/*
 * The newest branches of the kept part were computed. The path has some of them again, from runs
 * that recorded them: those are not computed.
 */
static void test_computed_branches_that_the_path_has(void **state)
{
	/* How many of the 32 branches of the path were computed; and how many of the 23 that are
	 * put before the path again. */
	static const struct {
		size_t computed;
		size_t left;
	} cases[] = {{32, 23}, {20, 11}, {10, 1}, {9, 0}, {7, 0}, {0, 0}};
	struct deep_record record = {.count = 32};
	struct why_branch all[32], more[5];

	make_way(all, 32);
	memcpy(record.branches, all, sizeof(all));
	memcpy(more, all + 23, 4 * sizeof(*all));
	more[4] = (struct why_branch){AT(0x10), all[28].from - 1};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct deep_callers callers = {.text = &text, .refused = refuse, .depth = 16};
		struct deep_path path = {.end = AT(0)};
		const struct deep_segment *oldest;

		assert_int_equal(deep_path_begin(&path, &record, 3), 0);
		path.segments[0].computed = cases[i].computed;
		assert_int_equal(deep_callers_keep(&callers, &path, 28), 0);
		deep_path_cut(&path, 28);
		deep_callers_cut(&callers, path.count);
		assert_int_equal(deep_path_extend(&path, more, 5), 0);
		assert_true(join(&callers, &path));
		oldest = &path.segments[path.segment_count - 1];
		assert_int_equal(oldest->count, 23);
		assert_int_equal(oldest->computed, cases[i].left);
		free_path(&path);
		deep_callers_clear(&callers);
	}
	deep_looks_clear(&looks);
}

/* A function that calls itself: both have the same newest call. */
static void test_call_twice_on_the_stack(void **state)
{
	static const uint64_t stack[] = {AT(0x05), AT(0x05), AT(0x0a)};
	struct deep_callers callers = {.text = &text, .refused = refuse};

	assert_int_equal(deep_callers_find(&callers, stack, 3), 0);
	assert_int_equal(callers.count, 2);
	deep_callers_clear(&callers);
}

/* What was cut out of a record, or began behind a wait, is not put before the path. */
static void test_joint_that_is_not_whole(void **state)
{
	struct why_branch way[10];

	make_way(way, 10);
	for (int i = 0; i < 3; i++) {
		struct deep_callers callers;
		struct deep_hit hits[2] = {hit_at(AT(0), way + 6, 4), {}};
		uint64_t points[2];
		struct deep_run run = {
			.points = points, .point_count = 1, .hits = hits, .hit_count = 1};

		find_calls(&callers);
		assert_int_equal(aim(&callers, points), 1);
		assert_int_equal(deep_callers_take(&callers, &run, NULL, 5), 0);
		assert_int_equal(aim(&callers, points), 2);
		hits[0] = hit_at(points[1], way + 5, 4);
		hits[0].record.interrupt_count = i == 1;
		hits[0].record.end = i == 2 ? DEEP_END_SWITCH : DEEP_END_FULL;
		hits[1] = hit_at(AT(0), way + 6, 4);
		run.hit_count = run.point_count = 2;
		assert_int_equal(deep_callers_take(&callers, &run, NULL, 6), 0);
		assert_int_equal(callers.items[0].path.count, i ? 4 : 5);
		deep_callers_clear(&callers);
	}
}

/* Where the same branches lead to an execution nearer to the call there is no target. */
static void test_target_that_tells_nothing(void **state)
{
	/* Twice by the same three branches to 60, and else by where it was before. */
	const struct why_branch twice[8] = {{AT(0x10), AT(0x20)}, {AT(0x22), AT(0x30)},
					    {AT(0x32), AT(0x60)}, {AT(0x62), AT(0x10)},
					    {AT(0x10), AT(0x20)}, {AT(0x22), AT(0x30)},
					    {AT(0x32), AT(0x60)}, {AT(0x62), AT(0)}};
	struct deep_hit hit = hit_at(AT(0), twice, 8);
	struct deep_callers callers;
	uint64_t points[2];
	struct deep_run run = {.points = points, .point_count = 1, .hits = &hit, .hit_count = 1};

	find_calls(&callers);
	callers.depth = 8;
	assert_int_equal(aim(&callers, points), 1);
	assert_int_equal(deep_callers_take(&callers, &run, NULL, 5), 0);
	assert_int_equal(callers.items[0].path.count, 8);
	/* The next call instead. */
	assert_int_equal(aim(&callers, points), 1);
	assert_int_equal(points[0], AT(0x08));
	deep_callers_clear(&callers);
}

/* If the path is cut, which execution of such a call is the last before it is not known. */
static void test_path_is_cut(void **state)
{
	struct why_branch way[10];
	struct deep_callers callers;
	struct deep_path path;

	make_way(way, 10);
	for (int live = 0; live < 2; live++) {
		find_calls(&callers);
		take_two(&callers, way);
		callers.items[0].live = live;
		make_path(&path, way, 1);
		assert_false(join(&callers, &path));
		assert_true(callers.items[0].passed);
		deep_path_cut(&path, 2);
		deep_callers_cut(&callers, path.count);
		free_path(&path);
		make_path(&path, way, 3);
		assert_int_equal(join(&callers, &path), live);
		free_path(&path);
		deep_callers_clear(&callers);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_are_found),
		cmocka_unit_test(test_records_are_joined),
		cmocka_unit_test(test_path_comes_to_the_call),
		cmocka_unit_test(test_other_way_to_the_call),
		cmocka_unit_test(test_path_that_begins_elsewhere),
		cmocka_unit_test(test_records_that_are_not_whole),
		cmocka_unit_test(test_calls_that_return_on_the_path),
		cmocka_unit_test(test_call_is_found_where_nothing_could_be_joined),
		cmocka_unit_test(test_call_is_executed_up_to_the_target),
		cmocka_unit_test(test_call_is_on_the_path),
		cmocka_unit_test(test_call_twice_on_the_stack),
		cmocka_unit_test(test_calls_in_one_run),
		cmocka_unit_test(test_older_part_is_kept),
		cmocka_unit_test(test_kept_part_ends_where_a_breakpoint_may_stand),
		cmocka_unit_test(test_computed_branches_that_the_path_has),
		cmocka_unit_test(test_joint_that_is_not_whole),
		cmocka_unit_test(test_target_that_tells_nothing),
		cmocka_unit_test(test_path_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
