// SPDX-License-Identifier: GPL-2.0
/* How registers are defined, and conditions whose operands have names; bytes by GNU as. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "disasm/insn.h"
#include "disasm/operand.h"
#include "util/cleanup.h"

#define AT 0xffffffff81000000ull

static struct insn_operand from;

static enum insn_definition define(const char *bytes, size_t len, uint8_t reg, unsigned int bits)
{
	return insn_define(bytes, len, AT, reg, bits, &from);
}

#define DEFINE(bytes, reg, bits) define(bytes, sizeof(bytes) - 1, reg, bits)

static void define_copies(void **state)
{
	(void)state;
	/* mov 0x38(%r14),%eax */
	assert_int_equal(DEFINE("\x41\x8b\x46\x38", 0, 32), INSN_DEFINES_COPY);
	assert_int_equal(from.kind, INSN_OPERAND_MEM);
	assert_int_equal(from.base, 14);
	assert_int_equal(from.index, INSN_NO_REG);
	assert_int_equal(from.displacement, 0x38);
	assert_int_equal(from.bits, 32);
	assert_int_equal(DEFINE("\x41\x8b\x46\x38", 1, 32), INSN_DEFINES_NOT);
	/* movzbl 0x3(%rax),%ecx */
	assert_int_equal(DEFINE("\x0f\xb6\x48\x03", 1, 32), INSN_DEFINES_COPY);
	assert_int_equal(from.bits, 8);
	/* mov %rbx,%rdi; mov %ebx,%edi zero-extends */
	assert_int_equal(DEFINE("\x48\x89\xdf", 7, 64), INSN_DEFINES_COPY);
	assert_int_equal(from.reg, 3);
	assert_int_equal(from.bits, 64);
	assert_int_equal(DEFINE("\x89\xdf", 7, 64), INSN_DEFINES_COPY);
	assert_int_equal(from.bits, 32);
	/* mov %bl,%dil leaves the rest of %edi as it was; the byte itself is defined */
	assert_int_equal(DEFINE("\x40\x88\xdf", 7, 32), INSN_DEFINES_OTHER);
	assert_int_equal(DEFINE("\x40\x88\xdf", 7, 8), INSN_DEFINES_COPY);
	/* mov %ah,%cl: no register of its own */
	assert_int_equal(DEFINE("\x88\xe1", 1, 8), INSN_DEFINES_OTHER);
	/* mov %gs:0x1fbc0,%rax */
	assert_int_equal(DEFINE("\x65\x48\x8b\x04\x25\xc0\xfb\x01\x00", 0, 64), INSN_DEFINES_COPY);
	assert_true(from.percpu && from.absolute);
	assert_int_equal(from.displacement, 0x1fbc0);
	/* mov 0x10(%rip),%rax */
	assert_int_equal(DEFINE("\x48\x8b\x05\x10\x00\x00\x00", 0, 64), INSN_DEFINES_COPY);
	assert_true(from.absolute && !from.percpu);
	assert_int_equal(from.displacement, AT + 0x17);
}

static void define_others(void **state)
{
	(void)state;
	/* lea 0x10(%rdi),%rax */
	assert_int_equal(DEFINE("\x48\x8d\x47\x10", 0, 64), INSN_DEFINES_ADDRESS);
	assert_int_equal(from.base, 7);
	assert_int_equal(from.bits, 64);
	/* lea -0x1(%rbp),%eax: of 32 bits */
	assert_int_equal(DEFINE("\x8d\x45\xff", 0, 32), INSN_DEFINES_ADDRESS);
	assert_int_equal(from.bits, 32);
	assert_int_equal(from.displacement, -1);
	/* pop %rax; cdq writes %edx; setne %al; neg %eax */
	assert_int_equal(DEFINE("\x0f\x95\xc0", 0, 8), INSN_DEFINES_OTHER);
	assert_int_equal(DEFINE("\xf7\xd8", 0, 32), INSN_DEFINES_OTHER);
	assert_int_equal(DEFINE("\x58", 0, 64), INSN_DEFINES_OTHER);
	assert_int_equal(DEFINE("\x99", 2, 32), INSN_DEFINES_OTHER);
	assert_int_equal(DEFINE("\x99", 0, 32), INSN_DEFINES_NOT);
	/* xchg %rax,%rbx changes both */
	assert_int_equal(DEFINE("\x48\x93", 3, 64), INSN_DEFINES_OTHER);
	/* no instruction, and not all of one */
	assert_int_equal(DEFINE("\x06", 0, 64), INSN_DEFINES_OTHER);
	assert_int_equal(DEFINE("\x48\x8b", 0, 64), INSN_DEFINES_OTHER);
}

static void define_choices(void **state)
{
	(void)state;
	/* cmove %ebx,%eax: the upper half is zero either way; cmovne 0x8(%rdi),%rdx; sete %al */
	assert_int_equal(DEFINE("\x0f\x44\xc3", 0, 32), INSN_DEFINES_CHOICE);
	assert_int_equal(from.kind, INSN_OPERAND_REG);
	assert_int_equal(from.reg, 3);
	assert_int_equal(from.bits, 32);
	assert_int_equal(DEFINE("\x0f\x44\xc3", 3, 32), INSN_DEFINES_NOT);
	assert_int_equal(DEFINE("\x48\x0f\x45\x57\x08", 2, 64), INSN_DEFINES_CHOICE);
	assert_int_equal(from.kind, INSN_OPERAND_MEM);
	assert_int_equal(from.base, 7);
	assert_int_equal(from.bits, 64);
	assert_int_equal(DEFINE("\x0f\x94\xc0", 0, 8), INSN_DEFINES_OTHER);
	/* cmove %bx,%ax leaves the rest of %eax */
	assert_int_equal(DEFINE("\x66\x0f\x44\xc3", 0, 32), INSN_DEFINES_OTHER);
}

static void define_arithmetic(void **state)
{
	(void)state;
	/* and $0x3,%eax; and %ebx,%eax */
	assert_int_equal(DEFINE("\x83\xe0\x03", 0, 32), INSN_DEFINES_ARITHMETIC);
	assert_int_equal(from.arithmetic, '&');
	assert_int_equal(from.kind, INSN_OPERAND_IMM);
	assert_int_equal(from.value, 3);
	assert_int_equal(DEFINE("\x21\xd8", 0, 32), INSN_DEFINES_ARITHMETIC);
	assert_int_equal(from.kind, INSN_OPERAND_REG);
	assert_int_equal(from.reg, 3);
	/* add $0xffffffff,%eax; sub 0x8(%rdi),%rax; shr $0x20,%rcx; shl %cl,%edx */
	assert_int_equal(DEFINE("\x83\xc0\xff", 0, 32), INSN_DEFINES_ARITHMETIC);
	assert_int_equal(from.arithmetic, '+');
	assert_int_equal(from.value, -1);
	assert_int_equal(DEFINE("\x48\x2b\x47\x08", 0, 64), INSN_DEFINES_ARITHMETIC);
	assert_int_equal(from.arithmetic, '-');
	assert_int_equal(from.kind, INSN_OPERAND_MEM);
	assert_int_equal(DEFINE("\x48\xc1\xe9\x20", 1, 64), INSN_DEFINES_ARITHMETIC);
	assert_int_equal(from.arithmetic, '>');
	assert_int_equal(from.value, 0x20);
	assert_int_equal(DEFINE("\xd3\xe2", 2, 32), INSN_DEFINES_ARITHMETIC);
	assert_int_equal(from.arithmetic, '<');
	/* adc reads the carry, too; imul of three operands */
	assert_int_equal(DEFINE("\x11\xd8", 0, 32), INSN_DEFINES_OTHER);
	assert_int_equal(DEFINE("\x6b\xd0\x0c", 2, 32), INSN_DEFINES_OTHER);
	/* xor %eax,%eax; sub %rcx,%rcx: zero. xor %ebx,%eax */
	assert_int_equal(DEFINE("\x31\xc0", 0, 32), INSN_DEFINES_COPY);
	assert_int_equal(from.kind, INSN_OPERAND_IMM);
	assert_int_equal(from.value, 0);
	assert_int_equal(DEFINE("\x48\x29\xc9", 1, 64), INSN_DEFINES_COPY);
	assert_int_equal(from.kind, INSN_OPERAND_IMM);
	assert_int_equal(DEFINE("\x31\xd8", 0, 32), INSN_DEFINES_ARITHMETIC);
	assert_int_equal(from.arithmetic, '^');
	/* div %rsi: the quotient in %rax, the remainder in %rdx */
	assert_int_equal(DEFINE("\x48\xf7\xf6", 0, 64), INSN_DEFINES_ARITHMETIC);
	assert_int_equal(from.arithmetic, '/');
	assert_int_equal(from.reg, 6);
	assert_int_equal(DEFINE("\x48\xf7\xf6", 2, 64), INSN_DEFINES_ARITHMETIC);
	assert_int_equal(from.arithmetic, '%');
	assert_int_equal(DEFINE("\x48\xf7\xf6", 3, 64), INSN_DEFINES_NOT);
	/* div %esi defines 32 bits; div %sil puts both into %ax; idiv has a sign */
	assert_int_equal(DEFINE("\xf7\xf6", 2, 64), INSN_DEFINES_OTHER);
	assert_int_equal(DEFINE("\x40\xf6\xf6", 0, 8), INSN_DEFINES_OTHER);
	assert_int_equal(DEFINE("\x48\xf7\xfe", 2, 64), INSN_DEFINES_OTHER);
}

static void calls_through_what(void **state)
{
	(void)state;
	/* call *%rax; call *0x18(%rbx); call +0 */
	assert_true(insn_call_operand("\xff\xd0", 2, AT, &from));
	assert_int_equal(from.kind, INSN_OPERAND_REG);
	assert_int_equal(from.reg, 0);
	assert_true(insn_call_operand("\xff\x53\x18", 3, AT, &from));
	assert_int_equal(from.kind, INSN_OPERAND_MEM);
	assert_int_equal(from.base, 3);
	assert_int_equal(from.displacement, 0x18);
	assert_false(insn_call_operand("\xe8\x00\x00\x00\x00", 5, AT, &from));
	/* jmp *%rax */
	assert_false(insn_call_operand("\xff\xe0", 2, AT, &from));
}

static void branches_to_which_register(void **state)
{
	(void)state;
	/* call *%rax; jmp *%r11 */
	assert_int_equal(insn_target_register("\xff\xd0", 2), 0);
	assert_int_equal(insn_target_register("\x41\xff\xe3", 3), 11);
	/* call *0x18(%rbx); jmp +0; push %rax; half an instruction */
	assert_int_equal(insn_target_register("\xff\x53\x18", 3), INSN_NO_REG);
	assert_int_equal(insn_target_register("\xeb\x00", 2), INSN_NO_REG);
	assert_int_equal(insn_target_register("\x50", 1), INSN_NO_REG);
	assert_int_equal(insn_target_register("\xff", 1), INSN_NO_REG);
}

#define IS_PERCPU_DEC(bytes) insn_is_percpu_dec(bytes, sizeof(bytes) - 1)

static void counts_down_for_each_cpu(void **state)
{
	(void)state;
	/* decl %gs:0x7e(%rip); decl %gs:(%rbx); decl %gs:0x1fbc0 */
	assert_true(IS_PERCPU_DEC("\x65\xff\x0d\x7e\x00\x00\x00"));
	assert_true(IS_PERCPU_DEC("\x65\xff\x0b"));
	assert_true(IS_PERCPU_DEC("\x65\xff\x0c\x25\xc0\xfb\x01\x00"));
	/* incl %gs:(%rbx); decl (%rbx); decl %fs:(%rbx); decl %eax with a prefix of no use */
	assert_false(IS_PERCPU_DEC("\x65\xff\x03"));
	assert_false(IS_PERCPU_DEC("\xff\x0b"));
	assert_false(IS_PERCPU_DEC("\x64\xff\x0b"));
	assert_false(IS_PERCPU_DEC("\x65\xff\xc8"));
	/* decq, decw and decb %gs:(%rbx): no int */
	assert_false(IS_PERCPU_DEC("\x65\x48\xff\x0b"));
	assert_false(IS_PERCPU_DEC("\x65\x66\xff\x0b"));
	assert_false(IS_PERCPU_DEC("\x65\xfe\x0b"));
	/* cut off */
	assert_false(IS_PERCPU_DEC("\x65\xff\x0d\x7e\x00\x00"));
}

#define IS_MEMORY_DEC(bytes) insn_is_memory_dec(bytes, sizeof(bytes) - 1)

static void counts_down_in_memory(void **state)
{
	(void)state;
	/* subl $1, 0x7fc(%rdi); decl (%rbx); subl $1, 0x10(%rdi) */
	assert_true(IS_MEMORY_DEC("\x83\xaf\xfc\x07\x00\x00\x01"));
	assert_true(IS_MEMORY_DEC("\xff\x0b"));
	assert_true(IS_MEMORY_DEC("\x83\x6f\x10\x01"));
	/* subl $2, 0x10(%rdi); subl %eax, (%rdi); subl $1, %eax; subq $1, 0x10(%rdi) */
	assert_false(IS_MEMORY_DEC("\x83\x6f\x10\x02"));
	assert_false(IS_MEMORY_DEC("\x29\x07"));
	assert_false(IS_MEMORY_DEC("\x83\xe8\x01"));
	assert_false(IS_MEMORY_DEC("\x48\x83\x6f\x10\x01"));
	/* testl $1, (%rdi); incl (%rbx); cut off */
	assert_false(IS_MEMORY_DEC("\xf7\x07\x01\x00\x00\x00"));
	assert_false(IS_MEMORY_DEC("\xff\x03"));
	assert_false(IS_MEMORY_DEC("\x83\x6f\x10"));
}

/* What is no instruction with a known change: NONE. */
#define NONE INT64_MIN

static void moves_the_stack_pointer(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int64_t change;
	} cases[] = {
		{"\x55", 1, -8},			    /* push %rbp */
		{"\x41\x57", 2, -8},			    /* push %r15 */
		{"\x6a\x01", 2, -8},			    /* push $1 */
		{"\xff\x75\x08", 3, -8},		    /* push 8(%rbp) */
		{"\x9c", 1, -8},			    /* pushf */
		{"\x5b", 1, 8},				    /* pop %rbx */
		{"\x8f\x04\x24", 3, 8},			    /* pop (%rsp) */
		{"\x9d", 1, 8},				    /* popf */
		{"\xe8\x00\x00\x00\x00", 5, -8},	    /* call */
		{"\xff\xd0", 2, -8},			    /* call *%rax */
		{"\xc3", 1, 8},				    /* ret */
		{"\xc2\x10\x00", 3, 0x18},		    /* ret $0x10 */
		{"\x48\x83\xec\x28", 4, -0x28},		    /* sub $0x28,%rsp */
		{"\x48\x83\xec\x80", 4, 0x80},		    /* sub $-0x80,%rsp */
		{"\x48\x81\xc4\x00\x01\x00\x00", 7, 0x100}, /* add $0x100,%rsp */
		{"\x48\x8d\x64\x24\x08", 5, 8},		    /* lea 8(%rsp),%rsp */
		{"\x48\x8d\x44\x24\x08", 5, 0},		    /* lea 8(%rsp),%rax */
		{"\x48\x89\x04\x24", 4, 0},		    /* mov %rax,(%rsp) */
		{"\x48\x01\xc3", 3, 0},			    /* add %rax,%rbx */
		{"\xeb\x10", 2, 0},			    /* jmp */
		{"\x74\x10", 2, 0},			    /* je */
		{"\x5c", 1, NONE},			    /* pop %rsp */
		{"\xc9", 1, NONE},			    /* leave */
		{"\x48\x89\xec", 3, NONE},		    /* mov %rbp,%rsp */
		{"\x48\x01\xc4", 3, NONE},		    /* add %rax,%rsp */
		{"\x48\x83\xe4\xf0", 4, NONE},		    /* and $-16,%rsp */
		{"\x48\x8d\x24\x04", 4, NONE},		    /* lea (%rsp,%rax),%rsp */
		{"\x48\x8d\x65\xd8", 4, NONE},		    /* lea -0x28(%rbp),%rsp */
		{"\x83\xec\x08", 3, NONE},		    /* sub $8,%esp */
		{"\x48\x8b\x25\x00\x00\x00\x00", 7, NONE},  /* mov 0(%rip),%rsp */
		{"\x48\x83\xec", 3, NONE},		    /* cut off */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t change = NONE;
		bool known = insn_stack_change(cases[i].bytes, cases[i].len, &change);

		if (known != (cases[i].change != NONE) || (known && change != cases[i].change))
			fail_msg("case %zu: %d, %lld", i, known, (long long)change);
	}
}

static const char *names[2];
static const char *zero;
static bool pointer, whole;
static bool no_sign;
static const char *bytes_at = "", *text_of_number = "";
static enum insn_use used;
static uint64_t bits_used;
static enum insn_operand_kind kind_used;

static bool name(void *ctx, int index, const struct insn_operand *operand, enum insn_use use,
		 uint64_t bits, struct insn_operand_text *ret)
{
	(void)ctx;
	if (operand->kind == INSN_OPERAND_IMM) {
		snprintf(ret->text, sizeof(ret->text), "%lld", (long long)operand->value);
		snprintf(ret->bytes, sizeof(ret->bytes), "%s", text_of_number);
		return true;
	}
	used = use;
	bits_used = bits;
	kind_used = operand->kind;
	if (!names[index])
		return false;
	snprintf(ret->text, sizeof(ret->text), "%s", names[index]);
	snprintf(ret->bytes, sizeof(ret->bytes), "%s", index ? text_of_number : bytes_at);
	ret->whole = whole;
	ret->no_sign = no_sign;
	if (pointer)
		ret->zero = "NULL";
	else if (zero)
		ret->zero = zero;
	return true;
}

static const char *condition(const char *setter, size_t len, const char *branch, bool taken)
{
	static char buf[256];

	if (insn_condition_named(setter, len, AT, branch, 2, taken, name, NULL, buf, sizeof(buf)))
		assert_string_equal(buf, "");
	return buf;
}

#define JE  "\x74\x10"
#define JB  "\x72\x10"
#define JA  "\x77\x10"
#define JBE "\x76\x10"
#define JAE "\x73\x10"
#define JL  "\x7c\x10"
#define JS  "\x78\x10"

#define CONDITION(setter, branch, taken) condition(setter, sizeof(setter) - 1, branch, taken)

static void conditions_named(void **state)
{
	(void)state;
	names[0] = "a";
	names[1] = "b";
	pointer = whole = false;
	/* test %rax,%rax */
	assert_string_equal(CONDITION("\x48\x85\xc0", JE, true), "a == 0");
	assert_int_equal(used, INSN_USE_VALUE);
	assert_string_equal(CONDITION("\x48\x85\xc0", JS, false), "a >= 0");
	pointer = true;
	assert_string_equal(CONDITION("\x48\x85\xc0", JE, false), "a != NULL");
	assert_string_equal(CONDITION("\x48\x85\xc0", JE, true), "!a");
	names[0] = "this_cpu a";
	assert_string_equal(CONDITION("\x48\x85\xc0", JE, true), "this_cpu a == NULL");
	names[0] = "a";
	pointer = false;
	/* test %al,%al of a bool */
	zero = "false";
	assert_string_equal(CONDITION("\x84\xc0", JE, true), "!a");
	assert_string_equal(CONDITION("\x84\xc0", JE, false), "a");
	zero = NULL;
	/* cmp %ebx,%eax */
	assert_string_equal(CONDITION("\x39\xd8", JL, true), "a < b");
	/* cmp $0xfffffffffffff000,%rax; ja: IS_ERR(); cmp $0xfffffffffffff001,%rax; jae */
	assert_string_equal(CONDITION("\x48\x3d\x00\xf0\xff\xff", JA, true), "IS_ERR(a)");
	assert_string_equal(CONDITION("\x48\x3d\x00\xf0\xff\xff", JA, false), "!IS_ERR(a)");
	assert_string_equal(CONDITION("\x48\x3d\x00\xf0\xff\xff", JBE, true), "!IS_ERR(a)");
	assert_string_equal(CONDITION("\x48\x3d\x01\xf0\xff\xff", JAE, true), "IS_ERR(a)");
	assert_string_equal(CONDITION("\x48\x3d\x01\xf0\xff\xff", JB, true), "!IS_ERR(a)");
	assert_string_equal(CONDITION("\x48\x3d\x00\xf0\xff\xff", JAE, true),
			    "a >= -4096 (unsigned)");
	/* ... of 32 bits it is a number */
	assert_string_equal(CONDITION("\x3d\x00\xf0\xff\xff", JA, true), "a > -4096 (unsigned)");
}

static void conditions_of_bits(void **state)
{
	(void)state;
	names[0] = "a";
	names[1] = "b";
	pointer = whole = false;
	/* testb $0x2,0x38(%r14) */
	assert_string_equal(CONDITION("\x41\xf6\x46\x38\x02", JE, false), "(a & 2) != 0");
	assert_int_equal(used, INSN_USE_MASK);
	assert_int_equal(bits_used, 2);
	/* bt $0x5,%rax; bt %rbx,%rax */
	assert_string_equal(CONDITION("\x48\x0f\xba\xe0\x05", JB, true), "bit 5 of a is set");
	assert_int_equal(used, INSN_USE_BIT);
	assert_int_equal(bits_used, 1 << 5);
	assert_string_equal(CONDITION("\x48\x0f\xa3\xd8", JAE, true), "bit b of a is clear");
	/* and $0x3,%eax: what it was before */
	assert_string_equal(CONDITION("\x83\xe0\x03", JE, true), "(a & 3) == 0");
	/* a bit-field is all that was asked for */
	whole = true;
	assert_string_equal(CONDITION("\x41\xf6\x46\x38\x02", JE, false), "a != 0");
	assert_string_equal(CONDITION("\x48\x0f\xba\xe0\x05", JAE, true), "a == 0");
}

/* x < 0 of an unsigned type is never true in C: the bit is that of the operand, however wide. */
static void conditions_of_a_sign_that_is_none(void **state)
{
	(void)state;
	names[0] = "a";
	names[1] = "b";
	pointer = whole = false;
	no_sign = true;
	/* test %al,%al; test %eax,%eax; test %rax,%rax */
	assert_string_equal(CONDITION("\x84\xc0", JS, true), "(a & 0x80) != 0");
	assert_string_equal(CONDITION("\x85\xc0", JS, false), "(a & 0x80000000) == 0");
	assert_string_equal(CONDITION("\x48\x85\xc0", JS, true), "(a & 0x8000000000000000) != 0");
	/* cmp $0,%eax; cmp %rbx,%rax, and the sign of the difference */
	assert_string_equal(CONDITION("\x83\xf8\x00", JL, true), "(a & 0x80000000) != 0");
	assert_string_equal(CONDITION("\x48\x39\xd8", JS, true),
			    "(a - b & 0x8000000000000000) != 0");
	/* cmpl $0,(%rdi) */
	assert_string_equal(CONDITION("\x83\x3f\x00", JS, false), "(a & 0x80000000) == 0");
	no_sign = false;
	assert_string_equal(CONDITION("\x83\x3f\x00", JS, false), "a >= 0");
	/* what is no sign stays */
	no_sign = true;
	assert_string_equal(CONDITION("\x85\xc0", JE, true), "a == 0");
	assert_string_equal(CONDITION("\x39\xd8", JL, true), "a < b");
	no_sign = false;
}

static void conditions_of_characters(void **state)
{
	(void)state;
	names[0] = "*(u32 *)line";
	names[1] = "b";
	pointer = whole = false;
	bytes_at = "line";
	text_of_number = "\"base\"";
	/* cmpl $0x65736162,(%rdi); cmp %rbx,(%rdi) */
	assert_string_equal(CONDITION("\x81\x3f\x62\x61\x73\x65", JE, false),
			    "memcmp(line, \"base\", 4) != 0");
	assert_string_equal(CONDITION("\x48\x39\x1f", JE, true), "memcmp(line, \"base\", 8) == 0");
	/* what is larger or smaller is of numbers */
	assert_string_equal(CONDITION("\x48\x39\x1f", JB, true), "*(u32 *)line < b (unsigned)");
	text_of_number = "";
	assert_string_equal(CONDITION("\x48\x39\x1f", JE, true), "*(u32 *)line == b");
	bytes_at = "";
}

static void conditions_that_compute(void **state)
{
	(void)state;
	names[0] = "a";
	names[1] = "b";
	pointer = whole = false;
	/* sub %rbx,%rax; xor %ebx,%eax: equal or not, before */
	assert_string_equal(CONDITION("\x48\x29\xd8", JE, true), "a == b");
	assert_string_equal(CONDITION("\x31\xd8", JE, false), "a != b");
	/* dec %eax; or %ebx,%eax; shr $0x20,%rcx */
	assert_string_equal(CONDITION("\xff\xc8", JE, true), "a == 1");
	assert_string_equal(CONDITION("\x09\xd8", JE, false), "(a | b) != 0");
	assert_string_equal(CONDITION("\x48\xc1\xe9\x20", JE, false), "(a >> 32) != 0");
	/* cmp %rbx,%rax, and the sign */
	assert_string_equal(CONDITION("\x48\x39\xd8", JS, true), "a - b < 0");
	assert_string_equal(CONDITION("\x48\x39\xd8", JS, false), "a - b >= 0");
	/* lock btsq $0x2,(%rdi); lock cmpxchg %rdx,(%rbx) */
	assert_string_equal(CONDITION("\xf0\x48\x0f\xba\x2f\x02", JB, true), "bit 2 of a was set");
	assert_string_equal(CONDITION("\xf0\x48\x0f\xb1\x13", JE, false),
			    "compare-and-exchange of a failed");
	/* ... of more, and of add, there are no words in names of before */
	assert_string_equal(CONDITION("\x48\x29\xd8", JS, true), "");
	assert_string_equal(CONDITION("\x48\x01\xd8", JE, true), "");
	assert_string_equal(CONDITION("\xff\xc8", JS, true), "");
	/* an operand without a name, and one that is no general register */
	names[1] = NULL;
	assert_string_equal(CONDITION("\x39\xd8", JL, true), "");
	assert_string_equal(CONDITION("\x48\x85\xc0", JE, true), "a == 0");
	/* test %ah,%ah; test $0x4,%ah: bits 8 to 15 of the register */
	assert_string_equal(CONDITION("\x84\xe4", JE, true), "a == 0");
	assert_int_equal(kind_used, INSN_OPERAND_HIGH);
	assert_string_equal(CONDITION("\xf6\xc4\x04", JE, false), "(a & 4) != 0");
	assert_int_equal(kind_used, INSN_OPERAND_HIGH);
	/* test $0x4,%al */
	assert_string_equal(CONDITION("\xa8\x04", JE, false), "(a & 4) != 0");
	assert_int_equal(kind_used, INSN_OPERAND_REG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(define_copies),
		cmocka_unit_test(define_others),
		cmocka_unit_test(define_choices),
		cmocka_unit_test(define_arithmetic),
		cmocka_unit_test(calls_through_what),
		cmocka_unit_test(branches_to_which_register),
		cmocka_unit_test(counts_down_for_each_cpu),
		cmocka_unit_test(counts_down_in_memory),
		cmocka_unit_test(moves_the_stack_pointer),
		cmocka_unit_test(conditions_named),
		cmocka_unit_test(conditions_of_bits),
		cmocka_unit_test(conditions_that_compute),
		cmocka_unit_test(conditions_of_a_sign_that_is_none),
		cmocka_unit_test(conditions_of_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
