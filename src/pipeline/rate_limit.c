// SPDX-License-Identifier: GPL-2.0
#include "pipeline/rate_limit.h"

#define SECOND_NS 1000000000u

bool rate_limit_exceeded(struct rate_limit *limit, uint64_t ts_ns)
{
	if (!limit->per_second)
		return false;
	if (ts_ns >= limit->second_ns && ts_ns - limit->second_ns >= SECOND_NS) {
		limit->second_ns = ts_ns;
		limit->taken = 0;
	}
	return ++limit->taken > limit->per_second;
}
