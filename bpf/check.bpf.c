// SPDX-License-Identifier: GPL-2.0
/* Does the helper read anything here? Run once on each CPU by BPF_PROG_TEST_RUN. */
#include "snapshot.bpf.h"

SEC("?raw_tp")
int lbr_check(void *ctx)
{
	struct capture_slot *slot = snapshot_try();

	if (!slot)
		return 0;
	check_read = slot->rec.read;
	slot_release(slot);
	return 0;
}

/* Never runs: a link to it keeps the event that has switched the LBR on, without a process. */
SEC("?perf_event")
int hold(void *ctx)
{
	return 0;
}
