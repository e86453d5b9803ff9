// SPDX-License-Identifier: GPL-2.0
/*
 * Expected values: AMD APM vol. 2, 13.1.1.9, "FROM may be the instruction before a fused branch";
 * addresses by hand from the code below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "path/fused.h"
#include "../text_bytes.h"

#define BASE UINT64_C(0xffffffff81000000)

/*
 * 00  cmp $0x1,%eax    08  cmp $0x1,%eax    10  je 0
 * 03  je  0            0b  call *%rax       12  test %eax,%eax   (the text ends inside the next)
 * 05  nop (3 bytes)    0d  nop (3 bytes)
 */
static const uint8_t code[] = {
	0x83, 0xf8, 0x01, 0x74, 0xfb, 0x0f, 0x1f, 0x00, 0x83, 0xf8, 0x01,
	0xff, 0xd0, 0x0f, 0x1f, 0x00, 0x74, 0xee, 0x85, 0xc0, 0x74,
};

static const struct text_bytes listing = {BASE, code, sizeof(code)};
static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};

/* FROM of an entry @from -> @to when it has been looked at. */
static uint64_t repaired(uint64_t from, uint64_t to, uint32_t supported, uint32_t unknown)
{
	const struct lbr_info lbr = {.depth = 16, .supported = supported};
	struct snapshot snap = {.lbr = &lbr, .count = 1, .branches = {{.from = from, .to = to}}};

	assert_int_equal(snapshot_repair_fused(&snap, &text), unknown);
	assert_int_equal(snap.branches[0].to, to);
	return snap.branches[0].from;
}

static void repair_fused_compare_becomes_the_branch(void **state)
{
	(void)state;
	assert_int_equal(repaired(BASE, BASE, LBR_HAS_SPEC, 0), BASE + 3);
}

static void repair_fused_branch_itself_stays(void **state)
{
	(void)state;
	assert_int_equal(repaired(BASE + 3, BASE, LBR_HAS_SPEC, 0), BASE + 3);
	assert_int_equal(repaired(BASE + 0x10, BASE, LBR_HAS_SPEC, 0), BASE + 0x10);
}

/* An interrupt before the compare, an indirect call behind one, two instructions before a branch.
 */
static void repair_fused_other_ways_stay(void **state)
{
	(void)state;
	assert_int_equal(repaired(BASE, BASE + 0x800, LBR_HAS_SPEC, 0), BASE);
	assert_int_equal(repaired(BASE + 8, BASE + 0x800, LBR_HAS_SPEC, 0), BASE + 8);
	assert_int_equal(repaired(BASE + 5, BASE, LBR_HAS_SPEC, 0), BASE + 5);
}

static void repair_fused_without_text_is_counted(void **state)
{
	static const struct text_source none;
	const struct lbr_info lbr = {.depth = 16, .supported = LBR_HAS_SPEC};
	struct snapshot snap = {.lbr = &lbr, .count = 2, .branches = {{.from = BASE}, {.from = 1}}};

	(void)state;
	assert_int_equal(repaired(0x400000, BASE, LBR_HAS_SPEC, 1), 0x400000);
	assert_int_equal(snapshot_repair_fused(&snap, &none), 2);
	/* The text ends behind the compare: nothing is known of what follows it. */
	assert_int_equal(repaired(BASE + 0x12, BASE, LBR_HAS_SPEC, 0), BASE + 0x12);
}

static void repair_fused_intel_is_left_alone(void **state)
{
	(void)state;
	assert_int_equal(repaired(BASE, BASE, LBR_HAS_MISPRED, 0), BASE);
	assert_int_equal(repaired(0x400000, BASE, LBR_HAS_MISPRED, 0), 0x400000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repair_fused_compare_becomes_the_branch),
		cmocka_unit_test(repair_fused_branch_itself_stays),
		cmocka_unit_test(repair_fused_other_ways_stay),
		cmocka_unit_test(repair_fused_without_text_is_counted),
		cmocka_unit_test(repair_fused_intel_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
