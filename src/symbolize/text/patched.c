// SPDX-License-Identifier: GPL-2.0
#include "symbolize/text/patched.h"

#include <string.h>

#include "symbolize/symbolize.h"
#include "util/cleanup.h"

/* arch/x86/include/asm/text-patching.h: INT3_INSN_OPCODE, JMP32_INSN_OPCODE, JMP32_INSN_SIZE */
#define INT3	   0xcc
#define JUMP	   0xe9
#define CALL_BYTES 5
/* The kernel image, modules and trampolines (Documentation/arch/x86/x86_64/mm.rst) */
#define KERNEL_TEXT_FIRST UINT64_C(0xffffffff80000000)
#define KERNEL_TEXT_END	  UINT64_C(0xffffffffff000000)
/* kernel/bpf/core.c: BPF_PROG_CHUNK_SIZE. The trampolines of ftrace, and those of BPF in older
 * kernels, begin with a page, or in the middle of one. */
#define TRAMPOLINE_ALIGNMENT 64

/* Where a function leaves room for the tracer's call (P6_NOP5 of arch/x86/include/asm/nops.h) */
static const uint8_t nop[CALL_BYTES] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

bool patched_is_endbr(const uint8_t bytes[ENDBR_BYTES])
{
	/* ENDBR64; gen_endbr_poison() of arch/x86/include/asm/ibt.h, of older and newer kernels */
	static const uint8_t endbr[][ENDBR_BYTES] = {
		{0xf3, 0x0f, 0x1e, 0xfa}, {0x66, 0x0f, 0x1f, 0x00}, {0x0f, 0x1f, 0x40, 0xd6}};

	for (size_t i = 0; i < ARRAY_SIZE(endbr); i++)
		if (!memcmp(bytes, endbr[i], ENDBR_BYTES))
			return true;
	return false;
}

static bool is_entry(const struct symbols *symbols, uint64_t addr)
{
	struct symbol func;

	return !symbols_find(symbols, addr, &func) && func.addr == addr;
}

/* May a trampoline begin at @addr? It may be newer than the symbols, and its memory a program's. */
static bool may_be_trampoline(const struct symbols *symbols, uint64_t addr)
{
	struct symbol func;

	return addr % TRAMPOLINE_ALIGNMENT == 0 &&
	       (symbols_find(symbols, addr, &func) || symbol_is_bpf(&func));
}

/*
 * Is the INT3 at @at over a call or a jump: where a function begins, and to where another begins,
 * or to a trampoline? The bytes alone do not tell: behind a return or an indirect jump an INT3
 * stops speculation, and other code follows it.
 */
static bool is_patched(const struct symbols *symbols, const uint8_t *bytes, size_t at,
		       uint64_t addr)
{
	bool behind_endbr = at >= ENDBR_BYTES && patched_is_endbr(bytes + at - ENDBR_BYTES);
	uint64_t target;
	int32_t rel;

	memcpy(&rel, bytes + at + 1, sizeof(rel));
	target = addr + CALL_BYTES + (uint64_t)(int64_t)rel;
	if (target < KERNEL_TEXT_FIRST || target >= KERNEL_TEXT_END ||
	    !is_entry(symbols, behind_endbr ? addr - ENDBR_BYTES : addr))
		return false;
	return is_entry(symbols, target) || may_be_trampoline(symbols, target);
}

/* Is it a static call's trampoline (arch/x86/include/asm/static_call.h)? */
static bool is_static_call(const uint8_t *bytes, size_t len)
{
	static const uint8_t mark[] = {0x0f, 0xb9, 0xcc};

	return len >= CALL_BYTES + sizeof(mark) && !memcmp(bytes + CALL_BYTES, mark, sizeof(mark));
}

void patched_put_back(const struct symbols *symbols, uint64_t addr, void *bytes, size_t len)
{
	uint8_t *to = bytes;

	for (size_t i = 0; i + CALL_BYTES <= len; i++) {
		if (to[i] != INT3)
			continue;
		/*
		 * Before the rest of the NOP. Code has no such bytes: 1F is no instruction, and
		 * images of Debian's 6.1, 6.12 and 6.18 have them nowhere.
		 */
		if (!memcmp(to + i + 1, nop + 1, CALL_BYTES - 1))
			to[i] = nop[0];
		else if (!is_patched(symbols, to, i, addr + i))
			continue;
		else if (is_static_call(to + i, len - i))
			to[i] = JUMP;
		else
			memcpy(to + i, nop, CALL_BYTES);
	}
}
