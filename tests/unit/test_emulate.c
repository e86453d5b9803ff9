// SPDX-License-Identifier: GPL-2.0
/* src/disasm/emulate: each instruction against this machine's CPU */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "../seed.h"
#include "disasm/emulate.h"
#include "disasm/insn.h"

#define FLAGS	 (INSN_CF | INSN_ZF | INSN_SF | INSN_OF)
#define ROUNDS	 400
#define PAGE	 4096
#define RSP	 4
#define RCX	 1
#define RSI	 6
#define RDI	 7
#define STACK_AT 2048
#define CODE_MAX 512

/* 16 bytes each. Of the first ones all is known afterwards, if all was before. */
/* clang-format off */
asm(".pushsection .rodata, \"a\"\n"
    ".macro one text:vararg\n\t\\text\n\t.p2align 4, 0xcc\n\t.endm\n"
    ".p2align 4\n"
    "emulated:\n"
    "one mov %rdi, %r10\n one mov %edi, %r9d\n one mov %si, %ax\n one mov %sil, %al\n one mov %dh, %bl\n"
    "one mov %bl, %dh\n one mov $-5, %rbx\n one mov $0x80000000, %ecx\n one movabs $0x101010101010101, %rax\n"
    "one movzbl %sil, %ecx\n one movzwl %bx, %r8d\n one movzbl %ah, %edx\n one movsbl %cl, %edx\n"
    "one movsbq %r11b, %rdx\n one movslq %eax, %r12\n one movswl %ax, %eax\n one lea 0x40(%rdi), %rdi\n"
    "one lea -8(%rsi,%rdx,4), %r11\n one lea 5(,%rax,8), %rcx\n one lea 7(%rdi,%r9), %r8d\n"
    "one lea 0x1234(%rip), %rax\n"
    "one add %rax, %rbx\n one add $0x20, %edx\n one add $-1, %cl\n one add $0x7fff, %si\n one add %ah, %al\n"
    "one sub %r8, %rdx\n one sub $0x20, %rdx\n one sub %edx, %edx\n one sub $1, %bx\n one sub %cl, %ch\n"
    "one cmp $7, %rdx\n one cmp %dil, %sil\n one cmp %rdi, %rsi\n one cmp $0x80, %ax\n one cmp %eax, %eax\n"
    "one and $7, %r9d\n one and $-8, %rax\n one and %bl, %al\n one test %rax, %rax\n one test $0x40, %cl\n"
    "one test %edx, %esi\n one or %rcx, %rax\n one or $0x80, %bl\n one xor %rax, %rbx\n one xor %eax, %eax\n"
    "one xor $-1, %r15\n one inc %rax\n one inc %cl\n one dec %rcx\n one dec %ecx\n one dec %bp\n"
    "one neg %rax\n one neg %bl\n one neg %r9d\n one not %rdx\n one not %cx\n"
    "one nop\n one nopl 0(%rax)\n one endbr64\n"
    "emulated_partly:\n"
    "one shr $6, %rcx\n one shr $3, %ecx\n one shr %rdx\n one shr $7, %al\n one shl $4, %rax\n one shl %ebx\n"
    "one shl $31, %edx\n one sar $1, %rax\n one sar $5, %esi\n one sar $3, %bl\n one shr %cl, %rax\n"
    "one shl %cl, %edx\n one sar %cl, %r8\n one shr %cl, %bl\n one shl $9, %al\n one shr $0, %eax\n"
    "one imul %rcx, %rax\n one imul $100, %edx, %ebx\n one imul %ecx\n one imul %si, %di\n"
    "one mov (%rsp), %rax\n one mov %rax, (%rsp)\n one add (%rsp), %rbx\n one cmp (%rsp), %rbx\n"
    "one movzbl (%rsp), %ecx\n one push %rax\n one push $7\n one pop %rbx\n one pop %rsp\n one pushf\n"
    "one xchg %rax, %rbx\n one cmove %rax, %rbx\n one cmovne %eax, %ebx\n one sete %al\n one setne %ch\n"
    "one bswap %rax\n one adc %rax, %rbx\n one sbb %eax, %eax\n one sbb %rcx, %rdx\n one mul %rcx\n"
    "one bt $3, %rax\n one bsf %rax, %rbx\n one cqto\n one cltq\n one rol $3, %rax\n one ror %cl, %rdx\n"
    "one rcl %rax\n one shld $3, %rax, %rbx\n one stc\n one clc\n one cmc\n one lahf\n one cpuid\n one rdtsc\n"
    "one xadd %rax, %rbx\n one cmpxchg %rcx, %rbx\n one movq %xmm0, %rax\n one popcnt %rax, %rbx\n"
    "one rep stosb\n one rep stosq\n one rep movsb\n one rep movsq\n one stosb\n one leave\n"
    "emulated_end:\n"
    ".popsection\n");
/* clang-format on */
extern const uint8_t emulated[], emulated_partly[], emulated_end[];

/* In the lowest 2 GiB: addressed without a register. */
static struct area {
	uint64_t before[16];
	uint64_t after[16];
	uint64_t flags_before;
	uint64_t flags_after;
	uint64_t own_stack;
	uint64_t stack_top[16];
	uint8_t code[CODE_MAX];
} * area;

static uint32_t address(const void *of)
{
	return (uint32_t)(uintptr_t)of;
}

static uint8_t *put(uint8_t *to, const char *bytes, size_t len)
{
	memcpy(to, bytes, len);
	return to + len;
}

#define PUT(to, bytes) put(to, bytes, sizeof(bytes) - 1)

/* MOV between a register and memory at an absolute address: REX.W, 8B or 89, /r, SIB. */
static uint8_t *put_move(uint8_t *to, int opcode, int reg, const void *at)
{
	uint32_t addr = address(at);

	*to++ = (uint8_t)(0x48 | (reg >= 8 ? 4 : 0));
	*to++ = (uint8_t)opcode;
	*to++ = (uint8_t)((reg & 7) << 3 | 4);
	*to++ = 0x25;
	memcpy(to, &addr, sizeof(addr));
	return to + sizeof(addr);
}

static uint8_t *put_absolute(uint8_t *to, const char *opcode, const void *at)
{
	uint32_t addr = address(at);

	to = put(to, opcode, 3);
	memcpy(to, &addr, sizeof(addr));
	return to + sizeof(addr);
}

/* Executes it with the registers and flags of @area->before. */
static void execute(const uint8_t *bytes, size_t len)
{
	const void *top = &area->stack_top[16];
	uint8_t *to = area->code;

	to = PUT(to, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57"); /* what the caller keeps */
	to = put_move(to, 0x89, RSP, &area->own_stack);
	to = PUT(to, "\x48\xc7\xc4"); /* mov $top, %rsp */
	memcpy(to, &(uint32_t){address(top)}, 4);
	to += 4;
	to = put_absolute(to, "\xff\x34\x25", &area->flags_before); /* push */
	*to++ = 0x9d;						    /* popf */
	for (int reg = 0; reg < 16; reg++)
		to = put_move(to, 0x8b, reg, &area->before[reg]);
	to = put(to, (const char *)bytes, len);
	for (int reg = 0; reg < 16; reg++)
		to = put_move(to, 0x89, reg, &area->after[reg]);
	to = PUT(to, "\x48\xc7\xc4");
	memcpy(to, &(uint32_t){address(top)}, 4);
	to += 4;
	*to++ = 0x9c;						   /* pushf */
	to = put_absolute(to, "\x8f\x04\x25", &area->flags_after); /* pop */
	to = put_move(to, 0x8b, RSP, &area->own_stack);
	to = PUT(to, "\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");
	assert_true(to <= area->code + CODE_MAX);
	((void (*)(void))(uintptr_t)area->code)();
}

static uint64_t random_word(void)
{
	static const uint64_t edges[] = {
		0,	    1,	      2,	  7,	     8,		 0x3f,
		0x40,	    0x7f,     0x80,	  0xff,	     0x7fff,	 0x8000,
		0x7fffffff, 1u << 31, UINT32_MAX, INT64_MAX, 1ull << 63, UINT64_MAX,
	};
	uint64_t word = (uint64_t)random() << 42 ^ (uint64_t)random() << 21 ^ (uint64_t)random();

	return random() % 2 ? word : edges[(size_t)random() % (sizeof(edges) / sizeof(*edges))];
}

static void make_state(const struct insn *insn, uint8_t *memory)
{
	for (int reg = 0; reg < 16; reg++)
		area->before[reg] = random_word();
	area->before[RSP] = (uintptr_t)(memory + STACK_AT);
	area->before[5] = (uintptr_t)(memory + STACK_AT); /* LEAVE */
	if (insn->flags & INSN_F_REP || *(const uint8_t *)(uintptr_t)insn->addr == 0xaa) {
		area->before[RDI] = (uintptr_t)memory;
		area->before[RSI] = (uintptr_t)memory;
		area->before[RCX] = (uint64_t)random() % 20;
	}
	area->flags_before = 2 | (random_word() & FLAGS);
}

static void check(const uint8_t *bytes, const struct insn *insn, bool all, uint8_t *memory)
{
	struct insn_state state = {.known = all ? UINT16_MAX : (uint16_t)random(),
				   .flags_known = all ? FLAGS : (uint16_t)random() & FLAGS};
	uint16_t flags;

	make_state(insn, memory);
	/* The value of what is unknown is another one. */
	for (int reg = 0; reg < 16; reg++)
		state.regs[reg] = state.known >> reg & 1 ? area->before[reg] : random_word();
	state.flags = (uint16_t)((area->flags_before & state.flags_known) |
				 (~area->flags_before & FLAGS & ~state.flags_known));
	execute(bytes, insn->len);
	assert_int_equal(insn_emulate(bytes, insn->len, insn->addr, &state), 0);
	/* The address that it is executed at differs. */
	if (bytes[0] == 0x48 && bytes[1] == 0x8d && bytes[2] == 0x05)
		area->after[0] = insn->addr + insn->len + 0x1234;
	for (int reg = 0; reg < 16; reg++)
		if (state.known >> reg & 1 && state.regs[reg] != area->after[reg])
			fail_msg("instruction %zu, register %d: 0x%llx, the CPU has 0x%llx",
				 (size_t)(bytes - emulated) / 16, reg,
				 (unsigned long long)state.regs[reg],
				 (unsigned long long)area->after[reg]);
	flags = (state.flags ^ (uint16_t)area->flags_after) & state.flags_known;
	if (flags)
		fail_msg("instruction %zu: flags 0x%x, the CPU has 0x%x",
			 (size_t)(bytes - emulated) / 16, state.flags & state.flags_known,
			 (unsigned int)area->flags_after & state.flags_known);
	if (all && bytes < emulated_partly &&
	    (state.known != UINT16_MAX || state.flags_known != FLAGS))
		fail_msg("instruction %zu: known are 0x%x, flags 0x%x",
			 (size_t)(bytes - emulated) / 16, state.known, state.flags_known);
}

static void emulate_each_as_the_cpu(void **state)
{
	uint8_t *memory = calloc(1, PAGE);

	assert_non_null(memory);
	srandom(seed_take(stdout, 19));
	assert_true(emulated_end - emulated > 100 * 16);
	for (const uint8_t *bytes = emulated; bytes < emulated_end; bytes += 16) {
		struct insn insn;

		assert_int_equal(insn_decode(bytes, 16, (uintptr_t)bytes, &insn), 0);
		for (int i = 0; i < ROUNDS; i++) {
			check(bytes, &insn, true, memory);
			check(bytes, &insn, false, memory);
		}
	}
	free(memory);
}

/* What they leave must be known: else nothing could be computed. */
static void emulate_count_and_product_are_known(void **state)
{
	static const uint8_t shr[] = {0x48, 0xc1, 0xe9, 0x06};	/* shr $6, %rcx */
	static const uint8_t imul[] = {0x48, 0x0f, 0xaf, 0xc1}; /* imul %rcx, %rax */
	struct insn_state regs = {.known = UINT16_MAX, .regs = {[0] = 3, [RCX] = 4096}};

	assert_int_equal(insn_emulate(imul, sizeof(imul), 0, &regs), 0);
	assert_true(regs.known == UINT16_MAX && regs.regs[0] == 3 * 4096);
	assert_int_equal(regs.flags_known, 0);
	assert_int_equal(insn_emulate(shr, sizeof(shr), 0, &regs), 0);
	assert_true(regs.known == UINT16_MAX && regs.regs[RCX] == 64);
	assert_int_equal(regs.flags_known, INSN_CF | INSN_ZF | INSN_SF);
	assert_int_equal(regs.flags, 0);
}

static void emulate_call_and_return_move_the_stack_pointer(void **state)
{
	static const uint8_t call[] = {0xe8, 0, 0, 0, 0}, ret[] = {0xc3}, far_ret[] = {0xc2, 8, 0};
	struct insn_state regs = {.known = UINT16_MAX, .regs = {[RSP] = 0x1000}};

	assert_int_equal(insn_emulate(call, sizeof(call), 0, &regs), 0);
	assert_true(regs.regs[RSP] == 0xff8 && regs.known == UINT16_MAX);
	assert_int_equal(insn_emulate(ret, sizeof(ret), 0, &regs), 0);
	assert_true(regs.regs[RSP] == 0x1000 && regs.known == UINT16_MAX);
	assert_int_equal(insn_emulate(far_ret, sizeof(far_ret), 0, &regs), 0);
	assert_false(regs.known & 1u << RSP);
}

static void emulate_branch_flags_unknown_is_not_decided(void **state)
{
	static const uint8_t jne[] = {0x75, 0x10}, jle[] = {0x7e, 0x10}, jp[] = {0x7a, 0x10},
			     jrcxz[] = {0xe3, 0x10}, nop[] = {0x90};
	struct insn_state regs = {.flags_known = INSN_ZF, .known = UINT16_MAX};

	assert_int_equal(insn_emulate_branch(jne, 2, &regs), 1);
	regs.flags = INSN_ZF;
	assert_int_equal(insn_emulate_branch(jne, 2, &regs), 0);
	assert_int_equal(insn_emulate_branch(jle, 2, &regs), -1);
	regs.flags_known = FLAGS;
	assert_int_equal(insn_emulate_branch(jle, 2, &regs), 1);
	assert_int_equal(insn_emulate_branch(jp, 2, &regs), -1);
	assert_int_equal(insn_emulate_branch(jrcxz, 2, &regs), -1);
	assert_int_equal(insn_emulate_branch(nop, 1, &regs), -1);
	regs.flags_known = INSN_CF | INSN_SF | INSN_OF;
	assert_int_equal(insn_emulate_branch(jne, 2, &regs), -1);
}

static void emulate_no_instruction_is_an_error(void **state)
{
	static const uint8_t bad[] = {0x06}, cut[] = {0x48, 0xc1};
	struct insn_state regs = {};

	assert_true(insn_emulate(bad, sizeof(bad), 0, &regs) < 0);
	assert_true(insn_emulate(cut, sizeof(cut), 0, &regs) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(emulate_each_as_the_cpu),
		cmocka_unit_test(emulate_count_and_product_are_known),
		cmocka_unit_test(emulate_call_and_return_move_the_stack_pointer),
		cmocka_unit_test(emulate_branch_flags_unknown_is_not_decided),
		cmocka_unit_test(emulate_no_instruction_is_an_error),
	};

	area = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	return area == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
