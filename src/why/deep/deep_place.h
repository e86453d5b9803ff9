/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_place.h - the end of a path, an error or a place that the user names: which hits count
 *
 * An error has one instruction. Some make an error only if a register holds all ones. A function
 * has several returns: the one that was hit last counts, and only the returned value tells whether
 * it is an error.
 */
#ifndef LBRSNOOP_WHY_DEEP_DEEP_PLACE_H
#define LBRSNOOP_WHY_DEEP_DEEP_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "why/deep/deep_join.h"

/**
 * struct deep_place - which hits count
 * @ends: @end_count addresses: each can be the end of the path
 * @returns: they are returns of a function: RAX holds what it returns
 * @wide: that has 64 bits, else 32
 * @errors: only errors count; @errnos: or NULL: only these count, bit n: errno n
 * @chosen: deep_place_choose() was called: only @err counts; 0: only what is no error
 * @all_ones: only hits count where the low 32 bits of register number @reg in struct pt_regs are
 *            ones
 */
struct deep_place {
	uint64_t ends[HW_SITES_MAX];
	size_t end_count;
	bool returns;
	bool wide;
	bool errors;
	const uint64_t *errnos;
	bool chosen;
	unsigned int err;
	bool all_ones;
	uint8_t reg;
};

/** deep_place_value() - what the function returned, at a hit of one of its returns */
int64_t deep_place_value(const struct deep_place *place, const struct deep_hit *hit);

/** deep_place_newest() - of @hits, oldest first, the newest one that counts; NULL: none does */
const struct deep_hit *deep_place_newest(const struct deep_place *place,
					 const struct deep_hit *hits, size_t count);

/**
 * deep_place_of_site() - the place of an error: the instruction at @addr makes it only if register
 * number @reg holds all ones
 */
struct deep_place deep_place_of_site(uint64_t addr, uint8_t reg);

/** deep_place_choose() - from now on only hits at this address count that return the same errno */
void deep_place_choose(struct deep_place *place, const struct deep_hit *hit);

#endif
