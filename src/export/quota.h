/* SPDX-License-Identifier: GPL-2.0 */
/* quota.h - so many records and bytes a second leave the host, and no more */
#ifndef LBRSNOOP_EXPORT_QUOTA_H
#define LBRSNOOP_EXPORT_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct quota - {.records_per_s, .bytes_per_s} to begin with; 0: any number
 * @records, @bytes: that may leave now, in thousandths; @bytes below 0: a record was longer
 * @last_ns: CLOCK_MONOTONIC of the last refill, 0: none yet
 */
struct quota {
	uint64_t records_per_s;
	uint64_t bytes_per_s;
	int64_t records;
	int64_t bytes;
	uint64_t last_ns;
};

/* At the end, what waits may leave as if so many seconds had passed. */
#define QUOTA_END_SECONDS 10

/**
 * quota_take() - may a record of @bytes leave? What one second allows is kept at most.
 * A record longer than that leaves alone, and the next ones wait for it.
 */
bool quota_take(struct quota *quota, uint64_t now_ns, size_t bytes);

/** quota_end() - this is the end: allow what QUOTA_END_SECONDS would */
void quota_end(struct quota *quota, uint64_t now_ns);

#endif
