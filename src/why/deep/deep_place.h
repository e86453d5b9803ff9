/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_place.h - the end of a way, a place that the user names or an error: which hit of it counts
 *
 * An error has one instruction, which may need a register to hold all ones: else it makes none. A
 * function has several returns, of which one was hit last, and only what it returns tells whether
 * that is an error.
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
 * @ends: addresses, @end_count of them: each can be the end of the way
 * @returns: they are returns of a function: RAX holds what it returns
 * @wide: 64 bits of it
 * @errors: errors alone count; @errnos: or NULL: these alone, bit n: errno n
 * @chosen: deep_place_choose() was called: @err alone counts, 0: what is no error
 * @all_ones: the 32 bits of register number @reg in struct pt_regs have to be that
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
 * deep_place_of_site() - that of an error whose instruction, at @addr, makes one only if register
 * number @reg holds all ones
 */
struct deep_place deep_place_of_site(uint64_t addr, uint8_t reg);

/** deep_place_choose() - from now on only hits like this one count: there, with that errno */
void deep_place_choose(struct deep_place *place, const struct deep_hit *hit);

#endif
