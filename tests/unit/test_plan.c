// SPDX-License-Identifier: GPL-2.0
/* src/why: which memory is read where an error is made, and what is said of it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "snapshot/snapshot.h"
#include "util/cleanup.h"
#include "why/decision/decision.h"
#include "why/values/plan.h"
#include "why/decision/reasons.h"
#include "why/run/watch.h"

#define BASE 0xffffffff81000000ULL

/*
 * direct:   00 cmpl $2,0x8(%rdi)  04 je 0c  06 mov $-22,%eax  0b ret  0c xor %eax,%eax  0e ret
 * pointers: 20 mov 0x10(%rsi),%rax  24 mov 0x4(%rax),%edx  27 cmp $9,%edx  2a jbe 36
 *           2c xor %edx,%edx  2e xor %eax,%eax  30 mov $-22,%eax  35 ret  36 xor  38 ret
 * called:   40 mov 0x8(%rsp),%eax  44 cmp $4,%eax  47 je 54  49 call direct  4e mov $-22,%eax
 *           53 ret  54 xor %eax,%eax  56 ret
 * indexed:  60 cmpl $1,(%rdi,%rsi,4)  64 je 6c  66 mov $-22,%eax  6b ret  6c xor  6e ret
 * one_of:   80 cmpb $2,0x8(%rbx)  84 jne 8f  86 testb $4,0x10(%rbx)  8a jne 8f  8c xor  8e ret
 *           8f mov $-22,%eax  94 ret
 * stored:   a0 cmpb $2,0x8(%rbx)  a4 je b0  a6 movb $2,0x8(%rbx)  aa mov $-22,%eax  af ret
 *           b0 xor %eax,%eax  b2 ret
 * by_then:  c0 cmpb $2,0x8(%rbx)  c4 jne cf  c6 testb $4,0x10(%rbx)  ca jne cf  cc xor  ce ret
 *           cf call direct  d4 mov $-22,%eax  d9 ret
 * many:     e0 cmpl $1,0x0(%rdi)  e4 je 11f  e6 cmpl $2,0x4(%rdi)  ea je 11f  ... ten of them
 *           11c xor %eax,%eax  11e ret  11f mov $-22,%eax  124 ret
 * chained:  140 mov 0x10(%rsi),%rax  144 movq $0,0x10(%rsi)  14c mov 0x4(%rax),%eax
 *           14f cmp $9,%eax  152 jbe 15c  154 xor %eax,%eax  156 mov $-22,%eax  15b ret
 *           15c xor %eax,%eax  15e ret
 * narrow:   160 movzbl %sil,%eax  164 cmpb $2,-0x7f000000(%rax)  16b je 175  16d xor %eax,%eax
 *           16f mov $-22,%eax  174 ret  175 xor %eax,%eax  177 ret
 * extended: 180 movsbl 0x8(%rdi),%eax  184 cmp $-1,%eax  187 jne 191  189 xor %eax,%eax
 *           18b mov $-22,%eax  190 ret  191 xor %eax,%eax  193 ret
 * on_stack: 1a0 cmpb $2,0x8(%rsp)  1a5 jne 1b0  1a7 testb $4,0x10(%rbx)  1ab jne 1b0
 *           1ad xor %eax,%eax  1af ret  1b0 mov $-22,%eax  1b5 ret
 * fixed:    1c0 cmp 0xffffffff81000200(%rip),%edi  1c6 jb 1d0  1c8 mov $-22,%eax  1cd ret
 *           1d0 xor %eax,%eax  1d2 ret
 */
static const uint8_t code[] = "\x83\x7f\x08\x02\x74\x06\xb8\xea\xff\xff\xff\xc3\x31\xc0\xc3\xcc"
			      "\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x48\x8b\x46\x10\x8b\x50\x04\x83\xfa\x09\x76\x0a\x31\xd2\x31\xc0"
			      "\xb8\xea\xff\xff\xff\xc3\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x8b\x44\x24\x08\x83\xf8\x04\x74\x0b\xe8\xb2\xff\xff\xff\xb8\xea"
			      "\xff\xff\xff\xc3\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x83\x3c\xb7\x01\x74\x06\xb8\xea\xff\xff\xff\xc3\x31\xc0\xc3\xcc"
			      "\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x80\x7b\x08\x02\x75\x09\xf6\x43\x10\x04\x75\x03\x31\xc0\xc3\xb8"
			      "\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x80\x7b\x08\x02\x74\x0a\xc6\x43\x08\x02\xb8\xea\xff\xff\xff\xc3"
			      "\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x80\x7b\x08\x02\x75\x09\xf6\x43\x10\x04\x75\x03\x31\xc0\xc3\xe8"
			      "\x2c\xff\xff\xff\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x83\x7f\x00\x01\x74\x39\x83\x7f\x04\x02\x74\x33\x83\x7f\x08\x03"
			      "\x74\x2d\x83\x7f\x0c\x04\x74\x27\x83\x7f\x10\x05\x74\x21\x83\x7f"
			      "\x14\x06\x74\x1b\x83\x7f\x18\x07\x74\x15\x83\x7f\x1c\x08\x74\x0f"
			      "\x83\x7f\x20\x09\x74\x09\x83\x7f\x24\x0a\x74\x03\x31\xc0\xc3\xb8"
			      "\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x48\x8b\x46\x10\x48\xc7\x46\x10\x00\x00\x00\x00\x8b\x40\x04\x83"
			      "\xf8\x09\x76\x08\x31\xc0\xb8\xea\xff\xff\xff\xc3\x31\xc0\xc3\xcc"
			      "\x40\x0f\xb6\xc6\x80\xb8\x00\x00\x00\x81\x02\x74\x08\x31\xc0\xb8"
			      "\xea\xff\xff\xff\xc3\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x0f\xbe\x47\x08\x83\xf8\xff\x75\x08\x31\xc0\xb8\xea\xff\xff\xff"
			      "\xc3\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x80\x7c\x24\x08\x02\x75\x09\xf6\x43\x10\x04\x75\x03\x31\xc0\xc3"
			      "\xb8\xea\xff\xff\xff\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			      "\x3b\x3d\x3a\x00\x00\x00\x72\x08\xb8\xea\xff\xff\xff\xc3\xcc\xcc"
			      "\x31\xc0\xc3\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc";

static const char table[] = "ffffffff81000000 T direct\n"
			    "ffffffff81000020 T pointers\n"
			    "ffffffff81000040 T called\n"
			    "ffffffff81000060 T indexed\n"
			    "ffffffff81000080 T one_of\n"
			    "ffffffff810000a0 T stored\n"
			    "ffffffff810000c0 T by_then\n"
			    "ffffffff810000e0 T many\n"
			    "ffffffff81000140 T chained\n"
			    "ffffffff81000160 T narrow\n"
			    "ffffffff81000180 T extended\n"
			    "ffffffff810001a0 T on_stack\n"
			    "ffffffff810001c0 T fixed\n"
			    "ffffffff810001e0 T end\n"
			    "ffffffff810001f0 T further\n";

static const struct text_bytes listing = {BASE, code, sizeof(code) - 1};
static const struct text_source text = {.read = text_bytes_read, .ctx = (void *)&listing};

static int open_table(void **state)
{
	return symbol_table_setup(state, table);
}

/** struct seen - a site of @where, what is read there, and what was */
struct seen {
	struct decision_code where;
	struct site site;
	struct why_read_table table;
	struct why_hit *hit;
};

static struct seen plan(void **state, const char *name, uint64_t offset)
{
	struct seen seen = {.where = {.text = &text, .symbols = *state},
			    .site = {.addr = BASE + offset, .watch = BASE + offset}};

	assert_int_equal(symbols_by_name(*state, "", name, 0, &seen.site.sym), 0);
	plan_reads(&seen.where, &seen.site, &seen.table);
	seen.hit = calloc(1, sizeof(*seen.hit));
	assert_non_null(seen.hit);
	seen.hit->read = ~0u;
	return seen;
}

/* The decisions that come out of it; the hit is freed. */
static int explain(const struct seen *seen, bool one_of, struct decision *ret, size_t max)
{
	const struct why_state known = {
		.regs = (const uint64_t *)seen->hit->regs, .hit = seen->hit, .table = &seen->table};
	int count = one_of ? decisions_one_of(&seen->where, &seen->site.sym, seen->site.addr,
					      &known, ret, max)
			   : decisions_find(&seen->where, &seen->site.sym, seen->site.addr, NULL,
					    &known, ret, max);

	free(seen->hit);
	return count;
}

static void assert_read(const struct why_read *read, uint8_t from, int64_t offset, uint8_t bytes)
{
	assert_int_equal(read->from, from);
	assert_int_equal(read->offset, offset);
	assert_int_equal(read->bytes, bytes);
	assert_int_equal(read->string, 0);
}

static void memory_operand_is_read(void **state)
{
	struct seen seen = plan(state, "direct", 6);
	struct decision decision;

	assert_int_equal(seen.table.count, 1);
	assert_read(&seen.table.reads[0], PTREG_DI, 8, 4);
	seen.hit->values[0] = 7;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_string_equal(decision.condition, "0x8(%rdi) != 2");
	assert_string_equal(decision.values, "0x8(%rdi) = 7");
}

static void what_could_not_be_read_is_not_told(void **state)
{
	struct seen seen = plan(state, "direct", 6);
	struct decision decision;

	seen.hit->read = 0;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_null(strstr(decision.values, "0x8("));
}

static void values_are_left_out_where_nobody_wants_them(void **state)
{
	struct seen seen = plan(state, "direct", 6);
	struct decision decision;

	seen.where.no_values = true;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_string_equal(decision.values, "");
}

static void loaded_value_is_read_through_its_pointers(void **state)
{
	struct seen seen = plan(state, "pointers", 0x30);
	struct decision decision;

	assert_int_equal(seen.table.count, 2);
	assert_read(&seen.table.reads[0], PTREG_SI, 0x10, 8);
	assert_read(&seen.table.reads[1], WHY_FROM_READ, 4, 4);
	seen.hit->values[0] = 0xffff888000000000;
	seen.hit->values[1] = 42;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_string_equal(decision.condition, "%edx > 9 (unsigned)");
	assert_string_equal(decision.values, "%edx = 42");
}

/* A function was called in between: its frame is where it was, what it holds may have changed. */
static void stack_slot_behind_a_call_is_read_later(void **state)
{
	struct seen seen = plan(state, "called", 0x4e);
	struct decision decision;

	assert_int_equal(seen.table.count, 1);
	assert_read(&seen.table.reads[0], PTREG_SP, 8, 4);
	seen.hit->values[0] = 9;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_string_equal(decision.values, "%eax = 9 (read later)");
}

/* What was loaded may have come by way of another pointer: this one was written to since. */
static void value_behind_a_pointer_that_changed_is_read_later(void **state)
{
	struct seen seen = plan(state, "chained", 0x156);
	struct decision decision;

	assert_int_equal(seen.table.count, 2);
	assert_read(&seen.table.reads[0], PTREG_SI, 0x10, 8);
	assert_read(&seen.table.reads[1], WHY_FROM_READ, 4, 4);
	seen.hit->values[1] = 42;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_string_equal(decision.condition, "%eax > 9 (unsigned)");
	assert_string_equal(decision.values, "%eax = 42 (read later)");
}

/* The address is made of one byte of %rsi; what the others hold does not matter. */
static void memory_at_a_part_of_a_register_is_not_read(void **state)
{
	struct seen seen = plan(state, "narrow", 0x16f);

	assert_int_equal(seen.table.count, 0);
	free(seen.hit);
}

/* Whether -1 or 255 is what was loaded, the load's own sign says, which is not known here. */
static void byte_that_may_be_below_zero_is_not_told(void **state)
{
	struct seen seen = plan(state, "extended", 0x18b);
	struct decision decision;

	assert_int_equal(seen.table.count, 1);
	assert_read(&seen.table.reads[0], PTREG_DI, 8, 1);
	seen.hit->values[0] = 0xff;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_string_equal(decision.condition, "%eax == -1");
	assert_string_equal(decision.values, "");
	/* Above zero both are the same; it is not what was compared, though. */
	seen = plan(state, "extended", 0x18b);
	seen.hit->values[0] = 5;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_string_equal(decision.values, "%eax = 5 (changed since)");
}

/* nr_cpu_ids: its address is not what the register was compared with. */
static void memory_at_a_fixed_address_has_its_value(void **state)
{
	struct seen seen = plan(state, "fixed", 0x1c8);
	struct decision decision;

	assert_int_equal(seen.table.count, 1);
	seen.hit->values[0] = 2;
	seen.hit->regs[PTREG_DI] = 3;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_string_equal(decision.condition, "%edi >= (0xffffffff81000200) (unsigned)");
	assert_string_equal(decision.values, "%edi = 3, (0xffffffff81000200) = 2");
}

static void value_that_contradicts_has_changed_since(void **state)
{
	struct seen seen = plan(state, "stored", 0xaa);
	struct decision decision;

	assert_int_equal(seen.table.count, 1);
	assert_read(&seen.table.reads[0], PTREG_BX, 8, 1);
	seen.hit->values[0] = 2;
	assert_int_equal(explain(&seen, false, &decision, 1), 1);
	assert_false(decision.excluded);
	assert_non_null(strstr(decision.values, "0x8(%rbx) = 2 (changed since)"));
}

static void indexed_memory_is_not_read(void **state)
{
	struct seen seen = plan(state, "indexed", 0x66);

	assert_int_equal(seen.table.count, 0);
	free(seen.hit);
}

/* Of a site that is seen behind its instruction the registers are no longer those before it. */
static void site_seen_later_has_no_reads(void **state)
{
	struct seen seen = plan(state, "direct", 6);

	seen.site.watch += 5;
	plan_reads(&seen.where, &seen.site, &seen.table);
	assert_int_equal(seen.table.count, 0);
	free(seen.hit);
}

/* "cmpb $2,0x8(%rbx)" was not what decided, if there is a 2. */
static void memory_tells_which_of_several_ways_it_was(void **state)
{
	struct seen seen = plan(state, "one_of", 0x8f);
	struct decision all[4];

	assert_int_equal(seen.table.count, 2);
	assert_int_equal(reads_find(&seen.table,
				    &(struct why_read){.from = PTREG_BX, .offset = 8, .bytes = 1}),
			 0);
	assert_int_equal(
		reads_find(&seen.table,
			   &(struct why_read){.from = PTREG_BX, .offset = 0x10, .bytes = 1}),
		1);
	seen.hit->values[0] = 2;
	seen.hit->values[1] = 0xff;
	assert_int_equal(explain(&seen, true, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0x8a);
	/* The other way round. */
	seen = plan(state, "one_of", 0x8f);
	seen.hit->values[0] = 3;
	assert_int_equal(explain(&seen, true, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0x84);
	assert_non_null(strstr(all[0].values, "0x8(%rbx) = 3"));
	/* Neither is known. */
	seen = plan(state, "one_of", 0x8f);
	seen.hit->read = 0;
	assert_int_equal(explain(&seen, true, all, 4), 2);
}

/* Another CPU may write to it between the test and the error: the true way may be this one. */
static void memory_that_another_cpu_writes_to_excludes_no_way(void **state)
{
	struct seen seen = plan(state, "one_of", 0x8f);
	struct decision all[4];

	seen.hit->read = 1;
	seen.hit->values[0] = 2;
	assert_int_equal(explain(&seen, true, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0x8a);
	assert_null(strstr(all[0].values, "by then"));
	assert_int_equal(all[1].addr, BASE + 0x84);
	assert_string_equal(all[1].values, "0x8(%rbx) = 2 (by then)");
	/* One of them has changed, and nothing tells which. */
	seen = plan(state, "one_of", 0x8f);
	seen.hit->values[0] = 2;
	assert_int_equal(explain(&seen, true, all, 4), 2);
	assert_string_equal(all[0].values, "0x8(%rbx) = 2 (by then)");
	assert_string_equal(all[1].values, "0x10(%rbx) = 0 (by then)");
	/* Of one way the change is proven. */
	seen = plan(state, "direct", 6);
	seen.hit->values[0] = 2;
	assert_int_equal(explain(&seen, false, all, 1), 1);
	assert_false(all[0].excluded);
	assert_string_equal(all[0].values, "0x8(%rdi) = 2 (changed since)");
}

/* Nobody else writes there. */
static void memory_of_the_own_stack_excludes_a_way(void **state)
{
	struct seen seen = plan(state, "on_stack", 0x1b0);
	struct decision all[4];

	assert_read(&seen.table.reads[0], PTREG_SP, 8, 1);
	seen.hit->read = 1;
	seen.hit->values[0] = 2;
	assert_int_equal(explain(&seen, true, all, 4), 1);
	assert_int_equal(all[0].addr, BASE + 0x1ab);
}

/* Behind a call that proves nothing: the one that it speaks against comes last, and says so. */
static void memory_read_later_excludes_no_way(void **state)
{
	struct seen seen = plan(state, "by_then", 0xd4);
	struct decision all[4];
	int first = reads_find(&seen.table,
			       &(struct why_read){.from = PTREG_BX, .offset = 8, .bytes = 1});

	assert_int_equal(seen.table.count, 2);
	assert_in_range(first, 0, 1);
	seen.hit->values[first] = 2;
	seen.hit->values[!first] = 0xff;
	assert_int_equal(explain(&seen, true, all, 4), 2);
	assert_int_equal(all[0].addr, BASE + 0xca);
	assert_null(strstr(all[0].values, "by then"));
	assert_int_equal(all[1].addr, BASE + 0xc4);
	assert_string_equal(all[1].values, "0x8(%rbx) = 2 (by then)");
}

/* A return that many tests share: memory leaves the one of them that was true. */
static void memory_leaves_one_of_many_ways(void **state)
{
	struct seen seen = plan(state, "many", 0x11f);
	struct decision all[REASONS_WAYS_MAX];
	int seventh = reads_find(&seen.table,
				 &(struct why_read){.from = PTREG_DI, .offset = 24, .bytes = 4});

	assert_int_equal(seen.table.count, 10);
	assert_in_range(seventh, 0, 9);
	seen.hit->values[seventh] = 7;
	assert_int_equal(explain(&seen, true, all, REASONS_WAYS_MAX), 1);
	assert_int_equal(all[0].addr, BASE + 0xe0 + 6 * 6 + 4);
	assert_string_equal(all[0].condition, "0x18(%rdi) == 7");
}

static void table_holds_each_read_once_and_no_more_than_fit(void **state)
{
	struct why_read_table reads = {};
	struct why_read one = {.from = PTREG_DI, .bytes = 8};

	assert_int_equal(reads_add(&reads, &one), 0);
	assert_int_equal(reads_add(&reads, &one), 0);
	one.bytes = 4;
	assert_int_equal(reads_add(&reads, &one), 1);
	for (int i = 0; i < WHY_STRINGS_MAX; i++) {
		const struct why_read string = {.from = PTREG_SI, .offset = i, .string = 1};

		assert_int_equal(reads_add(&reads, &string), 2 + i);
		assert_int_equal(reads.reads[2 + i].string, 1 + i);
	}
	assert_int_equal(reads_add(&reads, &(struct why_read){.from = PTREG_DX, .string = 1}),
			 -ENOSPC);
	for (uint32_t i = reads.count; i < WHY_READS_MAX; i++) {
		one.offset = i;
		assert_int_equal(reads_add(&reads, &one), i);
	}
	one.offset = 1000;
	assert_int_equal(reads_add(&reads, &one), -ENOSPC);
	assert_int_equal(reads.count, WHY_READS_MAX);
	assert_int_equal(reads_find(&reads, &one), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_table, symbol_table_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_operand_is_read),
		TEST(what_could_not_be_read_is_not_told),
		TEST(values_are_left_out_where_nobody_wants_them),
		TEST(loaded_value_is_read_through_its_pointers),
		TEST(stack_slot_behind_a_call_is_read_later),
		TEST(value_behind_a_pointer_that_changed_is_read_later),
		TEST(memory_at_a_part_of_a_register_is_not_read),
		TEST(byte_that_may_be_below_zero_is_not_told),
		TEST(memory_at_a_fixed_address_has_its_value),
		TEST(value_that_contradicts_has_changed_since),
		TEST(indexed_memory_is_not_read),
		TEST(site_seen_later_has_no_reads),
		TEST(memory_tells_which_of_several_ways_it_was),
		TEST(memory_that_another_cpu_writes_to_excludes_no_way),
		TEST(memory_of_the_own_stack_excludes_a_way),
		TEST(memory_read_later_excludes_no_way),
		TEST(memory_leaves_one_of_many_ways),
		cmocka_unit_test(table_holds_each_read_once_and_no_more_than_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
