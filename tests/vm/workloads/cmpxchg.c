// SPDX-License-Identifier: GPL-2.0
/*
 * cmpxchg.c - do CMPXCHG8B and CMPXCHG16B leave all flags but ZF alone?
 *
 * QEMU 7.2 computes these flags in a helper, from the kind of the last instruction that set some.
 * Unless the translator stores that kind before the call, the helper takes an operand of that
 * instruction for the flags, and at the next exit from translated code the rest of the operand
 * enters EFLAGS, VM and NT included: the guest's kernel dies of a double fault at its next
 * exception. POPF ends a block, so that the kind that is stored is "all flags are in one word".
 * Prints "cmpxchg: right"; else what was wrong, and exit status 1.
 * Source: Intel SDM vol. 2A, CMPXCHG8B/CMPXCHG16B, "Flags Affected".
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ZF    0x40ul
#define FLAGS 0x8d5ul /* CF, PF, AF, ZF, SF, OF */

enum width { NONE, BYTES_8, BYTES_16 };

struct place {
	_Alignas(16) uint64_t low;
	uint64_t high;
};

/* The flags after @a + @b and, if asked for, an exchange that finds what it expects or does not. */
static uint64_t flags_after(uint64_t a, uint64_t b, enum width width, bool equal)
{
	struct place place = {0, 0};
	uint64_t flags, expected = !equal, high = 0;

#define ADD_AND(insn)                                                                              \
	asm volatile("lea -128(%%rsp), %%rsp\n" /* below the red zone */                           \
		     "pushfq\n"                                                                    \
		     "popfq\n"                                                                     \
		     "add %[b], %[a]\n" insn "\n"                                                  \
		     "pushfq\n"                                                                    \
		     "pop %[flags]\n"                                                              \
		     "lea 128(%%rsp), %%rsp"                                                       \
		     : [flags] "=&r"(flags), [a] "+&r"(a), "+a"(expected), "+d"(high), "+m"(place) \
		     : [b] "r"(b), "b"(2ul), "c"(0ul), [place] "r"(&place)                         \
		     : "cc", "memory")
	if (width == NONE)
		ADD_AND("");
	else if (width == BYTES_8)
		ADD_AND("lock cmpxchg8b (%[place])");
	else
		ADD_AND("lock cmpxchg16b (%[place])");
#undef ADD_AND
	return flags & FLAGS;
}

int main(void)
{
	static const uint64_t operands[] = {0,		1,	  0x051f6d20, 0xffff8880051f6d20,
					    UINT64_MAX, 1ul << 63};
	static const size_t count = sizeof(operands) / sizeof(operands[0]);

	for (size_t i = 0; i < count * count * 4; i++) {
		uint64_t a = operands[i / 4 % count], b = operands[i / 4 / count];
		enum width width = i & 1 ? BYTES_16 : BYTES_8;
		bool equal = i & 2;
		uint64_t before = flags_after(a, b, NONE, false),
			 after = flags_after(a, b, width, equal);

		if (after != ((before & ~ZF) | (equal ? ZF : 0))) {
			printf("cmpxchg: %#lx + %#lx, then CMPXCHG%uB: flags %#lx became %#lx\n", a,
			       b, width == BYTES_8 ? 8 : 16, before, after);
			return 1;
		}
	}
	puts("cmpxchg: right");
	return 0;
}
