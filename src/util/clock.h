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

/** clock_mono_to_real_ns() - what has to be added to CLOCK_MONOTONIC for CLOCK_REALTIME, now */
static inline uint64_t clock_mono_to_real_ns(void)
{
	return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
}

#endif
