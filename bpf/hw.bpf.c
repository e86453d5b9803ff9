// SPDX-License-Identifier: GPL-2.0
/*
 * hw: hardware execution breakpoint
 *
 * The processor switched the LBR off itself when it raised #DB (Intel SDM vol. 3, "Monitoring
 * Branches, Exceptions, and Interrupts"; AMD APM vol. 2, 13.1.1.8), and only the snapshot helper
 * switches it on again. So
 * the snapshot is taken at every hit, also at those that the filter then drops: a program that
 * returned without it would leave the LBR off on this CPU.
 */
#include "snapshot.bpf.h"

static __always_inline int on_hit(struct bpf_perf_event_data *ctx, bool filter, __s64 ret)
{
	struct capture_slot *slot = snapshot_try();

	count_hit(slot);
	if (filter && !wanted_error(ret)) {
		if (slot)
			slot_release(slot);
		return 0;
	}
	if (unlikely(!slot)) {
		count_no_slot();
		return 0;
	}
	finish(slot, TRIGGER_HW, bpf_get_attach_cookie(ctx), ctx->regs.ip, ret);
	return 0;
}

SEC("?perf_event")
int hw(struct bpf_perf_event_data *ctx)
{
	return on_hit(ctx, false, 0);
}

SEC("?perf_event")
int hw_return_s32(struct bpf_perf_event_data *ctx)
{
	return on_hit(ctx, true, (__s32)ctx->regs.ax);
}

SEC("?perf_event")
int hw_return_s64(struct bpf_perf_event_data *ctx)
{
	return on_hit(ctx, true, ctx->regs.ax);
}

/* What every hit costs, and no more: the loader times it. */
SEC("?perf_event")
int hw_calibrate(struct bpf_perf_event_data *ctx)
{
	struct capture_slot *slot = snapshot_try();

	if (slot)
		slot_release(slot);
	return 0;
}
