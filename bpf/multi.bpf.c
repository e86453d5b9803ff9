// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe.multi: one program on the returns of any number of functions
 *
 * The kernel's way from a return to here spends more entries than an LBR has. So what the snapshot
 * tells is the function and its error, and at most the end of its path.
 *
 * kprobe.session (Linux 6.10) would have the same way, and needs a call of its own, two entries
 * more, to tell a return from an entry.
 */
#include "multi.bpf.h"

/*
 * One program for all return types: each link takes the kernel a second to take back. The lower
 * half of an error is one whatever the type. Only where the upper half says something else does the
 * type decide: the half is undefined, or a part of the value.
 */
static __always_inline bool is_wanted(struct pt_regs *ctx)
{
	__s64 ret = ctx->ax;

	if (!wanted_error((__s32)ret))
		return false;
	if (likely(ret == (__s32)ret))
		return true;
	return !filter_errno || !(bpf_get_attach_cookie(ctx) & MULTI_COOKIE_S64);
}

SEC("?kprobe.multi")
int multi_return(struct pt_regs *ctx)
{
	__s32 ret = ctx->ax;
	struct capture_slot *slot;

	if (!multi_on)
		return 0;
	if (!is_wanted(ctx)) {
		if (multi_open)
			end_failures(ctx, ret);
		return 0;
	}
	if (other_process())
		return 0;
	slot = snapshot_take();
	if (unlikely(!slot))
		return 0;
	if (!describe(&slot->rec, TRIGGER_MULTI, bpf_get_attach_cookie(ctx), bpf_get_func_ip(ctx),
		      ctx->ax)) {
		slot_release(slot);
		return 0;
	}
	if (filter_errno && passes_on(ctx, ret)) {
		__sync_fetch_and_add(&multi_passed_on, 1);
		slot_release(slot);
		return 0;
	}
	submit(slot);
	if (filter_errno)
		note_failure(ctx, ret);
	return 0;
}

SEC("?raw_tp/sys_exit")
int multi_sys_exit(void *ctx)
{
	forget_failures();
	return 0;
}

SEC("?raw_tp/sched_process_exit")
int multi_task_exit(void *ctx)
{
	forget_failures();
	return 0;
}
