// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_place.h"

#include "util/bitset.h"
#include "util/errno_name.h"

int64_t deep_place_value(const struct deep_place *place, const struct deep_hit *hit)
{
	uint64_t ax = hit->regs[PTREG_AX];

	return place->wide ? (int64_t)ax : (int32_t)ax;
}

static bool is_end(const struct deep_place *place, uint64_t ip)
{
	for (size_t i = 0; i < place->end_count; i++)
		if (place->ends[i] == ip)
			return true;
	return false;
}

static bool counts(const struct deep_place *place, const struct deep_hit *hit)
{
	unsigned int err;

	/* A hit of watch_passes() has no instruction pointer: it is not a place. */
	if (!is_end(place, hit->ip) || hit->regs[PTREG_IP] != hit->ip)
		return false;
	if (place->all_ones && (place->reg >= RECORD_REGS || ~(uint32_t)hit->regs[place->reg]))
		return false;
	if (!place->returns)
		return true;
	err = errno_of_result(deep_place_value(place, hit));
	if (place->chosen)
		return err == place->err;
	if (!place->errors)
		return true;
	return err && (!place->errnos || bitset_has(place->errnos, err));
}

const struct deep_hit *deep_place_newest(const struct deep_place *place,
					 const struct deep_hit *hits, size_t count)
{
	for (size_t i = count; i-- > 0;)
		if (counts(place, &hits[i]))
			return &hits[i];
	return NULL;
}

struct deep_place deep_place_of_site(uint64_t addr, uint8_t reg)
{
	return (struct deep_place){.ends = {addr}, .end_count = 1, .all_ones = true, .reg = reg};
}

void deep_place_choose(struct deep_place *place, const struct deep_hit *hit)
{
	place->ends[0] = hit->ip;
	place->end_count = 1;
	place->err = errno_of_result(deep_place_value(place, hit));
	place->chosen = true;
}
