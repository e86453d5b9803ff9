// SPDX-License-Identifier: GPL-2.0
#include "pipeline/rate_limit.h"

#define SECOND_NS 1000000000u

/* A second begins; also where the clock was set back, by hours perhaps: till then none would. */
static bool begins_second(const struct rate_limit *limit, uint64_t ts_ns)
{
	return ts_ns >= limit->second_ns ? ts_ns - limit->second_ns >= SECOND_NS
					 : limit->second_ns - ts_ns > RATE_LIMIT_LATE_NS;
}

bool rate_limit_exceeded(struct rate_limit *limit, uint64_t ts_ns)
{
	if (!limit->per_second)
		return false;
	if (begins_second(limit, ts_ns)) {
		limit->second_ns = ts_ns;
		limit->taken = 0;
	}
	return ++limit->taken > limit->per_second;
}
