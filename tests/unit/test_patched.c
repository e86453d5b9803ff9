// SPDX-License-Identifier: GPL-2.0
/* src/symbolize/text/patched: text that the kernel is just patching, made here */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbolize/symbolize.h"
#include "symbolize/text/patched.h"
#include "util/cleanup.h"

#define BASE 0xffffffff81000000ull
/* Behind all functions: a trampoline may be there. */
#define TRAMPOLINE 0x4000u

static const uint8_t nop[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
static uint8_t memory[0x80], bytes[sizeof(memory)];
static struct symbols *symbols;

static int setup(void **state)
{
	(void)state;
	memset(memory, 0x90, sizeof(memory));
	return symbols_open_empty(&symbols);
}

static int teardown(void **state)
{
	(void)state;
	symbols_close(symbols);
	return 0;
}

static void add(const char *module, unsigned int at, unsigned int size)
{
	const struct symbol func = {"func", module, BASE + at, size};

	assert_int_equal(symbols_add(symbols, &func), 0);
}

/* INT3, and the rest of a call or jump to @target */
static void put_call(unsigned int at, unsigned int target)
{
	int32_t rel = (int32_t)(target - at - 5);

	memory[at] = 0xcc;
	memcpy(memory + at + 1, &rel, sizeof(rel));
}

/* The first @len bytes are read into @bytes. */
static void read_text(size_t len)
{
	memcpy(bytes, memory, sizeof(bytes));
	patched_put_back(symbols, BASE, bytes, len);
}

/* INT3 before the rest of the NOP, wherever it is; cut, or another INT3: as it is */
static void patched_nop(void **state)
{
	(void)state;
	memcpy(memory + 0x10, "\xcc\x1f\x44\x00\x00", 5);
	memory[0x32] = 0xcc;
	read_text(sizeof(bytes));
	assert_memory_equal(bytes + 0x10, nop, 5);
	assert_int_equal(bytes[0x32], 0xcc);
	read_text(0x14);
	assert_memory_equal(bytes, memory, sizeof(bytes));
}

/* The rest is the call's already; behind an ENDBR as well, and whatever functions are aligned to.
 */
static void patched_call(void **state)
{
	static const unsigned int entries[] = {0x10, 0x24, 0x3b};

	(void)state;
	add("", 0x10, 0x10);
	add("", 0x20, 0x18);
	add("", 0x3b, 8);
	memcpy(memory + 0x20, "\xf3\x0f\x1e\xfa", 4);
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		put_call(entries[i], TRAMPOLINE);
	read_text(sizeof(bytes));
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		assert_memory_equal(bytes + entries[i], nop, 5);
	/* Its end is not there. */
	read_text(0x3f);
	assert_memory_equal(bytes + 0x3b, memory + 0x3b, 5);
}

/* To a function; to what may be a trampoline, in a program's memory, too; to nothing else */
static void patched_call_leads_somewhere(void **state)
{
	static const struct {
		unsigned int target;
		bool call;
	} rows[] = {{0x60, true},   {0x64, false},  {TRAMPOLINE, true}, {TRAMPOLINE + 8, false},
		    {0x1000, true}, {0x1040, true}, {0x1048, false},	{0x80000000, false}};

	(void)state;
	add("", 0x10, 0x10);
	add("", 0x60, 0x10);
	add("bpf", 0x1000, 0x1000);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put_call(0x10, rows[i].target);
		read_text(sizeof(bytes));
		assert_memory_equal(bytes + 0x10, rows[i].call ? nop : memory + 0x10, 5);
	}
}

/* A static call's trampoline: a jump, whichever of its targets stands there */
static void patched_static_call(void **state)
{
	(void)state;
	add("", 0x10, 8);
	add("", 0x50, 8);
	put_call(0x10, 0x50);
	memcpy(memory + 0x15, "\x0f\xb9\xcc", 3);
	read_text(sizeof(bytes));
	assert_int_equal(bytes[0x10], 0xe9);
	assert_memory_equal(bytes + 0x11, memory + 0x11, sizeof(bytes) - 0x11);
}

/*
 * The INT3 behind a return is aligned by chance, and what follows it is code that is jumped to. It
 * was once read as a call of the tracer, so that "why" did not find where mount(2) failed.
 */
static void patched_breakpoint_behind_a_return(void **state)
{
	(void)state;
	add("", 0, 0x40);
	memcpy(memory + 0x0f, "\xc3\xcc\x48\x89\xdf\x0f\x1f", 7);
	put_call(0x20, TRAMPOLINE);
	memset(memory + 0x40, 0xcc, 0x10);
	add("", 0x40, 0x10);
	read_text(sizeof(bytes));
	assert_memory_equal(bytes, memory, sizeof(bytes));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(patched_nop),
		TEST(patched_call),
		TEST(patched_call_leads_somewhere),
		TEST(patched_static_call),
		TEST(patched_breakpoint_behind_a_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
