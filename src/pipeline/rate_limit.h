/* SPDX-License-Identifier: GPL-2.0 */
/* rate_limit.h - --max-rate: so many snapshots a second */
#ifndef LBRSNOOP_PIPELINE_RATE_LIMIT_H
#define LBRSNOOP_PIPELINE_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* Snapshots come late by as much at most; what is older was taken after the clock was set back. */
#define RATE_LIMIT_LATE_NS 10000000000u

/**
 * struct rate_limit - all but @per_second is zero at first
 * @per_second: 0: any number
 * @second_ns: when the present second began
 * @taken: in it
 */
struct rate_limit {
	uint64_t per_second;
	uint64_t second_ns;
	uint64_t taken;
};

/**
 * rate_limit_exceeded() - is a snapshot one too many? The first ones of each second are taken.
 * @ts_ns: of the snapshot; one that comes late counts in the present second
 */
bool rate_limit_exceeded(struct rate_limit *limit, uint64_t ts_ns);

#endif
