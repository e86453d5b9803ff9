// SPDX-License-Identifier: GPL-2.0
/* src/cfg/dominators: what all ways to an instruction come by, and how many branches that takes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../text_bytes.h"
#include "cfg/dominators.h"

#define BASE  0xffffffff81000000ULL
#define CALLS 5

/*
 * two:   00 test %edi,%edi  02 je 0a  04 call 40  09 nop  0a test %esi,%esi  0c jne 14
 *        0e call 40  13 nop  14 mov %eax,%ebx  16 ret
 * loop:  20 call 40  25 dec %edi  27 jne 20  29 ret
 * table: 30 jmp *%rax  32 ret
 * early: 34 test %edi,%edi  36 je 3b  38 mov %eax,%ebx  3a ret  3b mov %ebx,%eax  3d ret
 * ends:  40 ret
 */
static const uint8_t machine_code[] =
	"\x85\xff\x74\x06\xe8\x37\x00\x00\x00\x90\x85\xf6\x75\x06\xe8\x2d"
	"\x00\x00\x00\x90\x89\xc3\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xe8\x1b\x00\x00\x00\xff\xcf\x75\xf7\xc3\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xff\xe0\xc3\xcc\x85\xff\x74\x03\x89\xc3\xc3\x89\xd8\xc3\xcc\xcc"
	"\xc3";

static struct text_bytes bytes = {
	.base = BASE, .bytes = machine_code, .len = sizeof(machine_code) - 1};
static const struct text_source text = {.read = text_bytes_read, .ctx = &bytes};

/* Of the function at @at, @size bytes long; @to: 0: a return; @max: branches. */
static size_t find(unsigned int at, unsigned int size, unsigned int to, unsigned int max,
		   struct dominator ret[8])
{
	struct dominator *found;
	struct code *code;
	size_t count;

	assert_int_equal(code_load(&text, BASE + at, size, NULL, &code), 0);
	assert_int_equal(dominators_find(code, to ? BASE + to : 0, CALLS, max, &found, &count), 0);
	assert_true(count <= 8);
	for (size_t i = 0; i < count; i++)
		ret[i] = found[i];
	free(found);
	code_free(code);
	return count;
}

static void dominators_what_every_way_has(void **state)
{
	static const struct dominator all[] = {{BASE + 0x14, 0}, {BASE + 0x0a, 1}, {BASE, 2}};
	struct dominator found[8];

	/* Of the two calls neither is made on each way. */
	assert_int_equal(find(0, 0x17, 0x16, 100, found), 3);
	assert_memory_equal(found, all, sizeof(all));
	assert_int_equal(find(0, 0x17, 0, 100, found), 3);
	assert_memory_equal(found, all, sizeof(all));
	assert_int_equal(find(0, 0x17, 0x16, 1, found), 2);
	assert_memory_equal(found, all, 2 * sizeof(*all));
	/* Behind the first call: it is on each way there. */
	assert_int_equal(find(0, 0x17, 0x09, 100, found), 2);
	assert_int_equal(found[0].addr, BASE + 0x04);
	assert_int_equal(found[0].branches, CALLS);
	assert_int_equal(found[1].addr, BASE);
	assert_int_equal(found[1].branches, CALLS);
}

static void dominators_behind_a_call_in_a_loop(void **state)
{
	struct dominator found[8];

	assert_int_equal(find(0x20, 10, 0x29, 100, found), 2);
	assert_int_equal(found[0].addr, BASE + 0x25);
	assert_int_equal(found[0].branches, 0);
	assert_int_equal(found[1].addr, BASE + 0x20);
	assert_int_equal(found[1].branches, CALLS);
}

/* A function with two returns: which one, only the caller knows. */
static void dominators_of_any_return(void **state)
{
	struct dominator found[8];

	assert_int_equal(find(0x34, 10, 0, 100, found), 1);
	assert_int_equal(found[0].addr, BASE + 0x34);
	assert_int_equal(found[0].branches, 0);
}

static void dominators_none_where_no_way_is_known(void **state)
{
	struct dominator found[8];

	assert_int_equal(find(0x30, 3, 0x32, 100, found), 0);
	/* No instruction begins there. */
	assert_int_equal(find(0, 0x17, 0x01, 100, found), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dominators_what_every_way_has),
		cmocka_unit_test(dominators_behind_a_call_in_a_loop),
		cmocka_unit_test(dominators_of_any_return),
		cmocka_unit_test(dominators_none_where_no_way_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
