// SPDX-License-Identifier: GPL-2.0
/* src/why/deep_compute: which branches the registers at a call decide */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "why/deep/deep_compute.h"

#define STACK 0x7000ull

/* What memset() of Linux 6.12 does, behind a return thunk as of SRSO; and what cannot be computed.
 */
/* clang-format off */
asm(".pushsection .text\n"
    "call_fill: call fill\n"
    "call_fill_end: ret\n"
    "fill: endbr64\n"
    "fill_jmp: jmp fill_orig\n"
    "fill_orig: mov %rdi, %r10\n mov %rdx, %rcx\n shr $6, %rcx\n"
    "fill_je: je fill_tail\n"
    "fill_loop: dec %rcx\n mov %rax, (%rdi)\n lea 0x40(%rdi), %rdi\n"
    "fill_jne: jne fill_loop\n"
    "fill_tail: mov %r10, %rax\n"
    "fill_out: jmp thunk\n"
    "thunk: call 1f\n int3\n"
    "1: lea 8(%rsp), %rsp\n"
    "thunk_ret: ret\n"
    "call_memory: call memory\n ret\n"
    "memory: mov (%rdi), %rax\n test %rax, %rax\n je 1f\n nop\n 1: ret\n"
    "call_saved: call saved\n ret\n"
    "saved: push %rbx\n mov $2, %ebx\n test %ebx, %ebx\n je 1f\n 1: pop %rbx\n ret\n"
    "call_popped: call popped\n ret\n"
    "popped: pop %rbx\n test %rbx, %rbx\n je 1f\n 1: push %rbx\n ret\n"
    "call_endless: call endless\n"
    "endless: jmp endless\n"
    "call_deeper: call call_deeper\n"
    "call_indirect: call indirect\n"
    "indirect: jmp *%rax\n"
    "call_stack: call stack\n"
    "stack: push %rax\n ret\n"
    "call_traps: call traps\n"
    "traps: ud2\n"
    ".popsection\n");
/* clang-format on */
extern const uint8_t call_fill[], call_fill_end[], fill[], fill_jmp[], fill_orig[], fill_je[],
	fill_loop[], fill_jne[], fill_tail[], fill_out[], thunk[], thunk_ret[], call_memory[],
	call_saved[], call_popped[], call_endless[], call_deeper[], call_indirect[], call_stack[],
	call_traps[];

static int read_self(void *ctx, uint64_t addr, void *buf, size_t len)
{
	memcpy(buf, (const void *)(uintptr_t)addr, len);
	return 0;
}

static const struct text_source text = {.read = read_self};

static int compute(const uint8_t *call, uint64_t size, struct why_branch **ret, size_t *ret_count)
{
	const uint64_t regs[PTREG_COUNT] = {
		[PTREG_IP] = (uintptr_t)call, [PTREG_SP] = STACK, [PTREG_DX] = size};

	return deep_compute(&text, regs, ret, ret_count);
}

static void assert_branch(const struct why_branch *branch, const uint8_t *from, const uint8_t *to)
{
	assert_int_equal(branch->from, (uintptr_t)from);
	assert_int_equal(branch->to, (uintptr_t)to);
}

static void compute_loop_has_all_iterations(void **state)
{
	struct why_branch *branches;
	size_t count, at = 0;

	assert_int_equal(compute(call_fill, 4096, &branches, &count), 0);
	/* 64 iterations: the last one falls through. */
	assert_int_equal(count, 1 + 1 + 63 + 3);
	assert_branch(&branches[at++], call_fill, fill);
	assert_branch(&branches[at++], fill_jmp, fill_orig);
	for (int i = 0; i < 63; i++)
		assert_branch(&branches[at++], fill_jne, fill_loop);
	assert_branch(&branches[at++], fill_out, thunk);
	assert_branch(&branches[at++], thunk, thunk + 6);
	assert_branch(&branches[at++], thunk_ret, call_fill_end);
	free(branches);

	assert_int_equal(compute(call_fill, 63, &branches, &count), 0);
	assert_int_equal(count, 6);
	assert_branch(&branches[2], fill_je, fill_tail);
	free(branches);
}

static void compute_what_is_saved_on_the_stack_is_no_hindrance(void **state)
{
	struct why_branch *branches;
	size_t count;

	assert_int_equal(compute(call_saved, 0, &branches, &count), 0);
	assert_int_equal(count, 2);
	free(branches);
}

static void compute_undecided_is_no_data(void **state)
{
	const uint8_t *const calls[] = {call_memory, call_popped,   call_endless,
					call_deeper, call_indirect, call_stack,
					call_traps,  thunk_ret,	    fill_out};
	struct why_branch *branches = NULL;
	size_t count;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (compute(calls[i], 4096, &branches, &count) != -ENODATA)
			fail_msg("number %zu", i);
	/* A size that no record could be compared with for hours. */
	assert_int_equal(compute(call_fill, UINT64_MAX, &branches, &count), -ENODATA);
	assert_null(branches);
}

static void call_before_direct_call_is_found(void **state)
{
	uint64_t call = 0;

	assert_true(deep_call_before(&text, (uintptr_t)call_fill_end, &call));
	assert_int_equal(call, (uintptr_t)call_fill);
	assert_false(deep_call_before(&text, (uintptr_t)fill_tail, &call));
	assert_false(deep_call_before(&text, (uintptr_t)fill_loop, &call));
	assert_int_equal(call, (uintptr_t)call_fill);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compute_loop_has_all_iterations),
		cmocka_unit_test(compute_what_is_saved_on_the_stack_is_no_hindrance),
		cmocka_unit_test(compute_undecided_is_no_data),
		cmocka_unit_test(call_before_direct_call_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
