// SPDX-License-Identifier: GPL-2.0
/* src/why/deep_hits: which hits are of the call that failed */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "why/deep/deep_hits.h"

#define POINT	0xffffffff81000000ull
#define THREADS 256 /* that are kept */
#define HITS	2048

static const struct deep_code code;

static void hit(struct deep_hits *hits, uint32_t tid, uint32_t call, uint64_t ns, uint64_t ip)
{
	struct why_point point = {
		.head = {.kind = WHY_POINT, .tid = tid, .mono_ns = ns}, .ip = ip, .call = call};

	assert_int_equal(deep_hits_add(hits, &point.head), 0);
}

static void fail_call(struct deep_hits *hits, uint32_t tid, uint64_t begin_ns, uint64_t seq)
{
	struct why_failed *failed = calloc(1, sizeof(*failed));

	assert_non_null(failed);
	failed->head.kind = WHY_FAILED;
	failed->head.tid = tid;
	failed->head.seq = seq;
	failed->begin_ns = begin_ns;
	assert_int_equal(deep_hits_add(hits, &failed->head), 0);
	free(failed);
}

/* Those of kprobes and of breakpoints are in one order. */
static void hits_of_kprobes_are_hits(void **state)
{
	const struct why_passed passed = {.head = {.kind = WHY_PASSED, .tid = 7, .mono_ns = 21},
					  .ip = POINT + 1,
					  .call = 2,
					  .regs[PTREG_IP] = POINT + 1,
					  .regs[PTREG_R11] = 0x1234,
					  .top = 0x5678};
	struct deep_hits hits = {.code = &code};
	const struct deep_hit *found;
	size_t count = 0;

	hit(&hits, 7, 2, 20, POINT);
	assert_int_equal(deep_hits_add(&hits, &passed.head), 0);
	hit(&hits, 7, 2, 22, POINT + 2);
	fail_call(&hits, 7, 15, 100);
	found = deep_hits_of(&hits, 100, &count);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(found[i].ip, POINT + i);
	assert_int_equal(found[1].record.count, 0);
	assert_int_equal(found[1].regs[PTREG_R11], 0x1234);
	assert_int_equal(found[1].top, 0x5678);
	/* Else it could be taken for the end of the way. */
	assert_int_equal(found[1].regs[PTREG_IP], 0);
	deep_hits_clear(&hits);
}

/* Its newest branch leads to the code before the hit, or the LBR stood still since another one. */
static void hits_records_of_before_are_none(void **state)
{
	static const struct {
		uint64_t to;
		size_t count;
	} cases[] = {{POINT + 0x100, 1}, {POINT, 1}, {POINT + 0x101, 0}, {POINT - 0x800000, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct why_point point = {.head = {.kind = WHY_POINT, .tid = 7, .mono_ns = 20},
					  .ip = POINT + 0x100,
					  .call = 2,
					  .count = 1,
					  .branches = {{.from = POINT + 0x900, .to = cases[i].to}}};
		struct deep_hits hits = {.code = &code};
		const struct deep_hit *found;
		size_t count = 0;

		assert_int_equal(deep_hits_add(&hits, &point.head), 0);
		fail_call(&hits, 7, 15, 100);
		found = deep_hits_of(&hits, 100, &count);
		assert_int_equal(count, 1);
		assert_int_equal(found->record.count, cases[i].count);
		assert_int_equal(found->record.end == DEEP_END_STALE, !cases[i].count);
		deep_hits_clear(&hits);
	}
}

static void hits_are_those_since_the_call_began(void **state)
{
	struct deep_hits hits = {.code = &code};
	const struct deep_hit *found;
	size_t count = 0;

	hit(&hits, 7, 1, 10, POINT);
	hit(&hits, 7, 2, 20, POINT + 1);
	hit(&hits, 8, 2, 21, POINT + 2);
	hit(&hits, 7, 2, 22, POINT + 3);
	fail_call(&hits, 7, 15, 100);
	/* A later call without a hit, and one of a thread that had none. */
	fail_call(&hits, 7, 30, 101);
	fail_call(&hits, 9, 0, 102);
	found = deep_hits_of(&hits, 100, &count);
	assert_non_null(found);
	assert_int_equal(count, 2);
	assert_true(found[0].ip == POINT + 1 && found[1].ip == POINT + 3);
	assert_null(deep_hits_of(&hits, 101, &count));
	assert_null(deep_hits_of(&hits, 102, &count));
	deep_hits_clear(&hits);
}

/* Two that take turns behind as many as are kept: neither may cost the other its hits. */
static void hits_of_many_threads_those_silent_longest_are_dropped(void **state)
{
	struct deep_hits hits = {.code = &code};
	uint64_t ns = 1, begin_ns;
	size_t count = 0;

	for (uint32_t tid = 1; tid <= THREADS; tid++)
		hit(&hits, tid, 1, ns++, POINT);
	begin_ns = ns;
	for (int i = 0; i < 3; i++) {
		hit(&hits, 1000, 1, ns++, POINT + i);
		hit(&hits, 1001, 1, ns++, POINT);
	}
	fail_call(&hits, 1000, begin_ns, 5);
	assert_non_null(deep_hits_of(&hits, 5, &count));
	assert_int_equal(count, 3);
	deep_hits_clear(&hits);
}

static void hits_of_a_call_too_many_the_newest_are_kept(void **state)
{
	struct deep_hits hits = {.code = &code};
	const struct deep_hit *found;
	size_t count = 0;

	for (uint64_t i = 0; i < 2 * HITS + 5; i++)
		hit(&hits, 7, 1, 1 + i, POINT + i);
	fail_call(&hits, 7, 1, 5);
	found = deep_hits_of(&hits, 5, &count);
	assert_non_null(found);
	assert_in_range(count, HITS / 2, HITS);
	for (size_t i = 0; i < count; i++)
		assert_true(found[i].ip == POINT + 2 * HITS + 5 - count + i);
	/* The next call of the thread begins with none. */
	hit(&hits, 7, 2, 10000, POINT);
	fail_call(&hits, 7, 10000, 6);
	assert_non_null(deep_hits_of(&hits, 6, &count));
	assert_int_equal(count, 1);
	deep_hits_clear(&hits);
}

/* @ax: what the function returns */
static void return_hit(struct deep_hits *hits, uint32_t call, uint64_t ax)
{
	struct why_point point = {
		.head = {.kind = WHY_POINT, .tid = 7, .mono_ns = call}, .ip = POINT, .call = call};

	point.regs[PTREG_IP] = POINT;
	point.regs[PTREG_AX] = ax;
	assert_int_equal(deep_hits_add(hits, &point.head), 0);
}

/* All calls that come by a place are told; many without an error do not push out the one with. */
static void hits_of_a_place_that_do_not_count_are_not_kept(void **state)
{
	const struct deep_place place = {
		.ends = {POINT}, .end_count = 1, .returns = true, .errors = true};
	struct deep_hits hits = {.code = &code, .place = &place};
	size_t count = 0;

	return_hit(&hits, 1, (uint64_t)-ENOENT);
	fail_call(&hits, 7, 1, 1);
	for (uint32_t call = 2; call < 300; call++) {
		return_hit(&hits, call, 3);
		fail_call(&hits, 7, call, call);
	}
	assert_non_null(deep_hits_of(&hits, 1, &count));
	assert_int_equal(count, 1);
	assert_null(deep_hits_of(&hits, 299, &count));
	assert_int_equal(hits.points, 299);
	deep_hits_clear(&hits);
	assert_ptr_equal(hits.place, &place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_are_those_since_the_call_began),
		cmocka_unit_test(hits_of_kprobes_are_hits),
		cmocka_unit_test(hits_records_of_before_are_none),
		cmocka_unit_test(hits_of_many_threads_those_silent_longest_are_dropped),
		cmocka_unit_test(hits_of_a_call_too_many_the_newest_are_kept),
		cmocka_unit_test(hits_of_a_place_that_do_not_count_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
