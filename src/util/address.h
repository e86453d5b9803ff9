/* SPDX-License-Identifier: GPL-2.0 */
/* address.h - is an address the kernel's; addresses in order, and found among them */
#ifndef LBRSNOOP_UTIL_ADDRESS_H
#define LBRSNOOP_UTIL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
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

/** address_compare() - of uint64_t, ascending, for qsort() and bsearch() */
static inline int address_compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/**
 * address_upper_bound() - how many begin at @addr or below
 * @items: each begins with a uint64_t, by which they are in ascending order
 * @size: bytes of an item
 * Return: the last that does is the one before the number returned; 0: none does.
 */
static inline size_t address_upper_bound(const void *items, size_t count, size_t size,
					 uint64_t addr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)items + mid * size) <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/** address_among() - is @addr one of @addrs, which are in no order? */
static inline bool address_among(const uint64_t *addrs, size_t count, uint64_t addr)
{
	for (size_t i = 0; i < count; i++)
		if (addrs[i] == addr)
			return true;
	return false;
}

/** address_lower_bound() - how many begin below @addr, as address_upper_bound() */
static inline size_t address_lower_bound(const void *items, size_t count, size_t size,
					 uint64_t addr)
{
	return addr ? address_upper_bound(items, count, size, addr - 1) : 0;
}

#endif
