// SPDX-License-Identifier: GPL-2.0
/* Code written by hand; whether the CPU can have run straight to the breakpoint is read off it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../text_bytes.h"
#include "path/staleness.h"

#define BASE 0xffffffff81000000ULL
#define USER 0x401000ULL

/*
 * 00  nop nop       10  jmp 00      20  mov $0x1d9,%ecx   30  mov $-22,%eax
 * 02  ret           12  nop         25  wrmsr             35  ret
 *                                   27  ret
 */
static const uint8_t code[0x40] = {
	[0x00] = 0x90, 0x90, 0xc3, [0x10] = 0xeb, 0xee, 0x90, [0x20] = 0xb9, 0xd9, 0x01, 0x00, 0x00,
	0x0f,	       0x30, 0xc3, [0x30] = 0xb8, 0xea, 0xff, 0xff,	     0xff, 0xc3,
};

static const struct text_bytes listing = {BASE, code, sizeof(code)};

/* snap->stale of a breakpoint at @ip when the newest branch went to @to. */
static enum tri stale_at(enum trigger_kind kind, uint32_t supported, uint64_t to, uint64_t ip,
			 uint32_t wasted)
{
	const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};
	const struct lbr_info lbr = {.depth = 32, .supported = supported};
	const struct trigger trigger = {.kind = kind};
	struct snapshot snap = {.trigger = &trigger,
				.ip = ip,
				.lbr = &lbr,
				.path_ok = true,
				.count = 2,
				.wasted = wasted,
				.branches = {{.from = BASE + 2, .to = BASE}, {.to = to}}};

	snapshot_classify_stale(&snap, &text, NULL);
	return snap.stale;
}

static enum tri stale(uint64_t to, uint64_t ip)
{
	return stale_at(TRIGGER_HW, LBR_HAS_MISPRED, to, ip, 0);
}

static void classify_stale_straight_to_breakpoint_is_fresh(void **state)
{
	(void)state;
	assert_int_equal(stale(BASE, BASE + 2), TRI_CLEAR);
	assert_int_equal(stale(BASE + 0x30, BASE + 0x30), TRI_CLEAR);
	assert_int_equal(stale(BASE + 0x30, BASE + 0x35), TRI_CLEAR);
}

static void classify_stale_impossible_way_is_stale(void **state)
{
	(void)state;
	assert_int_equal(stale(BASE + 2, BASE), TRI_SET);	    /* backwards */
	assert_int_equal(stale(BASE + 0x10, BASE + 0x12), TRI_SET); /* over a jump */
	assert_int_equal(stale(BASE, BASE + 0x30), TRI_SET);	    /* over a return */
	assert_int_equal(stale(BASE + 0x30, BASE + 0x32), TRI_SET); /* into an instruction */
	assert_int_equal(stale(USER, BASE + 2), TRI_SET); /* from user space without entry */
	assert_int_equal(stale(BASE, BASE + (1 << 20)), TRI_SET); /* further than any code runs */
}

static void classify_stale_what_proves_nothing_is_not_judged(void **state)
{
	(void)state;
	assert_int_equal(stale(BASE + 0x20, BASE + 0x27), TRI_NOT_REPORTED);  /* LBR switched */
	assert_int_equal(stale(BASE - 0x100, BASE - 0x80), TRI_NOT_REPORTED); /* no text */
}

/* APM vol. 2, 13.1.1.8: a debug exception stops AMD's as well. */
static void classify_stale_amd_breakpoint_is_judged(void **state)
{
	(void)state;
	assert_int_equal(stale_at(TRIGGER_HW, LBR_HAS_SPEC, BASE, BASE + 2, 0), TRI_CLEAR);
	assert_int_equal(stale_at(TRIGGER_HW, LBR_HAS_SPEC, BASE + 2, BASE, 0), TRI_SET);
}

static void classify_stale_software_must_have_spent_entries(void **state)
{
	(void)state;
	assert_int_equal(stale_at(TRIGGER_FEXIT, LBR_HAS_MISPRED, BASE, BASE, 1), TRI_CLEAR);
	assert_int_equal(stale_at(TRIGGER_FEXIT, LBR_HAS_MISPRED, BASE, BASE, 0), TRI_SET);
}

/* What tells of a software event is in the LBR, unless the kernel's branches are left out of it. */
static void classify_stale_perf_event_spends_entries_or_is_in_a_program(void **state)
{
	const struct lbr_info lbr = {.depth = 32, .supported = LBR_HAS_MISPRED};
	const struct trigger trigger = {.kind = TRIGGER_PERF};
	struct snapshot snap = {.trigger = &trigger,
				.lbr = &lbr,
				.path_ok = true,
				.count = 1,
				.branches = {{.from = USER + 2, .to = USER}}};

	(void)state;
	assert_int_equal(stale_at(TRIGGER_PERF, LBR_HAS_MISPRED, BASE, USER, 1), TRI_CLEAR);
	assert_int_equal(stale_at(TRIGGER_PERF, LBR_HAS_MISPRED, BASE, USER, 0), TRI_SET);
	snapshot_classify_stale(&snap, NULL, NULL);
	assert_int_equal(snap.stale, TRI_NOT_REPORTED);
}

/* The interrupt comes some instructions behind the overflow that froze the LBR. */
static void classify_stale_pmi_is_not_told(void **state)
{
	(void)state;
	assert_int_equal(stale_at(TRIGGER_PMI, LBR_HAS_MISPRED, BASE + 2, BASE, 0),
			 TRI_NOT_REPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classify_stale_straight_to_breakpoint_is_fresh),
		cmocka_unit_test(classify_stale_impossible_way_is_stale),
		cmocka_unit_test(classify_stale_what_proves_nothing_is_not_judged),
		cmocka_unit_test(classify_stale_amd_breakpoint_is_judged),
		cmocka_unit_test(classify_stale_software_must_have_spent_entries),
		cmocka_unit_test(classify_stale_perf_event_spends_entries_or_is_in_a_program),
		cmocka_unit_test(classify_stale_pmi_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
