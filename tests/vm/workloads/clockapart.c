// SPDX-License-Identifier: GPL-2.0
/*
 * clockapart - adjust the clock until CLOCK_MONOTONIC is a second ahead of the hardware's
 *
 * As an NTP client does with a clock that is behind, but as fast as the kernel lets it: a tenth,
 * which takes ten seconds.
 */
#include <err.h>
#include <sys/timex.h>
#include <time.h>

/* How far the clock goes in 10 ms of the hardware: adjtimex(2). */
#define TICK_US	     10000
#define TICK_FAST_US 11000
#define AHEAD_NS     1000000000ll

static long long clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		err(1, "clock %d", (int)clock);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void set_tick(long tick_us)
{
	struct timex timex = {.modes = ADJ_TICK, .tick = tick_us};

	if (adjtimex(&timex) < 0)
		err(1, "adjtimex");
}

int main(void)
{
	const struct timespec pause = {.tv_nsec = 100000000};

	set_tick(TICK_FAST_US);
	while (clock_ns(CLOCK_MONOTONIC) - clock_ns(CLOCK_MONOTONIC_RAW) < AHEAD_NS)
		nanosleep(&pause, NULL);
	set_tick(TICK_US);
	return 0;
}
