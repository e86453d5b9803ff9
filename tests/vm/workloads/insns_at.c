// SPDX-License-Identifier: GPL-2.0
/*
 * insns_at - in a guest of tests/vm/run --insns-at: the list has changed, read it again
 *
 * Prints the number of addresses. Status 1 if there is no list, or it cannot be read.
 */
#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>

#define LEAF_LIST 0x404c4252 /* tests/vm/qemu/README.md */

int main(void)
{
	uint32_t count, leaf, c, d;

	__cpuid(LEAF_LIST, count, leaf, c, d);
	(void)c;
	(void)d;
	/* Any other machine answers with zeros, or with its highest leaf. */
	if (leaf != LEAF_LIST || count == UINT32_MAX) {
		fputs("insns_at: no list, or it cannot be read: see the emulator's stderr\n",
		      stderr);
		return 1;
	}
	printf("%u\n", count);
	return 0;
}
