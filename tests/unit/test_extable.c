// SPDX-License-Identifier: GPL-2.0
/* The table is made by the assembler, as arch/x86/include/asm/asm.h makes the kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../text_bytes.h"
#include "symbolize/text/extable.h"

/* Loads a word; -14 if that faults, or if the address is too high, as strncpy_from_user() has it.
 */
asm("	.pushsection .rodata.faults, \"a\"\n"
    "	.globl function, load, checked, efault, next, function_end, behind, behind_fixup\n"
    "function:	cmp %rsi, %rdi\n"
    "	jae 1f\n"
    "load:	mov (%rdi), %rax\n"
    "checked:	ret\n"
    "1:	cmp $0, %rsi\n"
    "	jne next\n"
    "efault:	mov $-14, %rax\n"
    "next:	ret\n"
    "function_end:\n"
    "behind:	mov (%rdi), %rax\n"
    "behind_fixup:	ret\n"
    "	.balign 4\n"
    "	.globl faults_begin, faults_end\n"
    "faults_begin:\n"
    "	.long load - ., efault - ., 3\n"
    "	.long load - ., checked - ., 3\n"
    "	.long behind - ., behind_fixup - ., 3\n"
    "	.long behind - ., next - ., 3\n"
    "faults_end:\n"
    "	.popsection");

extern const char function[], load[], checked[], efault[], next[], function_end[], behind[];
extern const char behind_fixup[], faults_begin[], faults_end[];

static uint64_t at(const char *label)
{
	return (uint64_t)(uintptr_t)label;
}

/* @bytes of memory from @from on can be read. */
static bool search_in(const void *from, size_t bytes, uint64_t start, uint64_t end,
		      const struct fixup_question *question)
{
	const struct text_bytes own = {(uint64_t)(uintptr_t)from, from, bytes};
	const struct text_source memory = {.read = text_bytes_read, .ctx = (void *)&own};

	return extable_search(&memory, start, end, question);
}

static bool search_cut(const char *fixup, const char *above, size_t bytes)
{
	const struct fixup_question question = {.fixup = at(fixup),
						.addr = at(function),
						.size = (uint64_t)(function_end - function),
						.above = above ? at(above) : 0};

	return search_in(faults_begin, bytes, at(faults_begin), at(faults_end), &question);
}

static bool search(const char *fixup, const char *above)
{
	return search_cut(fixup, above, (size_t)(faults_end - faults_begin));
}

static void extable_search_finds_where_a_fault_of_the_function_leads(void **state)
{
	(void)state;
	assert_true(search(efault, NULL));
	assert_false(search(load, NULL));
	assert_false(search(function, NULL));
}

/* What another function's fault leads to is no way of this one. */
static void extable_search_counts_no_fault_elsewhere(void **state)
{
	(void)state;
	assert_false(search(behind_fixup, NULL));
	assert_false(search(next, NULL));
}

/* Inline assembly that sets a register: control goes on straight behind it, faulted or not. */
static void extable_search_straight_behind_the_instruction_does_not_count(void **state)
{
	(void)state;
	assert_true(search(checked, NULL));
	assert_false(search(checked, load));
	/* The instruction above is another one. */
	assert_true(search(efault, checked));
}

static void extable_search_ends_where_nothing_can_be_read(void **state)
{
	(void)state;
	assert_true(search_cut(efault, NULL, 12));
	assert_false(search_cut(efault, NULL, 11));
}

/* Near the text, as a table is: its addresses are relative, of 32 bits. */
static int32_t made[3][3];

static bool search_made(const char *first, const char *second, const char *third)
{
	const char *insns[] = {first, second, third};
	const struct fixup_question question = {.fixup = at(next), .addr = at(behind), .size = 16};

	for (int i = 0; i < 3; i++) {
		const char *to = i == 2 ? next : efault;

		made[i][0] = (int32_t)(at(insns[i]) - (uint64_t)(uintptr_t)&made[i][0]);
		made[i][1] = (int32_t)(at(to) - (uint64_t)(uintptr_t)&made[i][1]);
	}
	return search_in(made, sizeof(made), (uint64_t)(uintptr_t)made,
			 (uint64_t)(uintptr_t)(made + 3), &question);
}

/* A module's table has no known end: what follows it is not in order. */
static void extable_search_ends_where_the_order_does(void **state)
{
	(void)state;
	assert_true(search_made(function, behind, behind));
	assert_false(search_made(behind, function, behind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extable_search_finds_where_a_fault_of_the_function_leads),
		cmocka_unit_test(extable_search_counts_no_fault_elsewhere),
		cmocka_unit_test(extable_search_straight_behind_the_instruction_does_not_count),
		cmocka_unit_test(extable_search_ends_where_nothing_can_be_read),
		cmocka_unit_test(extable_search_ends_where_the_order_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
