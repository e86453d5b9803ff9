// SPDX-License-Identifier: GPL-2.0
#include "export/quota.h"

#define SECOND_NS 1000000000ull
#define MILLI	  1000

static int64_t refilled(int64_t have, uint64_t per_s, uint64_t ns)
{
	int64_t most = (int64_t)per_s * MILLI;

	have += (int64_t)((double)ns / SECOND_NS * (double)most);
	return have < most ? have : most;
}

static void refill(struct quota *quota, uint64_t now_ns)
{
	uint64_t ns = SECOND_NS;

	if (quota->last_ns)
		ns = now_ns > quota->last_ns ? now_ns - quota->last_ns : 0;
	/* Less than a millisecond would be rounded away, again and again. */
	if (ns < SECOND_NS / MILLI)
		return;
	quota->last_ns = now_ns;
	quota->records = refilled(quota->records, quota->records_per_s, ns);
	quota->bytes = refilled(quota->bytes, quota->bytes_per_s, ns);
}

bool quota_take(struct quota *quota, uint64_t now_ns, size_t bytes)
{
	refill(quota, now_ns);
	if ((quota->records_per_s && quota->records < MILLI) ||
	    (quota->bytes_per_s && quota->bytes <= 0))
		return false;
	quota->records -= MILLI;
	quota->bytes -= (int64_t)bytes * MILLI;
	return true;
}

void quota_end(struct quota *quota, uint64_t now_ns)
{
	refill(quota, now_ns);
	quota->records += (int64_t)quota->records_per_s * QUOTA_END_SECONDS * MILLI;
	quota->bytes += (int64_t)quota->bytes_per_s * QUOTA_END_SECONDS * MILLI;
	/* No refill takes it away: it caps at one second. */
	quota->last_ns = UINT64_MAX;
}
