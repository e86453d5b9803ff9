/* SPDX-License-Identifier: GPL-2.0 */
/* address.h - is an address the kernel's? */
#ifndef LBRSNOOP_UTIL_ADDRESS_H
#define LBRSNOOP_UTIL_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * address_is_kernel() - is the address in the kernel's half of the address space?
 *
 * The upper half of the canonical addresses is the kernel's, in all processes: the kernel's
 * Documentation/arch/x86/x86_64/mm.rst.
 */
static inline bool address_is_kernel(uint64_t addr)
{
	return addr >> 63;
}

#endif
