// SPDX-License-Identifier: GPL-2.0
/* presets that are no fault of the kernel: its function that tells of the error, and the stack */
#include "preset.bpf.h"

SEC("?perf_event")
int preset_hw(struct bpf_perf_event_data *ctx)
{
	struct capture_slot *slot = snapshot_try();

	count_hit(slot);
	if (unlikely(!slot)) {
		count_no_slot();
		return 0;
	}
	finish_preset(ctx, slot, TRIGGER_HW, bpf_get_attach_cookie(ctx), ctx->regs.ip);
	return 0;
}

SEC("?kprobe")
int preset_kprobe(struct pt_regs *ctx)
{
	struct capture_slot *slot = snapshot_take();

	if (unlikely(!slot))
		return 0;
	finish_preset(ctx, slot, TRIGGER_KPROBE, bpf_get_attach_cookie(ctx), kprobe_place(ctx));
	return 0;
}

SEC("?tracepoint")
int preset_tracepoint(void *ctx)
{
	struct capture_slot *slot = snapshot_take();

	if (unlikely(!slot))
		return 0;
	finish_preset(ctx, slot, TRIGGER_TRACEPOINT, bpf_get_attach_cookie(ctx), 0);
	return 0;
}

/* A template, as fentry of fexit.bpf.c. */
SEC("?fentry/bpf_fentry_test1")
int preset_fentry(void *ctx)
{
	struct capture_slot *slot = snapshot_take();

	if (unlikely(!slot))
		return 0;
	finish_preset(ctx, slot, TRIGGER_FENTRY, cloned_target(), bpf_get_func_ip(ctx));
	return 0;
}
