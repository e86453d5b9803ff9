// SPDX-License-Identifier: GPL-2.0
/* src/symbolize/text/kprobed: what stands under kprobes, in memory that is made here */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/btf.h>

#include "symbolize/text/kprobed.h"
#include "util/cleanup.h"

#define BASE   0xffffffff81000000ull
#define MEMORY 0x4000u
#define AT(n)  (BASE + (n))
/* Where in memory things are; a struct optimized_kprobe begins with its struct kprobe. */
enum { TEXT = 0x0000, TABLE = 0x1000, KPROBES = 0x2000, KPROBE_BYTES = 0x80 };
enum {
	NODE = 0x08,
	ADDR = 0x28,
	OPCODE = 0x58,
	FLAGS = 0x60,
	OPTINSN = 0x70,
	COPIED = 4,
	DETOUR = 8
};

static uint8_t memory[MEMORY];
static unsigned int reads;

static int read_code(void *ctx, uint64_t addr, void *buf, size_t len)
{
	(void)ctx;
	reads++;
	if (addr < BASE || len > MEMORY || addr - BASE > MEMORY - len)
		return -EFAULT;
	memcpy(buf, memory + (addr - BASE), len);
	return 0;
}

static const struct text_source source = {.read = read_code};

static void put(unsigned int at, uint64_t value)
{
	memcpy(memory + at, &value, sizeof(value));
}

/* struct kprobe and struct optimized_kprobe, as the kernel's BTF describes them. */
static struct btf *make_types(bool optimizes)
{
	struct btf *btf = btf__new_empty();
	int type, copied;

	assert_non_null(btf);
	type = btf__add_int(btf, "long", 8, 0);
	btf__add_struct(btf, "kprobe", OPTINSN);
	btf__add_field(btf, "hlist", type, NODE * 8, 0);
	btf__add_field(btf, "addr", type, ADDR * 8, 0);
	btf__add_field(btf, "opcode", type, OPCODE * 8, 0);
	btf__add_field(btf, "flags", type, FLAGS * 8, 0);
	if (!optimizes)
		return btf;
	copied = btf__add_struct(btf, "arch_optimized_insn", 16);
	btf__add_field(btf, "copied_insn", type, COPIED * 8, 0);
	btf__add_field(btf, "insn", type, DETOUR * 8, 0);
	btf__add_struct(btf, "optimized_kprobe", KPROBE_BYTES);
	btf__add_field(btf, "optinsn", copied, OPTINSN * 8, 0);
	return btf;
}

/* Number @n, of list @list, at @at: as the kernel arms it. */
static void arm(unsigned int n, unsigned int list, unsigned int at, bool jump)
{
	unsigned int kprobe = KPROBES + n * KPROBE_BYTES;
	uint64_t head;

	memcpy(&head, memory + TABLE + list * 8, sizeof(head));
	put(kprobe + NODE, head);
	put(kprobe + ADDR, AT(at));
	memory[kprobe + OPCODE] = memory[at];
	put(kprobe + FLAGS, jump ? 4 : 0);
	put(kprobe + OPTINSN + DETOUR, AT(at) + 5 + 0x44332211);
	if (jump) {
		memcpy(memory + kprobe + OPTINSN + COPIED, memory + at + 1, 4);
		memcpy(memory + at, "\xe9\x11\x22\x33\x44", 5);
	} else {
		memory[at] = 0xcc;
	}
	put(TABLE + list * 8, AT(kprobe + NODE));
}

static struct kprobed *kprobed;

static int setup(void **state)
{
	struct btf *btf = make_types(true);

	(void)state;
	memset(memory, 0, sizeof(memory));
	for (unsigned int i = 0; i < 0x100; i++)
		memory[TEXT + i] = (uint8_t)(i * 7 + 1);
	assert_int_equal(kprobed_open(&source, AT(TABLE), btf, &kprobed), 0);
	btf__free(btf);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	kprobed_close(kprobed);
	return 0;
}

/* Are the @len bytes at @at read as if nothing were armed? */
static void assert_whole(unsigned int at, size_t len)
{
	uint8_t bytes[0x100];

	kprobed_renew(kprobed);
	memcpy(bytes, memory + at, len);
	kprobed_put_back(kprobed, AT(at), bytes, len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(bytes[i], (uint8_t)((at + i) * 7 + 1));
}

static void kprobed_breakpoint_and_jump(void **state)
{
	(void)state;
	assert_whole(0, 0x100);
	arm(0, 3, 0x10, false);
	arm(1, 3, 0x20, true);
	arm(2, 63, 0x40, false);
	assert_whole(0, 0x100);
	/* Cut anywhere, and one byte at a time. */
	for (unsigned int at = 0x0c; at < 0x48; at++)
		for (unsigned int len = 1; len < 8; len++)
			assert_whole(at, len);
}

/* New ones are seen at the next read; of a list that is as it was nothing is read. */
static void kprobed_that_is_armed_later(void **state)
{
	(void)state;
	arm(0, 3, 0x10, false);
	assert_whole(0, 0x100);
	reads = 0;
	assert_whole(0, 0x80);
	/* The table and its first, before and behind it */
	assert_int_equal(reads, 4);
	arm(1, 3, 0x18, false);
	assert_whole(0, 0x100);
}

/* A kprobe with a breakpoint becomes a jump, and the table is as it was. */
static void kprobed_that_becomes_a_jump(void **state)
{
	(void)state;
	arm(0, 3, 0x10, false);
	/* It stood in the way until now. */
	arm(1, 3, 0x12, false);
	assert_whole(0, 0x100);
	memory[0x12] = 0x12 * 7 + 1;
	memcpy(memory + 0x10, "\xe9\x11\x22\x33\x44", 5);
	assert_whole(0, 0x100);
}

/*
 * What will be a jump is INT3 for some time, and the kernel has copied nothing yet; and while the
 * jump is written, INT3 stands before its rest.
 */
static void kprobed_that_waits_to_be_a_jump(void **state)
{
	static const char jump[] = "\xe9\x11\x22\x33\x44";

	(void)state;
	arm(0, 3, 0x10, false);
	put(KPROBES + FLAGS, 4);
	assert_whole(0, 0x100);
	memcpy(memory + KPROBES + OPTINSN + COPIED, memory + 0x11, 4);
	memcpy(memory + 0x11, jump + 1, 4);
	assert_whole(0, 0x100);
	memcpy(memory + 0x10, jump, 5);
	assert_whole(0, 0x100);
	/* Seen when the jump is half written, for the first time; and before anything was flagged
	 */
	arm(1, 4, 0x20, true);
	memory[0x20] = 0xcc;
	assert_whole(0, 0x100);
	arm(2, 5, 0x30, false);
	assert_whole(0, 0x100);
	put(KPROBES + 2 * KPROBE_BYTES + FLAGS, 4);
	memcpy(memory + KPROBES + 2 * KPROBE_BYTES + OPTINSN + COPIED, memory + 0x31, 4);
	memcpy(memory + 0x31, jump + 1, 4);
	assert_whole(0, 0x100);
}

/* Four zeros stood there; a jump over the end of a page, half written; one that is just taken away.
 */
static void kprobed_jump_in_the_making(void **state)
{
	static const char jump[] = "\xe9\x11\x22\x33\x44", code[] = "\xb8\x00\x00\x00\x00";
	uint8_t bytes[0x10];

	(void)state;
	memcpy(memory + 0x10, code, 5);
	arm(0, 3, 0x10, true);
	memory[0x10] = 0xcc;
	memcpy(bytes, memory + 0x10, 5);
	kprobed_put_back(kprobed, AT(0x10), bytes, 5);
	assert_memory_equal(bytes, code, 5);
	memcpy(bytes, memory + 0x12, sizeof(bytes));
	kprobed_put_back(kprobed, AT(0x12), bytes, sizeof(bytes));
	assert_memory_equal(bytes, code + 2, 3);
	/* Nothing says any more that it was one: what is known stays. */
	memcpy(memory + 0x10, jump, 5);
	put(KPROBES + FLAGS, 0);
	arm(1, 3, 0x30, false);
	memcpy(bytes, memory + 0x10, 5);
	kprobed_put_back(kprobed, AT(0x10), bytes, 5);
	assert_memory_equal(bytes, code, 5);
}

/* A kprobe where the tracer's call is has no byte that it stands on, and the tracer patches there.
 */
static void kprobed_by_the_tracer(void **state)
{
	uint8_t bytes[5];

	(void)state;
	memcpy(memory + 0x10, "\xcc\x1f\x44\x00\x00", 5);
	arm(0, 3, 0x10, false);
	memory[KPROBES + OPCODE] = 0;
	put(KPROBES + FLAGS, 8);
	memcpy(bytes, memory + 0x10, 5);
	kprobed_put_back(kprobed, AT(0x10), bytes, 5);
	assert_memory_equal(bytes, memory + 0x10, 5);
}

/* One is freed, and another has its place in memory and in the list. */
static void kprobed_in_the_place_of_another(void **state)
{
	(void)state;
	arm(0, 3, 0x10, false);
	assert_whole(0, 0x100);
	memory[0x10] = 0x10 * 7 + 1;
	put(TABLE + 3 * 8, 0);
	arm(0, 3, 0x20, false);
	assert_whole(0, 0x100);
}

/* The text that a kprobe was removed from is as it is, whatever stands there now. */
static void kprobed_that_is_gone(void **state)
{
	uint8_t bytes[4] = {0x90, 0x90, 0x90, 0x90};

	(void)state;
	arm(0, 3, 0x10, false);
	assert_whole(0, 0x100);
	kprobed_put_back(kprobed, AT(0x0f), bytes, sizeof(bytes));
	assert_memory_equal(bytes, "\x90\x90\x90\x90", 4);
}

/* The list was read while it changed: it ends, or leads in a circle, or out of memory. */
static void kprobed_list_that_leads_nowhere(void **state)
{
	(void)state;
	arm(0, 3, 0x10, false);
	arm(1, 3, 0x20, false);
	arm(2, 5, 0x30, false);
	put(KPROBES + NODE, AT(KPROBES + KPROBE_BYTES + NODE));
	assert_whole(0, 0x100);
	put(KPROBES + NODE, 0x1234);
	arm(3, 3, 0x40, false);
	arm(4, 63, 0x50, true);
	assert_whole(0, 0x100);
}

/* A kprobe in a module that was removed stays in its list, before others. */
static void kprobed_without_its_text(void **state)
{
	(void)state;
	arm(0, 3, 0x10, false);
	arm(1, 3, 0x20, false);
	put(KPROBES + KPROBE_BYTES + ADDR, AT(MEMORY));
	memory[0x20] = 0x20 * 7 + 1;
	assert_whole(0, 0x100);
}

/* The kernel does not tell: text is read as it is. */
static void kprobed_not_told(void **state)
{
	struct btf *btf = make_types(false), *empty = btf__new_empty();
	struct kprobed *none = NULL;

	(void)state;
	assert_int_equal(kprobed_open(&source, 0, btf, &none), -ENODATA);
	assert_int_equal(kprobed_open(&source, AT(TABLE), NULL, &none), -ENODATA);
	assert_int_equal(kprobed_open(&source, AT(TABLE), empty, &none), -ENODATA);
	/* Without CONFIG_OPTPROBES */
	assert_int_equal(kprobed_open(&source, AT(TABLE), btf, &none), 0);
	kprobed_close(none);
	kprobed_close(NULL);
	btf__free(btf);
	btf__free(empty);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(kprobed_breakpoint_and_jump),
		TEST(kprobed_that_is_armed_later),
		TEST(kprobed_that_becomes_a_jump),
		TEST(kprobed_that_is_gone),
		TEST(kprobed_jump_in_the_making),
		TEST(kprobed_by_the_tracer),
		TEST(kprobed_that_waits_to_be_a_jump),
		TEST(kprobed_in_the_place_of_another),
		TEST(kprobed_list_that_leads_nowhere),
		TEST(kprobed_without_its_text),

		TEST(kprobed_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
