// SPDX-License-Identifier: GPL-2.0
/*
 * perf: perf events
 *
 * Those of software fire in the middle of the kernel's own code, and the way from there to the
 * snapshot is in the LBR. A counter that overflows raises an interrupt, for which the PMU freezes
 * the LBR (IA32_DEBUGCTL.FREEZE_LBRS_ON_PMI, which Linux sets; AMD: LbrAndPmcFreeze); the driver
 * has read it when the program runs.
 */
#include "snapshot.bpf.h"

/*
 * As all of these cost a snapshot, another process's are left out before it is taken; where
 * children are followed, behind it: their look-up would spend entries.
 */
static __always_inline bool of_other_process(void)
{
	return filter_pid && !filter_children && bpf_get_current_pid_tgid() >> 32 != filter_pid;
}

/* Read by the guard rails: what the events cost each CPU. */
static __always_inline void count_overflow(void)
{
	__sync_fetch_and_add(&event_hits[bpf_get_smp_processor_id() & (CPUS_MAX - 1)], 1);
}

SEC("?perf_event")
int perf_software(struct bpf_perf_event_data *ctx)
{
	struct capture_slot *slot;

	__sync_fetch_and_add(&events_ran, 1);
	if (of_other_process())
		return 0;
	slot = snapshot_take();
	count_overflow();
	if (unlikely(!slot))
		return 0;
	finish(slot, TRIGGER_PERF, bpf_get_attach_cookie(ctx), ctx->regs.ip, 0);
	return 0;
}

SEC("?perf_event")
int perf_overflow(struct bpf_perf_event_data *ctx)
{
	__u64 i;

	if (of_other_process())
		return 0;
	i = slot_draw();
	count_overflow();
	if (unlikely(!i)) {
		count_no_slot();
		return 0;
	}
	slots[i].rec.read = bpf_read_branch_records(ctx, slots[i].rec.branches,
						    sizeof(slots[i].rec.branches), 0);
	slots[i].rec.cpu = bpf_get_smp_processor_id();
	slots[i].rec.count = RECORD_BRANCHES_MAX;
	finish(&slots[i], TRIGGER_PMI, bpf_get_attach_cookie(ctx), ctx->regs.ip, 0);
	return 0;
}
