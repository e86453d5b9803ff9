// SPDX-License-Identifier: GPL-2.0
/*
 * errno sites: a hardware breakpoint on the instruction that loads a negative errno
 *
 * There the LBR ends at the decision, before the clean-up. But compilers load the constant early,
 * before the test: so the snapshot is kept until the function returns, and counts only if it
 * returns that error. An error that the function passes on from a callee has no such place; it
 * gets the snapshot of the function's exit, which spends entries as fexit does, and says so.
 */
#include "snapshot.bpf.h"

/* Entries of the map: while it is 0, a return that is no error costs no lookup. */
__u64 pending_count;

static __always_inline __u64 pending_key(__u32 tid, __u32 target)
{
	return (__u64)tid << 32 | target;
}

static __always_inline void keep(struct record *rec)
{
	__u64 key = pending_key(rec->tid, rec->target);
	bool fresh = !bpf_map_lookup_elem(&pending, &key);

	if (bpf_map_update_elem(&pending, &key, rec, BPF_ANY))
		__sync_fetch_and_add(&losses.no_slot, 1);
	else if (fresh)
		__sync_fetch_and_add(&pending_count, 1);
}

/* Cookie: bits 31:0 target, 47:32 errno, bit 63: the function returns this error for certain. */
SEC("?perf_event")
int hw_errno_site(struct bpf_perf_event_data *ctx)
{
	struct capture_slot *slot = snapshot_take();
	__u64 cookie;
	__s64 ret;

	count_hit(slot);
	if (unlikely(!slot))
		return 0;
	cookie = bpf_get_attach_cookie(ctx);
	ret = -(__s64)(cookie >> 32 & 0xffff);
	if (describe(&slot->rec, TRIGGER_HW, cookie, ctx->regs.ip, ret)) {
		if (cookie >> 63) {
			submit(slot);
			return 0;
		}
		keep(&slot->rec);
	}
	slot_release(slot);
	return 0;
}

static __always_inline void forget(__u64 key)
{
	if (!bpf_map_delete_elem(&pending, &key))
		__sync_fetch_and_add(&pending_count, -1);
}

static __always_inline int on_exit(void *ctx, __s64 ret)
{
	struct capture_slot *slot;
	struct record *kept;
	__u64 key;

	if (!wanted_error(ret)) {
		if (pending_count)
			forget(pending_key(bpf_get_current_pid_tgid(), cloned_target()));
		return 0;
	}
	slot = snapshot_take();
	key = pending_key(bpf_get_current_pid_tgid(), cloned_target());
	if (unlikely(!slot)) {
		/* Not for the next call that fails: it would be told with this one's branches. */
		forget(key);
		return 0;
	}
	kept = bpf_map_lookup_elem(&pending, &key);
	if (kept && kept->retval == ret) {
		/* Copied: what the ring buffer takes must be in memory that the verifier bounds. */
		__builtin_memcpy(&slot->rec, kept, sizeof(*kept));
		submit(slot);
	} else {
		finish(slot, TRIGGER_FEXIT, (__u32)key, bpf_get_func_ip(ctx), ret);
	}
	if (kept)
		forget(key);
	return 0;
}

SEC("?fexit/bpf_fentry_test1")
int errno_exit_s32(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_exit(ctx, (__s32)ret);
}

SEC("?fexit/bpf_fentry_test1")
int errno_exit_s64(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_exit(ctx, ret);
}
