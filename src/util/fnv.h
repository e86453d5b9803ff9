/* SPDX-License-Identifier: GPL-2.0 */
/* fnv.h - FNV-1a, a hash of bytes (Fowler, Noll, Vo), of 64 bits */
#ifndef LBRSNOOP_UTIL_FNV_H
#define LBRSNOOP_UTIL_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START 0xcbf29ce484222325u

/** fnv() - over @len bytes, from @hash on: FNV_START, or that of the bytes before */
static inline uint64_t fnv(uint64_t hash, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

#endif
