// SPDX-License-Identifier: GPL-2.0
#include "snapshot.bpf.h"

SEC("?tracepoint")
int tracepoint(void *ctx)
{
	struct capture_slot *slot = snapshot_take_gated();

	if (unlikely(!slot))
		return 0;
	finish(slot, RECORD_TRACEPOINT, bpf_get_attach_cookie(ctx), 0, 0);
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
	finish(slot, RECORD_TRACEPOINT, bpf_get_attach_cookie(ctx), 0, ret);
	return 0;
}

/* A template: raw tracepoints have attach cookies only from Linux 6.10 on. */
SEC("?raw_tp")
int raw_tracepoint(void *ctx)
{
	struct capture_slot *slot = snapshot_take_gated();

	if (unlikely(!slot))
		return 0;
	finish(slot, RECORD_RAWTRACEPOINT, cloned_target(), 0, 0);
	return 0;
}
