// SPDX-License-Identifier: GPL-2.0
/* Where a negative errno goes to: code by GNU as, expected values read off the listing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "cfg/code.h"
#include "disasm/dataflow.h"
#include "disasm/insn.h"
#include "util/cleanup.h"
#include "cfg/flow.h"
#include "why/origin.h"

#define BASE 0xffffffff81000000ULL

/*
 * returned:  00 mov $-22,%eax      05 ret
 * tested:    10 mov $-22,%ebx      15 test %ebx,%ebx      17 js 1c
 *            19 mov %ebx,%eax      1b ret                 1c xor %eax,%eax      1e ret
 * pointer:   20 mov $-2,%rbx       27 cmp $-4096,%rbx     2e ja 33
 *            30 xor %eax,%eax      32 ret                 33 mov %rbx,%rax      36 ret
 * slot:      40 movl $-22,8(%rsp)  48 call returned       4d mov 8(%rsp),%eax
 *            51 add $16,%rsp       55 ret
 * shared:    60 movl $-22,8(%rsp)  68 lea 8(%rsp),%rdi    6d call returned
 *            72 xor %eax,%eax      74 ret
 * called:    80 mov $-22,%eax      85 call returned       8a test %eax,%eax
 *            8c cmovs %ebx,%eax    8f ret
 * tail:      90 mov $-22,%edi      95 jmp returned
 * memory:    a0 movl $-22,(%rdi)   a6 ret
 * cmov:      b0 mov $-22,%ebx      b5 call returned       ba mov $-12,%eax
 *            bf test %ebx,%ebx     c1 cmove %ebx,%eax     c4 pop %rbx           c5 ret
 * loop:      d0 push %rbx          d1 mov $-22,%ebx       d6 dec %edi           d8 jne d6
 *            da add $5,%ebx        dd mov %ebx,%eax       df pop %rbx           e0 ret
 * user:      f0 mov $-22,%ecx      f5 call __get_user_4   fa mov %ecx,%eax      fc ret
 * receive:   110 call returned     115 mov %eax,%edx      117 call netlink_ack
 *            11c xor %eax,%eax     11e ret
 * count:     120 mov $-1,%ecx      125 mov %ecx,%eax      127 lock xadd %eax,(%rdi)
 *            12b add %ecx,(%rdi)   12d xor %eax,%eax      12f ret
 * mount:     150 call returned     155 ret
 */
static const uint8_t machine_code[] =
	"\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xbb\xea\xff\xff\xff\x85\xdb\x78\x03\x89\xd8\xc3\x31\xc0\xc3\xcc"
	"\x48\xc7\xc3\xfe\xff\xff\xff\x48\x81\xfb\x00\xf0\xff\xff\x77\x03"
	"\x31\xc0\xc3\x48\x89\xd8\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xc7\x44\x24\x08\xea\xff\xff\xff\xe8\xb3\xff\xff\xff\x8b\x44\x24"
	"\x08\x48\x83\xc4\x10\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xc7\x44\x24\x08\xea\xff\xff\xff\x48\x8d\x7c\x24\x08\xe8\x8e\xff"
	"\xff\xff\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xb8\xea\xff\xff\xff\xe8\x76\xff\xff\xff\x85\xc0\x0f\x48\xc3\xc3"
	"\xbf\xea\xff\xff\xff\xe9\x66\xff\xff\xff\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xc7\x07\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xbb\xea\xff\xff\xff\xe8\x46\xff\xff\xff\xb8\xf4\xff\xff\xff\x85"
	"\xdb\x0f\x44\xc3\x5b\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x53\xbb\xea\xff\xff\xff\xff\xcf\x75\xfc\x83\xc3\x05\x89\xd8\x5b"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xb9\xea\xff\xff\xff\xe8\x06\x00\x00\x00\x89\xc8\xc3\xcc\xcc\xcc"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xe8\xeb\xfe\xff\xff\x89\xc2\xe8\x14\x00\x00\x00\x31\xc0\xc3\xcc"
	"\xb9\xff\xff\xff\xff\x89\xc8\xf0\x0f\xc1\x07\x01\x0f\x31\xc0\xc3"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xe8\xab\xfe\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static const char table[] = "ffffffff81000000 T returned\n"
			    "ffffffff81000010 T tested\n"
			    "ffffffff81000020 T pointer\n"
			    "ffffffff81000040 T slot\n"
			    "ffffffff81000060 T shared\n"
			    "ffffffff81000080 T called\n"
			    "ffffffff81000090 T tail\n"
			    "ffffffff810000a0 T memory\n"
			    "ffffffff810000b0 T cmov\n"
			    "ffffffff810000d0 T loop\n"
			    "ffffffff810000f0 T user\n"
			    "ffffffff81000100 T __get_user_4\n"
			    "ffffffff81000108 T asm_sysvec_timer\n"
			    "ffffffff81000110 T receive\n"
			    "ffffffff81000120 T count\n"
			    "ffffffff81000130 T netlink_ack\n"
			    "ffffffff81000140 T __x64_sys_sendmsg\n"
			    "ffffffff81000150 T __x64_sys_mount\n"
			    "ffffffff81000160 T further\n";

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

static void flow_of_site_each_way(void **state)
{
	static const struct {
		const char *name;
		uint64_t off;
		uint16_t err;
		unsigned int expected;
	} rows[] = {
		{"returned", 0x00, EINVAL, FLOW_RETURNED},
		{"tested", 0x10, EINVAL, FLOW_LOST}, /* it is negative: the branch is taken */
		{"pointer", 0x20, ENOENT, FLOW_RETURNED},
		{"slot", 0x40, EINVAL, FLOW_RETURNED},
		{"shared", 0x60, EINVAL, FLOW_ELSEWHERE},
		{"called", 0x80, EINVAL, FLOW_LOST},
		{"tail", 0x90, EINVAL, FLOW_ELSEWHERE},
		{"memory", 0xa0, EINVAL, FLOW_ELSEWHERE},
		{"cmov", 0xb0, EINVAL, FLOW_RETURNED},
		{"cmov", 0xba, ENOMEM, FLOW_RETURNED},
		{"loop", 0xd1, EINVAL, FLOW_LOST},  /* 5 more is another number */
		{"count", 0x120, EPERM, FLOW_LOST}, /* one less, of what memory holds */
		/* Kept by the call, of which it may be an argument as well. */
		{"user", 0xf0, EINVAL, FLOW_RETURNED | FLOW_ELSEWHERE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct code *code;
		unsigned int goes;

		load(*state, rows[i].name, &code);
		goes = flow_of_site(code, *state, BASE + rows[i].off, rows[i].err);
		if (goes != rows[i].expected)
			fail_msg("%s: %#x, not %#x", rows[i].name, goes, rows[i].expected);
		code_free(code);
	}
}

static void flow_of_result_in_the_caller(void **state)
{
	struct code *code;

	load(*state, "called", &code);
	assert_int_equal(flow_of_result(code, *state, BASE + 0x8a, EINVAL), FLOW_RETURNED);
	code_free(code);
	load(*state, "slot", &code);
	assert_int_equal(flow_of_result(code, *state, BASE + 0x4d, EINVAL), FLOW_LOST);
	code_free(code);
}

/* A hit of @site whose function was called from @caller; then from one that is not known. */
static struct why_hit hit_at(uint32_t site, uint32_t order, uint64_t addr, uint64_t caller)
{
	return (struct why_hit){
		.ip = addr,
		.site = site,
		.order = order,
		.frames = 2,
		.stack = {addr, caller},
	};
}

static void origin_newest_hit_that_reaches_the_result(void **state)
{
	static const uint64_t addrs[] = {BASE, BASE + 0x10, BASE + 0xa0};
	static const char *const names[] = {"returned", "tested", "memory"};
	static const struct {
		const char *what;
		uint16_t err;
		struct {
			uint32_t site;
			uint64_t caller;
		} hits[3]; /* the newest first */
		size_t count;
		int expected; /* place in @hits, or -1 */
		enum why_via via;
		bool certain;
		int rival; /* place in @hits; 0: none */
	} rows[] = {
		{"returns it", EINVAL, {{0, BASE + 0x8a}}, 1, 0},
		{"drops it; the older one is returned",
		 EINVAL,
		 {{0, BASE + 0x4d}, {0, BASE + 0x8a}},
		 2,
		 1},
		{"is overwritten, the older one may come through memory",
		 EINVAL,
		 {{1, BASE + 0x8a}, {2, BASE + 0x8a}, {0, BASE + 0x8a}},
		 3,
		 1,
		 .rival = 2},
		{"what has to be returned is taken before what may be, if that is newer",
		 EINVAL,
		 {{2, BASE + 0x155}, {0, BASE + 0x155}},
		 2,
		 1,
		 .certain = true},
		{"it has to be returned here alone: of the caller nothing is known",
		 EINVAL,
		 {{2, BASE + 0x155}, {0, BASE + 0x151}},
		 2,
		 0,
		 .rival = 1},
		{"EPERM: what is returned is taken before what may be",
		 EPERM,
		 {{2, BASE + 0x8a}, {0, BASE + 0x8a}},
		 2,
		 1},
		{"all are dropped", EINVAL, {{0, BASE + 0x4d}, {1, BASE + 0x4d}}, 2, -1},
		{"an interrupt's is none", EINVAL, {{0, BASE + 0x109}, {0, BASE + 0x8a}}, 2, 1},
		{"only an interrupt's", EINVAL, {{0, BASE + 0x109}}, 1, -1},
		{"none", EINVAL, {}, 0, -1},
		{"the system call returns it", EINVAL, {{0, BASE + 0x141}}, 1, 0},
		{"netlink: the system call returns it, nobody acknowledges it",
		 EINVAL,
		 {{0, BASE + 0x141}},
		 1,
		 -1,
		 WHY_VIA_NETLINK},
		{"netlink: acknowledged, and a newer one that is not",
		 EINVAL,
		 {{0, BASE + 0x141}, {0, BASE + 0x115}},
		 2,
		 1,
		 WHY_VIA_NETLINK},
		{"netlink, EPERM: what is acknowledged is taken before what may be",
		 EPERM,
		 {{2, BASE + 0x115}, {0, BASE + 0x115}},
		 2,
		 1,
		 WHY_VIA_NETLINK},
	};
	struct site items[3] = {};
	struct sites sites = {.items = items, .count = 3};

	for (size_t i = 0; i < 3; i++) {
		items[i].addr = items[i].watch = addrs[i];
		assert_int_equal(symbols_by_name(*state, "", names[i], 0, &items[i].sym), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct failure failure = {
			.err = rows[i].err, .via = rows[i].via, .hit_count = rows[i].count};
		struct why_hit *hits = calloc(3, sizeof(*hits));
		struct origin found;

		assert_non_null(hits);
		for (size_t k = 0; k < rows[i].count; k++)
			hits[k] = hit_at(rows[i].hits[k].site, 9 - (uint32_t)k,
					 addrs[rows[i].hits[k].site], rows[i].hits[k].caller);
		failure.hits = hits;
		found = origin_choose(&failure, &sites, &text, *state);
		assert_int_equal(found.certain, rows[i].certain);
		assert_int_equal(found.rival ? found.rival - hits : 0, rows[i].rival);
		if ((found.hit ? found.hit - hits : -1) != rows[i].expected)
			fail_msg("%s: %td", rows[i].what, found.hit ? found.hit - hits : -1);
		free(hits);
	}
}

static void flow_of_what_is_no_instruction_is_not_known(void **state)
{
	struct code *code;

	load(*state, "returned", &code);
	assert_int_equal(flow_of_site(code, *state, BASE + 1, EINVAL), FLOW_ELSEWHERE);
	code_free(code);
}

/* Flags as the SDM defines them for CMP and TEST (vol. 2A). */
static void insn_compare_flags_of_32_and_64_bits(void **state)
{
	static const struct {
		enum insn_compare compare;
		uint8_t bits;
		int64_t constant;
		uint64_t value;
		uint16_t expected;
	} rows[] = {
		{INSN_COMPARE_TEST, 32, 0, 0xffffffea, INSN_SF},
		{INSN_COMPARE_TEST, 64, 0, 0xffffffea, 0},
		{INSN_COMPARE_TEST, 64, 0, 0, INSN_ZF},
		{INSN_COMPARE_CONST, 32, -22, 0xffffffea, INSN_ZF},
		{INSN_COMPARE_CONST, 32, 1, 0, INSN_SF | INSN_CF},
		{INSN_COMPARE_CONST, 32, 1, 0x80000000, INSN_OF},
		{INSN_COMPARE_CONST, 64, -4096, (uint64_t)-22, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct insn_dataflow df = {
			.compare = rows[i].compare,
			.compare_bits = rows[i].bits,
			.constant = rows[i].constant,
		};

		assert_int_equal(insn_compare_flags(&df, rows[i].value), rows[i].expected);
	}
}

static void insn_branch_taken_by_flags(void **state)
{
	(void)state;
	assert_int_equal(insn_branch_taken("\x78\x10", 2, INSN_SF), 1); /* js */
	assert_int_equal(insn_branch_taken("\x79\x10", 2, INSN_SF), 0); /* jns */
	assert_int_equal(insn_branch_taken("\x77\x10", 2, INSN_ZF), 0); /* ja */
	assert_int_equal(insn_branch_taken("\x77\x10", 2, INSN_SF), 1); /* ja */
	assert_int_equal(insn_branch_taken("\x7e\x10", 2, INSN_SF), 1); /* jle */
	assert_int_equal(insn_branch_taken("\x7e\x10", 2, INSN_SF | INSN_OF), 0);
	assert_int_equal(insn_branch_taken("\x7a\x10", 2, 0), -1); /* jp */
	assert_int_equal(insn_branch_taken("\x31\xc0", 2, 0), -1); /* xor */
}

static void insn_truth_each_form(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		enum insn_truth expected;
		uint8_t reg;
	} rows[] = {
		{"\x0f\x95\xc0", 3, INSN_TRUTH_MAKES, 0},	   /* setne %al */
		{"\x0f\xb6\xda", 3, INSN_TRUTH_MAKES, 3},	   /* movzbl %dl,%ebx */
		{"\x83\xe1\x01", 3, INSN_TRUTH_MAKES, 1},	   /* and $1,%ecx */
		{"\x83\xe1\x03", 3, INSN_TRUTH_NONE, 1},	   /* and $3,%ecx */
		{"\x0f\xb7\xc0", 3, INSN_TRUTH_NONE, 0},	   /* movzwl %ax,%eax */
		{"\xf7\xd8", 2, INSN_TRUTH_MINUS, 0},		   /* neg %eax */
		{"\x41\x83\xec\x01", 4, INSN_TRUTH_MINUS, 12},	   /* sub $1,%r12d */
		{"\x83\xe8\x02", 3, INSN_TRUTH_NONE, 0},	   /* sub $2,%eax */
		{"\x90", 1, INSN_TRUTH_NONE, 0},		   /* nop: no operand at all */
		{"\xf6\xd8", 2, INSN_TRUTH_NONE, 0},		   /* neg %al */
		{"\x80\x00\x01", 3, INSN_TRUTH_NONE, INSN_NO_REG}, /* addb $1,(%rax) */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t reg = INSN_NO_REG;

		assert_int_equal(insn_truth(rows[i].bytes, rows[i].len, &reg), rows[i].expected);
		if (rows[i].expected != INSN_TRUTH_NONE)
			assert_int_equal(reg, rows[i].reg);
	}
}

/*
 * 00 nopl (fentry)  05 test %edi,%edi  07 sete %al  0a movzbl %al,%eax  0d neg %eax  0f ret
 * What is -1 there is seen at 0f.
 */
static void sites_eperm_by_arithmetic_is_seen_behind(void **state)
{
	static const uint8_t bytes[] = "\x0f\x1f\x44\x00\x00\x85\xff\x0f\x94\xc0\x0f\xb6\xc0"
				       "\xf7\xd8\xc3";
	const struct text_bytes one = {BASE, bytes, 16};
	const struct text_source source = {.read = text_bytes_read, .ctx = (void *)&one};
	struct symbols *symbols = symbol_table("ffffffff81000000 T capable\n"
					       "ffffffff81000010 T further\n");
	struct candidates candidates = {};
	uint32_t funcs[] = {(uint32_t)BASE};
	struct failure failure = {.err = EPERM, .funcs = funcs, .func_count = 1, .call.nr = 9999};
	struct sites sites = {};

	(void)state;
	assert_non_null(symbols);
	assert_int_equal(candidates_find(&source, symbols, NULL, &candidates), 0);
	assert_int_equal(candidates.count, 1);
	assert_int_equal(sites_find(&failure, &candidates, &source, symbols, &sites), 0);
	assert_int_equal(sites.count, 1);
	assert_int_equal(sites.items[0].addr, BASE + 0xd);
	assert_int_equal(sites.items[0].watch, BASE + 0xf);
	assert_int_equal(sites.items[0].reg, PTREG_AX);
	sites_deinit(&sites);
	/* No other errno is made so. */
	failure.err = EINVAL;
	assert_int_equal(sites_find(&failure, &candidates, &source, symbols, &sites), 0);
	assert_int_equal(sites.count, 0);
	sites_deinit(&sites);
	candidates_deinit(&candidates);
	symbols_close(symbols);
}

/*
 * The same, called by mount: 10 call 0, 15 ret. Where a jump leads to 0f, others may come there
 * with a -1 of their own: it is no certain place then. devcgroup_check_permission() of Linux 6.1
 * has its like.
 */
static void origin_eperm_by_arithmetic_is_certain_unless_ways_meet(void **state)
{
	static uint8_t bytes[] = "\x0f\x1f\x44\x00\x00\x85\xff\x0f\x94\xc0\x0f\xb6\xc0\xf7\xd8\xc3"
				 "\xe8\xeb\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";
	const struct text_bytes one = {BASE, bytes, 32};
	const struct text_source source = {.read = text_bytes_read, .ctx = (void *)&one};
	struct symbols *symbols = symbol_table("ffffffff81000000 T capable\n"
					       "ffffffff81000010 T __x64_sys_mount\n"
					       "ffffffff81000020 T further\n");
	struct site item = {.addr = BASE + 0xd, .watch = BASE + 0xf, .err = EPERM, .reg = PTREG_AX};
	struct sites sites = {.items = &item, .count = 1};
	struct why_hit hit = hit_at(0, 1, BASE + 0xf, BASE + 0x15);
	struct failure failure = {.err = EPERM, .hits = &hit, .hit_count = 1};
	struct origin found;

	(void)state;
	assert_non_null(symbols);
	assert_int_equal(symbols_by_name(symbols, "", "capable", 0, &item.sym), 0);
	found = origin_choose(&failure, &sites, &source, symbols);
	assert_ptr_equal(found.hit, &hit);
	assert_true(found.certain);
	/* "je f" instead of what makes the truth value */
	memcpy(bytes + 7, "\x74\x06\x90", 3);
	found = origin_choose(&failure, &sites, &source, symbols);
	assert_ptr_equal(found.hit, &hit);
	assert_false(found.certain);
	symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(flow_of_site_each_way, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(flow_of_result_in_the_caller, open_table,
						symbol_table_teardown),
		cmocka_unit_test_setup_teardown(origin_newest_hit_that_reaches_the_result,
						open_table, symbol_table_teardown),
		cmocka_unit_test_setup_teardown(flow_of_what_is_no_instruction_is_not_known,
						open_table, symbol_table_teardown),
		cmocka_unit_test(insn_truth_each_form),
		cmocka_unit_test(sites_eperm_by_arithmetic_is_seen_behind),
		cmocka_unit_test(origin_eperm_by_arithmetic_is_certain_unless_ways_meet),
		cmocka_unit_test(insn_compare_flags_of_32_and_64_bits),
		cmocka_unit_test(insn_branch_taken_by_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
