/* SPDX-License-Identifier: GPL-2.0 */
/* next_hit.h - which of the armed addresses a made-up machine comes to next */
#ifndef LBRSNOOP_TESTS_UNIT_NEXT_HIT_H
#define LBRSNOOP_TESTS_UNIT_NEXT_HIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct armed - addresses, of breakpoints or of kprobes */
struct armed {
	const uint64_t *addrs;
	size_t count;
};

static inline uint64_t next_of(struct armed armed, uint64_t low, uint64_t high)
{
	uint64_t best = 0;

	for (size_t i = 0; i < armed.count; i++)
		if (armed.addrs[i] >= low && armed.addrs[i] <= high &&
		    (!best || armed.addrs[i] < best))
			best = armed.addrs[i];
	return best;
}

/**
 * next_hit() - what is hit next from @low to @high, both executed; 0: nothing
 * A breakpoint is hit before a kprobe at the same address.
 */
static inline uint64_t next_hit(struct armed breakpoints, struct armed kprobes, uint64_t low,
				uint64_t high, bool *ret_kprobe)
{
	uint64_t hw = next_of(breakpoints, low, high);
	uint64_t kprobe = next_of(kprobes, low, high);

	*ret_kprobe = kprobe && (!hw || kprobe < hw);
	return *ret_kprobe ? kprobe : hw;
}

#endif
