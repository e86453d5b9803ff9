// SPDX-License-Identifier: GPL-2.0
/* tracepoint.bpf.c - tracepoints, raw ones, and the errors of system calls */
#include "snapshot.bpf.h"
#include "syscall_event.h"

SEC("?tracepoint")
int tracepoint(void *ctx)
{
	struct capture_slot *slot = snapshot_take_gated();

	if (unlikely(!slot))
		return 0;
	finish(slot, TRIGGER_TRACEPOINT, bpf_get_attach_cookie(ctx), 0, 0);
	return 0;
}

/* syscalls:sys_exit and syscalls:sys_exit_*: the system call's return value is in the record */
SEC("?tracepoint")
int tracepoint_sys_exit(struct trace_event_raw_sys_exit *ctx)
{
	__s64 ret = ctx->ret;
	struct capture_slot *slot;

	if (!wanted_error(ret))
		return 0;
	slot = snapshot_take_gated();
	if (unlikely(!slot))
		return 0;
	finish(slot, TRIGGER_TRACEPOINT, bpf_get_attach_cookie(ctx), 0, ret);
	return 0;
}

/*
 * The same for all of syscalls:sys_exit_*, on the one tracepoint that serves them. What perf makes
 * of a system call before it runs a program is not made, at half the price and fewer entries; a
 * call that nobody asks for is left after a load and two tests. It needs kernel types (BTF):
 * through a pointer without one, the number of the call would take a helper.
 */
SEC("?tp_btf/sys_exit")
int sys_exit_typed(__u64 *ctx)
{
	const struct pt_regs *regs = (const struct pt_regs *)ctx[0];
	__u64 nr = regs->orig_ax;
	__s64 ret = ctx[1];
	struct capture_slot *slot;
	__u32 target;

	if (unlikely(nr >= SYSCALL_PLANS))
		return 0;
	target = sys_exit_targets[nr];
	if (!target || !wanted_error(ret))
		return 0;
	if (gate_is_shut()) {
		if (!in_compat_syscall())
			count_gated();
		return 0;
	}
	slot = snapshot_take();
	if (unlikely(!slot))
		return 0;
	/* Asked for now, at no entry. */
	if (in_compat_syscall())
		slot_release(slot);
	else
		finish(slot, TRIGGER_TRACEPOINT, target - 1, 0, ret);
	return 0;
}

/* A template: raw tracepoints have attach cookies only from Linux 6.10 on. */
SEC("?raw_tp")
int raw_tracepoint(void *ctx)
{
	struct capture_slot *slot = snapshot_take_gated();

	if (unlikely(!slot))
		return 0;
	finish(slot, TRIGGER_RAWTRACEPOINT, cloned_target(), 0, 0);
	return 0;
}
