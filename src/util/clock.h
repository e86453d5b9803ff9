/* SPDX-License-Identifier: GPL-2.0 */
/* clock.h - the time, in nanoseconds */
#ifndef LBRSNOOP_UTIL_CLOCK_H
#define LBRSNOOP_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

/** clock_ns() - of CLOCK_MONOTONIC or CLOCK_REALTIME, which cannot fail */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

#endif
