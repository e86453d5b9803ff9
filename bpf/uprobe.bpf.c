// SPDX-License-Identifier: GPL-2.0
/*
 * uprobe, uretprobe: a function of a program
 *
 * Branches of the kernel are kept out of the LBR by its filter, so that nothing here spends an
 * entry, and whatever tells more cheaply that an event is not wanted may come first.
 */
#include "preset.bpf.h"

static __always_inline int on_uprobe(struct pt_regs *ctx, enum trigger_kind kind, __u64 ip,
				     __s64 ret)
{
	struct capture_slot *slot;

	if (!process_wanted(bpf_get_current_pid_tgid() >> 32))
		return 0;
	slot = snapshot_take_gated();
	if (unlikely(!slot))
		return 0;
	finish(slot, kind, bpf_get_attach_cookie(ctx), ip, ret);
	return 0;
}

SEC("?uprobe")
int uprobe(struct pt_regs *ctx)
{
	return on_uprobe(ctx, TRIGGER_UPROBE, ctx->ip, 0);
}

/* IP is where the function returns to; which one it was tells the cookie. */
SEC("?uretprobe")
int uretprobe(struct pt_regs *ctx)
{
	return on_uprobe(ctx, TRIGGER_URETPROBE, 0, ctx->ax);
}

/* force_sig_info_to_task(): a fault of the program, which gets a signal for it. */
SEC("?kprobe")
int forced_signal(struct pt_regs *ctx)
{
	struct kernel_siginfo *info = (struct kernel_siginfo *)ctx->di;
	struct capture_slot *slot;
	struct preset_slot *more;
	struct pt_regs *regs;
	int signal;

	if (!process_wanted(bpf_get_current_pid_tgid() >> 32))
		return 0;
	regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	signal = BPF_CORE_READ(info, si_signo);
	slot = snapshot_take();
	if (unlikely(!slot))
		return 0;
	if (!describe(&slot->rec, TRIGGER_SIGNAL, bpf_get_attach_cookie(ctx),
		      BPF_CORE_READ(regs, ip), signal)) {
		slot_release(slot);
		return 0;
	}
	more = detail_begin(slot);
	if (unlikely(!more))
		return 0;
	detail_regs(&more->rec.detail, (__u64)regs);
	detail_stack(&more->rec.detail, ctx, BPF_F_USER_STACK);
	submit_detailed(more);
	return 0;
}

/*
 * The instruction that a uprobe replaced was executed with a single step. The debug exception that
 * ends it switches the LBR off, as for a hardware breakpoint, and of what comes then nothing would
 * be recorded until tasks are switched: the snapshot switches it on again.
 */
SEC("?kprobe")
int uprobe_stepped(struct pt_regs *ctx)
{
	struct capture_slot *slot = snapshot_try();

	if (slot)
		slot_release(slot);
	return 0;
}
