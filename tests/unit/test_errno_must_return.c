// SPDX-License-Identifier: GPL-2.0
/* Machine code by hand, as objdump -d prints it beside each line. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cfg/errno_must_return.h"

#define BASE 0xffffffff81000000ULL

struct bytes {
	const uint8_t *bytes;
	size_t len;
};

static int read_code(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct bytes *code = ctx;

	if (addr < BASE || addr - BASE > code->len || len > code->len - (addr - BASE))
		return -EFAULT;
	memcpy(buf, code->bytes + (addr - BASE), len);
	return 0;
}

/* The code calls nothing but what never returns. */
static enum place no_return(void *ctx, uint64_t addr)
{
	(void)ctx;
	return addr < BASE ? PLACE_NO_RETURN : PLACE_ORDINARY;
}

/* The verdict on the first errno site that function_exits_find() finds in @bytes. */
static bool first_site_certain(const uint8_t *bytes, size_t len, bool wide,
			       const struct code_context *context)
{
	struct bytes code = {bytes, len};
	struct text_source text = {.read = read_code, .ctx = &code};
	struct function_exits *exits;
	bool certain;

	assert_int_equal(function_exits_find(&text, BASE, len, context, &exits), 0);
	assert_true(exits->errno_count >= 1);
	certain = errno_site_certain(exits->code, &exits->errnos[0], wide);
	function_exits_free(exits);
	return certain;
}

#define CERTAIN(wide, ...)                                                                         \
	first_site_certain((const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}), wide, \
			   NULL)

static void errno_site_certain_loaded_and_returned_is_certain(void **state)
{
	assert_true(CERTAIN(false, 0xb8, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%eax */
			    0xc3));				 /* ret */
}

static void errno_site_certain_kept_over_call_in_rbx_is_certain(void **state)
{
	assert_true(CERTAIN(false, 0xbb, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%ebx */
			    0xe8, 0, 0, 0, 0,			 /* call */
			    0x89, 0xd8,				 /* mov %ebx,%eax */
			    0xc3));
}

static void errno_site_certain_in_rcx_over_call_is_not(void **state)
{
	assert_false(CERTAIN(false, 0xb9, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%ecx */
			     0xe8, 0, 0, 0, 0,			  /* call: may change %ecx */
			     0x89, 0xc8,			  /* mov %ecx,%eax */
			     0xc3));
}

static void errno_site_certain_loaded_before_the_test_is_not(void **state)
{
	assert_false(CERTAIN(false, 0xb8, 0xf7, 0xff, 0xff, 0xff, /* mov $-9,%eax */
			     0x85, 0xff,			  /* test %edi,%edi */
			     0x74, 0x02,			  /* je to the ret */
			     0x31, 0xc0,			  /* xor %eax,%eax */
			     0xc3));
}

static void errno_site_certain_both_ways_return_it_is_certain(void **state)
{
	assert_true(CERTAIN(false, 0xb8, 0xf7, 0xff, 0xff, 0xff, /* mov $-9,%eax */
			    0x85, 0xff,				 /* test %edi,%edi */
			    0x74, 0x02,				 /* je to the ret */
			    0x31, 0xc9,				 /* xor %ecx,%ecx */
			    0xc3));
}

static void errno_site_certain_32_bits_of_a_long_are_not(void **state)
{
	assert_false(CERTAIN(true, 0xb8, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%eax: 0xfffffffe */
			     0xc3));
}

static void errno_site_certain_sign_extended_to_long_is_certain(void **state)
{
	assert_true(CERTAIN(true, 0xb8, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%eax */
			    0x48, 0x98,				/* cltq */
			    0xc3));
	assert_true(CERTAIN(true, 0x48, 0xc7, 0xc0, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%rax */
			    0xc3));
}

static void errno_site_certain_overwritten_in_part_is_not(void **state)
{
	assert_false(CERTAIN(false, 0xb8, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%eax */
			     0xb0, 0x00,			  /* mov $0,%al */
			     0xc3));
}

static void errno_site_certain_loop_that_may_lose_it_is_not(void **state)
{
	assert_false(CERTAIN(false, 0xb8, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%eax */
			     0x85, 0xff,			  /* l: test %edi,%edi */
			     0x74, 0x05,			  /* je to the ret */
			     0x31, 0xc0,			  /* xor %eax,%eax */
			     0xff, 0xcf,			  /* dec %edi */
			     0xeb, 0xf6,			  /* jmp l */
			     0xc3));
}

static void errno_site_certain_indirect_jump_is_not(void **state)
{
	assert_false(CERTAIN(false, 0xb8, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%eax */
			     0xff, 0xe2));			  /* jmp *%rdx */
}

/* As GCC's stack protector makes it: the check may fail behind the site. */
static void errno_site_certain_stack_check_that_never_returns_is_certain(void **state)
{
	static const uint8_t bytes[] = {
		0xbb, 0xfe, 0xff, 0xff, 0xff, /* mov $-2,%ebx */
		0x85, 0xff,		      /* test %edi,%edi */
		0x75, 0x03,		      /* jne to the call */
		0x89, 0xd8,		      /* mov %ebx,%eax */
		0xc3,			      /* ret */
		0xe8, 0,    0xff, 0xff, 0xff, /* call, before BASE */
		0x90,			      /* nop: padding */
	};
	const struct code_context context = {.place = no_return};

	assert_true(first_site_certain(bytes, sizeof(bytes), false, &context));
	assert_false(first_site_certain(bytes, sizeof(bytes), false, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errno_site_certain_loaded_and_returned_is_certain),
		cmocka_unit_test(errno_site_certain_kept_over_call_in_rbx_is_certain),
		cmocka_unit_test(errno_site_certain_in_rcx_over_call_is_not),
		cmocka_unit_test(errno_site_certain_loaded_before_the_test_is_not),
		cmocka_unit_test(errno_site_certain_both_ways_return_it_is_certain),
		cmocka_unit_test(errno_site_certain_32_bits_of_a_long_are_not),
		cmocka_unit_test(errno_site_certain_sign_extended_to_long_is_certain),
		cmocka_unit_test(errno_site_certain_overwritten_in_part_is_not),
		cmocka_unit_test(errno_site_certain_loop_that_may_lose_it_is_not),
		cmocka_unit_test(errno_site_certain_indirect_jump_is_not),
		cmocka_unit_test(errno_site_certain_stack_check_that_never_returns_is_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
