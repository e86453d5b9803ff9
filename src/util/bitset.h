/* SPDX-License-Identifier: GPL-2.0 */
/* bitset.h - a set of small numbers (errnos, CPUs) as an array of 64-bit words */
#ifndef LBRSNOOP_UTIL_BITSET_H
#define LBRSNOOP_UTIL_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** bitset_has() - is the number in the set? It is below 64 times the array's length */
static inline bool bitset_has(const uint64_t *words, size_t number)
{
	return words[number / 64] >> number % 64 & 1;
}

/** bitset_add() - put the number into the set; it is below 64 times the array's length */
static inline void bitset_add(uint64_t *words, size_t number)
{
	words[number / 64] |= 1ull << number % 64;
}

#endif
