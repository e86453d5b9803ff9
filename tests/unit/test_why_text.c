// SPDX-License-Identifier: GPL-2.0
/* render/why_text, render/why_stack: what else failed, and the stack, for a person */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "render/why/deep_functions.h"
#include "render/why/why_account.h"
#include "render/why/why_deep.h"
#include "render/why/why_text.h"
#include "util/cleanup.h"
#include "why_events.h"

#define ONE 101
#define TWO 102

static void check(const struct answer *answer, bool all, const char *expected)
{
	const struct why_view view = {.all = all};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	render_why_others(out, answer, &view);
	fclose(out);
	assert_string_equal(text, expected);
}

/* A search path, a request that netlink refused, a completion, and the call to blame, twice. */
static void make(struct answer *answer)
{
	struct failures *failures = &answer->failures;

	failed(failures, ONE, SYS_rmdir, ENOENT, "/lib/x", 0);
	failed(failures, TWO, SYS_rmdir, ENOENT, "/lib/x", 0);
	failed(failures, ONE, SYS_rmdir, ENOENT, "/lib/y", 0);
	failed_via(failures, ONE, WHY_VIA_NETLINK, SYS_rmdir, ENOENT, "/lib/x", 0);
	failed_via(failures, ONE, WHY_VIA_IO_URING, SYS_close, ECANCELED, NULL, 0);
	failed(failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	failed(failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	strcpy(failures->items[3].text, "not \033 so");
	answer->call = &failures->items[6];
}

static void why_others_by_call_and_errno_and_way(void **state)
{
	struct answer answer = {};

	make(&answer);
	check(&answer, false,
	      "Other calls that failed on the way: 1 rmdir EBUSY, 1 io_uring ECANCELED, "
	      "1 netlink ENOENT, 3 rmdir ENOENT  (--all)\n");
	answer.call = NULL;
	check(&answer, false,
	      "Calls that failed: 2 rmdir EBUSY, 1 io_uring ECANCELED, 1 netlink ENOENT, "
	      "3 rmdir ENOENT  (--all)\n");
	answer_deinit(&answer);
	check(&answer, false, "");
}

/* Of 30,000 calls that fail only the newest are kept: the numbers are of those. */
static void why_others_that_were_not_kept_are_told(void **state)
{
	struct answer answer = {};

	failed(&answer.failures, ONE, SYS_rmdir, ENOENT, "/lib/x", 0);
	answer.failures.dropped = 24529;
	check(&answer, false,
	      "Calls that failed: 1 rmdir ENOENT; 24529 older ones were not kept  (--all)\n");
	check(&answer, true,
	      "All calls that failed:\n"
	      "       1 x rmdir(\"/lib/x\") = -1 ENOENT  [101]\n"
	      "   24529 older calls that failed were not kept\n");
	answer_deinit(&answer);
}

static void why_all_identical_calls_are_counted(void **state)
{
	struct answer answer = {};

	make(&answer);
	check(&answer, true,
	      "All calls that failed:\n"
	      "       2 x rmdir(\"/lib/x\") = -1 ENOENT  [101] ...\n"
	      "       1 x rmdir(\"/lib/y\") = -1 ENOENT  [101]\n"
	      "       1 x rmdir(\"/lib/x\"): netlink answers -ENOENT \"not \\x1b so\"  [101]\n"
	      "       1 x close(0): io_uring completes with -ECANCELED  [101]\n"
	      "=>     2 x rmdir(\"/sys\") = -1 EBUSY  [101]\n");
	answer_deinit(&answer);
	check(&answer, true, "No call failed.\n");
}

/* One that programs try in any case is named as such. */
static void why_answer_says_what_made_it_choose_the_call(void **state)
{
	struct answer answer = {};
	const struct why_view view = {};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	failed(&answer.failures, ONE, SYS_rmdir, ENOENT, "/lib/x", 0);
	answer.call = &answer.failures.items[0];
	errmsg_set(&answer.reason, 0, "nothing");
	render_why_answer(out, &answer, &view);
	answer.why_call = BLAME_ONLY;
	render_why_answer(out, &answer, &view);
	answer.why_call = BLAME_PROBE;
	render_why_answer(out, &answer, &view);
	answer.why_call = 0;
	answer.failures.items[0].refused = true;
	render_why_answer(out, &answer, &view);
	answer.failures.items[0].refused = false;
	answer.failures.items[0].signal = SIGALRM;
	render_why_answer(out, &answer, &view);
	answer.failures.items[0].signal = 0;
	answer.why_call = BLAME_BEFORE;
	said(&answer.failures, ONE, "no such thing\n");
	render_why_answer(out, &answer, &view);
	fclose(out);
	assert_string_equal(
		text, "rmdir(\"/lib/x\") = -1 ENOENT (No such file or directory)  [101]\n"
		      "  where the error was made is not known: nothing\n"
		      "rmdir(\"/lib/x\") = -1 ENOENT (No such file or directory)  [101]\n"
		      "  programs try this in any case, and go on; but no other call failed\n"
		      "  where the error was made is not known: nothing\n"
		      "rmdir(\"/lib/x\") = -1 ENOENT (No such file or directory)  [101]\n"
		      "  programs often go on after this, and what the command writes does not "
		      "name it: it may have\n"
		      "  refused by itself; but no other call failed\n"
		      "  where the error was made is not known: nothing\n"
		      "rmdir(\"/lib/x\") = -1 ENOENT (No such file or directory)  [101]\n"
		      "  because  nothing\n"
		      "  in a container that is its seccomp profile, in a unit "
		      "SystemCallFilter=\n"
		      "rmdir(\"/lib/x\") = -1 ENOENT (No such file or directory)  [101]\n"
		      "  because  nothing\n"
		      "rmdir(\"/lib/x\") = -1 ENOENT (No such file or directory)  [101]\n"
		      "  what the command writes names neither this call nor its error: it may\n"
		      "  have refused by itself\n"
		      "  where the error was made is not known: nothing\n");
	answer_deinit(&answer);
}

static const char kernel[] = "ffffffff81000000 t deep\n"
			     "ffffffff81000100 T middle.part.0\n"
			     "ffffffff81000200 T __x64_sys_rmdir\n"
			     "ffffffff81000300 T x64_sys_call\n"
			     "ffffffff81000400 T do_syscall_64\n"
			     "ffffffff81000500 T entry_SYSCALL_64_after_hwframe\n"
			     "ffffffff81000600 T end\n";

/* Out of a capture file: ESC, and CSI as C1 has it in UTF-8. */
static void why_reasons_control_characters_are_made_visible(void **state)
{
	static const char hostile[] = "a\033[2Jb\302\2331mc";
	struct answer answer = {};
	struct deep_path deep = {};
	struct why_view view = {}, named = {};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	failed(&answer.failures, ONE, SYS_rmdir, ENOENT, "/lib/x", 0);
	answer.call = &answer.failures.items[0];
	errmsg_set(&answer.reason, 0, "%s", hostile);
	errmsg_set(&deep.gap, 0, "%s", hostile);
	render_why_answer(out, &answer, &view);
	render_why_deep(out, &deep, &view);
	deep.branches = calloc(1, sizeof(*deep.branches));
	assert_non_null(deep.branches);
	deep.count = 1;
	named.symbols = symbol_table(kernel);
	render_why_deep(out, &deep, &named);
	fclose(out);
	symbols_close(named.symbols);
	free(deep.branches);
	answer_deinit(&answer);
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\302'));
	assert_non_null(strstr(text, "is not known: a\\x1b[2Jb\\xc2\\x9b1mc\n"));
	assert_non_null(strstr(text, "is not shown: a\\x1b[2Jb\\xc2\\x9b1mc\n"));
	assert_non_null(strstr(text, "no further: a\\x1b[2Jb\\xc2\\x9b1mc\n"));
}

/* The place, what it returned, the call that it was in and what that returned: not one errno alone.
 */
static void why_place_says_what_it_returned_and_what_the_call_did(void **state)
{
	static const struct {
		const char *place;
		bool returned;
		int64_t value;
		uint32_t err;
		int64_t result;
		const char *expected;
	} cases[] = {
		{"deep", true, -EBUSY, ENOENT, -ENOENT,
		 "deep returned -EBUSY in rmdir(\"/x\") = -1 ENOENT (No such file or directory)  "
		 "[101]\n"},
		{"deep", true, 7, 0, 0, "deep returned 7 in rmdir(\"/x\") = 0  [101]\n"},
		{"hw:deep+0x12", false, -EBUSY, 0, 3,
		 "hw:deep+0x12 was executed in rmdir(\"/x\") = 3  [101]\n"},
		{"hw:\033", false, 0, 0, 0x7f0000001000,
		 "hw:\\x1b was executed in rmdir(\"/x\") = 0x7f0000001000  [101]\n"},
		/* ERESTARTSYS, which no program gets to see. */
		{"deep", true, -512, 0, -512,
		 "deep returned -ERESTARTSYS in rmdir(\"/x\") = ? (interrupted: begun again, or "
		 "EINTR)  "
		 "[101]\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct why_view view = {.symbols = symbol_table(kernel)};
		struct answer answer = {.state = ORIGIN_PLACE,
					.place = cases[i].place,
					.returned = cases[i].returned,
					.value = cases[i].value,
					.site.addr = 0xffffffff81000012};
		_cleanup_free_ char *text = NULL, *wanted = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);

		assert_non_null(out);
		failed(&answer.failures, ONE, SYS_rmdir, 0, "/x", 0);
		/* What failed beside it is not told. */
		failed(&answer.failures, ONE, SYS_rmdir, ENOENT, "/y", 0);
		answer.call = &answer.failures.items[0];
		answer.failures.items[0].err = cases[i].err;
		answer.failures.items[0].result = cases[i].result;
		render_why_account(out, &answer, &view);
		fclose(out);
		symbols_close(view.symbols);
		answer_deinit(&answer);
		assert_true(asprintf(&wanted, "%s  [deep+0x12]\n", cases[i].expected) > 0);
		assert_string_equal(text, wanted);
	}
}

static void check_stack(const uint64_t *stack, uint32_t count, uint32_t branches,
			const char *expected)
{
	struct snapshot *snap = calloc(1, sizeof(*snap));
	struct why_view view = {.symbols = symbol_table(kernel)};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(snap);
	assert_non_null(view.symbols);
	assert_non_null(out);
	snap->stack = stack;
	snap->stack_count = count;
	render_why_stack(out, snap, &view, branches);
	fclose(out);
	assert_string_equal(text, expected);
	symbols_close(view.symbols);
	free(snap);
}

/* The first is the place itself; of the others, return addresses, the call before is meant. */
static void why_stack_entry_code_is_folded(void **state)
{
	static const uint64_t stack[] = {0xffffffff81000012, 0xffffffff81000123,
					 0xffffffff81000234, 0xffffffff81000345,
					 0xffffffff81000456, 0xffffffff81000567};

	check_stack(stack, 6, 32,
		    "  stack\n"
		    "    deep+0x12\n"
		    "    middle.part.0+0x23\n"
		    "    __x64_sys_rmdir+0x34\n"
		    "  (--story shows the entry code, the 32 branches that led there)\n\n");
	check_stack(stack, 3, 0,
		    "  stack\n"
		    "    deep+0x12\n"
		    "    middle.part.0+0x23\n"
		    "    __x64_sys_rmdir+0x34\n\n");
	/* An error of the entry code itself. */
	check_stack(stack + 4, 2, 1,
		    "  stack\n"
		    "    do_syscall_64+0x56\n"
		    "  (--story shows the entry code, the 1 branch that led there)\n\n");
}

/* Both ends of a deep one. */
static void why_stack_deep_middle_is_left_out(void **state)
{
	uint64_t stack[14] = {0xffffffff81000012};

	for (int i = 1; i < 13; i++)
		stack[i] = 0xffffffff81000110 + (uint64_t)i;
	stack[13] = 0xffffffff81000234;
	check_stack(stack, 14, 0,
		    "  stack\n"
		    "    deep+0x12\n"
		    "    middle.part.0+0x11\n"
		    "    middle.part.0+0x12\n"
		    "    middle.part.0+0x13\n"
		    "    middle.part.0+0x14\n"
		    "    middle.part.0+0x15\n"
		    "    middle.part.0+0x16\n"
		    "    ... 4 more\n"
		    "    middle.part.0+0x1b\n"
		    "    middle.part.0+0x1c\n"
		    "    __x64_sys_rmdir+0x34\n\n");
}

/*
 * one() calls two(), which calls three() by a thunk; that returns by one. two() returns; one()
 * calls three(), where the error is made. Before that a function returned into one().
 */
static void deep_functions_on_the_way_what_returned_is_counted(void **state)
{
	struct why_branch branches[] = {
		{0xffffffff81000704, 0xffffffff81000110}, /* gone() to one() */
		{0xffffffff81000118, 0xffffffff81000120},
		{0xffffffff81000128, 0xffffffff81000200}, /* two() */
		{0xffffffff81000208, 0xffffffff81000400}, /* thunk */
		{0xffffffff81000400, 0xffffffff81000300}, /* three() */
		{0xffffffff81000308, 0xffffffff81000500}, /* thunk */
		{0xffffffff81000500, 0xffffffff8100020d},
		{0xffffffff81000210, 0xffffffff8100012d},
		{0xffffffff81000130, 0xffffffff81000300}, /* three() */
		{0xffffffff81000304, 0xffffffff81000310},
	};
	struct deep_interrupt interrupts[] = {
		{.entry = 0xffffffff81000600, .newer = 4, .run = 5},
		{.entry = 0xffffffff81000700, .newer = 1, .run = 6, .rescheduled = true}};
	struct deep_segment segments[] = {{.count = 7}, {.count = 3, .computed = 2}};
	struct deep_path deep = {
		.branches = branches,
		.count = sizeof(branches) / sizeof(*branches),
		.segments = segments,
		.segment_count = 2,
		.end = 0xffffffff81000318,
		.runs = 2,
		.interrupts = interrupts,
		.interrupt_count = 2,
		.other_way = 5,
		.unchecked.text = "no\033kprobes",
		.gap.text = "all 2 runs were made",
	};
	struct why_view view = {
		.symbols = symbol_table("ffffffff81000100 T one\n"
					"ffffffff81000200 T two\n"
					"ffffffff81000300 T three\n"
					"ffffffff81000400 T __x86_indirect_thunk_rax\n"
					"ffffffff81000500 T its_return_thunk\n"
					"ffffffff81000600 T asm_sysvec_x\n"
					"ffffffff81000700 T __cond_resched\n"
					"ffffffff81000800 T end\n"),
	};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	render_why_deep(out, &deep, &view);
	deep.gap.text[0] = '\0';
	deep.unchecked.text[0] = '\0';
	deep.other_way = 0;
	deep.entry = true;
	deep.runs = 1;
	deep.count = 1;
	deep.segment_count = 0;
	deep.interrupt_count = 0;
	render_why_deep(out, &deep, &view);
	deep.count = 0;
	errmsg_set(&deep.gap, 0, "no LBR");
	render_why_deep(out, &deep, &view);
	fclose(out);
	symbols_close(view.symbols);
	assert_string_equal(
		text,
		"\n10 branches back in 2 runs\n"
		"  no further: all 2 runs were made\n"
		"  the way is of run 5, which came there by other branches than the call "
		"above\n"
		"  not checked whether one run takes all of it: no\\x1bkprobes\n"
		"    one    +0x30  3 branches, 1 call that returned\n"
		"    three  +0x18  1 branch\n"
		"  2 branches are computed from registers, where no breakpoint may stand\n"
		"  4 branches back came an interrupt, asm_sysvec_x(), in run 5: left out\n"
		"  1 branch back others ran or were woken, within __cond_resched(), in run 6: "
		"left out\n"
		"\n1 branch back in 1 run, to the system call's entry\n"
		"    one  +0x218  0 branches\n"
		"\nThe way from the system call to there is not shown: no LBR\n");
}

/* one() calls two(), which jumps into its cold part and back; the second time it fails there. */
static void deep_functions_cold_part_is_no_function_of_its_own(void **state)
{
	struct why_branch branches[] = {
		{0xffffffff81000050, 0xffffffff81000100}, /* one() */
		{0xffffffff81000104, 0xffffffff81000200}, /* two() */
		{0xffffffff81000208, 0xffffffff81000300}, /* its cold part */
		{0xffffffff81000304, 0xffffffff81000210}, {0xffffffff81000214, 0xffffffff81000308},
	};
	struct deep_path deep = {
		.branches = branches,
		.count = sizeof(branches) / sizeof(*branches),
		.end = 0xffffffff8100030c,
		.runs = 2,
		.entry = true,
	};
	struct why_view view = {
		.symbols = symbol_table("ffffffff81000000 T caller\n"
					"ffffffff81000100 T one\n"
					"ffffffff81000200 T two\n"
					"ffffffff81000300 t two.cold\n"
					"ffffffff81000400 T end\n"),
	};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	render_why_deep(out, &deep, &view);
	fclose(out);
	symbols_close(view.symbols);
	assert_string_equal(text, "\n5 branches back in 2 runs, to the system call's entry\n"
				  "    caller  +0x50  1 branch\n"
				  "    one     +0x4  1 branch\n"
				  "    two     two.cold+0xc  3 branches\n");
}

/* one() compares twice and calls two(), which compares, and where the error is made. */
static const uint8_t code[] = {
	[0x00] = 0x85, 0xc0,		       /* test %eax,%eax */
	[0x02] = 0x74, 0x04,		       /* je: taken */
	[0x08] = 0x83, 0xf9, 0x07,	       /* cmp $7,%ecx */
	[0x0b] = 0x75, 0x40,		       /* jne: not taken */
	[0x0d] = 0xe8, 0x0e, 0x00, 0x00, 0x00, /* call two */
	[0x20] = 0x48, 0x85, 0xff,	       /* test %rdi,%rdi */
	[0x23] = 0x78, 0x0b,		       /* js: taken */
	[0x30] = 0xeb, 0xee,		       /* jmp two */
	[0x32] = 0xe8, 0xe9, 0xff, 0xff, 0xff, /* call two */
	[0x3f] = 0xcc,
};

static int read_code(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint64_t at = addr - 0xffffffff81000100;

	if (at >= sizeof(code) || len > sizeof(code) - at)
		return -EFAULT;
	memcpy(buf, code + at, len);
	return 0;
}

static void deep_functions_on_the_way_say_what_decided(void **state)
{
	struct why_branch branches[] = {
		{0xffffffff81000050, 0xffffffff81000100},
		{0xffffffff81000102, 0xffffffff81000108},
		{0xffffffff8100010d, 0xffffffff81000120},
		{0xffffffff81000123, 0xffffffff81000130},
	};
	struct deep_path deep = {
		.branches = branches,
		.count = sizeof(branches) / sizeof(*branches),
		.end = 0xffffffff81000134,
		.runs = 2,
		.entry = true,
	};
	const struct text_source text_of = {.read = read_code};
	struct why_view view = {
		.symbols = symbol_table("ffffffff81000000 T caller\n"
					"ffffffff81000100 T one\n"
					"ffffffff81000120 T two\n"
					"ffffffff81000140 T end\n"),
		.kernel_text = &text_of,
	};
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	render_why_deep(out, &deep, &view);
	fclose(out);
	symbols_close(view.symbols);
	assert_string_equal(text, "\n4 branches back in 2 runs, to the system call's entry\n"
				  "    caller  +0x50  1 branch\n"
				  "    one     +0xd  2 branches\n"
				  "        after  %ecx == 7   (+0xb)\n"
				  "        after  %eax == 0   (+0x2)\n"
				  "    two     +0x14  1 branch\n"
				  "        after  %rdi < 0   (+0x3)\n");
}

/* two() jumps to its begin twice, and calls itself once. */
static void deep_functions_jump_to_own_begin_is_a_loop(void **state)
{
	struct why_branch branches[] = {
		{0xffffffff8100010d, 0xffffffff81000120}, {0xffffffff81000130, 0xffffffff81000120},
		{0xffffffff81000130, 0xffffffff81000120}, {0xffffffff81000132, 0xffffffff81000120},
		{0xffffffff81000123, 0xffffffff81000130},
	};
	const struct text_source kernel_text = {.read = read_code};
	struct deep_path deep = {
		.branches = branches,
		.count = sizeof(branches) / sizeof(*branches),
		.end = 0xffffffff81000130,
	};
	struct why_view view = {
		.symbols = symbol_table("ffffffff81000100 T one\n"
					"ffffffff81000120 T two\n"
					"ffffffff81000140 T end\n"),
		.kernel_text = &kernel_text,
	};
	struct deep_function *functions;
	size_t count;

	assert_int_equal(deep_functions(&deep, &view, &functions, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(functions[0].branches, 1);
	assert_string_equal(functions[1].sym.name, "two");
	assert_int_equal(functions[1].branches, 3);
	assert_string_equal(functions[2].sym.name, "two");
	assert_int_equal(functions[2].branches, 1);
	free(functions);
	symbols_close(view.symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deep_functions_on_the_way_say_what_decided),
		cmocka_unit_test(deep_functions_on_the_way_what_returned_is_counted),
		cmocka_unit_test(deep_functions_cold_part_is_no_function_of_its_own),
		cmocka_unit_test(deep_functions_jump_to_own_begin_is_a_loop),
		cmocka_unit_test(why_others_by_call_and_errno_and_way),
		cmocka_unit_test(why_others_that_were_not_kept_are_told),
		cmocka_unit_test(why_all_identical_calls_are_counted),
		cmocka_unit_test(why_answer_says_what_made_it_choose_the_call),
		cmocka_unit_test(why_reasons_control_characters_are_made_visible),
		cmocka_unit_test(why_place_says_what_it_returned_and_what_the_call_did),
		cmocka_unit_test(why_stack_entry_code_is_folded),
		cmocka_unit_test(why_stack_deep_middle_is_left_out),
	};

	return cmocka_run_group_tests_name("why_text", tests, NULL, NULL);
}
