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

/**
 * struct clock_offset - CLOCK_REALTIME less CLOCK_MONOTONIC; all 0: not known yet
 * @ns: it, to @error_ns
 */
struct clock_offset {
	int64_t ns;
	int64_t error_ns;
};

/**
 * clock_offset_take() - a measurement: @real_ns was read between @before_ns and @after_ns
 *
 * Of the same clocks each measurement is another one, by up to the time in between, which is long
 * where the reader is preempted. What was known is kept as long as both can be right: else times of
 * one clock would change their order. The offset itself changes when the clock is set.
 */
static inline void clock_offset_take(struct clock_offset *offset, int64_t before_ns,
				     int64_t real_ns, int64_t after_ns)
{
	int64_t ns = real_ns - before_ns - (after_ns - before_ns) / 2;
	int64_t error_ns = (after_ns - before_ns) / 2 + 1;
	int64_t differs = ns > offset->ns ? ns - offset->ns : offset->ns - ns;

	if (!offset->error_ns || differs > offset->error_ns + error_ns)
		*offset = (struct clock_offset){.ns = ns, .error_ns = error_ns};
}

/** clock_offset_update() - measure now, the best of a few */
static inline void clock_offset_update(struct clock_offset *offset)
{
	int64_t best[3] = {0, 0, INT64_MAX};

	for (int i = 0; i < 4; i++) {
		int64_t before = (int64_t)clock_ns(CLOCK_MONOTONIC);
		int64_t real = (int64_t)clock_ns(CLOCK_REALTIME);
		int64_t after = (int64_t)clock_ns(CLOCK_MONOTONIC);

		if (best[2] == INT64_MAX || after - before < best[2] - best[0]) {
			best[0] = before;
			best[1] = real;
			best[2] = after;
		}
	}
	clock_offset_take(offset, best[0], best[1], best[2]);
}

/** clock_mono_to_real_ns() - what has to be added to CLOCK_MONOTONIC for CLOCK_REALTIME, now */
static inline uint64_t clock_mono_to_real_ns(void)
{
	struct clock_offset offset = {};

	clock_offset_update(&offset);
	return (uint64_t)offset.ns;
}

#endif
