// SPDX-License-Identifier: GPL-2.0
/* Which branches an errno depends on: code by GNU as, expected values read off the listing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "cfg/code.h"
#include "cfg/control_edges.h"
#include "cfg/flow.h"
#include "cfg/kept.h"
#include "util/cleanup.h"

#define BASE 0xffffffff81000000ULL

/*
 * nested: 00 test %edi,%edi  02 je 11  04 test %esi,%esi  06 je 0f  08 test %edx,%edx  0a je 0f
 *         0c xor %eax,%eax  0e ret  0f mov %ecx,%ecx  11 mov $-22,%eax  16 ret
 * alike:  20 test %edi,%edi  22 je 36  24 test %esi,%esi  26 je 2e  28 mov $-22,%eax  2d ret
 *         2e mov $-22,%edx  33 mov %edx,%eax  35 ret  36 xor %eax,%eax  38 ret
 * warns:  40 test %edi,%edi  42 je 52  44 test %esi,%esi  46 jne 4e  48 mov $-22,%eax  4d ret
 *         4e ud2  50 jmp 48  52 xor %eax,%eax  54 ret
 * itself: 60 mov $-22,%eax  65 test %eax,%eax  67 jne 6b  69 xor %eax,%eax  6b ret
 * stale:  70 test %eax,%eax  72 mov $-22,%eax  77 jne 7b  79 xor %eax,%eax  7b ret
 * either: 80 mov $-22,%eax  85 test %edi,%edi  87 js 8f  89 test %esi,%esi  8b je 8f
 *         8d xor %eax,%eax  8f ret
 * masked: 90 mov $-17,%ebx  95 and %rbx,0x10(%rdi)  99 xor %eax,%eax  9b ret
 * twice:  a0 cmp $39,%edi  a3 jle bc  a5 mov $-22,%rdx  ac mov $-22,%ecx  b1 test %esi,%esi
 *         b3 jne b8  b5 movslq %ecx,%rdx  b8 mov %rdx,%rax  bb ret  bc xor %eax,%eax  be ret
 * guarded: d0 mov $-22,%eax  d5 test %edi,%edi  d7 js df  d9 test %esi,%esi  db jne e0
 *         dd xor %eax,%eax  df ret  e0 call __stack_chk_fail
 * spilled: 100 push %rbx  101 mov %rsi,%rbx  104 test %edi,%edi  106 je 139  108 mov $-31,%r10d
 *         10e test %rbx,%rbx  111 je 124  113 mov %r10d,-8(%rsp)  118 call ends
 *         11d mov -8(%rsp),%r10d  122 jmp 12f  124 call ends  129 mov $-31,%r10d
 *         12f push %r10  131 call ends  136 pop %rax  137 pop %rbx  138 ret
 *         139 xor %eax,%eax  13b pop %rbx  13c ret
 * anew:   140 test %edi,%edi  142 je 156  144 mov $-12,%ecx  149 test %rsi,%rsi  14c je 153
 *         14e mov $-12,%ecx  153 mov %ecx,%eax  155 ret  156 xor %eax,%eax  158 ret
 * each:   160 mov $-22,%eax  165 test %edi,%edi  167 je 174  169 mov $-22,%eax  16e test %esi,%esi
 *         170 je 174  172 xor %eax,%eax  174 ret
 * at_once: 180 cmpb $49,(%rsi)  183 mov $-22,%eax  188 je 18b  18a ret  18b mov $-22,%eax  190 ret
 * ends:   1a0 ret
 */
static const uint8_t machine_code[] =
	"\x85\xff\x74\x0d\x85\xf6\x74\x07\x85\xd2\x74\x03\x31\xc0\xc3\x89"
	"\xc9\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x85\xff\x74\x12\x85\xf6\x74\x06\xb8\xea\xff\xff\xff\xc3\xba\xea"
	"\xff\xff\xff\x89\xd0\xc3\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x85\xff\x74\x0e\x85\xf6\x75\x06\xb8\xea\xff\xff\xff\xc3\x0f\x0b"
	"\xeb\xf6\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\x85\xc0\x75\x02\x31\xc0\xc3\xcc\xcc\xcc\xcc"
	"\x85\xc0\xb8\xea\xff\xff\xff\x75\x02\x31\xc0\xc3\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\x85\xff\x78\x06\x85\xf6\x74\x02\x31\xc0\xc3"
	"\xbb\xef\xff\xff\xff\x48\x21\x5f\x10\x31\xc0\xc3\xcc\xcc\xcc\xcc"
	"\x83\xff\x27\x7e\x17\x48\xc7\xc2\xea\xff\xff\xff\xb9\xea\xff\xff"
	"\xff\x85\xf6\x75\x03\x48\x63\xd1\x48\x89\xd0\xc3\x31\xc0\xc3\xcc"
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\x85\xff\x78\x06\x85\xf6\x75\x03\x31\xc0\xc3"
	"\xe8\x0b\x00\x00\x00\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x53\x48\x89\xf3\x85\xff\x74\x31\x41\xba\xe1\xff\xff\xff\x48\x85"
	"\xdb\x74\x11\x44\x89\x54\x24\xf8\xe8\x83\x00\x00\x00\x44\x8b\x54"
	"\x24\xf8\xeb\x0b\xe8\x77\x00\x00\x00\x41\xba\xe1\xff\xff\xff\x41"
	"\x52\xe8\x6a\x00\x00\x00\x58\x5b\xc3\x31\xc0\x5b\xc3\xcc\xcc\xcc"
	"\x85\xff\x74\x12\xb9\xf4\xff\xff\xff\x48\x85\xf6\x74\x05\xb9\xf4"
	"\xff\xff\xff\x89\xc8\xc3\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\x85\xff\x74\x0b\xb8\xea\xff\xff\xff\x85\xf6"
	"\x74\x02\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x80\x3e\x31\xb8\xea\xff\xff\xff\x74\x01\xc3\xb8\xea\xff\xff\xff"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xc3";

static const char table[] = "ffffffff81000000 T nested\n"
			    "ffffffff81000020 T alike\n"
			    "ffffffff81000040 T warns\n"
			    "ffffffff81000060 T itself\n"
			    "ffffffff81000070 T stale\n"
			    "ffffffff81000080 T either\n"
			    "ffffffff81000090 T masked\n"
			    "ffffffff810000a0 T twice\n"
			    "ffffffff810000d0 T guarded\n"
			    "ffffffff810000f0 T __stack_chk_fail\n"
			    "ffffffff81000100 T spilled\n"
			    "ffffffff81000140 T anew\n"
			    "ffffffff81000160 T each\n"
			    "ffffffff81000180 T at_once\n"
			    "ffffffff810001a0 T ends\n"
			    "ffffffff810001b0 T further\n";

static const struct text_bytes listing = {BASE, machine_code, sizeof(machine_code) - 1};
static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};

static int open_table(void **state)
{
	return symbol_table_setup(state, table);
}

static void load(struct symbols *symbols, const char *name, struct code **ret)
{
	struct symbol sym;

	assert_int_equal(symbols_by_name(symbols, "", name, 0, &sym), 0);
	assert_int_equal(code_load_symbol(&text, symbols, &sym, ret), 0);
}

static bool has(const struct control_edge *edges, int count, uint64_t off, bool taken)
{
	for (int i = 0; i < count; i++)
		if (edges[i].addr == BASE + off && edges[i].taken == taken)
			return true;
	return false;
}

static int before(void *symbols, const char *name, uint64_t off, struct control_edge *ret,
		  size_t max)
{
	struct code *code;
	int count;

	load(symbols, name, &code);
	count = control_edges_before(code, code_find(code, BASE + off), ret, max);
	code_free(code);
	return count;
}

static int behind(void *symbols, const char *name, uint64_t off, struct control_edge *ret,
		  size_t max)
{
	struct code *code;
	int count;

	load(symbols, name, &code);
	count = control_edges_behind(code, code_find(code, BASE + off), ret, max);
	code_free(code);
	return count;
}

static void control_edges_before_ways_that_meet_twice(void **state)
{
	struct control_edge edges[4];

	assert_int_equal(before(*state, "nested", 0x11, edges, 4), 3);
	assert_true(has(edges, 3, 0x02, true));
	assert_true(has(edges, 3, 0x06, true));
	assert_true(has(edges, 3, 0x0a, true));
	assert_int_equal(before(*state, "nested", 0x11, edges, 2), -E2BIG);
}

/* Both sides of the second branch return -EINVAL: it is the first that decided. */
static void control_edges_before_other_side_fails_alike(void **state)
{
	struct control_edge edges[4];

	assert_int_equal(before(*state, "alike", 0x28, edges, 4), 1);
	assert_true(has(edges, 1, 0x22, false));
}

/* WARN() goes on behind its UD2: both sides of that branch come to the errno. */
static void control_edges_before_warning_comes_back(void **state)
{
	struct control_edge edges[4];

	assert_int_equal(before(*state, "warns", 0x48, edges, 4), 1);
	assert_true(has(edges, 1, 0x42, false));
}

static void control_edges_before_entry_is_not_known(void **state)
{
	struct control_edge edges[4];

	assert_int_equal(before(*state, "itself", 0x60, edges, 4), -ENOENT);
}

static void control_edges_behind_each_branch_that_keeps_it(void **state)
{
	struct control_edge edges[4];

	assert_int_equal(behind(*state, "either", 0x80, edges, 4), 2);
	assert_true(has(edges, 2, 0x87, true));
	assert_true(has(edges, 2, 0x8b, true));
	assert_int_equal(behind(*state, "either", 0x80, edges, 1), -E2BIG);
}

/* "mov $-22,%eax; test %eax,%eax; jne": there is one way, and nothing was decided. */
static void control_edges_behind_branch_asks_for_the_errno(void **state)
{
	struct control_edge edges[4];
	struct kept_branch kept;
	struct code *code;

	assert_int_equal(behind(*state, "itself", 0x60, edges, 4), 0);
	load(*state, "itself", &code);
	assert_int_equal(kept_branches(code, code_find(code, BASE + 0x60), &kept, 1), 0);
	code_free(code);
}

/* "test %eax,%eax; mov $-22,%eax; jne": it asks for what the register held before. */
static void control_edges_behind_branch_asks_for_what_was_there_before(void **state)
{
	struct control_edge edges[4];
	struct code *code;

	assert_int_equal(behind(*state, "stale", 0x72, edges, 4), 1);
	assert_true(has(edges, 1, 0x77, true));
	load(*state, "stale", &code);
	assert_int_equal(kept_way(code, code_find(code, BASE + 0x77), 0, EINVAL), -1);
	code_free(code);
}

/* "return ERR_PTR(err)": both registers hold the errno, and each side returns one of them. */
static void kept_branches_errno_in_two_registers_was_decided_before(void **state)
{
	struct kept_branch kept;
	struct code *code;

	load(*state, "twice", &code);
	assert_int_equal(kept_branches(code, code_find(code, BASE + 0xa5), &kept, 1), 0);
	assert_int_equal(kept_branches(code, code_find(code, BASE + 0xac), &kept, 1), 0);
	code_free(code);
}

/*
 * "err = -EMLINK; if (target) unlock(target); dput(dentry); return err": a call takes the register,
 * so one side loads it anew. Both fail with it: the branch before decided.
 */
static void kept_branches_other_side_loads_it_anew(void **state)
{
	struct control_edge edges[4];
	struct kept_branch kept;
	struct code *code;

	load(*state, "spilled", &code);
	assert_int_equal(kept_branches(code, code_find(code, BASE + 0x108), &kept, 1), 0);
	assert_int_equal(kept_branches_alike(code, code_find(code, BASE + 0x108), &kept, 1), 1);
	assert_int_equal(kept.addr, BASE + 0x111);
	assert_false(kept.taken);
	code_free(code);
	load(*state, "anew", &code);
	assert_int_equal(kept_branches(code, code_find(code, BASE + 0x144), &kept, 1), 0);
	code_free(code);
	/* The one that loads it anew: the other side holds it. */
	assert_int_equal(before(*state, "spilled", 0x129, edges, 4), 1);
	assert_true(has(edges, 1, 0x106, false));
	assert_int_equal(before(*state, "anew", 0x14e, edges, 4), 1);
	assert_true(has(edges, 1, 0x142, false));
}

/* "err = -EINVAL; if (!a) goto out; err = -EINVAL; if (!b) goto out; err = 0": each of them
 * decides. */
static void kept_branches_other_side_may_succeed(void **state)
{
	struct control_edge edges[4];
	struct kept_branch kept;
	struct code *code;

	load(*state, "each", &code);
	assert_int_equal(kept_branches(code, code_find(code, BASE + 0x160), &kept, 1), 1);
	assert_int_equal(kept.addr, BASE + 0x167);
	assert_true(kept.taken);
	assert_int_equal(kept_branches(code, code_find(code, BASE + 0x169), &kept, 1), 1);
	assert_int_equal(kept.addr, BASE + 0x170);
	code_free(code);
	/* The site behind the first branch: its other side fails for another reason. */
	assert_int_equal(before(*state, "each", 0x169, edges, 4), 1);
	assert_true(has(edges, 1, 0x167, false));
}

/* Behind the second branch the stack is broken: it decides for no errno. */
static void control_edges_behind_stack_protector_is_none(void **state)
{
	struct control_edge edges[4];

	assert_int_equal(behind(*state, "guarded", 0xd0, edges, 4), 1);
	assert_true(has(edges, 1, 0xd7, true));
}

/* "word &= ~BIT(4)", as ftrace's handlers have it, makes no -EEXIST. */
static void flow_of_site_mask_of_memory_is_lost(void **state)
{
	struct code *code;

	load(*state, "masked", &code);
	assert_int_equal(flow_of_site(code, *state, BASE + 0x90, EEXIST), FLOW_LOST);
	code_free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_edges_before_ways_that_meet_twice),
		cmocka_unit_test(control_edges_before_other_side_fails_alike),
		cmocka_unit_test(control_edges_before_warning_comes_back),
		cmocka_unit_test(control_edges_before_entry_is_not_known),
		cmocka_unit_test(control_edges_behind_each_branch_that_keeps_it),
		cmocka_unit_test(control_edges_behind_branch_asks_for_the_errno),
		cmocka_unit_test(control_edges_behind_branch_asks_for_what_was_there_before),
		cmocka_unit_test(kept_branches_errno_in_two_registers_was_decided_before),
		cmocka_unit_test(kept_branches_other_side_loads_it_anew),
		cmocka_unit_test(kept_branches_other_side_may_succeed),
		cmocka_unit_test(control_edges_behind_stack_protector_is_none),
		cmocka_unit_test(flow_of_site_mask_of_memory_is_lost),
	};

	return cmocka_run_group_tests(tests, open_table, symbol_table_teardown);
}
