/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PMU with last-branch records for QEMU's TCG: state and interfaces. See README.md. */
#ifndef TARGET_I386_LBR_H
#define TARGET_I386_LBR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CPUArchState CPUX86State;
struct lbr_cpu;

/* What an instruction is to the LBR; KIND_LINEAR is everything that falls through. */
enum lbr_kind {
	KIND_LINEAR,
	KIND_COND,
	KIND_JMP,
	KIND_IJMP,
	KIND_CALL,
	KIND_ICALL,
	KIND_RET,
	KIND_FAR, /* far call, jmp and ret, INT n, IRET, SYSCALL, SYSRET, SYSENTER, SYSEXIT */
	KIND_IRQ, /* hardware interrupt or exception */
	KIND_NR,
};

/*
 * What translated code maintains while tracking is on (HF_LBR_MASK): which linear address must
 * come next if no branch is taken. Three values are no addresses, because they are odd and not
 * canonical.
 */
#define LBR_NEXT_INSIDE 0x8000000000000001ull /* within a block: no branch is pending */
#define LBR_NEXT_BRANCH 0x8000000000000003ull /* an unconditional branch: whatever comes */
#define LBR_NEXT_FIRST	0x8000000000000005ull /* tracking has just begun */

struct lbr_flow {
	uint64_t from;	 /* linear address of the last instruction of a block */
	uint64_t next;	 /* linear address that follows it, or LBR_NEXT_* */
	uint64_t insns;	 /* instructions retired while tracking was on, see lbr_restore_word() */
	uint64_t inside; /* with LBR_NEXT_INSIDE: of them, those that are not in insns yet */
	uint32_t kind;	 /* enum lbr_kind of @from, its length << 8 */
	struct lbr_cpu *cpu; /* what we keep for this vCPU; NULL until it is needed */
};

/* --- hooks called by QEMU's own code ------------------------------------------------------ */

/**
 * lbr_rdmsr() - read an MSR of the virtual PMU
 * @env: the vCPU (borrowed)
 * @msr: number
 * @ret_val: set if it is one of ours
 * Return: true if the MSR is one of ours.
 */
bool lbr_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *ret_val);

/**
 * lbr_wrmsr() - write an MSR of the virtual PMU
 * @env: the vCPU (borrowed)
 * @msr: number
 * @val: value
 * Return: 1 if written, 0 if the MSR is none of ours, -1 if the processor would raise #GP.
 */
int lbr_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);

/**
 * lbr_rdpmc() - RDPMC
 * @env: the vCPU (borrowed)
 * @index: ECX
 * @ret_val: set on success only
 * Return: 1 if read, 0 if there is no PMU, -1 if the processor would raise #GP.
 */
int lbr_rdpmc(CPUX86State *env, uint32_t index, uint64_t *ret_val);

/**
 * lbr_cpuid() - add the virtual PMU to what CPUID says
 * @env: the vCPU (borrowed)
 * @leaf: EAX on input
 * @subleaf: ECX on input
 * @regs: EAX, EBX, ECX, EDX, changed in place
 */
void lbr_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *regs[4]);

/**
 * lbr_listed() - is the instruction at @addr to be logged whenever it is executed?
 */
bool lbr_listed(uint64_t addr);

/**
 * lbr_swallows_breakpoints() - do the debug registers take breakpoints that never fire?
 */
bool lbr_swallows_breakpoints(void);

/*
 * Instructions are counted by the last one of a block, all at once. Where a block is left before,
 * the number of the instruction that left it is what QEMU restores: it is kept with the state of
 * the flags.
 */
#define LBR_WORD_SHIFT 8

/**
 * lbr_restore_word() - a block is left at an instruction within it
 * @env: the vCPU (borrowed)
 * @word: of the instruction's start, see lbr_insn_start_word()
 * Return: its cc_op.
 */
int lbr_restore_word(CPUX86State *env, uint64_t word);

/**
 * lbr_interrupt() - an interrupt or exception is about to be delivered
 * @env: the vCPU, its EIP and CPL those of the interrupted program (borrowed)
 * @vector: interrupt vector
 * @is_insn: raised by INT n, INT3 or INTO
 * @is_async: asynchronous: an interrupt between two instructions
 */
void lbr_interrupt(CPUX86State *env, int vector, int is_insn, int is_async);

#endif
