// SPDX-License-Identifier: GPL-2.0
/* kprobe, kretprobe, and their multi variants; the target comes as attach cookie */
#include "snapshot.bpf.h"

static __always_inline int on_kprobe(struct pt_regs *ctx, bool is_return, __s64 ret)
{
	struct capture_slot *slot;

	if ((is_return && !wanted_error(ret)) || other_process())
		return 0;
	slot = snapshot_take_gated();
	if (unlikely(!slot))
		return 0;
	finish(slot, is_return ? TRIGGER_KRETPROBE : TRIGGER_KPROBE, bpf_get_attach_cookie(ctx),
	       is_return ? bpf_get_func_ip(ctx) : kprobe_place(ctx), ret);
	return 0;
}

SEC("?kprobe")
int kprobe(struct pt_regs *ctx)
{
	return on_kprobe(ctx, false, 0);
}

SEC("?kretprobe")
int kretprobe_s32(struct pt_regs *ctx)
{
	return on_kprobe(ctx, true, (__s32)ctx->ax);
}

SEC("?kretprobe")
int kretprobe_s64(struct pt_regs *ctx)
{
	return on_kprobe(ctx, true, ctx->ax);
}
